"""What takes a while, in a thread of its own: the page that started it may be left, reloaded or closed meanwhile.

A visitor has one piece of work at a time in each place that starts any, and the server does one of a kind at a time;
the next waits its turn. What comes out is handed to the visitor by the thread itself.
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
from tokviz.ui.visitors.visitor import Visitor

AT_ONCE_S = 0.3  # how long a page may wait for something small, rather than tell of its progress
LOOKS_S = 0.1  # how often what waits for its turn looks whether it was given up

_log = logging.getLogger(__name__)
_works: weakref.WeakKeyDictionary[Visitor, dict[str, Work]] = weakref.WeakKeyDictionary()


@dataclass(eq=False, kw_only=True)
class Work(ABC):
    """How far it is, and how it ended. `error` is what a person may read; `failed` a fault of ours.

    place: the part of a page that started it. about: what it is about, where a place can ask for several things.
    so_far, in_all: of the present stage, in units of its own. turn: held by the one of its kind that is under way.
    """

    turn: ClassVar[threading.Lock]
    place: str
    about: Hashable = None
    so_far: int = 0
    in_all: int = 0
    begun: float | None = None  # time.monotonic() when its turn came; None while it waits
    since: float | None = None  # and when the present stage began
    error: TokvizError | None = None
    failed: bool = False
    stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)

    @abstractmethod
    def slices(self) -> Iterator[None]:
        """Do it, and let others have a say after each slice. When `stop` is set, come to an end."""

    def finish(self, visitor: Visitor) -> None:  # noqa: B027 (what comes out can also be put in its place on the way)
        """Hand over what came out."""

    @property
    @abstractmethod
    def doing(self) -> str:
        """What is being done, in some words for the page."""

    @property
    def ended_badly(self) -> bool:
        """Is there nothing to be had of it that was wanted, or not all?"""
        return self.done.is_set() and (self.stop.is_set() or self.failed or self.error is not None)

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
    """Do it in a thread. What the same place still has under way is given up first."""
    cancel(visitor, work.place)
    _works[visitor] = {**_works.get(visitor, {}), work.place: work}
    threading.Thread(target=_run, args=(work, weakref.ref(visitor)), daemon=True).start()


def of(visitor: Visitor, place: str) -> Work | None:
    """What the visitor has under way there, or had last."""
    return _works.get(visitor, {}).get(place)


def cancel(visitor: Visitor, place: str) -> None:
    """Stop it after the present slice."""
    work = of(visitor, place)
    if work:
        work.stop.set()


def forget(visitor: Visitor, place: str) -> None:
    """Stop it, and put it away with what came of it."""
    cancel(visitor, place)
    _works[visitor] = {there: work for there, work in _works.get(visitor, {}).items() if there != place}


def _run(work: Work, visitor: weakref.ref[Visitor]) -> None:
    try:
        with _turn(work):
            work.begun = work.since = time.monotonic()
            for _ in work.slices():
                if visitor() is None:  # gone for good: nobody will come back for it
                    return
        person = visitor()
        if person:
            work.finish(person)
    except TokvizError as error:
        work.error = error
    except Exception:
        _log.exception("what was under way in %r failed", work.place)
        work.failed = True
    finally:
        work.done.set()


@contextlib.contextmanager
def _turn(work: Work) -> Iterator[None]:
    """Wait for those of its kind. What was given up needs no turn for the little that it still does."""
    mine = False
    while not (mine or work.stop.is_set()):
        mine = work.turn.acquire(timeout=LOOKS_S)
    try:
        yield
    finally:
        if mine:
            work.turn.release()
