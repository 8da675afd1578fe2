"""Uploaded files as Streamlit keeps them in memory: whose they are, how many bytes, and which nobody uses.

Streamlit takes any file that comes for a session, whether a page asked for it or not, and keeps it until the session
ends. Here it is counted, and what no page uses goes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from tokviz.ui.server import limits
from tokviz.ui.server.cookie import key_in

SMALLEST = 10_000  # bytes that a file counts at least, because the record of it takes some
UNUSED_S = 600  # after which a file that no page uses goes, in seconds: the page may still wait for its other files
IN_NEED_S = 60  # the same where there is no room


class RawUploads:
    """The uploads of a server. files: what keeps them. owner: gives who a session belongs to, None if there is none.
    run_again: has the page of a session run, so that it can say what was refused.

    Who a session belongs to is the key of a visitor, or the session itself if the browser takes no cookie.
    """

    def __init__(
        self,
        files: Callable[[], MemoryUploadedFileManager],
        owner: Callable[[str], str | None],
        now: Callable[[], float] = time.monotonic,
        run_again: Callable[[str], None] = lambda session: None,
    ) -> None:
        self.files, self.owner, self._now, self._run_again = files, owner, now, run_again
        self._lock = threading.Lock()
        self._came: dict[tuple[str, str], float] = {}  # (session, file) -> when
        self._used: dict[str, frozenset[str]] = {}  # session -> the files that its page used in its last run
        self._refused: dict[str, str] = {}  # session -> why its last file was refused
        self._said: dict[str, str] = {}  # session -> the uploader under which that is said
        self._coming: dict[object, tuple[str, int]] = {}  # what is on its way -> whose it is, and its bytes

    @contextmanager
    def coming(self, session: str, file: str) -> Iterator[Callable[[int], str]]:
        """Count a file that is on its way. Gives a function that gets its bytes so far, and says why it is too much."""
        whose, here = self.owner(session) or session, object()
        with self._lock:
            if self._said.pop(session, None):  # a new try: files that were chosen together came before it was said
                self._refused.pop(session, None)

        def count(n_bytes: int) -> str:
            with self._lock:
                self._coming[here] = whose, max(n_bytes, SMALLEST)
                full = self._full(whose)
                if full:
                    self._drop_unused(IN_NEED_S)
                    full = self._full(whose)
                return full

        try:
            yield count
        finally:
            with self._lock:
                self._coming.pop(here, None)
                if file in self.files().file_storage.get(session, ()):  # else nothing of it may stay
                    self._came[session, file] = self._now()

    def refuse(self, session: str, why: str) -> None:
        """A file of this session was refused, which its page now says."""
        with self._lock:
            self._refused = {one: words for one, words in self._refused.items() if self.owner(one)} | {session: why}
            self._said = {one: uploader for one, uploader in self._said.items() if one in self._refused}
        self._run_again(session)

    def why_refused(self, session: str, uploader: str) -> str:
        """Why the last file of this session was refused; "" if it was not, or if another uploader says so.

        It is said until the next file comes, because the page runs again for each file that was chosen with it.
        """
        with self._lock:
            why = self._refused.get(session, "")
            return why if why and self._said.setdefault(session, uploader) == uploader else ""

    def used(self, session: str, files: Iterable[str]) -> None:
        """The page of this session has run, and used these files."""
        with self._lock:
            self._used[session] = frozenset(files)
            self._drop_unused(UNUSED_S)

    @property
    def n_bytes(self) -> int:
        """Bytes of all uploads."""
        with self._lock:
            return sum(self._held().values())

    def _held(self) -> dict[str, int]:
        """Whose uploads have how many bytes, those on their way too."""
        held: dict[str, int] = {}
        for session, files in [*self.files().file_storage.items()]:
            whose = self.owner(session) or session
            held[whose] = held.get(whose, 0) + sum(map(_n_bytes, [*files.values()]))
        for whose, n_bytes in self._coming.values():
            held[whose] = held.get(whose, 0) + n_bytes
        return held

    def _full(self, whose: str) -> str:
        held = self._held()
        if held.get(whose, 0) > limits.UPLOADS_A_VISITOR_MB * limits.MB:
            most = f"One visitor can upload {limits.UPLOADS_A_VISITOR_MB:,} MB at a time."
            return f"{most} Remove some files, or use a shorter one."
        if sum(held.values()) > limits.UPLOADS_MB * limits.MB:
            return "The server has no room for more uploads now. Try again later."
        return ""

    def _drop_unused(self, after_s: float) -> None:
        files, now = self.files(), self._now()
        there = {(session, file) for session, held in [*files.file_storage.items()] for file in [*held]}
        self._came = {place: when for place, when in self._came.items() if place in there}
        self._used = {session: used for session, used in self._used.items() if any(session == one for one, _ in there)}
        for session, file in there:
            if file not in self._used.get(session, ()) and now - self._came.setdefault((session, file), now) > after_s:
                files.remove_file(session, file)


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


def _run_again(session: str) -> None:
    there = runtime.get_instance().get_app_session(session)
    state = getattr(there, "_client_state", None)  # as Streamlit itself does it when the source of a page has changed
    if there and state:
        there.request_rerun(state)


RAW_UPLOADS = RawUploads(_files, _owner, run_again=_run_again)


def why_refused(uploader: str) -> str:
    """Why the last file that this page sent was refused; "" if it was not, or if another uploader says so."""
    context = get_script_run_ctx()
    return RAW_UPLOADS.why_refused(context.session_id, uploader) if context else ""


def drop_unused_uploads() -> None:
    """A page has run: of the uploads of its session, those that it does not use go after a while."""
    context = get_script_run_ctx()
    if context is None or not isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        return
    if (
        context.uploaded_file_mgr is runtime.get_instance().uploaded_file_mgr
        and context.session_id in context.uploaded_file_mgr.file_storage
    ):
        values = (value if isinstance(value, list) else [value] for value in [*st.session_state.values()])
        RAW_UPLOADS.used(
            context.session_id, [one.file_id for many in values for one in many if isinstance(one, UploadedFile)]
        )
