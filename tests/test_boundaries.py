"""Compare's upper part under AppTest: what the ruler is sent, what it asks for, and what bad input comes to."""

from __future__ import annotations

import base64
from itertools import permutations
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.test_comparison import CASES, Case, spans
from tests.test_pages import at, button, components, edit_on_compare, notes, type_on_tokens, upload
from tests.waiting import PATIENCE_S
from tokviz import library
from tokviz.formats.tokviz import dump
from tokviz.livetext import TEXT_LIMIT
from tokviz.samples import sample
from tokviz.ui.address import decode
from tokviz.ui.compare import ruler as boundaries
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.compare.state import CompareState
from tokviz.ui.components.ruler import Row, RulerRequest, ruler_data, ruler_request
from tokviz.ui.tokenizers import at_hand
from tokviz.ui.visitors.holdings import Lost

ROOT = Path(__file__).parents[1]
LONG = sample("story").text + sample("code").text
THREE = ("gpt2", "cl100k_base", "o200k_base")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run()


def ruler(app: AppTest) -> dict[str, Any]:
    (data,) = components(app, "ruler")
    return data


def ask(app: AppTest, **what: object) -> dict[str, Any]:
    """What the ruler's script does when another part of the text, or other tokenizers compared, are wanted."""
    app.session_state[boundaries.RULER] = {"asked": what}
    app.run()
    app.session_state[boundaries.RULER] = {"asked": None}
    return ruler(app)


def regions(data: dict[str, Any]) -> list[tuple[int, int]]:
    """In bytes of the whole text."""
    places = np.frombuffer(base64.b64decode(data["regions"]), "<i4") + data["start"]
    return [(int(start), int(end)) for start, end in places.reshape(-1, 2)]


def seams(row: dict[str, Any]) -> list[int]:
    return np.frombuffer(base64.b64decode(row["seams"]), "<i4").tolist()


def test_the_window_has_the_regions_and_reasons_of_the_comparison(app: AppTest) -> None:
    type_on_tokens(app, "In 2008 “don't” — naïve नमस्ते")
    data = ruler(at(app, "compare"))
    expected = tokviz.compare(data["text"], map(tokviz.reference, THREE))
    assert regions(data) == expected.regions
    assert (data["first"], data["total"], data["density"]) == (0, len(expected.regions), None)
    told = [(a, b, start, end, [reason[0] for reason in reasons]) for a, b, start, end, reasons in data["why"]]
    found = expected.differences(0, data["size"])
    assert told == [(f.a, f.b, f.start, f.end, [reason.kind for reason in f.reasons]) for f in found]
    for row, encoding in zip(data["rows"], expected.encodings, strict=True):
        assert seams(row) == encoding.seams.tolist()
        assert row["badge"] == {"good": True, "text": "same ids as tiktoken"}


@given(CASES, st.integers(0, 60))
def test_what_is_sent_of_a_reason_is_true_of_the_window(case: Case, place: int) -> None:
    """Places count from the window's first byte; tokens and ranks are those of the vocabularies. Special tokens too."""
    c = tokviz.compare(case.text, case.tokenizers, allowed_special=case.allowed)
    start, end = c.window(place, 20)
    rows = [Row(str(i), str(i), "yours", None) for i in range(3)]
    sent = ruler_data(rows, c, c, start, end, reading="special", turn=1)
    data, tokens = sent["text"].encode(), [spans(case.text, tok, case.allowed) for tok in case.tokenizers]
    told = set()
    for a, b, first, last, reasons in sent["why"]:
        w, mine, theirs = data[first:last], case.tokenizers[a], case.tokenizers[b]
        (whole,) = [token for token in tokens[a] if (token.start, token.end) == (start + first, start + last)]
        inside = [token.start - start for token in tokens[b] if first < token.start - start < last]
        assert inside
        told |= {(a, b, cut) for cut in inside}
        specials = [token for token in tokens[b] if token.special] + [whole] * whole.special
        for kind, *by in reasons:
            if kind == "split":
                assert not by
            elif kind == "special":
                at, length = by
                assert (start + at, start + at + length, True) in specials
                owners = [tok for tok in (mine, theirs) if data[at : at + length].decode() in tok.special_tokens]
                assert owners
            elif kind == "absent":
                assert w not in {theirs.vocab[id] for id in theirs.merge_ids.tolist()}
            elif kind == "taken":
                edge, rank, pair, own = by
                assert edge in (first, last)
                assert [theirs.vocab[id] for id in theirs.merges[rank]] == list(map(bytes.fromhex, pair))
                assert theirs.vocab[int(theirs.merge_ids[own])] == w
                assert rank <= own
            else:
                assert kind == "unreachable"
                parts = [bytes.fromhex(part) for part in by[0]]
                assert len(parts) > 1 and b"".join(parts) == w
                assert w in theirs.vocab.values()
    for a, b in permutations(range(3), 2):
        cuts = {t.start for t in tokens[b]} - {t.start for t in tokens[a]}
        assert {(a, b, cut - start) for cut in cuts if start < cut < end} <= told, "none is unnamed"


