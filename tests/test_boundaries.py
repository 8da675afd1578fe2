"""Compare's upper part under AppTest: what the ruler is sent, what it asks for, and what bad input comes to."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.test_pages import at, components, edit_on_compare, notes, type_on_tokens, upload
from tokviz.samples import sample
from tokviz.ui import boundaries
from tokviz.ui.components.ruler import Asked, asked
from tokviz.ui.livetext import TEXT_LIMIT
from tokviz.ui.state import Lost

ROOT = Path(__file__).parents[1]
LONG = sample("story").text + sample("code").text
THREE = ("gpt2", "cl100k_base", "o200k_base")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()


def ruler(app: AppTest) -> dict[str, Any]:
    (data,) = components(app, "ruler")
    return data


def ask(app: AppTest, **what: object) -> dict[str, Any]:
    """What the ruler's script does when another part of the text, or another consensus, is wanted."""
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


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (None, None),
        ({}, None),
        ({"asked": "next"}, None),
        ({"asked": {"what": "next"}}, None),
        ({"asked": {"what": "next", "at": "3"}}, None),
        ({"asked": {"what": "rows", "at": 0, "rows": 3}}, None),
        ({"asked": {"what": "next", "at": 3}}, Asked("next", 3, ())),
        ({"asked": {"what": "rows", "at": 0, "rows": ["gpt2", 1]}}, Asked("rows", 0, ("gpt2", "1"))),
    ],
)
def test_what_the_ruler_may_ask(said: dict[str, object] | None, meant: Asked | None) -> None:
    assert asked(said) == meant


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
    assert "This text has 500,001 characters. The first 1,000,000 are compared here" in notes(app)
    assert ruler(app)["size"] == len(text.encode()) - 1
    assert app.text_area[0].value == text
    edit_on_compare(app, "short again")
    assert notes(app) == ""
    assert ruler(app)["text"] == "short again"


def test_a_pattern_that_cannot_cut_the_text_leaves_its_tokenizer_out(app: AppTest) -> None:
    model = tokviz.train("one two", 258, r"\w+| ", name="words").tokenizer
    upload(at(app, "train"), ("words.json", model.to_bytes()), place=1)
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
    upload(at(app, "train"), ("fleeting.json", model.to_bytes()), place=1)
    at(app, "compare")
    me = app.session_state["tokviz.visitor"]
    me.compared = [*me.compared, "mine99"]
    assert len(ruler(app.run())["rows"]) == 4
    assert me.compared.count("mine99") == 0
    me.lost.append(Lost("tokenizer", "fleeting"))
    me.drop(me.trained[0].key)
    assert [row["key"] for row in ruler(app.run())["rows"]] == list(THREE)
    assert "“fleeting” is gone: the server ran short of memory. Train it again" in notes(app)


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
