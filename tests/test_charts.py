"""The findings that charts state, on data where they flip; what a chart says when it is not seen."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

import tokviz
from tokviz.ui.frame import charts


def test_pair_counts_are_told_of_the_first_and_the_last() -> None:
    assert charts.counts_found([9, 9, 4]) == "The first pair occurred 9 times when it merged, the last 4 times"
    assert charts.counts_found([1_200, 1]) == "The first pair occurred 1,200 times when it merged, the last once"
    # a later pair may occur as often as the first, and under another rule more often: the sentence is of two merges
    assert charts.counts_found([4, 9]) == "The first pair occurred 4 times when it merged, the last 9 times"
    assert charts.counts_found([1, 1, 1]) == "Each pair occurred once when it merged"
    assert charts.counts_found([7]) == "Pair count of each merge"


def test_lengths_of_new_tokens_are_told_with_the_most_frequent_where_there_is_one() -> None:
    assert charts.lengths_found(Counter([2, 3, 3, 30])) == "New tokens are 2 to 30 bytes long, most often 3"
    assert charts.lengths_found(Counter([2, 3])) == "New tokens are 2 to 3 bytes long"
    assert charts.lengths_found(Counter([3, 3])) == "Every new token is 3 bytes long"


def test_charts_of_merges_hold_all_merges() -> None:
    training = tokviz.train("a" * 3_000 + " the cat sat on the mat" * 50, 290, pattern="none")
    counts = [merge.count for merge in training.merges]
    lengths = [len(training.tokenizer.vocab[merge.id]) for merge in training.merges]
    assert max(lengths) > 20
    by_count, by_length = charts.pair_counts(counts), charts.new_lengths(lengths)
    assert by_count.table["pair count"].tolist() == counts
    assert by_length.table["new tokens"].sum() == len(lengths)
    drawn = by_length.drawing.to_dict()
    (rows,) = drawn["datasets"].values()
    assert sum(row["new tokens"] for row in rows) == len(lengths)
    assert rows[-1]["bytes"] == "> 20"


@pytest.mark.parametrize("chart", [charts.pair_counts([9, 5, 5, 1]), charts.new_lengths([2, 3, 3, 40])])
def test_every_chart_can_be_read_out_and_loads_nothing(chart: charts.Chart) -> None:
    assert chart.alt.startswith(chart.title)
    assert re.search(r"\d", chart.alt.removeprefix(chart.title))
    assert not re.search(r'"(?:url|href)":', json.dumps(chart.drawing.to_dict()))
