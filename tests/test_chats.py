"""Conversations in tokens: the counts of the OpenAI Cookbook, those its API gave, and text that stays text."""

from __future__ import annotations

import re

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles import witness
from tests.strategies import wild_texts
from tests.test_contract import definition
from tokviz.base.errors import SettingError, UnknownNameError
from tokviz.base.text import clean
from tokviz.catalog.chats import FORMATS, Message, chat_format, chat_tokenizer, formats, write
from tokviz.catalog.references import models

# The Cookbook prints for its example how many tokens the API of OpenAI counted: 129, 124 and (an older copy) 127.
COOKBOOK = [
    Message(
        "system",
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
    ),
    Message("system", "New synergies will help drive top-line growth.", "example_user"),
    Message("system", "Things working well together will increase revenue.", "example_assistant"),
    Message(
        "system",
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        "example_user",
    ),
    Message("system", "Let's talk later when we're less busy about how to do better.", "example_assistant"),
    Message(
        "user",
        "This late pivot means we don't have time to boil the ocean for the client deliverable.",
    ),
]


@pytest.mark.parametrize(("key", "tokens"), [("gpt-4", 129), ("gpt-4o", 124), ("chatml-v0", 127)])
def test_the_count_is_that_of_the_api(key: str, tokens: int) -> None:
    assert write(key, COOKBOOK).total == tokens


roles = st.sampled_from(["user", "assistant", "system"])
conversations = st.lists(st.builds(Message, roles, wild_texts, st.just("")), max_size=4)


@given(conversations)
def test_the_count_is_three_tokens_a_message_and_three_for_the_reply(messages: list[Message]) -> None:
    for key in ("gpt-4", "gpt-4o"):
        base = witness(chat_format(key).tokenizer)
        counts = [3 + sum(len(base.encode_ordinary(part)) for part in message if part) for message in messages]
        conversation = write(key, messages)
        assert (conversation.counts, conversation.reply, conversation.total) == (tuple(counts), 3, sum(counts) + 3)


@given(conversations)
def test_no_message_can_write_a_special_token(messages: list[Message]) -> None:
    for key, written in formats().items():
        tricky = [Message(role, f"{content}{written.message}{{header}}") for role, content, _ in messages]
        conversation = write(key, tricky)
        for message in tricky:
            assert clean(message.content).encode() in conversation.encoding.data
        specials = [token for token in conversation.encoding.tokens() if token.special]
        assert {token.id for token in specials} <= set(written.special_tokens.values())
        begins = sum(token.data == next(iter(written.special_tokens)).encode() for token in specials)
        assert begins == len(messages) + 1


def test_harmony_is_what_tiktoken_has_and_what_its_guide_prints() -> None:
    harmony = tiktoken.Encoding(
        "o200k_harmony",
        pat_str=witness("o200k_base")._pat_str,
        mergeable_ranks=witness("o200k_base")._mergeable_ranks,
        special_tokens=chat_format("harmony").special_tokens,
    )
    conversation = write("harmony", [Message("user", "What is 2 + 2?"), Message("assistant", "2 + 2 = 4.")])
    text = (
        "<|start|>user<|message|>What is 2 + 2?<|end|>"
        "<|start|>assistant<|channel|>final<|message|>2 + 2 = 4.<|end|>"
        "<|start|>assistant"
    )
    assert conversation.encoding.data.decode() == text
    assert conversation.encoding.ids.tolist() == harmony.encode(text, allowed_special="all")
    # as the guide prints them: <|start|>assistant<|channel|>final<|message|>2 + 2 = 4.
    printed = [200006, 173781, 200005, 17196, 200008, 17, 659, 220, 17, 314, 220, 19, 13]
    assert str(printed)[1:-1] in str(conversation.encoding.ids.tolist())


@pytest.mark.parametrize("key", formats())
def test_each_format_is_whole(key: str) -> None:
    written = chat_format(key)
    assert key != "harmony" or written.special_tokens.items() <= definition("o200k_harmony")["special_tokens"].items()
    assert written.sources and all(re.search(r"Read on \d{4}-\d\d-\d\d\.$", source) for source in written.sources)
    assert written.model in models() or not written.model
    for template in (written.message, written.assistant, written.reply):
        assert set(re.findall(r"<\|\w+\|>", template)) <= set(written.special_tokens)
    for template in (written.message, written.assistant):
        assert template.count("{content}") == 1
    assert write(key, []).total == write(key, []).reply > 0
    assert chat_tokenizer(key).special_tokens.items() >= written.special_tokens.items()
    assert FORMATS.read_text("utf-8").count(f'key = "{key}"') == 1


def test_a_role_or_format_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingError, match=r"GPT-4, GPT-3\.5 Turbo has no role 'developer'\. Choose one of: user"):
        write("gpt-4", [Message("developer", "x")])
    with pytest.raises(UnknownNameError, match="There is no chat format 'llama'"):
        write("llama", [])


def test_what_reads_like_a_placeholder_stays_as_it_is() -> None:
    data = write("gpt-4", [Message("user", "{header}", "{content}")]).encoding.data
    assert b"{content}" in data and data.count(b"{header}") == 1
