"""Each kind of thing that a visitor can keep weighs what it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tokviz
from tests.test_visitors_memory import REFERENCES, prose, traced, trained
from tokviz import formats
from tokviz.comparison.comparison import compare
from tokviz.comparison.shared_tokens import shared_tokens
from tokviz.cost.figures import facts_of
from tokviz.kernels import pairs_at
from tokviz.tokenizer.live_text import LiveText
from tokviz.tokenizer.special_edits import SpecialRow
from tokviz.training.rules import Rules
from tokviz.training.train import train, train_steps
from tokviz.training.what_if import TrainingChange, parting_of, train_with_change
from tokviz.ui.compare.counted_file import FileCounts
from tokviz.ui.frame.training import TrainingWork
from tokviz.ui.frame.widgets import TabState
from tokviz.ui.learn.state import LearnState
from tokviz.ui.library.special_table import EditedRow, SpecialEdit, SpecialEdits
from tokviz.ui.replay.state import ReplayState, WhatIfFields
from tokviz.ui.server.budget import shrink
from tokviz.ui.server.registry import MB
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.weight import weigh
from tokviz.ui.tokens.state import IdsField, TokensState
from tokviz.ui.train.state import TrainSettings, TrainState
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.odd import OddTokens
from tokviz.vocabulary.table import token_table
from tokviz.vocabulary.use import use_in_training

__all__ = ["traced"]


def text_with_emoji() -> Any:
    return tokviz.read_text((prose(MB, 1) + "🦜").encode())


def training() -> Any:
    done = trained(2)
    done.window(100, 100)
    return done


def tokenizer_in_use() -> Any:
    own = trained(3).tokenizer
    own.encode(prose(100_000, 4))
    own.decode([300])
    return own, own.vocab, own.merges, own.rank_of(b"ab"), 256 in own._vocabulary


def encoding() -> Any:
    found = tokviz.reference("gpt2").explain(prose(500_000, 5))
    return found, found.ids, found.ends, found.tokens_at, found.at(100)


def comparison() -> Any:
    both = compare(prose(300_000, 6), [tokviz.reference(name) for name in REFERENCES])
    return both, both.bounds, both.window(5, 5)


def counted_file() -> Any:
    file = FileCounts(tokviz.read_text(prose(300_000, 7).encode()))
    for name in REFERENCES:
        list(file.count(name, tokviz.reference(name), facts_of(file.text.text)))
    list(file.count_reasons(REFERENCES, *map(tokviz.reference, REFERENCES)))
    return file


def live_text() -> Any:
    live = LiveText([tokviz.reference(name) for name in REFERENCES])
    live.start_with(prose(300_000, 8))
    live.patch(5, 9, "hello")
    return live


def what_a_tab_keeps() -> Any:
    return TabState(data={"blocks": [prose(500_000, 9), {"ids": list(range(1_000_000, 1_050_000))}]})


def rows() -> Any:
    return [(str(i), i / 3) for i in range(20_000)]


def tokenizer_from_a_file() -> Any:
    """With the record of its training, and of more than a thousand texts that it was made from."""
    made = train([f"text {i} {prose(200, i)}" for i in range(900)], 600, name="many texts").tokenizer
    opened = formats.load(formats.dump(made, "tokviz"))
    return opened, opened.history, opened.vocab


def tokens_that_double() -> Any:
    """A file of a few hundred bytes, whose tokens have millions."""
    return tokviz.Tokenizer("long", merges=[(97, 97), *((255 + i, 255 + i) for i in range(1, 21))]).vocab


def special_tokens() -> Any:
    return tokviz.Tokenizer("special", [(97, 98)], special_tokens={f"<special {i}>": 300 + i for i in range(5_000)})


def what_the_vocabulary_page_knows() -> Any:
    one, other = trained(11).tokenizer, trained(12).tokenizer
    both, odd, family = shared_tokens(one, other), OddTokens(one), Family(one)
    return one, other, both, odd, family, token_table(one)


def what_if() -> Any:
    done = trained(13, 100_000, 600)
    *_, last = train_with_change(done, TrainingChange(rules=Rules(tie="lowest")))
    return done, last.training, parting_of(done.tokenizer, last.training.tokenizer), use_in_training(done)


def training_under_way() -> Any:
    work = TrainingWork("name", "corpus", train_steps(prose(1_000_000, 15), 5_000, pattern="none"))
    slices = work.slices()
    next(step for step in slices if work.progress and work.progress.stage == "merge")
    return work, slices


def fields_of_pages() -> Any:
    """Nothing says of these that they have to be weighed."""
    person = Visitor(text="")
    person.state(TokensState).ids.text = prose(50_000, 16)
    person.state(TrainState).settings.special = prose(50_000, 17)
    person.state(TrainState).settings.custom = prose(50_000, 18)
    person.state(ReplayState).text = prose(50_000, 19)
    person.state(ReplayState).what_if.line = prose(50_000, 20)
    person.state(VocabularyState).splits.own = prose(50_000, 21)
    person.state(LearnState).keep("inputs", "step", {"text": prose(40_000, 23)})
    person.state(SpecialEdits).edits["key"] = SpecialEdit([], [EditedRow(0, SpecialRow(prose(50_000, 24), "1"))], 1)
    return person


KINDS = [
    text_with_emoji,
    training,
    tokenizer_in_use,
    encoding,
    comparison,
    counted_file,
    live_text,
    what_a_tab_keeps,
    rows,
    tokenizer_from_a_file,
    tokens_that_double,
    special_tokens,
    what_the_vocabulary_page_knows,
    what_if,
    training_under_way,
    fields_of_pages,
]


@pytest.mark.parametrize("make", KINDS)
def test_each_kind_weighs_what_it_takes(make: Callable[[], Any], traced: Callable[[], int]) -> None:
    made = make()  # once before, for what is shared
    del made
    before = traced()
    made = make()
    grown = traced() - before
    weight = made.weigh() if isinstance(made, Visitor) else weigh([made])
    assert weight == pytest.approx(grown, rel=0.15)


def test_an_array_that_a_kernel_made_weighs_its_bytes() -> None:
    """numba keeps the bytes, and tells nobody."""
    done = trained(10)
    array = pairs_at(done.counts.data, done.seams, done.counts.ends, done.counts.counts, 0)
    assert weigh([array]) >= array.nbytes > 10_000
    assert weigh([array, array]) == weigh([array])


def test_a_view_weighs_what_it_keeps() -> None:
    data = bytes(MB)
    part = np.frombuffer(data, np.uint8)[5:10]
    assert weigh([part]) == pytest.approx(MB, rel=0.01) == weigh([part, data])


def test_long_fields_are_let_go_last_and_said() -> None:
    person = fields_of_pages()
    person.text = "short"
    shrink(person, 0)
    assert person.state(TokensState).ids == IdsField()
    assert person.state(TrainState).settings == TrainSettings()
    assert (person.state(ReplayState).text, person.state(ReplayState).what_if) == ("", WhatIfFields())
    assert not person.state(VocabularyState).splits.own and not person.state(SpecialEdits).edits
    assert {lost.kind for lost in person.lost} == {"text"}
    assert person.weigh() < 10_000
