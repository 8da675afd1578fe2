"""The line of the server: in which order pieces of work run, so that nobody's work holds up another's.

Visitors have turns one after the other. At each, the oldest of their pieces that wait runs: until it is over, or until
it has had TURN_SECONDS and another piece waits. Then it stands in the line again.

    A asks for a1, a2 and a3, and then B for b1    ->    a1, b1, a2, a3

Work that has begun keeps what it needs while it waits for its next turn. So of the pieces that need much memory one is
under way at a time, and those of its size wait until it is over.

Pages are drawn one after the other, too, but beside the work. Python runs one thread at a time, so pages that are drawn
beside each other are not done sooner, but whatever answers a key has to get its turn from each of them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Protocol

from tokviz.base.errors import SettingError
from tokviz.base.wording import count_of
from tokviz.ui.server import limits

PATIENCE_S = 1.0  # after that, a page is drawn beside the one that takes so long


class Piece(Protocol):
    """A piece of work in the line. whose: the visitor. large: whether it needs much memory. stop: set to cancel it."""

    large: bool
    stop: threading.Event

    @property
    def whose(self) -> Hashable: ...

    def go_on(self) -> bool:
        """Do the next slice. Returns whether the piece is over. It never raises."""


class Line:
    """Pieces of work that run, each in a thread, and that wait."""

    def __init__(self, now: Callable[[], float] = time.monotonic, patience_s: float = PATIENCE_S) -> None:
        self._now = now
        self._patience_s = patience_s
        self._page = threading.Semaphore()  # whose page is drawn
        self._lock = threading.Lock()
        self._running: list[Piece] = []
        self._resting: list[Piece] = []
        self._here = threading.local()
        self._waiting: dict[Hashable, list[Piece]] = {}  # of each visitor; whose turn was longest ago stands first
        self._large: Piece | None = None  # the large piece that has begun, and is not over

    def __len__(self) -> int:
        """How many pieces run or wait. Those that were cancelled do not count."""
        with self._lock:
            return len([*self._counted()])

    def join(self, piece: Piece, instead_of: Piece | None = None) -> None:
        """Put a piece into the line. SettingError if too many are in it.

        instead_of: a piece that is cancelled as soon as this one is in the line. It does not count.
        """
        with self._lock:
            there = [one for one in self._counted() if one is not instead_of]
            own = sum(one.whose == piece.whose for one in there)
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
            self._waiting.setdefault(piece.whose, []).append(piece)
            self._begin()
            if not self._running:  # the system gives no thread, and no thread would come to this piece
                self._leave(piece)
                raise SettingError("The server could not begin this work.", "Try again in a minute.")

    def before(self, piece: Piece) -> int:
        """How many pieces run or wait before this one; 0 if it runs, or has left the line."""
        with self._lock:
            own = self._waiting.get(piece.whose, [])
            if piece not in own:
                return 0
            place, found, ahead = own.index(piece), len(self._running), 1
            for pieces in self._in_order():
                if pieces is own:
                    ahead = 0
                found += min(place + ahead, len(pieces))
            return found

    def give_up(self, piece: Piece) -> None:
        """Cancel a piece. If it waits, it runs at once, beside the others, because little of it is left."""
        with self._lock:
            piece.stop.set()
            if self._leave(piece) and not self._run(piece):
                self._waiting.setdefault(piece.whose, []).append(piece)

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Draw a page in here. It begins when it is its turn, or when it has waited for long."""
        self._here.draws = self._page.acquire(timeout=self._patience_s)
        try:
            yield
        finally:
            self._end_drawing()

    def _end_drawing(self) -> bool:
        """Whether this thread had the turn to draw."""
        draws = getattr(self._here, "draws", False)
        self._here.draws = False
        if draws:
            self._page.release()
        return draws

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Only wait in here: the next piece runs meanwhile, or the next page is drawn, if this thread has a turn."""
        piece: Piece | None = getattr(self._here, "piece", None)
        draws = self._end_drawing()
        if piece:
            with self._lock:
                self._running.remove(piece)
                self._resting.append(piece)
                self._begin()
        try:
            yield
        finally:
            if piece:
                with self._lock:
                    self._resting.remove(piece)
                    self._running.append(piece)  # beside the others, to the end of its turn
            if draws:
                self._here.draws = self._page.acquire(timeout=self._patience_s)

    def _work(self, piece: Piece | None) -> None:
        """What a thread does: give this piece its turn, and then the next ones theirs."""
        while piece:
            self._here.piece = piece
            over = self._turn(piece)
            self._here.piece = None
            with self._lock:
                self._running.remove(piece)
                if piece.whose in self._waiting:  # their turn was just now, so all others are next
                    self._waiting[piece.whose] = self._waiting.pop(piece.whose)
                if not over:
                    self._waiting.setdefault(piece.whose, []).append(piece)
                elif piece is self._large:
                    self._large = None
                piece = self._take_next()

    def _turn(self, piece: Piece) -> bool:
        """Have a piece go on until it is over, or has had its turn and others wait. Returns whether it is over."""
        until = self._now() + limits.TURN_SECONDS
        while not piece.go_on():
            if self._now() >= until and not piece.stop.is_set():  # who was cancelled ends soon
                with self._lock:
                    if self._next():
                        return False
        return True

    def _counted(self) -> Iterator[Piece]:
        for pieces in (self._running, self._resting, *self._waiting.values()):
            yield from (piece for piece in pieces if not piece.stop.is_set())

    def _leave(self, piece: Piece) -> bool:
        """Whether it waited."""
        own = self._waiting.get(piece.whose, [])
        left = [one for one in own if one is not piece]
        self._waiting[piece.whose] = left
        if not left:
            del self._waiting[piece.whose]
        return len(left) < len(own)

    def _in_order(self) -> list[list[Piece]]:
        """What waits, of each visitor. Those who have no turn now come before those who have one."""
        now = {piece.whose for piece in self._running}
        return [self._waiting[whose] for whose in sorted(self._waiting, key=now.__contains__)]

    def _next(self) -> Piece | None:
        """The piece whose turn it is next; None if none waits that can run now."""
        for pieces in self._in_order():
            for piece in pieces:
                if not piece.large or self._large in (None, piece):
                    return piece
        return None

    def _take_next(self) -> Piece | None:
        """The piece whose turn it is now, which runs from now on."""
        piece = self._next() if len(self._running) < limits.JOBS_AT_ONCE else None
        if piece:
            self._leave(piece)
            self._running.append(piece)
            if piece.large:
                self._large = piece
        return piece

    def _begin(self) -> None:
        """Start a thread if a piece can run now."""
        if piece := self._take_next():
            self._running.remove(piece)
            if not self._run(piece):
                self._waiting = {piece.whose: [piece, *self._waiting.pop(piece.whose, [])], **self._waiting}

    def _run(self, piece: Piece) -> bool:
        """Start a thread with this piece. Returns whether there was one."""
        self._running.append(piece)
        try:
            threading.Thread(target=self._work, args=(piece,), daemon=True).start()
        except RuntimeError:
            self._running.remove(piece)
            return False
        return True


LINE = Line()
