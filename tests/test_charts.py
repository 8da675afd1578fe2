"""The findings that charts state, on data where they flip; what a chart says when it is not seen."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache

import pytest

import tokviz
from tokviz.catalog.samples import sample
from tokviz.cost.figures import tally
from tokviz.ui.compare.figure_tables import fewest
from tokviz.ui.compare.sizes import finding, sizes
from tokviz.ui.frame import charts
from tokviz.ui.frame.charts import Measured
from tokviz.ui.frame.tokenizers import ShownTokenizer

GERMAN = "Straßenbahnschaffnerin und Oberbürgermeister fuhren über die Brücke. " * 40
GPT2, CL100K, O200K = (ShownTokenizer(name, name, name, None) for name in ("gpt2", "cl100k_base", "o200k_base"))


@cache
def own(text: str = GERMAN, size: int = 300, key: str = "mine1", name: str = "Mine") -> ShownTokenizer:
    return ShownTokenizer(key, name, "yours" if key == "mine1" else "other1", tokviz.train(text, size).tokenizer)


def measured(text: str, *shown: ShownTokenizer) -> Measured:
    return [(one, tally(one.tokenizer.explain(text))) for one in shown]


# -- findings --


def test_the_finding_of_sizes_is_of_the_smallest() -> None:
    text = sample("story").text
    rows = measured(text, own(), GPT2, O200K)
    counts = [(one.name, len(one.tokenizer.truncated(300).encode(text))) for one, _ in rows]
    assert finding(rows) == f"Cut to 300 tokens, {fewest(counts)}"


@pytest.mark.right
def test_the_table_of_sizes_has_the_row_that_its_title_speaks_of() -> None:
    text = sample("story").text
    chart = sizes(measured(text, own(text, 300), GPT2))
    row = chart.table.set_index("vocabulary size").loc[300]
    assert chart.title.startswith("Cut to 300 tokens") and row.notna().all()


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


# -- what goes with them --


def every_chart() -> list[charts.Chart]:
    return [
        sizes(measured(GERMAN, own(), GPT2)),
        charts.pair_counts([9, 5, 5, 1]),
        charts.new_lengths([2, 3, 3, 40]),
    ]


@pytest.mark.parametrize("chart", every_chart(), ids=lambda chart: chart.name)
def test_every_chart_can_be_read_out_and_loads_nothing(chart: charts.Chart) -> None:
    assert chart.alt.startswith(chart.title)
    assert re.search(r"\d", chart.alt.removeprefix(chart.title))
    assert len(chart.table)
    assert chart.lead is None or chart.lead(0) == {"vocabulary size": 256}
    drawn = json.dumps(chart.drawing.to_dict())
    assert not re.search(r'"(?:url|href)":', drawn)
    assert "Mine" in drawn or chart.name in ("pair-counts", "new-lengths")


def test_sizes_are_what_truncated_tokenizers_give() -> None:
    table = sizes(measured(GERMAN, own(), GPT2)).table.set_index("vocabulary size")
    for size in (256, 300):
        tokens = len(own().tokenizer.truncated(size).encode(GERMAN))
        assert table.loc[size, "Mine"] == pytest.approx(len(GERMAN.encode()) / tokens)
        tokens = len(GPT2.tokenizer.truncated(size).encode(GERMAN)) if size in table["gpt2"].dropna() else 0
        assert not tokens or table.loc[size, "gpt2"] == pytest.approx(len(GERMAN.encode()) / tokens)
    assert table["gpt2"].dropna().index.max() == 50_256


def test_two_tokenizers_of_one_name_have_a_column_each() -> None:
    chart = sizes(measured(GERMAN, own(), own(GERMAN, 300, "mine2", "Mine")))
    assert list(chart.table)[1:] == ["● Mine", "✚ Mine"]


def test_the_legend_names_the_tokenizers_in_order_and_their_names_stay_text() -> None:
    text, name = sample("story").text, '"}[datum.value]; alert(1) //</text><script>'
    five = (own(text, 1_024), own(text, 300, "mine2", name), GPT2, CL100K, O200K)
    written = json.dumps(sizes(measured(text, *five)).drawing.to_dict())
    (said,) = set(re.findall(r'"labelExpr": ("(?:[^"\\]|\\.)*\[datum\.value\]")', written))
    names, _, end = json.loads(said).rpartition("[")
    assert list(json.loads(names).values()) == [one.name for one in five] and end == "datum.value]"
