"""The socket of a class: thirty students and ten questions, and all that nobody may see, do or learn."""

from __future__ import annotations

import base64
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.class_clients import OWN, Client, a_class, run, start_server
from tokviz.teach.lessons.course import course
from tokviz.teach.questions import Question, prediction
from tokviz.tokenizer.encoding import OPEN
from tokviz.ui.classroom import socket
from tokviz.ui.frame.tokenizers import sample_training
from tokviz.ui.server import hub as hubs
from tokviz.ui.server.connection import STARTED_OVER
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.hub import hub
from tokviz.ui.server.registry import VISITORS


@pytest.fixture(autouse=True)
def _server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_server(tmp_path, monkeypatch)


def test_thirty_students_and_ten_questions_with_five_cut_and_back() -> None:
    async def story() -> None:
        draw = random.Random(7)
        async with a_class(30) as (teacher, students):
            await teacher.adds(*(prediction(sample_training(), step) for step in range(9)), OWN)
            for number in range(1, 11):
                await teacher.presses("ask")
                await teacher.until(lambda me: me.question["number"] == me.state["number"])
                n_options = len(teacher.question["options"])
                tallies = []
                for phase in ("ask", "again"):
                    for student in students:
                        await student.at(phase, number=number)
                        assert student.question == {**teacher.question, "number": number}
                    votes = await vote_and_change(draw, students, n_options)
                    await teacher.at(phase, voted=len(votes))
                    tallies.append([votes.count(i) for i in range(n_options)])
                    assert teacher.state["result"] is None
                    if phase == "ask":
                        await teacher.presses("again")
                await teacher.presses("reveal")
                result = teacher.state["result"]
                assert [result["first"], result["second"]] == tallies
                right = [tally[result["right"]] for tally in tallies]
                voted = [sum(tally) for tally in tallies]
                assert result["gain"] == f"Right: {right[0]} of {voted[0]} first, {right[1]} of {voted[1]} then."
                told = {name: result[name] for name in ("right", "counts", "notes", "why", "wrong", "places")}
                for student in students:
                    await student.at("second", number=number)
                    assert student.state["result"] == told
                if number < 10:
                    await teacher.presses("next")
                    assert teacher.state["phase"] == "ready" and teacher.state["result"] is None
            assert teacher.state["can"] == []

    run(story)


async def vote_and_change(draw: random.Random, students: list[Client], n_options: int) -> list[int]:
    """All but two vote, most change their vote, five lose the connection and come back. The votes that are left."""
    voting = draw.sample(students, len(students) - 2)
    for student in voting:
        for _ in range(draw.randint(1, 3)):
            student.votes(draw.randrange(n_options))
    for student in draw.sample(voting, 5):
        if draw.random() < 0.5:
            await student.voted()  # it arrived, and the browser may not know: it sends the vote again
        await student.cut()
        await student.connect()
        await student.until(lambda me: bool(me.state))
        student.tell(**student.vote)
        student.tell(**{**student.vote, "vote": 0})  # the same vote, as its number says
    for student in voting:
        await student.voted()
    return [int(student.vote["vote"]) for student in voting]


@pytest.mark.parametrize("second", [False, True])
def test_what_anybody_hears_before_the_reveal_follows_from_no_vote_and_no_answer(second: bool) -> None:
    """The same class twice: the others vote differently, and another answer is right. Nobody hears a difference."""

    async def heard(votes: list[int], right: int) -> list[list[str]]:
        async with a_class(4) as (teacher, students):
            await teacher_asks(teacher, replace(OWN, right=right))
            for phase in ("ask", "again") if second else ("ask",):
                for student, vote in zip(students, [0, *votes], strict=True):
                    await student.at(phase)
                    student.votes(vote)
                    await student.voted()
                    await teacher.until(lambda me: me.state["voted"] == students.index(student) + 1)  # noqa: B023
                if second and phase == "ask":
                    await teacher.presses("again")
            code = str(teacher.state["code"])
            return [[text.replace(code, "CODE") for text in client.said] for client in (teacher, students[0])]

    async def story() -> None:
        one, other = await heard([0, 1, 1], 0), await heard([2, 2, 0], 2)
        for said, otherwise in zip(one, other, strict=True):  # how many states are told on the way depends on the time
            assert [last(said, "question"), last(said, "state")] == [
                last(otherwise, "question"),
                last(otherwise, "state"),
            ]
        for said in (*one, *other):
            assert not any('"right"' in text or '"votes"' in text or '"gain"' in text for text in said)

    run(story)


