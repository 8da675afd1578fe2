"""The tokenizers a visitor can put beside one another: their own, and the references. What each did to a text."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
import tiktoken

from tokviz.catalog import reference, reference_name, references
from tokviz.chunk_steps import Family, reference_family
from tokviz.encoding import Encoding
from tokviz.proof import Proof, proof, reference_witness, witness
from tokviz.specials import Reading, allowed_special
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer
from tokviz.ui.components import glyph
from tokviz.ui.components.token_view import Badge
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.widgets import bind
from tokviz.ui.visitors.visitor import PageState, Visitor

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


def choose(me: Visitor, key: str, page: type[PageState]) -> list[Shown]:
    """Pills for the tokenizers at hand, bound to the page's `chosen`. Returns the chosen ones, in their fixed order."""
    there = {shown.key: shown for shown in at_hand(me)}
    chosen = st.pills(
        "Tokenizers",
        list(there),
        format_func=lambda key: there[key].pill,
        selection_mode="multi",
        wrap=True,
        label_visibility="collapsed",
        **bind(key, "chosen", page, typed=False),
    )
    return [shown for shown in there.values() if shown.key in chosen]


def encoded(me: Visitor, tokenizer: Tokenizer, text: str, reading: Reading = "text") -> Encoding:
    """The text under the tokenizer. It stays in the visitor's cache, because a page runs again at every press."""
    key = ("encoded", tokenizer, text, reading)
    return me.cache.get(key, lambda: tokenizer.explain(text, allowed_special(reading)))


def badge(me: Visitor, tokenizer: Tokenizer, text: str, reading: Reading = "text") -> Badge | None:
    """What tiktoken says about the ids of the text in view; None where it cannot judge."""

    def judge() -> Badge | None:
        verdict = proof(tokenizer, clean(text), encoded(me, tokenizer, text, reading), witness_of(me, tokenizer))
        return badge_of(verdict)

    return me.cache.get(("badge", tokenizer, text, reading), judge)


def badge_of(verdict: Proof) -> Badge | None:
    """A proof as a badge; None where tiktoken cannot judge."""
    if verdict.agrees is None:
        return None
    return (
        Badge(True, "same ids as tiktoken")
        if verdict.agrees
        else Badge(False, f"differs from tiktoken at byte {verdict.at:,}")
    )


def witness_of(me: Visitor, tokenizer: Tokenizer) -> tiktoken.Encoding | None:
    """tiktoken's encoding with the same tokens, which judges our ids. All visitors share those of the references."""
    name = reference_name(tokenizer)
    return reference_witness(name) if name else me.cache.get(("witness", tokenizer), lambda: witness(tokenizer))


def family_of(me: Visitor, tokenizer: Tokenizer) -> Family:
    """Which tokens a token is made of and part of. All visitors share the families of the references."""
    name = reference_name(tokenizer)
    return reference_family(name) if name else me.cache.get(("family", tokenizer), lambda: Family(tokenizer))


def family_ready(me: Visitor, tokenizer: Tokenizer) -> bool:
    """Whether `family_of` answers at once. For a reference tokenizer the first call takes a second or two."""
    name = reference_name(tokenizer)
    return reference_family.ready(name) if name else ("family", tokenizer) in me.cache
