"""The tokenizers a visitor can put beside one another: their own, and the references. What each did to a text."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass

import streamlit as st

from tokviz.catalog import models, reference, references, tokenizer_for
from tokviz.encoding import Encoding
from tokviz.errors import UnknownNameError
from tokviz.proof import Proof, proof
from tokviz.specials import Reading, allowed_special
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer
from tokviz.ui import shell
from tokviz.ui.components import glyph
from tokviz.ui.components.token_view import Badge
from tokviz.ui.shell import plain
from tokviz.ui.state import Visitor, bind, widget_value

IN_PILL = 32  # characters of a name that stand in a pill; the whole name stands with the tokens
REFERENCES = ("gpt2", "cl100k_base", "o200k_base")
# Streamlit's names for the colours that .streamlit/config.toml gives to the tokenizers
COLOURS = {"yours": "blue", "gpt2": "orange", "cl100k_base": "green", "o200k_base": "violet", "other1": "red"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A tokenizer on a page: the key it is chosen by, its name, and its colour and marker."""

    key: str
    name: str
    series: str
    own: Tokenizer | None

    @property
    def tokenizer(self) -> Tokenizer:
        """A reference is read from its file only when it is shown."""
        return self.own or reference(self.key)

    @property
    def label(self) -> str:
        """Marker and name, for a widget's label."""
        return self._labelled(self.name)

    @property
    def pill(self) -> str:
        """The same where there is little room: a long name is cut."""
        return self._labelled(self.name if len(self.name) <= IN_PILL else f"{self.name[: IN_PILL - 1].rstrip()}…")

    def _labelled(self, name: str) -> str:
        return f":{COLOURS.get(self.series, 'gray')}[{glyph(self.series)}] {plain(name)}"


def at_hand(visitor: Visitor) -> list[Shown]:
    """The visitor's own, oldest first, then the references."""
    own = [Shown(mine.key, mine.name, mine.series, mine.tokenizer) for mine in visitor.trained]
    return own + [Shown(name, references()[name].title, name, None) for name in REFERENCES]


def choose(visitor: Visitor, key: str, field: str) -> list[Shown]:
    """Pills for the tokenizers at hand, bound to a field of the visitor; the chosen ones, in their fixed order."""
    there = {shown.key: shown for shown in at_hand(visitor)}
    chosen = st.pills(
        "Tokenizers",
        list(there),
        format_func=lambda key: there[key].pill,
        selection_mode="multi",
        wrap=True,
        label_visibility="collapsed",
        **bind(key, field),
    )
    return [shown for shown in there.values() if shown.key in chosen]


def by_model(me: Visitor, key: str) -> None:
    """Draw the choice of a model by name, which leads to its tokenizer: the Tokens page shows it from then on."""
    known = models()
    name = st.selectbox(
        "By a model's name",
        list(known),
        index=None,
        key=key,
        format_func=lambda name: known[name].title if name in known else name,
        placeholder="such as gpt-4o",
        accept_new_options=True,
        on_change=_follow,
        args=(me, key),
    )
    if name:
        try:
            st.caption(plain(_told_of(name)))
        except UnknownNameError as fault:
            shell.say(fault)


def _follow(me: Visitor, key: str) -> None:
    name = widget_value(key) or ""
    if name in models():
        me.model = name
    with contextlib.suppress(UnknownNameError):  # `by_model` says so
        tokenizer = _at_hand(tokenizer_for(name))
        if tokenizer not in me.chosen:
            me.chosen = [*me.chosen, tokenizer]


def _told_of(name: str) -> str:
    """Which tokenizer a model's name leads to, and where that stands."""
    found = references()[tokenizer_for(name)]
    title = models()[name].title if name in models() else name
    shown = references()[_at_hand(found.name)].title
    also = f", shown as {shown}" if shown != found.title else ""
    return f"{title}: {found.title}{also}, {found.n_vocab:,} ids. Source: {found.source}."


def _at_hand(name: str) -> str:
    """The reference by which a page shows this one: r50k_base is gpt2 under another name."""
    return next((key for key in REFERENCES if references()[key].sha256 == references()[name].sha256), name)


@functools.lru_cache(maxsize=16)
def encoded(tokenizer: Tokenizer, text: str, reading: Reading = "text") -> Encoding:
    """The text under the tokenizer. Remembered over the reruns of a page."""
    return tokenizer.explain(text, allowed_special(reading))


@functools.lru_cache(maxsize=64)
def badge(tokenizer: Tokenizer, text: str, reading: Reading = "text") -> Badge | None:
    """What tiktoken says to the ids of the text in view; None where it cannot judge."""
    return badge_of(proof(tokenizer, clean(text), encoded(tokenizer, text, reading)))


def badge_of(verdict: Proof) -> Badge | None:
    """A proof as a badge; None where tiktoken cannot judge."""
    if verdict.agrees is None:
        return None
    return (
        Badge(True, "same ids as tiktoken")
        if verdict.agrees
        else Badge(False, f"differs from tiktoken at byte {verdict.at:,}")
    )
