"""The training record of a tokenizer: its corpus, its settings, and what came of it."""

from __future__ import annotations

import streamlit as st

from tokviz.base.wording import count_of
from tokviz.split.cutting import PATTERNS
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.record import TrainingRecord, training_record
from tokviz.training.rules import PREFERENCES, TIES
from tokviz.training.train import Training
from tokviz.ui.components.facts import Fact, ValuePart, facts

SUMS_SHOWN = 3  # texts whose sha256 is shown


def record(tokenizer: Tokenizer, training: Training | None) -> None:
    """Draw the record, or say that there is none. training: if it is at hand."""
    st.subheader("Training record", anchor=False)
    found = training_record(tokenizer, training)
    if found is None:
        st.markdown(":gray[No record: it was not trained here.]")
        return
    facts("Training record", record_rows(tokenizer, found), key="library.record")


def record_rows(tokenizer: Tokenizer, found: TrainingRecord) -> list[Fact]:
    """The rows of the list. What is not known has no row."""
    rows, origin = [], tokenizer.origin
    if origin.words:
        rows.append(Fact("Corpus", [ValuePart(origin.words)]))
    if shas := origin.sums:
        more = len(shas) - SUMS_SHOWN
        text = "\n".join(shas[:SUMS_SHOWN])
        rows.append(
            Fact("SHA-256", [ValuePart(text, code=True), *([ValuePart(f"\nand {more:,} more")] if more > 0 else [])])
        )
    rows.append(Fact("Settings", _settings(tokenizer, found)))
    made = f"{found.made:,}" + (f" of {found.asked:,}" if found.asked is not None else "")
    rows.append(Fact("Merges made", [ValuePart(f"{made}; stopped by: {found.stopped}" if found.stopped else made)]))
    if found.ties is not None:
        rows.append(Fact("Ties", [ValuePart(f"{found.ties:,} of {count_of(found.made, 'merge')}")]))
    if found.bytes_per_token:
        size = f"{count_of(found.n_bytes or 0, 'byte')}, {count_of(found.after or 0, 'token')}"
        rows.append(Fact("Bytes per token", [ValuePart(f"{found.bytes_per_token} on its own corpus: {size}")]))
    return rows


def _settings(tokenizer: Tokenizer, found: TrainingRecord) -> list[ValuePart]:
    pattern = [ValuePart("split pattern "), ValuePart(tokenizer.pattern, code=True)]
    if tokenizer.pattern not in PATTERNS:
        pattern[0] = ValuePart("split pattern of its own ")
    size = [] if found.vocab_size is None else [ValuePart(f"vocabulary size {found.vocab_size:,}; ")]
    if found.rules is None:
        return [*size, *pattern]
    rules = found.rules
    rest = f"; ties: {TIES[rules.tie].label}; least pair count {rules.min_count:,}"
    if rules.prefer != "frequent":
        rest += f"; {PREFERENCES[rules.prefer]}"
    if rules.ban:
        rest += f"; {count_of(len(rules.ban), 'token')} that no merge may make"
    return [*size, *pattern, ValuePart(rest)]
