"""The entry point of the app: it starts the server, and in each run of a page it chooses the page.

`streamlit run app.py` imports this file and serves the ASGI application `app`. The application then runs this file
again as its script, once for each run of a page. Only such a run has a run context, which tells the two apart.
"""

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tokviz.ui.classroom.socket import class_socket
from tokviz.ui.frame import shell
from tokviz.ui.kit import served
from tokviz.ui.learn.socket import learn_socket
from tokviz.ui.replay.socket import replay_socket
from tokviz.ui.server import watch
from tokviz.ui.server.doors import doors
from tokviz.ui.server.start import running
from tokviz.ui.tokens.socket import live_socket
from tokviz.ui.train.socket import train_socket
from tokviz.ui.vocabulary.socket import vocabulary_socket
from tokviz.ui.warm import prepare

if get_script_run_ctx(suppress_warning=True) is None:
    prepare()
    app = st.App(
        __file__,
        middleware=[*doors(), Middleware(watch.Watched)],
        lifespan=running,
        routes=[
            *served.ROUTES,
            *watch.ROUTES,
            WebSocketRoute("/tokviz/live", live_socket),
            WebSocketRoute("/tokviz/learn", learn_socket),
            WebSocketRoute("/tokviz/replay", replay_socket),
            WebSocketRoute("/tokviz/train", train_socket),
            WebSocketRoute("/tokviz/vocabulary", vocabulary_socket),
            WebSocketRoute("/tokviz/class", class_socket),
        ],
        on_script_error=shell.on_error,
    )
else:
    shell.run()
