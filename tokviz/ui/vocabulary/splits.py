"""Split patterns: the visitor's text under several split patterns, and each pattern explained piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import streamlit as st

from tokviz.base.blocks import Bar, Chip, Chips, Line, Quiet, Table, Visible
from tokviz.base.errors import TokvizError
from tokviz.base.sentences import Strong
from tokviz.base.text import clean
from tokviz.base.wording import count_of, percent, times
from tokviz.split.clauses import ClauseMatch, pieces_of
from tokviz.split.cutting import HOW_TO_WRITE, PATTERNS, check_pattern, cut_data
from tokviz.split.pipeline import stages_of
from tokviz.split.specials import cut_specials
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.say import note, plain, say
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.shown import show
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import shown_of

TEXT_LIMIT = 100_000  # bytes: a run of the page cuts, encodes and explains them, which takes half a second
OWN, ITS_OWN = "your own", "the tokenizer's"  # the patterns without a name: of the visitor, and of the tokenizer
LONGEST = 100  # characters of a pattern in the table
LONGEST_CLAUSE = 1_000  # characters of a clause that are shown

T = TypeVar("T")


class Outcome(NamedTuple):
    """What a pattern makes of a text: chunks, and tokens of these. tokens: None if the tokenizer cuts by no pattern."""

    chunks: int
    tokens: int | None


def outcome_of(text: str, pattern: str, tokenizer: AnyTokenizer) -> Outcome:
    """Cut a text by a pattern, and encode the chunks with the merges of a tokenizer. Raises PatternError as `cut` does.

    >>> from tokviz import reference
    >>> [outcome_of("the cat's hat", pattern, reference("gpt2")) for pattern in ("gpt2", "none", r"[\\s\\S]")]
    [Outcome(chunks=4, tokens=4), Outcome(chunks=1, tokens=4), Outcome(chunks=13, tokens=13)]
    """
    check_pattern(pattern)
    if not tokenizer.has_merges:
        return Outcome(len(cut_data(text.encode(), pattern)), None)
    chunks = tokens = 0
    for stretch, is_added in cut_specials(text, tokenizer.added_tokens, tokenizer.special_tokens):
        data = stretch.encode()
        ends = np.array([len(data)]) if is_added else cut_data(data, pattern)
        chunks += len(ends)
        tokens += 1 if is_added else len(tokenizer.explain_chunks(data, ends))
    return Outcome(chunks, tokens)


def splits(me: Visitor) -> None:
    """Draw the part."""
    shown, settings = shown_of(me), me.state(VocabularyState).splits
    data = clean(me.text).encode()
    text = data[:TEXT_LIMIT].decode(errors="ignore")
    if not text:
        note("info", "There is no text.", "Type one on Tokens to see it under each pattern.")
        st.page_link("pages/tokens.py", label="Go to Tokens")
        return
    size = count_of(len(data), "byte")
    with st.container(horizontal=True, vertical_alignment="center"):
        first = f", of which the first {TEXT_LIMIT:,} are cut here" if len(data) > TEXT_LIMIT else ""
        st.caption(f"Your text: {size}{first}.", width="content")
        st.page_link("pages/tokens.py", label="Change it on Tokens")
    label, example = "A split pattern of your own, a regular expression", r"\w+|\s+|[^\w\s]+"
    bound_field(label, "vocabulary.splits.own", "splits.own", VocabularyState, placeholder=example)
    st.caption(plain(HOW_TO_WRITE))
    tokenizer, patterns = shown.tokenizer, {name: name for name in PATTERNS}
    its = ITS_OWN
    if tokenizer.has_merges:
        its = tokenizer.pattern if tokenizer.pattern in PATTERNS else ITS_OWN
        patterns[its] = tokenizer.pattern
    if settings.own:
        patterns[OWN] = settings.own
    outcomes = dict[str, Outcome]()
    for name, pattern in patterns.items():
        one = _kept(me, ("split", text, pattern, tokenizer), partial(outcome_of, text, pattern, tokenizer))
        if isinstance(one, TokvizError):
            say(one)
        else:
            outcomes[name] = one
    title = finding(shown.name, its, outcomes)
    st.subheader(plain(title), anchor=False)
    show(outcomes_table(outcomes, patterns, title), key="vocabulary.splits.outcomes")
    said = f"Tokens: the chunks, encoded with the merges of {shown.name}. Nothing is trained again."
    st.caption(plain(said if tokenizer.has_merges else f"{shown.name} does not cut text by a pattern of this kind."))
    _explained(me, text, {name: patterns[name] for name in outcomes if name != "none"})


def _kept(me: Visitor, key: Hashable, make: Callable[[], T]) -> T | TokvizError:
    """What is made, from the visitor's cache; an error is kept too, because a pattern that runs away takes seconds."""

    def made() -> T | TokvizError:
        try:
            return make()
        except TokvizError as fault:
            return fault.without_frames()

    return me.cache.get(key, made)


