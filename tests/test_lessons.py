"""The course: every block of every lesson is evaluated, so prose and figures cannot drift apart."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest

import tokviz
from tokviz.base.sentences import Goto, plain
from tokviz.catalog.samples import sample
from tokviz.offline.lesson import judged_data
from tokviz.teach.lessons.conditions import holds
from tokviz.teach.lessons.course import Step, course, read_chapter
from tokviz.teach.lessons.kinds import KINDS
from tokviz.teach.lessons.shown import LessonError
from tokviz.teach.lessons.tasks import TASKS
from tokviz.teach.lessons.tasks.choose import Choose
from tokviz.teach.lessons.views import VIEWS
from tokviz.ui.classroom.lesson_tasks import task_question
from tokviz.ui.frame.shell import PAGES
from tokviz.ui.learn.drawn import step_data

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
    if data["task"]:
        assert set(data["task"]) == {"kind", "title", "begin", "start"}
        assert not {"right", "wrong", "answer", "because"} & set(data["task"]["start"])
        assert not re.search("(?m)^assert", data["code"]), f"{step.id}: a result is told before the task is done"


def test_the_course_has_every_kind_of_view_and_task() -> None:
    """So a browser draws all of them: tests/e2e/test_course.py goes through every step."""
    steps = course().steps.values()
    assert {step.view.name for step in steps if step.view} == set(VIEWS)
    assert {step.task.name for step in steps if step.task} == set(TASKS)


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


@pytest.mark.parametrize("step", [param for param in STEPS if param.values[0].code])
def test_the_python_of_a_step_runs(step: Step, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(step.code, f"{step.file}#{step.id}", "exec"), {"__name__": step.id})


@pytest.mark.right
def test_the_python_of_steps_takes_from_tokviz_what_an_import_of_it_gives() -> None:
    """A module such as tokviz.catalog.samples is there only by accident, if something else imported it."""
    for step in course().steps.values():
        tree = ast.parse(step.code)
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tokviz":
                assert node.attr in tokviz.__all__ or f"tokviz.{node.attr}" in imported, f"{step.id}: {node.attr}"


@pytest.mark.right
def test_the_python_of_steps_with_the_storys_tokens_has_the_same_tokenizer() -> None:
    for step in course().steps.values():
        said = [block.says for block in (step.view, step.task) if block]
        if any(block.name == "units" for block in (step.view, step.task) if block) or "story 1024" in str(said):
            assert 'reference("gpt2")' not in step.code, step.id


@pytest.mark.right
def test_lines_of_python_before_a_task_is_done_are_more_than_imports() -> None:
    for step in course().steps.values():
        assert not step.code_before or re.search("(?m)^(?!import |from |$)", step.code_before), step.id


@pytest.mark.right
@pytest.mark.parametrize("step", [param for param in STEPS if param.values[0].view])
def test_what_a_view_can_contradict_is_pinned(step: Step) -> None:
    assert expected(step), f"{step.id} pins no fact of its view under expect"


@pytest.mark.right
def test_ids_in_a_class_question_are_those_of_the_tokenizer_that_it_names() -> None:
    said = task_question("decoding-4").lead
    found = re.match(r"The two ids are (\d+) and (\d+) of (\w+)\.", said)
    assert found, said
    assert tokviz.reference(found[3]).decode_bytes([int(found[1]), int(found[2])]) == "👍".encode()[:3]


@pytest.mark.right
def test_tokens_stand_between_words_and_characters_in_pieces_and_in_vocabulary() -> None:
    shown = course().step("why-tokens-2").show()
    assert shown
    assert holds("words < tokens and tokens < characters", shown.facts)
    assert holds("characters_known < tokens_known and tokens_known < words_known", shown.facts)


@pytest.mark.right
def test_a_tokenizer_for_programs_opens_with_a_program_that_it_makes_shorter() -> None:
    shown = course().step("questions-5").show()
    assert shown and holds("tokens_code < tokens_story", shown.facts)


@pytest.mark.right
def test_hexadecimal_is_explained_before_it_is_used() -> None:
    for step in course().steps.values():
        said = plain([part for paragraph in step.prose for part in paragraph])
        if "hexadecimal" in said:
            return
        shown = json.dumps(step_data(step, [])["view"]) + said
        assert not re.search(r"U\+|\b[0-9A-F]{2} [0-9A-F]{2}\b", shown) and '"kind": "bytes"' not in shown, step.id


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
