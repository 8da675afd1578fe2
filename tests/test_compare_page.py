"""The Compare page under AppTest, round the ruler: a place is kept and goes into a link, and bad input is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import (
    app,
    at,
    components,
    edit_on_compare,
    notes,
    open_files,
    open_saved,
    type_on_tokens,
    without_charts,
)
from tests.test_ruler import LONG, MARKED, THREE, ask, regions, ruler
from tests.waiting import PATIENCE_S
from tokviz.catalog import saved
from tokviz.catalog.samples import sample
from tokviz.formats.tokviz import dump
from tokviz.ui.compare import ruler as boundaries
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.address import decode
from tokviz.ui.frame.tokenizers import at_hand
from tokviz.ui.server import limits

__all__ = ["app"]

ROOT = Path(__file__).parents[1]


# -- where one is, is kept --


def rest(app: AppTest, **place: object) -> dict[str, Any]:
    """What the ruler's script tells when one came to rest on a disagreement, and stays the component's value."""
    app.session_state[boundaries.RULER] = {"asked": None, "place": place}
    app.run()
    return ruler(app)


def reloaded(app: AppTest, page: str = "compare") -> AppTest:
    """A new session of the same visitor."""
    new = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)
    new.session_state["tokviz.visitor"] = app.session_state["tokviz.visitor"]
    return at(new.run(), page)


def test_a_reload_keeps_the_place_and_the_pair(app: AppTest) -> None:
    without_charts(app)
    type_on_tokens(app, LONG)
    at(app, "compare")
    data = ask(app, what="place", at=9_000)
    third = regions(data)[2][0]
    assert rest(app, turn=data["turn"], region=third, pair=["o200k_base", "cl100k_base"]) == data, "it is sent nothing"
    again = ruler(reloaded(app))
    assert (again["start"], again["select"], again["pair"]) == (data["start"], third, ["o200k_base", "cl100k_base"])
    assert regions(again) == regions(data)


def test_coming_back_from_another_page_is_to_the_same_place(app: AppTest) -> None:
    without_charts(app)
    type_on_tokens(app, MARKED)
    data = ruler(at(app, "compare"))
    last = regions(data)[-1][0]
    rest(app, turn=data["turn"], region=last, pair=["gpt2", "o200k_base"])
    at(app, "tokens")
    assert ruler(at(app, "compare"))["select"] == last
    type_on_tokens(at(app, "tokens"), "other words, 2008")
    assert ruler(at(app, "compare"))["select"] is None, "that was a place of another text"


def test_a_place_that_makes_no_sense_or_was_drawn_before_is_not_heard(app: AppTest) -> None:
    without_charts(app)
    data = ruler(at(app, "compare"))
    assert data["turn"] == 1
    for told in (
        3,
        {},
        {"turn": -1, "region": 3, "pair": ["gpt2", "o200k_base"]},
        {"turn": 1, "region": "3", "pair": ["gpt2", "o200k_base"]},
        {"turn": 1, "region": 3, "pair": None},
        {"turn": 1, "region": 3, "pair": ["gpt2"]},
    ):
        app.session_state[boundaries.RULER] = {"asked": None, "place": told}
        assert ruler(app.run()) == data, told
        assert app.session_state["tokviz.visitor"].state(CompareState).ruler.region is None, told


# -- links --


def opened(app: AppTest, query: str) -> AppTest:
    """Another visitor who comes by a link."""
    new = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)
    new = new.run().switch_page("pages/compare.py")
    for name, value in parse_qsl(query, keep_blank_values=True):
        new.query_params[name] = value
    return new.run()


@pytest.mark.parametrize("text", [MARKED, LONG[:3_900], sample("story").text])
def test_a_link_opens_the_page_as_it_stands(app: AppTest, text: str) -> None:
    without_charts(app)
    saved.save(tokviz.train(LONG, 300, special_tokens=["2008"], name="own").tokenizer, "own")
    open_saved(app, "own")
    type_on_tokens(at(app, "tokens"), text)
    at(app, "compare")
    app.button_group[0].set_value(["mine1", "gpt2", "o200k_base"]).run()
    ask(app, what="specials", at=0, name="special")
    data = ask(app, what="place", at=len(text) // 2)
    region = regions(data)[1][0]
    rest(app, turn=data["turn"], region=region, pair=["mine1", "gpt2"])
    app.session_state["compare.tab"] = app.session_state["tokviz.visitor"].state(CompareState).tab = "Languages"
    data = ruler(app.run())
    assert data["link"]["places"] is True
    assert data["link"]["left_out"] == ""

    query = f"{data['link']['query']}&region={region}&pair=0,1"  # as the browser puts them in
    link, faults = decode(query, CompareLink)
    assert (faults, link.page.pair, link.page.tab) == ([], link.tokenizers[:2], "languages")
    me = app.session_state["tokviz.visitor"]
    chosen = [shown for shown in at_hand(me) if shown.key in me.state(CompareState).chosen]
    assert boundaries.link_to_comparison(me, chosen) == link
    new = opened(app, query)
    assert notes(new) == ""
    again = ruler(new)
    assert {**again, "turn": 0, "select": 0, "pair": 0} == {**data, "turn": 0, "select": 0, "pair": 0}
    assert (again["select"], again["pair"]) == (region, ["mine1", "gpt2"])
    assert not new.query_params
    edit_on_compare(new, "typed after it, 2008")
    for name, value in parse_qsl(query):
        new.query_params[name] = value  # the browser's Back
    assert ruler(new.run())["text"] == "typed after it, 2008"


def test_of_a_text_too_long_for_a_link_no_place_goes_along(app: AppTest) -> None:
    without_charts(app)
    type_on_tokens(app, LONG)
    at(app, "compare")
    link = ask(app, what="place", at=9_000)["link"]
    assert (link["places"], decode(link["query"], CompareLink)[0].page.start) == (False, None)
    assert "The link does not contain the text: it has" in link["left_out"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("use=gpt2,cl100k_base&text=In+2008&region=70", "The place of the link, byte 70, is not in the text"),
        ("use=gpt2,cl100k_base&text=In+2008&start=7", "The place of the link, byte 7, is not in the text"),
        ("use=gpt2,<b>,cl100k_base&text=In+2008&out=0", "All of them are compared; choose fewer above."),
        ("use=gpt2,cl100k_base&text=In+2008&tab=report", "There is no tab “report” here"),
        ("use=gpt2,cl100k_base&text=In+2008&tab=x&pair=0,9", "The pair “0,9” of the link makes no sense"),
    ],
)
def test_a_damaged_link_shows_what_could_be_read(app: AppTest, query: str, said: str) -> None:
    new = opened(app, query)
    data = ruler(new)
    assert said in notes(new)
    assert (data["text"], [row["key"] for row in data["rows"]]) == ("In 2008", ["gpt2", "cl100k_base"])
    assert (data["start"], data["select"]) == (0, None)
    assert not new.exception


# -- bad input: each says so, and keeps the rest --


def test_the_empty_text_one_tokenizer_and_none(app: AppTest) -> None:
    type_on_tokens(app, "")
    data = ruler(at(app, "compare"))
    assert (data["text"], data["total"], len(data["rows"])) == ("", 0, 3)
    edit_on_compare(app, "one two")
    app.button_group[0].set_value(["gpt2"]).run()
    data = ruler(app)
    assert (data["total"], [row["key"] for row in data["rows"]]) == (0, ["gpt2"])
    app.button_group[0].set_value([]).run()
    assert not components(app, "ruler")
    assert "Choose tokenizers above" in app.info[0].value
    assert not app.exception
    assert notes(app) == ""


def test_of_a_text_over_the_limit_the_beginning_is_compared_and_all_is_kept(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "TEXT_UNITS", 10_000)
    text = "👍" * 5_000 + "x"  # in UTF-16, as browsers count, one too many
    edit_on_compare(app, text)
    assert "This text has 5,001 characters. The first 5,000 are compared here" in notes(app)
    assert ruler(app)["size"] == len(text.encode()) - 1
    assert app.text_area[0].value == text
    edit_on_compare(app, "short again")
    assert notes(app) == ""
    assert ruler(app)["text"] == "short again"


def test_a_long_name_is_cut_in_its_pill(app: AppTest) -> None:
    name = "shells by the *sea* shore, " * 3
    open_files(app, ("m.json", dump(tokviz.train("she sells sea shells", 270, name=name).tokenizer)))
    (pills,) = at(app, "compare").get("button_group")
    assert pills.proto.options[0].content.replace("\\", "") == f":blue[●] {name[:31]}…"


def test_a_pattern_that_cannot_cut_the_text_leaves_its_tokenizer_out(app: AppTest) -> None:
    model = tokviz.train("one two", 258, pattern=r"\w+| ", name="words").tokenizer
    open_files(app, ("words.json", dump(model)))
    type_on_tokens(at(app, "tokens"), "one-two")
    data = ruler(at(app, "compare"))
    assert [row["key"] for row in data["rows"]] == list(THREE)
    assert "words is left out." in notes(app)
    assert "does not cover the text" in notes(app)
    edit_on_compare(app, "one two")
    assert notes(app) == ""
    assert len(ruler(app)["rows"]) == 4


def test_where_a_tokenizer_is_gone_the_others_stay(app: AppTest) -> None:
    model = tokviz.train("one two", 258, name="fleeting").tokenizer
    open_files(app, ("fleeting.json", dump(model)))
    at(app, "compare")
    me = app.session_state["tokviz.visitor"]
    assert len(ruler(app)["rows"]) == 4
    me.drop(me.trained[0].key)
    assert [row["key"] for row in ruler(app.run())["rows"]] == list(THREE)


def test_a_text_with_carriage_returns_is_not_changed_by_looking(app: AppTest) -> None:
    type_on_tokens(app, "one\r\ntwo")
    at(app, "compare")
    app.session_state["compare.edit"] = True
    assert app.run().text_area[0].disabled
    assert ruler(app)["text"] == "one\r\ntwo"
