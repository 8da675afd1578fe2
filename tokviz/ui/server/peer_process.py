"""Has the packages of peers work in a process of their own, whose time and memory are limited.

The process starts when it is first needed, and works on one request after the other. If it dies, it is started again; a
tokenizer that it does not know is sent to it anew. See tokviz/formats/peer_packages.py, which it runs.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tokviz
from tokviz.base import bounds
from tokviz.base.errors import FormatError, InputError, SettingError
from tokviz.formats import peer_packages
from tokviz.formats.peer_packages import SENTENCE_PIECE, Facts, Message, PackageCut, receive, send, unpacked
from tokviz.ui.server import limits
from tokviz.ui.server.line import resting

PROGRAM = [sys.executable, "-P", peer_packages.__file__]  # -P: the modules beside the file have names of packages
ROOT = str(Path(tokviz.__file__).parents[1])
SOON_S = 0.05  # for so long a page or a piece of work keeps its turn while it waits
START_S = 60.0  # in which the process has to have started
REST_S = 60.0  # for so long nothing is asked again that was stopped
LOOK_S = 0.1  # how often the time of a request is looked at
NO_MEMORY = (peer_packages.OUT_OF_MEMORY, -signal.SIGABRT)  # how the process ends


def opened(how: str, name: str, data: bytes) -> tuple[Facts, Foreign]:
    """Do what `tokviz.formats.peer_packages.opened` does, in the server's process for peers.

    InputError if the file takes too much time or memory.
    """
    package = Foreign(how, name, data, f"{how} {hashlib.sha256(data).hexdigest()}")
    header, parts = WORKER.ask(package, {"do": "read", "facts": True}, data)
    return header["facts"] | {"vocab": unpacked(parts)}, package


@dataclass(frozen=True, eq=False, slots=True)
class Foreign:
    """A tokenizer of a package, in the server's process for peers.

    how, name, data: the file from which it can be loaded again; see `opened`.
    key: by which the process knows it; the same for all visitors who have the same file.
    """

    how: str
    name: str
    data: bytes
    key: str

    @property
    def of(self) -> str:
        """The name of the package."""
        return "sentencepiece" if self.how == SENTENCE_PIECE else "tokenizers"

    def cut(self, text: str, specials: bool) -> PackageCut:
        """As `tokviz.tokenizer.peers.Package` says. InputError if it takes too much time or memory; so in all three."""
        _, parts = WORKER.ask(self, {"do": "cut", "specials": specials}, text.encode())
        ids, places, words = (np.frombuffer(part, np.int32) for part in parts)
        pairs: Sequence[tuple[int, int]] = places.reshape(-1, 2)  # type: ignore[assignment]
        return ids.tolist(), pairs, [None if word < 0 else word for word in words.tolist()]

    def normalized(self, text: str) -> str:
        """The text that `cut` cuts."""
        return WORKER.ask(self, {"do": "normalized"}, text.encode())[1][0].decode()

    def decode(self, ids: list[int]) -> str:
        """The text of ids."""
        return WORKER.ask(self, {"do": "decode"}, np.array(ids, np.int32).tobytes())[1][0].decode()


@dataclass(eq=False)
class _Request:
    """A request in line.

    until: when the process has to have answered; None as long as the request waits, and once it is over.
    slow: whether it was stopped, because it took too long.
    answer: that of the process, or the error in its place.
    """

    package: Foreign
    header: dict[str, Any]
    part: bytes
    until: float | None = None
    slow: bool = False
    answer: Message | BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def question(self) -> tuple[Any, ...]:
        """Equal for requests that have the same answer."""
        said = self.header
        return self.package.key, said["do"], said.get("specials"), hashlib.sha256(self.part).digest()


class _Ended(Exception):
    """The process ended instead of answering."""


class Worker:
    """The process, and the line of those who wait for it.

    A thread of its own starts the process and talks with it: on Linux the process ends with the thread that started it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal ends it, in whatever thread is interrupted
        self._line: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._sent = 0  # files, to the present process
        self._stopped: dict[tuple[Any, ...], tuple[float, InputError]] = {}  # question -> until when it is not asked
        self._thread: threading.Thread | None = None
        self._over = False
        atexit.register(self.end)

    def ask(self, package: Foreign, header: dict[str, Any], part: bytes) -> Message:
        """The answer to a request, when its turn has come; see `tokviz.formats.peer_packages` for what it says.

        Meanwhile other pages are drawn, and other work runs. FormatError if the package refuses, InputError if it takes
        too much time or memory, SettingError if the server ends or cannot start the process.
        """
        request = _Request(package, header, part)
        with self._lock:
            if not self._thread:
                self._thread = threading.Thread(target=self._work, name="peers", daemon=True)
                self._thread.start()
        self._line.put(request)
        if not request.done.wait(SOON_S):
            with resting():
                while not request.done.wait(LOOK_S):
                    self._stop_if_slow(request)
        if isinstance(request.answer, BaseException):
            raise request.answer
        if not request.answer:
            raise SettingError("The server is ending.", "Try again in a minute.")
        header, parts = request.answer
        if fault := header.get("fault"):
            raise FormatError(*fault)
        return header, parts

    def end(self) -> None:
        """Stop the process, for good. All who wait for it get an error."""
        with self._lock:
            self._over = True
            if self._process:
                self._process.kill()

    @property
    def pid(self) -> int | None:
        """The id of the process; None before the first request."""
        return self._process.pid if self._process else None

    def _stop_if_slow(self, request: _Request) -> None:
        with self._lock:
            if request.until and self._process and time.monotonic() > request.until:
                request.slow = True
                self._process.kill()

    def _work(self) -> None:
        while True:
            request = self._line.get()
            try:
                request.answer = self._answer(request)
            except Exception as fault:
                request.answer = fault
            with self._lock:
                request.until = None
            request.done.set()
            del request

    def _answer(self, request: _Request) -> Message:
        """What the process answers. If it dies, although the request may not be the reason, another one is asked.

        A page asks the same several times. What was stopped is not asked again for a while.
        """
        if self._stopped:
            now = time.monotonic()
            self._stopped = {question: said for question, said in self._stopped.items() if said[0] > now}
            if request.question in self._stopped:
                before = self._stopped[request.question][1]
                raise InputError(before.what, before.way_out)
        for last in (False, True):
            try:
                answer = self._exchange(request, request.header, request.part)
                if "unknown" in answer[0]:
                    again = self._exchange(request, {"do": "read", "facts": False}, request.package.data)
                    answer = again if "fault" in again[0] else self._exchange(request, request.header, request.part)
                return answer
            except _Ended:
                code = self._process.wait() if self._process else 0
                if self._over:
                    break
                no_memory = code in NO_MEMORY
                if request.slow or last or (no_memory and self._sent == 1):
                    fault = _stopped(request, no_memory)
                    self._stopped[request.question] = time.monotonic() + REST_S, fault
                    raise fault from None
        raise SettingError("The server is ending.", "Try again in a minute.")

    def _exchange(self, request: _Request, header: dict[str, Any], part: bytes) -> Message:
        """Send a message and receive its answer. The file of the tokenizer is named in it."""
        package = request.package
        if not self._process or self._process.poll() is not None:
            request.until = time.monotonic() + START_S
            self._start()
            self._heard()
        self._sent += header["do"] == "read"
        request.until = time.monotonic() + limits.FOREIGN_SECONDS
        return self._heard({**header, "key": package.key, "how": package.how, "name": package.name}, part)

    def _heard(self, header: dict[str, Any] | None = None, part: bytes = b"") -> Message:
        """What the process says next: to this message, or without one, when it has started."""
        try:
            if not self._process or not self._process.stdin or not self._process.stdout:
                raise _Ended
            if header:
                send(self._process.stdin, header, [part])
            answer = receive(self._process.stdout)
        except OSError:  # of a pipe whose other end is closed
            raise _Ended from None
        if answer is None:
            raise _Ended
        return answer

    def _start(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout) if self._process else ():
            with suppress(OSError):  # what is left in it has no reader
                if pipe:
                    pipe.close()
        paths = [ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
        numbers = (os.getpid(), limits.FOREIGN_MB, limits.FOREIGN_SECONDS, limits.FOREIGN_ANSWER_MB)
        allowed = json.dumps(asdict(bounds.now()))
        with self._lock:
            if self._over:
                raise _Ended
            try:
                self._process = subprocess.Popen(  # noqa: S603 (this interpreter, and a file of ours)
                    [*PROGRAM, *map(str, numbers), allowed],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,  # what a package prints may have words of a visitor's text
                    env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "TOKENIZERS_PARALLELISM": "false"},
                    start_new_session=True,  # so that Ctrl+C reaches the server alone
                )
            except OSError as fault:
                raise SettingError(
                    f"The server could not start the process for tokenizers of other packages: {fault.strerror}.",
                    "Try again in a minute.",
                ) from None
            self._sent = 0


def _stopped(request: _Request, no_memory: bool) -> InputError:
    """The error that says why the process was stopped, or what else happened to it."""
    package = request.package.of
    what, other = ("file", "Choose another file.") if request.header["do"] == "read" else ("text", "")
    way_out = other or "Choose a shorter text, or another tokenizer."
    if request.slow:
        took = f"took more than {limits.FOREIGN_SECONDS:g} seconds for this {what}, and was stopped"
    elif no_memory:
        took = f"needed more than {limits.FOREIGN_MB:,} MB of memory for this {what}, and was stopped"
    else:
        took = f"broke down with this {what}"
    return InputError(f"{package} {took}.", way_out)


WORKER = Worker()
