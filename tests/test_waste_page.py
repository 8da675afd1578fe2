"""The tab Waste of Compare under AppTest: it shows what the library finds, of a text and of files."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, components, notes
from tests.test_files_page import hand_in, wait
from tests.test_measures import headings, opened, person, table, to
from tokviz.corpus import count_chunks
from tokviz.next_merges import merges_in_turn
from tokviz.ui.charts.waste import OVER
from tokviz.ui.compare import waste as tab
from tokviz.ui.compare import waste_work
from tokviz.ui.compare.state import CompareState
from tokviz.ui.compare.waste_work import MERGES
from tokviz.waste import waste
from tokviz.wording import count_of

__all__ = ["app"]

TEXT = json.dumps([{"id": n, "who": "Zoë <b>*x*</b>", "at": f"2024-05-{n:02}"} for n in range(10, 20)], indent=4)


def test_the_tab_shows_what_the_library_finds(app: AppTest) -> None:
    wait(opened(app, "Waste", TEXT))
    tok = tokviz.reference("gpt2")
    report = waste(TEXT, tok)
    groups = table(app, OVER)
    assert groups["tokens"].tolist() == [cost.tokens for cost in report.groups]
    assert groups["tokens"].sum() == report.tokens == len(tok.encode(TEXT))
    assert groups[OVER].sum() == 0
    merges = merges_in_turn(count_chunks(TEXT, tok.pattern), tok, MERGES)
    assert table(app, "left")["saved tokens"].tolist() == [merge.saved for merge in merges]
    chunks, pairs = components(app, "token_rows")
    rows = chunks["cards"][0]["groups"][0]["rows"]
    assert ["".join(token["hex"] for token in row["tokens"]) for row in rows] == [
        chunk.data.hex() for chunk in report.groups[0].leading[: tab.CHUNKS]
    ]
    drawn = [row for card in pairs["cards"] for row in card["groups"][0]["rows"]]
    # every token that there is leads to its biography; one that a next merge makes is none yet
    assert chunks["called"] == pairs["called"] == "gpt2"
    ids = {token: id for id, token in tok.vocab.items()}
    for row in (*rows, *drawn):
        assert row["ids"] == [ids.get(bytes.fromhex(token["hex"])) for token in row["tokens"]]
    assert None in (id for row in drawn for id in row["ids"])
    assert [row["strong"] for row in drawn] == [count_of(merge.saved, "token") for merge in merges]

    # another group, another tokenizer
    state = person(app).state(CompareState)
    state.group = "words"
    app.run()
    assert any(heading.startswith("Words: ") for heading in headings(app))
    state.waste_with = "o200k_base"
    wait(app.run())
    assert table(app, OVER)["tokens"].sum() == len(tokviz.reference("o200k_base").encode(TEXT))

    # a tokenizer that is no longer chosen
    state.chosen = ["cl100k_base"]
    wait(app.run())
    assert state.waste_with == "cl100k_base" and notes(app) == ""


def test_a_file_is_looked_into_and_leaves(app: AppTest) -> None:
    opened(app, "Files")
    wait(hand_in(app, ("rows.json", TEXT.encode()), ("short.json", b"[NaN]")))
    to(app, "Waste")
    state = person(app).state(CompareState)
    state.waste_of = "short.json"
    wait(app.run())
    assert table(app, OVER)["tokens"].sum() == len(tokviz.reference("gpt2").encode("[NaN]"))
    state.files = state.files[:1]
    wait(app.run())
    assert state.waste_of == ""


def test_a_text_that_is_too_long_or_cannot_be_read_is_named(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(app, "Figures", TEXT)
    monkeypatch.setattr(waste_work, "MOST_BYTES", 100)
    wait(to(app, "Waste"))
    assert f"The text has {len(TEXT.encode()):,} bytes, and this tab looks at up to 100." in notes(app)
    monkeypatch.undo()
    person(app).add("letters", tokviz.Tokenizer("letters", [], pattern="[a-z]+"))
    person(app).state(CompareState).waste_with = "cl100k_base"
    wait(app.run())
    assert table(app, OVER)["tokens"].sum() > 0 and "letters is left out" in notes(app)


def test_without_a_text_it_says_where_to_get_one(app: AppTest) -> None:
    opened(app, "Waste", "")
    assert [info.value for info in app.info][-1].startswith("There is no text.")
    assert notes(app) == ""
