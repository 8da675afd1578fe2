"""Replay: the merges of a training, one by one, over a window of its corpus."""

import functools

import streamlit as st

from tokviz.samples import sample
from tokviz.training import Training, train
from tokviz.ui import shell
from tokviz.ui.components.replay import replay
from tokviz.ui.state import bind, visitor

SAMPLE_SIZE = 288  # tokens: 32 merges, few enough to watch one by one
WINDOWS = (500, 1_000, 2_000, 4_000)  # bytes

shell.enter()
me = visitor()


@functools.cache
def sample_training() -> Training:
    """What plays before anything is trained."""
    return train(sample("tongue").text, SAMPLE_SIZE, name=sample("tongue").title)


def forget_step() -> None:
    me.replay.step = me.replay.start = 0


mine = me.own(me.current)
tokenizer = mine.tokenizer if mine else sample_training().tokenizer
training = mine.training if mine else sample_training()
corpus_name = mine.corpus_name if mine else sample("tongue").title

title, choice = st.columns([3, 2], vertical_alignment="bottom")
with title:
    if training:
        size = f"{training.n_bytes:,} bytes"
        shell.head("Replay", f"Watch the merges happen on the corpus “{corpus_name}”, {size}.")
    else:
        shell.head("Replay", "Watch the merges of a loaded tokenizer happen on the text from the Tokens page.")
if me.trained:
    names = {own.key: own.name for own in me.trained}
    choice.selectbox(
        "Tokenizer",
        list(names),
        format_func=lambda key: names[key],
        **bind("replay.current", "current"),
    )

if training:
    tokens_before, n_bytes = training.tokens_at(0), training.n_bytes
    window = training.window(me.replay.start, me.replay.length)
else:
    # A loaded model has its merges but not its corpus: they play over the text in hand.
    whole = tokenizer.explain(me.text)
    window = whole.part(me.replay.start, me.replay.length)
    tokens_before, n_bytes = int(whole.tokens_at[0]), len(whole.data)

step = replay(
    window,
    tokenizer.history or (),
    title=tokenizer.name,
    corpus_name=corpus_name,
    tokens_before=tokens_before,
    n_bytes=n_bytes,
    step=min(me.replay.step, tokenizer.vocab_size - 256),
    key="replay.player",
)
if step is not None:
    me.replay.step = step

if n_bytes > WINDOWS[0]:
    start, length, _ = st.columns([2, 2, 5])
    start.number_input(
        f"Window starts at byte (of {n_bytes:,})",
        0,
        n_bytes - 1,
        step=WINDOWS[0],
        **bind("replay.start", "replay.start"),
    )
    length.selectbox(
        "Window length, bytes", WINDOWS, format_func="{:,}".format, **bind("replay.length", "replay.length")
    )
