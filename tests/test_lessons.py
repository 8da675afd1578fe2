"""The course: every block of every lesson is evaluated, so prose and figures cannot drift apart."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import pytest

from tests.lesson_drawings import drawn
from tokviz.errors import TokvizError
from tokviz.lessons.course import Step, course, read_chapter
from tokviz.lessons.kinds import KINDS
from tokviz.lessons.shown import LessonError
from tokviz.lessons.tasks.choose import Choose
from tokviz.lessons.views import VIEWS
from tokviz.samples import sample
from tokviz.sentences import Goto, plain
from tokviz.ui.course.drawn import judged_data, step_data
from tokviz.ui.frame.shell import PAGES

STEPS = [pytest.param(step, id=step.id) for step in course().steps.values()]


@pytest.mark.parametrize("step", STEPS)
def test_what_a_step_says_is_so(step: Step) -> None:
    data = step_data(step, [])
    assert 1 <= len(step.prose) <= 4
    for name, value in expected(step).items():
        shown = step.show()
        assert shown and name in shown.facts, f"{step.id} expects the fact {name}"
        fact = shown.facts[name]
        assert (fact.decode() if isinstance(fact, bytes) else fact) == value, f"{step.id}: {name}"
    for paragraph in step.prose:
        for part in paragraph:
            if isinstance(part, Goto):
                page, _, id = part.to.partition("?v=1&step=")
                assert page.removeprefix("/") in [place.path for place in PAGES], f"{step.id} leads to {part.to}"
                if id:
                    course().step(id)
    assert data["id"] == step.id
    assert not data["view"] or data["view"]["kind"] in drawn("views")
    if data["task"]:
        assert set(data["task"]) == {"kind", "title", "begin", "start"}
        assert not {"right", "wrong", "answer", "because"} & set(data["task"]["start"])
        assert not re.search("(?m)^assert", data["code"]), f"{step.id}: a result is told before the task is done"


def expected(step: Step) -> dict[str, Any]:
    said = step.view.says.get("expect", {}) if step.view else {}
    assert isinstance(said, dict)
    return said


@pytest.mark.parametrize("step", [param for param in STEPS if param.values[0].task])
def test_a_task_takes_a_right_answer_and_meets_each_mistake_with_its_hint(step: Step) -> None:
    assert step.task
    task = step.make_task(step.show())
    assert task
    wrong = step.task.says["wrong"]
    assert len(wrong) >= 3, f"{step.id} has {len(wrong)} wrong answers"
    hints = []
    for mistake in wrong:
        judged = task.judge(mistake["answer"])
        assert judged.state == "not yet", f"{step.id}: {mistake}"
        hints.append(plain(judged.says))
        assert mistake["hint"] in hints[-1], f"{step.id}: {hints[-1]}"
        judged_data(judged)
    assert len(set(hints)) == len(hints), f"{step.id} has one hint for two mistakes"
    judged = task.judge(step.task.says["right"])
    assert judged.state == "done", f"{step.id}: {plain(judged.says)}"
    assert plain(judged.says)
    judged_data(judged)


@pytest.mark.parametrize("step", [param for param in STEPS if param.values[0].task])
def test_what_is_no_answer_is_refused_or_not_right(step: Step) -> None:
    task = step.make_task(step.show())
    assert task
    for nonsense in (None, True, -1, 10**9, 1.5, [], {}, [[]], {"a": 1}, "\ud83d", "x" * 10_000):
        with contextlib.suppress(TokvizError):
            assert task.judge(nonsense).state != "done"


@pytest.mark.parametrize("step", [param for param in STEPS if param.values[0].code])
def test_the_python_of_a_step_runs(step: Step, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(step.code, f"{step.file}#{step.id}", "exec"), {"__name__": step.id})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A\n\n## B {#b}\n\n- a list", "neither a heading"),
        ("# A\n\n## B\n\nText.", "line 3: The heading of a step has no id"),
        ("# A\n\n## B {#b}\n\n```view tokens\ntext = \n```", "line 5: The block is not TOML"),
        ("# A\n\n## B {#b}\n\n```picture x\n```", "There is no block “picture”"),
        ("# A", "no title or no steps"),
    ],
)
def test_a_damaged_lesson_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(LessonError, match=said):
        read_chapter(text, "01-a.md")


def test_a_step_says_which_fact_view_or_argument_is_unknown() -> None:
    chapter = read_chapter(
        "# A\n\n## B {#b}\n\nThere are {many}.\n\n```view tokens\ntext = 'a'\n```\n\n"
        "## C {#c}\n\nText.\n\n```view cinema\n```\n\n"
        "## D {#d}\n\nText.\n\n```view tokens\ntext = 'a'\nloud = true\n```",
        "01-a.md",
    )
    facts, view, argument = chapter.steps
    with pytest.raises(LessonError, match="line 3: The step names the fact “many”"):
        step_data(facts, [])
    with pytest.raises(LessonError, match="line 15: There is no view “cinema”"):
        step_data(view, [])
    with pytest.raises(LessonError, match="'loud'"):
        step_data(argument, [])


def test_a_lesson_whose_options_are_not_exactly_one_true_and_hints_for_the_others_is_refused() -> None:
    one, other = (
        {"says": "one", "when": "tokens == 1"},
        {"says": "two", "when": "tokens == 2", "hint": "It has {tokens}."},
    )
    shown = VIEWS["tokens"].show(text="a")
    assert plain(Choose(shown, options=[other, one], because="So.").judge(0).says) == "It has 1."
    for options, said in (
        ([other], "0 are true"),
        ([one, one], "2 are true"),
        ([one, {**other, "hint": ""}], "has no hint"),
        ([{**one, "when": "tokens is 1"}], "cannot be read"),
        ([{**one, "when": "tokens == ''"}], "a text with a number"),
        ([{**one, "when": "tokens == 1 + 1"}], "cannot be read"),
        ([{**one, "when": "many == 1"}], "the fact “many”"),
    ):
        with pytest.raises(LessonError, match=said):
            Choose(shown, options=options, because="So.")


@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds_are_trained_to_the_same_tokenizer_each_time(kind: str) -> None:
    """The package settles some ties by an order that is another one each time."""
    story = sample("story").text.splitlines()
    one, *others = [json.loads(KINDS[kind](story, 700)) for _ in range(3)]
    if kind == "Unigram":
        for file in [one, *others]:
            file["model"]["vocab"] = [(token, round(score, 9)) for token, score in file["model"]["vocab"]]
    assert all(other == one for other in others)
