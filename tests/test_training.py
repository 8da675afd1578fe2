"""Training is the naive algorithm exactly, whatever it is asked for; and what it says about itself is so."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import CUSTOM, PATTERNS, TIES, Setting, settings_of_training, wild_texts
from tokviz.base.errors import SettingError
from tokviz.base.text import clean
from tokviz.training import learning

CAT = "the cat in the hat sat on the mat. the cat and the hat."


def figures(training: tokviz.Training) -> list[tuple[int, ...]]:
    return [(m.left, m.right, m.count, m.replaced, m.tied, m.tokens_after) for m in training.merges]


def assert_equals_naive(setting: Setting) -> None:
    records, stopped, _ = setting.naive
    training = setting.train()
    assert figures(training) == records
    assert training.stopped == stopped
    assert training.asked == setting.merges
    assert [(m.rank, m.id) for m in training.merges] == [(rank, 256 + rank) for rank in range(len(records))]
    assert list(training.tokenizer.merges) == [record[:2] for record in records]
    assert training.n_bytes == training.kept_bytes == len(setting.data)
    first_free = 256 + len(records)
    specials = {token: first_free + i for i, token in enumerate(setting.special_tokens)}
    assert training.tokenizer.special_tokens == specials


@pytest.mark.longer
@settings(max_examples=10 * settings().max_examples)
@given(settings_of_training())
def test_equals_the_naive_trainer(setting: Setting) -> None:
    assert_equals_naive(setting)


@pytest.mark.longer
@settings(max_examples=max(150, settings().max_examples))
@given(st.sampled_from(PATTERNS), st.sampled_from(TIES), wild_texts)
def test_equals_the_naive_trainer_on_wild_text(pattern: str, tie: str, text: str) -> None:
    assert_equals_naive(Setting((clean(text),), 30, pattern, tie=tie))


@pytest.mark.parametrize("sizes", [range(8), pytest.param(range(8, 11), marks=pytest.mark.long)], ids=str)
@pytest.mark.parametrize("prefer", ["frequent", "rarest"])
@pytest.mark.parametrize("tie", TIES)
def test_equals_the_naive_trainer_on_all_short_texts_of_two_letters(tie: str, prefer: str, sizes: range) -> None:
    for size in sizes:
        for letters in itertools.product("ab", repeat=size):
            setting = Setting(("".join(letters),), 9, tie=tie, prefer=prefer)
            assert figures(setting.train()) == setting.naive[0], setting


def test_no_pair_gives_no_merge() -> None:
    for corpus in ([], "a", ["a", "b"], "a<s>b"):
        training = tokviz.train(corpus, 300, special_tokens=["<s>"])
        assert (training.merges, training.stopped, training.asked) == ((), "no_pairs", 44)
        assert training.candidates(0) == []
        assert training.tokens_at(0) == len(training.window(0, 100))


# Settings


def test_counts_keep_their_own_pattern_and_special_tokens() -> None:
    counts = tokviz.count_chunks("one<s>two three", "cl100k", ["<s>"])
    training = tokviz.train(counts, 258)
    assert training.tokenizer.pattern == "cl100k"
    assert training.tokenizer.special_tokens == {"<s>": 258}
    assert tokviz.train(counts, 258, pattern="cl100k", special_tokens=["<s>"]).merges == training.merges
    with pytest.raises(SettingError, match=r"cl100k.*gpt2"):
        tokviz.train(counts, 258, pattern="gpt2")
    with pytest.raises(SettingError, match="special tokens"):
        tokviz.train(counts, 258, special_tokens=["<t>"])


def test_what_it_was_made_from() -> None:
    text = "é ab"
    training = tokviz.train(
        text, 260, pattern=CUSTOM, special_tokens=["<s>"], tie="lowest", min_count=2, ban=[b"ab"], name="mine"
    )
    assert training.tokenizer.name == "mine"
    assert training.tokenizer.made_from["settings"] == {
        "vocab_size": 260,
        "pattern": CUSTOM,
        "special_tokens": ["<s>"],
        "tie": "lowest",
        "min_count": 2,
        "ban": ["6162"],
        "prefer": "frequent",
    }
    (origin,) = training.tokenizer.made_from["texts"]
    assert origin["bytes"] == len(text.encode())


@pytest.mark.parametrize("function", [tokviz.train, tokviz.train_steps])
def test_all_but_the_corpus_and_the_size_go_by_name(function) -> None:
    with pytest.raises(TypeError, match="positional"):
        function("some text", 300, "gpt2")


def test_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "RAREST_LIMIT", 10)
    with pytest.raises(SettingError, match=r"rarest.*10 bytes.*has 11"):
        tokviz.train("abcdefghijk", 260, prefer="rarest")
    monkeypatch.setattr("tokviz.corpus.reading.UNCUT_LIMIT", 10)
    with pytest.raises(SettingError, match=r"11 bytes.*10"):
        tokviz.train("abcdefghijk", 260, pattern="none")
    assert tokviz.train("abcdefghijk", 260, pattern="gpt2").merges
