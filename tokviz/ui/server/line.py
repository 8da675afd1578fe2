"""The line of the server: in which order pieces of work run, so that nobody's work holds up another's.

Visitors have turns one after the other. At each, the oldest of their pieces that wait runs: until it is done, or until
it has had TURN_SECONDS and another piece waits. Then it stands in the line again.

    A asks for a1, a2 and a3, and then B for b1    ->    a1, b1, a2, a3

Work that has begun keeps what it needs while it waits for its next turn. So of the pieces that need much memory one is
under way at a time, and those of its size wait until it is over.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tokviz.base.errors import SettingError
from tokviz.base.wording import count_of
from tokviz.ui.server import limits


@dataclass(eq=False)
class Turn:
    """The turn of one piece of work, from its first wait to its end.

    whose: the visitor. large: whether it needs much memory. come: set when the piece may run, or when there is nothing
    left to wait for. given_up: whether it was cancelled. since: when it came.
    """

    whose: Hashable
    large: bool = False
    come: threading.Event = field(default_factory=threading.Event)
    given_up: bool = False
    since: float = 0.0


class Line:
    """Pieces of work that run and that wait.

    >>> line = Line()
    >>> a1, a2, a3, b1 = [line.join(whose) for whose in "AAAB"]
    >>> [line.before(turn) for turn in (a1, a2, a3, b1)]
    [0, 2, 3, 1]
    >>> line.end(a1)
    >>> b1.come.is_set(), line.before(a2), len(line)
    (True, 1, 3)
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._running: list[Turn] = []
        self._resting: list[Turn] = []
        self._here = threading.local()
        self._waiting: dict[Hashable, list[Turn]] = {}  # of each visitor; whose last turn was longest ago stands first
        self._large: Turn | None = None  # the large piece that has begun, and is not over

    def __len__(self) -> int:
        """How many pieces run or wait. Those that were cancelled do not count."""
        with self._lock:
            return len([*self._counted()])

    def join(self, whose: Hashable, *, large: bool = False, instead_of: Turn | None = None) -> Turn:
        """The turn of a new piece of work. SettingError if too many are in the line.

        instead_of: the turn of a piece that is cancelled as soon as this one is in the line. It does not count.
        """
        with self._lock:
            there = [turn for turn in self._counted() if turn is not instead_of]
            own = sum(turn.whose == whose for turn in there)
            if own >= limits.JOBS_A_VISITOR:
                raise SettingError(
                    f"You have {count_of(own, 'piece')} of work under way, and one visitor can have no more.",
                    "Cancel one of them or wait until one is done, and then try again.",
                )
            if len(there) >= limits.JOBS:
                raise SettingError(
                    f"All visitors together have {count_of(len(there), 'piece')} of work under way, and the server "
                    "takes no more.",
                    "Try again in a minute.",
                )
            turn = Turn(whose, large)
            self._wait(turn)
            return turn

    def before(self, turn: Turn) -> int:
        """How many pieces run or wait before this one; 0 if it runs, or has left the line."""
        with self._lock:
            own = self._waiting.get(turn.whose, [])
            if turn not in own:
                return 0
            place, found, ahead = own.index(turn), len(self._running), 1
            for turns in self._in_order():
                if turns is own:
                    ahead = 0
                found += min(place + ahead, len(turns))
            return found

    def give_way(self, turn: Turn) -> None:
        """End this turn if it has lasted TURN_SECONDS and others wait. The next is here once `come` is set again.

        A piece that was cancelled goes on: it ends soon, and nobody waits for it again.
        """
        with self._lock:
            over = turn in self._running and self._now() - turn.since >= limits.TURN_SECONDS
            if over and not turn.given_up and self._next():
                self._stop(turn)
                turn.come.clear()
                self._wait(turn)

    def works_here(self, turn: Turn) -> None:
        """The calling thread does this piece of work."""
        self._here.turn = turn

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Only wait in here, for another process: other work runs meanwhile. For the thread of a piece of work that has
        its turn, this ends when it has its turn again; for another thread it does nothing.

        >>> line = Line()
        >>> a, b = line.join("A"), line.join("B")
        >>> line.works_here(a)
        >>> with line.resting():
        ...     line.before(b)
        ...     line.end(b)
        0
        """
        turn: Turn | None = getattr(self._here, "turn", None)
        with self._lock:
            rests = turn is not None and turn in self._running
            if turn and rests:
                self._stop(turn)
                self._resting.append(turn)
                turn.come.clear()
                self._run_next()
        try:
            yield
        finally:
            if turn and rests:
                with self._lock:
                    self._resting.remove(turn)
                    if turn.given_up:
                        turn.come.set()
                    else:
                        self._wait(turn)
                turn.come.wait()

    def give_up(self, turn: Turn) -> None:
        """Cancel a piece. If it runs, nobody has its turn before its `end`, because it still uses the machine."""
        with self._lock:
            turn.given_up = True
            self._leave(turn)
            turn.come.set()

    def end(self, turn: Turn) -> None:
        """The piece is over."""
        with self._lock:
            self._leave(turn)
            self._stop(turn)
            if turn is self._large:
                self._large = None
            self._run_next()

    def _counted(self) -> Iterator[Turn]:
        for turns in (self._running, self._resting, *self._waiting.values()):
            yield from (turn for turn in turns if not turn.given_up)

    def _wait(self, turn: Turn) -> None:
        self._waiting.setdefault(turn.whose, []).append(turn)
        self._run_next()

    def _leave(self, turn: Turn) -> None:
        left = [one for one in self._waiting.get(turn.whose, ()) if one is not turn]
        if left:
            self._waiting[turn.whose] = left
        else:
            self._waiting.pop(turn.whose, None)

    def _stop(self, turn: Turn) -> None:
        """If this piece runs, it no longer does. The turn of its visitor was just now, so all others are next."""
        if turn in self._running:
            self._running.remove(turn)
            if turn.whose in self._waiting:
                self._waiting[turn.whose] = self._waiting.pop(turn.whose)

    def _in_order(self) -> list[list[Turn]]:
        """What waits, of each visitor. Those who have no turn now come before those who have one."""
        now = {turn.whose for turn in self._running}
        return [self._waiting[whose] for whose in sorted(self._waiting, key=now.__contains__)]

    def _next(self) -> Turn | None:
        """The piece whose turn it is next; None if none waits that can run now."""
        for turns in self._in_order():
            for turn in turns:
                if not turn.large or self._large in (None, turn):
                    return turn
        return None

    def _run_next(self) -> None:
        while len(self._running) < limits.JOBS_AT_ONCE and (turn := self._next()):
            self._leave(turn)
            if turn.large:
                self._large = turn
            turn.since = self._now()
            self._running.append(turn)
            turn.come.set()


LINE = Line()