def test_going_on_meets_every_region_of_a_long_text_and_back_again(app: AppTest) -> None:
    type_on_tokens(app, LONG)
    data = ruler(at(app, "compare"))
    everything = tokviz.compare(LONG, map(tokviz.reference, THREE)).regions
    assert sum(data["density"]) == data["total"] == len(everything)

    def walk(data: dict[str, Any], what: str) -> list[tuple[int, int]]:
        met = regions(data)
        while True:
            here = regions(data)
            assert here == everything[data["first"] : data["first"] + len(here)]
            if (everything[-1] if what == "next" else everything[0]) in here:
                return sorted(set(met))
            turn = data["turn"]
            data = ask(app, what=what, at=here[-1][1] if what == "next" else here[0][0])
            assert data["turn"] > turn
            assert data["select"] in [start for start, _ in regions(data)]
            met += regions(data)

    assert walk(data, "next") == everything
    assert walk(ruler(app), "previous") == everything
    middle = ask(app, what="place", at=len(LONG) // 2)
    assert middle["start"] <= len(LONG) // 2 < middle["start"] + len(middle["text"].encode())
    assert ask(app, what="next", at=10**9) == {**middle, "turn": middle["turn"]}, "there is none: nothing moves"


def test_a_row_that_is_left_out_has_no_say_and_stays_in_sight(app: AppTest) -> None:
    type_on_tokens(app, "In 2008 “don't” — naïve नमस्ते")
    before = ruler(at(app, "compare"))
    data = ask(app, what="rows", at=0, rows=["cl100k_base", "o200k_base"])
    assert [row["counted"] for row in data["rows"]] == [False, True, True]
    two = tokviz.compare(data["text"], map(tokviz.reference, THREE[1:]))
    assert regions(data) == two.regions != regions(before)
    assert {(a, b) for a, b, *_ in data["why"]} <= {(1, 2), (2, 1)}
    assert regions(ask(app, what="rows", at=0, rows=[])) == []
    assert regions(ask(app, what="rows", at=0, rows=THREE)) == regions(before)


def test_another_text_begins_at_its_first_byte(app: AppTest) -> None:
    type_on_tokens(app, LONG)
    at(app, "compare")
    assert ask(app, what="place", at=9_000)["start"] > 0
    edit_on_compare(app, LONG + " more")
    assert ruler(app)["start"] == 0


def test_a_rerun_sends_the_ruler_nothing_new(app: AppTest) -> None:
    before = ruler(at(app, "compare"))
    assert ruler(app.run()) == before


# -- special tokens --

MARKED = "In 2008 <|endoftext|>don't<|fim_prefix|> stop"


def test_special_tokens_are_read_as_on_tokens_by_all_of_the_page(app: AppTest) -> None:
    type_on_tokens(app, MARKED)
    at(app, "compare")
    as_text = ruler(app)
    data = ask(app, what="specials", at=0, name="special")
    expected = tokviz.compare(MARKED, map(tokviz.reference, THREE), allowed_special="all")
    assert data["specials"] == app.session_state["tokviz.visitor"].specials == "special"
    assert regions(data) == expected.regions != regions(as_text)
    for row, encoding in zip(data["rows"], expected.encodings, strict=True):
        assert seams(row) == encoding.seams.tolist()
        assert row["whole"] == {str(place): id for place, id in encoding.whole.items()}
        assert row["special_ids"] == sorted(set(encoding.whole.values()))
        assert row["badge"] == {"good": True, "text": "same ids as tiktoken"}
    told = {kind for *_, reasons in data["why"] for kind, *_ in reasons}
    assert "special" in told
    assert "special" not in {kind for *_, reasons in as_text["why"] for kind, *_ in reasons}
    (figures,) = [frame.value for frame in app.dataframe if "single-byte tokens" in frame.value]
    counts = [len(tokviz.reference(name).encode(MARKED, allowed_special="all")) for name in THREE]
    assert figures["tokens"].tolist() == counts
    app.session_state["compare.proof"] = True
    app.session_state["compare.tab"] = app.session_state["tokviz.visitor"].state(CompareState).tab = "Cost"
    app.run()
    assert sum("**holds**" in element.value for element in app.markdown) == 9
    (costs,) = [frame.value.set_index("model") for frame in app.dataframe if {"model", "cost"} <= {*frame.value}]
    assert costs.loc["GPT-4o", "tokens"] == counts[2]
    (bench,) = components(at(app, "tokens"), "workbench")
    assert bench["specials"] == "special"


def test_what_is_refused_is_named_and_drawn_as_text(app: AppTest) -> None:
    type_on_tokens(app, f"né\n{MARKED}")
    before = ruler(at(app, "compare"))
    data = ask(app, what="specials", at=0, name="refuse")
    assert regions(data) == regions(before)
    assert "GPT-2, cl100k_base and o200k_base refuse this text." in notes(app)
    assert "<|endoftext|> is at byte 12, line 2." in notes(app)
    assert all(row["badge"]["good"] for row in data["rows"])
    edit_on_compare(app, "<|fim_prefix|>")
    assert "cl100k_base refuses this text. <|fim_prefix|> is at byte 0, line 1." in notes(app)
    edit_on_compare(app, "none here")
    assert notes(app) == ""
    assert ask(app, what="specials", at=0, name="nonsense")["specials"] == "refuse"


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


def test_a_reload_keeps_the_place_the_rows_left_out_and_the_pair(app: AppTest) -> None:
    type_on_tokens(app, LONG)
    at(app, "compare")
    ask(app, what="rows", at=0, rows=["cl100k_base", "o200k_base"])
    data = ask(app, what="place", at=9_000)
    third = regions(data)[2][0]
    assert rest(app, turn=data["turn"], region=third, pair=["o200k_base", "cl100k_base"]) == data, "it is sent nothing"
    again = ruler(reloaded(app))
    assert (again["start"], again["select"], again["pair"]) == (data["start"], third, ["o200k_base", "cl100k_base"])
    assert [row["counted"] for row in again["rows"]] == [False, True, True]
    assert regions(again) == regions(data)


def test_coming_back_from_another_page_is_to_the_same_place(app: AppTest) -> None:
    type_on_tokens(app, MARKED)
    data = ruler(at(app, "compare"))
    last = regions(data)[-1][0]
    rest(app, turn=data["turn"], region=last, pair=["gpt2", "o200k_base"])
    at(app, "tokens")
    assert ruler(at(app, "compare"))["select"] == last
    type_on_tokens(at(app, "tokens"), "other words, 2008")
    assert ruler(at(app, "compare"))["select"] is None, "that was a place of another text"


@pytest.mark.parametrize(
    "told",
    [
        3,
        {},
        {"turn": -1, "region": 3, "pair": ["gpt2", "o200k_base"]},
        {"turn": 1, "region": "3", "pair": ["gpt2", "o200k_base"]},
        {"turn": 1, "region": 3, "pair": None},
        {"turn": 1, "region": 3, "pair": ["gpt2"]},
    ],
)
def test_a_place_that_makes_no_sense_or_was_drawn_before_is_not_heard(app: AppTest, told: object) -> None:
    data = ruler(at(app, "compare"))
    assert data["turn"] == 1
    app.session_state[boundaries.RULER] = {"asked": None, "place": told}
    assert ruler(app.run()) == data
    assert app.session_state["tokviz.visitor"].state(CompareState).ruler.region is None


def test_the_end_of_a_long_text_shows_its_last_bytes(app: AppTest) -> None:
    type_on_tokens(app, LONG)
    at(app, "compare")
    data = ask(app, what="place", at=len(LONG.encode()))
    assert len(data["text"]) >= boundaries.IN_VIEW - 100
    assert data["start"] + len(data["text"].encode()) == data["size"]


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
    library.save(tokviz.train(LONG, 300, special_tokens=["2008"], name="own").tokenizer, "own")
    button(at(app, "train"), "Open it").click().run()
    type_on_tokens(at(app, "tokens"), text)
    at(app, "compare")
    app.button_group[0].set_value(["mine1", "gpt2", "o200k_base"]).run()
    ask(app, what="specials", at=0, name="special")
    ask(app, what="rows", at=0, rows=["mine1", "gpt2"])
    data = ask(app, what="place", at=len(text) // 2)
    region = regions(data)[1][0]
    rest(app, turn=data["turn"], region=region, pair=["mine1", "gpt2"])
    app.session_state["compare.tab"] = app.session_state["tokviz.visitor"].state(CompareState).tab = "Train and test"
    data = ruler(app.run())
    assert data["link"]["places"] is True
    assert data["link"]["left_out"] == ""

    query = f"{data['link']['query']}&region={region}&pair=0,1"  # as the browser puts them in
    link, faults = decode(query, CompareLink)
    assert (faults, link.page.pair, link.page.tab) == ([], link.tokenizers[:2], "Train and test")
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
        ("use=gpt2,<b>,cl100k_base&text=In+2008&out=x", "The rows “x” that the link leaves out make no sense"),
        ("use=gpt2,cl100k_base&text=In+2008&tab=x&pair=0,9", "The pair “0,9” of the link makes no sense"),
    ],
)
def test_a_damaged_link_shows_what_could_be_read(app: AppTest, query: str, said: str) -> None:
    new = opened(app, query)
    data = ruler(new)
    assert said in notes(new)
    assert (data["text"], [row["key"] for row in data["rows"]]) == ("In 2008", ["gpt2", "cl100k_base"])
    assert all(row["counted"] for row in data["rows"])
    assert (data["start"], data["select"]) == (0, None)
    assert not new.exception


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (None, None),
        ({}, None),
        ({"asked": "next"}, None),
        ({"asked": {"what": "next"}}, None),
        ({"asked": {"what": "next", "at": "3"}}, None),
        ({"asked": {"what": "rows", "at": 0, "rows": 3}}, None),
        ({"asked": {"what": "specials", "at": 0, "name": 3}}, None),
        ({"asked": {"what": "specials", "at": 0, "name": "text"}}, RulerRequest("specials", 0, (), "text")),
        ({"asked": {"what": "next", "at": 3}}, RulerRequest("next", 3, ())),
        ({"asked": {"what": "rows", "at": 0, "rows": ["gpt2", 1]}}, RulerRequest("rows", 0, ("gpt2", "1"))),
    ],
)
def test_what_the_ruler_may_ask(said: dict[str, object] | None, meant: RulerRequest | None) -> None:
    assert ruler_request(said) == meant


