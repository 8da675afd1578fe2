"""The page of a class without a browser: opening a room, choosing questions, and where students find it."""

from __future__ import annotations

import io
import re
import sys

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from tests.pages import SHORT, app, at, button, components, field, me, notes, type_in, typed_in
from tokviz import train
from tokviz.base.errors import InputError
from tokviz.teach.lessons.course import course
from tokviz.teach.rooms.room import Room
from tokviz.ui.classroom import addresses
from tokviz.ui.classroom.addresses import START_COMMAND, meeting, qr_rows
from tokviz.ui.classroom.lesson_tasks import askable_tasks, task_question
from tokviz.ui.classroom.state import DraftState
from tokviz.ui.learn.state import LearnState
from tokviz.ui.server import machine, start
from tokviz.ui.server.hub import hub
from tokviz.ui.server.machine import local_addresses, means_this_machine
from tokviz.ui.server.pages import ROUTES

__all__ = ["app"]

HOSTILE = "<img src=x onerror=alert(1)> **b** $x$"


def opened(app: AppTest) -> Room:
    """A room that was opened on the page."""
    button(at(app, "class"), "Open a room").click().run()
    assert not app.exception
    [room] = [room for room in hub().rooms._rooms.values() if room.phase != "ended"]
    return room


def choose(app: AppTest, kind: str) -> AppTest:
    me(app).state(DraftState).kind = kind
    return app.run()


def test_a_room_that_was_just_opened_can_ask_at_once(app: AppTest) -> None:
    assert [data["alone"] for data in components(at(app, "class"), "class_student")] == [False]
    room = opened(app)
    assert room.can == ["ask"] and room.n_questions == 5
    [data] = components(app, "class_teacher")
    assert data["address"].endswith("/class") and len(data["qr"]) == len(data["qr"][0])
    assert not components(app, "class_student")
    app.run()
    assert room.n_questions == 5


@pytest.mark.right
def test_a_class_can_count_the_first_question_of_a_new_room(app: AppTest) -> None:
    first, *others = opened(app).plan
    assert first.strip and len(first.strip.data) == 55
    counts = sorted((option.count or 0 for option in first.options), reverse=True)
    assert (counts[:2], len(first.places)) == ([5, 4], 5)
    lesson = task_question("training-loop-2")
    assert [option.tokens for option in lesson.options] == [option.tokens for option in first.options]
    assert len(others) == 4


def test_predictions_tasks_and_questions_of_ones_own_are_added(app: AppTest) -> None:
    room = opened(app)
    training = train(SHORT, 270, name="shells")
    me(app).add("shells", training.tokenizer, training)
    state = me(app).state(DraftState)
    state.prediction.of, state.prediction.first, state.prediction.many = me(app).trained[0].key, 2, 2
    button(app.run(), "Add 2 questions").click().run()
    assert room.plan[-2].options[room.plan[-2].right].tokens == tuple(
        training.tokenizer.vocab[id] for id in training.merges[1][1:3]
    )
    state.prediction.first = 999
    assert not [one for one in app.run().button if one.label.startswith("Add ")]
    state.prediction.first = 2
    add = button(app.run(), "Add 2 questions")
    me(app).drop(me(app).trained[0].key)
    add.click().run()
    assert "The corpus of this tokenizer is no longer here." in notes(app)

    button(choose(app, "task"), "Add the question").click().run()
    assert room.plan[-1].kind == "task"

    choose(app, "own")
    for key, text in (("title", HOSTILE), ("answer.a", "Yes"), ("answer.c", HOSTILE)):
        type_in(app, f"class.{key}", text)
    field(app, "selectbox", "class.right").set_value("c").run()
    button(app, "Add the question").click().run()
    own = room.plan[-1]
    assert (own.title, [option.text for option in own.options], own.right) == (HOSTILE, ["Yes", HOSTILE], 1)
    assert typed_in(app, "class.title") == ""


@pytest.mark.parametrize(
    "tasks", [["decoding-4"], pytest.param([*askable_tasks()], marks=pytest.mark.long)], ids=["one", "all"]
)
def test_a_task_of_a_lesson_is_a_question_with_the_hints_as_its_proofs(tasks: list[str]) -> None:
    for task in tasks:
        question = task_question(task)
        told = question.as_told()
        assert question.kind == "task" and question.title and question.lead
        assert not re.search(r"\b(above|below|here|these)\b", question.lead)
        assert len({option.tokens or option.text for option in question.options}) == len(question.options)
        assert [bool(wrong) for wrong in told["wrong"]] == [i != told["right"] for i in range(len(question.options))]
        assert told["why"] and "Right." not in str(told["why"])


def test_what_was_refused_stays_in_its_fields(app: AppTest) -> None:
    room = opened(app)
    choose(app, "own")
    type_in(app, "class.title", "Why?")
    button(app, "Add the question").click().run()
    assert "A question cannot have 0 options." in notes(app)
    at(app, "tokens")
    assert typed_in(at(app, "class"), "class.title") == "Why?"
    assert room.n_questions == 5


