"""Uploads: only into a session of one's own, and only as many bytes as there is room for.

Streamlit takes any file that comes for a session, whether a page asked for it or not, and keeps it until the session
ends. Here each is counted before it is read. A page that uses a file takes it out at once (frame/uploads.py). What is
old is of no use to anybody or cannot be read, and goes where there is no room.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tokviz.ui.server import limits
from tokviz.ui.server.cookie import key_in, who
from tokviz.ui.server.gate import UPLOAD
from tokviz.ui.server.words import line

SMALLEST = 10_000  # bytes that a file counts at least, because the record of it takes some
READ_S = 60  # in which a page takes a file out, in seconds: it may still wait for its other files
NOT_YOURS = "This page is no longer connected. Load it again."
NO_LENGTH = "Say how long the file is."
TOO_MUCH = "One visitor can upload {most:,} MB at a time. Remove some files, or use a shorter one."
FULL = "The server has no room for more uploads now. Try again later."


class RawUploads:
    """The uploads of a server. files: what keeps them. owner: gives who a session belongs to, None if there is none.

    Who a session belongs to is the key of a visitor, or the session itself if the browser takes no cookie.
    """

    def __init__(
        self,
        files: Callable[[], MemoryUploadedFileManager],
        owner: Callable[[str], str | None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.files, self.owner, self._now = files, owner, now
        self._lock = threading.Lock()
        self._came: dict[tuple[str, str], float] = {}  # (session, file) -> when, of those that are here
        self._coming: dict[object, tuple[str, int]] = {}  # what is on its way -> whose it is, and its bytes

    @contextmanager
    def coming(self, session: str, file: str, n_bytes: int) -> Iterator[str]:
        """Count a file for as long as it is on its way; gives why it is too much, "" if it is not."""
        whose, here = self.owner(session) or session, object()
        with self._lock:
            self._coming[here] = whose, max(n_bytes, SMALLEST)
            if self._full(whose):
                self._drop_old()
            full = self._full(whose)
        try:
            yield full
        finally:
            with self._lock:
                self._coming.pop(here)
                there = self.files().file_storage
                came = {(session, file): self._now(), **self._came}
                self._came = {place: when for place, when in came.items() if place[1] in there.get(place[0], ())}

    @property
    def n_bytes(self) -> int:
        """Bytes of all uploads."""
        with self._lock:
            return self._held().total()

    def _held(self) -> Counter[str]:
        """Whose uploads have how many bytes, those on their way too."""
        held = Counter[str]()
        for session, files in [*self.files().file_storage.items()]:
            held[self.owner(session) or session] += sum(map(_n_bytes, [*files.values()]))
        for whose, n_bytes in self._coming.values():
            held[whose] += n_bytes
        return held

    def _full(self, whose: str) -> str:
        held = self._held()
        if held[whose] > limits.UPLOADS_A_VISITOR_MB * limits.MB:
            return TOO_MUCH.format(most=limits.UPLOADS_A_VISITOR_MB)
        return FULL if held.total() > limits.UPLOADS_MB * limits.MB else ""

    def _drop_old(self) -> None:
        oldest = self._now() - READ_S
        for session, file in [place for place, came in self._came.items() if came < oldest]:
            self.files().remove_file(session, file)


class Uploads:
    """ASGI middleware for Streamlit's uploads. Who is refused is refused before the file is read.

    A file has to say its length, as every browser does; the server below reads no more than that.
    """

    def __init__(self, app: ASGIApp, uploads: RawUploads | None = None) -> None:
        self.app, self.uploads = app, uploads or RAW_UPLOADS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or UPLOAD not in scope["path"]:
            await self.app(scope, receive, send)
            return
        session, _, file = scope["path"].partition(UPLOAD)[2].partition("/")
        owner, said = self.uploads.owner(session), Headers(scope=scope).get("content-length", "")
        if owner is None or owner != (who(scope)[0] or session):
            await line(403, NOT_YOURS)(scope, receive, send)
        elif scope["method"] != "PUT":
            await self.app(scope, receive, send)
        elif not said.isdecimal():
            await line(411, NO_LENGTH)(scope, receive, send)
        else:
            with self.uploads.coming(session, file, int(said)) as refused:
                await (line(413, refused) if refused else self.app)(scope, receive, send)


def _n_bytes(file: UploadedFileRec) -> int:
    return max(len(file.data), len(file.name) + len(file.file_id), SMALLEST)


def _files() -> MemoryUploadedFileManager:
    files = runtime.get_instance().uploaded_file_mgr
    if not isinstance(files, MemoryUploadedFileManager):
        raise TypeError(f"{files!r} is not what Streamlit keeps uploads in")
    return files


def _owner(session: str) -> str | None:
    client = runtime.get_instance().get_client(session)
    came_with = client.client_context if client else None
    return key_in(came_with.cookies) or session if came_with else None


RAW_UPLOADS = RawUploads(_files, _owner)
