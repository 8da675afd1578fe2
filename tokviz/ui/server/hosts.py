"""Under which names this server may be asked for.

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

from tokviz.ui.server.machine import means_this_machine


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