def last(said: list[str], of: str) -> object:
    """The last message of a kind that a client heard."""
    return [found[of] for found in map(json.loads, said) if found.get(of)][-1]


async def teacher_asks(teacher: Client, question: Question) -> None:
    await teacher.adds(question)
    await teacher.presses("ask")


def test_a_prediction_tells_nothing_that_merges_later() -> None:
    async def story() -> None:
        async with a_class(1) as (teacher, [student]):
            await teacher_asks(teacher, prediction(sample_training(), 3))
            await student.at("ask")
            question = student.question
            assert question.keys() == {"number", "kind", "title", "lead", "options", "strip"}
            assert all(option.keys() == {"letter", "tokens", "text"} for option in question["options"])
            parts = (base64.b64decode(question["strip"][name]) for name in ("seams", "ranks"))
            seams, ranks = (np.frombuffer(part, "<i4") for part in parts)
            assert ranks.tolist() == [0, 1, 2]
            assert set(seams[seams < OPEN].tolist()) == {0, 1, 2}

    run(story)


def test_a_student_can_neither_lead_nor_vote_twice_late_or_elsewhere() -> None:
    async def story() -> None:
        async with a_class(2) as (teacher, [ann, bob]), a_class(1) as (other, [zoe]):
            code = teacher.state["code"]
            await teacher_asks(teacher, OWN)
            await ann.at("ask")
            for said in ({"do": "reveal", "question": 1}, {"drop": 1}, {"end": True}, {"follow": True}):
                await ann.connect()  # a role is for good, and a message of the other role closes the connection
                await ann.at("ask")
                ann.tell(**said)
                await ann.until(lambda me: me.closed is not None)
                assert ann.closed == (1007, "This message cannot be understood.")
            await ann.connect()
            await ann.at("ask")
            leading = await Client("teacher", ann.key).connect()  # a student who says to be a teacher leads no room
            await leading.at("none")
            assert await leading.refusal(do="reveal", question=1) == "You have no open room. Open one first."
            second_tab = await Client("student", ann.key).connect()
            await second_tab.at("ask")
            ann.votes(0)
            await ann.voted()
            await second_tab.until(lambda me: me.state["mine"]["n"] == 1)
            second_tab.n = 1
            second_tab.votes(2)
            await second_tab.voted()
            bob.n = 4
            await bob.at("ask")
            bob.votes(1)
            await bob.voted()
            await teacher.at("ask", voted=2)
            for vote in ({"question": 2}, {"round": 2}, {"question": 0}):
                assert "too late" in await bob.refusal(**{**bob.vote, "n": 9, **vote})
            assert "no such answer" in await bob.refusal(**{**bob.vote, "n": 9, "vote": 3})
            assert "too late" in await zoe.refusal(vote=0, question=1, round=1, n=1)
            await teacher.presses("reveal")
            assert "too late" in await bob.refusal(**{**bob.vote, "n": 9})
            assert teacher.state["result"]["first"] == [0, 1, 1]
            assert teacher.state["result"]["voted"] == [2, None]
            assert code not in "".join(zoe.said + other.said)
            ann.tell(leave=True)
            await second_tab.at("code")
            await leading.cut()
            await second_tab.cut()

    run(story)