@pytest.mark.parametrize("what", ["next", "previous", "place", "rows", "nonsense"])
@pytest.mark.parametrize("place", [-(10**12), 0, 10**12])
def test_no_question_breaks_the_page(app: AppTest, what: str, place: int) -> None:
    at(app, "compare")
    data = ask(app, what=what, at=place, rows=["?"])
    assert not app.exception
    assert 0 <= data["start"] <= data["size"]


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


def test_of_a_text_over_the_limit_the_beginning_is_compared_and_all_is_kept(app: AppTest) -> None:
    text = "👍" * (TEXT_LIMIT // 2) + "x"  # in UTF-16, as browsers count, one too many
    edit_on_compare(app, text)
    assert "This text has 500,001 characters. The first 500,000 are compared here" in notes(app)
    assert ruler(app)["size"] == len(text.encode()) - 1
    assert app.text_area[0].value == text
    edit_on_compare(app, "short again")
    assert notes(app) == ""
    assert ruler(app)["text"] == "short again"


def test_a_pattern_that_cannot_cut_the_text_leaves_its_tokenizer_out(app: AppTest) -> None:
    model = tokviz.train("one two", 258, pattern=r"\w+| ", name="words").tokenizer
    upload(at(app, "train"), ("words.json", dump(model)), place=1)
    type_on_tokens(at(app, "tokens"), "one-two")
    data = ruler(at(app, "compare"))
    assert [row["key"] for row in data["rows"]] == list(THREE)
    assert "words is left out." in notes(app)
    assert "does not cover the text" in notes(app)
    edit_on_compare(app, "one two")
    assert notes(app) == ""
    assert len(ruler(app)["rows"]) == 4


def test_a_tokenizer_that_is_gone_is_named_and_the_others_stay(app: AppTest) -> None:
    model = tokviz.train("one two", 258, name="fleeting").tokenizer
    upload(at(app, "train"), ("fleeting.json", dump(model)), place=1)
    at(app, "compare")
    me = app.session_state["tokviz.visitor"]
    assert len(ruler(app)["rows"]) == 4
    me.lost.append(Lost("tokenizer", "fleeting"))
    me.drop(me.trained[0].key)
    assert [row["key"] for row in ruler(app.run())["rows"]] == list(THREE)
    assert "The tokenizer “fleeting” is gone: the server ran short of memory. Train it again" in notes(app)


def test_a_text_with_carriage_returns_is_not_changed_by_looking(app: AppTest) -> None:
    type_on_tokens(app, "one\r\ntwo")
    at(app, "compare")
    app.session_state["compare.edit"] = True
    assert app.run().text_area[0].disabled
    assert ruler(app)["text"] == "one\r\ntwo"


def test_the_live_proof_opens_with_every_claim(app: AppTest) -> None:
    at(app, "compare")
    assert not any("holds" in element.value for element in app.markdown)
    app.session_state["compare.proof"] = True
    app.run()
    assert sum("**holds**" in element.value for element in app.markdown) == 9
