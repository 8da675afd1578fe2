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
from tokviz import training as training_module
from tokviz.errors import InputError, PatternError, SettingError, SpecialTokenError
from tokviz.text import clean

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


@pytest.mark.parametrize("prefer", ["frequent", "rarest"])
@pytest.mark.parametrize("tie", TIES)
def test_equals_the_naive_trainer_on_all_short_texts_of_two_letters(tie: str, prefer: str) -> None:
    for size in range(9):
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


# What the record says of each step


@settings(max_examples=100)
@given(settings_of_training(), st.data())
def test_candidates_equal_a_recount(setting: Setting, data: st.DataObject) -> None:
    training = setting.train()
    k = data.draw(st.integers(0, len(training.merges)))
    expected = setting.naive_candidates(k)
    found = [(c.left, c.right, c.count, c.first) for c in training.candidates(k, n=10**6)]
    assert found == expected
    assert training.candidates(k, n=3) == training.candidates(k, n=10**6)[:3]
    if k < len(training.merges):
        winner = training.merges[k]
        assert found[0][:3] == (winner.left, winner.right, winner.count)
    if k < len(training.merges):
        winner = next(pair for pair in found if pair[2] >= setting.min_count)
        assert winner[:3] == (training.merges[k].left, training.merges[k].right, training.merges[k].count)


@settings(max_examples=75)
@given(settings_of_training(max_merges=25))
def test_seams_of_the_corpus_equal_those_of_the_naive_states(setting: Setting) -> None:
    window = setting.train().window(0, len(setting.data))
    assert window.data == setting.data
    assert window.seams.tolist() == setting.naive_seams()


@settings(max_examples=75)
@given(settings_of_training(max_merges=25), st.data())
def test_steps_of_the_corpus_are_the_naive_states(setting: Setting, data: st.DataObject) -> None:
    training = setting.train()
    k = data.draw(st.integers(0, len(training.merges)))
    step = training.window(0, len(setting.data)).at(k)
    ids = [token.id for token in step.tokens() if not token.special]
    assert ids == [id for chunk in setting.naive[2][k] for id in chunk]
    assert training.tokens_at(k) == len(step)


@settings(max_examples=100)
@given(settings_of_training(max_merges=25), st.data())
def test_windows_are_cut_from_the_record(setting: Setting, data: st.DataObject) -> None:
    size = len(setting.data)
    start = data.draw(st.integers(-5, size + 5))
    length = data.draw(st.integers(-2, size + 5))
    seams = setting.naive_seams()
    window = setting.train().window(start, length)
    end = window.start + len(window.data)
    assert window.data == setting.data[window.start : end]
    window.data.decode()
    # it covers what was asked for, and begins and ends at boundaries of final tokens
    assert window.start <= min(max(start, 0), size)
    assert end >= min(max(start, 0) + max(length, 0), size)
    assert end == size or seams[end] >= tokviz.OPEN
    assert window.seams[1:].tolist() == seams[window.start + 1 : end]
    inside = [(at, id) for at, id in setting.naive_tokens() if window.start <= at < end]
    assert [(window.start + token.start, token.id) for token in window.tokens()] == inside
    if window.data:
        assert window.seams[0] == tokviz.SPLIT
        assert seams[window.start] >= tokviz.OPEN
        assert window.cut == (seams[window.start] == tokviz.OPEN)


def test_windows_widen_no_more_than_they_must() -> None:
    training = tokviz.train("the cat in the hat", 259, pattern="none")
    tokens = training.window(0, 18).tokens()
    for start, end in itertools.combinations(range(19), 2):
        window = training.window(start, end - start)
        assert window.start == max(t.start for t in tokens if t.start <= start)
        assert window.start + len(window.data) == min(t.end for t in tokens if t.end >= end)


