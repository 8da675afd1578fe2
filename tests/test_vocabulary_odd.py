"""The part "Rarely trained" of the Vocabulary page: its cards, and where a press leads."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app as app
from tests.pages import at, blocks, me, notes, words
from tests.peers_cases import peer
from tokviz.ui.kit.blocks import Press
from tokviz.ui.vocabulary.odd import follow
from tokviz.ui.vocabulary.odd_kinds import residues_of
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.ui.vocabulary.use import shown_of

TEXT = "the quick queen quietly quit the quiz; THE <b>QUEEN</b> 👍 " * 3


def cards(app: AppTest) -> dict[str, list[dict[str, Any]]]:
    """The title of each card, and its other blocks."""
    found = [card["blocks"] for card in blocks(app, "group") if card["across"] == 1]
    return {card[0]["cells"][0]: card[1:] for card in found}


def test_the_cards_of_odd_tokens_and_where_a_press_leads(app: AppTest) -> None:
    visitor, state = me(app), me(app).state(VocabularyState)
    training = tokviz.train(TEXT, vocab_size=286)
    visitor.add("<b>mine</b>", training.tokenizer, training, corpus_name="corpus.txt")
    state.part = "odd"
    shown_cards = cards(at(app, "vocabulary"))
    unused, residues = [*shown_cards][:2]
    assert unused == "228 of 286 tokens are never used in the corpus “corpus.txt”"
    assert len(shown_cards) == 6
    first = residues_of(visitor, shown_of(visitor))[0]
    token, told = shown_cards[residues][1]["rows"][0]
    assert (token["value"], [*map(words, told)]) == (first.id, [f"{first.made} made,", "0 remain"])

    follow(state, {"unused": ("mine", "unused")}, Press("unused", first.id))
    listed = ListChoice(odd="unused", token=first.id)
    assert (state.chosen_in, state.part, state.of, state.listed) == ("odd", "one", "mine", listed)


def test_odd_tokens_of_a_reference_tokenizer_and_of_a_peer(app: AppTest) -> None:
    visitor, state = me(app), me(app).state(VocabularyState)
    state.part, state.of = "odd", "gpt2"
    found = cards(at(app, "vocabulary"))
    assert {"No token with a text of its own is unreachable", "344 tokens are incomplete UTF-8"} <= {*found}
    state.of = visitor.add_peer("words", peer("WordPiece")).key
    peers = cards(app.run())
    assert len(peers) == 3
    assert "tokens are equal to others, or differ from them only in case" in [*peers][2]
    covering = tokviz.train("so so", vocab_size=257, pattern="[a-z ]+")
    visitor.text = ""
    assert "No token is used in your text" in cards(app.run())
    visitor.text = "SO"
    visitor.add("gap", covering.tokenizer, None, corpus_name="")
    assert "does not cover" in notes(app.run())
    faults = cards(app)
    assert len(faults) == 4
    assert "does not cover" in str(faults["It is not known which tokens are unreachable"])
    words, tokens, _ = faults["128 tokens are incomplete UTF-8"]  # which needs no encoding
    assert "does not cover" in str(words) and tokens["rows"]
