"""A training step by step: what its record says of each step is that of a recount, and each slice can be the last."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import Setting, settings_of_training
from tests.test_training import CAT
from tokviz.training import learning

# What the record says of each step


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


@given(settings_of_training(max_merges=25), st.data())
def test_steps_of_the_corpus_are_the_naive_states(setting: Setting, data: st.DataObject) -> None:
    training = setting.train()
    k = data.draw(st.integers(0, len(training.merges)))
    step = training.window(0, len(setting.data)).at(k)
    ids = [token.id for token in step.tokens() if not token.special]
    assert ids == [id for chunk in setting.naive[2][k] for id in chunk]
    assert training.tokens_at(k) == len(step)


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
    assert window.seams[1:].tolist() == seams[window.start + 1 : end]
    inside = [(at, id) for at, id in setting.naive_tokens() if window.start <= at < end]
    assert [(window.start + token.start, token.id) for token in window.tokens()] == inside
    # no wider than it must be: no boundary of a token that begins a character lies nearer
    tokens = sorted({at for at, _ in setting.naive_tokens() if setting.data[at] & 0xC0 != 0x80} | {size})
    assert window.start == max(at for at in tokens if at <= min(max(start, 0), size))
    assert end == min(at for at in tokens if at >= min(max(start, 0) + max(length, 0), size))
    if window.data:
        assert window.seams[0] == tokviz.SPLIT
        assert seams[window.start] >= tokviz.OPEN
        assert window.cut == (seams[window.start] == tokviz.OPEN)


@settings(max_examples=60)
@given(settings_of_training(max_merges=25), st.integers(0, 60), st.integers(0, 10), st.integers(1, 20))
def test_a_short_part_is_exact_up_to_the_last_step_where_it_fits(
    setting: Setting, start: int, length: int, most: int
) -> None:
    training = setting.train()
    whole, wide = training.window(0, len(setting.data)), training.window(start, length)
    piece, step = wide.short_part(start - wide.start, length, most)
    merges = len(training.merges)
    sizes = [len(whole.at(k).part(start, length).data) for k in range(merges + 1)]
    assert step == (None if sizes[-1] <= most else max([k for k in range(merges) if sizes[k] <= most], default=0))
    last = merges if step is None else step
    expected = whole.at(last).part(start, length)
    assert (piece, piece.start, piece.cut) == (expected, expected.start, expected.cut)
    end = piece.start + len(piece.data)
    for k in range(last + 1):
        there = [(t.start, t.id, t.special) for t in whole.at(k).tokens() if piece.start <= t.start < end]
        assert [(piece.start + t.start, t.id, t.special) for t in piece.at(k).tokens()] == there


# Slices and cancelling


def steps_in_slices(monkeypatch: pytest.MonkeyPatch, **how) -> list[tokviz.Progress]:
    monkeypatch.setattr(learning, "SLICE_SECONDS", 0.0)  # a slice is then one merge
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


def test_cancel_at_every_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, merged = tokviz.train(CAT * 3, 286, pattern="none"), set()
    for after in range(1, 12):
        asked = itertools.count(1)
        steps = steps_in_slices(monkeypatch, cancel=lambda asked=asked, after=after: next(asked) >= after)
        training = steps[-1].training
        merged.add(k := len(training.merges))
        assert training.stopped == "cancelled" and 0 <= k < 30
        assert tuple(itertools.chain(*(step.merges for step in steps))) == training.merges == whole.merges[:k]
        if training.counts.n_bytes == 3 * len(CAT):
            assert training.candidates(k) == whole.candidates(k)
            window = training.window(10, 9)
            assert window == whole.window(0, 200).at(k).part(window.start, len(window.data))
    assert len(merged) > 5


def test_cancel_while_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokviz.corpus.stretches.MOST_PART", 12)
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
    monkeypatch.setattr(learning, "SLICE_SECONDS", 0.0)
    steps = tokviz.train_steps(CAT, 280)
    while next(steps).stage != "merge":
        pass
    steps.close()
    assert list(steps) == []
