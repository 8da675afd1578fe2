"""The teacher's part of a class: the code, the question, the votes, and the four buttons that lead through them.

The room itself comes over its socket (tokviz/ui/classroom/socket.py). Python adds where students find it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokviz.ui.kit.served import component

_component = component(
    "class_teacher",
    "classroom/class_teacher.js",
    "tokenview/tokens.css",
    "classroom/class_question.css",
    *(f"classroom/{name}.css" for name in ("class_teacher", "join_sheet", "plan", "screens")),
)


def class_teacher(address: str, qr: Sequence[str], *, trouble: str = "", way_out: str = "", key: str) -> None:
    """Draw the room that this visitor leads.

    address: where students type the code, such as "192.0.2.14:8501/class". qr: the rows of its QR code, dark modules
    as "1" and light ones as "0"; none for no code. trouble, way_out: why students may not reach the address, and what
    helps. The component's value has the triggers `moved`, when a room began or ended, and `renew`, when the server does
    not know the visitor; both only make the page run again.
    """
    data = {"address": address, "qr": list(qr), "trouble": trouble, "wayOut": way_out}
    _component(key=key, data=data, on_moved_change=lambda: None, on_renew_change=lambda: None)
