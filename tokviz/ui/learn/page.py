"""The Learn page: the course as one component, which asks for steps and for judgements; or a lesson plan."""

from __future__ import annotations

from tokviz.teach.lessons.course import course
from tokviz.teach.lessons.plans import GUIDE, plans
from tokviz.ui.frame import links, shell
from tokviz.ui.frame.say import part
from tokviz.ui.learn.drawn import done_data, outline, own_of, step_data
from tokviz.ui.learn.lesson import lesson
from tokviz.ui.learn.link import LearnLink
from tokviz.ui.learn.planning import plan_query, planning
from tokviz.ui.learn.state import LearnState
from tokviz.ui.server.mine import stand_at
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    state = me.state(LearnState)
    arrived = links.arrived(me, "learn", LearnLink)
    if arrived:
        _go(state, arrived.link.page)
    links.offer_way_back(LearnLink)
    links.say_faults()
    with part():
        if state.planning:
            planning(me, state)
        else:
            _lesson(me, state)


def _go(state: LearnState, asked: LearnLink) -> None:
    """Open what a link names."""
    if asked.step:
        state.step, state.planning = asked.step, False
    if asked.plan:
        state.plan, state.planning = asked.plan, True


def _lesson(me: Visitor, state: LearnState) -> None:
    step = course().steps.get(state.step) or next(iter(course().steps.values()))
    stand_at(step.id)
    lesson(
        outline(),
        step_data(step, own_of(me), state),
        done_data(state),
        ways=_ways(state),
        fresh=not state.step,
        key="learn.lesson",
    )


def _ways(state: LearnState) -> list[dict[str, str]]:
    """Links to other parts: the plan that was open last, and the class."""
    plan = state.plan if state.plan in plans() else next(iter(plans()))
    named = "Lesson plans" if state.plan in ("", GUIDE) else f"Lesson plan: {plans()[plan].minutes} minutes"
    return [
        {"page": "learn", "query": plan_query(plan), "text": named},
        {"page": "class", "query": "v=1", "text": "Teach a class"},
    ]
