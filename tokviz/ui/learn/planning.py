"""Lesson plans and the guide to running a class, as the browser gets them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tokviz.teach.lessons.course import course
from tokviz.teach.lessons.plans import GUIDE, guide, plan, plans
from tokviz.ui.frame.address import Link, encode
from tokviz.ui.learn.link import LearnLink


def planning_data(key: str, step: str) -> dict[str, Any]:
    """A lesson plan, or the guide. key: the plan's, or GUIDE. step: the id of the step that "‹ Learn" leads back to."""
    common = {"query": plan_query(key), "back": step_query(step), "others": _others(key)}
    if key == GUIDE:
        title, sections = guide()
        lead = "The server, the students, the network, and what to do when it is bad."
        return common | {"title": title, "lead": lead, "sections": sections, "save": None}
    shown = plan(key)
    return common | {
        "title": f"{shown.title}: {shown.minutes} minutes",
        "lead": shown.aim,
        "rows": [asdict(row) | {"step": row.step and _step(row.step)} for row in shown.rows],
        "save": key,
    }


def plan_query(key: str) -> str:
    """The query of a link to a plan, or to the guide."""
    return encode(Link(LearnLink(plan=key)))


def step_query(id: str) -> str:
    """The query of a link to a step."""
    return encode(Link(LearnLink(id)))


def _others(here: str) -> list[dict[str, Any]]:
    names = {key: f"{plan.minutes} minutes" for key, plan in plans().items()} | {GUIDE: guide()[0]}
    return [{"query": plan_query(key), "text": text, "here": key == here} for key, text in names.items()]


def _step(id: str) -> dict[str, str]:
    """A step by its number, as in the list of chapters, because a link on paper leads nowhere."""
    chapters = course().chapters
    chapter = course().chapter_of(id)
    title = course().step(id).title
    place = [step.id for step in chapter.steps].index(id)
    return {"number": f"{chapters.index(chapter) + 1}.{place + 1}", "title": title, "query": step_query(id)}