def test_students_follow_the_teacher_and_all_hear_the_end() -> None:
    async def story() -> None:
        async with a_class(2) as (teacher, [ann, bob]):
            teacher.room.stand_at("training-loop-2")
            teacher.tell(follow=True)
            await ann.at("wait", step="training-loop-2")
            teacher.room.stand_at("training-loop-3")
            await ann.at("wait", step="training-loop-3")
            await teacher.adds(OWN)
            await teacher.presses("ask")
            await ann.at("ask", step="")
            await teacher.presses("reveal")
            await ann.at("reveal", step="training-loop-3")
            teacher.tell(follow=False)
            await ann.at("reveal", step="")
            teacher.tell(show_code=True)
            await teacher.at("reveal", show_code=True, step=course().step("training-loop-3").title)
            bob.tell(leave=True)
            await bob.at("code")
            await teacher.at("reveal", joined=1, here=1)
            await ann.cut()
            await teacher.at("reveal", joined=1, here=0)
            await ann.connect()
            await teacher.at("reveal", here=1)
            teacher.tell(end=True)
            await teacher.at("ended", why="The teacher ended the room.")
            await ann.at("ended", why="The teacher ended the room.")
            code = await teacher.opens()
            assert code != ann.state["code"]

    run(story)


def test_a_room_survives_a_reload_and_a_restarted_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with a_class(3) as (teacher, students):
            assert teacher.state["kept"]
            await teacher_asks(teacher, prediction(sample_training(), 5))
            await teacher.adds(OWN)
            for i, student in enumerate(students):
                await student.at("ask")
                student.votes(i % 2)
                await student.voted()
            await teacher.presses("again")
            await students[0].at("again")
            students[0].votes(1)
            await students[0].voted()
            await teacher.at("again", voted=1)
            before, question = teacher.state, teacher.question
            for client in (teacher, *students):
                await client.cut()
            hub().write()
            start_server(tmp_path, monkeypatch)
            saved = "".join(path.read_text() for path in hubs.folder().rglob("*.json"))
            assert not any(client.key in saved for client in (teacher, *students))
            for client in (teacher, *students):
                await client.connect()
                await client.at("again", number=1)
            assert await teacher.until(lambda me: me.state["here"] == 3)
            assert (teacher.state, teacher.question) == (before, question)
            assert students[0].state["mine"] == {"first": 0, "second": 1, "n": 2}
            await teacher.presses("reveal")
            assert [sum(teacher.state["result"][name]) for name in ("first", "second")] == [3, 1]

    run(story)


def test_many_votes_are_told_in_few_states(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with a_class(10) as (teacher, students):
            await teacher_asks(teacher, OWN)
            for student in students:
                await student.at("ask")
            monkeypatch.setattr(socket, "BETWEEN_S", 0.2)
            heard = len(teacher.said), len(students[0].said)
            for student in students:
                for option in (0, 1, 2, 0, 1):
                    student.votes(option)
            for student in students:
                await student.voted()
            await teacher.at("ask", voted=10)
            assert len(teacher.said) - heard[0] < 10  # of 50 votes
            assert len(students[0].said) - heard[1] <= 5  # only their own

    run(story)


def test_a_room_is_over_after_two_hours() -> None:
    async def story() -> None:
        async with a_class(1) as (teacher, [student]):
            teacher.room.ends = hub().rooms.now() + 0.01
            teacher.tell(show_code=True)  # from now on the connections know when the room ends
            await student.at("ended", why="The room was open for two hours, and is closed now.")
            key = new_key()
            assert "No room" in await (await Client("student", key).connect()).refusal(join=teacher.state["code"])

    run(story)


def test_who_has_started_over_joins_no_room_from_a_tab_that_is_still_open() -> None:
    async def story() -> None:
        async with a_class(0) as (teacher, _):
            student = await (await Client("student").connect()).at("code")
            VISITORS.start_over(student.key)
            student.tell(join=teacher.state["code"])
            await student.until(lambda me: me.closed is not None)
            assert student.closed is not None and student.closed[0] == STARTED_OVER
            assert not teacher.room.students

    run(story)