def test_a_link_joins_and_a_closed_room_is_named(app: AppTest) -> None:
    room = opened(app)
    app.query_params["code"] = "k7qf"
    assert components(app.run(), "class_student") == [{"code": "k7qf", "alone": True, "step": ""}]
    assert "code" not in app.query_params
    app.session_state["class.student"] = {"moved": 1}
    assert components(app.run(), "class_teacher")
    room.end(hub().rooms.now())
    assert f"Your room {room.code} is closed." in notes(app.run())


def test_the_class_is_at_the_step_of_its_teacher(app: AppTest) -> None:
    room = opened(app)
    at(app, "learn")
    assert room.step and not room.follow
    me(app).state(LearnState).step = "training-loop-2"
    app.run()
    assert room.step == "training-loop-2"
    room.let_follow(True)
    hub().rooms.join(room.teacher, room.code)
    app.query_params["code"] = room.code
    [shown] = components(at(app, "class"), "lesson")
    assert shown["step"]["id"] == "training-loop-2" and shown["alone"]
    assert components(app, "class_student")[0]["step"] == "training-loop-2", "so that the browser knows what it has"
    room.do("ask", 1)
    assert not components(app.run(), "lesson")  # a question comes first


def test_a_task_that_needs_the_view_of_its_step_is_refused() -> None:
    other = next(id for id, step in course().steps.items() if step.task and id not in askable_tasks())
    with pytest.raises(InputError, match="cannot be asked in a class"):
        task_question(other)


# -- where students find it --


def test_the_address_is_one_that_students_can_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "local_addresses", lambda: ["192.0.2.14"])
    assert meeting("https://school.example/tokviz/class", "127.0.0.1").typed == "https://school.example/tokviz/class"
    assert meeting("http://127.0.0.1:8501/class", "0.0.0.0") == ("http://192.0.2.14:8501/class", "", "")
    assert meeting("http://localhost/class", None).url == "http://192.0.2.14/class"
    local = meeting("http://localhost:8501/class", "localhost")
    assert local.typed == "192.0.2.14:8501/class" and START_COMMAND in local.way_out
    monkeypatch.setattr(addresses, "local_addresses", lambda: ["192.0.2.14", "192.0.2.99"])
    assert "192.0.2.99" in meeting("http://localhost:8501/class", "0.0.0.0").way_out
    monkeypatch.setattr(addresses, "local_addresses", list)
    assert "not connected to a network" in meeting("http://localhost:8501/class", "0.0.0.0").trouble


@pytest.mark.right
def test_a_page_on_this_machine_knows_where_others_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "local_addresses", lambda: ["192.0.2.14"])
    app = Starlette(routes=ROUTES)
    for host, listening, address in (
        ("localhost", "", "192.0.2.14"),
        ("localhost", "127.0.0.1", ""),
        ("school.example", "", ""),
    ):
        monkeypatch.setattr(machine.st, "get_option", lambda _, there=listening: there)
        script = TestClient(app, base_url=f"http://{host}:8501").get("/tokviz/watch.js").text
        assert f'address: "{address}"' in script


@pytest.mark.right
def test_the_start_command_is_one_of_every_shell() -> None:
    assert START_COMMAND.startswith("python -m tokviz app ") and "=" not in START_COMMAND, "cmd sets nothing by ="


class Terminal(io.StringIO):
    encoding = ""

    def __init__(self, encoding: str, is_terminal: bool) -> None:
        super().__init__()
        self.encoding = encoding
        self.isatty = lambda: is_terminal  # type: ignore[method-assign]


def test_a_terminal_shows_the_code_of_the_page_where_it_can_and_a_log_only_the_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal, old, log = Terminal("utf-8", True), Terminal("cp1252", True), Terminal("utf-8", False)
    for shown in (terminal, old, log):
        monkeypatch.setattr(sys, "stdout", shown)
        start.show_class("http://192.0.2.14:8501/class")
    said, *code = terminal.getvalue().splitlines()
    assert [said] == old.getvalue().splitlines() == log.getvalue().splitlines()
    assert said == "  A class meets at http://192.0.2.14:8501/class"
    half = {" ": "11", "▀": "01", "▄": "10", "█": "00"}  # a bright half is a light square
    lines = [[half[one] for one in re.sub(r"\x1b\[\d+m", "", line)[2:]] for line in code if line]
    rows = ["".join(one[part] for one in line)[4:-4] for line in lines for part in (0, 1)]
    assert rows[4 : len(rows[0]) + 4] == qr_rows("http://192.0.2.14:8501/class")


def test_own_addresses_are_never_those_of_the_machine_alone() -> None:
    assert not [address for address in local_addresses() if means_this_machine(address)]
