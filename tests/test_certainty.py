"""Counts without their rarest chunks: the merges that are said to be certain are those of the whole corpus."""

from __future__ import annotations

import operator
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.benchmarks.corpora import english_and_code
from tests.strategies import Setting, settings_of_training
from tokviz.certainty import certain_merges
from tokviz.errors import SettingError
from tokviz.rules import Rules
from tokviz.training_record import training_record
from tokviz.ui.components.trained import card
from tokviz.ui.library.record import record_rows

WORDS = st.text("abc", min_size=1, max_size=6)


@st.composite
def corpora(draw: st.DrawFn) -> list[str]:
    """Shards of words, some of them frequent."""
    words = draw(st.lists(st.tuples(WORDS, st.sampled_from([1, 2, 10, 100, 1_000])), min_size=4, max_size=12))
    texts = [f" {word}" * times for word, times in words]
    cut = draw(st.integers(0, len(texts)))
    return ["".join(texts[:cut]), "".join(texts[cut:])]


def pairs(training: tokviz.Training) -> list[tuple[int, int]]:
    return [(merge.left, merge.right) for merge in training.merges]


@pytest.mark.parametrize("examples", [50, pytest.param(5_000, marks=pytest.mark.long)])
def test_certain_merges_are_those_of_the_whole_corpus(examples: int) -> None:
    some_certain = []

    @settings(max_examples=examples, deadline=None)
    @given(corpora(), st.integers(1, 8), st.integers(1, 8), st.sampled_from(["first", "lowest", "hf"]), st.data())
    def check(texts: list[str], most: int, most_joined: int, tie: str, data: st.DataObject) -> None:
        rules = {
            "tie": tie,
            "min_count": data.draw(st.sampled_from([1, 1, 3])),
            "ban": data.draw(st.lists(st.text("abc ", min_size=2, max_size=3).map(str.encode), max_size=2)),
        }
        shards = [tokviz.count_chunks(text, shard=number) for number, text in enumerate(texts)]
        pruned = reduce(operator.add, [shard.pruned(most) for shard in reversed(shards)]).pruned(most_joined)
        whole = tokviz.train(reduce(operator.add, shards), 280, **rules)
        part = tokviz.train(pruned, 280, **rules)
        assert pairs(part)[: part.certain_merges] == pairs(whole)[: part.certain_merges]
        assert part.tokens_at(0) == whole.tokens_at(0) and part.n_bytes == whole.n_bytes
        some_certain.append(pruned.pruned_bytes > 0 and part.certain_merges > 0)

    check()
    assert sum(some_certain) > examples // 5


@settings(max_examples=50, deadline=None)
@given(settings_of_training(), st.integers(1, 6))
def test_pruning_keeps_the_most_frequent_chunks_and_the_windows_of_the_others(setting: Setting, most: int) -> None:
    counts = tokviz.count_chunks(setting.texts, setting.pattern, setting.special_tokens)
    few = counts.pruned(most)
    kept, rare = dict(few), {chunk: n for chunk, n in counts if chunk not in dict(few)}
    assert kept.items() <= dict(counts).items() and len(few) <= most
    assert [*kept] == [chunk for chunk, _ in counts if chunk in kept]
    assert (few is counts) == (not rare)
    if rare:
        assert max(rare.values()) < min(kept.values(), default=2**62)
        table = np.zeros((256, 256), np.int64)
        for chunk, n in rare.items():
            for left, right in pairwise(chunk):
                table[left, right] += n
        assert few.pruned_windows.tolist() == table.ravel().tolist()
        assert few.pruned_bytes == sum(len(chunk) * n for chunk, n in rare.items())


def test_most_of_what_is_right_is_known_to_be() -> None:
    counts = tokviz.count_chunks(english_and_code(2_000_000))
    whole = pairs(tokviz.train(counts, 400))
    certain = right = 0
    for most in range(len(counts) // 5, len(counts), len(counts) // 5):
        part = tokviz.train(counts.pruned(most), 400)
        same = [a == b for a, b in zip(whole, pairs(part), strict=False)]
        certain, right = certain + part.certain_merges, right + [*same, False].index(False)
    assert certain > right / 2 > 0


def test_nothing_is_pruned_unless_asked(tmp_path) -> None:
    counts = tokviz.count_chunks("the cat in the hat")
    training = tokviz.train(counts, 260)
    assert training.certain_merges == 4 and "certain_merges" not in training.tokenizer.made_from
    assert counts.pruned(5) is counts and counts.pruned_windows is None
    with pytest.raises(SettingError, match="0"):
        counts.pruned(0)
    empty = tokviz.count_chunks("ab cd").pruned(1)  # all are equally rare
    assert len(empty) == 0 and tokviz.train(empty + empty, 260).merges == ()


def test_a_training_can_be_stopped_while_it_finds_out_which_merges_are_certain() -> None:
    counts = tokviz.count_chunks(" a" * 40 + " ab" * 9 + " ac" * 8 + " acb").pruned(3)
    *_, last = tokviz.train_steps(counts, 259, cancel=lambda: True)
    assert last.training.stopped == "cancelled" and last.training.certain_merges == len(last.training.merges) == 0
    assert [step.done for step in tokviz.train_steps(counts, 259, cancel=lambda: False)][-1] == 3


def test_the_file_says_up_to_which_merge_the_order_is_certain(tmp_path) -> None:
    counts = tokviz.count_chunks(" a" * 40 + " ab" * 9 + " ac" * 8 + " acb")
    training = tokviz.train(counts.pruned(3), 259)
    training.tokenizer.save(tmp_path / "model.json")
    loaded = tokviz.load(tmp_path / "model.json")
    assert (training.certain_merges, training_record(loaded).certain) == (1, 1)
    assert ["Merges that are certain", "the first 1 of 3"] in card(loaded, None, name="a", corpus_name="")["facts"]
    (fact,) = [fact for fact in record_rows(loaded, training_record(loaded)) if fact.name == "Certain merges"]
    assert fact.value[0].text == "the first 1 of 3; rare chunks were pruned, so later ones may differ"
    assert training_record(tokviz.train(counts, 259).tokenizer).certain is None
    assert [*certain_merges(counts.pruned(3), Rules(prefer="rarest"), 3)] == [0]
