"""A class: a teacher asks, students vote and follow the teacher's steps, and all of them count for themselves."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import AsyncIterator
from typing import Any

from websockets.asyncio.client import ClientConnection

from tests.load.live import Going
from tests.load.page import Page, opened
from tests.load.person import PATIENCE_S, Person, Wrong
from tokviz.teach.lessons.course import course
from tokviz.teach.rooms.room import QUESTIONS_LIMIT

OPTIONS = ("first", "second", "third")
THINK_S = (0.2, 3.0)  # until a student votes
LOOK_S = 4.0  # how long a class looks at a result, and at a step


class ClassRoom:
    """What the people of one class know of it. code: once the teacher has it. votes: by question, student -> option."""

    def __init__(self) -> None:
        self.code: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.votes: dict[int, dict[Person, int]] = {}
        self.students: list[Person] = []
        self.teacher: Person | None = None


class Seat:
    """One connection to the class, with the last state that came over it."""

    def __init__(self, person: Person, socket: ClientConnection) -> None:
        self.person, self.socket = person, socket
        self.state: dict[str, Any] = {}
        self.question: dict[str, Any] = {}
        self.changed = asyncio.Event()
        self.over = ""

    async def read(self) -> None:
        """Read until cancelled."""
        try:
            async for message in self.socket:
                said = json.loads(self.person.read(message))
                self.state = said.get("state", self.state)
                self.question = said.get("question", self.question)
                if "refused" in said:
                    self.person.heard.error(f"class: {said['refused']}")
                self.changed.set()
        finally:
            self.over = f"{self.socket.close_code} {self.socket.close_reason}"
            self.changed.set()

    async def tell(self, **message: Any) -> None:
        """Send a message."""
        await self.socket.send(json.dumps(message))

    async def next_state(self, seconds: float) -> None:
        """Wait until something comes, but no longer than this."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        if self.over:
            raise Wrong(f"The class socket was closed: {self.over}")
        self.changed.clear()

    async def until(self, **fields: Any) -> None:
        """Wait until the state has these fields."""
        end = time.perf_counter() + PATIENCE_S
        while any(self.state.get(name) != value for name, value in fields.items()):
            if time.perf_counter() > end:
                raise Wrong(f"The class did not come to {fields} in {PATIENCE_S:.0f} s.")
            await self.next_state(1)


@contextlib.asynccontextmanager
async def seated(person: Person, role: str) -> AsyncIterator[Seat]:
    """A connection to the class in this role."""
    async with person.socket("/tokviz/class") as socket:
        seat = Seat(person, socket)
        reading = asyncio.create_task(seat.read())
        try:
            await seat.tell(role=role)
            yield seat
        finally:
            reading.cancel()


async def teach(person: Person, room: ClassRoom, going: Going) -> None:
    """Open a room, ask questions of the teacher's own, count the votes, and lead the class from step to step."""
    steps = [*course().steps]
    async with opened(person, "class") as page, seated(person, "teacher") as seat:
        if page.widget("button", "class.open"):
            await page.press("class.open")
        await seat.next_state(PATIENCE_S)
        while not seat.state.get("code"):
            await seat.next_state(1)
        if not room.code.done():
            room.code.set_result(seat.state["code"])
        await page.set("button_group", "class.kind", string_array_value=["Your own"])
        while seat.state["plan"]:  # what a new room begins with
            await seat.tell(drop=seat.state["plan"][-1]["number"])
            await seat.until(of=seat.state["of"] - 1)
        await seat.tell(follow=True)
        async with person.socket("/tokviz/ask") as lessons:
            turn = 0
            while going():
                turn += 1
                await person.ask(lessons, n=turn, ask="learn.show", step=steps[turn * 7 % len(steps)])
                await asyncio.sleep(LOOK_S)
                if seat.state["of"] < QUESTIONS_LIMIT:
                    await ask(page, seat, room, turn)


async def ask(page: Page, seat: Seat, room: ClassRoom, turn: int) -> None:
    """Ask one question, wait for all votes, and compare the result with what the students say they voted."""
    await page.type_in("Your question", f"{page.person.mark} {turn}: which one?")
    for letter, option in zip("ABC", OPTIONS, strict=True):
        await page.type_in(f"Answer {letter}", option)
    before = seat.state["of"]
    await page.press("class.add")
    await seat.until(of=before + 1)
    if "next" in seat.state["can"]:
        await seat.tell(do="next", question=seat.state["number"])
        await seat.until(phase="ready")
    number = seat.state["number"]
    begun = time.perf_counter()
    await seat.tell(do="ask", question=number)
    await seat.until(phase="ask", number=number)
    end = time.perf_counter() + 3 * THINK_S[1]
    while (seat.state["voted"] or 0) < len(room.students) and time.perf_counter() < end:
        await seat.next_state(0.5)
    page.person.heard.time("a question to the class, until all have voted", 1000 * (time.perf_counter() - begun))
    await seat.tell(do="reveal", question=number)
    await seat.until(phase="reveal", number=number)
    votes = room.votes.get(number, {})
    right = [sum(vote == option for vote in votes.values()) for option in range(len(OPTIONS))]
    if seat.state["voted"] == len(votes) and seat.state["result"]["first"] != right:
        raise Wrong(f"The votes were {right}, and the teacher sees {seat.state['result']['first']}.")
    page.person.heard.count("questions to the class")
    page.person.heard.checked += 1
    await asyncio.sleep(LOOK_S)


async def attend(person: Person, room: ClassRoom, going: Going) -> None:
    """Join, vote in each question, and draw each step of the teacher on the page."""
    chance, code = random.Random(person.number), await room.code
    async with opened(person, "class") as page, seated(person, "student") as seat:
        await seat.next_state(PATIENCE_S)
        if seat.state.get("code") != code:
            await seat.tell(join=code)
            await seat.until(code=code)
        if person not in room.students:
            room.students.append(person)
        await page.run()
        drawn, n = "", seat.state["mine"]["n"]
        while going():
            await seat.next_state(1)
            state = seat.state
            if state["phase"] == "ask" and state["mine"]["first"] is None:
                await asyncio.sleep(chance.uniform(*THINK_S))
                if room.teacher and room.teacher.mark not in seat.question["title"]:
                    raise Wrong("A student sees a question that their teacher did not ask.")
                n, vote, number = n + 1, chance.randrange(len(OPTIONS)), state["number"]
                room.votes.setdefault(number, {})[person] = vote
                await seat.tell(vote=vote, question=number, round=1, n=n)
                begun = time.perf_counter()
                while seat.state["mine"]["n"] < n:
                    await seat.next_state(PATIENCE_S)
                person.heard.time("a vote", 1000 * (time.perf_counter() - begun))
                if seat.state["number"] == number and seat.state["mine"]["first"] != vote:
                    raise Wrong("A vote did not count as it was given.")
            elif state["step"] and state["step"] != drawn:
                drawn = state["step"]
                await page.run()
                follows(page, seat, drawn)


def follows(page: Page, seat: Seat, step: str) -> None:
    """The page has drawn this step of the teacher, unless the teacher has gone on meanwhile."""
    shown = page.component("class.step")
    if seat.state["step"] == step and (shown is None or shown["step"]["id"] != step):
        raise Wrong(f"The page of a student does not show the step {step}.")
    page.person.heard.count("steps of the teacher that were followed")
