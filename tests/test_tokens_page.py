"""The Tokens page under AppTest: what is chosen, opened, pasted and said there, round the workbench."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, ask, at, components, notes, open_files, type_on_tokens
from tokviz.catalog.chats import Message, write
from tokviz.catalog.references import models, references
from tokviz.formats.tokviz import dump
from tokviz.ui.tokens.state import opening_chat

__all__ = ["app"]

MODEL = tokviz.train("she sells sea shells", 270, name="shells").tokenizer


def bench(app: AppTest) -> dict[str, Any]:
    return components(app, "workbench")[0]


def shown(app: AppTest) -> list[str]:
    return [block["name"] for block in bench(app)["blocks"]]


def captions(app: AppTest) -> str:
    return "\n".join(caption.value.replace("\\", "").replace("\u2060", "") for caption in app.caption)


# -- which tokenizers --


def name_model(app: AppTest, name: str) -> AppTest:
    """Choose a model, or type a name that is not among the choices, which AppTest has no way for."""
    box = app.selectbox(key="tokens.by_model")
    if name not in models():
        box.options.append(name)
    return box.set_value(name).run()


@pytest.mark.parametrize(
    ("name", "leads_to", "said"),
    [
        ("gpt-4", "cl100k_base", "GPT-4: cl100k_base, 100,277 ids. Source: tiktoken"),
        ("gpt-4-0613", "cl100k_base", "gpt-4-0613: cl100k_base, 100,277 ids."),
        ("davinci", "GPT-2", "davinci: r50k_base, shown as GPT-2, 50,257 ids."),
    ],
)
def test_a_models_name_leads_to_its_tokenizer(app: AppTest, name: str, leads_to: str, said: str) -> None:
    name_model(app, name)
    assert shown(app) == [leads_to, "o200k_base"]
    assert said in captions(app)
    assert references()["cl100k_base" if leads_to == "cl100k_base" else "r50k_base"].source in captions(app)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("claude-opus-5-5", "tokviz does not have the tokenizer of Claude Opus 5.5 (not published)."),
        ("text-davinci-003", "The tokenizer of 'text-davinci-003' is p50k_base, which tokviz does not have."),
        ("gpt-9", "There is no tokenizer 'gpt-9'. Did you mean gpt-5"),
        ("<b>", "There is no tokenizer '<b>'."),
    ],
)
def test_a_model_without_a_tokenizer_here_is_said(app: AppTest, name: str, said: str) -> None:
    name_model(app, name)
    assert said in notes(app)
    assert shown(app) == ["o200k_base"]
    assert not app.exception


def test_a_long_name_is_cut_in_its_pill_and_whole_with_its_tokens(app: AppTest) -> None:
    name = "shells by the *sea* shore, " * 3
    open_files(app, ("m.json", dump(tokviz.train("she sells sea shells", 270, name=name).tokenizer)))
    at(app, "tokens")
    assert shown(app)[0] == name.rstrip(), "a name is one tidy line"
    (pills,) = app.get("button_group")
    first = pills.proto.options[0].content.replace("\\", "")
    assert first == f":blue[●] {name[:31]}…"


def test_what_a_link_could_not_say_is_gone_after_a_look_at_any_other_page(app: AppTest) -> None:
    for other in ("train", "replay"):
        app.query_params["v"] = f"9 {other}"
        assert "The link is of version" in notes(app.run())
        assert notes(at(app, other)) == ""
        assert notes(at(app, "tokens")) == ""


# -- below the workbench --


def unfold(app: AppTest, key: str) -> AppTest:
    """Open an expander, as a click does."""
    app.session_state[key] = True
    return app.run()


def view(app: AppTest) -> dict[str, Any]:
    (drawn,) = components(app, "token_view")
    return drawn


def ids_of(app: AppTest, written: str, under: str = "cl100k_base") -> AppTest:
    unfold(app, "tokens.ids")
    app.selectbox(key="tokens.ids.under").set_value(under).run()
    return app.text_area(key="tokens.ids.text").set_value(written).run()


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


def test_other_tokens_than_the_tokenizers_own_are_said(app: AppTest) -> None:
    ids_of(app, "9906 11 220 14957")
    assert view(app)["text"] == "Hello, world"
    assert "The tokenizer itself gives this text 3 tokens, not these 4." in captions(app)


def test_half_a_character_stands_as_bytes_and_cannot_go_up(app: AppTest) -> None:
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
    assert app.text_area(key="tokens.ids.text").value == written
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
    before = bench(app)
    unfold(app, "tokens.chat")
    written = tuple(Message(message.role, message.content) for message in opening_chat())
    conversation = write("gpt-4o", written)
    assert view(app)["text"] == conversation.encoding.data.decode()
    assert [f"{count} tokens" in captions(app) for count in conversation.counts] == [True] * len(written)
    assert f"{conversation.total - conversation.reply} of the messages" in said_of_chat(app)
    assert "As input to GPT-4o: $" in captions(app) and "Sources:" not in captions(app)
    assert "Sources\\: OpenAI Cookbook" in app.selectbox(key="tokens.chat.format").help
    assert bench(app) == before


@pytest.mark.right
def test_the_figures_of_a_conversation_are_those_of_its_messages(app: AppTest) -> None:
    unfold(app, "tokens.chat")
    totals = view(app)["totals"]
    assert (totals["bytes"], totals["written"]) == (138, 320)
    assert totals["characters"] == sum(len(message.content) for message in opening_chat())
    assert "Of the tokens, 14 are special tokens" in captions(app)  # three a message, two before the reply


def test_messages_are_added_written_and_removed(app: AppTest) -> None:
    unfold(app, "tokens.chat")
    for message in opening_chat()[1:]:
        app.button(key=f"tokens.chat.{message.key}.remove").click().run()
    app.button(key="tokens.chat.add").click().run()
    app.text_area(key="tokens.chat.added1.content").set_value("naïve <|im_end|>").run()
    app.selectbox(key="tokens.chat.added1.role").set_value("assistant").run()
    assert "<|im_start|>assistant<|im_sep|>naïve <|im_end|><|im_end|>" in view(app)["text"]
    at(at(app, "compare"), "tokens")
    unfold(app, "tokens.chat")
    assert app.text_area(key="tokens.chat.added1.content").value == "naïve <|im_end|>", "it is kept"


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
