"""What stands in each page itself, before Streamlit draws in it: a layer of plain ASGI writes it there.

- The script `watch.js` says what Streamlit's own scripts cannot say. They say nothing of use when one of them was not
  loaded, and when the server is gone they cover the page with a dialog.
- The style `frame/page.css`. Streamlit would send it again with each run. It is in the body, after Streamlit's own.
- Links to what each component needs, so that it is there when Streamlit asks for it.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokviz.ui.kit import served
from tokviz.ui.server.machine import address_for_others

_SCRIPT = Path(__file__).with_name("watch.js").read_text("utf-8")
_WATCH = '<script src="./tokviz/watch.js"></script>'
_STARTED = secrets.token_hex(8)  # another one each time that the server starts
_NEVER_KEPT = {"cache-control": "no-store"}


def _script(request: Request) -> Response:
    script = _SCRIPT.replace("{started}", _STARTED).replace("{address}", address_for_others(request.url.hostname or ""))
    return Response(script, media_type="text/javascript", headers=_NEVER_KEPT)


def _started(_: Request) -> Response:
    return Response(_STARTED, media_type="text/plain", headers=_NEVER_KEPT)


ROUTES = [Route("/tokviz/watch.js", _script), Route("/tokviz/started", _started)]


class Watched:
    """ASGI middleware that writes the script into each page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            await self.app(scope, receive, send)
            return
        start: Message = {}
        parts: list[bytes] = []

        async def send_with_script(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif message["type"] == "http.response.body" and start:
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    page = _written_into(b"".join(parts))
                    MutableHeaders(scope=start)["content-length"] = str(len(page))
                    await send(start)
                    await send({"type": "http.response.body", "body": page})
            else:
                await send(message)

        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        await self.app({**scope, "headers": plain}, receive, send_with_script)


def _written_into(page: bytes) -> bytes:
    ahead = "".join(f'<link rel="modulepreload" href="./{served.address(place)}">' for place in served.OF_ALL)
    style = f'<link rel="stylesheet" href="./{served.address("frame/page.css")}">'
    for tag, what in (("<head>", _WATCH + ahead), ("<body>", style)):
        page = page.replace(tag.encode(), (tag + what).encode(), 1)
    return page


def _is_page(answer: Message) -> bool:
    return answer["status"] == 200 and Headers(raw=answer["headers"]).get("content-type", "").startswith("text/html")
