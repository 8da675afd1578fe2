"""The plain trainer gives what the kernels give, and trains without them while they are compiled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.compiling import compiling
from tests.strategies import Setting, settings_of_training
from tests.test_training import figures


def arrays(training: tokviz.Training) -> list[object]:
    """All that a training has found out."""
    counts, kept = training.counts, training.kept
    assert kept is not None
    return [
        figures(training),
        training.stopped,
        training.seams.tolist(),
        *(array.tolist() for array in (counts.data, counts.ends, counts.counts, counts.firsts, kept.order)),
        counts.special_counts,
        counts.n_bytes,
        kept.data,
        training.tokenizer.made_from,
    ]


def assert_plain_equals_the_kernels(setting: Setting, k: int) -> None:
    expected = setting.train()
    k = min(k, len(expected.merges))
    candidates = expected.candidates(k, 10**6)
    of_counts = figures(tokviz.train(expected.counts, 256 + setting.merges, **setting.how))
    with compiling():
        training = setting.train()
        assert arrays(training) == arrays(expected)
        assert training.candidates(k, 10**6) == candidates
        assert figures(tokviz.train(training.counts, 256 + setting.merges, **setting.how)) == of_counts


@pytest.mark.longer
@given(settings_of_training(), st.integers(0, 40))
def test_plain_python_gives_what_the_kernels_give(setting: Setting, k: int) -> None:
    assert_plain_equals_the_kernels(setting, k)
