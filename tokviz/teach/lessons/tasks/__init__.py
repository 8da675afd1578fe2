"""The kinds of tasks that lessons can name, each in a module of its own; components/lesson draws it."""

from __future__ import annotations

from collections.abc import Callable

from tokviz.teach.lessons.tasks import (
    choose,
    choose_pair,
    cut,
    exact_tokens,
    find_text,
    next_merge,
    number,
    one_token,
    two_texts,
    write_text,
)
from tokviz.teach.lessons.tasks.task import Task

# Each makes a task from the step's view (None if it has none) and the arguments in the lesson file.
TASKS: dict[str, Callable[..., Task]] = {
    "choose": choose.Choose,
    "choose-pair": choose_pair.ChoosePair,
    "cut": cut.Cut,
    "exact-tokens": exact_tokens.ExactTokens,
    "find-text": find_text.FindText,
    "next-merge": next_merge.NextMerge,
    "number": number.Number,
    "one-token": one_token.OneToken,
    "two-texts": two_texts.TwoTexts,
    "write-text": write_text.WriteText,
}
