"""Why a pair won: the candidates are those of a recount, and the sentences say what decided."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import TIES, Setting
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
    told = why_this_pair(setting.train(), k)
    expected = setting.naive_candidates(k)
    found = [tuple(row[part] for part in ("left", "right", "count", "first")) for row in told["candidates"]]
    assert found == expected[:SHOWN]
    counts = [count for _, _, count, _ in expected]
    most = max(counts, default=0)
    assert [bool(row["state"]) for row in told["candidates"]] == [count == most for count in counts[:SHOWN]]
    if not found:
        return
    words = in_words(told["said"])
    tied = counts.count(most)
    assert ("A tie" in words) == (tied > 1)
    if 5 < tied < 40:
        assert f" {tied} pairs occur " in words
    if k < len(records):
        assert f"become {records[k][5]:,}, " in words
        assert ("is replaced" in words) == (records[k][2] != records[k][3])


def in_words(said: list[list[Any]]) -> str:
    return "".join(part if isinstance(part, str) else part.get("strong", "") for sentence in said for part in sentence)


def test_a_run_counts_twice_and_is_replaced_once() -> None:
    said = why_this_pair(trained("aaa aaa"), 0)["said"]
    assert "It occurs 4 times but is replaced 2 times" in in_words(said)
    assert {"tokens": [97, 97, 97]} in said[1]


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
    assert said in in_words(why_this_pair(trained("abcd abcd", **settings), k)["said"])
