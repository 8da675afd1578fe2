"""Resamples are drawn, counted and trained on as a naive bootstrap with the same seeds does it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import median_low
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokviz
from tests import naive
from tests.strategies import Setting, chunks_of, settings_of_training
from tokviz import resampling, sample_size
from tokviz.errors import SettingError
from tokviz.learning import Stopped
from tokviz.reading import TEXTS_NAMED
from tokviz.resampling import drawn, units_of
from tokviz.sample_size import PARTS, PARTS_DRAWN, Bootstrap, bootstrap, bootstrap_steps

CAT = "the cat in the hat sat on the mat. the cat and the hat. "
Chunks = list[tuple[int, bytes, bool]]


def naive_units(setting: Setting, n_blocks: int) -> list[list[bytes]]:
    """The chunks of each unit, specials left out: of each text, or of blocks if there are fewer than TEXTS texts."""
    if len(setting.texts) >= resampling.TEXTS:
        each = [chunks_of((text,), setting.pattern, setting.special_tokens) for text in setting.texts]
        return [[data for _, data, special in chunks if not special] for chunks in each]
    chunks = chunks_of(setting.texts, setting.pattern, setting.special_tokens)
    size = len(setting.data)
    starts = [at for at, _, _ in chunks] + [size]
    stops = set()
    for number in range(1, n_blocks):
        wanted = number * size // n_blocks
        stop = next(start for start in starts if start >= wanted)
        inside = next((special for at, data, special in chunks if at < wanted < at + len(data)), True)
        if stop - wanted > size // n_blocks and not inside:
            letters = [len(setting.data.decode()[:n].encode()) for n in range(len(setting.data.decode()))]
            stop = min([stop, *(at for at in letters if at >= wanted)])
        stops.add(stop)
    units = []
    for start, stop in pairwise([0, *sorted(stops - {0, size}), size]):
        cut = [data[max(start - at, 0) : max(stop - at, 0)] for at, data, special in chunks if not special]
        units.append([data for data in cut if data])
    return units


def naive_trainings(setting: Setting, units: list[list[bytes]], merges: int, resamples: int) -> list[list[tuple]]:
    """The records of the trainings on all resamples, and then on all parts."""
    how = (merges, setting.tie, setting.min_count, setting.ban, setting.prefer)
    draws = [np.random.default_rng(3 + i).integers(len(units), size=len(units)) for i in range(resamples)]
    for number, share in enumerate(share for share in PARTS for _ in range(PARTS_DRAWN)):
        mixed = np.random.default_rng(3 + resamples + number).permutation(len(units))
        draws.append(mixed[: max(1, int(share * len(units)))])
    return [naive.train([chunk for unit in draw for chunk in units[unit]], *how)[0] for draw in draws]


def tokens_of(records: list[tuple]) -> list[bytes]:
    vocab = {byte: bytes([byte]) for byte in range(256)}
    for rank, (left, right, *_) in enumerate(records):
        vocab[256 + rank] = vocab[left] + vocab[right]
    return [vocab[256 + rank] for rank in range(len(records))]


def check_figures(found: Bootstrap, tokens: list[bytes], made: list[list[bytes]]) -> None:
    """All figures of a bootstrap, from the tokens of the training and those of each resample and each part."""
    resamples, parts = made[: found.resamples], made[found.resamples :]
    for rank, token in enumerate(tokens):
        ranks = [of_one.index(token) for of_one in resamples if token in of_one]
        told = [int(column[rank]) for column in (found.found, found.lowest, found.median, found.highest)]
        assert told == ([len(ranks), min(ranks), median_low(ranks), max(ranks)] if ranks else [0, -1, -1, -1])
    for size, mean, low, high in found.overlaps:
        shares = [len({*tokens[:size]} & {*of_one[:size]}) / size for of_one in resamples]
        assert (mean, low, high) == pytest.approx((np.mean(shares), *np.percentile(shares, (10, 90))))
    for number, share in enumerate(PARTS):
        of_share = parts[number * PARTS_DRAWN : (number + 1) * PARTS_DRAWN]
        assert found.parts[share] == pytest.approx(np.mean([len({*tokens} & {*one}) / len(tokens) for one in of_share]))
    often = Counter(token for of_one in resamples for token in of_one if token not in tokens)
    lacking = sorted((-n, token) for token, n in often.items() if n >= len(resamples) / 2)
    assert found.lacking == tuple((token, -n) for n, token in lacking)
    stable = [n >= 0.9 * len(resamples) - 1e-9 for n in found.found]
    assert found.stable.tolist() == stable


@settings(max_examples=25)
@given(settings_of_training(max_merges=12), st.booleans(), st.integers(2, 6))
@example(Setting(("日",), 1), False, 2)  # a chunk of one character is not cut
def test_it_equals_a_naive_bootstrap_with_the_same_seeds(setting: Setting, by_text: bool, n_blocks: int) -> None:
    least = max(len(setting.texts), 2) if by_text else 1_000
    with (
        patch.object(resampling, "TEXTS", least),
        patch.object(resampling, "BLOCKS", n_blocks),
        patch.object(resampling, "BLOCK_BYTES", 1),
    ):
        training = setting.train()
        tokens = [setting.vocab[256 + rank] for rank in range(len(setting.naive[0]))]
        units = naive_units(setting, min(n_blocks, max(len(setting.data), 2)))
        if not tokens or len(units) < 2:
            with pytest.raises(SettingError):
                bootstrap(training)
            return
        found = bootstrap(training, 4, seed=3)
        assert (found.unit, found.units) == ("text" if len(setting.texts) >= least else "block", len(units))
        records = naive_trainings(setting, units, len(tokens), 4)
        check_figures(found, tokens, [tokens_of(one) for one in records])
        ours = units_of(training)
        for i in range(4):
            learner = ours.learner(drawn(ours.n, 3 + i), training)
            for _ in learner.learn(1.0):
                pass
            assert learner.merges.tolist() == [list(record[:5]) for record in records[i]]


@settings(max_examples=10)
@given(settings_of_training(max_merges=12))
def test_a_resample_of_texts_is_trained_on_as_these_texts_are(setting: Setting) -> None:
    texts = [*setting.texts, CAT, "a hat", ""]
    how = {"pattern": setting.pattern, "special_tokens": setting.special_tokens, **setting.how}
    with patch.object(resampling, "TEXTS", 2):
        training = tokviz.train(texts, 264, **how)
        if not training.merges:
            return
        units = units_of(training)
        draw = drawn(len(texts), 9)
        learner = units.learner(draw, training)
        for _ in learner.learn(1.0):
            pass
        alone = tokviz.train([texts[i] for i in draw], 256 + len(training.merges), **how).merges
    told = [[one.left, one.right, one.count, one.replaced, one.tied] for one in alone]
    assert learner.merges.tolist() == told


def test_what_cannot_be_drawn_from_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError, match="made from chunk counts"):
        bootstrap(tokviz.train(tokviz.count_chunks(CAT), 260))
    with pytest.raises(SettingError, match="made 0 merges"):
        bootstrap(tokviz.train("a", 260))
    with pytest.raises(SettingError, match="too short"):
        bootstrap(tokviz.train("ab", 257))
    with pytest.raises(SettingError, match="resamples"):
        bootstrap_steps(tokviz.train(CAT, 260), 0)
    monkeypatch.setattr(sample_size, "MERGES_LIMIT", 3)
    with pytest.raises(SettingError, match="made 4 merges, and resamples are compared for 1 to 3"):
        bootstrap(tokviz.train(CAT, 260))
    monkeypatch.setattr(resampling, "BYTES_LIMIT", 50)
    with pytest.raises(SettingError, match="has 56 bytes, and resamples are drawn from 50 bytes at most"):
        bootstrap(tokviz.train(CAT, 260))


def test_a_corpus_of_more_texts_than_are_named_is_cut_into_blocks() -> None:
    training = tokviz.train([f"the cat {n}" for n in range(TEXTS_NAMED + 1)], 260)
    assert training.text_ends is None and units_of(training).kind == "block"


def test_progress_counts_the_trainings() -> None:
    told = [(now.stage, now.done, now.of) for now in bootstrap_steps(tokviz.train(CAT * 5, 264), 3)]
    assert list(dict.fromkeys(told)) == [
        *(("resample", done, 3) for done in range(3)),
        *(("part", done, 20) for done in range(21)),
    ]


def made_up(found: list[int], half: float = 0.75, stopped: Stopped = "size", units: int = 40) -> Bootstrap:
    """20 resamples in which each merge is found so often. half: of the merges, what half of the texts makes."""
    nothing = np.full(len(found), -1)
    tokens = tuple(b"a" * (n + 2) for n in range(len(found)))
    told = (tokens, np.array(found), nothing, nothing, nothing, (), {0.5: half, 0.25: 0.5}, ())
    return Bootstrap("text", units, False, 20, 0, stopped, *told)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (made_up([20], 1.0), "The only merge is found in at least 18 of 20 resamples. More text of the same kind would "
         "change little."),
        (made_up([20, 18], 0.9), "All 2 merges are found in at least 18 of 20 resamples. More text of the same"),
        (made_up([20, 18], 0.5, units=3), "All 2 merges are found in at least 18 of 20 resamples. A training on half "
         "of the texts makes 50.0\u00a0% of the merges, so expect twice as much text of the same kind to change about "
         "50\u00a0% of them. There are only 3 texts to draw from, so these figures are rough."),
        (made_up([20] * 25 + [3] * 5), "Of 30 merges, 25 are found in at least 18 of 20 resamples. The other 5 depend "
         "on which texts are in the sample: more text would mostly change merges after merge 25. A training on half "
         "of the texts makes 75.0\u00a0% of the merges, so expect twice as much text of the same kind to change about "
         "25\u00a0% of them."),
        (made_up([20] * 25 + [3], stopped="min_count"), "Of 26 merges, 25 are found in at least 18 of 20 resamples. "
         "The other one depends on which texts are in the sample. No other pair was frequent enough to merge, so with "
         "the same settings more text would mostly add merges."),
        (made_up([3, 20, 3]), "Of 3 merges, 1 is found in at least 18 of 20 resamples. The other 2 depend on which "
         "texts are in the sample: more text would change merges of all ranks."),
        (made_up([3, 3]), "Of 2 merges, none is found in at least 18 of 20 resamples. All 2 depend on"),
        (made_up([3], stopped="no_pairs"), "Of 1 merge, none is found in at least 18 of 20 resamples. It depends on "
         "which texts are in the sample. No pair was left to merge, so"),
    ],
)  # fmt: skip
def test_the_finding_reads_well(found: Bootstrap, says: str) -> None:
    assert found.finding().startswith(says)
