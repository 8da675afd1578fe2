"""The corpus of the Train page that was counted elsewhere: files of chunk counts, instead of the texts themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from tokviz.chunk_counts import ChunkCounts
from tokviz.counts_file import SUFFIX
from tokviz.ui.count_files import Joined, count_uploader
from tokviz.ui.frame.say import plain
from tokviz.ui.train.state import Counted, TrainState
from tokviz.ui.visitors.visitor import Visitor
from tokviz.wording import count_of

HEAD = 20_000  # bytes of distinct chunks on which the small training before the real one is made
COMMAND = f"tokviz count-chunks 0.txt --shard 0 -o 0{SUFFIX}"


def choose_counts(me: Visitor) -> None:
    """Draw the uploader of files of counts, and what they hold together."""
    state = me.state(TrainState)

    def take(joined: Joined | None) -> None:
        state.counted = Counted(_called(joined.names), joined.counts, head_of(joined.counts)) if joined else None

    label = f"Corpus: its chunk counts, one {SUFFIX} file for each shard"
    count_uploader(state.count_files, label, "train", take)
    if state.counted:
        st.markdown(f":small[**{plain(state.counted.name)}** :gray[· {facts_of(state.counted.counts)}]]")
    elif not state.count_files.faults:
        st.caption(
            "For a corpus that is too large to upload, or that must stay where it is. Count it there, in one or more "
            "shards:"
        )
        st.code(COMMAND, language=None, wrap_lines=True)
        st.caption("A training on the counts makes the same tokenizer as one on the texts.")


def facts_of(counts: ChunkCounts) -> str:
    """How much was counted, in words.

    >>> from tokviz import count_chunks
    >>> facts_of(count_chunks("the cat", shard=3))
    '1 shard · 7 bytes · 2 distinct chunks'
    """
    facts = [count_of(len(counts.shards), "shard")] if counts.shards else []
    facts += [count_of(counts.n_bytes, "byte"), count_of(len(counts), "distinct chunk")]
    return " · ".join(facts)


def _called(names: list[str]) -> str:
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return f"{names[0]}{more}"


def head_of(counts: ChunkCounts) -> ChunkCounts:
    """The counts of the first distinct chunks alone, as those of a small corpus without special tokens.

    >>> from tokviz import count_chunks
    >>> head = head_of(count_chunks("the cat, the hat", shard=3))
    >>> len(head), head.n_bytes
    (5, 16)
    """
    n = max(1, int(np.searchsorted(counts.ends, HEAD, side="right")))
    head = replace(
        counts,
        data=counts.data[: counts.ends[n - 1]].copy(),
        ends=counts.ends[:n].copy(),
        counts=counts.counts[:n].copy(),
        firsts=counts.firsts[:n].copy(),
        special_counts=(0,) * len(counts.special_tokens),
        shards={},
    )
    return replace(head, n_bytes=head.n_tokens)
