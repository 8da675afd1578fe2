"""The Learn page and its questions: links, what is kept of a step, what counts as done, lesson plans, saved files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.asking import ask
from tests.pages import app, at, components, me, notes
from tokviz.base.blocks import Copy
from tokviz.base.errors import InputError, TokvizError, UnknownNameError
from tokviz.base.sentences import Code
from tokviz.offline.lesson import chapter_file, plan_file
from tokviz.teach.lessons.course import Step, course
from tokviz.teach.lessons.inputs import accepted
from tokviz.teach.lessons.plans import GUIDE, guide, plans, read_plan
from tokviz.teach.lessons.shown import LessonError
from tokviz.teach.lessons.views import VIEWS
from tokviz.ui.classroom.addresses import START_COMMAND
from tokviz.ui.classroom.lesson_tasks import askable_tasks
from tokviz.ui.frame.shell import PAGES
from tokviz.ui.learn.questions import attempt, left, show, view
from tokviz.ui.learn.state import KEPT_LIMIT, LearnState
from tokviz.ui.server import limits
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor

__all__ = ["app"]

STEPS = course().steps
FIRST = next(iter(STEPS))
# For each kind of task the first step that has it.
OF_EACH_KIND = {step.task.name: step for step in reversed(STEPS.values()) if step.task}
OF_EACH_KIND |= {"next-merge in a text": STEPS["encoding-1"], "find-text with two texts": STEPS["bytes-5"]}
PAIR = OF_EACH_KIND["next-merge"]
TEXT = OF_EACH_KIND["find-text"]
NONSENSE = (None, True, -1, 10**40, 1.5, float("nan"), "x" * 9_000, "\ud83d", [], [[]], {}, {"a": 1})


# -- the page --


def test_a_link_opens_a_step_a_plan_or_the_guide(app: AppTest) -> None:
    (shown,) = components(at(app, "learn"), "lesson")
    assert shown["step"]["id"] == FIRST
    assert shown["fresh"]
    app.query_params.update(v="1", step=PAIR.id)
    (shown,) = components(app.run(), "lesson")
    assert shown["step"]["id"] == me(app).state(LearnState).step == PAIR.id
    assert not shown["fresh"]
    assert {way["page"] for way in shown["ways"]} == {"learn", "class"}
    app.query_params.update(v="1", plan="45")
    app.run()
    assert "45 minutes" in app.title[0].value
    app.query_params.update(v="1", plan=GUIDE)
    assert app.run().title[0].value == guide()[0]
    app.query_params.update(v="1", step=TEXT.id)
    (shown,) = components(app.run(), "lesson")
    assert shown["step"]["id"] == TEXT.id
    assert not app.exception


def test_what_a_link_names_and_the_course_has_not_is_said(app: AppTest) -> None:
    at(app, "learn").query_params.update(v="1", step="<b>no</b>", plan="7")
    (shown,) = components(app.run(), "lesson")
    assert shown["step"]["id"] == FIRST
    assert "The course has no step “<b>no</b>”." in notes(app)
    assert "There is no lesson plan “7”. There are 20, 45, 90." in notes(app)


# -- what it answers --


@pytest.fixture
def learner() -> Visitor:
    return VISITORS.of(new_key())


def test_what_is_asked_for_is_answered_and_faults_are_in_words(learner: Visitor) -> None:
    opened = ask(learner, "learn.show", step=PAIR.id)["step"]
    assert opened["id"] == PAIR.id and opened["query"] == f"v=1&step={PAIR.id}"
    assert ask(learner, "learn.find", words="PAIRS’ a tie")["steps"] == []
    assert "ties-1" in ask(learner, "learn.find", words="pairs tie")["steps"]
    assert ask(learner, "learn.find", words=" ")["steps"] == []
    with pytest.raises(TokvizError, match="The course has no step “<b>”"):
        ask(learner, "learn.show", step="<b>")
    with pytest.raises(TokvizError, match="not an answer"):
        ask(learner, "learn.try", step=PAIR.id, said="<b>")
    assert ask(learner, "learn.chapter", step=PAIR.id) == chapter_file(PAIR.id, [])


def learnt(learner: Visitor, step: Step, kind: str, said: Any = None) -> dict[str, Any]:
    asked: dict[str, Callable[[], dict[str, Any]]] = {
        "step": lambda: show(learner, new_key(), step.id),
        "view": lambda: view(learner, step.id, said),
        "try": lambda: attempt(learner, step.id, said),
        "typing": lambda: attempt(learner, step.id, said, typing=True),
        "left": lambda: left(learner, step.id),
    }
    return asked[kind]()


@pytest.mark.parametrize("step", [pytest.param(step, id=kind) for kind, step in OF_EACH_KIND.items()])
def test_only_a_right_answer_makes_a_step_done_and_none_is_told_before(step: Step, learner: Visitor) -> None:
    assert step.task
    opened = json.dumps(learnt(learner, step, "step"))
    for said in (*NONSENSE, *(mistake["answer"] for mistake in step.task.says["wrong"])):
        try:
            told = learnt(learner, step, "try", said)
        except TokvizError:
            continue
        assert told["done"] == [] and told["judged"]["state"] != "done"
        assert "right" not in told["judged"]["data"]
    assert learnt(learner, step, "left")["done"] == []
    right = step.task.says["right"]
    told = learnt(learner, step, "try", right)
    assert told["done"] == [step.id] and told["judged"]["state"] == "done"
    assert json.dumps(told["judged"]["says"])[1:-1] not in opened
    assert not isinstance(right, str) or json.dumps(right)[1:-1] not in opened
    assert told["code"] == step.code
    # done stays done, and the step opens as it was left
    assert learnt(learner, step, "try", step.task.says["wrong"][0]["answer"])["done"] == [step.id]
    learnt(learner, step, "try", right)
    again = learnt(learner, step, "step")
    assert again["done"] == [step.id]
    assert again["step"]["task"]["answer"] == right
    assert again["step"]["task"]["judged"]["says"] == told["judged"]["says"]


@pytest.mark.right
@pytest.mark.parametrize("step", [pytest.param(step, id=kind) for kind, step in OF_EACH_KIND.items() if kind != "cut"])
def test_what_may_still_be_typed_on_is_shown_and_not_judged(step: Step, learner: Visitor) -> None:
    assert step.task
    for said in (step.task.says["right"], step.task.says["wrong"][0]["answer"]):
        told = learnt(learner, step, "typing", said)
        assert told["judged"]["state"] == "not done" and not told["judged"]["says"]
    assert learnt(learner, step, "left")["done"] == []


@pytest.mark.right
def test_the_answer_that_was_right_stays_in_view_when_others_come_after_it(learner: Visitor) -> None:
    step = STEPS["why-tokens-1"]
    right = plain_of(learnt(learner, step, "try", "dragon"))
    for other in ("the old woman", "t", ""):
        told = learnt(learner, step, "try", other)
        assert told["done"] == [step.id]
        assert plain_of(told) == f"Done with dragon. {right}"
        opened = learnt(learner, step, "step")["step"]["task"]
        assert opened["judged"]["says"] == told["judged"]["says"] and opened["answer"] == other
    assert "Done with wyvern" not in plain_of(learnt(learner, step, "try", "wyvern"))  # another right one, and now this
    assert plain_of(learnt(learner, step, "try", "t")).startswith("Done with ")


def plain_of(told: dict[str, Any]) -> str:
    return "".join(
        part if isinstance(part, str) else part.get("code") or part["strong"] for part in told["judged"]["says"]
    )


def test_a_step_without_a_task_is_done_when_it_is_left(learner: Visitor) -> None:
    step = next(step for step in STEPS.values() if not step.task)
    assert learnt(learner, step, "step")["done"] == []
    assert learnt(learner, step, "left")["done"] == [step.id]
    with pytest.raises(InputError, match="This step has no task"):
        learnt(learner, step, "try", 0)


def fields_in(drawn: Any) -> list[str]:
    """The names of the fields for text in what a step, a view or a task sends."""
    if not isinstance(drawn, dict | list):
        return []
    own = [drawn["name"]] if isinstance(drawn, dict) and drawn.get("takes") == "text" else []
    return own + [name for each in (drawn.values() if isinstance(drawn, dict) else drawn) for name in fields_in(each)]


def test_a_step_has_the_field_of_its_view_or_of_its_task(learner: Visitor) -> None:
    for step in STEPS.values():
        sent = learnt(learner, step, "step")["step"]
        assert not fields_in(sent["view"]) or not fields_in(sent["task"]), step.id


WITH_INPUTS = [
    step
    for step in STEPS.values()
    if step.view and VIEWS[step.view.name].inputs and not (step.task and step.task.name.endswith("-text"))
]


def blocks_of(learner: Visitor, step: Step) -> list[dict[str, Any]]:
    view: list[dict[str, Any]] = learnt(learner, step, "step")["step"]["view"]["blocks"]
    return view


@pytest.mark.parametrize("step", WITH_INPUTS[:4], ids=lambda step: str(step.id))
def test_inputs_of_another_kind_are_refused_and_what_was_typed_is_kept(step: Step, learner: Visitor) -> None:
    assert step.view
    for name in VIEWS[step.view.name].inputs:
        for value in NONSENSE:
            try:
                learnt(learner, step, "view", {name: value, "no such": 1})
            except TokvizError:
                json.dumps(learnt(learner, step, "step"))
    if "text" in VIEWS[step.view.name].inputs:
        learnt(learner, step, "view", {"text": "a cat"})
        assert all(block["value"] == "a cat" for block in blocks_of(learner, step) if block.get("name") == "text")
        with pytest.raises(TokvizError) as fault:
            learnt(learner, step, "view", {"text": "x" * 9_000})
        left = learnt(learner, step, "step")["step"]["view"]
        assert left["typed"]["text"] == "x" * 9_000 and left["fault"] == str(fault.value)


def test_inputs_have_the_kind_of_the_usual_value() -> None:
    usual = {"text": "a", "step": 1, "share": 0.5, "on": True, "names": ["a"], "none": None}
    assert accepted({"step": 3, "share": 1, "on": False, "names": [], "none": "b"}, usual)["share"] == 1
    for name, value in [("step", 1.5), ("step", True), ("on", 1), ("names", [1]), ("names", "a"), ("none", 1)]:
        with pytest.raises(InputError, match=name):
            accepted({name: value}, usual)


def test_what_is_kept_of_steps_has_a_limit() -> None:
    state = LearnState()
    state.keep("answer", "a", "x" * limits.FIELD_UNITS)
    state.keep("answer", "b", float("nan"))
    assert not state.kept
    for i in range(50):
        state.keep("answer", str(i), "x" * (limits.FIELD_UNITS // 2))
    state.keep("inputs", "49", {"text": "y"})
    state.keep("answer", "49", ["\ud83d"])
    assert state.recall("answer", "49") == ["\ufffd"]
    assert sum(map(len, state.kept.values())) <= KEPT_LIMIT
    assert state.recall("inputs", "49") == {"text": "y"}
    assert ("answer", "0") not in state.kept and ("answer", "49") in state.kept


def test_starting_over_forgets_progress_and_texts() -> None:
    key = new_key()
    learner = VISITORS.of(key)
    assert TEXT.task
    learnt(learner, TEXT, "try", TEXT.task.says["right"])
    VISITORS.start_over(key)
    assert VISITORS.of(key).state(LearnState) == LearnState() or not VISITORS.of(key).state(LearnState).done


# -- lesson plans --


@pytest.mark.parametrize("key", plans())
def test_a_plan_adds_up_and_each_step_and_question_is_there(key: str) -> None:
    plan = plans()[key]
    assert plan.minutes == int(key)
    assert {row.phase for row in plan.rows} == {"predict", "measure", "explain"}
    assert plan.rows[0].phase == "predict" and plan.rows[-1].phase == "explain"
    for row in plan.rows:
        assert row.teacher and row.students
        assert not row.step or course().step(row.step)
        assert not row.vote or 2 <= len(row.answers) <= 6 or (not row.answers and row.step in askable_tasks())
        assert bool(row.vote) == (row.phase == "predict")
        assert len(set(row.answers)) == len(row.answers)
        check_links([row.teacher, row.students])
    assert "<script" in plan_file(key, [])


def check_links(said: Any) -> None:
    for to in re.findall(r" to='([^']*)'", repr(said)):
        page, _, query = to.lstrip("/").partition("?")
        assert page in {each.path for each in PAGES} | {"class"}, to
        assert not query or query.removeprefix("v=1&plan=") in plans(), to


@pytest.mark.right
def test_the_guide_names_the_command_and_its_links_resolve() -> None:
    title, blocks = guide()
    assert title and Copy(START_COMMAND) in blocks and Code(START_COMMAND) in blocks
    assert "Goto(" in repr(blocks)
    check_links(blocks)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "7.toml is not TOML"),
        ("title = 'a'\naim = 'b'", "no 'row'"),
        ("title = 'a'\naim = 'b'\n[[row]]\nminutes = 1\nphase = 'sleep'", "no phase “sleep”"),
    ],
)
def test_a_damaged_plan_is_refused(text: str, said: str) -> None:
    with pytest.raises(LessonError, match=said):
        read_plan(text, "7.toml")


# -- files --


def test_a_saved_chapter_holds_all_its_steps_and_loads_nothing() -> None:
    saved = chapter_file(PAIR.id, [])
    found = re.search(r'id="data">(.*?)</script>', saved["file"])
    assert found
    steps = json.loads(found[1])["steps"]
    assert [step["id"] for step in steps] == [step.id for step in course().chapter_of(PAIR.id).steps]
    for step in steps:
        assert not step["task"] or step["task"]["judged"]["state"] == "done"
    assert "default-src 'none'" in saved["file"]
    drawn = re.sub(r"<script.*?</script>", "", saved["file"], flags=re.DOTALL)  # scripts have templates of links
    assert not re.search(r'(?:src|href)="', drawn)
    assert re.fullmatch(r"tokviz [\w ]+\.html", saved["name"])
    with pytest.raises(UnknownNameError):
        chapter_file("no-such-step", [])


def test_links_to_steps_that_are_not_in_a_file_are_words_there() -> None:
    for file in [plan_file(key, []) for key in plans()]:
        for to in re.findall(r'"to":"([^"]*)"', file):
            assert to.startswith("#") and f'"id":"{to[1:]}"' in file
