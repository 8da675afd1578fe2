"""Two laid over on the Vocabulary page: what is drawn is what the domain says, for any pair of tokenizers."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, button, components, field, me, notes
from tests.peers_cases import peer
from tokviz.overlap import Overlap, overlap_at
from tokviz.overlay import most_moved, overlay, rank_bins
from tokviz.ui.charts import overlaps
from tokviz.ui.charts.overlap import shares_found
from tokviz.ui.components.overlay import pressed_bin, pressed_part, pressed_token
from tokviz.ui.vocabulary import overlay_ranks
from tokviz.ui.vocabulary.listing import listing, sentence
from tokviz.ui.vocabulary.overlay_tables import bins_table, part_table
from tokviz.ui.vocabulary.state import ListChoice, OverlayChoice, VocabularyState
from tokviz.ui.vocabulary.token_sets import token_set
from tokviz.ui.vocabulary.use import shown_of

__all__ = ["app"]  # a fixture

HOSTILE = "<b>bold</b> *stars* :red[x]"
SEA = tokviz.train("she sells sea shells by the sea shore " * 3, 300, special_tokens=["<s>", "*"]).tokenizer
STORY = tokviz.train("the cat and the hen sat by the sea shore, and she sat there " * 3, 290).tokenizer


def laid_over(app: AppTest, a: str, b: str, **choice: Any) -> AppTest:
    state = me(app).state(VocabularyState)
    state.part, state.over = "overlay", OverlayChoice(a, b, **choice)
    at(app, "vocabulary")
    assert not app.exception and not app.error
    return app


def numbers(app: AppTest) -> list[int]:
    return [part["n"] for part in components(app, "overlay_bar")[0]["parts"]]


def chips(app: AppTest) -> list[bytes]:
    return [bytes.fromhex(chip["hex"]) for chip in components(app, "overlay_tokens")[0]["tokens"]]


def remarks(app: AppTest) -> str:
    return "\n".join(components(app, "overlay_bar")[0]["remarks"])


def test_two_vocabularies_are_drawn_as_they_are(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = me(app).add(HOSTILE, SEA).key, me(app).add("story", STORY).key
    laid_over(app, one, other)
    two = overlay(SEA, STORY)
    assert numbers(app) == [len(two.only_a), len(two.shared), len(two.only_b)]
    assert f"2 only in {HOSTILE} (*, <s>)" in remarks(app)
    (picture,) = components(app, "overlay_picture")
    bins = rank_bins(two)
    assert {(row, column): n for column, row, n, _ in picture["bins"]} == {
        place: n for place in zip(*map(list, bins.counts.nonzero()), strict=True) if (n := bins.counts[place])
    }
    assert chips(app) == [SEA.vocab[int(SEA.merge_ids[rank])] for rank in two.ranks[:, 0]]
    moved = most_moved(two, 1).later[0]
    token = int(SEA.merge_ids[moved[0]])
    _, later, _ = components(app, "token_rows")[0]["cards"]
    assert later["groups"][0]["rows"][0]["id"] == token and later["groups"][0]["rows"][0]["strong"] == f"{moved[1]:,}"
    monkeypatch.setattr(overlay_ranks, "widget_value", lambda key: {"asked": {"card": "later", "id": token}})
    overlay_ranks._take_moved(me(app))
    state = me(app).state(VocabularyState)
    assert (state.part, state.of, state.listed.token) == ("one", one, token)
    column, row, n, _ = picture["bins"][-1]
    laid_over(app, one, other, bin=(column, row))
    assert len(chips(app)) == n and components(app, "overlay_picture")[0]["chosen"] == [column, row]
    assert len(chips(laid_over(app, one, other, bin=(99, 99)))) == len(two.ranks)  # of a pair before this one
    laid_over(app, one, other, part="b")
    assert chips(app) == [two.b.tokens[place] for place in two.only_b]
    assert not components(app, "overlay_picture")

    (bar,) = components(app, "overlay_bar")
    assert f"use={me(app).own(one).sha256},{me(app).own(other).sha256}&part=overlay" in bar["query"]
    button(app, "Show all in the list").click().run()
    state, shown = me(app).state(VocabularyState), shown_of(me(app))
    assert (state.part, state.of, state.chosen_in) == ("one", other, "overlay")
    listed = listing(me(app), shown, state.listed)
    assert sentence(listed).startswith(f"{len(two.only_b)} of {STORY.vocab_size} tokens are not in {HOSTILE}")
    assert len(listing(me(app), shown, ListChoice(odd=f"in:{one}")).places) == len(two.shared)
    assert token_set(me(app), shown, "in:nowhere") is None and token_set(me(app), shown, one) is None

    laid_over(app, one, other, part="b")
    button(app, "⇄ Swap").click().run()
    assert me(app).state(VocabularyState).over == OverlayChoice(other, one, "a")
    assert numbers(app) == [len(two.only_b), len(two.shared), len(two.only_a)]
    field(app, "selectbox", "overlay.a").set_value(one).run()
    assert "Both sides show <b>bold" in notes(app) and not components(app, "overlay_bar")

    laid_over(app, one, me(app).add("again", SEA).key)
    assert "have the same 274 tokens, learned in the same order" in app.subheader[0].value.replace("\\", "")
    me(app).text = "b"
    laid_over(app, one, me(app).add("only a", tokviz.Tokenizer("a", [(97, 97)], pattern="a+")).key)
    assert "only a is left out of the overlap by use. The split pattern does not cover the text" in notes(app)
    word_pieces = me(app).add_peer("word_piece", peer("WordPiece")).key
    laid_over(app, word_pieces, one)
    assert "word_piece is WordPiece. Nobody knows its merges" in remarks(app)
    assert not components(app, "overlay_picture") and sum(numbers(app)) > 274
    me(app).drop(one)  # the other one stays
    over = me(app).state(VocabularyState).over
    assert (over.a, over.b) == (word_pieces, "cl100k_base") and numbers(app.run())[2] > 99_000
    me(app).drop(word_pieces)
    assert (state.over.a, state.over.b) == ("o200k_base", "cl100k_base")
    assert numbers(app.run()) == [114_965, 85_033, 15_223]


def test_presses_that_make_no_sense_are_none() -> None:
    assert [pressed_part({"asked": part}) for part in ("a", "shared", "c", 3)] == ["a", "shared", None, None]
    assert pressed_bin({"asked": [True, 1]}) is None and pressed_token({"asked": True}) is None
    assert pressed_token({"asked": 17}) == 17 and pressed_token(None) is None


def test_tables_and_the_chart_have_every_figure() -> None:
    two = overlay(SEA, STORY)
    shared = part_table(two, "shared", ("a", "b"))
    assert shared["rank in a"].isna().sum() == 256
    assert shared.dropna()[["rank in a", "rank in b"]].to_numpy().tolist() == two.ranks.tolist()
    same = part_table(two, "shared", ("a", "a"))
    assert list(same) == [
        "text",
        "bytes",
        "id in a (first)",
        "rank in a (first)",
        "id in a (second)",
        "rank in a (second)",
    ]
    assert len(part_table(two, "a", ("a", "b"))) == len(two.only_a)
    bins = bins_table(rank_bins(two), ("a", "a"))
    assert bins["merges"].sum() == len(two.ranks)
    assert bins["rank in a (first), to"].max() < two.a.merges and bins["rank in a (second), to"].max() < two.b.merges
    rows = overlap_at(two, [257, 280, 300])
    chart = overlaps(rows, [None, 0.5, 0.25], ("a", "b"), "the text")
    assert chart.table["merges in both"].tolist() == [row.shared for row in rows]
    assert pd.isna(chart.table["share of use in common"][0])
    assert "a, " not in chart.title and chart.drawing.to_dict()
    assert overlaps([Overlap(256, 0, 0)], [], ("a", "b"), "").title == "Overlap by vocabulary size"
    assert shares_found([Overlap(300, 0, 5)]) == "No merge is in both"
