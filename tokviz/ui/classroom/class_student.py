"""A student's part of a class: the field for the code, the question with its options, and the result.

The room itself comes over its socket (tokviz/ui/classroom/socket.py), which tells a student no vote of others.
"""

from __future__ import annotations

from tokviz.ui.kit.served import component

_component = component(
    "class_student",
    "classroom/class_student.js",
    "tokenview/tokens.css",
    "classroom/class_question.css",
    "classroom/class_student.css",
)


def class_student(code: str = "", *, alone: bool, step: str = "", key: str) -> None:
    """Draw the room that this visitor is in, or the field for a code.

    code: the code of the link that opened the page; its room is joined at once. alone: whether nothing else is on the
    page, so that it has no heading yet; the page then draws the lesson step of the room below. step: the id of that
    step, "" for none; the browser asks for another run until it is the one that the room shows. The component's value
    has the triggers `moved`, when the student comes into a room or leaves it, `step`, when the room shows another
    lesson step or none, and `renew`, when the server does not know the visitor; all only make the page run again.
    """
    _component(
        key=key,
        data={"code": code, "alone": alone, "step": step},
        on_moved_change=lambda: None,
        on_step_change=lambda: None,
        on_renew_change=lambda: None,
    )
