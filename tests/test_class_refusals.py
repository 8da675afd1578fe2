"""Messages to the socket of a class that are not obeyed: what closes a connection, and what is refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.class_clients import OWN, Client, a_class, run, start_server
from tokviz.teach.questions import own_question
from tokviz.ui.server.connection import STARTED_OVER
from tokviz.ui.server.registry import VISITORS


@pytest.fixture(autouse=True)
def _server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_server(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        (["{"], 1007),
        (["[]"], 1007),
        (['{"role": "admin"}'], 1007),
        (['{"role": "student", "x": 1}'], 1007),
        (['{"join": "ABCD"}'], 1007),
        (['{"role": "student"}', '{"vote": 0, "question": 1, "round": 1, "n": -1}'], 1007),
        (['{"role": "student"}', '{"vote": 0, "question": 1, "round": 1, "n": 1e400}'], 1007),
        (['{"role": "student"}', f'{{"vote": 0, "question": 1, "round": 1, "n": {2**60}}}'], 1007),
        (['{"role": "student"}', '{"join": 5}'], 1007),
        (['{"role": "student"}', '{"join": "' + "A" * 20_000 + '"}'], 1009),
    ],
)
def test_what_is_none_of_the_messages_closes_the_connection(messages: list[str], code: int) -> None:
    async def story() -> None:
        client = Client("student")
        client.tell = lambda **_: None  # type: ignore[method-assign]  # the role is among the messages
        await client.connect()
        for message in messages:
            client.tell_text(message)
        await client.until(lambda me: me.closed is not None)
        assert client.closed is not None and client.closed[0] == code

    run(story)


@pytest.mark.parametrize("said", [{"origin": None}, {"origin": "http://example.org"}, {"cookie": "guess"}])
def test_a_page_of_another_site_or_a_browser_without_the_cookie_is_refused(said: dict[str, Any]) -> None:
    async def story() -> None:
        client = await Client("student").connect(**said)
        await client.until(lambda me: me.closed is not None)
        assert client.closed is not None and client.closed[0] == 1008

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


def test_wrong_codes_are_answered_and_then_slowed() -> None:
    async def story() -> None:
        async with a_class(0) as (teacher, _):
            eve = await Client("student").connect()
            assert "has no O, 0, I or 1" in await eve.refusal(join="OO11")
            wrong = next(code for code in ("ZZZZ", "YYYY") if code != teacher.state["code"])
            for _ in range(5):
                assert f"No room has the code {wrong}." in await eve.refusal(join=wrong.lower())
            assert "Wait a minute" in await eve.refusal(join=teacher.state["code"])
            await eve.cut()

    run(story)


def test_questions_are_taken_out_of_the_plan() -> None:
    async def story() -> None:
        async with a_class(0) as (teacher, _):
            await teacher.adds(OWN, own_question("Another one?", ["Yes", "No"]))
            teacher.tell(drop=1)
            await teacher.until(lambda me: [one["title"] for one in me.state["plan"]] == ["Another one?"])
            assert "no question 5" in await teacher.refusal(drop=5)
            await teacher.until(lambda me: me.question["title"] == "Another one?")

    run(story)


def test_a_press_that_comes_twice_or_late_does_nothing() -> None:
    async def story() -> None:
        async with a_class(0) as (teacher, _):
            await teacher.adds(OWN, OWN)
            for _ in range(2):
                teacher.tell(do="ask", question=1)
                teacher.tell(do="reveal", question=1)
                teacher.tell(do="next", question=1)
            teacher.tell(show_code=True)
            await teacher.until(lambda me: me.state["show_code"])
            assert (teacher.state["phase"], teacher.state["number"]) == ("ready", 2)

    run(story)
