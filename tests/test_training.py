"""Training is the naive algorithm exactly, whatever it is asked for; and what it says about itself is so."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import CUSTOM, PATTERNS, TIES, Setting, settings_of_training, small_texts, wild_texts
from tokviz.base.errors import InputError, PatternError, SettingError, SpecialTokenError
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


@settings(max_examples=200)
@given(settings_of_training())
def test_equals_the_naive_trainer(setting: Setting) -> None:
    assert_equals_naive(setting)


@pytest.mark.long
@settings(max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(settings_of_training())
def test_equals_the_naive_trainer_20_000_times(setting: Setting) -> None:
    assert_equals_naive(setting)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("tie", TIES)
@settings(max_examples=12)
@given(text=wild_texts)
def test_equals_the_naive_trainer_on_wild_text(pattern: str, tie: str, text: str) -> None:
    assert_equals_naive(Setting((clean(text),), 30, pattern, tie=tie))


@pytest.mark.parametrize("sizes", [range(9), pytest.param(range(9, 11), marks=pytest.mark.long)], ids=str)
@pytest.mark.parametrize("prefer", ["frequent", "rarest"])
@pytest.mark.parametrize("tie", TIES)
def test_equals_the_naive_trainer_on_all_short_texts_of_two_letters(tie: str, prefer: str, sizes: range) -> None:
    for size in sizes:
        for letters in itertools.product("ab", repeat=size):
            setting = Setting(("".join(letters),), 9, tie=tie, prefer=prefer)
            assert figures(setting.train()) == setting.naive[0], setting


def test_tie_rules_differ() -> None:
    """On the example that every account of the algorithm uses, each rule finds other tokens."""
    tokens = {
        tie: [training.tokenizer.vocab[m.id] for m in training.merges]
        for tie in TIES
        for training in [tokviz.train("aaabdaaabac", 259, tie=tie)]
    }
    assert tokens["first"] == [b"aa", b"aaa", b"aaab"]
    assert tokens["lowest"] == [b"aa", b"ab", b"aaab"]
    # By number the space, 32, comes before 'a'; the Hugging Face trainer numbers it after all visible ASCII.
    assert tokviz.train("ab b", 257, pattern="none", tie="lowest").merges[0].left == ord(" ")
    assert tokviz.train("ab b", 257, pattern="none", tie="hf").merges[0].left == ord("a")


def test_count_and_replaced_are_two_figures() -> None:
    (merge,) = tokviz.train("aaaa", 257).merges
    assert (merge.count, merge.replaced, merge.tokens_after) == (3, 2, 2)


# Shards


@settings(max_examples=75)
@given(settings_of_training(), st.data())
def test_joined_counts_train_as_the_texts_do(setting: Setting, data: st.DataObject) -> None:
    whole = setting.train()
    shards = setting.train_in_shards(data.draw(st.integers(0, len(setting.texts))))
    assert shards.merges == whole.merges
    assert shards.stopped == whole.stopped
    assert np.array_equal(shards.seams, whole.seams)
    assert shards.n_bytes == whole.n_bytes
    assert shards.tokenizer.special_tokens == whole.tokenizer.special_tokens
    k = data.draw(st.integers(0, len(whole.merges)))
    assert shards.candidates(k) == whole.candidates(k)
    assert shards.tokens_at(k) == whole.tokens_at(k)
    assert shards.kept_bytes == 0
    with pytest.raises(SettingError, match="counts"):
        shards.window(0, 1)


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


# Edges


@pytest.mark.parametrize("tie", TIES)
@pytest.mark.parametrize(
    ("corpus", "specials"),
    [("", ()), ([], ()), (["", ""], ()), ("a", ()), (["a", "b", "c"], ()), ("<s><s>", ("<s>",)), ("a<s>b", ("<s>",))],
)
def test_no_pair_gives_no_merge(corpus, specials, tie: str) -> None:
    training = tokviz.train(corpus, 300, special_tokens=specials, tie=tie)
    assert (training.merges, training.stopped, training.asked) == ((), "no_pairs", 44)
    assert training.candidates(0) == []
    text = "".join(corpus)
    assert training.window(0, 100).data == text.encode()
    assert training.tokens_at(0) == len(training.window(0, 100))
    assert training.tokenizer.encode("ab") == [97, 98]


@pytest.mark.parametrize("corpus", ["", "a", CAT])
def test_a_vocabulary_of_bytes_alone(corpus: str) -> None:
    training = tokviz.train(corpus, 256)
    assert (training.merges, training.stopped) == ((), "size")


def test_why_it_stopped_in_this_order() -> None:
    assert tokviz.train("abab", 257, min_count=2).stopped == "size"
    assert tokviz.train("abab", 300).stopped == "no_pairs"
    assert tokviz.train("abab", 300, min_count=9, ban=[b"ab", b"ba"]).stopped == "no_pairs"
    assert tokviz.train("abab", 300, min_count=2).stopped == "min_count"


def test_banned_tokens_are_never_made_nor_offered() -> None:
    training = tokviz.train(CAT, 300, pattern="none", ban=[b"at", b"the"])
    assert not {b"at", b"the"} & set(training.tokenizer.vocab.values())
    vocab = training.tokenizer.vocab
    for k in range(0, len(training.merges), 7):
        offered = {vocab[c.left] + vocab[c.right] for c in training.candidates(k, n=10**6)}
        assert offered
        assert not {b"at", b"the"} & offered


def test_special_tokens_are_never_merged() -> None:
    training = tokviz.train("<|end|>" * 50 + "ab", 300, special_tokens=["<|end|>"])
    assert [(m.left, m.right) for m in training.merges] == [(97, 98)]
    assert training.merges[0].tokens_after == 51


@given(small_texts)
def test_what_it_was_made_from(text: str) -> None:
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


# Bad settings


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"vocab_size": 255}, SettingError, r"255.*256"),
        ({"vocab_size": -1}, SettingError, r"-1.*256"),
        ({"vocab_size": 1_000_001}, SettingError, r"1,000,001.*1,000,000"),
        ({"vocab_size": "300"}, SettingError, "'300'"),
        ({"vocab_size": 300.0}, SettingError, r"300\.0"),
        ({"vocab_size": True}, SettingError, "True"),
        ({"tie": "last"}, SettingError, "'last'.*first, lowest, hf"),
        ({"tie": ["first"]}, SettingError, r"\['first'\].*first, lowest, hf"),
        ({"min_count": 0}, SettingError, "0"),
        ({"min_count": 1.5}, SettingError, r"1\.5"),
        ({"prefer": "best"}, SettingError, "'best'.*frequent, rarest"),
        ({"prefer": {}}, SettingError, "{}"),
        ({"ban": "the"}, SettingError, "ban"),
        ({"ban": b"the"}, SettingError, "ban"),
        ({"ban": ["the"]}, SettingError, "ban"),
        ({"pattern": "(a"}, PatternError, "position"),
        ({"pattern": 7}, PatternError, "int"),
        ({"pattern": "a+"}, PatternError, "byte"),
        ({"special_tokens": "<s>"}, SpecialTokenError, "<s>"),
        ({"special_tokens": [""]}, SpecialTokenError, "empty"),
        ({"special_tokens": ["<s>", "<s>"]}, SpecialTokenError, "'<s>'.*twice"),
        ({"special_tokens": ["\ud800"]}, SpecialTokenError, "ud800"),
        ({"special_tokens": [3]}, SpecialTokenError, "3, which is not a string"),
        ({"corpus": b"abc"}, InputError, "read_text"),
        ({"corpus": None}, InputError, "NoneType"),
        ({"corpus": 5}, InputError, "int"),
        ({"corpus": {"a": 1}}, InputError, "dict"),
        ({"corpus": ["a", b"b"]}, InputError, "read_text"),
        ({"corpus": ["a", ["b"]]}, InputError, "list"),
    ],
)
def test_bad_settings_say_what_is_wrong(settings, error, says) -> None:
    with pytest.raises(error, match=says) as caught:
        tokviz.train(**{"corpus": "some text", **settings})
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, tokviz.TokvizError)


@pytest.mark.parametrize("function", [tokviz.train, tokviz.train_steps])
def test_all_but_the_corpus_and_the_size_go_by_name(function) -> None:
    with pytest.raises(TypeError, match="positional"):
        function("some text", 300, "gpt2")


def test_bad_settings_are_found_before_the_first_slice() -> None:
    with pytest.raises(SettingError):
        tokviz.train_steps("abc", 255)
    with pytest.raises(InputError):
        tokviz.train_steps(b"abc")


def test_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "RAREST_LIMIT", 10)
    with pytest.raises(SettingError, match=r"rarest.*10 bytes.*has 11"):
        tokviz.train("abcdefghijk", 260, prefer="rarest")
    monkeypatch.setattr("tokviz.corpus.reading.UNCUT_LIMIT", 10)
    with pytest.raises(SettingError, match=r"11 bytes.*10"):
        tokviz.train("abcdefghijk", 260, pattern="none")
    assert tokviz.train("abcdefghijk", 260, pattern="gpt2").merges


def test_settings_do_not_leak_into_each_other() -> None:
    """The same corpus trained again, after another training, comes to the same."""
    plain = Setting((CAT,), 20)
    before = figures(plain.train())
    replace(plain, tie="hf", ban=(b"at",), prefer="rarest").train()
    assert figures(plain.train()) == before
