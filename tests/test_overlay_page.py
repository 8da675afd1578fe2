"""Two laid over on the Vocabulary page: its numbers and its list are what the domain says, for any two tokenizers."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, button, components, field, me, notes
from tests.peers_cases import peer
from tokviz.comparison.shared_tokens import shared_tokens
from tokviz.ui.frame.address import encode
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.vocabulary.link import link_to_list
from tokviz.ui.vocabulary.listing import listing, sentence
from tokviz.ui.vocabulary.questions import Kept, card
from tokviz.ui.vocabulary.questions import listed as listed_tokens
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


def number(app: AppTest, place: int) -> Any:
    return field(app, "button", f"overlay.number.{place}")


def numbers(app: AppTest) -> list[int]:
    return [int(number(app, place).label.split("**")[1].replace(",", "")) for place in range(3)]


def listed(app: AppTest) -> tuple[str, str]:
    (data,) = components(app, "token_list")
    return data["of"], data["choice"]["odd"]


def test_two_vocabularies_are_counted_and_listed_as_they_are(app: AppTest) -> None:
    one, other = me(app).add(HOSTILE, SEA).key, me(app).add("story", STORY).key
    laid_over(app, one, other)
    two = shared_tokens(SEA, STORY)
    assert numbers(app) == [len(two.only_a), len(two.in_a), len(two.only_b)]
    assert "only in" in number(app, 0).label and "\\*stars\\*" in number(app, 0).label
    state, shown = me(app).state(VocabularyState), {shown.key: shown for shown in at_hand(me(app))}
    assert listed(app) == (one, f"not-in:{other}") == (state.over.of, state.over.listed.odd)
    pressed = []
    for place, ids, of in ((1, two.in_a, one), (2, two.only_b, other), (0, two.only_a, one)):
        number(app, place).click().run()
        assert listed(app)[0] == of
        found = listing(me(app), shown[of], state.over.listed)
        assert found.table.ids[found.places].tolist() == ids.tolist()
        pressed.append(sentence(found))
    assert pressed[0].startswith(f"{len(two.in_a)} of {len(SEA.vocab)} tokens are also in story")
    assert pressed[1].startswith(f"{len(two.only_b)} of {len(STORY.vocab)} tokens are not in {HOSTILE}")

    # what the list asks is kept for this part alone, and another press lists the set again
    everything = ListChoice()
    listed_tokens(me(app), Kept(), one, everything, None)
    card(me(app), one, 260, pinned=True)
    assert state.over.listed == ListChoice(token=260) and state.listed == everything and state.of != one
    assert listed(number(app, 0).click().run()) == (one, f"not-in:{other}")
    card(me(app), other, 261, pinned=True)  # of the one that is not listed
    assert state.over.listed.token is None
    assert token_set(me(app), shown[one], "in:nowhere") is None and token_set(me(app), shown[one], one) is None

    button(app, "⇄ Swap").click().run()
    assert numbers(app) == [len(two.only_b), len(two.in_a), len(two.only_a)]
    assert listed(app) == (other, f"not-in:{one}")
    field(app, "selectbox", "overlay.a").set_value(one).run()
    assert "Both sides show <b>bold" in notes(app) and not components(app, "token_list")
    again = me(app).add("again", SEA).key
    laid_over(app, one, again)
    assert "have the same 274 tokens" in app.subheader[0].value.replace("\\", "")
    assert [number(app, place).disabled for place in range(3)] == [True, False, True]
    assert listed(app) == (one, f"in:{again}")  # all others are empty


def test_the_other_tokenizer_may_be_a_peer_and_go(app: AppTest) -> None:
    one, words = me(app).add("sea", SEA).key, me(app).add_peer("word_piece", peer("WordPiece")).key
    laid_over(app, words, one)
    two = shared_tokens(peer("WordPiece"), SEA)
    assert numbers(app) == [len(two.only_a), len(two.in_a), len(two.only_b)] and listed(app)[0] == words
    me(app).drop(one)  # the other one stays
    over = me(app).state(VocabularyState).over
    assert (over.a, over.b) == (words, "cl100k_base") and numbers(app.run())[2] > 99_000
    me(app).drop(words)
    over = me(app).state(VocabularyState).over
    assert (over.a, over.b) == ("o200k_base", "cl100k_base")
    assert numbers(app.run()) == [114_965, 85_033, 15_223]


def test_links_open_the_two_and_the_list(app: AppTest) -> None:
    app.query_params.update({"v": "1", "part": "overlay", "use": "cl100k_base,gpt2"})  # as those of 0.1.0
    assert listed(at(app, "vocabulary")) == ("cl100k_base", "not-in:gpt2") and not notes(app)

    state, visitor = me(app).state(VocabularyState), me(app)
    shown = next(shown for shown in at_hand(visitor) if shown.key == "gpt2")
    said = encode(link_to_list(visitor, shown, ListChoice("x", odd="not-in:cl100k_base", token=87)))
    assert "use=gpt2,cl100k_base" in said and "part=overlay" in said
    state.over, state.part = OverlayChoice(), "one"
    app.query_params.clear()
    app.query_params.update(parse_qsl(said))
    (data,) = components(at(app, "vocabulary"), "token_list")
    assert (data["of"], data["choice"]["odd"], data["choice"]["search"], data["token"]) == (
        "gpt2",
        "not-in:cl100k_base",
        "x",
        87,
    )
    assert (state.part, state.over.a, state.over.b) == ("overlay", "gpt2", "cl100k_base")
