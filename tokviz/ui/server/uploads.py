"""Uploads: only into a session of one's own, and only as many bytes as there is room for."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tokviz.ui.server.cookie import who
from tokviz.ui.server.gate import UPLOAD
from tokviz.ui.server.raw_uploads import RAW_UPLOADS, RawUploads
from tokviz.ui.server.words import line

NOT_YOURS = "This page is no longer connected. Load it again."


class TooMuch(Exception):
    """More bytes came than there is room for."""


class Uploads:
    """ASGI middleware for Streamlit's uploads. Who is refused is refused before the file is read, if its length is
    said, and else as soon as there is no more room."""

    def __init__(self, app: ASGIApp, uploads: RawUploads = RAW_UPLOADS) -> None:
        self.app, self.uploads = app, uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(UPLOAD):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        session, _, file = scope["path"][len(UPLOAD) :].partition("/")
        owner = self.uploads.owner(session)
        if owner is None or owner != (who(scope)[0] or session):
            await line(403, NOT_YOURS)(scope, receive, send)
        elif scope["method"] != "PUT":
            await self.app(scope, receive, send)
        else:
            said = headers.get("content-length", "0")
            await self._take(session, file, int(said) if said.isdecimal() else 0, scope, receive, send)

    async def _take(self, session: str, file: str, said: int, scope: Scope, receive: Receive, send: Send) -> None:
        with self.uploads.coming(session, file) as count:
            refused = count(said)
            if refused:
                await self._refuse(session, refused, scope, receive, send)
                return
            came, begun = 0, False

            async def counted() -> Message:
                nonlocal came, refused
                message = await receive()
                came += len(message.get("body", b""))
                if came > said:  # only where the length was not said
                    refused = count(came)
                    if refused:
                        raise TooMuch
                return message

            async def watched(message: Message) -> None:
                nonlocal begun
                begun = True
                await send(message)

            try:
                await self.app(scope, counted, watched)
            except TooMuch:
                if not begun:
                    await self._refuse(session, refused, scope, receive, send)

    async def _refuse(self, session: str, why: str, scope: Scope, receive: Receive, send: Send) -> None:
        await line(413, why)(scope, receive, send)
        self.uploads.refuse(session, why)
