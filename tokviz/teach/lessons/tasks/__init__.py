"""Lists the kinds of tasks that lessons can name, each in a module of its own; ui/learn/tasks draws them."""

from __future__ import annotations

from collections.abc import Callable

from tokviz.teach.lessons.tasks.choose import Choose
from tokviz.teach.lessons.tasks.cut import Cut
from tokviz.teach.lessons.tasks.find_text import FindText
from tokviz.teach.lessons.tasks.next_merge import next_merge
from tokviz.teach.lessons.tasks.number import Number
from tokviz.teach.lessons.tasks.task import Task
from tokviz.teach.lessons.tasks.write_text import WriteText

# Each makes a task from the step's view (None if it has none) and the arguments in the lesson file.
TASKS: dict[str, Callable[..., Task]] = {
    "choose": Choose,
    "cut": Cut,
    "find-text": FindText,
    "next-merge": next_merge,
    "number": Number,
    "write-text": WriteText,
}
