"""Work that takes a while runs in its own thread, which goes on when the page is left, reloaded or closed.

A visitor has one piece of work at a time in each place of a page. All pieces of all visitors wait for their turns in
the line of the server; see line.py. The thread hands the result to the visitor.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Generator, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tokviz import kernels
from tokviz.base.errors import SettingError, TokvizError
from tokviz.ui.server.line import LINE, Turn
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.sizes import size
from tokviz.ui.server.turns import TURNS
from tokviz.ui.server.visitor import Visitor

AT_ONCE_S = 0.3  # how long a page waits for small work before it shows progress
LOOKS_S = 1.0  # how often waiting work checks whether its visitor is still here
SMALL = 4_000_000  # bytes that a piece may read beside others, and without being asked how much room there is

_log = logging.getLogger(__name__)


@dataclass(eq=False, kw_only=True)
class Work(ABC):
    """A piece of work: its progress, and how it ended.

    needs_kernels: whether it begins only when all kernels are compiled.
    place: the part of a page that started the work. about: what the work is about, if a place can ask for different
    things. reads: the texts or the training of which it makes tables, up to 50 times as large, that it keeps between
    its turns. so_far, in_all: progress of the present stage, in units of that stage. turn: in the line; None before the
    start. begun: time.monotonic() at its first turn; None before that. since: time.monotonic() at the start of the
    present stage. error: an error to show to the visitor. failed: whether a bug ended the work.
    """

    needs_kernels: ClassVar[bool] = True
    place: str
    about: Hashable = None
    reads: Sequence[Any] = ()
    so_far: int = 0
    in_all: int = 0
    turn: Turn | None = None
    begun: float | None = None
    since: float | None = None
    error: TokvizError | None = None
    failed: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    @abstractmethod
    def slices(self) -> Generator[None]:
        """Do the work in slices, with a yield after each. End soon after `stop` is set.

        Between two slices the work may wait for its next turn.
        """

    def finish(self, visitor: Visitor) -> None:  # noqa: B027 (some work hands over its results in slices)
        """Hand the result to the visitor."""

    def let_go(self) -> None:  # noqa: B027 (some work holds nothing)
        """Let everything go that only the slices need. The page keeps the work when it is over."""

    def cancel(self) -> None:
        """Stop the work after its present slice. Work that waits for its turn leaves the line."""
        if not self.over:
            self.stop.set()
            if self.turn:
                LINE.give_up(self.turn)

    def done_soon(self) -> bool:
        """Wait for small work, but only so long that nobody misses its progress. Whether it is done."""
        with TURNS.waiting():
            return self.done.wait(AT_ONCE_S)

    @property
    def before(self) -> int:
        """How many pieces of work, of whomever, run or wait before this one; 0 if it has its turn."""
        return LINE.before(self.turn) if self.turn else 0

    @property
    @abstractmethod
    def doing(self) -> str:
        """What the work is doing now, in a few words for the page."""

    @property
    def over(self) -> bool:
        """Whether it has ended: done, cancelled or failed."""
        return self.done.is_set()

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that its result takes, as long as the visitor does not have it."""
        return 0

    @property
    def ended_badly(self) -> bool:
        """Whether it ended by a cancel, a bug or an error."""
        return self.over and (self.stop.is_set() or self.failed or self.error is not None)

    @property
    def share(self) -> float:
        """The share of the present stage that is done, from 0 to 1."""
        return min(self.so_far / self.in_all, 1.0) if self.in_all else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The estimated rest of the present stage, in seconds; None before anything of it is done."""
        if self.since is None or not self.so_far:
            return None
        return (time.monotonic() - self.since) * (self.in_all - self.so_far) / self.so_far


def start(visitor: Visitor, work: Work) -> None:
    """Do the work in a new thread. Work under way in the same place is cancelled first.

    If there is no memory for what the work holds, or the line is full, raises SettingError. Nothing has changed then.
    """
    _check_memory(visitor, work)
    whose = weakref.ref(visitor)
    with visitor.lock:
        last = of(visitor, work.place)
        work.turn = LINE.join(whose, large=size(*work.reads) > SMALL, instead_of=last.turn if last else None)
        cancel(visitor, work.place)
        visitor.works = {**visitor.works, work.place: work}
    try:
        threading.Thread(target=_run, args=(work, work.turn, whose), daemon=True).start()
    except RuntimeError:  # the system gives no more threads
        work.error = SettingError("The server could not begin this work.", "Try again in a minute.")
        _end(work, work.turn)


def _check_memory(visitor: Visitor, work: Work) -> None:
    """SettingError if the visitor or the server cannot keep what this work reads."""
    there = {id(thing) for thing in (*visitor.corpus, *(mine.training for mine in visitor.trained))}
    more = size(*(thing for thing in work.reads if id(thing) not in there))
    why = VISITORS.why_no_room(visitor, more) if more > SMALL else ""  # the length of the line bounds what is small
    if why:
        raise SettingError("There is not enough memory for this work.", why)


def of(visitor: Visitor, place: str) -> Work | None:
    """The visitor's current or last work in this place; None if there is none."""
    work: Work | None = visitor.works.get(place)
    return work


def cancel(visitor: Visitor, place: str) -> None:
    """Cancel the work in this place."""
    work = of(visitor, place)
    if work:
        work.cancel()


def forget(visitor: Visitor, place: str) -> None:
    """Cancel the work in this place, and drop it."""
    with visitor.lock:
        cancel(visitor, place)
        visitor.works = {there: work for there, work in visitor.works.items() if there != place}


def _run(work: Work, turn: Turn, visitor_ref: weakref.ref[Visitor]) -> None:
    try:
        LINE.works_here(turn)
        _wait(turn, visitor_ref)
        if not work.stop.is_set():
            work.begun = time.monotonic()
        # On the first start on a machine the kernels are still being compiled. Cancel works meanwhile.
        while work.needs_kernels and not work.stop.is_set() and not kernels.wait(0.1):
            pass
        if work.stop.is_set() or visitor_ref() is None:  # before anything was done
            return
        work.since = time.monotonic()
        with contextlib.closing(work.slices()) as slices:
            for _ in slices:
                LINE.give_way(turn)
                _wait(turn, visitor_ref)
                if visitor_ref() is None:  # the server has forgotten the visitor, so nobody will see the result
                    return
        visitor = visitor_ref()
        if visitor:
            work.finish(visitor)
    except TokvizError as error:
        work.error = error.without_frames()
    except Exception:
        _log.exception("work in %r failed", work.place)
        work.failed = True
    finally:
        _end(work, turn)


def _end(work: Work, turn: Turn) -> None:
    """Whatever happens here, the line goes on: a turn that never ends would stop everybody's work."""
    try:
        work.reads = ()
        work.let_go()
    finally:
        LINE.end(turn)
        work.done.set()


def _wait(turn: Turn, visitor_ref: weakref.ref[Visitor]) -> None:
    """Wait until the turn comes. It comes at once to cancelled work, because little of it is left."""
    while not turn.come.wait(LOOKS_S) and visitor_ref() is not None:
        pass
