"""Writes conversations in tokens: messages with their roles, and the special tokens that a model reads between them.

`data/chats.toml` has the formats, with their sources. The content of a message is read as ordinary text, even if it
contains the text of a special token, so a message cannot end itself.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tokviz.base.data import DATA
from tokviz.base.errors import SettingError, UnknownNameError
from tokviz.catalog.references import reference
from tokviz.split.specials import cut_specials
from tokviz.tokenizer.encoding import Encoding, joined
from tokviz.tokenizer.tokenizer import Tokenizer

FORMATS = DATA / "chats.toml"


class Message(NamedTuple):
    """Holds one message of a conversation.

    role: of the speaker, such as "user".
    content: the text of the message.
    name: of the speaker, which the API allows beside the role; "" for none.
    """

    role: str
    content: str
    name: str = ""


@dataclass(frozen=True, eq=False)
class ChatFormat:
    """Defines a way to write conversations. `data/chats.toml` explains the fields. sources: each with its day."""

    key: str
    title: str
    model: str
    tokenizer: str
    special_tokens: dict[str, int]
    roles: tuple[str, ...]
    message: str
    assistant: str
    named: str
    reply: str
    note: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Holds a conversation in tokens. counts: how many each message has. reply: how many begin the reply."""

    encoding: Encoding
    counts: tuple[int, ...]
    reply: int

    @property
    def total(self) -> int:
        """The number of tokens that the model reads."""
        return sum(self.counts) + self.reply


@functools.cache
def formats() -> dict[str, ChatFormat]:
    """Read the formats by key, in the order in which pages offer them.

    >>> list(formats())
    ['gpt-4o', 'gpt-4', 'chatml-v0', 'harmony']
    """
    data = tomllib.loads(FORMATS.read_text(encoding="utf-8"))
    return {row["key"]: _format(row, data["sources"]) for row in data["format"]}


def _format(row: dict[str, Any], sources: dict[str, Any]) -> ChatFormat:
    read = tuple(f"{sources[key]['text']}. Read on {sources[key]['date'].isoformat()}." for key in row["sources"])
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return ChatFormat(**{"assistant": row["message"], **fields, "sources": read})


def chat_format(key: str) -> ChatFormat:
    """Return the format with this key. UnknownNameError lists the keys."""
    try:
        return formats()[key]
    except KeyError:
        raise UnknownNameError(f"There is no chat format {key!r}.", f"Choose one of: {', '.join(formats())}.") from None


@functools.cache
def chat_tokenizer(key: str) -> Tokenizer:
    """Return the tokenizer of a format, with the special tokens of the format.

    >>> chat_tokenizer("harmony").special_tokens["<|start|>"]
    200006
    """
    written = chat_format(key)
    base = reference(written.tokenizer)
    return base.with_special_tokens({**base.special_tokens, **written.special_tokens})


def write(key: str, messages: Sequence[Message]) -> Conversation:
    """Write a conversation as a model reads it, and begin the reply. SettingError if the format lacks a role.

    >>> conversation = write("gpt-4", [Message("user", "How are you?")])
    >>> conversation.encoding.data.decode()
    '<|im_start|>user<|im_sep|>How are you?<|im_end|><|im_start|>assistant<|im_sep|>'
    >>> conversation.counts, conversation.reply, conversation.total
    ((8,), 3, 11)
    """
    written, tokenizer = chat_format(key), chat_tokenizer(key)
    parts = []
    for message in messages:
        if message.role not in written.roles:
            raise SettingError(
                f"{written.title} has no role {message.role!r}.", f"Choose one of: {', '.join(written.roles)}."
            )
        template = written.assistant if message.role == "assistant" else written.message
        header = written.named.format(role=message.role, name=message.name) if message.name else message.role
        parts.append(joined([*_stretches(tokenizer, written, template, header, message.content)]))
    reply = joined([*_stretches(tokenizer, written, written.reply)])
    return Conversation(joined([*parts, reply]), tuple(map(len, parts)), len(reply))


def _stretches(
    tokenizer: Tokenizer, written: ChatFormat, template: str, header: str = "", content: str = ""
) -> Iterable[Encoding]:
    """Encode the special tokens of a template, and the text between them, which is read as ordinary text."""
    for stretch, special in cut_specials(template, written.special_tokens):
        if special:
            yield tokenizer.explain(stretch, allowed_special={stretch})
        else:
            # Nothing in the header or the content is taken for a placeholder.
            around = [part.replace("{header}", header) for part in stretch.split("{content}")]
            yield tokenizer.explain(content.join(around))
