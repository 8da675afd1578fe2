"""The tokenizers a visitor can put beside one another: their own, and the references. What each did to a text."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import streamlit as st

from tokviz.catalog import reference, references
from tokviz.encoding import Encoding
from tokviz.proof import Proof, proof
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer
from tokviz.ui.components import glyph
from tokviz.ui.components.token_view import Badge
from tokviz.ui.shell import plain
from tokviz.ui.state import Visitor, bind

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
        return f":{COLOURS.get(self.series, 'gray')}[{glyph(self.series)}] {plain(self.name)}"


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
        format_func=lambda key: there[key].label,
        selection_mode="multi",
        label_visibility="collapsed",
        **bind(key, field),
    )
    return [shown for shown in there.values() if shown.key in chosen]


@functools.lru_cache(maxsize=16)
def encoded(tokenizer: Tokenizer, text: str) -> Encoding:
    """The text under the tokenizer, special tokens read as text. Remembered over the reruns of a page."""
    return tokenizer.explain(text)


@functools.lru_cache(maxsize=64)
def badge(tokenizer: Tokenizer, text: str) -> Badge | None:
    """What tiktoken says to the ids of the text in view; None where it cannot judge."""
    return badge_of(proof(tokenizer, clean(text), encoded(tokenizer, text)))


def badge_of(verdict: Proof) -> Badge | None:
    """A proof as a badge; None where tiktoken cannot judge."""
    if verdict.agrees is None:
        return None
    return (
        Badge(True, "same ids as tiktoken")
        if verdict.agrees
        else Badge(False, f"differs from tiktoken at byte {verdict.at:,}")
    )
