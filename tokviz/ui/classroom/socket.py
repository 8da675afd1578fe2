"""The socket of a class: the teacher leads a room, the students vote in it, and each change reaches all of them.

Every message is a JSON object. The visitor's key, from the cookie, says who speaks. A teacher or a student who loads
the page again, or whose connection was lost, sends the first message again and gets the present state.

**The first message** of a connection is one of these. It decides the role, which does not change.

    {"role": "teacher"}                  leads the room that this visitor opened, if there is one
    {"role": "student"}                  is in the room that this visitor joined last, if it is still there

**The teacher** then sends:

    {"drop": number}                     take a question that was not asked yet out of the plan; those after it move up
    {"do": act, "question": number}      act: "ask", "again", "reveal", "next"; number: of the question in the state
                                         when the button was pressed. A press that comes twice, or late, does nothing
    {"show_code": bool}                  show the code large, or no longer, on every screen of the teacher
    {"follow": bool}                     whether students see the lesson step where the teacher is
    {"let_in": bool}                     whether new students can join
    {"end": true}                        end the room

**A student** then sends:

    {"join": code}                       small letters and spaces around it do not matter
    {"leave": true}                      go back to the field for the code
    {"vote": index, "question": number, "round": 1 or 2, "n": n}
                                         n: the number of this vote, larger than `mine.n` of the last state. A vote
                                         counts if its n is larger than that of the last one that arrived. So a vote can
                                         be sent again after a lost connection: send it again as it was, unless the
                                         state that comes first has another question or round, or `mine.n` >= n

**The server** sends messages of three kinds:

    {"question": {...}}                  the question in view; only when it is new to this connection, before the state
    {"state": {...}}                     the whole state; after the first message, and whenever it changes
    {"refused": words, "to": kind}       a message was not obeyed, and why, in words for the reader. kind: the first key
                                         of the message ("join", "vote", "drop", "do", ...)

A state follows each message that was obeyed; states come at most ten times a second. A message that cannot be
understood closes the connection with code 1007, one that is too long with 1009, and a page of another site or a browser
without the cookie with 1008. After any other end of the connection, connect again.

**The teacher's state**

    phase          "none" (no room), "join", "ready", "ask", "again", "reveal", "second", "ended"
    can            which of "ask", "again", "reveal", "next" are on; the first is the bold one
                     ask: students can vote on the question in view, which in the phase "join" is the first of the plan
                     again: a second vote begins
                     reveal: to the phase "reveal", or "second" after a second vote
                     next: to the phase "ready" of the next question; off if the plan has no further question
    code           "K7QF"
    joined         how many students have joined
    here           how many of them are connected now
    voted          how many have voted in this round; null before "ask"
    number, of     the number of the question in view, from 1 (0: none), and how many questions there are in all
    plan           what was not asked yet, with the question in view: [{"number", "title", "lead"}, ...]
    show_code      bool
    step, follow   the title of the lesson step where the teacher is ("": none), and whether students see it
    let_in         bool: whether new students can join
    result         null before the reveal; see "Results"
    kept           true if the room survives a restart of the server; false if it cannot be written to the disk
    why            in the phases "none" and "ended": a sentence for the teacher, or ""

**A student's state**

    phase          "code" (in no room), "wait" (nothing was asked yet), "ask", "again", "reveal", "second" or "ended"
    code           "K7QF", "" in the phase "code"
    number, of     of the question in view, as the teacher's; 0 in the phases "code" and "wait". The last result stays
                   in view until the teacher asks the next question
    mine           {"first": index or null, "second": index or null, "n": of the last vote that arrived, 0 for none}
    step           the id of the lesson step that the page shows, "" for none, as while a vote is open
    result         null before the reveal; see "Results"; never with any number of votes
    why            in the phases "code" and "ended": a sentence for the student, or ""

Before the reveal no state and no question has anything from which the votes of others, or the right answer, follow.

**A question in view**

    number         from 1
    kind           "prediction", "task" or "own"
    title          "Which pair merges next?"
    lead           a sentence under the title, such as "After 4 merges. Ties go to the first in the corpus.", or ""
    strip          null, or a text in tokens as `read` of tokenview/encoding.js takes it, with its tokens as they are
                   at this step: what merges later is not in it
    options        2 to 6 of {"letter": "A", "tokens": [hex, ...], "text": ""}. tokens: the bytes of each token in
                   hexadecimal (`fromHex` of encoding.js), two of them for a pair; [] if the option is `text`

**Results**

    right          index of the right option, or null if the question has none
    counts         for each option a number ("5 times": how often the pair occurs), or null if there is none to tell
    notes          for each option words such as "merges next", "same count, but loses the tie", or ""
    why            sentences, each as `to_json` of tokviz/base/sentences.py gives it
    wrong          for each option the sentences (as `why`) that prove it false and name the misconception; [] for the
                   right one
    places         [[start, end], ...]: bytes of the strip where the right answer is, for the boxes around it
    first, second  teacher only: votes for each option; second is null if there was no second vote
    voted          teacher only: [how many voted first, how many in the second vote or null]
    gain           teacher only: "Right: 6 of 24 first, 17 of 24 then.", "Right: 6 of 24.", "" without a right answer
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, NamedTuple

from starlette.websockets import WebSocket, WebSocketDisconnect

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.typed import JsonCount
from tokviz.offline.data import payload
from tokviz.teach.lessons.course import course
from tokviz.teach.questions import Question
from tokviz.teach.rooms.register import opaque
from tokviz.teach.rooms.room import Act, Room
from tokviz.teach.rooms.states import (
    NO_ROOM,
    NOT_IN_A_ROOM,
    question_for_student,
    question_for_teacher,
    student_state,
    teacher_state,
)
from tokviz.ui.server.connection import (
    UNREADABLE,
    Conversation,
    Refusal,
    read_as,
    read_message,
    serve,
    written,
)
from tokviz.ui.server.hub import Hub, hub
from tokviz.ui.server.line import ANSWERS

MESSAGE_LIMIT = 1_000  # characters
BETWEEN_S = 0.1  # between two states to one connection, in seconds
_NOT_UNDERSTOOD = "This message cannot be understood."


class Hello(NamedTuple):
    role: Literal["teacher", "student"]


# -- the messages of the teacher --


class Drop(NamedTuple):
    drop: JsonCount


class Press(NamedTuple):
    act: Annotated[Act, "do"]
    question: JsonCount


class ShowCode(NamedTuple):
    show_code: bool


class Follow(NamedTuple):
    follow: bool


class LetIn(NamedTuple):
    let_in: bool


class End(NamedTuple):
    end: Literal[True]


OfTeacher = Drop | Press | ShowCode | Follow | LetIn | End


# -- the messages of a student --


class Join(NamedTuple):
    code: Annotated[str, "join"]


class Leave(NamedTuple):
    leave: Literal[True]


class Vote(NamedTuple):
    vote: JsonCount
    question: JsonCount
    round: JsonCount
    n: JsonCount


OfStudent = Join | Leave | Vote


# -- the connection --


async def class_socket(websocket: WebSocket) -> None:
    """Serve one connection of a class until it closes."""
    rooms = await ANSWERS.do("", hub)  # the first call reads the kept rooms
    await serve(websocket, partial(Talk, hub=rooms))


class Talk(Conversation):
    """One connection."""

    def __init__(self, websocket: WebSocket, key: str, hub: Hub) -> None:
        super().__init__(websocket, key)
        self.hub, self.me = hub, opaque(key)
        self.is_student = False
        self.told = ""  # the last state, as it was sent
        self.shown: tuple[int, Question] | None = None  # the last question that was sent
        self.loop = asyncio.get_running_loop()
        self.awake = asyncio.Event()
        self.telling: asyncio.Task[None] | None = None

    async def hear(self, message: str | None) -> None:
        """Obey a message, or say why not. Raises Refusal if it is none of the messages."""
        said = read_message(message, MESSAGE_LIMIT)
        if not isinstance(said, dict) or not said:
            raise Refusal(UNREADABLE, _NOT_UNDERSTOOD)
        if self.telling is None:
            self.begin(said)
            return
        try:
            (self.obey_student if self.is_student else self.obey_teacher)(said)
            self.told = ""  # each message that is obeyed is answered, even if it changed nothing
            self.wake()
        except TokvizError as fault:
            await self.tell({"refused": str(fault), "to": next(iter(said))})

    def begin(self, said: dict[str, Any]) -> None:
        """Read the first message."""
        self.is_student = read_as(Hello, said, "The first message says the role.").role == "student"
        self.hub.come(self)
        self.telling = asyncio.create_task(self.tell_states())
        self.wake()
        room = self.room()
        if room and self.is_student:
            self.hub.tell(room.teacher)  # one more is here

    def room(self) -> Room | None:
        """The room that the teacher opened last, or that the student joined last."""
        rooms = self.hub.rooms
        return rooms.of_student(self.me) if self.is_student else rooms.of_teacher(self.me)

    # -- messages --

    def obey_teacher(self, said: dict[str, Any]) -> None:
        """Do what the teacher says. Raises TokvizError if it cannot be done, Refusal if it is none of the messages."""
        room = self.room()
        if room is None:
            raise InputError("You have no open room.", "Open one first.")
        match read_as(OfTeacher, said, _NOT_UNDERSTOOD):
            case Drop(number):
                room.drop(number)
            case Press(act, number):
                room.do(act, number)
            case ShowCode(code):
                room.show(code)
            case Follow(follow):
                room.let_follow(follow)
            case LetIn(newcomers):
                room.let_in(newcomers)
            case End():
                room.end(self.hub.rooms.now())

    def obey_student(self, said: dict[str, Any]) -> None:
        """Do what the student says. Raises as `obey_teacher` does."""
        rooms = self.hub.rooms
        match read_as(OfStudent, said, _NOT_UNDERSTOOD):
            case Join(code):
                rooms.join(self.me, code)
            case Leave():
                rooms.leave(self.me)
            case Vote(option, number, round, n):
                room = self.room()
                if room is None:
                    raise InputError("You are not in a room.", "Join one with its code.")
                room.vote(self.me, option, number=number, round=round, n=n)

    # -- states --

    def wake(self) -> None:
        """The state may have changed. Can be called from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(self.awake.set)

    async def tell_states(self) -> None:
        """Send the state whenever it has changed, until the connection closes."""
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await self.wait()
                self.awake.clear()
                room = self.room()
                question = self.question(room)
                if question and question != self.shown:
                    self.shown = question
                    await self.tell({"question": question_data(*question)})
                state = self.state(room)
                as_sent = written({"state": state})
                if as_sent != self.told:
                    self.told = as_sent
                    await self.tell(as_sent)
                await asyncio.sleep(BETWEEN_S)

    async def wait(self) -> None:
        """Wait until something changes, or until the room has been open long enough."""
        room = self.room()
        left = max(room.ends - self.hub.rooms.now(), 0) + BETWEEN_S if room and room.phase != "ended" else None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.awake.wait(), left)

    def question(self, room: Room | None) -> tuple[int, Question] | None:
        """The question in view, with its number."""
        if room is None or room.phase == "ended":
            return None
        return question_for_student(room) if self.is_student else question_for_teacher(room)

    def state(self, room: Room | None) -> dict[str, Any]:
        """The state as this connection may know it."""
        if self.is_student:
            return student_state(room, self.me) if room else NOT_IN_A_ROOM
        if room is None:
            return {**NO_ROOM, "step": "", "here": 0}
        step = course().steps.get(room.step) if room.step else None
        return {**teacher_state(room), "step": step.title if step else "", "here": self.hub.here(room)}

    def end(self) -> None:
        if self.telling is None:
            return
        self.telling.cancel()
        self.hub.go(self)
        room = self.room()
        if room and self.is_student:
            self.hub.tell(room.teacher)  # one fewer is here


@lru_cache(256)
def question_data(number: int, question: Question) -> dict[str, Any]:
    """A question as it is sent, before anybody may know the answer."""
    strip = None if question.strip is None else payload(question.strip)
    return {"number": number, **question.as_asked(), "strip": strip}
