"""Opening files on the Library page under AppTest: formats by content, what is asked, and what is refused."""

from __future__ import annotations

import re
import threading

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.formats_cases import HUG, in_gguf
from tests.hostile.files import tekken
from tests.pages import SHORT, app, at, button, me, notes, type_in, upload
from tokviz.base.json_files import LARGE
from tokviz.catalog import saved
from tokviz.catalog.references import reference
from tokviz.formats import FORMATS, WRITTEN, dump
from tokviz.ui.library import found_files
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server import line
from tokviz.ui.server.registry import VISITORS

__all__ = ["app"]

TOK = tokviz.train(SHORT, 280, special_tokens=["<|end|>"], name="shells").tokenizer
MODEL = saved.dump(TOK)
HOSTILE = "<img src=x onerror=alert(1)> **b** :red[y] $x$"


def answer(app: AppTest, name: str, text: str) -> None:
    """Say beside the first files what they do not say."""
    type_in(app, f"library.{me(app).state(LibraryState).found[0].key}.{name}", text)


@pytest.mark.parametrize("key", WRITTEN)
def test_a_file_of_each_format_opens_by_its_content(app: AppTest, key: str) -> None:
    tok = HUG.with_special_tokens({}) if key == "tiktoken" else HUG
    files = {f"{name}.bin": data for name, data in dump(tok, key).items()}
    upload(at(app, "library"), *files.items())
    format = FORMATS[key]
    if format.asks:
        assert button(app, "**Add it**").disabled and len(app.selectbox) == 2
        app.selectbox[0].set_value("gpt2").run()
        app.selectbox[1].set_value("list" if key == "tiktoken" else "all").run()
        if key == "tiktoken":
            answer(app, "special_list", "<|a|> 300\n<|b|> three")
            assert "Line 2 of the special tokens is not a text and its id." in notes(app)
            answer(app, "special_list", "<|a|> 300\n<|b|> 301")
    said = notes(app)
    assert f"can be opened: {format.title.partition(':')[0]}" in said
    assert ("Nothing is lost." in said) == (key == "tokviz")
    button(app, "**Add it**").click().run()
    (mine,) = me(app).trained
    assert mine.tokenizer.encode("hug<|a|>", "all") == HUG.encode("hug<|a|>", "all")
    assert notes(app) == "" and "**Add it**" not in {one.label for one in app.button}


def test_what_is_known_is_filled_in_and_said(app: AppTest) -> None:
    gpt2 = reference("gpt2")
    upload(at(app, "library"), *dump(gpt2, "gpt2").items())
    assert "The tokens are those of GPT-2, so its split pattern and its special tokens are used." in notes(app)
    assert len(app.selectbox) == 0
    button(app, "Leave it out").click().run()
    upload(app, *dump(gpt2, "vocab-merges").items())
    assert "so its split pattern and its special tokens are filled in." in notes(app)
    assert [box.value for box in app.selectbox] == ["gpt2", "all"]
    button(app, "**Add it**").click().run()
    (mine,) = me(app).trained
    assert mine.tokenizer.encode("naïve<|endoftext|>", "all") == gpt2.encode("naïve<|endoftext|>", "all")


def test_only_what_the_files_do_not_say_is_asked(app: AppTest) -> None:
    upload(at(app, "library"), *dump(HUG.with_special_tokens({}), "gpt2").items())
    assert [box.label for box in app.selectbox] == ["Split pattern"], "every token is made by a merge"
    assert "encoder.json does not say with which pattern texts are split. Choose below." in notes(app)
    app.selectbox[0].set_value("none").run()
    button(app, "**Add it**").click().run()
    assert me(app).trained[0].tokenizer.encode("hug") == [257]


LISTED = HUG.with_special_tokens({"<|a|>": 258, "<|b|>": 259})


@pytest.mark.right
@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({}, []),
        ({"tokenizer_pre": None}, ["Split pattern"]),
        ({"tokenizer_pre": "none of ours"}, ["Split pattern"]),
        ({"token_types": None}, ["Special tokens"]),
        ({"token_types": None, "tokenizer_pre": None}, ["Split pattern", "Special tokens"]),
    ],
    ids=str,
)
def test_a_model_is_asked_for_what_its_metadata_lacks(app: AppTest, fields: dict[str, None], asked: list[str]) -> None:
    upload(at(app, "library"), *in_gguf(LISTED, **fields).items())
    assert [box.label for box in app.selectbox] == asked
    assert ("names its split pattern 'none of ours'" in notes(app)) == (fields.get("tokenizer_pre") is not None)
    for at_box, answer in enumerate({"Split pattern": "gpt2", "Special tokens": "all"}[label] for label in asked):
        assert button(app, "**Add it**").disabled
        app.selectbox[at_box].set_value(answer).run()
    button(app, "**Add it**").click().run()
    tok = me(app).trained[0].tokenizer
    assert (tok.pattern, tok.special_tokens) == ("gpt2", LISTED.special_tokens)


