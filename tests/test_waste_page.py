"""The tab Waste of Compare under AppTest: it shows what the library finds, of a text and of files."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, blocks, notes, words
from tests.test_files_page import hand_in, wait
from tests.test_measures import headings, opened, person, table, to
from tokviz.base.wording import count_of
from tokviz.cost.waste import waste
from tokviz.ui.compare import waste as tab
from tokviz.ui.compare import waste_work
from tokviz.ui.compare.state import CompareState
from tokviz.ui.compare.waste import OVER
from tokviz.ui.frame.tables import csv

__all__ = ["app"]

TEXT = json.dumps([{"id": n, "who": "Zoë <b>*x*</b>", "at": f"2024-05-{n:02}"} for n in range(10, 20)], indent=4)


def test_the_tab_shows_what_the_library_finds(app: AppTest) -> None:
    wait(opened(app, "Waste", TEXT))
    tok = tokviz.reference("gpt2")
    report = waste(TEXT, tok)
    groups = table(app, OVER)
    assert groups["tokens"].tolist() == [cost.tokens for cost in report.groups]
    assert groups["tokens"].sum() == report.tokens == len(tok.encode(TEXT))
    assert groups[OVER].tolist() == [cost.over_average for cost in report.groups]
    first = report.groups[0]
    more = count_of(first.over_average, "token")
    assert headings(app)[-2].startswith(f"{first.group.title} costs most: {more} more than at the text's average")
    rows = blocks(app, "cardrow")
    most = first.leading[: tab.CHUNKS]
    assert ["".join(token["data"] for token in row["cells"]) for row in rows] == [one.data.hex() for one in most]
    assert [words(row["words"][-1]) for row in rows] == [count_of(one.total, "token") for one in most]
    # every token that there is leads to its biography
    ids = {token: id for id, token in tok.vocab.items()}
    for row in rows:
        for token in row["cells"]:
            assert (token["called"], token["id"]) == ("gpt2", ids.get(bytes.fromhex(token["data"])))

    # another group, another tokenizer
    state = person(app).state(CompareState)
    state.group = "words"
    app.run()
    assert headings(app)[-1] == "Words: what costs most"
    state.waste_with = "o200k_base"
    wait(app.run())
    assert table(app, OVER)["tokens"].sum() == len(tokviz.reference("o200k_base").encode(TEXT))

    # a tokenizer that is no longer chosen
    state.chosen = ["cl100k_base"]
    wait(app.run())
    assert state.waste_with == "cl100k_base" and notes(app) == ""


@pytest.mark.right
def test_the_row_is_marked_whose_chunks_are_shown(app: AppTest) -> None:
    wait(opened(app, "Waste", TEXT))
    person(app).state(CompareState).group = "words"
    (frame,) = [frame for frame in app.run().dataframe if OVER in frame.value]
    drawn = pa.ipc.open_stream(frame.proto.arrow_data.styler.display_values).read_pandas()["group"].tolist()
    assert [name for name in drawn if name.startswith("▸")] == ["▸ Words"]
    assert "▸" not in csv(frame.value)


def test_a_file_is_looked_into_and_leaves(app: AppTest) -> None:
    opened(app, "Files")
    wait(hand_in(app, ("rows.json", TEXT.encode()), ("1.txt", b"1 22 333")))
    to(app, "Waste")
    state = person(app).state(CompareState)
    state.waste_of = "1.txt"
    wait(app.run())
    assert table(app, OVER)["bytes"].sum() == 8
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
