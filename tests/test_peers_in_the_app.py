"""Peers in the app: on Tokens and Compare, on no page that needs merges, and what a visitor keeps of them."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, blocks, components, notes, open_files, type_on_tokens
from tests.peers_cases import FILES, file_of, peer
from tests.waiting import run_until
from tokviz.base.errors import SettingError
from tokviz.cost.figures import tally
from tokviz.ui.compare.state import TABS, CompareState, Folds
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.replay.playing import choices
from tokviz.ui.server.sizes import A_TOKEN_OF_PEER, size
from tokviz.ui.server.visitor import OWN_SERIES, Visitor
from tokviz.ui.tokens.state import TokensState

__all__ = ["app"]

KINDS = ["WordPiece", "SentencePiece BPE with byte fallback"]


def captions(app: AppTest) -> str:
    return "\n".join(caption.value for caption in app.caption).replace("\\", "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_peer_is_on_tokens_and_compare(app: AppTest, kind: str) -> None:
    open_files(app, file_of(kind))
    title = file_of(kind)[0].rpartition(".")[0]
    type_on_tokens(at(app, "tokens"), "☃ The ﬁrst sat.")
    (bench,) = components(app, "workbench")
    block = next(block for block in bench["blocks"] if block["name"] == title)
    assert block["kind"] == kind and block["merges"] == 0 and block["badge"] is None
    assert [remark for remark in block["remarks"] if remark.startswith((title, "1 of the"))]
    at(app, "compare")
    (bench,) = components(app, "compare")
    assert title in [block["name"] for block in bench["blocks"]]
    for tab in TABS:
        state = app.session_state["tokviz.visitor"].state(CompareState)
        app.session_state["compare.tab"] = state.tab = tab
        state.folds = Folds(expensive=True, trained_on=True)
        app.run()
        assert not app.exception and not app.error
        if tab == "Vocabulary size":
            assert f"because no merges of {title} are known" in captions(app)
        if tab == "Figures":
            run_until(app, lambda app: not any(button.label == "Cancel" for button in app.button))
            assert "The chunks with the most tokens" in [table["label"] for table in blocks(app, "table")]
    for page in ("replay", "train", "library"):
        assert not at(app, page).exception and not app.error


def test_a_peer_that_gives_a_text_no_tokens_is_left_out_of_the_languages(app: AppTest) -> None:
    words = {"type": "WordLevel", "vocab": {"a": 0, "?": 1}, "unk_token": "?"}
    nothing = {"type": "Replace", "pattern": {"Regex": r"[\s\S]"}, "content": ""}
    open_files(app, ("mute.json", json.dumps({"model": words, "normalizer": nothing}).encode()))
    app.session_state["tokviz.visitor"].state(CompareState).tab = "Languages"
    assert not at(app, "compare").exception
    assert "mute is left out of the languages. It gives the text in English no tokens." in notes(app)


def test_a_peer_that_does_not_know_a_language_is_left_out_of_the_languages(app: AppTest) -> None:
    """One unknown token stands for a whole word, so the languages that it knows least would need the fewest."""
    open_files(app, file_of("WordPiece"))
    app.session_state["tokviz.visitor"].state(CompareState).tab = "Languages"
    assert not at(app, "compare").exception
    assert re.search(r"word_piece is left out of the languages\. In \w+, [\d.]+.% of its tokens say only", notes(app))


def test_a_visitor_keeps_peers_beside_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    me, tok = Visitor(), peer("WordPiece")
    assert me.state(TokensState).chosen
    mine = me.add("mine", tokviz.Tokenizer("mine", []))
    others = [me.add_peer(f"peer {number}", tok) for number in range(me.room)]
    assert me.room == 0 and {one.series for one in me.tokenizers} == set(OWN_SERIES)
    with pytest.raises(SettingError, match="You have 5 tokenizers"):
        me.add_peer("one more", tok)
    assert me.current == mine.key and mine.key in choices(me) and others[0].key not in choices(me)
    for state in (TokensState, CompareState):
        assert {one.key for one in me.tokenizers} <= set(me.state(state).chosen)
    assert others[0] in me.tokenizers and others[0].sha256 == tok.sha256
    shown = next(shown for shown in at_hand(me) if shown.key == others[0].key)
    assert shown.tokenizer is tok
    me.drop(others[0].key)
    assert me.room == 1 and others[0].key not in me.state(TokensState).chosen


@pytest.mark.parametrize("kind", FILES)
def test_a_peer_counts_with_what_its_package_keeps(kind: str) -> None:
    tok = peer(kind)
    assert size(tok) >= A_TOKEN_OF_PEER * len(tok.vocab)
    assert tally(tok.explain("The cat sat.")).tokens == len(tok.encode("The cat sat."))
