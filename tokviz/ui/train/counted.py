"""The corpus of the Train page that was counted elsewhere: files of chunk counts, instead of the texts themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from tokviz import limits
from tokviz.chunk_counts import ChunkCounts
from tokviz.counts_file import SUFFIX, join_named, load
from tokviz.errors import InputError, TokvizError
from tokviz.ui.frame.say import plain, say
from tokviz.ui.train.state import Counted, TrainState
from tokviz.ui.uploads import named, say_refused, too_much, uploaded
from tokviz.ui.visitors.registry import why_no_room
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.visitors.weight import weigh
from tokviz.wording import count_of, tidy_name

HEAD = 20_000  # bytes of distinct chunks on which the small training before the real one is made


def choose_counts(me: Visitor) -> None:
    """Draw the uploader of files of counts, and what they hold together."""
    state = me.state(TrainState)
    files = f"train.counts.{state.count_files.emptied}"
    st.file_uploader(
        f"Corpus: its chunk counts, one {SUFFIX} file for each shard",
        accept_multiple_files=True,
        max_upload_size=limits.FILE_MB,
        key=files,
        on_change=_take,
        args=(me, files),
    )
    say_refused(files)
    for fault in state.count_files.faults:
        say(fault)
    if state.counted is None:
        st.caption(
            "For a corpus that is too large to upload. On the machine that has it, "
            "`tokviz count-chunks 0.txt --shard 0 -o 0.counts` writes such a file. The tokenizer is the one that a "
            "training on the texts makes."
        )
        return
    counts = state.counted.counts
    shards = f"{count_of(len(counts.shards), 'shard')} · " if counts.shards else ""
    facts = f"{shards}{counts.n_bytes:,} bytes · {count_of(len(counts), 'distinct chunk')}"
    st.markdown(f":small[**{plain(state.counted.name)}** :gray[· {facts}]]")


def _take(me: Visitor, files: str) -> None:
    """Join the counts of all files that the uploader shows. Without one of them they would be another corpus."""
    state, shown = me.state(TrainState), uploaded(files)
    try:
        state.counted = _joined(shown) if shown else None
        state.count_files.faults = []
    except TokvizError as fault:
        state.counted = None
        state.count_files.faults = [fault.without_frames()]


def _joined(shown: list[UploadedFile]) -> Counted:
    size = sum(file.size for file in shown)
    why = too_much(len(shown), size) or why_no_room(2 * size)
    if why:
        raise InputError(f"{named(shown)} cannot be kept.", why)
    names = [tidy_name(file.name) for file in shown]
    counts = join_named((name, load(file.getvalue(), name)) for name, file in zip(names, shown, strict=True))
    if len(counts.data) > limits.CHUNKS_MB * limits.MB:
        raise InputError(
            f"The distinct chunks have {len(counts.data):,} bytes together, and {limits.CHUNKS_MB:,} MB are the limit.",
            f"Train in a terminal: tokviz train *{SUFFIX} -o mine.json. Then open that file on Library.",
        )
    if not len(counts):
        raise InputError(f"There are no chunks in {named(shown)}.", "Choose the counts of a corpus with text in it.")
    counted = Counted(named(shown), counts, head_of(counts))
    why = why_no_room(weigh([counted]))
    if why:
        raise InputError(f"{named(shown)} cannot be kept.", why)
    return counted


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
        pruned_windows=None,
        pruned_bytes=0,
    )
    return replace(head, n_bytes=head.n_tokens)
