"""The lines of the server: what runs in its threads, in which order, so that nobody's work holds up another's.

Work that takes a while, a question of a page, a key typed into a long text: each is a piece in a line. All lines share
the threads, and each takes only a part of them, so that what may take seconds never holds up what takes a moment.

Visitors have turns one after the other. At each, the oldest of their pieces that wait runs: until it is over, or until
it has had TURN_SECONDS and another piece waits. Then it waits in the line again.

    A asks for a1, a2 and a3, and then B for b1    ->    a1, b1, a2, a3

Work that has begun keeps what it needs while it waits for its next turn. So of the pieces that need much memory one is
under way at a time, and those of its size wait until it is over.

Pages are drawn one after the other, too, but beside the work. Python runs one thread at a time, so pages that are drawn
beside each other are not done sooner, but whatever answers a key has to get its turn from each of them. So of one
visitor one page is drawn, and of all visitors one, or a few where that one takes long. However many wait, and however
long, never more: hundreds that were drawn at once would leave no turn to what answers a key.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from tokviz.base.errors import SettingError
from tokviz.base.wording import count_of
from tokviz.ui.server import limits
from tokviz.ui.server.pace import Pace

PATIENCE_S = 1.0  # after that, a page is drawn beside the one that takes so long, if few others are
LONG_S = 10.0  # after that, it is drawn beside these too, if few that waited as long are
PAGES_BESIDE, PAGES_LATE = 2, 4  # pages that are drawn beside the first: after PATIENCE_S, and after LONG_S
BESIDE = 8  # threads for pieces that run beside those of their line, at most half of them for those that only wait

T = TypeVar("T")


class Piece(Protocol):
    """A piece of work in a line. whose: the visitor. large: whether it needs much memory. stop: set to cancel it."""

    large: bool
    stop: threading.Event

    @property
    def whose(self) -> Hashable: ...

    def go_on(self) -> bool:
        """Do the next slice. Returns whether the piece is over. It never raises."""


@dataclass(eq=False)
class _Call:
    """A piece that calls a function once."""

    whose: Hashable
    function: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    large: bool = False
    stop: threading.Event = field(default_factory=threading.Event)

    def go_on(self) -> bool:
        if self.future.set_running_or_notify_cancel():
            try:
                self.future.set_result(self.function())
            except BaseException as fault:
                self.future.set_exception(fault)
        return True


class Line:
    """Pieces of work that run, each in a thread, and that wait.

    at_once: how many run. each: how many of these are of one visitor, at most.
    """

    def __init__(self, at_once: int, each: int, now: Callable[[], float] = time.monotonic) -> None:
        self.at_once, self.each, self._now = at_once, each, now
        self._lock = threading.Lock()
        self._there: set[Piece] = set()  # all that are not over
        self._running: list[Piece] = []
        self._resting = 0  # how many that run only wait
        self._waiting: dict[Hashable, list[Piece]] = {}  # of each visitor; whose turn was longest ago comes first
        self._large: Piece | None = None  # the large piece that has begun, and is not over

    def __len__(self) -> int:
        """How many pieces run or wait. Those that were cancelled do not count."""
        with self._lock:
            return sum(not piece.stop.is_set() for piece in self._there)

    def join(self, piece: Piece, instead_of: Piece | None = None) -> None:
        """Put a piece of work into the line. SettingError if too many are in it.

        instead_of: a piece that is cancelled as soon as this one is in the line. It does not count.
        """
        with self._lock:
            there = [one for one in self._there if one is not instead_of and not one.stop.is_set()]
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
            self._put(piece)

    async def do(self, visitor: str, function: Callable[[], T]) -> T:
        """Call this in a thread when it is the visitor's turn; what it returns or raises. visitor: their key.

        What is cancelled before its turn is not done. After that it goes on, and counts until it ends.

        >>> asyncio.run(Line(at_once=2, each=1).do("a visitor's key", lambda: 3 * 3))
        9
        """
        call = _Call(visitor, function)
        with self._lock:
            self._put(call)
        try:
            return await asyncio.wrap_future(call.future)
        except asyncio.CancelledError:
            with self._lock:
                if self._leave(call):
                    self._there.discard(call)
            raise

    def before(self, piece: Piece) -> int:
        """How many pieces run or wait before this one; 0 if it runs, or has left the line."""
        with self._lock:
            waiting = [one for turn in zip_longest(*self._in_order()) for one in turn if one]
            return len(self._running) + waiting.index(piece) if piece in waiting else 0

    def give_up(self, piece: Piece) -> None:
        """Cancel a piece. If it waits, it runs at once, beside the others, because little of it is left."""
        with self._lock:
            piece.stop.set()
            if self._leave(piece):
                self._run(piece)

    @contextmanager
    def resting(self, piece: Piece) -> Iterator[None]:
        """The piece only waits in here, and the next one runs. Then it goes on beside that, to the end of its turn.

        If many wait already it keeps its turn, because each has a thread that others need.
        """
        with self._lock:
            gives_way = self._resting < BESIDE // 2
            if gives_way:
                self._resting += 1
                self._running.remove(piece)
                self._begin()
        try:
            yield
        finally:
            if gives_way:
                with self._lock:
                    self._resting -= 1
                    self._running.append(piece)

    def turn(self, piece: Piece) -> None:
        """Have a piece go on until it is over, or has had its turn and others wait."""
        until, over = self._now() + limits.TURN_SECONDS, piece.go_on()
        while not over and not (self._now() >= until and self._gives_way(piece)):
            over = piece.go_on()
        with self._lock:
            self._running.remove(piece)
            if piece.whose in self._waiting:  # their turn was just now, so all others are next
                self._waiting[piece.whose] = self._waiting.pop(piece.whose)
            if over:
                self._there.remove(piece)
                self._large = None if self._large is piece else self._large
                self._begin()
            else:
                self._put(piece)

    def _gives_way(self, piece: Piece) -> bool:
        """Whether the turn goes to another piece. One that was cancelled ends soon."""
        with self._lock:
            return not piece.stop.is_set() and self._next() is not None

    def _put(self, piece: Piece) -> None:
        self._there.add(piece)
        self._waiting.setdefault(piece.whose, []).append(piece)
        self._begin()

    def _leave(self, piece: Piece) -> bool:
        """Take a piece out of those that wait. Returns whether it was one of them."""
        own = self._waiting.get(piece.whose, [])
        if piece not in own:
            return False
        own.remove(piece)
        if not own:
            del self._waiting[piece.whose]
        return True

    def _in_order(self) -> Iterator[list[Piece]]:
        """What waits, of each visitor. Those who have no turn now come before those who have one."""
        now = {piece.whose for piece in self._running}
        yield from (own for whose, own in self._waiting.items() if whose not in now)
        yield from (self._waiting[whose] for whose in now if whose in self._waiting)

    def _next(self) -> Piece | None:
        """The piece whose turn it is next; None if none waits that can run now."""
        for own in self._in_order():
            if sum(one.whose == own[0].whose for one in self._running) < self.each:
                for piece in own:
                    if not piece.large or self._large in (None, piece):
                        return piece
        return None

    def _begin(self) -> None:
        """Begin with the next piece, if one can run now."""
        piece = self._next() if len(self._running) < self.at_once else None
        if piece:
            self._leave(piece)
            self._large = piece if piece.large else self._large
            self._run(piece)

    def _run(self, piece: Piece) -> None:
        self._running.append(piece)
        given().put((self, piece))


class InLoop:
    """Takes pieces of a few milliseconds, which the event loop does itself: a thread waits longer for its turn.

    pace: how many seconds of the event loop these take in a second. What is more goes through TYPING.
    """

    def __init__(self, pace: Pace) -> None:
        self.pace = pace

    async def do(self, visitor: str, function: Callable[[], T]) -> T:
        """Call this at once if there is time, else as `Line.do` does."""
        if self.pace.wait(0):
            return await TYPING.do(visitor, function)
        begun = time.monotonic()
        try:
            return function()
        finally:
            self.pace.wait(time.monotonic() - begun)


LINE = Line(limits.JOBS_AT_ONCE, limits.JOBS_A_VISITOR)  # work that takes a while, and has a place on a page
TYPING = Line(4, 1)  # what is typed takes less than a tenth of a second
ANSWERS = Line(4, 2)  # most questions of pages
OWN_EXPRESSIONS = Line(2, 1)  # of visitors, which may take seconds for a few characters
PEERS = Line(2, 1)  # packages of others work on one text after the other
RELATIONS = Line(1, 1)  # the family of a reference keeps a core busy for seconds
IN_LOOP = InLoop(Pace(rate=0.2, burst_s=1.0))  # for at most a fifth of the event loop's time
_LINES = (LINE, TYPING, ANSWERS, OWN_EXPRESSIONS, PEERS, RELATIONS)


@lru_cache(1)
def given() -> SimpleQueue[tuple[Line, Piece]]:
    """What the threads take their pieces from. They are started for the first one."""
    given = SimpleQueue[tuple[Line, Piece]]()

    def work() -> None:
        while True:
            _here.turn = given.get()
            _here.turn[0].turn(_here.turn[1])
            _here.turn = None  # so that nothing of it is kept

    for _ in range(BESIDE + sum(line.at_once for line in _LINES)):
        threading.Thread(target=work, name="line", daemon=True).start()
    return given


_here = threading.local()  # turn: the line and the piece of this thread; page: the page that it draws
_pages, _beside, _late = (threading.Semaphore(n) for n in (1, PAGES_BESIDE, PAGES_LATE))


class _Page:
    """A page that is drawn. own: of which one page of a visitor has the turn."""

    def __init__(self, own: threading.Semaphore, patience_s: float) -> None:
        self.own, self.patience_s = own, patience_s
        self.turns: list[threading.Semaphore] = []

    def begin(self) -> None:
        """Wait until it is this page's turn."""
        if self.own.acquire(timeout=LONG_S):
            self.turns.append(self.own)
        for turn, seconds in ((_pages, self.patience_s), (_beside, LONG_S), (_late, None)):
            if turn.acquire(timeout=seconds):
                self.turns.append(turn)
                break

    def end(self) -> None:
        """Give the turn back."""
        while self.turns:
            self.turns.pop().release()


@contextmanager
def drawing(own: threading.Semaphore, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Draw a page in here. It begins when it is its turn.

    own: as `_Page` has it.
    patience_s: after which it may be drawn beside another page, in seconds.
    """
    page = _here.page = _Page(own, patience_s)
    page.begin()
    try:
        yield
    finally:
        page.end()
        _here.page = None


@contextmanager
def resting() -> Iterator[None]:
    """Only wait in here: the next piece runs meanwhile, or the next page is drawn, if this thread has a turn."""
    page: _Page | None = getattr(_here, "page", None)
    turn: tuple[Line, Piece] | None = getattr(_here, "turn", None)
    if page:
        page.end()
    try:
        with turn[0].resting(turn[1]) if turn and turn[0] is LINE else nullcontext():  # the others may wait in a thread
            yield
    finally:
        if page:
            page.begin()
