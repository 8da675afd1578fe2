"""Is my sample enough? Below a trained tokenizer: trainings on resamples of its corpus, and which merges come again."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

import pandas as pd
import streamlit as st

from tokviz.errors import TokvizError
from tokviz.resampling import BLOCKS, TEXTS
from tokviz.sample_size import Bootstrap, BootstrapProgress, bootstrap_steps, check_training
from tokviz.training import Training
from tokviz.ui import tables
from tokviz.ui.charts import resamples as chart_of
from tokviz.ui.components.note import note
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.say import say
from tokviz.ui.frame.widgets import bind
from tokviz.ui.train.state import Resampled, TrainState
from tokviz.ui.visitors.visitor import Mine, Visitor
from tokviz.ui.work import work
from tokviz.ui.work.progress import progress
from tokviz.wording import TOKEN_SHOWN, count_of, visible_start

PLACE = "resamples"
FEWEST, MOST = 10, 200  # resamples


@dataclass(eq=False)
class ResamplingWork(work.Work):
    """The trainings on resamples, one after the other.

    about: the key of the tokenizer. name: the tokenizer's. there: is its training still there? If it was dropped, the
    work ends, because it would keep the training in memory.
    """

    name: str
    steps: Iterator[BootstrapProgress]
    there: Callable[[], bool]
    place: str = field(default=PLACE, kw_only=True)
    progress: BootstrapProgress | None = None

    def slices(self) -> Generator[None]:
        """Train. A cancelled bootstrap has no result, so all of it is let go."""
        stage = "resample"
        for now in self.steps:
            if self.stop.is_set() or not self.there():
                break
            if now.stage != stage:
                stage, self.since = now.stage, time.monotonic()
            self.progress, self.so_far, self.in_all = now, now.done, now.of
            yield

    def let_go(self) -> None:
        """Let the training go, and its corpus."""
        self.steps = iter(())

    def finish(self, visitor: Visitor) -> None:
        """Hand the result to the page, unless its training was dropped meanwhile."""
        with visitor.lock:
            if self.progress and self.progress.result and self.there():
                state = visitor.state(TrainState)
                state.resampled = {**state.resampled, str(self.about): Resampled(self.name, self.progress.result)}
            self.progress = None  # the page has it now

    @property
    def doing(self) -> str:
        """Which resample or part of the corpus it trains on."""
        if self.progress is None:
            return "Counting the chunks"
        if self.progress.stage == "part":
            return f"Training on halves and quarters of the corpus: {self.so_far:,} of {self.in_all:,}"
        return f"Training on resamples: {self.so_far:,} of {self.in_all:,}"


def enough(me: Visitor, mine: Mine, training: Training) -> None:
    """Draw the question, and its answer when there is one."""
    st.subheader("Is my sample enough?", anchor=False)
    last = work.of(me, PLACE)
    about_it = last if last and last.about == mine.key else None
    under_way = about_it if about_it and not about_it.over else None
    found = me.state(TrainState).resampled.get(mine.key)
    question, answer = st.columns([5, 7], gap="large")
    with question:
        _ask(me, mine, training, running=under_way is not None)
        if found and not under_way:
            st.markdown(found.result.finding())
    with answer:
        if under_way:
            progress(me, under_way)
        elif about_it and about_it.stop.is_set():
            note("warn", "Cancelled.", "Nothing of it is kept. Draw resamples again, or draw fewer.")
        elif about_it and about_it.ended_badly:
            say(about_it.error or RuntimeError())
        if found and not under_way:
            chart = me.cache.get(("resamples", training, found), lambda: chart_of(found.result, mine.series))
            tables.draw(chart, page="train")
    if found and not under_way:
        _merges(me, training, found.result)


def _ask(me: Visitor, mine: Mine, training: Training, *, running: bool) -> None:
    """Draw what a resample is, how many to draw, and the button."""
    try:
        check_training(training)
    except TokvizError as fault:
        if training.kept is None:  # it was made from counts on purpose, so nothing is wrong
            note("info", fault.what, fault.way_out)
        else:
            say(fault)
        return
    st.caption(_explanation(training))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bound = bind("train.resamples", "resamples", TrainState)
        st.number_input("Resamples", FEWEST, MOST, step=10, width=160, **bound)
        begin = (me, PLACE, _begin, me, mine, training)
        st.button("Draw resamples", disabled=running, on_click=pressed, args=begin, key="train.resample")
    say_trouble(me, PLACE)


def _explanation(training: Training) -> str:
    """What a resample of this corpus is, what it is for, and what it cannot show."""
    texts = training.text_ends
    if texts is not None and len(texts) >= TEXTS:
        units = f"the {len(texts):,} texts of the corpus"
    else:
        of_what = "blocks of characters" if training.counts.pattern == "none" else "blocks"
        units = f"the corpus, cut into up to {BLOCKS} {of_what}"
    return (
        f"A resample is drawn at random from {units}. It has as many, but some come several times and some not at "
        "all. Each resample is trained on. If nearly all of them make a merge, it does not depend on a few texts. What "
        "text of another kind would change stays open: no resample has any."
    )


def _begin(me: Visitor, mine: Mine, training: Training) -> None:
    key, visitor = mine.key, weakref.ref(me)  # the work must not keep the visitor

    def there() -> bool:
        person = visitor()
        own = person.own(key) if person else None
        return own is not None and own.training is not None

    steps = bootstrap_steps(training, me.state(TrainState).resamples)
    begun = ResamplingWork(mine.name, steps, there, about=key)
    work.start(me, begun)
    begun.done_soon()


def _merges(me: Visitor, training: Training, found: Bootstrap) -> None:
    """Draw the table of all merges or of the unstable ones, and the tokens that only the resamples make."""
    unstable = int((~found.stable).sum())
    st.subheader(f"In how many of {found.resamples:,} resamples each merge is found", anchor=False)
    st.caption(
        "A merge may have another number in each resample. The last three columns are the range of its numbers there."
    )
    table = me.cache.get(("merges in resamples", training, found), lambda: merge_table(found))
    if unstable:
        label = f"Only the {count_of(unstable, 'merge')} found in fewer than {found.enough:,}"
        if st.toggle(label, **bind("train.unstable", "unstable_only", TrainState, typed=False)):
            table = table[~found.stable]
    tables.frame(table, "resampled-merges", page="train", bars={"resamples": found.resamples})
    if found.lacking:
        n = len(found.lacking)
        title = f"{count_of(n, 'token')} that half of the resamples or more make, and this training does not"
        with st.expander(title):
            tokens, often = zip(*found.lacking, strict=True)
            lacking = pd.DataFrame({**_written(tokens), "resamples": often})
            tables.frame(lacking, "resampled-lacking", page="train", bars={"resamples": found.resamples})


def merge_table(found: Bootstrap) -> pd.DataFrame:
    """A row for each merge: its number from 1, its token, in how many resamples it is found, and as which merge there.

    >>> from tokviz import bootstrap, train
    >>> merge_table(bootstrap(train(["the cat"] * 40, 257), 10)).values.tolist()
    [[1, 'th', '74 68', 10, 1, 1, 1]]
    """
    table = pd.DataFrame(
        {
            "merge": range(1, len(found.tokens) + 1),
            **_written(found.tokens),
            "resamples": found.found,
        }
    )
    ranges = {"lowest there": found.lowest, "median there": found.median, "highest there": found.highest}
    for column, ranks in ranges.items():
        table[column] = pd.Series(ranks + 1, dtype="Int64").mask(found.found == 0)
    return table


def _written(tokens: Sequence[bytes]) -> dict[str, list[str]]:
    """Two columns: the tokens as text, and their bytes."""
    return {
        "token": [visible_start(token) for token in tokens],
        "bytes": [token[:TOKEN_SHOWN].hex(" ").upper() + "…" * (len(token) > TOKEN_SHOWN) for token in tokens],
    }
