"""The questions that a teacher can put to the class, made from what the teacher's page sends."""

from __future__ import annotations

from typing import Any

from tokviz.errors import InputError
from tokviz.questions import Question, own_question, prediction
from tokviz.training import Training
from tokviz.ui.classroom.lesson_tasks import task_question
from tokviz.ui.tokenizers import sample_training
from tokviz.ui.visitors.visitor import Visitor


def question_from(me: Visitor | None, said: Any) -> Question:
    """The question that this teacher wants to add. said: as the socket says, under "Questions".

    Raises TokvizError if there is no such question.
    """
    match said:
        case {"prediction": str() | None as of, "step": int(step)}:
            return prediction(_training(me, of), step)
        case {"task": str(step_id)}:
            return task_question(step_id)
        case {"own": str(title), "options": [*options], "right": int() | None as right}:
            if all(isinstance(option, str) for option in options):
                return own_question(title, options, right)
    raise InputError("This is not a question.", "Reload the page.")


def _training(me: Visitor | None, of: str | None) -> Training:
    if of is None:
        return sample_training()
    mine = me.own(of) if me else None
    if mine is None or mine.training is None:
        raise InputError("The corpus of this tokenizer is no longer here.", "Choose another one, or train it again.")
    return mine.training
