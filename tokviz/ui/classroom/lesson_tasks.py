"""The tasks of lessons as questions to a class: those with answers to choose from.

A class does not see the view of the step. So a task `choose` can be asked only if its lesson file has the line
`in_class`, which says what somebody needs to know who does not see it.

The wrong answers of such a task have hints, which are computed too. In a class they say at the reveal why an answer is
wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tokviz.base.errors import InputError
from tokviz.base.sentences import Goto, SentencePart, Told, plain, to_json
from tokviz.teach.lessons.course import Step, course
from tokviz.teach.lessons.tasks.choose import Choose
from tokviz.teach.lessons.tasks.next_merge import MergeOfTraining
from tokviz.teach.questions import LETTERS, Option, Question, prediction


def askable_tasks() -> dict[str, str]:
    """The steps of lessons whose task can be a question: id -> chapter and title."""
    steps = course().steps.values()
    return {step.id: f"{step.chapter}: {step.title}" for step in steps if _can_be_asked(step)}


def _can_be_asked(step: Step) -> bool:
    if step.task is None:
        return False
    return (step.task.name == "next-merge" and step.view is not None and step.view.name == "player") or (
        step.task.name == "choose" and "in_class" in step.task.says and len(step.task.says["options"]) <= len(LETTERS)
    )


def task_question(step_id: str) -> Question:
    """The task of this step as a question. Raises TokvizError if there is no such step, or if it cannot be one."""
    step = course().step(step_id)
    task = step.make_task(step.show()) if _can_be_asked(step) else None
    if isinstance(task, MergeOfTraining):
        return replace(prediction(task.training, task.step), kind="task")
    if isinstance(task, Choose):
        return _choice(step, task)
    raise InputError("The task of this step cannot be asked in a class.", "Choose another step.")


def _choice(step: Step, task: Choose) -> Question:
    says = step.task.says if step.task else {}
    options = [
        Option(
            text=plain(text),
            note="right" if i == task.right else "",
            wrong=() if i == task.right else (_without_links(task.hints[i]),),
        )
        for i, text in enumerate(task.options)
    ]
    return Question(
        "task",
        str(says.get("title", step.title)),
        tuple(options),
        task.right,
        lead=plain(task.sentence(says["in_class"])),
        why=(_without_links(task.because),),
    )


def _without_links(parts: Iterable[SentencePart]) -> Told:
    """The sentence as a question has it. A link would lead a student away from the vote."""
    return to_json(part.text if isinstance(part, Goto) else part for part in parts)
