"""Two vocabularies on the Vocabulary page: its numbers and lists are what the domain says, for any two tokenizers."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, blocks, button, components, field, me, notes, words
from tests.peers_cases import peer
from tokviz.comparison.shared_tokens import shared_tokens
from tokviz.ui.frame.address import encode
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.kit.blocks import Press
from tokviz.ui.vocabulary.link import link_to_list
from tokviz.ui.vocabulary.listing import listing, sentence
from tokviz.ui.vocabulary.odd import follow
from tokviz.ui.vocabulary.overlay import lists_of
from tokviz.ui.vocabulary.state import ListChoice, OverlayChoice, VocabularyState
from tokviz.ui.vocabulary.token_sets import token_set

__all__ = ["app"]  # a fixture

HOSTILE = "<b>bold</b> *stars* :red[x]"
SEA = tokviz.train("she sells sea shells by the sea shore " * 3, 300, special_tokens=["<s>", "*"]).tokenizer
STORY = tokviz.train("the cat and the hen sat by the sea shore, and she sat there " * 3, 290).tokenizer


def laid_over(app: AppTest, a: str, b: str) -> AppTest:
    state = me(app).state(VocabularyState)
    state.part, state.over = "overlay", OverlayChoice(a, b)
    at(app, "vocabulary")
    assert not app.exception and not app.error
    return app


def cards(app: AppTest) -> list[list[dict[str, Any]]]:
    """The blocks of each card. The first is its title."""
    return [card["blocks"] for card in blocks(app, "group") if card["across"] == 1]


def title_of(card: list[dict[str, Any]]) -> str:
    return words(card[0]["cells"])


def numbers(app: AppTest) -> list[int]:
    return [int(title_of(card).split()[0].replace(",", "")) for card in cards(app)]


def listed(app: AppTest) -> dict[str, Any]:
    (data,) = components(app, "token_list")
    return data


def test_two_vocabularies_are_counted_and_listed_as_they_are(app: AppTest) -> None:
    one, other = me(app).add(HOSTILE, SEA).key, me(app).add("story", STORY).key
    laid_over(app, one, other)
    two = shared_tokens(SEA, STORY)
    assert numbers(app) == [len(two.only_a), len(two.in_a), len(two.only_b)]
    assert HOSTILE in title_of(cards(app)[0])
    state, shown = me(app).state(VocabularyState), {shown.key: shown for shown in at_hand(me(app))}
    said = []
    parts = [("a", two.only_a, one), ("both", two.in_a, one), ("b", two.only_b, other)]
    for i, (name, ids, of) in enumerate(parts):
        row = next(block["rows"] for block in cards(app)[i] if "rows" in block)[-1][0]["value"]
        follow(state, lists_of(one, other), Press(name, row))
        app.run()
        assert (listed(app)["of"], listed(app)["token"], row in ids.tolist()) == (of, row, True)
        found = listing(me(app), shown[of], state.listed)
        assert found.table.ids[found.places].tolist() == ids.tolist()
        said.append(" ".join(sentence(found)))
        button(app, "‹ Back to Two vocabularies").click().run()
    assert said[1] == f"{len(two.in_a)} of {len(SEA.vocab) - 2} tokens are also in story"
    assert said[2] == f"{len(two.only_b)} of {len(STORY.vocab)} tokens are not in {HOSTILE}"
    assert token_set(me(app), shown[one], "in:nowhere") is None and token_set(me(app), shown[one], one) is None

    button(app, "⇄ Swap").click().run()
    assert numbers(app) == [len(two.only_b), len(two.in_a), len(two.only_a)]
    field(app, "selectbox", "overlay.a").set_value(one).run()
    assert "Both sides show <b>bold" in notes(app) and not cards(app)
    laid_over(app, one, me(app).add("again", SEA).key)
    assert "have the same 274 tokens" in app.subheader[0].value.replace("\\", "")
    assert [any("rows" in block for block in card) for card in cards(app)] == [False, True, False]


def test_the_other_tokenizer_may_be_a_peer_and_go(app: AppTest) -> None:
    one, pieces = me(app).add("sea", SEA).key, me(app).add_peer("word_piece", peer("WordPiece")).key
    laid_over(app, pieces, one)
    two = shared_tokens(peer("WordPiece"), SEA)
    assert numbers(app) == [len(two.only_a), len(two.in_a), len(two.only_b)]
    me(app).drop(pieces)
    assert me(app).state(VocabularyState).over == OverlayChoice()
    assert numbers(app.run()) == [15_223, 85_033, 114_965]


def test_links_open_the_two_and_the_list(app: AppTest) -> None:
    state, visitor = me(app).state(VocabularyState), me(app)
    app.query_params.update({"v": "1", "part": "overlay", "use": "cl100k_base,gpt2"})
    at(app, "vocabulary")
    assert (state.part, state.over) == ("overlay", OverlayChoice("cl100k_base", "gpt2")) and not notes(app)

    shown = next(shown for shown in at_hand(visitor) if shown.key == "gpt2")
    said = encode(link_to_list(visitor, shown, ListChoice("x", odd="not-in:cl100k_base", token=87)))
    assert "use=gpt2,cl100k_base" in said
    for query in (said, f"{said}&part=overlay"):  # as those of 0.1.0
        state.over, state.part, state.listed = OverlayChoice(), "one", ListChoice()
        app.query_params.clear()
        app.query_params.update(parse_qsl(query))
        data = listed(at(app, "vocabulary"))
        choice = data["choice"]
        assert (data["of"], choice["odd"], choice["search"], data["token"]) == ("gpt2", "not-in:cl100k_base", "x", 87)
    assert (state.over, state.chosen_in) == (OverlayChoice("gpt2", "cl100k_base"), "overlay")
