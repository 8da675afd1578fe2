"""The findings that charts state, on data where they flip; what a chart says when it is not seen."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache

import pytest

import tokviz
from tokviz.catalog.samples import parallel, sample
from tokviz.cost.figures import tally
from tokviz.ui.frame import charts
from tokviz.ui.frame.charts import Measured, Tongue
from tokviz.ui.frame.tokenizers import ShownTokenizer

GERMAN = "Straßenbahnschaffnerin und Oberbürgermeister fuhren über die Brücke. " * 40
GPT2, CL100K, O200K = (ShownTokenizer(name, name, name, None) for name in ("gpt2", "cl100k_base", "o200k_base"))


@cache
def own(text: str = GERMAN, size: int = 300, key: str = "mine1", name: str = "Mine") -> ShownTokenizer:
    return ShownTokenizer(key, name, "yours" if key == "mine1" else "other1", tokviz.train(text, size).tokenizer)


def measured(text: str, *shown: ShownTokenizer) -> Measured:
    return [(one, tally(one.tokenizer.explain(text))) for one in shown]


# -- findings --


def test_fewest_names_whoever_it_is() -> None:
    assert charts.fewest(measured("2001", GPT2, CL100K)) == "gpt2 needs the fewest tokens, 1; cl100k_base the most, 2"
    spaces = measured("        x", GPT2, CL100K)
    assert charts.fewest(spaces) == "cl100k_base needs the fewest tokens, 2; gpt2 the most, 8"
    assert charts.fewest(measured("cat", GPT2, CL100K, O200K)) == "All 3 need the same number of tokens, 1"
    both = measured("2001", CL100K, O200K, GPT2)
    assert charts.fewest(both) == "gpt2 needs the fewest tokens, 1; cl100k_base and o200k_base the most, 2"
    assert charts.fewest(measured("cat", GPT2, CL100K)) == "Both need the same number of tokens, 1"
    assert charts.fewest(measured("cat", GPT2)) == "Bytes per token"


def test_leader_is_who_has_the_fewest_tokens_at_the_smallest_size() -> None:
    assert (
        charts.leader(measured(GERMAN, own(), GPT2))
        == "Cut to 300 tokens, Mine needs fewer tokens than the other on this text"
    )
    english = measured(sample("story").text, own(), GPT2, O200K)
    counts = {one.name: len(one.tokenizer.truncated(300).encode(sample("story").text)) for one, _ in english}
    best = min(counts, key=lambda name: counts[name])
    assert best != "Mine"
    assert charts.leader(english) == f"Cut to 300 tokens, {best} needs fewer tokens than both others on this text"
    equal = measured("\x00\x01", GPT2, O200K)
    assert charts.leader(equal) == "Cut to 50,256 tokens, both need the same number of tokens on this text"
    lead = measured(GERMAN, own(), GPT2, own(GERMAN, 300, "mine2", "Twin"))
    assert charts.leader(lead) == "Cut to 300 tokens, Mine and Twin need the fewest tokens on this text"
    nothing = ShownTokenizer("mine2", "Bytes", "other1", tokviz.train("", 256).tokenizer)
    for rows in (measured("a", GPT2), measured("a", GPT2, nothing)):
        assert charts.leader(rows) == "Bytes per token by vocabulary size"


def test_lengths_are_told_by_single_bytes_or_else_by_the_most_frequent() -> None:
    def said(text: str, *shown: ShownTokenizer) -> str:
        return charts.usual_length(measured(text, *shown)).replace("\u00a0", " ")

    assert said("aa bb the", GPT2, own("x" * 9, 257)) == (
        "Single bytes are 100 % of the tokens under Mine, 25.0 % under gpt2"
    )
    assert said("the cat sat", GPT2, CL100K) == (
        "Tokens of 4 bytes are the most frequent under both, 66.7 % of the tokens"
    )
    assert said("        the cat", GPT2, O200K, CL100K).startswith("Single bytes are 77.8 % of the tokens under gpt2")
    assert said("a", GPT2) == "Tokens of 1 byte are the most frequent, 100 % of the tokens"
    assert said(" " * 20, CL100K) == "Tokens of 16 bytes and more are the most frequent, 100 % of the tokens"
    assert said("the dog dogs", GPT2, CL100K) == "Tokens by length"  # 3, 4 and 5 bytes, once each
    assert said("", GPT2) == "Tokens by length"


def tongue(code: str, **tokens: int) -> Tongue:
    return Tongue(code, {"en": "English", "ta": "Tamil", "de": "German"}[code], "Script", tokens)


def test_the_dearest_language_and_the_fairest_tokenizer() -> None:
    rows = [tongue("en", gpt2=10, o200k_base=10), tongue("ta", gpt2=90, o200k_base=20)]
    said = (
        "Tamil takes 9.0 times the tokens of English under gpt2; under o200k_base no language takes more than 2.0 times"
    )
    assert charts.dearest_language([GPT2, O200K], rows) == said
    rows = [tongue("en", gpt2=10, o200k_base=10), tongue("ta", gpt2=20, o200k_base=90)]
    said = (
        "Tamil takes 9.0 times the tokens of English under o200k_base; under gpt2 no language takes more than 2.0 times"
    )
    assert charts.dearest_language([GPT2, O200K], rows) == said
    assert charts.dearest_language([GPT2], rows) == "Tamil takes 2.0 times the tokens of English under gpt2"
    cheap = [tongue("en", gpt2=10), tongue("de", gpt2=9)]
    assert charts.dearest_language([GPT2], cheap) == "No language takes more tokens than English"


def test_the_finding_over_the_bundled_languages_is_true() -> None:
    rows = [
        Tongue(
            row.code, row.language, row.script, {one.key: len(one.tokenizer.encode(row.text)) for one in (GPT2, O200K)}
        )
        for row in parallel()
    ]
    chart = charts.languages([GPT2, O200K], rows)
    english = next(row for row in rows if row.code == "en")
    times = {(row.language, key): row.tokens[key] / english.tokens[key] for row in rows for key in row.tokens}
    (language, key), most = max(times.items(), key=lambda item: item[1])
    assert chart.title.startswith(f"{language} takes {most:.1f} times the tokens of English under {key}")
    assert chart.table["language"].iloc[0] == language
    assert chart.table[f"{key}, times English"].iloc[0] == pytest.approx(most)
    assert chart.lead is not None
    assert chart.lead(0, "language") == {"code": next(row.code for row in rows if row.language == language)}


@pytest.mark.right
def test_the_table_of_sizes_has_the_row_that_its_title_speaks_of() -> None:
    text = sample("story").text
    chart = charts.sizes(measured(text, own(text, 300), GPT2))
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
    two = (own(), GPT2)
    rows = measured(GERMAN, *two)
    tongues = [
        Tongue(row.code, row.language, row.script, {one.key: len(row.text) for one in two}) for row in parallel()
    ]
    return [
        charts.sizes(rows),
        charts.lengths(rows),
        charts.languages(two, tongues),
        charts.pair_counts([9, 5, 5, 1]),
        charts.new_lengths([2, 3, 3, 40]),
    ]


@pytest.mark.parametrize("chart", every_chart(), ids=lambda chart: chart.name)
def test_every_chart_can_be_read_out_and_loads_nothing(chart: charts.Chart) -> None:
    assert chart.alt.startswith(chart.title)
    assert re.search(r"\d", chart.alt.removeprefix(chart.title))
    assert len(chart.table)
    drawn = json.dumps(chart.drawing.to_dict())
    assert not re.search(r'"(?:url|href)":', drawn)
    assert "Mine" in drawn or chart.name in ("pair-counts", "new-lengths")


@pytest.mark.right
@pytest.mark.parametrize("chart", every_chart(), ids=lambda chart: chart.name)
def test_a_chart_with_a_height_for_each_row_fits_no_height(chart: charts.Chart) -> None:
    drawn = chart.drawing.to_dict()
    rows = isinstance(drawn["height"], dict)
    assert drawn.get("autosize") == ({"type": "fit-x", "contains": "padding"} if rows else None)


def test_the_tables_lead_where_the_charts_do() -> None:
    by_name = {chart.name: chart for chart in every_chart()}
    sizes, lengths = (by_name[name].lead for name in ("sizes", "lengths"))
    assert sizes
    assert lengths
    assert sizes(0, "Mine") == {"vocabulary size": 256}
    assert lengths(2, "gpt2") == {"key": "gpt2", "bytes": 3}
    assert lengths(2, "bytes") is None


def test_sizes_are_what_truncated_tokenizers_give() -> None:
    table = charts.sizes(measured(GERMAN, own(), GPT2)).table.set_index("vocabulary size")
    for size in (256, 300):
        tokens = len(own().tokenizer.truncated(size).encode(GERMAN))
        assert table.loc[size, "Mine"] == pytest.approx(len(GERMAN.encode()) / tokens)
        tokens = len(GPT2.tokenizer.truncated(size).encode(GERMAN)) if size in table["gpt2"].dropna() else 0
        assert not tokens or table.loc[size, "gpt2"] == pytest.approx(len(GERMAN.encode()) / tokens)
    assert table["gpt2"].dropna().index.max() == 50_256


def test_lengths_share_out_all_tokens() -> None:
    table = charts.lengths(measured(GERMAN + "=" * 300, own(), GPT2)).table
    assert table["Mine"].sum() == pytest.approx(1)
    assert table["gpt2"].sum() == pytest.approx(1)
    assert table["gpt2"].iloc[-1] > 0
    assert len(table) == charts.LONGEST


def test_two_tokenizers_of_one_name_have_a_column_each() -> None:
    chart = charts.sizes(measured(GERMAN, own(), own(GERMAN, 300, "mine2", "Mine")))
    assert list(chart.table)[1:] == ["● Mine", "✚ Mine"]


def test_names_that_are_heads_of_columns_take_no_column_away() -> None:
    named = [own(GERMAN, 300, f"mine{i}", name) for i, name in enumerate(("bytes", "vocabulary size", "tokenizer"))]
    rows = measured(GERMAN, *named)
    for chart in (charts.lengths(rows), charts.sizes(rows)):
        assert len(set(chart.table)) == 4


def test_the_legend_names_the_tokenizers_in_order_and_their_names_stay_text() -> None:
    text, name = sample("story").text, '"}[datum.value]; alert(1) //</text><script>'
    five = (own(text, 1_024), own(text, 300, "mine2", name), GPT2, CL100K, O200K)
    written = json.dumps(charts.sizes(measured(text, *five)).drawing.to_dict())
    (said,) = set(re.findall(r'"labelExpr": ("(?:[^"\\]|\\.)*\[datum\.value\]")', written))
    names, _, end = json.loads(said).rpartition("[")
    assert list(json.loads(names).values()) == [one.name for one in five] and end == "datum.value]"


def test_names_that_people_gave_stay_text() -> None:
    name = '"}[datum.value]; alert(1) //</text><script>'
    drawn = charts.lengths(measured("abc", own(name=name), GPT2)).drawing.to_dict()
    data = json.dumps(drawn.pop("datasets"))
    said = json.dumps(name)[1:-1]
    assert said in data and said not in json.dumps(drawn)
