"""The tabs under the panels of Compare: figures, charts and what is picked in them."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, components, notes, take_sample, train, type_on_tokens
from tokviz.catalog.references import model
from tokviz.catalog.samples import parallel, sample
from tokviz.cost.figures import tally
from tokviz.ui.compare import figure_tables as figures
from tokviz.ui.compare import tabs as measures
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame import tables
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server.visitor import Visitor

__all__ = ["app"]

TEXT = "The cat sat on the mat, 1,234 times. नमस्ते!\n" * 3
REFERENCES = ("gpt2", "cl100k_base", "o200k_base")
TABS = ("Figures", "Vocabulary size", "Languages", "Train and test", "Files", "Waste", "Cost")


def opened(app: AppTest, tab: str = "Figures", text: str = TEXT) -> AppTest:
    type_on_tokens(app, text)
    at(app, "compare")
    return to(app, tab)


def to(app: AppTest, tab: str) -> AppTest:
    app.session_state["compare.tab"] = tab
    person(app).state(CompareState).tab = tab
    app.run()
    assert not app.exception
    return app


def person(app: AppTest) -> Visitor:
    found: Visitor = app.session_state["tokviz.visitor"]
    return found


def table(app: AppTest, column: str) -> pd.DataFrame:
    """The one table that has this column."""
    (found,) = [frame.value for frame in app.dataframe if column in frame.value]
    frame: pd.DataFrame = found
    return frame


def headings(app: AppTest) -> list[str]:
    return [heading.value.replace("\\", "") for heading in app.subheader]


@pytest.mark.parametrize("text", [TEXT, "", "=1+1\n<script>alert(1)</script>\x00😀" + " " * 999])
def test_every_tab_opens_on_every_text(app: AppTest, text: str) -> None:
    opened(app, TABS[0], text)
    for tab in TABS:
        to(app, tab)
        assert notes(app) == ""
        assert headings(app) or not text
        assert not app.exception
        for chart in app.get("vega_lite_chart"):
            assert chart.proto.alt
            assert json.loads(chart.proto.spec)


def test_only_the_open_tab_is_reckoned(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a hidden tab was reckoned")

    opened(app, "Figures")
    monkeypatch.setattr(measures, "tongues", refuse)
    app.run()
    assert not app.exception


def test_the_figures_are_those_of_the_text(app: AppTest) -> None:
    opened(app)
    rows = table(app, "single-byte tokens").set_index("tokenizer")
    more = table(app, "words split").set_index("tokenizer")
    for name in REFERENCES:
        tok = tokviz.reference(name)
        title = tokviz.references()[name].title
        ids = tok.encode(TEXT)
        counted = tally(tok.explain(TEXT))
        assert rows.loc[title, "tokens"] == len(ids)
        assert rows.loc[title, "bytes per token"] == pytest.approx(len(TEXT.encode()) / len(ids))
        assert rows.loc[title, "characters per token"] == pytest.approx(len(TEXT) / len(ids))
        assert rows.loc[title, "tokens per word"] == pytest.approx(len(ids) / len(TEXT.split()))
        assert rows.loc[title, "vocabulary in use"] == pytest.approx(len(set(ids)) / tok.vocab_size)
        p = np.array(list(Counter(ids).values())) / len(ids)
        assert more.loc[title, "entropy, bits per token"] == pytest.approx(-(p * np.log2(p)).sum())
        assert more.loc[title, "words split"] == pytest.approx(counted.split / len(TEXT.split()))


def test_where_there_are_no_words_there_is_no_figure_per_word(app: AppTest) -> None:
    opened(app, text="猫がマットに座った。")
    rows = table(app, "single-byte tokens")
    assert rows["tokens per word"].isna().all()
    assert rows["characters per token"].notna().all()


def test_price_and_window_of_a_model(app: AppTest) -> None:
    opened(app)
    app.selectbox(key="compare.model").set_value("gpt-4").run()
    rows = table(app, "share of GPT-4's window").set_index("tokenizer")
    tokens = len(tokviz.reference("gpt2").encode(TEXT))
    assert rows.loc["GPT-2", "share of GPT-4's window"] == pytest.approx(tokens / 8_192)
    assert rows.loc["GPT-2", "cost at GPT-4's price"] == f"${tokens * 30 / 1e6:f}".rstrip("0")
    said = " ".join(caption.value for caption in app.caption).replace("\\", "")
    price = model("gpt-4").price
    assert price is not None
    assert price.source in said.replace("\u2060", "")
    assert price.date.isoformat() in said


def test_a_model_without_a_price_has_none(app: AppTest) -> None:
    opened(app)
    app.selectbox(key="compare.model").set_value("gpt2").run()
    assert not any("cost" in column for column in table(app, "share of GPT-2's window"))
    assert any("Price: no source." in caption.value.replace("\\", "") for caption in app.caption)


def test_a_size_that_is_picked_shows_the_text_cut_to_it(app: AppTest) -> None:
    opened(app, "Vocabulary size")
    assert "Cut to 50,256 tokens" in headings(app)
    person(app).state(CompareState).size = 1_024
    app.run()
    assert "Cut to 1,024 tokens" in headings(app)
    views = components(app, "token_view")[-3:]
    assert len(views) == 3
    for name, view in zip(REFERENCES, views, strict=True):
        expected = tokviz.reference(name).truncated(1_024).explain(TEXT)
        assert view["seams"] == measured_seams(expected)


def measured_seams(encoding: tokviz.Encoding) -> str:
    from tokviz.ui.kit.data import int32

    return int32(encoding.seams)


def test_the_tokens_of_a_length_are_listed() -> None:
    encoding = tokviz.reference("gpt2").explain("cat dog cat\tä")
    rows = figures.of_length(encoding, 4).to_dict("records")
    assert [(row["token"], row["times"], row["first at byte"]) for row in rows] == [("·dog", 1, 3), ("·cat", 1, 7)]
    (row,) = figures.of_length(encoding, 1).to_dict("records")
    assert (row["token"], row["bytes in hex"]) == ("→", "09")
    long = figures.of_length(tokviz.reference("gpt2").explain("=" * 64), 16)
    assert long["token"].iloc[0] == "=" * 64
    half = figures.of_length(tokviz.reference("gpt2").explain("猫"), 1)
    assert half["token"].tolist() == half["bytes in hex"].tolist() == ["E7", "8C", "AB"]


def test_a_language_that_is_picked_shows_its_sentences(app: AppTest) -> None:
    opened(app, "Languages")
    dearest = components(app, "token_view")[-1]["text"]
    assert dearest in {row.text for row in parallel()}
    person(app).state(CompareState).language = "de"
    app.run()
    german = next(row for row in parallel() if row.code == "de")
    assert [view["text"] for view in components(app, "token_view")[-3:]] == [german.text] * 3
    assert "The sentences in German" in headings(app)
    spread = table(app, "Gini over languages").set_index("tokenizer")["Gini over languages"]
    assert spread["o200k_base"] < spread["GPT-2"]


def test_own_tokenizers_stand_on_what_they_were_trained_on(app: AppTest) -> None:
    train(take_sample(at(app, "train")))
    opened(app, "Train and test")
    rows = table(app, "Code")
    assert list(rows)[1:] == ["This text", "Story", "Code", "Languages"]
    text = sample("story").text
    mine = person(app).trained[0]
    tokens = len(mine.tokenizer.encode(text))
    assert rows.iloc[0]["Story"] == pytest.approx(len(text.encode()) / tokens)
    cells = figures.cells(person(app), [ShownTokenizer(mine.key, mine.name, mine.series, mine.tokenizer)])
    assert [cell.text for cell in cells if cell.own] == ["Story"]
    person(app).state(CompareState).cell = (mine.key, "Code")
    app.run()
    assert components(app, "token_view")[-1]["totals"]["bytes"] == sample("code").n_bytes


@pytest.mark.right
def test_of_a_long_corpus_the_matrix_says_how_much_it_measures(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "TEST_BYTES", 300)
    train(take_sample(at(app, "train")))
    mine = person(app).trained[0]
    cells = figures.cells(person(app), [ShownTokenizer(mine.key, mine.name, mine.series, mine.tokenizer)])
    (own,) = [cell for cell in cells if cell.own]
    assert re.fullmatch(r"The Pairwright of Larkwater, a story \(first 3\d\d bytes\)", own.text)


@pytest.mark.parametrize("tab", ["Languages", "Train and test"])
def test_a_tokenizer_that_cannot_read_the_samples_leaves_the_others_their_charts(app: AppTest, tab: str) -> None:
    person(app).add("picky", tokviz.train("abc", 257, pattern="[abc]+").tokenizer)
    opened(app, tab, "abc")
    assert "picky is left out of the" in notes(app) and "does not cover the text" in notes(app)
    assert headings(app) and app.get("vega_lite_chart")
    person(app).state(CompareState).chosen = person(app).state(CompareState).chosen[:1]
    to(app, tab)
    assert "picky is left out of the" in notes(app) and not app.get("vega_lite_chart")


def test_a_corpus_of_ones_own_is_a_test_text_too() -> None:
    me = Visitor()
    for name in ("mine", "Story"):
        training = tokviz.train("a corpus of my own " * 9 + name, 300)
        me.add(name, training.tokenizer, training, corpus_name=name)
    chosen = [ShownTokenizer(mine.key, mine.name, mine.series, mine.tokenizer) for mine in me.trained]
    texts = figures.texts_to_try(me, chosen)
    assert list(texts) == ["This text", "Story", "Code", "Languages", "mine", "Story (2)"]
    assert texts["mine"] == "a corpus of my own " * 9 + "mine"
    me.trained[0].training = None  # as when the server let it go
    assert "mine" not in figures.texts_to_try(me, chosen)


def test_a_tokenizer_that_cannot_read_the_text_leaves_the_others_their_figures() -> None:
    picky = tokviz.train("abc", 257, pattern="[abc]+").tokenizer
    rows, faults = figures.measured(
        Visitor(),
        [ShownTokenizer("mine1", "picky", "yours", picky), ShownTokenizer("gpt2", "GPT-2", "gpt2", None)],
        "xyz",
    )
    assert [shown.name for shown, _ in rows] == ["GPT-2"]
    assert "does not cover" in str(faults[0])


def test_every_table_is_a_csv(app: AppTest) -> None:
    opened(app)
    assert len(app.get("download_button")) == len(app.dataframe)
    assert tables.csv(pd.DataFrame({"=a": ["-1", "b,c"], "n": [-1, 2]})) == "'=a,n\r\n'-1,-1\r\n\"b,c\",2\r\n"
