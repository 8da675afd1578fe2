"""Rooms on the disk: what is written, what comes back, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.test_rooms import BEGAN, Clock, question, rooms_at
from tokviz import train
from tokviz.teach.questions import prediction, to_json
from tokviz.teach.rooms.kept import SUFFIX, room_to_json
from tokviz.teach.rooms.room import OPEN_S
from tokviz.teach.rooms.states import teacher_state


def test_what_is_written_is_the_room_of_one_moment() -> None:
    room = rooms_at(Clock()).open("teacher")
    room.add(question())
    room.join("ann")
    room.do("ask", 1)
    data = room_to_json(room)
    before = json.dumps(data)
    room.vote("ann", 0, number=1, round=1, n=1)
    room.join("bob")
    room.do("again", 1)
    assert json.dumps(data) == before


def test_a_damaged_file_a_strange_one_and_an_old_one_bring_no_room_back(tmp_path: Path) -> None:
    clock = Clock()
    rooms = rooms_at(clock, tmp_path)
    room = rooms.open("teacher")
    room.add(question())
    room.join("ann")
    room.do("ask", 1)
    rooms.write()
    path = tmp_path / f"{room.code}{SUFFIX}"
    whole = json.loads(path.read_text())
    asked = to_json(prediction(train("aab aab", 258), 1))
    plans = [
        {**asked, "strip": asked["strip"] | damage}
        for damage in ({"seams": [2**40] * 7}, {"merge_ids": {"0": 0, "-9": 0}})
    ]
    assert rooms_at(clock, tmp_path).of_teacher("teacher")
    spoiled: list[dict[str, Any]] = [
        {"tokviz_room": 99},
        {"phase": "second"},
        {"phase": "open"},
        {"students": ["ann"]},
        {"code": "QQQQ"},
        {"asked": [{**whole["asked"][0], "rounds": [{"ann": 9}]}]},
        {"asked": [{**whole["asked"][0], "rounds": []}]},
        {"asked": [{**whole["asked"][0], "question": {}}]},
        {"began": None},
        {"began": 10**400},
        *({"plan": [question]} for question in plans),
    ]
    for change in spoiled:
        path.write_text(json.dumps({**whole, **change}))
        assert rooms_at(clock, tmp_path).of_teacher("teacher") is None
    for text in ("", "[]", "null", '{"tokviz_room": 1', "[" * 100_000):
        path.write_text(text)
        assert rooms_at(clock, tmp_path).of_teacher("teacher") is None
    path.write_text(json.dumps(whole))
    clock.now += OPEN_S
    assert rooms_at(clock, tmp_path).of_teacher("teacher") is None
    assert not path.exists()


def test_a_room_that_ended_leaves_no_file(tmp_path: Path) -> None:
    rooms = rooms_at(Clock(), tmp_path / "new" / "folder")
    room = rooms.open("teacher")
    assert rooms.write() == [] and room.kept
    room.end(BEGAN)
    rooms.write()
    assert [*(tmp_path / "new" / "folder").iterdir()] == []


def test_a_room_that_cannot_be_written_stays_open_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    rooms = rooms_at(Clock(), tmp_path / "file" / "rooms")
    room = rooms.open("teacher")
    assert rooms.write() == [room]
    assert not teacher_state(room)["kept"]
    room.join("ann")
    assert rooms.write() == [] and teacher_state(room)["joined"] == 1
    (tmp_path / "file").unlink()
    room.join("bob")
    assert rooms.write() == [room] and teacher_state(room)["kept"]
