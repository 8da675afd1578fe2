"""Headers on every answer: what a browser may do with a page of this server, and other sites may not.

No page of another site may show tokviz in a frame, unless TOKVIZ_FRAMES names that site.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Scope
from streamlit import file_util

from tokviz.base.errors import SettingError
from tokviz.ui.server.gate import host_in
from tokviz.ui.server.machine import means_this_machine

_SITE = re.compile(r"https?://(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")
# What pages of tokviz never use.
_UNUSED = "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()"


def headers(scope: Scope, asked: Headers) -> dict[str, str]:
    """The headers of the answer to a request, by their names."""
    # Elsewhere a browser ignores it, and says in the console that it is an error.
    isolates = scope["scheme"] == "https" or means_this_machine(host_in(asked.get("host", "")))
    return {**of_all(), **({"cross-origin-opener-policy": "same-origin"} if isolates else {})}


@lru_cache(1)
def of_all() -> dict[str, str]:
    """The headers of each answer."""
    return {
        "content-security-policy": "; ".join(f"{what} {sources}" for what, sources in policy().items()),
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": _UNUSED,
        "referrer-policy": "same-origin",  # the address of a page may say what somebody typed
        "x-content-type-options": "nosniff",
        **({} if frames() else {"x-frame-options": "DENY"}),  # which cannot name a site
    }


def policy() -> dict[str, str]:
    """The content security policy: what a page may load and run, and from where. Nothing comes from another site."""
    return {
        "default-src": "'none'",
        # Streamlit loads the script of a component from a blob:.
        "script-src": " ".join(["'self'", "blob:", *_inline_scripts()]),
        "style-src": "'self' 'unsafe-inline'",  # Streamlit and Vega style elements one by one
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "manifest-src": "'self'",
        "media-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(frames()) or "'none'",
    }


def _inline_scripts() -> list[str]:
    """The sums of the scripts that are written into Streamlit's page: these run, and none that anybody adds."""
    page = Path(file_util.get_static_dir(), "index.html").read_text("utf-8")
    found = re.findall(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in found]


def frames() -> list[str]:
    """The sites in TOKVIZ_FRAMES, with spaces or commas between them, as a content security policy names them.

    SettingError if one is no site, or if its pages come from another machine without TLS.
    """
    sites = os.environ.get("TOKVIZ_FRAMES", "").replace(",", " ").lower().split()
    for site in sites:
        ours = _SITE.fullmatch(site) and means_this_machine(urlsplit(site).hostname or "")
        if not _SITE.fullmatch(site) or not (ours or site.startswith("https:")):
            raise SettingError(
                f"TOKVIZ_FRAMES has {site!r}, which is no site that may show tokviz in a frame.",
                "Write sites as https://course.example or https://*.school.example, with spaces between them.",
            )
    return sites


def keep_in_frames(scope: Scope, asked: Headers, sent: MutableHeaders) -> None:
    """Set the cookies of an answer so that a browser keeps them in a frame: apart for each site around it.

    A browser takes such cookies only over https, or from its own machine. Only there does it send `Sec-Fetch-Dest`, so
    this header tells of TLS too, where a proxy does it and does not say so.
    """
    if not frames() or not (scope["scheme"] == "https" or "sec-fetch-dest" in asked):
        return
    cookies = sent.getlist("set-cookie")
    del sent["set-cookie"]
    for cookie in cookies:  # that of a visitor, and Streamlit's for uploads
        plain = cookie.replace("; Secure", "")
        sent.append("set-cookie", plain.replace("SameSite=Lax", "SameSite=None; Secure; Partitioned"))