@pytest.mark.right
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({**dump(HUG, "gpt2"), "vocab.bpe": b"#version: 0.2\nh ug\nu g\n"}, "only a later merge, number 3, makes 'ug'"),
        (in_gguf(LISTED, token_types=None, token_merges=["u g", "h ug", "h ug"]), "makes 'hug' twice"),
        ({"x.tiktoken": b"YQ== 0\n"}, "have no id for byte 00"),
    ],
    ids=["merges in a wrong order", "a merge twice", "a byte without an id"],
)
def test_what_is_damaged_is_said_and_not_that_something_is_missing(
    app: AppTest, files: dict[str, bytes], said: str
) -> None:
    upload(at(app, "library"), *files.items())
    assert said in notes(app) and not re.search(r"\w=|Pass ", notes(app))


def test_nothing_is_guessed_and_wrong_answers_are_said(app: AppTest) -> None:
    upload(at(app, "library"), *dump(HUG, "gpt2").items())
    assert [box.value for box in app.selectbox] == [None, None]
    app.selectbox[0].set_value("custom").run()
    answer(app, "custom", "(a")
    app.selectbox[1].set_value("list").run()
    assert "does not compile" in notes(app) and button(app, "**Add it**").disabled
    answer(app, "custom", "cl100k_base")
    assert "Did you mean cl100k?" in notes(app) and button(app, "**Add it**").disabled
    answer(app, "custom", r"\w+|\W+")
    assert "has tokens that no merge makes" in notes(app) and "list all of them" in notes(app)
    answer(app, "special_list", "<|a|>\n<|b|>")
    button(app, "**Add it**").click().run()
    assert me(app).trained[0].tokenizer.pattern == r"\w+|\W+"


REFUSED = [
    ("model.json", b"not json", "model.json is text, and no tokenizer that tokviz knows."),
    ("model.json", b"{", "model.json is damaged"),
    ("model.json", MODEL[:400], "model.json is damaged"),
    ("model.json", b"\x7fELF\0", "model.json is binary, and no tokenizer"),
    ("model.gguf", b"GGUF\3\0\0\0", "model.gguf is damaged: at byte 8 it should have 8 bytes more."),
    ("empty.json", b"", "empty.json is empty"),
    ("merges.txt", b"#version: 0.2\nh e\n", "merges.txt has merges, but no ids. Add encoder.json or vocab.json."),
    (
        "tekken.json",
        tekken(default_vocab_size=2_000_000_000, default_num_special_tokens=2_000_000_000),
        "tekken.json says that it has 2,000,000,000 tokens, and 650,000 are the limit.",
    ),
    (HOSTILE, b"plain text", HOSTILE),
]


def test_what_cannot_be_opened_is_said_and_loses_nothing(app: AppTest) -> None:
    upload(at(app, "library"), ("shells.json", MODEL))
    before = ""
    for name, data, said in REFUSED:
        upload(app, (name, data))
        assert said in notes(app) and (not before or said == before or before not in notes(app))
        assert "shells.json can be opened" in notes(app), "what was dropped before is still there"
        before = said
    assert me(app).trained == []
    button(app, "Leave it out").click().run()
    assert "shells.json" not in notes(app) and HOSTILE in notes(app)


def test_several_tokenizers_at_once_are_told_apart(app: AppTest) -> None:
    files = [("a.json", MODEL), ("a.json", saved.dump(HUG)), *dump(HUG, "gpt2").items(), *dump(HUG, "minbpe").items()]
    upload(at(app, "library"), *files)
    said = [line.partition(" can be opened")[0] for line in notes(app).splitlines()]
    assert said == ["a.json", "a (2).json", "encoder.json and vocab.bpe", "hug.model and hug.vocab"]


def test_vocab_and_merges_of_two_tokenizers_are_doubted(app: AppTest) -> None:
    larger, smaller = (dump(tokviz.train(SHORT * 3 + "abcdefgh" * 9, size).tokenizer, "gpt2") for size in (290, 260))
    upload(at(app, "library"), *(larger | {"vocab.bpe": smaller["vocab.bpe"]}).items())
    assert "tokens: are the files of one tokenizer?" in notes(app)


def test_pages_of_others_are_drawn_while_a_large_file_is_read() -> None:
    with line.drawing(threading.Semaphore()):
        assert not line._pages.acquire(blocking=False)
        with found_files._reading({"large.json": bytes(LARGE)}):
            assert line._pages.acquire(blocking=False)
            line._pages.release()


def test_an_upload_without_room_is_refused(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(VISITORS, "limit_each", 1_000)
    upload(at(app, "library"), ("shells.json", MODEL))
    assert "shells.json cannot be kept." in notes(app)
    assert me(app).trained == []
