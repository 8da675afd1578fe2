"""Shards of a corpus, counted apart, join in any order and in any groups to what one machine counts, ties included."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import Setting, settings_of_training
from tokviz.base.errors import SettingError
from tokviz.corpus.chunk_counts import join
from tokviz.kernels import uniting
from tokviz.training.what_if import TrainingChange, train_with_change


def same(a: tokviz.ChunkCounts, b: tokviz.ChunkCounts) -> bool:
    return (
        all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("data", "ends", "counts", "firsts"))
        and (a.n_bytes, a.special_counts, a.pattern) == (b.n_bytes, b.special_counts, b.pattern)
        and a.regex_version == b.regex_version
    )


@given(settings_of_training(), st.data())
def test_shards_join_in_any_order_and_in_any_groups(setting: Setting, data: st.DataObject) -> None:
    """Cut the corpus in shards, some of them empty, count them, and join them as it comes."""
    n_shards = data.draw(st.integers(1, 6), label="shards")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(setting.texts)), min_size=n_shards - 1, max_size=n_shards - 1)))
    texts = [setting.texts[i:j] for i, j in pairwise([0, *cuts, len(setting.texts)])]
    numbers = sorted(
        data.draw(st.sets(st.integers(0, 2**53 - 1) | st.integers(0, 9), min_size=n_shards, max_size=n_shards))
    )
    parts = [
        tokviz.count_chunks(some, setting.pattern, setting.special_tokens, shard=number)
        for some, number in zip(texts, numbers, strict=True)
    ]
    shards = {number: len("".join(some).encode()) for some, number in zip(texts, numbers, strict=True)}
    while len(parts) > 1:
        a, b = data.draw(st.permutations(range(len(parts))), label="join")[:2]
        parts = [part for i, part in enumerate(parts) if i not in (a, b)] + [parts[a] + parts[b]]
    whole = tokviz.count_chunks(setting.texts, setting.pattern, setting.special_tokens)
    assert same(parts[0], whole)
    assert list(parts[0].shards.items()) == list(shards.items())
    apart, together = tokviz.train(parts[0], 256 + setting.merges, **setting.how), setting.train()
    assert apart.merges == together.merges and apart.stopped == together.stopped
    k = data.draw(st.integers(0, len(apart.merges)), label="step")
    assert apart.candidates(k) == together.candidates(k) and apart.tokens_at(k) == together.tokens_at(k)
    assert np.array_equal(apart.seams, together.seams) and apart.kept_bytes == 0
    with pytest.raises(SettingError, match="counts"):
        apart.window(0, 1)


def test_many_shards_of_many_chunks_join() -> None:
    """So many chunks that tables have to be large, some of them long; most are in several shards."""
    choose = random.Random(1)
    words = [f"{'x' * (i % 40)}{i:x}" for i in range(6_000)]
    shards = [" ".join(choose.choices(words, k=choose.choice([0, 1, 50, 3_000]))) for _ in range(40)]
    parts = [tokviz.count_chunks(text, shard=number) for number, text in enumerate(shards)]
    whole = tokviz.count_chunks(shards)
    choose.shuffle(parts)
    assert same(join(iter(parts)), whole)
    assert same(join(tokviz.count_chunks(text) for text in shards), whole)


def test_a_shard_is_joined_once() -> None:
    one, two, both = (tokviz.count_chunks(text, shard=n) for n, text in enumerate(["a b", "b c", ""]))
    for joined, twice in ((one + two, one), (one + (two + both), both)):
        with pytest.raises(SettingError, match=r"Shard [02] is in both counts\. Add each shard once"):
            joined + twice
    with pytest.raises(SettingError, match="Shards 0, 1 are in both"):
        (one + two) + (two + one)
    many = join(tokviz.count_chunks("a", shard=n) for n in range(9))
    with pytest.raises(SettingError, match="Shards 0, 1, 2 and 6 more are in both"):
        many + many


def test_more_chunks_than_have_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uniting, "MOST_CHUNKS", 3)
    one, two, three = (tokviz.count_chunks(text, shard=n) for n, text in enumerate(["a b", "b c", " b d"]))
    with pytest.raises(SettingError, match="Together they have 4 distinct chunks, and 3 are the limit"):
        one + two
    assert len(one + three) == 3


def test_counts_without_a_number_are_shard_0_beside_others() -> None:
    later = tokviz.count_chunks("the hat", shard=7)
    joined = later + tokviz.count_chunks("the cat")
    assert same(joined, tokviz.count_chunks(["the cat", "the hat"])) and joined.shards == {0: 7, 7: 7}
    with pytest.raises(SettingError, match="Shard 0 is in both"):
        joined + tokviz.count_chunks("the cat")
    assert (tokviz.count_chunks("a") + tokviz.count_chunks("a")).shards == {}


def test_unlike_counts_are_told_apart() -> None:
    counts = tokviz.count_chunks("a b", r"\S+|\s+")
    for other, says in (
        (tokviz.count_chunks("a b"), "different patterns: .* and 'gpt2'"),
        (tokviz.count_chunks("a b", r"\S+|\s+", ["<s>"]), r"different special tokens: \[\] and \['<s>'\]"),
        (replace(counts, regex_version="2001.1.1"), "different versions of the regex package: .* and '2001.1.1'"),
    ):
        with pytest.raises(SettingError, match=says):
            counts + other
    with pytest.raises(SettingError, match="no counts to join"):
        join([])
    with pytest.raises(TypeError):
        counts + "not counts"


@pytest.mark.right
def test_more_bytes_than_are_exact_are_refused_where_they_join() -> None:
    one = tokviz.count_chunks("a")

    def of(n: int, shard: int) -> tokviz.ChunkCounts:
        return replace(one, counts=np.array([n]), n_bytes=n, shards={shard: n})

    most = 2**53 - 1  # as `fault_of` has it
    assert (of(most - 7, 0) + of(7, 1)).n_bytes == most
    for add in (lambda: of(most - 7, 0) + of(8, 1), lambda: join([of(8, 0), of(most - 7, 1)])):
        with pytest.raises(SettingError, match=r"the counts of 9,007,199,254,740,992 bytes, and 9,007,199,254,740,991"):
            add()


def test_a_line_can_be_added_to_shards() -> None:
    """What if the corpus had one more line? It goes behind the last shard."""
    shards = tokviz.count_chunks("ab cd ", shard=0) + tokviz.count_chunks("cd ab ", shard=3)
    *_, last = train_with_change(tokviz.train(shards, 258), TrainingChange(line="cd cd"))
    assert last.training.merges == tokviz.train(["ab cd ", "cd ab ", "cd cd\n"], 258).merges
