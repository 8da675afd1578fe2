"""Work that takes a while, in a thread of its own. The page that started it may be left, reloaded or closed meanwhile.

A visitor has one piece of work at a time in each place that starts any. The server does one of each kind at a time, and
the next waits for its turn. The thread itself hands the result to the visitor.
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

from tokviz.errors import TokvizError
from tokviz.ui.visitors.holdings import without_frames
from tokviz.ui.visitors.visitor import Visitor

AT_ONCE_S = 0.3  # how long a page may wait for something small before it shows progress
LOOKS_S = 0.1  # how often work that waits for its turn looks whether it was cancelled

_log = logging.getLogger(__name__)


@dataclass(eq=False, kw_only=True)
class Work(ABC):
    """How far the work is, and how it ended.

    place: the part of a page that started it. about: what it is about, where a place can ask for several things.
    so_far, in_all: of the present stage, in units of its own. turn: held by the one of its kind that is running.
    begun: time.monotonic() when its turn came; None while it waits. since: when the present stage began. error: an
    error that the person may read; failed: whether a fault of ours ended it.
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
        """Do the work, and let others run after each slice. When `stop` is set, come to an end."""

    def finish(self, visitor: Visitor) -> None:  # noqa: B027 (the result can also be put in its place on the way)
        """Hand over the result."""

    @property
    @abstractmethod
    def doing(self) -> str:
        """What is being done, in a few words for the page."""

    @property
    def over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.done.is_set()

    @property
    def ended_badly(self) -> bool:
        """Whether it ended without all that was wanted of it."""
        return self.over and (self.stop.is_set() or self.failed or self.error is not None)

    @property
    def share(self) -> float:
        """How much of the present stage is done, 0 to 1."""
        return min(self.so_far / self.in_all, 1.0) if self.in_all else 0.0

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the pace of the present stage; None before there is one."""
        if self.since is None or not self.so_far:
            return None
        return (time.monotonic() - self.since) * (self.in_all - self.so_far) / self.so_far


def start(visitor: Visitor, work: Work) -> None:
    """Do the work in a thread. What the same place still has under way is cancelled first."""
    with visitor.lock:
        cancel(visitor, work.place)
        visitor.works = {**visitor.works, work.place: work}
    threading.Thread(target=_run, args=(work, weakref.ref(visitor)), daemon=True).start()


def of(visitor: Visitor, place: str) -> Work | None:
    """What the visitor has under way in this place, or had last."""
    work: Work | None = visitor.works.get(place)
    return work


def cancel(visitor: Visitor, place: str) -> None:
    """Stop it after the present slice."""
    work = of(visitor, place)
    if work:
        work.stop.set()


def forget(visitor: Visitor, place: str) -> None:
    """Stop it, and drop it with its result."""
    with visitor.lock:
        cancel(visitor, place)
        visitor.works = {there: work for there, work in visitor.works.items() if there != place}


def _run(work: Work, visitor: weakref.ref[Visitor]) -> None:
    try:
        with _turn(work):
            work.begun = work.since = time.monotonic()
            for _ in work.slices():
                if visitor() is None:  # forgotten by the server: nobody will come back for the result
                    return
        person = visitor()
        if person:
            work.finish(person)
    except TokvizError as error:
        work.error = without_frames(error)
    except Exception:
        _log.exception("work in %r failed", work.place)
        work.failed = True
    finally:
        work.done.set()


@contextlib.contextmanager
def _turn(work: Work) -> Iterator[None]:
    """Wait for others of its kind. Cancelled work needs no turn for the little that it still does."""
    mine = False
    while not (mine or work.stop.is_set()):
        mine = work.turn.acquire(timeout=LOOKS_S)
    try:
        yield
    finally:
        if mine:
            work.turn.release()
