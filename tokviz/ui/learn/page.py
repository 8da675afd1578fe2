"""The Learn page: the course as one component, which asks its socket for steps and for judgements."""

from __future__ import annotations

from tokviz.lessons.course import course
from tokviz.ui import links
from tokviz.ui.components.lesson import lesson
from tokviz.ui.frame import shell
from tokviz.ui.frame.say import part
from tokviz.ui.learn.drawn import done_data, outline, own_of, step_data
from tokviz.ui.learn.link import LearnLink
from tokviz.ui.learn.state import LearnState
from tokviz.ui.rooms.mine import stand_at
from tokviz.ui.visitors.registry import visitor


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    state = me.state(LearnState)
    arrived = links.arrived(me, "learn", LearnLink)
    if arrived and arrived.link.page.step:
        state.step = arrived.link.page.step
    links.offer_way_back(LearnLink)
    links.say_faults()
    step = course().steps.get(state.step) or next(iter(course().steps.values()))
    stand_at(step.id)
    with part():
        lesson(
            outline(), step_data(step, own_of(me), state), done_data(state), fresh=not state.step, key="learn.lesson"
        )
