"""The server, and in each run of a page the router.

`streamlit run app.py` finds `app` below, an ASGI application, and serves it. That application's script is this same
file; when it runs as a script it has a run context and does the other half.
"""

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tokviz.ui.frame import shell
from tokviz.ui.replay.socket import asking
from tokviz.ui.sockets.live import live
from tokviz.ui.visitors.cookie import VisitorCookie
from tokviz.ui.visitors.registry import VISITORS
from tokviz.ui.warm import prepare

if get_script_run_ctx(suppress_warning=True) is None:
    prepare()
    app = st.App(
        __file__,
        middleware=[Middleware(VisitorCookie, current=VISITORS.current)],
        routes=[WebSocketRoute("/tokviz/live", live), WebSocketRoute("/tokviz/replay", asking)],
        on_script_error=shell.on_error,
    )
else:
    shell.run()
