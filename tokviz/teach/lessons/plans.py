"""Reads tokviz/data/lessons/plans: lesson plans, as rows for a teacher to follow, and the guide to running a class.

A plan is a TOML file, named by its minutes. It has a `title`, an `aim`, and rows:

    [[row]]
    minutes = 5
    phase = "predict"
    teacher = "What the teacher does."
    students = "What the students do."
    step = "training-loop-2"
    vote = "Which pair merges next?"

phase is predict, measure or explain. `step` and `vote` may be left out. A question that is not the task of the step has
`answers`. Sentences can have in them what those of lessons have: see tokviz/data/lessons/README.md.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Literal, cast, get_args

from markdown_it import MarkdownIt

from tokviz.base.blocks import Block, Copy, Line, List
from tokviz.base.data import DATA
from tokviz.base.errors import UnknownNameError
from tokviz.base.sentences import Code, SentencePart
from tokviz.teach.lessons.prose import inline_parts, parts_of
from tokviz.teach.lessons.shown import LessonError

FOLDER = DATA / "lessons" / "plans"
GUIDE = "class"  # its name in links, beside the names of the plans

PlanPhase = Literal["predict", "measure", "explain"]


@dataclass(frozen=True, slots=True)
class PlanRow:
    """Describes a row of a plan.

    at: int, the minute in which it begins, from 0. teacher, students: what they do.
    step: an id, "" for none.
    vote: the question to vote on, "" for none. answers: those to choose from, () for those of the step's task.
    """

    at: int
    minutes: int
    phase: PlanPhase
    teacher: Sequence[SentencePart]
    students: Sequence[SentencePart]
    step: str
    vote: str
    answers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """Holds a lesson plan. key: its name in links. aim: what students can say afterwards."""

    key: str
    title: str
    aim: str
    rows: Sequence[PlanRow]

    @property
    def minutes(self) -> int:
        """How long the lesson takes."""
        return sum(row.minutes for row in self.rows)


@cache
def plans() -> dict[str, Plan]:
    """Read the plans that are bundled with tokviz, the shortest first.

    >>> [plan.minutes for plan in plans().values()]
    [20, 45, 90]
    """
    read = (read_plan(path.read_text("utf-8"), path.name) for path in FOLDER.glob("*.toml"))
    return {plan.key: plan for plan in sorted(read, key=lambda plan: plan.minutes)}


def plan(key: str) -> Plan:
    """Find the plan with this key. Raises UnknownNameError."""
    if key not in plans():
        raise UnknownNameError(f"There is no lesson plan “{key[:40]}”.", f"There are {', '.join(plans())}.")
    return plans()[key]


def read_plan(text: str, file: str) -> Plan:
    """Read the plan in the text of a file. file: its name. Raises LessonError if the text is not of the form above."""
    try:
        said = tomllib.loads(text)
        begins = accumulate((int(row["minutes"]) for row in said["row"]), initial=0)
        rows = [
            PlanRow(
                at,
                row["minutes"],
                _phase(row["phase"], file),
                parts_of(row["teacher"]),
                parts_of(row["students"]),
                row.get("step", ""),
                row.get("vote", ""),
                tuple(row.get("answers", ())),
            )
            for at, row in zip(begins, said["row"], strict=False)
        ]
        return Plan(file.removesuffix(".toml"), said["title"], said["aim"], rows)
    except tomllib.TOMLDecodeError as fault:
        raise LessonError(f"{file} is not TOML: {fault}.") from None
    except KeyError as fault:
        raise LessonError(f"{file}: a plan, or a row of it, has no {fault}.") from None


def _phase(name: str, file: str) -> PlanPhase:
    if name not in get_args(PlanPhase):
        raise LessonError(f"{file}: there is no phase “{name}”.", f"There are {', '.join(get_args(PlanPhase))}.")
    return cast(PlanPhase, name)


@cache
def guide() -> tuple[str, Sequence[Block]]:
    """Read the guide to running a class: its title and what is drawn below it."""
    title, before = "", ""
    blocks: list[Block] = []
    items: list[Line] = []
    for token in MarkdownIt("commonmark").parse((FOLDER / "class.md").read_text("utf-8")):
        if token.type == "bullet_list_open":
            items = []
            blocks.append(List(items))
        elif token.type == "fence":
            blocks += [Code(token.content.strip()), Copy(token.content.strip())]
        elif before == "h1":
            title = token.content
        elif before == "h2":
            blocks.append(Line([token.content], "title", 2))
        elif token.type == "inline":  # in a list, its paragraph is at a deeper level
            (items if token.level > 1 else blocks).append(Line(inline_parts(token), "text"))
        before = token.tag if token.nesting == 1 else ""
    return title, blocks
