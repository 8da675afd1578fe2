"""The training record of a tokenizer: its corpus, its settings, and what came of it."""

from __future__ import annotations

import streamlit as st

from tokviz.base.blocks import Cell, Line, Quiet, Table
from tokviz.base.sentences import Code
from tokviz.base.wording import count_of
from tokviz.split.cutting import PATTERNS
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.record import TrainingRecord, training_record
from tokviz.training.rules import PREFERENCES, TIES
from tokviz.training.train import Training
from tokviz.ui.tokenview.shown import show

SUMS_SHOWN = 3  # texts whose sha256 is shown


def record(tokenizer: Tokenizer, training: Training | None) -> None:
    """Draw the record, or say that there is none. training: if it is at hand."""
    st.subheader("Training record", anchor=False)
    found = training_record(tokenizer, training)
    if found is None:
        st.markdown(":gray[No record: it was not trained here.]")
        return
    show(Table((), record_rows(tokenizer, found)), key="library.record", label="Training record")


def record_rows(tokenizer: Tokenizer, found: TrainingRecord) -> list[tuple[Quiet, Cell]]:
    """What is known, by its name. What is not known has no row."""
    known, origin = dict[str, Cell](), tokenizer.origin
    if origin.words:
        known["Corpus"] = origin.words
    if shas := origin.sums:
        more = len(shas) - SUMS_SHOWN
        sums = [part for sha in shas[:SUMS_SHOWN] for part in ("\n", Code(sha))][1:]
        known["SHA-256"] = Line([*sums, f"\nand {more:,} more" if more > 0 else ""], "text")
    known["Settings"] = Line(_settings(tokenizer, found), "text")
    made = f"{found.made:,}" + (f" of {found.asked:,}" if found.asked is not None else "")
    known["Merges made"] = f"{made}; stopped by: {found.stopped}" if found.stopped else made
    if found.ties is not None:
        known["Ties"] = f"{found.ties:,} of {count_of(found.made, 'merge')}"
    if found.bytes_per_token:
        size = f"{count_of(found.n_bytes or 0, 'byte')}, {count_of(found.after or 0, 'token')}"
        known["Bytes per token"] = f"{found.bytes_per_token} on its own corpus: {size}"
    return [(Quiet(name), value) for name, value in known.items()]


def _settings(tokenizer: Tokenizer, found: TrainingRecord) -> list[Cell]:
    size = "" if found.vocab_size is None else f"vocabulary size {found.vocab_size:,}; "
    its_own = "" if tokenizer.pattern in PATTERNS else "of its own "
    words = [f"{size}split pattern {its_own}", Code(tokenizer.pattern)]
    if found.rules is None:
        return words
    rules = found.rules
    rest = f"; ties: {TIES[rules.tie].label}; least pair count {rules.min_count:,}"
    if rules.prefer != "frequent":
        rest += f"; {PREFERENCES[rules.prefer]}"
    if rules.ban:
        rest += f"; {count_of(len(rules.ban), 'token')} that no merge may make"
    return [*words, rest]
