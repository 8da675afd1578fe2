"""Which requests come to the app at all: under a known host, from pages of this server, for what the app needs.

A page of another site can give its own name the address of this machine (DNS rebinding), and its script could then
read what is here as if it were a page of this server. The browser still says the name that it asked for, so a server
that knows its own names refuses all others. An address in figures is no name, and nobody can give it another meaning.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from tokviz.ui.server.machine import means_this_machine
from tokviz.ui.server.words import page, sentence

UPLOAD = "/_stcore/upload_file/"
STREAM = "/_stcore/stream"
# Of Streamlit's own routes, those that its pages use. The rest tells figures of the server, or runs the app for
# programs: /_stcore/metrics, /_stcore/agent, the routes of a login, and files of components, of which there are none.
_USED = ("/_stcore/health", "/_stcore/host-config", STREAM)
_CLOSED = ("/_stcore/", "/component/", "/auth/", "/oauth2callback")

UNKNOWN_HOST = "This server does not know the name {host}"
WHAT_TO_SET = (
    "Open it by its address in figures, such as 192.0.2.14, which always works. The person who runs the server knows "
    "that address: the server printed it when it started.",
    "That person can also start the server with TOKVIZ_HOSTS={host} in its environment. The server answers only to "
    "names that it was told, so that a page of another site cannot pretend to be one of its own.",
)


def refused(scope: Scope, asked: Headers) -> Response | None:
    """The answer to a request that is refused, else None."""
    method, path = scope["method"], scope["path"]
    host = host_in(asked.get("host", ""))
    if not is_known(host, names()):
        shown = host or "it was asked for"
        return page(400, UNKNOWN_HOST.format(host=shown), *(words.format(host=host) for words in WHAT_TO_SET))
    if _is_closed(path):
        return sentence(404, "There is nothing here.")
    if method not in (("GET", "HEAD", "OPTIONS") if not path.startswith(UPLOAD) else ("PUT", "DELETE")):
        return sentence(405, "This method is not allowed here.")
    if method in ("PUT", "DELETE") and not is_of_this_server(asked):
        return sentence(403, "Only pages of this server may do this.")
    return None


def is_welcome(scope: Scope, asked: Headers) -> bool:
    """Whether a socket may be opened."""
    known = is_known(host_in(asked.get("host", "")), names())
    return known and is_of_this_server(asked) and not _is_closed(scope["path"])


def is_of_this_server(headers: Headers) -> bool:
    """Whether the page that asks is one of this server's, or no page at all: a browser always says the origin.

    Streamlit would allow every origin on this machine, another port's too, and for the others ask an outside server
    for the machine's address.
    """
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def _is_closed(path: str) -> bool:
    return path.startswith(_CLOSED) and not (path in _USED or path.startswith(UPLOAD))


def host_in(header: str) -> str:
    """The host of a header `Host`, in small letters and without its port; "" if it is none.

    >>> host_in("Class.example:8501"), host_in("[::1]:8501"), host_in("192.0.2.14"), host_in("a/b")
    ('class.example', '::1', '192.0.2.14', '')
    """
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port  # ValueError if it is no number
    except ValueError:
        return ""
    host = (parts.hostname or "").rstrip(".")
    return host if parts.netloc == header and "@" not in header else ""


def is_known(host: str, names: Iterable[str]) -> bool:
    """Whether a server with these names may be asked for as `host`. "*.example" names all hosts below example.

    >>> names = ["laptop", "*.school.example"]
    >>> [is_known(host, names) for host in ("localhost", "192.0.2.14", "laptop", "a.school.example", "school.example")]
    [True, True, True, True, False]
    """
    if means_this_machine(host):
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return any(name == "*" or host == name or (name.startswith("*.") and host.endswith(name[1:])) for name in names)
    return True


def names() -> list[str]:
    """The names of this machine, that of the setting `browser.serverAddress`, and those in TOKVIZ_HOSTS.

    TOKVIZ_HOSTS has names with spaces or commas between them. No name is looked up, because that would send something.
    """
    machine = socket.gethostname().lower()
    said = os.environ.get("TOKVIZ_HOSTS", "").replace(",", " ").lower().split()
    return [machine, f"{machine.partition('.')[0]}.local", str(st.get_option("browser.serverAddress")).lower(), *said]
