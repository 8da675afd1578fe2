"""The Tokens page under AppTest: what is chosen, opened, pasted and said there, round the workbench."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, ask, at, components, notes, open_files, type_in, type_on_tokens, typed_in
from tokviz.base.errors import UnknownNameError
from tokviz.catalog.chats import Message, write
from tokviz.catalog.references import models
from tokviz.formats.tokviz import dump
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokens.state import opening_chat
from tokviz.ui.tokenview.choosing import choices, chosen_as

__all__ = ["app"]

MODEL = tokviz.train("she sells sea shells", 270, name="shells").tokenizer


def bench(app: AppTest) -> dict[str, Any]:
    return components(app, "workbench")[0]


def shown(app: AppTest) -> list[str]:
    return [block["name"] for block in bench(app)["blocks"]]


def captions(app: AppTest) -> str:
    return "\n".join(caption.value.replace("\\", "").replace("\u2060", "") for caption in app.caption)


# -- which tokenizers --


def heads(app: AppTest) -> list[str]:
    return [head["title"] for head in bench(app)["heads"]]


def chosen_by(app: AppTest, *names: str) -> AppTest:
    """What the script of the choice says when something is picked."""
    return ask(app, what="chosen", name=",".join(names))


@pytest.mark.parametrize(
    ("name", "title", "key", "encoding"),
    [
        ("gpt-4", "GPT-4", "cl100k_base", "cl100k_base"),
        ("cl100k_base", "GPT-4", "cl100k_base", "cl100k_base"),
        ("GPT 4-0613", "gpt-4-0613", "cl100k_base", "cl100k_base"),
        ("davinci", "davinci", "gpt2", "r50k_base, shown as GPT-2"),
        ("gpt-oss-120b", "gpt-oss-120b", "o200k_base", "o200k_harmony, shown as o200k_base"),
    ],
)
def test_a_name_leads_to_its_tokenizer(app: AppTest, name: str, title: str, key: str, encoding: str) -> None:
    first, head = bench(chosen_by(app, "gpt-4.1", name))["heads"]
    assert first["title"] == "GPT-4.1"
    assert (head["title"], head["key"], head["encoding"]) == (title, key, encoding)
    assert [block["key"] for block in bench(app)["blocks"]] == list(dict.fromkeys(["o200k_base", key]))


def test_an_own_tokenizer_is_of_no_model(app: AppTest) -> None:
    open_files(app, ("m.json", dump(MODEL)))
    own, _ = bench(at(app, "tokens"))["heads"]
    assert (own["title"], own["model"], own["encoding"]) == ("shells", None, "opened")
    assert own["facts"] == f"vocabulary of {MODEL.n_vocab} tokens"


@pytest.mark.parametrize("names", [["claude-opus-5-5"], ["text-davinci-003"], ["gpt-9"], ["<b>"], ["mine7"], [""], []])
def test_what_cannot_be_chosen_changes_nothing(app: AppTest, names: list[str]) -> None:
    assert heads(chosen_by(app, *names)) == ["GPT-4o"]
    assert heads(chosen_by(app, *names, "gpt2")) == ["GPT-2"], "the rest is chosen"
    assert not app.exception


def test_all_that_can_be_chosen_and_why_the_rest_cannot() -> None:
    me = Visitor()
    me.add("shells", MODEL)
    said = choices(me)
    assert len(gzip.compress(json.dumps(said).encode())) < 6_000
    rows = {row["name"]: row for row in said["models"]}
    assert [*rows][:5] == ["gpt-4o", "gpt-5", "gpt-4o-mini", "gpt-4", "gpt2"]
    for name, row in rows.items():
        try:
            assert chosen_as(me, name).title == row["title"]
            assert "not" not in row
        except UnknownNameError:
            assert row["not"]
    assert models().keys() <= rows.keys()
    assert rows["claude-opus-5-5"]["not"] == "tokenizer not public"
    assert [(row["title"], row["encoding"]) for row in said["own"]] == [("shells", "opened")]
    for name, encoding in {**said["known"], **{f"{start}x": one for start, one in said["prefixes"]}}.items():
        if encoding in said["marks"]:
            assert chosen_as(me, name).encoding.startswith(encoding)


def test_what_a_link_could_not_say_is_gone_after_a_look_at_any_other_page(app: AppTest) -> None:
    for other in ("train", "replay"):
        app.query_params["v"] = f"9 {other}"
        assert "The link is of version" in notes(app.run())
        assert notes(at(app, other)) == ""
        assert notes(at(app, "tokens")) == ""


# -- below the workbench --


def unfold(app: AppTest, key: str) -> AppTest:
    """Open a part, as an entry of the menu Text does."""
    return ask(app, what="below", name=key.removeprefix("tokens."))


def view(app: AppTest) -> dict[str, Any]:
    (drawn,) = components(app, "token_view")
    return drawn


def ids_of(app: AppTest, written: str, under: str = "cl100k_base") -> AppTest:
    unfold(app, "tokens.ids")
    app.selectbox(key="tokens.ids.under").set_value(under).run()
    return type_in(app, "tokens.ids.text", written)


def test_ids_become_text_that_goes_up_to_the_workbench_and_the_own_text_comes_back(app: AppTest) -> None:
    type_on_tokens(app, "my own")
    before = bench(app)
    ids_of(app, "[15496, 11,\n 995]", "gpt2")
    assert (view(app)["text"], view(app)["name"]) == ("Hello, world", "GPT-2")
    assert "The tokenizer gives this text exactly these ids." in captions(app)
    assert bench(app) == before, "the workbench is sent nothing new"
    app.button(key="tokens.ids.take").click().run()
    assert (bench(app)["text"], bench(app)["back"]) == ("Hello, world", True)
    ask(app, what="back")
    assert bench(app)["text"] == "my own"
    ids_of(app, "9906 11 220 14957")
    assert view(app)["text"] == "Hello, world"
    assert "The tokenizer itself gives this text 3 tokens, not these 4." in captions(app)
    ids_of(app, "9468")
    assert base64.b64decode(view(app)["bytes"]) == b"\xf0\x9f"
    assert "These bytes are not valid UTF-8" in captions(app)
    assert app.button(key="tokens.ids.take").disabled


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1 2\n100256", "No token has the id 100256, number 3 (line 2, character 1)."),
        ("1, two", "“two”, number 2 (line 1, character 4), is no id."),
        ("<script>", "“<script>”, number 1 (line 1, character 1), is no id."),
    ],
)
def test_what_is_no_id_is_named_and_stays_in_the_field(app: AppTest, written: str, said: str) -> None:
    ids_of(app, written)
    assert said in notes(app)
    assert typed_in(app, "tokens.ids.text") == written
    assert not app.exception


def test_ids_under_a_tokenizer_that_was_dropped_are_read_under_another(app: AppTest) -> None:
    open_files(app, ("shells.json", dump(MODEL)))
    at(app, "tokens")
    ids_of(app, "104 105", "mine1")
    assert view(app)["name"] == "shells"
    app.session_state["tokviz.visitor"].drop("mine1")
    at(app, "tokens")
    unfold(app, "tokens.ids")
    assert not app.exception
    assert view(app)["name"] == "o200k_base"


def said_of_chat(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def test_a_conversation_is_counted_message_by_message(app: AppTest) -> None:
    unfold(app, "tokens.chat")
    before = bench(app)
    written = tuple(Message(message.role, message.content) for message in opening_chat())
    conversation = write("gpt-4o", written)
    assert view(app)["text"] == conversation.encoding.data.decode()
    assert [f"{count} tokens" in captions(app) for count in conversation.counts] == [True] * len(written)
    assert f"{conversation.total - conversation.reply} of the messages" in said_of_chat(app)
    assert "As input to GPT-4o: $" in captions(app) and "Sources:" not in captions(app)
    assert "Sources\\: OpenAI Cookbook" in app.selectbox(key="tokens.chat.format").help
    assert bench(app) == before
    totals = view(app)["totals"]
    assert (totals["bytes"], totals["written"]) == (138, 320)
    assert totals["characters"] == sum(len(message.content) for message in opening_chat())
    assert "Of the tokens, 14 are special tokens" in captions(app)  # three a message, two before the reply


def test_messages_are_added_written_and_removed(app: AppTest) -> None:
    unfold(app, "tokens.chat")
    for message in opening_chat()[1:]:
        app.button(key=f"tokens.chat.{message.key}.remove").click().run()
    app.button(key="tokens.chat.add").click().run()
    type_in(app, "tokens.chat.added1.content", "naïve <|im_end|>")
    app.selectbox(key="tokens.chat.added1.role").set_value("assistant").run()
    assert "<|im_start|>assistant<|im_sep|>naïve <|im_end|><|im_end|>" in view(app)["text"]
    at(at(app, "compare"), "tokens")
    unfold(app, "tokens.chat")
    assert typed_in(app, "tokens.chat.added1.content") == "naïve <|im_end|>", "it is kept"


@pytest.mark.right
def test_a_role_that_the_next_format_has_not_is_system_there(app: AppTest) -> None:
    unfold(app, "tokens.chat")
    app.selectbox(key="tokens.chat.format").set_value("harmony").run()
    app.selectbox(key="tokens.chat.opening1.role").set_value("developer").run()
    assert view(app)["text"].startswith("<|start|>developer<|message|>")
    app.selectbox(key="tokens.chat.format").set_value("gpt-4").run()
    assert view(app)["text"].startswith("<|im_start|>system<|im_sep|>")
    app.selectbox(key="tokens.chat.format").set_value("harmony").run()
    assert view(app)["text"].startswith("<|start|>developer<|message|>"), "a look at another format changes nothing"
    assert not app.exception
