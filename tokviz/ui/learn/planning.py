"""Draws a lesson plan as a table that a teacher can print, or the guide to running a class."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz.base.blocks import Cell, Copy, Line, Quiet, Table
from tokviz.base.sentences import Goto, Strong
from tokviz.base.wording import count_of
from tokviz.offline.lesson import plan_file, plan_name
from tokviz.teach.lessons.course import course
from tokviz.teach.lessons.plans import GUIDE, PlanRow, guide, plan, plans
from tokviz.teach.questions import LETTERS
from tokviz.ui.frame import shell
from tokviz.ui.frame.address import Link, encode
from tokviz.ui.learn.drawn import own_of
from tokviz.ui.learn.link import LearnLink, step_query
from tokviz.ui.learn.state import LearnState
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.shown import show


def planning(me: Visitor, state: LearnState) -> None:
    """Draw the plan that is open, or the guide."""
    names = {key: f"{one.minutes} minutes" for key, one in plans().items()} | {GUIDE: guide()[0]}
    ways: list[Cell] = [Goto("‹ Learn", f"/learn?{step_query(state.step or next(iter(course().steps)))}")]
    ways += [Strong(name) if key == state.plan else Goto(name, _to(key)) for key, name in names.items()]
    show(Line(ways), key="learn.ways", label="Lesson plans")
    if state.plan == GUIDE:
        title, blocks = guide()
        shell.head(title, "The server, the students, the network, and what to do when the network is bad.")
    else:
        shown = plan(state.plan)
        shell.head(f"{shown.title}: {shown.minutes} minutes", shown.aim)
        blocks = [Table([], [_row(row) for row in shown.rows])]
    with st.container(horizontal=True, vertical_alignment="center", key="learn.tools"):
        if state.plan != GUIDE:
            st.download_button(
                "Save these lessons as a file",
                data=partial(plan_file, state.plan, own_of(me)),
                file_name=plan_name(state.plan),
                mime="text/html",
                on_click="ignore",
            )
        show(Copy(plan_query(state.plan), "Copy link", is_query=True), key="learn.copy")
    show(*blocks, key="learn.plan", label="Lesson plan")


def plan_query(key: str) -> str:
    """The query of a link to a plan, or to the guide."""
    return encode(Link(LearnLink(plan=key)))


def _to(key: str) -> str:
    return f"/learn?{plan_query(key)}"


def _row(row: PlanRow) -> list[Cell]:
    when = [Strong(count_of(row.minutes, "minute")), "\n", Quiet(f"{row.at} to {row.at + row.minutes}, {row.phase}")]
    teacher: list[Cell] = [Strong("Teacher: "), *row.teacher]
    if row.vote:
        answers = [f"\n{letter}: {answer}" for letter, answer in zip(LETTERS, row.answers, strict=False)]
        teacher += ["\n", Strong("Vote: "), row.vote, *answers]
        teacher += [] if answers else [Quiet(" The answers are those of the task.")]
    students: list[Cell] = [Strong("Students: "), *row.students]
    if row.step:  # by its number too, because a link on paper leads nowhere
        to = Goto(course().step(row.step).title, f"/learn?{step_query(row.step)}")
        students += [f"\nStep {course().number(row.step)}: ", to]
    return [Line(cells, "text") for cells in (when, teacher, students)]