def finding(called: str, its: str, outcomes: Mapping[str, Outcome]) -> str:
    """Say how many tokens a tokenizer makes under its own pattern and under others; of a peer, how many chunks.

    >>> finding("mine", "gpt2", {"gpt2": Outcome(2, 6), "none": Outcome(1, 5), "your own": Outcome(4, 9)})
    'mine makes 6 tokens of this text, 5 to 9 under other patterns'
    """
    if its not in outcomes:
        return f"These patterns cut the text into {_span([one.chunks for one in outcomes.values()])} chunks"
    others = [one.tokens or 0 for name, one in outcomes.items() if name != its]
    made = f"{called} makes {count_of(outcomes[its].tokens or 0, 'token')} of this text"
    return f"{made}, {_span(others)} under other patterns"


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def outcomes_table(outcomes: Mapping[str, Outcome], patterns: Mapping[str, str], label: str) -> Table:
    """The chunks and tokens under each pattern, a row each; no tokens for a peer."""
    has_tokens = all(one.tokens is not None for one in outcomes.values())
    rows = [
        [name, one.chunks, *([one.tokens] if has_tokens else []), _summary(patterns[name])]
        for name, one in outcomes.items()
    ]
    return Table(["split pattern", "chunks", *(["tokens"] if has_tokens else []), "what it does"], rows, label)


def _summary(pattern: str) -> str:
    if pattern in PATTERNS:
        return PATTERNS[pattern].summary
    if stages := stages_of(pattern):
        return f"{count_of(len(stages), 'stage')}, one after the other" if len(stages) > 1 else "1 stage"
    return pattern if len(pattern) <= LONGEST else f"{pattern[:LONGEST]}…"


def _explained(me: Visitor, text: str, patterns: Mapping[str, str]) -> None:
    """Draw what each piece of a pattern does."""
    st.subheader("What each piece of a pattern does", anchor=False)
    settings = me.state(VocabularyState).splits
    if settings.explained not in patterns:
        settings.explained = next(iter(patterns))
    name = settings.explained
    stages = stages_of(patterns[name])
    by_clauses = "The clauses are tried from the first to the last. The first one that matches makes the chunk."
    st.caption("Each stage cuts what the stage before it made." if stages else by_clauses)
    st.segmented_control(
        "Pattern to explain",
        list(patterns),
        required=True,
        label_visibility="collapsed",
        **bind("vocabulary.splits.explained", "splits.explained", VocabularyState),
    )
    if stages:
        st.code("\n".join(f"{stage.way}: {stage.expression}" for stage in stages), language=None)
        return
    pieces = _kept(me, ("pieces", text, patterns[name]), partial(pieces_of, text, patterns[name]))
    if isinstance(pieces, TokvizError):
        say(pieces)
    else:
        show(clauses_table(pieces, f"Clauses of {name}"), key=f"vocabulary.splits.pieces.{name}")


def clauses_table(pieces: Sequence[ClauseMatch], label: str) -> Table:
    """Say of each clause in its order what it matches, how many of all chunks, and which it matches most."""
    total = sum(piece.chunks for piece in pieces)
    rows = []
    for number, piece in enumerate(pieces, 1):
        clause = piece.clause[:LONGEST_CLAUSE] + ("…" if len(piece.clause) > LONGEST_CLAUSE else "")
        share = piece.chunks / total if total else 0.0
        words = [Strong(percent(share)), Quiet(f"{count_of(piece.chunks, 'chunk')}, {piece.distinct:,} distinct")]
        found = [*words, Bar(share)] if piece.chunks else Quiet("no chunk")
        frequent = Chips([Chip(chunk, times(n)) for chunk, n in piece.frequent], label="Most frequent chunks")
        rows.append([Line([f"{number}. ", Visible(clause), f"\n{piece.sentence}"], "text"), found, frequent])
    return Table((), rows, label)
