"""What is too much for a field or an uploader is said, and nothing that was typed or taken before is lost."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import streamlit as st
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from streamlit.testing.v1 import AppTest

from tests.pages import app, at, me, notes, typed_in, upload
from tokviz.base.text import read_text
from tokviz.ui.frame import field as fields
from tokviz.ui.frame import uploads as uploading
from tokviz.ui.frame.uploads import Uploads
from tokviz.ui.server import limits
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.train.state import TrainState

__all__ = ["app"]

LONG = "ab " * 20 + "🦜"


def test_a_field_that_is_too_long_keeps_what_was_typed_and_says_so(app: AppTest, monkeypatch: Any) -> None:
    monkeypatch.setattr(limits, "FIELD_UNITS", 50)
    monkeypatch.setattr(limits, "TEXT_UNITS", 50)
    state = me(app).state(TokensState)
    state.ids.text, state.chat.messages[0].content = "1, " * 20, LONG
    state.below = "ids"
    app.run()
    assert "This has 60 characters, and 50 are the limit. Make it shorter to use it." in notes(app)
    assert typed_in(app, "tokens.ids.text") == "1, " * 20
    state.below = "chat"
    app.run()
    assert "This message has 61 characters. The first 50 are used here. The whole text is kept." in notes(app)
    assert typed_in(app, "tokens.chat.opening1.content") == LONG

    me(app).state(TrainState).settings.special = LONG
    at(app, "train")
    assert "The list of special tokens has 62 characters, and 50 are the limit." in notes(app)
    assert typed_in(app, "train.settings.special") == LONG and not app.exception


def named() -> None:
    import streamlit as st

    from tokviz.ui.frame.field import field, shown_in

    st.button("Take", on_click=lambda: st.session_state.update(taken=shown_in("name")))
    field("Name", "old", key="name", typed=lambda text: None)


def test_a_button_takes_what_was_typed_although_it_stopped_the_run_that_heard_it(monkeypatch: Any) -> None:
    app = AppTest.from_function(named).run()

    def stopped(*, on_draft_change: Any, **rest: Any) -> None:
        on_draft_change()
        st.stop()

    with monkeypatch.context() as during:
        during.setattr(fields, "_component", stopped)
        app.session_state["name"] = {"draft": {"id": "1", "text": "new"}}
        app.run()
    app.button[0].click().run()
    assert app.session_state["taken"] == "new"


def entering() -> None:
    import streamlit as st

    from tokviz.ui.frame.field import field, shown_in

    field("Name", "old", key="name", typed=print, entered=lambda: st.session_state.update(taken=shown_in("name")))


def test_enter_takes_what_was_typed_and_leaving_the_field_does_not() -> None:
    app = AppTest.from_function(entering).run()
    app.session_state["name"] = {"draft": {"id": "1", "text": "left", "entered": False}}
    assert "taken" not in app.run().session_state
    app.session_state["name"] = {"draft": {"id": "2", "text": "new", "entered": True}}
    assert app.run().session_state["taken"] == "new"


def bytes_in_uploads() -> int:
    gc.collect()
    return sum(len(one.getbuffer()) for one in gc.get_objects() if type(one) is UploadedFile)


def test_the_bytes_of_files_go_once_their_texts_are_kept(app: AppTest) -> None:
    one, two = ("one.txt", b"so it goes. " * 10_000), ("two.txt", b"here and there. " * 10_000)
    bad, other = ("bad.txt", b"caf\xe9"), ("x" * 5_000 + ".txt", one[1])
    upload(at(app, "train"), one, two)
    assert [text.name for text in me(app).corpus] == ["one.txt", "two.txt"] and bytes_in_uploads() == 0
    before = [text.text for text in me(app).corpus]
    upload(app, one, two, bad, other)
    assert "bad.txt is not UTF-8" in notes(app) and bytes_in_uploads() == len(bad[1])
    assert [text.name for text in me(app).corpus] == ["one.txt", "two.txt", f"{'x' * 79}…"]
    app.checkbox[0].check().run().run()
    assert [text.text for text in me(app).corpus] == [*before, "caf\ufffd", before[0]] and bytes_in_uploads() == 0


def test_a_file_can_be_taken_out_where_there_is_no_room_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    uploads, taken = Uploads({"1": read_text(b"one", "one.txt"), "2": read_text(b"two", "two.txt")}), list[Any]()
    left = UploadedFile(UploadedFileRec("2", "two.txt", "text/plain", b""), FileURLs())
    monkeypatch.setattr(uploading, "widget_value", lambda key: [left])
    monkeypatch.setattr(uploading, "why_no_room", lambda n_bytes: "You can keep no more.")
    uploading._take(uploads, "files", taken.extend, False)
    assert [text.name for text in taken] == ["two.txt"] and not uploads.faults


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        ("CORPUS_FILES", 2, "That makes 3 files, and 2 are the limit. Join short files, or choose fewer."),
        ("CORPUS_MB", 1, "That makes 2,400,000 bytes, and 1 MB are the limit for all files together."),
    ],
)
def test_too_much_for_a_corpus_is_said_before_it_is_read(
    app: AppTest, limit: str, most: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(at(app, "train"), ("before.txt", b"kept"))
    monkeypatch.setattr(limits, limit, most)
    monkeypatch.setattr("tokviz.ui.frame.uploads.read_text", None)
    upload(app, *((f"{n}.txt", b"x" * 800_000) for n in range(3)))
    assert f"0.txt and 2 more cannot be kept. {said}" in notes(app)
    assert [text.name for text in me(app).corpus] == ["before.txt"] and bytes_in_uploads() == 0
    at(app, "library")
    upload(app, *((f"{n}.txt", b"x" * 800_000) for n in range(3)))
    assert f"0.txt and 2 more cannot be kept. {said}" in notes(app) and not app.exception
