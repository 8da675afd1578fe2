"""The page of one tokenizer: its record, its special tokens by hand, its export and the proof of it."""

from __future__ import annotations

import gc
import hashlib
import io
import weakref
import zipfile
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, blocks, button, components, notes, type_in, typed_in, words
from tests.waiting import PATIENCE_S, run_until
from tokviz.base.blocks import Mark
from tokviz.base.errors import FormatError
from tokviz.catalog import saved
from tokviz.catalog.samples import sample
from tokviz.comparison import export
from tokviz.comparison.export import Unequal, Verdict
from tokviz.formats import WRITTEN, dump
from tokviz.formats.snippets import Snippet
from tokviz.ui.frame import shell
from tokviz.ui.library import exporting, special_tokens
from tokviz.ui.library.entries import key_of_saved
from tokviz.ui.library.export import download, evidence, outcome
from tokviz.ui.library.exporting import Written
from tokviz.ui.library.state import LibraryState
from tokviz.ui.server import work
from tokviz.ui.server.visitor import Visitor

__all__ = ["app"]  # a fixture

TOK = tokviz.train(sample("tongue").text, 300, special_tokens=["<|end|>"], name="tongue").tokenizer


@pytest.fixture
def one(app: AppTest) -> AppTest:
    """The page of a saved tokenizer, once it is known which formats can hold it."""
    saved.save(TOK, "tongue")
    return opened(app, key_of_saved("tongue"))


def opened(app: AppTest, key: str) -> AppTest:
    app.query_params["open"] = key
    return run_until(at(app, "library"), lambda app: bool(blocks(app, "choice") or "No format" in notes(app)))


def test_what_is_written_at_once_needs_no_second_run(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "AT_ONCE_S", PATIENCE_S)
    begun, draw = [], shell._draw
    monkeypatch.setattr(shell, "_draw", lambda page: begun.append(page.title) or draw(page))
    saved.save(TOK, "tongue")
    app.query_params["open"] = key_of_saved("tongue")
    assert blocks(at(app, "library"), "choice") and begun == ["Library"]


def said(app: AppTest, label: str) -> dict[str, str]:
    """The facts of the list with this label."""
    (last,) = (data["blocks"][-1] for data in components(app, "blocks") if data["label"] == label)
    table = last["blocks"][0] if last["kind"] == "fold" else last
    return {words(name): words(value) for name, value in table["rows"]}


def badge(app: AppTest) -> str:
    (line,) = (data for data in blocks(app, "line") if data["tone"] == "live")
    (cell,) = line["cells"]
    return f"{cell.get('tone', 'waits')}: {cell['text']}"


def choose(app: AppTest, format: str) -> AppTest:
    app.session_state["tokviz.visitor"].state(LibraryState).format = format
    return app.run()


def written(app: AppTest) -> str:
    (key,) = [data["key"] for data in components(app, "field") if data["label"].startswith("One per line")]
    return str(key)


def write(app: AppTest, text: str) -> AppTest:
    return type_in(app, written(app), text)


def prove(app: AppTest) -> str:
    button(app, "Prove it").click().run()
    return badge(run_until(app, is_over))


def is_over(app: AppTest) -> bool:
    return any(data["tone"] == "live" for data in blocks(app, "line"))


def test_the_record_of_a_training_and_of_a_reference(one: AppTest) -> None:
    found = said(one, "Training record")
    data = sample("tongue").text.encode()
    assert found["Corpus"].endswith(f"{len(data):,} bytes") and found["SHA-256"] == hashlib.sha256(data).hexdigest()
    settings = "vocabulary size 300; split pattern gpt2; ties: first in the corpus; least pair count 1"
    assert (found["Settings"], found["Merges made"]) == (settings, "44 of 44; stopped by: vocabulary size")
    assert found["Ties"].endswith(" of 44 merges") and " on its own corpus: " in found["Bytes per token"]
    opened(one, "gpt2")
    assert any("No record: it was not trained here." in text.value for text in one.markdown)


