"""The workbench of Tokens under AppTest: what it is sent, what it asks for, and that no text of one's own is lost."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, ask, at, components, me, notes, open_files, type_on_compare, type_on_tokens
from tests.waiting import PATIENCE_S
from tokviz.catalog.samples import examples
from tokviz.formats.tokviz import dump
from tokviz.ui.server import limits
from tokviz.ui.server.visitor import FIRST_TEXT, Visitor
from tokviz.ui.tokenview import workbench

__all__ = ["app"]

ROOT = Path(__file__).parents[1]


def test_tokens_opens_on_a_question_already_encoded(app: AppTest) -> None:
    (bench,) = components(app, "workbench")
    assert (bench["text"], bench["opening"]) == (FIRST_TEXT, True)
    (block,) = bench["blocks"]
    assert block["key"] == "o200k_base"
    assert len(base64.b64decode(block["seams"])) == 4 * len(bench["text"].encode())
    assert block["badge"] == {"good": True, "text": "same ids as tiktoken"}


def test_a_rerun_sends_the_workbench_nothing_new_until_the_text_is_anothers(app: AppTest) -> None:
    (before,) = components(app, "workbench")
    assert components(app.run(), "workbench") == [before]
    (typed,) = components(type_on_tokens(app, "typed"), "workbench")
    assert (typed["text"], typed["stamp"]) == ("typed", before["stamp"]), "the browser has it already"
    (with_request,) = components(ask(app, what="renew", text="typed on"), "workbench")
    assert (with_request["text"], with_request["stamp"]) == ("typed on", before["stamp"])
    type_on_compare(app, "changed there")
    (changed,) = components(at(app, "tokens"), "workbench")
    assert (changed["text"], changed["stamp"]) == ("changed there", before["stamp"] + 1)


def test_a_run_that_is_broken_off_leaves_the_next_one_whole(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def broken_off_once(me: Visitor, text: str, *more: Any) -> dict[str, Any]:
        asked.append(text)
        if len(asked) == 1:
            raise RerunException(RerunData())
        return whole(me, text, *more)

    whole = workbench._data
    monkeypatch.setattr(workbench, "_data", broken_off_once)
    new = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run()
    assert len(asked) == 2
    (bench,) = components(new, "workbench")
    assert bench["text"] == FIRST_TEXT
    assert not new.exception
    assert notes(new) == ""


def test_the_opening_is_there_until_something_is_done(app: AppTest) -> None:
    def is_met() -> bool:
        return bool(components(app.run(), "workbench")[0]["opening"])

    assert is_met()
    at(at(app, "compare"), "tokens")
    assert is_met()
    ask(app, what="renew")
    assert is_met()
    type_on_tokens(app, f"{FIRST_TEXT}!")
    assert not is_met()
    type_on_tokens(app, FIRST_TEXT)
    assert not is_met()
    new = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run()
    (shown,) = components(ask(new, what="cost"), "workbench")
    assert [head["title"] for head in shown["heads"]] == ["GPT-5", "GPT-4o", "GPT-3.5 Turbo"]
    assert shown["opening"], "one door leaves the others"


def test_an_example_takes_the_place_of_the_own_text_and_gives_it_back(app: AppTest) -> None:
    type_on_tokens(app, "my own")
    (shown,) = components(ask(app, what="example", name="Code"), "workbench")
    code = next(one for one in examples() if one.title == "Code")
    assert (shown["text"], shown["example"], shown["back"]) == (code.text, "Code", True)
    (shown,) = components(ask(app, what="back"), "workbench")
    assert (shown["text"], shown["example"], shown["back"]) == ("my own", None, False)
    (shown,) = components(ask(app, what="clear"), "workbench")
    assert (shown["text"], shown["back"]) == ("", True)


def test_what_was_typed_over_an_example_is_kept_too(app: AppTest) -> None:
    type_on_tokens(app, "my own")
    ask(app, what="example", name="Code")
    # what the socket did not carry comes with what is asked
    (shown,) = components(ask(app, what="example", name="Emoji", text="code, and more"), "workbench")
    assert shown["back"] == 2
    (shown,) = components(ask(app, what="back"), "workbench")
    assert (shown["text"], shown["back"]) == ("code, and more", 1)
    (shown,) = components(ask(app, what="back"), "workbench")
    assert (shown["text"], shown["back"]) == ("my own", 1)


def test_how_special_tokens_are_read_is_the_visitors(app: AppTest) -> None:
    type_on_tokens(app, "one<|endoftext|>")
    me(app).specials = "special"
    (shown,) = components(app.run(), "workbench")
    (block,) = shown["blocks"]
    assert (shown["specials"], block["whole"], block["refused"]) == ("special", {"3": 199999}, None)
    assert block["badge"] == {"good": True, "text": "same ids as tiktoken"}
    me(app).specials = "refuse"
    (shown,) = components(app.run(), "workbench")
    (block,) = shown["blocks"]
    assert (shown["specials"], block["whole"], block["refused"]) == ("refuse", {}, ["<|endoftext|>", 3])
    at(app, "compare")
    assert components(at(app, "tokens"), "workbench") == [shown]


def test_a_text_that_is_too_long_is_cut(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser sends one: the field has room for no more."""
    monkeypatch.setattr(limits, "TEXT_UNITS", 5)
    (shown,) = components(type_on_tokens(app, "ab🎉🎉"), "workbench")
    assert shown["text"] == "ab🎉"


@pytest.mark.parametrize("said", [3, {"what": 1}, {"what": "back", "text": 1}, {"what": "example", "name": "?"}])
def test_nonsense_from_the_workbench_changes_nothing(app: AppTest, said: object) -> None:
    before = components(ask(app, what="below"), "workbench")
    app.session_state["tokens.workbench"] = {"asked": said}
    assert components(app.run(), "workbench") == before
    assert not app.exception


def test_a_text_that_a_pattern_cannot_cut_is_said_in_its_block(app: AppTest) -> None:
    model = tokviz.train("one two", 258, pattern=r"\w+| ", name="words").tokenizer
    open_files(app, ("words.json", dump(model)))
    type_on_tokens(at(app, "tokens"), "one-two")
    blocks = components(app, "workbench")[0]["blocks"]
    assert "does not cover the text" in blocks[0]["error"]
    assert blocks[1]["error"] is None
