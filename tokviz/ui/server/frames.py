"""Which pages of other sites may show tokviz in a frame: none, unless TOKVIZ_FRAMES names their sites."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Scope

from tokviz.base.errors import SettingError
from tokviz.ui.server.machine import means_this_machine

_SITE = re.compile(r"https?://(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?")


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
