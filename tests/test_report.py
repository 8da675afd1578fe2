"""Reports stand alone: nothing is loaded, nothing runs, and the figures in them are those on the page."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser

import pandas as pd
import pytest

import tokviz
from tokviz.samples import sample
from tokviz.ui.address import Link, decode
from tokviz.ui.compare import report
from tokviz.ui.compare.figure_tables import figures_table, measured
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.compare.state import CompareState
from tokviz.ui.tokenizers import Shown
from tokviz.ui.visitors.visitor import Visitor

EVIL = "</pre><script>alert(1)</script> & ``` | \\ $x$ #"
GPT2, O200K = Shown("gpt2", "GPT-2", "gpt2", None), Shown("o200k_base", "o200k_base", "o200k_base", None)


def made(text: str, *shown: Shown, with_text: bool = True) -> report.Report:
    me = Visitor(text=text)
    me.state(CompareState).with_text = with_text
    rows, _ = measured(me, shown, text) if text else ([], [])
    return report.report(me, shown, rows, date(2026, 11, 21))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_the_page_loads_nothing_runs_nothing_and_says_what_was_typed() -> None:
    named = Shown("mine1", '"><img src=x onerror=alert(1)>', "yours", tokviz.train("abc " * 9, 259).tokenizer)
    tags = Tags()
    page = report.as_html(made(EVIL, named, GPT2))
    tags.feed(page)
    assert {tag for tag, _ in tags.seen}.isdisjoint({"script", "iframe", "link", "object", "base", "form"})
    for tag, attributes in tags.seen:
        assert not any(name.startswith("on") for name in attributes), tag
        assert str(attributes.get("src", "data:")).startswith("data:image/svg+xml;base64,") or "src" not in attributes
        assert "href" not in attributes
    assert EVIL in tags.said
    assert named.name in tags.said
    pictures = [attributes for tag, attributes in tags.seen if tag == "img"]
    assert len(pictures) == 5
    assert all(picture["alt"] for picture in pictures)


def test_the_figures_are_those_of_the_text() -> None:
    text = "The cat sat on the mat, 1,234 times."
    tokens = len(tokviz.reference("gpt2").encode(text))
    both = made(text, GPT2, O200K)
    row = f"<td class=words>GPT-2</td><td>{tokens:,}</td><td>{len(text) / tokens:.2f}</td>"
    assert row in report._html_table(both.tables["Figures"])
    written = report.as_markdown(both)
    assert f"| GPT-2 | {tokens:,} | {len(text) / tokens:.2f} |" in written
    assert text in written
    assert text not in report.as_markdown(made(text, GPT2, with_text=False))


def test_a_tokenizer_that_cannot_read_the_samples_leaves_the_others_their_charts() -> None:
    picky = Shown("mine1", "picky", "yours", tokviz.train("abc", 257, pattern="[abc]+").tokenizer)
    both = made("abc", picky, GPT2)
    assert [chart.name for chart in both.charts][-2:] == ["languages", "train-and-test"]
    assert list(both.tables["Figures"]["tokenizer"]) == ["picky", "GPT-2"]
    assert "picky is left out of the languages. The split pattern does not cover the text" in report.as_html(both)
    assert [chart.name for chart in made("abc", picky).charts][-1] == "sizes"


def test_of_a_long_text_the_report_says_how_much_it_has() -> None:
    long, short = made("so it is. " * 501, GPT2), made("so it is.", GPT2)
    for write in (report.as_html, report.as_markdown):
        assert "The text, the first 5,000 characters" in write(long)
        assert "the first 5,000" not in write(short)


def test_without_a_text_there_are_the_languages_still() -> None:
    one = made("", GPT2)
    assert [chart.name for chart in one.charts] == ["languages", "train-and-test"]
    assert "0 bytes" in report.as_markdown(one)
    assert made("", with_text=False).charts == []


def test_the_link_opens_the_comparison_and_holds_no_text_that_the_report_has_not() -> None:
    for with_text, text in ((True, EVIL), (False, None)):
        one = made(EVIL, GPT2, O200K, with_text=with_text)
        address, query = one.link.split("?", 1)
        link = Link(CompareLink(tab="Figures"), text, ("gpt2", "o200k_base"), "text")
        assert (address, decode(query, CompareLink)) == ("/compare", (link, []))
        tags = Tags()
        tags.feed(report.as_html(one))
        assert one.link in tags.said
        assert one.link in report.as_markdown(one)
        assert bool(one.missing) is not with_text
    query = made(sample("story").text, with_text=False).link.split("?", 1)[1]
    assert decode(query, CompareLink)[0].text == sample("story").text


def test_markdown_stays_what_it_was() -> None:
    written = report.as_markdown(made(EVIL, GPT2))
    assert f"````\n{EVIL}\n````" in written
    table = report.markdown_table(pd.DataFrame({"tokenizer": [EVIL + "\n<b>"], "tokens": [1]}))
    assert len(table.splitlines()) == 3
    assert re.findall(r"(?<!\\)\|", table.splitlines()[2]) == ["|"] * 3
    assert "\\<script" in table


@pytest.mark.parametrize(
    ("name", "written"),
    [("a_b & 5 %", r"a\_b \& 5 \%"), ("\\x{~^$#}", r"\textbackslash{}x\{\textasciitilde{}\textasciicircum{}\$\#\}")],
)
def test_latex_reads_names_as_text(name: str, written: str) -> None:
    assert report.latex_table(pd.DataFrame({"tokenizer": [name]})).splitlines()[4] == written + r" \\"


def test_tables_say_nothing_where_there_is_nothing() -> None:
    rows, _ = measured(Visitor(), [GPT2], "猫")
    line = report.markdown_table(figures_table(rows, ["tokens", "tokens_per_word", "vocabulary_in_use"])).splitlines()[
        2
    ]
    assert line == "| GPT-2 | 3 | – | 0.01 % |"
