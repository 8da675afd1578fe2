"""The doors of the server: what each request passes on its way in, and each answer on its way out."""

from __future__ import annotations

import streamlit as st
from starlette.middleware import Middleware

from tokviz.base.errors import SettingError
from tokviz.ui.server.cookie import VisitorCookie
from tokviz.ui.server.counted import CountedSockets
from tokviz.ui.server.gate import Gate
from tokviz.ui.server.headers import Headers
from tokviz.ui.server.packed import Packed
from tokviz.ui.server.readable import Readable
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.uploads import Uploads


def doors() -> list[Middleware]:
    """The layers around the app. The first is the outermost.

    SettingError if the server is told to serve the app below a path: the doors and the sockets are known by theirs.
    """
    below = st.get_option("server.baseUrlPath")
    if below:
        raise SettingError(
            f"tokviz cannot be served below a path, and server.baseUrlPath is {below!r}.",
            "Unset it, and give tokviz a host name or a port of its own.",
        )
    return [
        Middleware(Headers),
        Middleware(Gate),
        Middleware(CountedSockets),
        Middleware(Uploads),
        Middleware(VisitorCookie, current=VISITORS.current),
        Middleware(Readable),
        Middleware(Packed),
    ]
