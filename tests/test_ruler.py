"""The ruler of Compare under AppTest: the regions and reasons it is sent, and what it may ask for."""

from __future__ import annotations

import base64
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.comparison_cases import CASES, Case, spans
from tests.pages import app, at, blocks, components, edit_on_compare, notes, type_on_tokens, without_charts
from tokviz.catalog.samples import sample
from tokviz.split.normalizing import Normalizer
from tokviz.ui.compare import ruler as boundaries
from tokviz.ui.compare.drawn import RulerRequest, RulerRow, ruler_data, ruler_request
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.tokenizers import ShownTokenizer

__all__ = ["app"]

LONG = sample("story").text + sample("code").text
THREE = ("gpt2", "cl100k_base", "o200k_base")
MARKED = "In 2008 <|endoftext|>don't<|fim_prefix|> stop"


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
    rows = [RulerRow(str(i), str(i), "yours", None) for i in range(3)]
    sent = ruler_data(rows, c, start, end, reading="special", turn=1)
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
    without_charts(app)
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


def test_another_text_begins_at_its_first_byte(app: AppTest) -> None:
    without_charts(app)
    type_on_tokens(app, LONG)
    at(app, "compare")
    assert ask(app, what="place", at=9_000)["start"] > 0
    edit_on_compare(app, LONG + " more")
    assert ruler(app)["start"] == 0


def test_a_rerun_sends_the_ruler_nothing_new(app: AppTest) -> None:
    without_charts(app)
    before = ruler(at(app, "compare"))
    assert ruler(app.run()) == before


def test_the_end_of_a_long_text_shows_its_last_bytes(app: AppTest) -> None:
    without_charts(app)
    type_on_tokens(app, LONG)
    at(app, "compare")
    data = ask(app, what="place", at=len(LONG.encode()))
    assert len(data["text"]) >= boundaries.IN_VIEW - 100
    assert data["start"] + len(data["text"].encode()) == data["size"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (None, None),
        ({}, None),
        ({"asked": "next"}, None),
        ({"asked": {"what": "next"}}, None),
        ({"asked": {"what": "next", "at": "3"}}, None),
        ({"asked": {"what": "specials", "at": 0, "name": 3}}, None),
        ({"asked": {"what": "specials", "at": 0, "name": "text"}}, RulerRequest("specials", 0, "text")),
        ({"asked": {"what": "next", "at": 3}}, RulerRequest("next", 3)),
    ],
)
def test_what_the_ruler_may_ask(said: dict[str, object] | None, meant: RulerRequest | None) -> None:
    assert ruler_request(said) == meant


def test_no_question_breaks_the_page(app: AppTest) -> None:
    without_charts(app)
    at(app, "compare")
    for what, place in product(["next", "previous", "place", "nonsense"], [-(10**12), 0, 10**12]):
        data = ask(app, what=what, at=place)
        assert not app.exception, (what, place)
        assert 0 <= data["start"] <= data["size"], (what, place)


# -- special tokens --


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
    (figures,) = blocks(app, "table")
    counts = [len(tokviz.reference(name).encode(MARKED, allowed_special="all")) for name in THREE]
    assert [row[1] for row in figures["rows"]] == counts
    app.session_state["tokviz.visitor"].state(CompareState).show("cost")
    (prices,) = [frame.value.set_index("model") for frame in app.run().dataframe]
    assert prices.loc["GPT-4o", "tokens"] == counts[2]
    (bench,) = components(at(app, "tokens"), "workbench")
    assert bench["specials"] == "special"


def test_what_is_not_cut_out_beside_a_word_is_not_refused_there() -> None:
    normalizer = Normalizer(alone=frozenset(["<a>"]))
    tok = tokviz.Tokenizer("mine", [], special_tokens={"<a>": 256}, normalizer=normalizer)
    shown = [ShownTokenizer("mine", "mine", "own0", tok)]
    assert boundaries.refused(shown, "x<a>y") == []
    (fault,) = boundaries.refused(shown, "x <a> y")
    assert str(fault).startswith("mine refuses this text. <a> is at byte 2")


def test_what_is_refused_is_named_and_drawn_as_text(app: AppTest) -> None:
    without_charts(app)
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
