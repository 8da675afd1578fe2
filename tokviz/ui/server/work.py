"""Work that takes a while, which goes on when the page is left, reloaded or closed.

A visitor has one piece of work at a time in each place of a page. All pieces of all visitors wait for their turns in
the line of the server; see line.py. The visitor has the result with the work, or gets it by its `take`.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from tokviz import kernels
from tokviz.base.errors import SettingError, TokvizError
from tokviz.ui.server.line import LINE, resting
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Visitor

AT_ONCE_S = 0.3  # how long a page waits for small work before it shows progress
SMALL = 4_000_000  # bytes that a piece may read beside others, and without being asked how much room there is

R = TypeVar("R")

_log = logging.getLogger(__name__)


class Progress(NamedTuple):
    """How far a piece of work is. doing: in a few words. done, of: in units of what it does now.

    seconds_left: where the work knows it better than by what is done so far.
    """

    doing: str
    done: int = 0
    of: int = 0
    seconds_left: float | None = None

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return min(self.done / self.of, 1.0) if self.of else 0.0


NOTHING_YET = Progress("")
Steps = Generator[Progress, None, R]


class Cancelled(Exception):
    """Thrown into the steps of work that is cancelled. Who catches it goes on, and returns what there is soon."""


@dataclass(eq=False)
class Work(Generic[R]):
    """A piece of work: its progress, and how it ended.

    place: the part of a page that started it. about: what it is about, if a place can ask for different things. steps:
    the work itself in slices, between which it may wait; it returns the result. take: hands the result to the visitor
    when the work is done; without it, the work keeps it. reads: the texts or the training of which the steps make
    tables, up to 50 times as large, that they keep between its turns. stop: set when it is cancelled. needs_kernels:
    whether it begins only when all kernels are compiled.
    begun: time.monotonic() at its first turn, None before that. error: an error to show to the visitor. failed: whether
    a bug ended the work.
    """

    place: str
    about: Hashable
    steps: Steps[R]
    take: Callable[[Visitor, R], None] | None = None
    reads: Sequence[Any] = ()
    stop: threading.Event = field(default_factory=threading.Event)
    needs_kernels: bool = True
    progress: Progress = NOTHING_YET
    result: R | None = None
    begun: float | None = None
    error: TokvizError | None = None
    failed: bool = False
    done: threading.Event = field(default_factory=threading.Event)
    whose: weakref.ref[Visitor] | None = None
    large: bool = False
    _since: float = 0.0  # time.monotonic() when it began to do what it does now
    _told: bool = False  # that it is cancelled

    @property
    def over(self) -> bool:
        """Whether it has ended: done, cancelled or failed."""
        return self.done.is_set()

    @property
    def ended_badly(self) -> bool:
        """Whether it ended by a cancel, a bug or an error."""
        return self.over and (self.stop.is_set() or self.failed or self.error is not None)

    @property
    def before(self) -> int:
        """How many pieces of work, of whomever, run or wait before this one; 0 if it has its turn."""
        return LINE.before(self)

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that its result takes."""
        return size(self.result)

    @property
    def seconds_left(self) -> float | None:
        """The estimated rest of what it does now, in seconds; None before anything of it is done."""
        _, done, of, said = self.progress
        if said is not None or not done or self.begun is None:
            return said
        return (time.monotonic() - self._since) * (of - done) / done

    def cancel(self) -> None:
        """Stop the work after its present slice. Work that waits for its turn ends now."""
        if not self.over:
            LINE.give_up(self)

    def done_soon(self) -> bool:
        """Wait for small work, but only so long that nobody misses its progress. Whether it is done."""
        with resting():
            return self.done.wait(AT_ONCE_S)

    def hand_over(self, visitor: Visitor) -> None:
        """Give the result to the visitor, once. If that cannot be, `take` raises, and the result is still here."""
        with visitor.lock:  # two tabs may ask for it at once
            if self.take and self.result is not None:
                self.take(visitor, self.result)
                self.result = None

    def go_on(self) -> bool:
        """Do the next slice. Returns whether the work is over."""
        try:
            if self._slice():
                return False
            self.steps.close()
        except TokvizError as error:
            self.error = error.without_frames()
        except Exception:
            _log.exception("work in %r failed", self.place)
            self.failed = True
        self.steps, self.reads = _nothing(), ()  # the page keeps the work, and nothing that only the steps need
        self.done.set()
        return True

    def _slice(self) -> bool:
        """Whether there is another one."""
        visitor = self.whose() if self.whose else None
        if visitor is None or (self.stop.is_set() and self.begun is None):  # nobody will see what it makes
            return False
        since = time.monotonic()
        if self.begun is None:
            self.begun = self._since = since
        # On the first start on a machine the kernels are still being compiled. Cancel works meanwhile.
        if self.needs_kernels and not self.stop.is_set() and not kernels.wait(0.1):
            return True
        try:
            cancel = self.stop.is_set() and not self._told
            self._told |= cancel
            now = self.steps.throw(Cancelled()) if cancel else next(self.steps)
        except Cancelled:
            return False
        except StopIteration as end:
            self.result = end.value
            if not self.stop.is_set():
                self.hand_over(visitor)
            return False
        if now.of != self.progress.of or now.done < self.progress.done:
            self._since = since
        self.progress = now
        return True


def _nothing() -> Steps[Any]:
    yield from ()


def start(visitor: Visitor, work: Work[Any]) -> None:
    """Put the work into the line. Work under way in the same place is cancelled.

    If there is no memory for what the work reads, or the line is full, raises SettingError. Nothing has changed then.
    """
    there = {id(thing) for thing in (*visitor.corpus, *(mine.training for mine in visitor.trained))}
    more = size(*(thing for thing in work.reads if id(thing) not in there))
    why = VISITORS.why_no_room(visitor, more) if more > SMALL else ""  # the length of the line bounds what is small
    if why:
        raise SettingError("There is not enough memory for this work.", why)
    work.whose, work.large = weakref.ref(visitor), size(*work.reads) > SMALL
    with visitor.lock:
        last = of(visitor, work.place)
        LINE.join(work, instead_of=last)
        visitor.works = {**visitor.works, work.place: work}
    if last:
        last.cancel()


def of(visitor: Visitor, place: str) -> Work[Any] | None:
    """The visitor's current or last work in this place; None if there is none."""
    work: Work[Any] | None = visitor.works.get(place)
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
