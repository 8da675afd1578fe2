"""The chat editor on the Tokens page: messages with their roles, and the tokens of the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from tokviz.base.wording import count_of
from tokviz.catalog.chats import ChatFormat, Conversation, Message, chat_format, formats, write
from tokviz.catalog.references import models
from tokviz.cost.figures import cost
from tokviz.offline.data import view_data
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.field_lengths import used_of
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server import limits
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokens.state import Chat, ChatMessage, TokensState
from tokviz.ui.tokenview.view import token_view

MOST_MESSAGES = 30
ROLE = "system"  # in whose place a format without a role, such as "developer", has a message
IN_VIEW = 20_000  # bytes that are drawn; all are counted


@dataclass
class _Role:
    """The role that a message has in a format with these roles. The message keeps its own, until another is chosen."""

    message: ChatMessage
    roles: Sequence[str]

    @property
    def role(self) -> str:
        return self.message.role if self.message.role in self.roles else ROLE

    @role.setter
    def role(self, chosen: str) -> None:
        self.message.role = chosen


def chat(me: Visitor) -> None:
    """Draw the messages on the left, and the tokens of the conversation on the right."""
    editor = me.state(TokensState).chat
    if editor.format not in formats():
        editor.format = next(iter(formats()))
    written = chat_format(editor.format)
    left, right = st.columns([5, 7], gap="medium")
    with left:
        st.selectbox(
            "Format",
            list(formats()),
            format_func=lambda key: formats()[key].title,
            help=plain(f"{written.note} Sources: {' '.join(written.sources)}"),
            **bind("tokens.chat.format", "chat.format", TokensState),
        )
        rows = editor.messages  # once: another tab may add a message meanwhile
        used = [used_of(one.content, "This message") for one in rows]
        roles = [_Role(one, written.roles).role for one in rows]
        messages = tuple(Message(role, content) for role, (content, _) in zip(roles, used, strict=True))
        conversation = me.cache.get(("chat", written.key, messages), lambda: write(written.key, messages))
        for number, (message, tokens, (_, faults)) in enumerate(zip(rows, conversation.counts, used, strict=True), 1):
            _message(me, message, number, written, tokens)
            for fault in faults:
                say(fault)
        st.button(
            "Add a message",
            key="tokens.chat.add",
            on_click=_add,
            args=(editor,),
            disabled=len(rows) >= MOST_MESSAGES,
            help=f"{MOST_MESSAGES} at most" if len(rows) >= MOST_MESSAGES else None,
        )
    with right:
        _tokens(written, conversation, "".join(message.content for message in messages))


def _add(editor: Chat) -> None:
    if len(editor.messages) < MOST_MESSAGES:  # another tab may have added some
        editor.add()


def _message(me: Visitor, message: ChatMessage, number: int, written: ChatFormat, count: int) -> None:
    key, remove = f"tokens.chat.{message.key}", me.state(TokensState).chat.remove
    with st.container(key=key, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.selectbox(
                f"Role of message {number}",
                written.roles,
                label_visibility="collapsed",
                width=150,
                **bind(f"{key}.role", "role", _Role(message, written.roles)),
            )
            st.caption(count_of(count, "token"), width="content")
            st.button("Remove", key=f"{key}.remove", on_click=remove, args=(message.key,), type="tertiary")
        label = f"Message {number}"
        bound_field(label, f"{key}.content", "content", message, lines=3, limit=limits.FIELD_UNITS, labelled=False)


def _tokens(written: ChatFormat, conversation: Conversation, said: str) -> None:
    """Draw the tokens. said: all messages; the figures are of their bytes, without the names of special tokens."""
    whole = conversation.encoding
    data = view_data(whole, name=written.title, series=written.tokenizer, said=said, most=IN_VIEW)
    token_view(data, key="tokens.chat.view")
    special = sum(id in whole.special_ids for id in whole.whole.values())
    st.caption(
        f"Bytes and characters are those of the messages. Of the tokens, {special:,} are special tokens, which mark "
        "where a message begins and ends and who speaks; the roles are tokens too."
    )
    messages, reply = sum(conversation.counts), conversation.reply
    st.markdown(
        f"The model reads all of these tokens: {messages:,} of the messages, and {reply:,} that begin the reply."
    )
    model = models().get(written.model)
    if model and model.price:
        price = plain(cost(conversation.total, model.price.value))
        st.caption(f"As input to {plain(model.title)}: {price}, at [this price]({model.price.url}).")
