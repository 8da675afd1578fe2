"""Headers on every answer: what a browser may do with a page of this server, and other sites may not."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.types import Scope
from streamlit import file_util

from tokviz.ui.server.frames import frames
from tokviz.ui.server.hosts import host_in
from tokviz.ui.server.machine import means_this_machine

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
