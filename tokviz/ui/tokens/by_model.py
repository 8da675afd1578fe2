"""Choosing a model: the page then shows its tokens, and what the text comes to for it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import streamlit as st

from tokviz.base.errors import UnknownNameError
from tokviz.catalog.references import models, references, tokenizer_for
from tokviz.formats.bundled import offered
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokens.state import TokensState


def by_model(me: Visitor, key: str) -> None:
    """Draw the choice of a model by its name, also one that is not in the list."""
    known = models()
    name = st.selectbox(
        "Model",
        list(known),
        index=None,
        format_func=lambda name: known[name].title if name in known else name,
        placeholder="such as gpt-4o",
        accept_new_options=True,
        **bind(key, "name", _Model(me)),
    )
    if name:
        try:
            st.caption(plain(_told_of(name)))
        except UnknownNameError as fault:
            say(fault)


@dataclass
class _Model:
    """The choice of a model. name: as it was typed; None for no model."""

    me: Visitor

    @property
    def name(self) -> str | None:
        return self.me.state(TokensState).model_name

    @name.setter
    def name(self, name: str | None) -> None:
        state = self.me.state(TokensState)
        state.model_name, self.me.model = name, name if name and name in models() else ""
        with contextlib.suppress(UnknownNameError):  # `by_model` shows it
            tokenizer = _shown_as(tokenizer_for(name or ""))
            if tokenizer not in state.chosen:
                state.chosen = [*state.chosen, tokenizer]


def _told_of(name: str) -> str:
    """Which tokenizer a model uses, and the source for it."""
    found = references()[tokenizer_for(name)]
    title = models()[name].title if name in models() else name
    shown = references()[_shown_as(found.name)].title
    also = f", shown as {shown}" if shown != found.title else ""
    return f"{title}: {found.title}{also}, {found.n_vocab:,} ids. Source: {found.source}."


def _shown_as(name: str) -> str:
    """The reference by which a page shows this one: r50k_base is gpt2 under another name."""
    return next((key for key in offered() if references()[key].sha256 == references()[name].sha256), name)
