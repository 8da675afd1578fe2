"""Work that takes a while runs in its own thread, which goes on when the page is left, reloaded or closed.

A visitor has one piece of work at a time in each place of a page. The server does one piece of each kind at a time, and
the next waits for its turn. The thread hands the result to the visitor.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from tokviz import kernels
from tokviz.errors import TokvizError
from tokviz.ui.visitors.holdings import Lost, Order
from tokviz.ui.visitors.visitor import Visitor

AT_ONCE_S = 0.3  # how long a page waits for small work before it shows progress
LOOKS_S = 0.1  # how often waiting work checks whether it was cancelled

_log = logging.getLogger(__name__)


@dataclass(eq=False, kw_only=True)
class Work(ABC):
    """A piece of work: its progress, and how it ended.

    turn: a lock for each kind of work, held by the piece that runs. place: the part of a page that started the work.
    about: what the work is about, if a place can ask for different things. so_far, in_all: progress of the present
    stage, in units of that stage. begun: time.monotonic() at its turn; None while it waits. since: time.monotonic() at
    the start of the present stage. error: an error to show to the visitor. failed: whether a bug ended the work.
    """

    turn: ClassVar[threading.Lock]
    place: str
    about: Hashable = None
    so_far: int = 0
    in_all: int = 0
    begun: float | None = None
    since: float | None = None
    error: TokvizError | None = None
    failed: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    @abstractmethod
    def slices(self) -> Iterator[None]:
        """Do the work in slices, with a yield after each. End soon after `stop` is set."""

    def finish(self, visitor: Visitor) -> None:  # noqa: B027 (some work hands over its results in slices)
        """Hand the result to the visitor."""

    @property
    @abstractmethod
    def doing(self) -> str:
        """What the work is doing now, in a few words for the page."""

    @property
    def over(self) -> bool:
        """Whether it has ended: done, cancelled or failed."""
        return self.done.is_set()

    @property
    def holding(self) -> tuple[Order, Lost | None]:
        """How it gives way when memory is short, once it is over; and what is missed then."""
        return Order.WHAT_IF, None

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
    """Do the work in a new thread. Work under way in the same place is cancelled first."""
    with visitor.lock:
        cancel(visitor, work.place)
        visitor.works = {**visitor.works, work.place: work}
    threading.Thread(target=_run, args=(work, weakref.ref(visitor)), daemon=True).start()


def of(visitor: Visitor, place: str) -> Work | None:
    """The visitor's current or last work in this place; None if there is none."""
    work: Work | None = visitor.works.get(place)
    return work


def cancel(visitor: Visitor, place: str) -> None:
    """Stop the work in this place after its present slice."""
    work = of(visitor, place)
    if work:
        work.stop.set()


def forget(visitor: Visitor, place: str) -> None:
    """Stop the work in this place, and drop it."""
    with visitor.lock:
        cancel(visitor, place)
        visitor.works = {there: work for there, work in visitor.works.items() if there != place}


def _run(work: Work, visitor_ref: weakref.ref[Visitor]) -> None:
    try:
        with _turn(work):
            work.begun = time.monotonic()
            # On the first start on a machine the kernels are still being compiled. Cancel works meanwhile.
            while not work.stop.is_set() and not kernels.wait(LOOKS_S):
                pass
            work.since = time.monotonic()
            for _ in work.slices():
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
        work.done.set()


@contextlib.contextmanager
def _turn(work: Work) -> Iterator[None]:
    """Wait until no other work of its kind runs. Cancelled work does not wait, because little of it is left."""
    held = False
    while not (held or work.stop.is_set()):
        held = work.turn.acquire(timeout=LOOKS_S)
    try:
        yield
    finally:
        if held:
            work.turn.release()
