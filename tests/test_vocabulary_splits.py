"""The part "Split patterns" of the Vocabulary page: its figures, its table, pieces and own pattern."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.bounded import bounded
from tests.pages import app, at, blocks, field, me, notes, type_in, type_on_tokens, typed_in, words
from tests.peers_cases import peer
from tests.strategies import PATTERNS, small_texts, wild_texts
from tokviz import Tokenizer
from tokviz.base.text import clean
from tokviz.catalog.samples import sample
from tokviz.split import cutting
from tokviz.split.cutting import cut
from tokviz.split.pipeline import Stage, written
from tokviz.ui.vocabulary import splits
from tokviz.ui.vocabulary.splits import outcome_of
from tokviz.ui.vocabulary.state import SplitSettings, VocabularyState

__all__ = ["app"]

HOSTILE = "<img src=x onerror=alert(1)>"
LEARNED = tokviz.train(sample("story").text, 600).tokenizer


@pytest.fixture
def lab(app: AppTest) -> AppTest:
    me(app).state(VocabularyState).part = "splits"
    return at(app, "vocabulary")


def settings(app: AppTest) -> SplitSettings:
    return me(app).state(VocabularyState).splits


def table(app: AppTest) -> dict[str, dict[str, Any]]:
    """The outcomes: by the title of a column, what it says of each pattern."""
    found = blocks(app, "table")[0]
    names = [row[0] for row in found["rows"]]
    return {
        title: dict(zip(names, cells, strict=True))
        for title, cells in zip(found["titles"], zip(*found["rows"], strict=True), strict=True)
    }


def title(app: AppTest) -> str:
    return app.subheader[0].value.replace("\\", "")


def pieces(app: AppTest) -> list[list[Any]]:
    """The rows of the clauses."""
    _, table = blocks(app, "table")
    rows: list[list[Any]] = table["rows"]
    return rows


def type_pattern(app: AppTest, pattern: str) -> AppTest:
    return type_in(app, "vocabulary.splits.own", pattern)


def explain(app: AppTest, key: str) -> AppTest:
    return field(app, "button_group", "vocabulary.splits.explained").set_value(key).run()


@given(st.one_of(small_texts, wild_texts), st.sampled_from(PATTERNS))
def test_figures_are_those_of_a_tokenizer_with_that_pattern(text: str, pattern: str) -> None:
    text = clean(text)
    other = Tokenizer("other", LEARNED.merges, pattern=pattern)
    assert outcome_of(text, pattern, LEARNED) == (len(cut(text, pattern)), len(other.encode_ordinary(text)))


def test_the_part_opens_on_the_text_under_four_patterns(lab: AppTest) -> None:
    text = sample("mixed").text
    me(lab).lend(text)
    lab.run()
    assert not lab.exception and notes(lab) == ""
    assert any("229 bytes." in caption.value for caption in lab.caption)
    assert table(lab)["tokens"] == {"none": 67, "gpt2": 72, "cl100k": 68, "o200k": 66}
    assert table(lab)["chunks"] == {name: len(cut(text, name)) for name in cutting.PATTERNS}
    assert title(lab) == "o200k_base makes 66 tokens of this text, 67 to 72 under other patterns"
    assert sum(bar["share"] for bar in blocks(lab, "bar")) == pytest.approx(1)
    assert len(pieces(explain(lab, "o200k"))) == 7
    field(lab, "selectbox", "vocabulary.of").set_value("gpt2").run()
    assert table(lab)["tokens"]["gpt2"] == len(tokviz.reference("gpt2").encode_ordinary(text))


def test_an_own_pattern_is_kept_whatever_is_wrong_with_it(lab: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    type_pattern(lab, "(a")
    assert "missing ) at position 2" in notes(lab)
    at(lab, "tokens")
    at(lab, "vocabulary")  # as after a reload: the widgets open on what the visitor has
    assert typed_in(lab, "vocabulary.splits.own") == "(a"
    type_pattern(lab, r"[a-z]+")
    assert "does not cover the text" in notes(lab)
    assert list(table(lab)["chunks"]) == ["none", "gpt2", "cl100k", "o200k"]
    type_pattern(lab, rf"{HOSTILE}|(?<=\s)\s|[\s\S]")
    assert notes(lab) == "" and table(lab)["what it does"]["your own"].startswith(HOSTILE)
    assert [words(row[0]).split("\n")[0][3:] for row in pieces(explain(lab, "your own"))] == [
        HOSTILE,
        r"(?<=\s)\s",
        r"[\s\S]",
    ]
    type_pattern(lab, r"(a)\1|[\s\S]")
    assert "refers to a group by its number" in notes(lab) and "your own" in table(lab)["chunks"]
    bounded(monkeypatch, match_seconds=0.2)
    monkeypatch.setattr(cutting, "BUDGET_SECONDS", 0.4)
    type_on_tokens(at(lab, "tokens"), "a" * 60 + "!")
    type_pattern(at(lab, "vocabulary"), r"(?:a|aa)+$|[\s\S]")
    assert "runs away" in notes(lab) and "your own" not in table(lab)["chunks"]
    type_pattern(lab, "")
    assert notes(lab) == "" and settings(lab) == SplitSettings()
    assert not lab.exception


@pytest.mark.right
@pytest.mark.parametrize(("pattern", "fault"), [("(a", "does not compile"), (r"(?:a|aa)+$|[\s\S]", "runs away")])
def test_an_error_offers_no_choice_that_the_page_does_not_have(
    lab: AppTest, monkeypatch: pytest.MonkeyPatch, pattern: str, fault: str
) -> None:
    bounded(monkeypatch, match_seconds=0.2)
    type_on_tokens(at(lab, "tokens"), "a" * 60 + "!")
    type_pattern(at(lab, "vocabulary"), pattern)
    assert fault in notes(lab) and "choose" not in notes(lab)


def test_a_pattern_whose_clauses_are_slow_is_still_compared(lab: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """An automaton splits by it at once. Only the `regex` package can tell its clauses apart, and it would not end."""
    bounded(monkeypatch, match_seconds=0.2)
    type_on_tokens(at(lab, "tokens"), "! " + "x" * 60)
    explain(type_pattern(at(lab, "vocabulary"), r"(?:x|xx)+[!]|[\s\S]"), "your own")
    assert table(lab)["chunks"]["your own"] == 62
    assert "too slowly, or not at all after byte 2" in notes(lab)


def test_any_text_can_be_cut(lab: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    type_on_tokens(at(lab, "tokens"), "")
    assert "There is no text." in notes(at(lab, "vocabulary"))
    for text in ("\r\n\0", HOSTILE, "नमस्ते 👩‍👩‍👧", " " * 3_000):
        type_on_tokens(at(lab, "tokens"), text)
        at(lab, "vocabulary")
        assert not lab.exception and notes(lab) == ""
        assert table(lab)["tokens"]["o200k"] == len(tokviz.reference("o200k_base").encode_ordinary(text))
    monkeypatch.setattr(splits, "TEXT_LIMIT", 100)
    assert any("3,000 bytes, of which the first 100 are cut" in one.value for one in lab.run().caption)


def test_a_tokenizer_with_its_own_pattern_and_a_peer(lab: AppTest) -> None:
    state = me(lab).state(VocabularyState)
    me(lab).lend(sample("mixed").text)
    state.of = me(lab).add("<b>", Tokenizer("<b>", [], pattern=r"\w+|\W+")).key
    assert title(lab.run()) == "<b> makes 229 tokens of this text, 229 under other patterns"
    assert table(lab)["what it does"]["the tokenizer's"] == r"\w+|\W+"
    assert len(pieces(explain(lab, "the tokenizer's"))) == 2
    stages = [Stage(r"\d"), Stage(HOSTILE, "contiguous", inverted=True), Stage("gpt2")]
    state.of = me(lab).add("in stages", Tokenizer("in stages", [], pattern=written(stages))).key
    assert table(explain(lab, "the tokenizer's"))["what it does"]["the tokenizer's"] == "3 stages, one after the other"
    assert lab.code[0].value == f"isolated: \\d\ncontiguous, inverted: {HOSTILE}\nisolated: gpt2"
    assert notes(lab) == "" and len(blocks(lab, "table")) == 1
    state.of = me(lab).add_peer("words", peer("WordPiece")).key
    assert title(lab.run()).startswith("These patterns cut the text into 1 to ")
    assert "tokens" not in table(lab) and not lab.exception
    assert any("does not cut text by a pattern of this kind" in caption.value for caption in lab.caption)
    assert settings(lab).explained == "gpt2", "the pattern that was explained is gone"
