"""Uploads: only into a session of one's own, and only as many bytes as there is room for.

Streamlit takes any file that comes for a session, whether a page asked for it or not, and keeps it until the session
ends. Here each is counted before it is read. A page that uses a file takes it out at once (frame/uploads.py). What is
old is of no use to anybody or cannot be read, and goes where there is no room.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tokviz.ui.server import limits
from tokviz.ui.server.cookie import key_in, who
from tokviz.ui.server.gate import UPLOAD
from tokviz.ui.server.words import sentence

SMALLEST = 10_000  # bytes that a file counts at least, because the record of it takes some
READ_S = 60  # in which a page takes a file out, in seconds: it may still wait for its other files
NOT_YOURS = "This page is no longer connected. Load it again."
NO_LENGTH = "Say how long the file is."
TOO_MUCH = "One visitor can upload {most:,} MB at a time. Remove some files, or use a shorter one."
FULL = "The server has no room for more uploads now. Try again later."


def _files() -> MemoryUploadedFileManager:
    return cast(MemoryUploadedFileManager, runtime.get_instance().uploaded_file_mgr)


def _owner(session: str) -> str | None:
    """The key of the visitor whose session this is, or the session itself if the browser takes no cookie. None if there
    is no such session."""
    client = runtime.get_instance().get_client(session)
    came_with = client.client_context if client else None
    return key_in(came_with.cookies) or session if came_with else None


class Uploads:
    """ASGI middleware for Streamlit's uploads. Who is refused is refused before the file is read.

    A file has to say its length, as every browser does; the server below reads no more than that.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._came: dict[tuple[str, str], float] = {}  # (session, file) -> when, of those that are here
        self._coming = Counter[str]()  # bytes of what is on its way, by whose it is

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or UPLOAD not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session, _, file = scope["path"].partition(UPLOAD)[2].partition("/")
        owner, said = _owner(session), Headers(scope=scope).get("content-length", "")
        if owner is None or owner != (who(scope)[0] or session):
            await sentence(403, NOT_YOURS)(scope, receive, send)
        elif scope["method"] != "PUT":
            await self.app(scope, receive, send)
        elif not said.isdecimal():
            await sentence(411, NO_LENGTH)(scope, receive, send)
        else:
            n_bytes = max(int(said), SMALLEST)
            self._coming[owner] += n_bytes
            try:
                full = self._full(owner)
                await (sentence(413, full) if full else self.app)(scope, receive, send)
            finally:
                self._coming -= Counter({owner: n_bytes})
                came = {(session, file): time.monotonic(), **self._came}
                there = _files().file_storage
                self._came = {place: when for place, when in came.items() if place[1] in there.get(place[0], ())}

    def _full(self, owner: str) -> str:
        """Why what is here and on its way is too much, "" if it is not. If need be, old files go."""
        for oldest in (0.0, time.monotonic() - READ_S):
            for place in [place for place, came in self._came.items() if came < oldest]:
                _files().remove_file(*place)
            held = self.held()
            too_much = held[owner] > limits.UPLOADS_A_VISITOR_MB * limits.MB
            if not too_much and held.total() <= limits.UPLOADS_MB * limits.MB:
                return ""
        return TOO_MUCH.format(most=limits.UPLOADS_A_VISITOR_MB) if too_much else FULL

    def held(self) -> Counter[str]:
        """The bytes of uploads, those on their way too, by whose they are."""
        held = self._coming.copy()
        for session, files in [*_files().file_storage.items()]:
            held[_owner(session) or session] += sum(map(_n_bytes, [*files.values()]))
        return held


def _n_bytes(file: UploadedFileRec) -> int:
    return max(len(file.data), len(file.name) + len(file.file_id), SMALLEST)
