"""Replay without a browser: what it sends, what it says about a step, what it answers, and whose place wins."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests import asking
from tests.benchmarks.corpora import english_and_code
from tests.pages import notes
from tests.waiting import PATIENCE_S
from tokviz.base.errors import InputError, TokvizError
from tokviz.catalog.samples import sample
from tokviz.offline.data import data_of
from tokviz.offline.replay import OWN_TEXT_LIMIT, Playing
from tokviz.training.train import Training
from tokviz.training.why import why_this_pair
from tokviz.ui.frame.address import Link, encode
from tokviz.ui.frame.links import Arrived
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.place import follow_link, link_to_place
from tokviz.ui.replay.playing import playing
from tokviz.ui.replay.questions import own_text
from tokviz.ui.replay.state import ReplayPlace, ReplayState
from tokviz.ui.server.visitor import SAMPLE, Visitor

ROOT = Path(__file__).parents[1]
TEXTS = st.text("abc ", max_size=60) | st.text("ab aaa\n", max_size=60)


def trained(text: str, merges: int = 20, **settings: Any) -> Training:
    return tokviz.train(text, 256 + merges, **settings)


# -- what is sent --


def test_five_thousand_merges_come_in_less_than_80_kb() -> None:
    training = trained(english_and_code(600_000), 5_000)
    assert len(training.merges) == 5_000
    data = Playing("mine1", training.tokenizer, training, "manual").data({"start": 0, "length": 2_000})
    assert len(json.dumps(data).encode()) < 80_000


# -- where a merge fires --


@settings(deadline=None)
@given(TEXTS, st.integers(0, 11), st.integers(0, 60))
def test_where_a_merge_fires_next(text: str, k: int, after: int) -> None:
    training = trained(text, 12, special_tokens=["<|a|>"])
    shown = Playing(None, training.tokenizer, training, "")
    seams = training.window(0, len(text.encode())).seams
    starts = np.flatnonzero(seams == tokviz.tokenizer.encoding.SPLIT)
    firsts = [
        next(int(i) for i in range(start, end) if seams[i] == k)
        for start, end in pairwise([*starts.tolist(), len(seams)])
        if k in seams[start:end]
    ]
    later = [place for place in firsts if place >= after]
    assert shown.fires_next(k, after) == (later[0] if later else firsts[0] if firsts else None)


def test_without_its_corpus_it_plays_over_the_text_in_hand() -> None:
    tokenizer = trained("she sells sea shells").tokenizer
    shown = Playing("mine1", tokenizer, None, "shells", "sea sea sea")
    assert (shown.n_bytes, shown.tokens_before, shown.reach) == (20, 20, 11)
    assert shown.window(4, 100)["text"] == " sea sea"
    rank = next(record.rank for record in tokenizer.history or () if tokenizer.vocab[record.id] == b" se")
    assert [shown.fires_next(rank, after) for after in (0, 5, 9, 10)] == [5, 5, 9, 5]


# -- what it answers --


@pytest.fixture
def reader() -> Visitor:
    """A visitor with a training of their own, with the key mine1."""
    reader = Visitor()
    reader.add("mine", trained(sample("story").text).tokenizer, trained(sample("story").text), corpus_name="Story")
    return reader


def ask(me: Visitor, name: str, of: str | None = "mine1", **fields: Any) -> Any:
    return asking.ask(me, f"replay.{name}", of=of, **fields)


def test_questions_are_about_what_plays(reader: Visitor) -> None:
    training = reader.trained[0].training
    assert training is not None
    assert ask(reader, "why", step=3)["blocks"] == data_of(why_this_pair(training, 3))
    told = ask(reader, "window", start=100, length=500)
    assert told["text"].encode() == training.window(100, 500).data
    told = ask(reader, "fires", rank=19, after=1_000, length=500)
    assert 19 in np.frombuffer(base64.b64decode(told["seams"]), "<i4")
    shown = playing(reader, None)
    assert shown and shown.training
    assert ask(reader, "why", of=None, step=0)["blocks"] == data_of(why_this_pair(shown.training, 0))


def test_the_own_text_is_kept_and_told_again(reader: Visitor) -> None:
    told = ask(reader, "text", text="the <b>story</b> 👩‍👧 \ud83d")
    assert told["text"] == reader.state(ReplayState).text == "the <b>story</b> 👩‍👧 \ufffd"
    seams = np.frombuffer(base64.b64decode(told["seams"]), "<i4")
    assert seams.tolist() == reader.trained[0].tokenizer.explain(reader.state(ReplayState).text).seams.tolist()
    assert ask(reader, "text", of=None, text=None)["text"] == reader.state(ReplayState).text
    with pytest.raises(InputError, match="4,000 bytes"):
        ask(reader, "text", of=None, text="x" * (OWN_TEXT_LIMIT + 1))
    assert reader.state(ReplayState).text.startswith("the ")


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("why", {"of": "mine9", "step": 0}, "no longer"),
        ("why", {"step": 21}, "no step 21"),
        ("why", {"step": -(2**70)}, "no step"),
        ("window", {"start": 2**70, "length": 7}, "500, 1,000"),
        ("fires", {"rank": 2**70, "after": -(2**70), "length": 500}, "nowhere"),
    ],
)
def test_what_cannot_be_answered_is_said(reader: Visitor, name: str, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(TokvizError, match=said):
        ask(reader, name, **fields)


# -- whose place wins --


def place(app: AppTest) -> dict[str, Any]:
    """The place in the player's data, after this run."""
    return dict(json.loads(player(app).json)[0]["place"])