def test_special_tokens_by_hand_make_a_new_tokenizer(one: AppTest) -> None:
    file = saved.folder() / "tongue.json"
    before = file.read_bytes()
    button(one, "**Save the change**").click().run()
    assert "Nothing is saved. No special token is changed." in notes(one)
    write(one, "<|end|> 300\n<|user|> 299")
    assert any("merge 44 makes. The next free id is 301." in text.value.replace("\\", "") for text in one.markdown)
    button(one, "**Save the change**").click().run()
    me = one.session_state["tokviz.visitor"]
    assert "Nothing is saved. The id 299 is taken" in notes(one) and not me.trained
    write(one, "<|end|> 300\n\n<|user|>")
    button(one, "**Save the change**").click().run()
    (mine,) = me.trained
    assert mine.name == "tongue" and dict(mine.tokenizer.special_tokens) == {"<|end|>": 300, "<|user|>": 301}
    assert mine.tokenizer.merges == TOK.merges and mine.saved_as is None
    assert one.query_params["open"] == mine.sha256 and "“tongue” has the change." in notes(one)
    assert file.read_bytes() == before

    write(one, "<|other|> x")  # in the new one
    button(one, "Discard it").click().run()
    assert typed_in(one, written(one)) == "<|end|> 300\n<|user|> 301"
    write(one, "<|user|> 301")
    button(one, "**Save the change**").click().run()
    assert [mine.name for mine in me.trained] == ["tongue", "tongue (2)"]
    assert dict(me.trained[1].tokenizer.special_tokens) == {"<|user|>": 301}


def test_special_tokens_that_a_line_cannot_hold_and_too_many_to_draw(app: AppTest) -> None:
    specials = {"a\nb": 300, "\u00a0": 301, **{f"<|{n}|>": 310 + n for n in range(60)}}
    saved.save(TOK.with_special_tokens(specials), "many")
    opened(app, key_of_saved("many"))
    lines = typed_in(app, written(app)).splitlines()
    assert lines[:3] == ["'a\\nb' 300", "'\\xa0' 301", "<|0|> 310"] and len(lines) == special_tokens.EDITED
    assert any("32 more special tokens" in one.value for one in app.caption)
    write(app, "\n".join(["'\\xa0' 305", "<|new|> 302", *lines[2:]]))
    button(app, "**Save the change**").click().run()
    made = dict(app.session_state["tokviz.visitor"].trained[0].tokenizer.special_tokens)
    del specials["a\nb"]
    assert made == specials | {"<|new|>": 302, "\u00a0": 305}


def test_formats_say_what_they_keep_and_lose_and_which_are_refused(one: AppTest) -> None:
    (data,) = blocks(one, "choice")
    told = dict(data["options"])
    assert list(told) == list(WRITTEN) and data["value"] == "hf"
    assert words(told["tokviz"][2]) == "loses nothing" and "special tokens" in words(told["hf"][1])
    assert words(told["tiktoken"][2]).startswith("loses split pattern, special tokens")
    opened(one, "gpt2")
    (data,) = blocks(one, "choice")
    assert "minbpe" not in dict(data["options"])
    assert any("does not number its bytes 0 to 255" in words(line["cells"]) for line in blocks(one, "line"))
    assert "training record" not in words(dict(data["options"])["hf"][2])  # it has none


def test_files_of_fixed_names_keep_them_beside_a_tokenizer_of_such_a_name(app: AppTest) -> None:
    opened(app, app.session_state["tokviz.visitor"].add("tokenizer", TOK).sha256)
    (data,) = blocks(app, "choice")
    told = dict(data["options"])
    assert words(told["hf"][0]) == "Hugging Face tokenizer.json + tokenizer_config.json"
    assert words(told["tokviz"][0]) == "tokviz .json"


def test_a_proof_is_of_this_very_file(one: AppTest) -> None:
    assert badge(one) == "waits: not proved yet"
    assert prove(one).startswith("good: tokenizers 0.")
    found = said(one, "Proof of the export")
    sums = [f"{name}, sha256 {hashlib.sha256(data).hexdigest()}" for name, data in dump(TOK, "hf").items()]
    assert found["Files"] == "\n".join(sums) and found["Unequal"] == "none"
    assert badge(choose(one, "tiktoken")) == "waits: not proved yet"
    assert any('Path("tongue.tiktoken")' in block.value for block in one.code)
    assert prove(one).startswith("good: tiktoken 0.")
    one.session_state["tokviz.visitor"].text = "another text to try it on"
    assert badge(one.run()) == "waits: not proved yet"
    assert badge(opened(one, "gpt2")) == "waits: not proved yet"


