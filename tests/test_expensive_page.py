"""Expensive places on Compare under AppTest: they are those that the library finds, in the text and in a file."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, blocks, notes, words
from tests.test_files_page import hand_in, wait
from tests.test_measures import headings, opened, person, table, to
from tokviz.base.wording import count_of
from tokviz.cost.waste import waste
from tokviz.ui.compare import expensive as places
from tokviz.ui.compare.state import CompareState

__all__ = ["app"]

TEXT = json.dumps([{"id": n, "who": "Zoë <b>*x*</b>", "at": f"2024-05-{n:02}"} for n in range(10, 20)], indent=4)
GROUPS = "What each group of content costs"
CHUNKS = "The chunks with the most tokens"


def test_the_fold_shows_what_the_library_finds(app: AppTest) -> None:
    wait(opened(app, "Figures", "expensive", text=TEXT))
    tok = tokviz.reference("gpt2")
    report = waste(TEXT, tok)
    groups = table(app, GROUPS)
    assert {name: (row["Tokens"], row["Above average"]) for name, row in groups.items()} == {
        cost.group.title: (str(cost.tokens), str(cost.over_average)) for cost in report.groups
    }
    assert report.tokens == len(tok.encode(TEXT))
    first = report.groups[0]
    more = count_of(first.over_average, "token")
    assert any(f"costs most: {more} more than at the text's average" in heading for heading in headings(app))
    (chunks,) = [block for block in blocks(app, "table") if block["label"] == CHUNKS]
    rows = chunks["rows"]
    most = first.leading[: places.CHUNKS]
    assert ["".join(token["data"] for token in row[0]["items"]) for row in rows] == [one.data.hex() for one in most]
    assert [words(row[-1][-1]) for row in rows] == [count_of(one.total, "token") for one in most]
    # every token that there is leads to its biography
    ids = {token: id for id, token in tok.vocab.items()}
    for row in rows:
        for token in row[0]["items"]:
            assert (token["called"], token["id"]) == ("gpt2", ids.get(bytes.fromhex(token["data"])))

    # another group, another tokenizer
    state = person(app).state(CompareState)
    state.group = "words"
    app.run()
    assert headings(app)[-1] == "Words: what costs most"
    (drawn,) = [block for block in blocks(app, "table") if block["label"] == GROUPS]
    assert [words(drawn["rows"][at][0]) for at in drawn["marked"]] == ["Words"]
    state.expensive_under = "o200k_base"
    wait(app.run())
    tokens = sum(int(row["Tokens"]) for row in table(app, GROUPS).values())
    assert tokens == len(tokviz.reference("o200k_base").encode(TEXT))

    # a tokenizer that is no longer chosen
    state.chosen = ["cl100k_base"]
    wait(app.run())
    assert state.expensive_under == "cl100k_base" and notes(app) == ""


def test_a_file_is_looked_into(app: AppTest) -> None:
    opened(app, "Files", "expensive_in_file")
    wait(hand_in(app, ("rows.json", TEXT.encode()), ("1.txt", b"1 22 333")))
    assert sum(int(row["Bytes"]) for row in table(app, GROUPS).values()) == len(TEXT.encode())
    person(app).state(CompareState).file = "1.txt"
    wait(app.run())
    assert sum(int(row["Bytes"]) for row in table(app, GROUPS).values()) == 8


def test_a_text_that_is_too_long_or_cannot_be_read_is_named(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(app, text=TEXT)
    monkeypatch.setattr(places, "MOST_BYTES", 100)
    wait(to(app, "Figures", "expensive"))
    assert f"The text has {len(TEXT.encode()):,} bytes, and up to 100 are looked at here." in notes(app)
    monkeypatch.undo()
    person(app).add("letters", tokviz.Tokenizer("letters", [], pattern="[a-z]+"))
    person(app).state(CompareState).expensive_under = "cl100k_base"
    wait(app.run())
    assert table(app, GROUPS) and "letters is left out" in notes(app)
