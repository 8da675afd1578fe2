"""The page of a class: a newcomer joins a room or opens one, a student votes, a teacher asks."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from tokviz.teach.lessons.course import course
from tokviz.teach.rooms.room import BY_TEACHER, Room
from tokviz.ui.classroom.addresses import START_COMMAND, meeting, qr_rows
from tokviz.ui.classroom.choosing import add_questions, choose_questions, first_questions
from tokviz.ui.classroom.link import ClassLink
from tokviz.ui.frame import links, shell
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.say import note, part
from tokviz.ui.frame.widgets import kept_in_session, widget_value
from tokviz.ui.kit.served import component
from tokviz.ui.learn.drawn import done_data, outline, own_of, step_data
from tokviz.ui.learn.lesson import lesson
from tokviz.ui.learn.state import LearnState
from tokviz.ui.server.mine import open_room, room_joined, room_led
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor, shared

_HERE = Path(__file__).parent
OPEN = "class.open"
_STYLES = ("tokenview/tokens.css", "tokenview/marked.css", "classroom/question.css")
_student_component = component(
    "class_student", "classroom/class_student.js", *_STYLES, "learn/tasks/tasks.css", "classroom/class_student.css"
)
_teacher_component = component("class_teacher", "classroom/class_teacher.js", *_STYLES, "classroom/class_teacher.css")


def page() -> None:
    """Draw the page."""
    shell.enter()
    me = visitor()
    arrived = links.arrived(me, "class", ClassLink)
    tab = kept_in_session("class")
    if arrived and arrived.link.page.code:
        tab["code"] = arrived.link.page.code
    if any((widget_value(key) or {}).get("moved") for key in ("class.student", "class.joining")):
        tab.pop("code", None)
    code, led = tab.get("code", ""), room_led()
    links.say_faults()
    if led and led.phase != "ended" and not code:
        _teacher(me, led)
    elif code or room_joined():
        _student(me, code)
    else:
        _newcomer(me, led)


def _student(me: Visitor, code: str) -> None:
    st.html(_HERE / "student.css")
    room = room_joined()
    shown = room.shown_step if room else ""
    with part():
        _room_of_student("class.student", code, shown, alone=True)
    step, state = course().steps.get(shown), me.state(LearnState)
    if step:  # of the teacher; what is done in it is the student's own
        with part():
            lesson(outline(), step_data(step, own_of(me), state), done_data(state), alone=True, key="class.step")


def _room_of_student(key: str, code: str = "", step: str = "", *, alone: bool) -> None:
    """Draw the room that this visitor is in, or the field for a code; its script says what it asks for."""
    data = {"code": code, "alone": alone, "step": step}
    again = {f"on_{name}_change": lambda: None for name in ("moved", "step", "renew")}
    _student_component(key=key, data=data, **again)


def _teacher(me: Visitor, room: Room) -> None:
    place = meeting(st.context.url, st.get_option("server.address"))
    qr = qr_rows(place.with_code(room.code))
    data = {"address": place.typed, "qr": qr, "trouble": place.trouble, "wayOut": place.way_out}
    with part():
        _teacher_component(key="class.teacher", data=data, on_moved_change=lambda: None, on_renew_change=lambda: None)
    with part():
        choose_questions(me, room)


def _newcomer(me: Visitor, ended: Room | None) -> None:
    shell.head("Class", "One person asks, and everyone in the room votes. No names are asked for.")
    if ended:
        note("info", f"Your room {ended.code} is closed.", "" if ended.over == BY_TEACHER else ended.over)
    join, teach = st.columns(2, gap="large")
    with join, st.container(border=True, height="stretch"):
        st.header("Join with a code", anchor=False)
        _room_of_student("class.joining", alone=False)
    with teach, st.container(border=True, height="stretch"):
        st.header("Open a room", anchor=False)
        st.markdown(
            "- Students need a browser, on a phone or a laptop, and the network that this machine is in. They type a "
            "code of four characters.\n"
            "- You ask which pair merges next, a task of a lesson, or a question of your own. You see how many have "
            "voted; what they voted is hidden until you reveal it.\n"
            "- Before the reveal, they can talk and vote again; then you see both votes and the gain.\n"
            "- The room is closed when you close it, or after two hours."
        )
        if not shared():
            st.caption("To let students reach this server, start it with:")
            st.code(START_COMMAND, language=None, wrap_lines=True)
        st.button("Open a room", key=OPEN, on_click=pressed, args=(me, OPEN, _open))
        say_trouble(me, OPEN)


def _open() -> None:
    """Open a room that has questions, so that the teacher can ask at once."""
    room = open_room()
    if not room.n_questions:
        add_questions(room, first_questions())
