"""The pages under AppTest: each opens whole, whatever the text, and what is made on one is found on the others."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import SHORT, app, at, blocks, components, notes, train, type_in, type_on_tokens, upload, words
from tokviz.catalog.samples import sample
from tokviz.ui.compare.state import CompareState
from tokviz.ui.server.visitor import Visitor

__all__ = ["app"]


def test_replay_opens_on_a_sample_that_plays(app: AppTest) -> None:
    at(app, "replay")
    (player,) = components(app, "replay")
    assert player["window"]["text"] == sample("tongue").text


@pytest.mark.parametrize("text", ["", "\r\n\0", "<script>alert(1)</script>", "<|endoftext|>", " " * 30_000])
def test_hostile_text_is_shown_and_breaks_nothing(app: AppTest, text: str) -> None:
    type_on_tokens(app, text)
    assert not app.exception
    assert notes(app) == ""
    assert components(app, "workbench")[0]["text"] == text
    at(app, "compare")
    assert not app.exception
    assert notes(app) == ""


def test_a_training_joins_the_others_everywhere(app: AppTest) -> None:
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    type_in(app, "train.settings.vocab_size", "270")
    train(app)
    shown = [data["blocks"] for data in components(app, "blocks") if data["label"] == "shells 270"]
    assert "14 merges" in words(shown)
    at(app, "replay")
    assert components(app, "replay")[0]["window"]["text"] == SHORT
    at(app, "compare")
    assert [block["name"] for block in components(app, "compare")[0]["blocks"]] == [
        "shells 270",
        "GPT-2",
        "cl100k_base",
        "o200k_base",
    ]
    at(app, "tokens")
    assert [block["name"] for block in components(app, "workbench")[0]["blocks"]] == ["shells 270", "o200k_base"]


def test_a_file_name_with_a_full_stop_and_a_space_is_shown_whole(app: AppTest) -> None:
    for page in ("train", "compare"):
        at(app, page)
        if page == "compare":
            app.session_state["compare.tab"] = "Files"
            visitor: Visitor = app.session_state["tokviz.visitor"]
            visitor.state(CompareState).tab = "Files"
            app.run()
        upload(app, ("notes. final.txt", b"caf\xe9 au lait"))
        (note,) = blocks(app, "note")
        assert note["what"].startswith("notes. final.txt is not UTF-8: byte 3 (line 1) is E9, ")
        assert note["way_out"]
