"""The tasks of lessons as questions to a class: those with answers to choose from.

The wrong answers of such a task have hints, which are computed too. In a class they say at the reveal why an answer is
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tokviz.errors import InputError
from tokviz.lessons.course import Step, course
from tokviz.lessons.sentences import Part, Strong, plain
from tokviz.lessons.tasks.choose import Choose
from tokviz.lessons.tasks.choose_pair import ChoosePair
from tokviz.pair_reasons import Sentence
from tokviz.questions import LETTERS, Option, Question, prediction


def askable_tasks() -> dict[str, str]:
    """The steps of lessons whose task can be a question: id -> chapter and title."""
    steps = course().steps.values()
    return {step.id: f"{step.chapter}: {step.title}" for step in steps if _can_be_asked(step)}


def _can_be_asked(step: Step) -> bool:
    if step.task is None:
        return False
    return step.task.name == "choose-pair" or (
        step.task.name == "choose" and len(step.task.says["options"]) <= len(LETTERS)
    )


def task_question(step_id: str) -> Question:
    """The task of this step as a question. Raises TokvizError if there is no such step, or if it cannot be one."""
    step = course().step(step_id)
    task = step.make_task(step.show()) if _can_be_asked(step) else None
    if isinstance(task, ChoosePair):
        return replace(prediction(task.training, task.step), kind="task")
    if isinstance(task, Choose):
        return _choice(step, task)
    raise InputError("The task of this step has no answers to choose from.", "Choose another step.")


def _choice(step: Step, task: Choose) -> Question:
    says = step.task.says if step.task else {}
    options = [
        Option(
            text=plain(text),
            note="right" if i == task.right else "",
            wrong=() if i == task.right else (_spelled(task.hint(i)),),
        )
        for i, text in enumerate(task.sentences)
    ]
    return Question(
        "task",
        str(says.get("title", step.title)),
        tuple(options),
        task.right,
        lead=f"{says.get('begin', '')} In Learn it is the step “{step.title}” of “{step.chapter}”.".strip(),
        why=(_spelled(task.reason()),),
    )


def _spelled(parts: Iterable[Part]) -> Sentence:
    """A sentence of a lesson as one of a question: tokens in hexadecimal, and no links."""
    said: Sentence = []
    for part in parts:
        if isinstance(part, bytes):
            said.append({"tokens": [part.hex()]})
        else:
            said.append({"strong": part.text} if isinstance(part, Strong) else plain([part]))
    return said