def test_a_proof_can_be_cancelled(one: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "snippet", lambda *_: Snippet("tiktoken", "import time; time.sleep(600)", ""))
    button(one, "Prove it").click().run()
    assert button(one, "Prove it").disabled
    run_until(one, lambda app: any("Loading the file again" in title.value for title in app.subheader))
    button(one, "Cancel").click().run()
    run_until(one, is_over)
    assert badge(one) == "waits: not proved yet" and not button(one, "Prove it").disabled


def test_badges_say_no_more_than_what_was_tried() -> None:
    files = {"tokenizer.json": "00"}
    wrong = Unequal(7, 41, "a\ttext", (1, 2, 3), (1, 9, 3))
    unequal = Verdict("tokenizers 0.23.3", False, files, 7, 100, 50, unequal=wrong)
    assert (outcome(unequal).tone, outcome(unequal).text) == ("bad", "tokenizers 0.23.3 differs at probe 7, byte 41")
    assert evidence(unequal, "x")["Ids of the judge"].cells == ["1 ", Mark("bad", "9"), " 3"]
    absent = Verdict("tokenizers", None, files, why="tokenizers is not installed.")
    assert (outcome(absent).tone, outcome(absent).text) == ("warn", "not proved: tokenizers is not installed")
    again = Verdict("tokviz 0.1.0", True, files, 3, 4, 5, left_out=1)
    known = evidence(again, "minbpe")
    assert "no package that can be installed" in known["Why tokviz"] and "1 text" in known["Left out"]


def test_a_format_of_several_files_is_one_zip() -> None:
    data = download(TOK, "gpt2")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == dump(TOK, "gpt2")
    assert data == download(TOK, "gpt2") and download(TOK, "tokviz") == dump(TOK, "tokviz")["tongue.json"]


def test_a_tokenizer_that_no_format_holds(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Written({}, FormatError("It cannot be held.", "Keep it here."))
    monkeypatch.setattr(exporting, "written_files", lambda *_: refused)
    opened(app, app.session_state["tokviz.visitor"].add("odd", TOK).sha256)
    assert not blocks(app, "choice")
    told = [words(line["cells"]) for line in blocks(app, "line")]
    assert told.count("refused It cannot be held. Keep it here.") == len(WRITTEN)
    assert "No format can hold this tokenizer exactly." in notes(app)


def test_a_damaged_address_is_no_crash(app: AppTest, tmp_path: Path) -> None:
    app.query_params["open"] = "saved-nowhere"
    at(app, "library")
    assert "There is no tokenizer" in notes(app)


def test_work_that_is_over_keeps_no_tokenizer() -> None:
    tok = tokviz.train(sample("tongue").text, 280).tokenizer
    gone = weakref.ref(tok)
    me, steps = Visitor(), [exporting.write(tok), exporting.prove(tok, "tiktoken", "a text")]
    works = [work.Work(f"place {n}", None, some) for n, some in enumerate(steps)]
    for one in works:
        work.start(me, one)
        assert one.done.wait(PATIENCE_S)
    assert not works[0].result["hf"].refused and works[1].result.equal
    del tok, steps
    gc.collect()
    assert gone() is None


def test_added_tokens_are_named_and_stay(app: AppTest) -> None:
    saved.save(TOK.with_added_tokens({"<think>": 301, "\t\t": 302}), "thinks")
    opened(app, key_of_saved("thinks"))
    assert any(one.value.startswith("It also has 2 added tokens") for one in app.caption)
    assert [one.value for one in app.text] == ["\"<think>\" 301, '\\t\\t' 302"]
    assert "The next free id is 303" in [one.value for one in app.caption]
    write(app, "<|stop|> 301")
    assert any("The id 301 is taken by the added token" in one.value for one in app.markdown)
    write(app, "<|stop|> 303")
    button(app, "**Save the change**").click().run()
    assert app.session_state["tokviz.visitor"].trained[0].tokenizer.added_tokens == {"<think>": 301, "\t\t": 302}
