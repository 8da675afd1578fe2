"""Why a pair won: the candidates are those of a recount, and the sentences say what decided."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import TIES, Setting
from tokviz.base.blocks import Line, Table
from tokviz.base.sentences import plain
from tokviz.training.train import Training
from tokviz.training.why import SHOWN, why_this_pair

TEXTS = st.text("abc ", max_size=60) | st.text("ab aaa\n", max_size=60)


def trained(text: str, merges: int = 20, **settings: Any) -> Training:
    return tokviz.train(text, 256 + merges, **settings)


@settings(deadline=None)
@given(TEXTS, st.integers(0, 12), st.sampled_from(TIES))
def test_the_candidates_are_those_of_a_recount(text: str, k: int, tie: str) -> None:
    setting = Setting((text,), 12, "gpt2", tie=tie)
    records = setting.naive[0]
    k = min(k, len(records))
    training = setting.train()
    table, said = told(training, k)
    expected = setting.naive_candidates(k)
    vocab = training.tokenizer.vocab
    pairs = [(row[0][0].left, row[0][0].right, row[1].text) for row in table.rows] if table else []
    assert pairs == [(vocab[left], vocab[right], count) for left, right, count, _ in expected[:SHOWN]]
    if not table:
        return
    counts = [count for _, _, count, _ in expected]
    most = max(counts)
    assert [len(row[0]) == 2 for row in table.rows] == [count == most for count in counts[:SHOWN]]
    tied = counts.count(most)
    assert ("A tie" in said) == (tied > 1)
    if 5 < tied < 40:
        assert f" {tied} pairs occur " in said
    if k < len(records):
        assert f"become {records[k][5]:,}, " in said
        assert ("is replaced" in said) == (records[k][2] != records[k][3])


def told(training: Training, k: int) -> tuple[Table | None, str]:
    """The table of candidates, and all sentences."""
    blocks = why_this_pair(training, k)
    table = next((block for block in blocks if isinstance(block, Table)), None)
    return table, " ".join(plain(block.cells) for block in blocks if isinstance(block, Line))


def test_a_run_counts_twice_and_is_replaced_once() -> None:
    assert "It occurs 4 times but is replaced 2 times: in a run like aaa the pair" in told(trained("aaa aaa"), 0)[1]


@pytest.mark.parametrize(
    ("settings", "k", "said"),
    [
        ({"tie": "first"}, 0, "comes first in the corpus wins"),
        ({"tie": "lowest"}, 0, "with the lowest ids (left id first) wins"),
        ({"tie": "hf"}, 0, "bytes numbered as in the Hugging Face trainer"),
        ({"prefer": "rarest"}, 0, "occurs once, the next 2 times; here the rarest pair wins"),
        ({"merges": 1}, 1, "All merges are done. This pair would have come next."),
        ({"min_count": 3}, 0, "No pair occurs often enough. The least pair count asked is 3."),
        ({"merges": 99}, 4, "No pair is left."),
        ({"ban": [b"ab"]}, 0, "left out"),
    ],
)
def test_what_settled_it_is_said(settings: dict[str, Any], k: int, said: str) -> None:
    assert said in told(trained("abcd abcd", **settings), k)[1]
