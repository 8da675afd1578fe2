"""The Files tab of Compare under AppTest: files are counted and looked into, and a bad one leaves the rest alone."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.oracles import witness
from tests.pages import app, blocks, button, components, notes, words
from tests.test_files import OWN, TEXT, small_pieces
from tests.test_measures import REFERENCES, headings, opened, person, table
from tests.waiting import others_at_work, run_until
from tokviz.ui.compare import file_reasons
from tokviz.ui.compare.state import CompareState
from tokviz.ui.server import limits

__all__ = ["app", "small_pieces"]


def hand_in(app: AppTest, *given: tuple[str, bytes]) -> AppTest:
    app.get("file_uploader")[0].set_value([(name, data, "text/plain") for name, data in given]).run()
    assert not app.exception
    return app


def files_table(app: AppTest) -> list[list[Any]]:
    """File, tokenizer and tokens of each row."""
    found = [block for block in blocks(app, "table") if block["label"] == "Figures of all files"]
    return [[row[0], words(row[1]), row[2]] for block in found for row in block["rows"]]


def wait(app: AppTest) -> AppTest:
    return run_until(app, lambda app: not any(button.label == "Cancel" for button in app.button))


def test_files_are_counted_and_bad_ones_named(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(app, "Files")
    hand_in(app, ("good.txt", TEXT.encode()), ("empty.txt", b""), ("latin.txt", b"caf\xe9"))
    wait(app)
    assert "empty.txt is empty" in notes(app)
    assert "latin.txt is not UTF-8: byte 3" in notes(app)
    rows = files_table(app)
    assert rows == [
        ["good.txt", name, len(witness(key).encode(TEXT, disallowed_special=()))] for name, key in REFERENCES.items()
    ]
    (found,) = components(app, "minimap")
    assert [row["name"] for row in found["rows"]] == ["GPT-2", "GPT-4", "GPT-4o"]

    # two files of one name are two
    hand_in(app, ("a.txt", b"one"), ("a.txt", b"two two"))
    wait(app)
    assert {row[0] for row in files_table(app)} == {"a.txt", "a.txt (2)"}
    hand_in(app, ("good.txt", TEXT.encode()))
    wait(app)
    assert files_table(app) == rows

    # another bad file changes nothing of what is there
    hand_in(app, ("empty.txt", b""))
    assert [one.name for one in person(app).state(CompareState).files] == ["good.txt"]
    assert files_table(app) == rows

    monkeypatch.setattr(limits, "FILE_MB", 1)
    hand_in(app, ("big.txt", b"x" * 2_000_000))
    assert "big.txt has 2,000,000 bytes, and the limit is 1 MB." in notes(app)

    # repaired, when asked
    hand_in(app, ("latin.txt", b"caf\xe9"))
    next(box for box in app.checkbox if "unreadable" in box.label).check().run()
    wait(app)
    assert person(app).state(CompareState).files[0].text.text == "caf\ufffd"
    assert any("unreadable bytes replaced in 1 place" in caption.value for caption in app.caption)


def test_a_place_in_a_file_is_shown(app: AppTest) -> None:
    opened(app, "Files")
    button(app, "Use the samples").click().run()
    wait(app)
    assert person(app).state(CompareState).files[0].name.startswith("The Pairwright")
    person(app).state(CompareState).byte = 9_000
    app.run()
    text = person(app).state(CompareState).files[0].text.text.encode()
    for view in blocks(app, "tokens")[:3]:  # those of an example of a reason are below
        shown = view["encoding"]["text"].encode()
        assert text.index(shown) <= 9_000 < text.index(shown) + len(shown)
    assert len(headings(app)) >= 2
    button(app, "Remove the files").click().run()
    assert person(app).state(CompareState).files == []


def why_table(app: AppTest) -> dict[str, int]:
    return {reason: int(row["Boundaries"]) for reason, row in table(app, "Reasons").items()}


def test_reasons_are_counted_for_the_pair_that_is_chosen(app: AppTest) -> None:
    opened(app, "Files")
    mine = person(app).add("My *own*", OWN.tokenizer)
    text = TEXT[:60_000] + "naïve 猫 2008\n" * 50
    hand_in(app, ("book.txt", text.encode()))
    wait(app)
    assert person(app).state(CompareState).pair == (mine.key, "gpt2")
    for a, b in ((mine.key, "gpt2"), ("gpt2", "cl100k_base")):
        app.selectbox(key="compare.pair").set_value((a, b)).run()
        wait(app)
        of = {"gpt2": "GPT-2", "cl100k_base": "GPT-4", mine.key: "My *own*"}
        both = [OWN.tokenizer if key == mine.key else tokviz.reference(key) for key in (a, b)]
        expected = tokviz.compare(text, both).reason_places(0, 1)
        found = why_table(app)
        assert found == {file_reasons.KINDS[kind].name: len(at) for kind, at in expected.items() if len(at)}
        assert list(found.values()) == sorted(found.values(), reverse=True)
        (said,) = [heading for heading in headings(app) if "splits tokens of" in heading]
        assert said.startswith(f"{of.get(b, b)} splits tokens of {of.get(a, a)} at ")
        assert said.endswith(next(row.cause for row in file_reasons.KINDS.values() if row.name == next(iter(found))))

        # each reason leads to a place
        for kind, example in person(app).state(CompareState).files[0].reasons[a, b].examples.items():
            person(app).state(CompareState).reason = kind
            app.run()
            views = blocks(app, "tokens")[-2:]
            assert [view["label"] for view in views] == [f"Tokens of {of.get(key, key)}" for key in (a, b)]
            for view in views:
                shown = view["encoding"]["text"].encode()
                assert example.token in shown[: len(example.token) + 8]
                assert len(shown) < len(example.token) + 2 * file_reasons.BEHIND
            (look,) = [block for block in blocks(app, "button") if block["name"] == "look"]
            assert look["value"] == example.start


def test_reasons_without_a_second_tokenizer_or_with_one_that_is_gone(app: AppTest) -> None:
    opened(app, "Files")
    mine = person(app).add("Mine", OWN.tokenizer)
    button(app, "Use the samples").click().run()
    wait(app)
    assert person(app).state(CompareState).pair == (mine.key, "gpt2")
    there = person(app).state(CompareState).files
    person(app).drop(mine.key)
    app.run()
    wait(app)
    assert person(app).state(CompareState).pair == ("gpt2", "cl100k_base")
    assert why_table(app)
    person(app).state(CompareState).chosen = ["gpt2"]
    assert not app.run().exception and not [block for block in blocks(app, "table") if block["label"] == "Reasons"]
    assert person(app).state(CompareState).files == there
    person(app).state(CompareState).chosen = ["gpt2", "o200k_base"]
    app.run()
    wait(app)
    assert person(app).state(CompareState).pair == ("gpt2", "o200k_base")


def test_a_tokenizer_that_cannot_read_a_file_is_named_and_the_rest_stands(app: AppTest) -> None:
    opened(app, "Files", text="abc")
    person(app).add("picky", tokviz.train("abc", 257, pattern="[abc]+").tokenizer)
    hand_in(app, ("cats.txt", b"cats and dogs"))
    wait(app)
    assert "picky is left out of cats.txt. " in notes(app)
    assert "does not cover" in notes(app)
    assert [row[1] for row in files_table(app)] == [*REFERENCES]
    assert person(app).state(CompareState).pair == ("gpt2", "cl100k_base")


def test_a_count_is_cancelled_and_goes_on(app: AppTest) -> None:
    opened(app, "Files")
    with others_at_work():
        hand_in(app, ("book.txt", TEXT.encode()))
        assert "Waiting for its turn" in headings(app)
        assert "1 other piece of work comes first" in [caption.value for caption in app.caption]
        button(app, "Cancel").click().run()
        wait(app)
    assert "Cancelled." in notes(app)
    assert person(app).state(CompareState).files[0].tallies == {}
    button(app, "Go on").click().run()
    wait(app)
    assert set(person(app).state(CompareState).files[0].tallies) == {"gpt2", "cl100k_base", "o200k_base"}
    assert "Cancelled." not in notes(app)

    # reasons are given up by themselves: the figures stay, and another pair is counted
    with others_at_work():
        app.selectbox(key="compare.pair").set_value(("cl100k_base", "gpt2")).run()
        button(app, "Cancel").click().run()
        wait(app)
        assert "The figures stay." in notes(app)
        assert len(files_table(app)) == 3
    app.selectbox(key="compare.pair").set_value(("o200k_base", "gpt2")).run()
    wait(app)
    assert ("cl100k_base", "gpt2") not in person(app).state(CompareState).files[0].reasons
    assert why_table(app)
