"""The rooms of a visitor: the one that they lead, and the one that they are in.

A room is kept in tokviz/teach/rooms, under a hash of the visitor's key, and not with the visitor.
"""

from __future__ import annotations

import streamlit as st

from tokviz.teach.rooms.register import opaque
from tokviz.teach.rooms.room import Room
from tokviz.ui.server.cookie import key_in, new_key
from tokviz.ui.server.hub import hub
from tokviz.ui.server.line import resting
from tokviz.ui.server.session import in_session


def room_led() -> Room | None:
    """The room that this visitor opened last, which may have ended; None if there is none."""
    return hub().rooms.of_teacher(_me())


def room_joined() -> Room | None:
    """The room that this visitor joined last, which may have ended; None if there is none."""
    return hub().rooms.of_student(_me())


def open_room() -> Room:
    """The room that this visitor leads, a new one if none is open. SettingError if the server has too many."""
    room = hub().rooms.open(_me(), st.context.ip_address or "")
    with resting():
        hub().write()  # so that the page can say whether the room is on the disk
    return room


def stand_at(step: str, key: str | None = None) -> None:
    """The visitor is now at this step of a lesson, and so is the class that they lead.

    key: the visitor's, where no page of theirs runs.
    """
    room = hub().rooms.of_teacher(_me() if key is None else opaque(key))
    if room:
        room.stand_at(step)


def leave_rooms() -> None:
    """End the room that this visitor leads, and take them out of the one that they are in."""
    rooms, led = hub().rooms, room_led()
    if led:
        led.end(rooms.now())
    rooms.leave(_me())


def _me() -> str:
    """The visitor's key in rooms. A browser that takes no cookie has one in its session."""
    return opaque(key_in(st.context.cookies) or in_session("class.key", new_key))
