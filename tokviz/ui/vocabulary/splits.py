"""Split patterns: the visitor's text under several split patterns, and each pattern explained piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
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
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame.field import field
from tokviz.ui.frame.say import note, plain, say
from tokviz.ui.frame.tables import csv_button
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.shown import show
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.ui.vocabulary.use import shown_of

TEXT_LIMIT = 100_000  # bytes: a run of the page cuts, encodes and explains them, which takes half a second
FREE = "none"
OWN, ITS_OWN = "own", "tokenizer"  # the patterns without a name: of the visitor, and of the tokenizer
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


def limited(text: str) -> tuple[str, int]:
    """The first TEXT_LIMIT bytes of a text, and how many are left out. Lone surrogates become U+FFFD.

    >>> head, left_out = limited("é" * 60_000)
    >>> len(head), left_out
    (50000, 20000)
    """
    data = clean(text).encode()
    head = data[:TEXT_LIMIT].decode(errors="ignore")
    return head, len(data) - len(head.encode())


def splits(me: Visitor) -> None:
    """Draw the part."""
    shown = shown_of(me)
    tokenizer = shown.tokenizer
    text, left_out = limited(me.text)
    _say_text(text, left_out)
    if not text:
        return
    own = me.state(VocabularyState).splits
    field(
        "A split pattern of your own, a regular expression",
        own.own,
        key="vocabulary.splits.own",
        typed=partial(setattr, own, "own"),
        placeholder=r"\w+|\s+|[^\w\s]+",
    )
    st.caption(plain(HOW_TO_WRITE))
    patterns = _patterns(own.own, tokenizer)
    outcomes = {}
    for key, pattern in patterns.items():
        one = _kept(me, ("split", text, pattern, tokenizer), partial(outcome_of, text, pattern, tokenizer))
        if isinstance(one, TokvizError):
            say(one)
        else:
            outcomes[key] = one
    _compared(shown, outcomes, patterns)
    _explained(me, text, {key: patterns[key] for key in outcomes if key != FREE})


def _say_text(text: str, left_out: int) -> None:
    """Say which text is cut and how long it may be, and draw the way to change it."""
    if not text:
        note("info", "There is no text.", "Type one on Tokens to see it under each pattern.")
        st.page_link("pages/tokens.py", label="Go to Tokens")
        return
    if left_out:
        note(
            "warn",
            f"Your text is longer than {TEXT_LIMIT:,} bytes.",
            f"The first {count_of(len(text.encode()), 'byte')} are cut here; {left_out:,} are left out.",
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Your text: {len(text.encode()):,} of at most {count_of(TEXT_LIMIT, 'byte')}.", width="content")
        st.page_link("pages/tokens.py", label="Change it on Tokens")


def _patterns(own: str, tokenizer: AnyTokenizer) -> dict[str, str]:
    """The patterns that are compared: a name, OWN or ITS_OWN -> the pattern."""
    patterns = {name: name for name in PATTERNS}
    if tokenizer.has_merges:
        patterns[_key_of(tokenizer)] = tokenizer.pattern
    if own:
        patterns[OWN] = own
    return patterns


def _key_of(tokenizer: Tokenizer) -> str:
    """The key of the pattern that the tokenizer itself has."""
    return tokenizer.pattern if tokenizer.pattern in PATTERNS else ITS_OWN


def _label(key: str) -> str:
    return {OWN: "your own", ITS_OWN: "the tokenizer's"}.get(key, key)


def _kept(me: Visitor, key: Hashable, make: Callable[[], T]) -> T | TokvizError:
    """What is made, from the visitor's cache; an error is kept too, because a pattern that runs away takes seconds."""

    def made() -> T | TokvizError:
        try:
            return make()
        except TokvizError as fault:
            return fault.without_frames()

    return me.cache.get(key, made)


# -- the table --


def _compared(shown: ShownTokenizer, outcomes: Mapping[str, Outcome], patterns: Mapping[str, str]) -> None:
    title = finding(shown, outcomes)
    st.subheader(plain(title), anchor=False)
    table = outcomes_table(outcomes, patterns, title)
    show(table, key="vocabulary.splits.outcomes")
    csv_button("Save CSV", lambda: table, "splits", "vocabulary.splits.csv")
    if not shown.tokenizer.has_merges:
        said = f"{shown.name} does not cut text by such a pattern, so only the chunks are counted."
    else:
        said = (
            f"Tokens: the chunks of each pattern, encoded with the merges of {shown.name}. Only the pattern changes: "
            "nothing is trained again. Special tokens are read as text."
        )
    st.caption(plain(said))


def finding(shown: ShownTokenizer, outcomes: Mapping[str, Outcome]) -> str:
    """How many tokens the tokenizer makes under its own pattern and under the others; of a peer, how many chunks."""
    tokens = {key: one.tokens for key, one in outcomes.items() if one.tokens is not None}
    its = tokens.pop(_key_of(shown.tokenizer), None) if shown.tokenizer.has_merges else None
    if its is None:
        return f"These patterns cut the text into {_span([one.chunks for one in outcomes.values()])} chunks"
    if {*tokens.values()} == {its}:
        return f"{shown.name} makes {count_of(its, 'token')} of this text under each of these patterns"
    return f"{shown.name} makes {count_of(its, 'token')} of this text, {_span(tokens.values())} under other patterns"


def _span(numbers: Collection[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def outcomes_table(outcomes: Mapping[str, Outcome], patterns: Mapping[str, str], label: str) -> Table:
    """The chunks and tokens under each pattern, a row each; no tokens for a peer."""
    has_tokens = all(one.tokens is not None for one in outcomes.values())
    rows = [
        [_label(key), one.chunks, *([one.tokens] if has_tokens else []), _summary(patterns[key])]
        for key, one in outcomes.items()
    ]
    return Table(["split pattern", "chunks", *(["tokens"] if has_tokens else []), "what it does"], rows, label)


def _summary(pattern: str) -> str:
    if pattern in PATTERNS:
        return PATTERNS[pattern].summary
    if stages := stages_of(pattern):
        return f"{count_of(len(stages), 'stage')}, one after the other" if len(stages) > 1 else "1 stage"
    return pattern if len(pattern) <= LONGEST else f"{pattern[:LONGEST]}…"


# -- piece by piece --


def _explained(me: Visitor, text: str, patterns: Mapping[str, str]) -> None:
    st.subheader("What each piece of a pattern does", anchor=False)
    settings = me.state(VocabularyState).splits
    if settings.explained not in patterns:
        settings.explained = next(iter(patterns))
    key = settings.explained
    stages = stages_of(patterns[key])
    by_clauses = "The clauses are tried from the first to the last. The first one that matches makes the chunk."
    st.caption("Each stage cuts what the stage before it made." if stages else by_clauses)
    st.segmented_control(
        "Pattern to explain",
        list(patterns),
        required=True,
        format_func=_label,
        label_visibility="collapsed",
        **bind("vocabulary.splits.explained", "splits.explained", VocabularyState),
    )
    if stages:
        lines = (f"{stage.way}: {stage.expression}" for stage in stages)
        st.code("\n".join(lines), language=None)
        return
    pieces = _kept(me, ("pieces", text, patterns[key]), partial(pieces_of, text, patterns[key]))
    if isinstance(pieces, TokvizError):
        say(pieces)
    else:
        show(clauses_table(pieces, f"Clauses of {_label(key)}"), key=f"vocabulary.splits.pieces.{key}")


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