def player(app: AppTest) -> Any:
    (found,) = [e.proto for e in app.get("bidi_component") if e.proto.component_name == "tokviz_replay"]
    return found


def tell(app: AppTest, **moved: Any) -> AppTest:
    """What the browser does when the reader has come to rest."""
    data = json.loads(player(app).json)[0]
    about = {name: moved.pop(name, now) for name, now in (("id", data["id"]), ("stamp", data["place"]["stamp"]))}
    told = {**about, "place": {**data["place"], **moved}}
    app.session_state["replay.player"] = {"place": told}
    return app.run()


@pytest.fixture
def app() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run()
    return app.switch_page("pages/replay.py").run()


def visitor_of(app: AppTest) -> Visitor:
    person: Visitor = app.session_state["tokviz.visitor"]
    return person


def test_a_rest_of_the_player_is_heard_and_sends_nothing(app: AppTest) -> None:
    before = player(app).json
    tell(app, step=7, presenting=True, predicting=True)
    there = visitor_of(app).state(ReplayState).place
    assert (there.step, there.presenting, there.predicting) == (7, True, True)
    assert player(app).json == before
    app.session_state["replay.what_if"] = True
    app.run()
    assert not any(button.key == "what_if.train" for button in app.button), "it would show the merge to come"
    assert player(app.run()).json == before


def test_a_place_that_the_player_did_not_tell_is_sent_under_a_new_stamp(app: AppTest) -> None:
    first = place(app)
    tell(app, step=7)
    state = visitor_of(app).state(ReplayState)
    state.move(replace(state.place, step=3))
    moved = place(app.run())
    assert (moved["step"], moved["stamp"]) == (3, first["stamp"] + 1)
    tell(app, step=4)
    assert (place(app), state.place.step) == (moved, 4), "what the browser said before that is not heard again"
    app.switch_page("pages/library.py").run().switch_page("pages/replay.py").run()
    assert place(app)["step"] == 4, "the player comes back where the reader left it"


@pytest.mark.parametrize(
    "moved",
    [{"stamp": 99}, {"id": "other"}, {"step": -1}, {"step": "x"}, {"length": 7}, {"start": None}, {"presenting": 1}],
)
def test_a_place_that_cannot_be_meant_is_not_heard(app: AppTest, moved: dict[str, Any]) -> None:
    before = player(app).json
    tell(app, **{"step": 9, **moved})
    assert visitor_of(app).state(ReplayState).place.step == 0
    assert player(app).json == before
    assert not app.exception


def test_another_tokenizer_begins_at_its_beginning(app: AppTest) -> None:
    tell(app, step=7)
    training = trained(sample("story").text)
    visitor_of(app).add("story", training.tokenizer, training, corpus_name="Story")
    assert place(app.run())["step"] == 0
    assert visitor_of(app).state(ReplayState).place.step == 0
    tell(app, step=5)
    visitor_of(app).drop("mine1")
    assert place(app.run())["step"] == 0


# -- links --


def test_a_link_with_a_long_sample_leaves_the_own_text(app: AppTest) -> None:
    me = visitor_of(app)
    me.state(ReplayState).text = "mine"
    follow_link(me, Arrived(Link(ReplayLink(), text=sample("story").text, tokenizers=("gpt2",)), {"gpt2": "gpt2"}))
    assert me.plays == "gpt2"
    assert own_text(me, Playing(None, tokviz.reference("gpt2"), None, ""), None)["text"] == "mine"


@pytest.mark.right
def test_a_link_leaves_the_switch_predict_first_on(app: AppTest) -> None:
    me = visitor_of(app)
    me.state(ReplayState).place = ReplayPlace(predicting=True)
    follow_link(me, Arrived(Link(ReplayLink(presenting=True)), {}))
    assert place(app.run())["predicting"]


def test_a_link_opens_the_same_step_window_and_text(app: AppTest) -> None:
    shown = playing(visitor_of(app), None)
    assert shown is not None
    person = visitor_of(app)
    person.state(ReplayState).text = "my <b>own</b> text"
    link = link_to_place(person, shown, ReplayLink(12, 40, 500, presenting=True))
    fresh = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)
    fresh.run().query_params.update(dict(parse_qsl(encode(link))))
    fresh.switch_page("pages/replay.py").run()
    opened = place(fresh)
    assert (opened["step"], opened["start"], opened["length"], opened["presenting"]) == (12, 40, 500, True)
    assert visitor_of(fresh).state(ReplayState).text == "my <b>own</b> text"
    tell(fresh, step=3)
    assert visitor_of(fresh).state(ReplayState).place.step == 3, "a link is applied once"


def test_a_link_leads_to_an_own_tokenizer_or_says_that_it_is_not_here(app: AppTest) -> None:
    person, training = visitor_of(app), trained(sample("story").text)
    person.add("story", training.tokenizer, training, corpus_name="Story")
    shown = playing(person, "mine1")
    assert shown is not None
    there = ReplayLink(5, 0, 2_000)
    links = [encode(link_to_place(person, shown, replace(there, step=step))) for step in (5, 6)]
    person.plays = SAMPLE
    app.query_params.update(dict(parse_qsl(links[0])))
    assert json.loads(player(app.run()).json)[0]["of"] == "mine1"
    assert place(app)["step"] == 5
    person.drop("mine1")
    app.query_params.update(dict(parse_qsl(links[1])))
    app.run()
    assert "not here" in notes(app)
