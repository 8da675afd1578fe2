"""Each kind of thing that a visitor can keep says about what it takes, and never much too little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tokviz
from tests.test_visitors_memory import REFERENCES, prose, traced, trained
from tokviz import formats
from tokviz.comparison.comparison import compare
from tokviz.comparison.shared_tokens import shared_tokens
from tokviz.cost.figures import facts_of
from tokviz.training.rules import Rules
from tokviz.training.train import train
from tokviz.training.what_if import TrainingChange, parting_of, train_with_change
from tokviz.ui.compare.counted_file import FileCounts
from tokviz.ui.server.registry import MB
from tokviz.ui.server.sizes import ENCODER, size
from tokviz.ui.server.visitor import MOST_ASIDE, Visitor
from tokviz.ui.train.state import TrainState
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
    own.vocab, own.merges, own.rank_of(b"ab")
    return own


def encoding() -> Any:
    found = tokviz.reference("gpt2").explain(prose(500_000, 5))
    found.ids, found.ends, found.tokens_at  # noqa: B018 (they are kept from now on)
    return found


def comparison() -> Any:
    both = compare(prose(300_000, 6), [tokviz.reference(name) for name in REFERENCES])
    both.bounds, both.window(5, 5)
    return both


def counted_file() -> Any:
    file = FileCounts(tokviz.read_text(prose(300_000, 7).encode()))
    for name in REFERENCES:
        list(file.count(name, tokviz.reference(name), facts_of(file.text.text)))
    list(file.count_reasons(REFERENCES, *map(tokviz.reference, REFERENCES)))
    return file


def tokenizer_from_a_file() -> Any:
    """With the record of its training, and of more than a thousand texts that it was made from."""
    made = train([f"text {i} {prose(200, i)}" for i in range(900)], 600, name="many texts").tokenizer
    opened = formats.load(formats.dump(made, "tokviz"))
    opened.history, opened.vocab  # noqa: B018 (they are kept from now on)
    return opened


def tokens_that_double() -> Any:
    """A file of a few hundred bytes, whose tokens have millions."""
    long = tokviz.Tokenizer("long", merges=[(97, 97), *((255 + i, 255 + i) for i in range(1, 21))])
    long.vocab  # noqa: B018 (it is kept from now on)
    return long


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


def texts_put_aside() -> Any:
    person = Visitor(text="")
    for n in range(20):
        person.lend(prose(100_000, n))
        person.type(prose(100_000, 100 + n), "here")
    person.state(TrainState).written.text = prose(200_000, 30)
    return person


KINDS = [
    text_with_emoji,
    training,
    tokenizer_in_use,
    encoding,
    comparison,
    counted_file,
    tokenizer_from_a_file,
    tokens_that_double,
    special_tokens,
    what_the_vocabulary_page_knows,
    what_if,
    texts_put_aside,
]


@pytest.mark.parametrize("make", KINDS)
def test_each_kind_says_about_what_it_takes(make: Callable[[], Any], traced: Callable[[], int]) -> None:
    made = make()  # once before, for what is shared
    del made
    before = traced()
    made = make()
    grown = traced() - before
    said = size(made)
    assert 0.6 * grown < said < 4 * grown + ENCODER


def test_texts_that_others_replaced_are_kept_up_to_a_length() -> None:
    person = Visitor()
    for n in range(10):
        person.type(f"{n}" * (MOST_ASIDE // 4), "here")
        person.lend("sample")
    assert [text[0] for text in person.own_texts] == ["5", "6", "7", "8", "9"], "the latest, and a long one for itself"