def test_windows_never_begin_inside_a_character() -> None:
    training = tokviz.train("日本日本", 256)
    for start in range(12):
        window = training.window(start, 1)
        assert (window.start, window.data.decode()) == (start // 3 * 3, "日本日本"[start // 3])


def test_a_window_is_not_encoded_again() -> None:
    """'aaa' from the middle of the run would encode from its own left end; the record does not."""
    training = tokviz.train("aaaaa", 257)
    window = training.window(2, 3)
    assert window.seams.tolist() == [tokviz.SPLIT, 0, tokviz.OPEN]
    assert (window.start, window.cut) == (2, True)
    again = training.tokenizer.explain("ab" + "aaa")
    assert not again.cut


def test_steps_out_of_range() -> None:
    training = tokviz.train(CAT, 260)
    assert training.candidates(4)
    for k in (-1, 5):
        with pytest.raises(SettingError, match="steps 0 to 4"):
            training.candidates(k)


# Slices and cancelling


def steps_in_slices(monkeypatch: pytest.MonkeyPatch, **how) -> list[tokviz.Progress]:
    monkeypatch.setattr(training_module, "SLICE_SECONDS", 0.0)  # a slice is then one merge
    return list(tokviz.train_steps(CAT * 3, 286, pattern="none", **how))


def test_progress_slices_join_to_all_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = steps_in_slices(monkeypatch)
    merging = [step for step in steps if step.stage == "merge"]
    last = steps[-1]
    assert len(merging) > 10
    assert tuple(itertools.chain(*(step.merges for step in steps))) == last.training.merges
    assert [step.done for step in merging] == list(itertools.accumulate(len(step.merges) for step in merging))
    assert {step.of for step in merging} == {30}
    assert all(step.training is None for step in steps[:-1])
    assert last.training.merges == tokviz.train(CAT * 3, 286, pattern="none").merges
    counting = [step for step in steps if step.stage == "count"]
    assert steps[: len(counting)] == counting
    assert (counting[-1].done, counting[-1].of) == (len(CAT) * 3, len(CAT) * 3)


@pytest.mark.parametrize("after", range(1, 12))
def test_cancel_at_every_slice(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    asked = itertools.count(1)
    steps = steps_in_slices(monkeypatch, cancel=lambda: next(asked) >= after)
    training = steps[-1].training
    assert training.stopped == "cancelled"
    assert 0 <= len(training.merges) < 30
    assert tuple(itertools.chain(*(step.merges for step in steps))) == training.merges
    if training.counts.n_bytes == 3 * len(CAT):  # what was merged by then is what a whole training merges first
        whole = tokviz.train(CAT * 3, 286, pattern="none")
        assert training.merges == whole.merges[: len(training.merges)]
        k = len(training.merges)
        assert training.candidates(k) == whole.candidates(k)
        assert training.window(10, 9) == whole.window(0, 200).at(k).part(*_span(training.window(10, 9)))


def _span(window: tokviz.Encoding) -> tuple[int, int]:
    return window.start, len(window.data)


def test_cancel_while_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokviz.corpus.SLICE", 14)
    *_, last = tokviz.train_steps(["one two three four five", "six"], 300, cancel=lambda: True)
    training = last.training
    assert (training.stopped, training.merges) == ("cancelled", ())
    assert training.n_bytes == training.kept_bytes == len("one two three")
    assert training.window(0, 100).data == b"one two three"
    assert training.tokenizer.encode("one") == list(b"one")


def test_cancel_asked_too_late_changes_nothing() -> None:
    *_, last = tokviz.train_steps(tokviz.count_chunks("aaab"), 256, cancel=lambda: True)
    assert last.training.stopped == "size"


def test_closing_the_generator_discards_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_module, "SLICE_SECONDS", 0.0)
    steps = tokviz.train_steps(CAT, 280)
    while next(steps).stage != "merge":
        pass
    steps.close()
    assert list(steps) == []


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
    monkeypatch.setattr(training_module, "RAREST_LIMIT", 10)
    with pytest.raises(SettingError, match=r"rarest.*10 bytes.*has 11"):
        tokviz.train("abcdefghijk", 260, prefer="rarest")
    monkeypatch.setattr("tokviz.reading.UNCUT_LIMIT", 10)
    with pytest.raises(SettingError, match=r"11 bytes.*10"):
        tokviz.train("abcdefghijk", 260, pattern="none")
    assert tokviz.train("abcdefghijk", 260, pattern="gpt2").merges


def test_settings_do_not_leak_into_each_other() -> None:
    """The same corpus trained again, after another training, comes to the same."""
    plain = Setting((CAT,), 20)
    before = figures(plain.train())
    replace(plain, tie="hf", ban=(b"at",), prefer="rarest").train()
    assert figures(plain.train()) == before
