"""The entry point of the app: it starts the server, and in each run of a page it chooses the page.

`streamlit run app.py` imports this file and serves the ASGI application `app`. The application then runs this file
again as its script, once for each run of a page. Only such a run has a run context, which tells the two apart.
"""

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tokviz.base.errors import SettingError

try:
    from tokviz.ui.server.registry import VISITORS as _VISITORS  # noqa: F401 (its module reads the environment)
except SettingError as fault:  # the terminal shows one line, and no traceback
    raise SystemExit(f"tokviz does not start: {fault}") from None

from tokviz.ui.classroom.socket import class_socket
from tokviz.ui.compare import questions as _compare  # noqa: F401 (they can be asked once they are imported)
from tokviz.ui.frame import shell
from tokviz.ui.kit import served
from tokviz.ui.learn import questions as _learn  # noqa: F401 (they can be asked once they are imported)
from tokviz.ui.replay import questions as _replay  # noqa: F401 (they can be asked once they are imported)
from tokviz.ui.server import pages
from tokviz.ui.server.ask import ask_socket
from tokviz.ui.server.below import base_path
from tokviz.ui.server.doors import Doors
from tokviz.ui.server.headers import frames
from tokviz.ui.server.readable import Readable
from tokviz.ui.server.start import running
from tokviz.ui.server.uploads import Uploads
from tokviz.ui.tokenview import questions as _tokens  # noqa: F401 (they can be asked once they are imported)
from tokviz.ui.tokenview.socket import live_socket
from tokviz.ui.train import questions as _train  # noqa: F401 (they can be asked once they are imported)
from tokviz.ui.vocabulary import questions as _vocabulary  # noqa: F401 (they can be asked once they are imported)
from tokviz.ui.warm import prepare

if get_script_run_ctx(suppress_warning=True) is None:
    try:
        path, _ = base_path(), frames()
        prepare()
    except SettingError as fault:
        raise SystemExit(f"tokviz does not start: {fault}") from None
    app = st.App(
        __file__,
        middleware=[
            Middleware(Doors, home=shell.PAGES[0].path, pages=[page.path for page in shell.PAGES[1:]], path=path),
            Middleware(Uploads),
            Middleware(Readable),
        ],
        lifespan=running,
        routes=[
            *served.ROUTES,
            *pages.ROUTES,
            WebSocketRoute("/tokviz/live", live_socket),
            WebSocketRoute("/tokviz/ask", ask_socket),
            WebSocketRoute("/tokviz/class", class_socket),
        ],
        on_script_error=shell.on_error,
    )
else:
    shell.run()
