"""Files as they are downloaded: what came beside a tokenizer, or in its place, is told wherever files are opened.

A case is opened in the library, in a terminal and on the Library page. Its neighbours are opened in the
library alone.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.command_line import call
from tests.formats_cases import in_gguf
from tests.oracles import pattern_of
from tests.pages import app, at, blocks, button, notes, upload
from tokviz import Tokenizer, same
from tokviz.base.errors import FormatError, InputError, SettingError
from tokviz.base.json_files import InputFile
from tokviz.corpus.columns import texts_in_column
from tokviz.formats import dump, load, open_files, recognise
from tokviz.tokenizer.peers import Peer
from tokviz.ui.library.found_files import found_in

__all__ = ["app"]

TOK = Tokenizer("the", [(116, 104), (256, 101), (32, 257)], pattern="gpt2")
TEXT = "the the"
IDS = TOK.encode(TEXT)
FIELDS: dict[str, Any] = json.loads(dump(TOK, "hf")["tokenizer.json"])
RANKS = dump(TOK, "tiktoken")["the.tiktoken"]
VOCAB, MERGES = dump(TOK, "gpt2").values()
TRUNCATION = {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}
PADDING = {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0}
PLAIN = dict.fromkeys(("single_word", "rstrip", "normalized"), False)
PADDING |= {"pad_type_id": 0, "pad_token": "!"}
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:abababab\nsize 9085657\n"
PAGE = b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>\n<body>nope</body></html>\n"
GATE = b'{"error":"Access to model example/model is restricted. You must be authenticated to access it."}'
CONFIG = b'{"architectures": ["LlamaForCausalLM"], "vocab_size": 259}'
WEIGHTS = (70_000).to_bytes(8, "little") + b'{"w": {"dtype": "F32"' + b" " * 70_000 + bytes(9_000)


def changed(**fields: Any) -> bytes:
    """The tokenizer.json with other fields; those of the model begin with model_."""
    model = {name.removeprefix("model_"): fields.pop(name) for name in [*fields] if name.startswith("model_")}
    return json.dumps(FIELDS | fields | {"model": FIELDS["model"] | model}).encode()


@dataclass(frozen=True)
class Case:
    """Files that are opened together. pattern: to be said beside them. says: what is told of them, if they open too."""

    files: dict[str, bytes]
    says: str
    opens: bool = False
    pattern: str | None = None


CASES = {
    "truncation": Case({"tokenizer.json": changed(truncation=TRUNCATION)}, "has truncation, left aside", True),
    "padding": Case({"tokenizer.json": changed(padding=PADDING)}, "has padding, left aside", True),
    "dropout": Case({"tokenizer.json": changed(model_dropout=0.5)}, "has dropout, left aside", True),
    "git-lfs": Case({"tokenizer.json": POINTER}, "tokenizer.json is a pointer of git-lfs, and not the file itself."),
    "a page": Case({"html.tiktoken": PAGE}, "html.tiktoken is a web page, “404 Not Found”."),
    "an answer": Case(
        {"gate.json": GATE}, "is an answer of a server, “Access to model example/model is restricted. You"
    ),
    "empty": Case({"zero.tiktoken": b""}, "zero.tiktoken is empty."),
    "blank lines": Case({"blank.tiktoken": RANKS + b"\n\n"}, "", True, "gpt2"),
    "an id twice": Case(
        {"dup.tiktoken": RANKS + b"eno= 258\n"}, "gives the id 258 twice, at line 259 and at line 260.", False, "gpt2"
    ),
    "merges out of order": Case(
        {"vocab.json": VOCAB, "merges.txt": "#version: 0.2\nĠ the\nt h\nth e\n".encode()},
        "merges.txt merges 'Ġ' and 'the' (number 2), but only a later merge, number 4, makes 'the'.",
        False,
        "gpt2",
    ),
    "a folder with config.json": Case({"config.json": b"{}", "tokenizer.json": changed()}, "config.json", True),
    "a folder with README.md": Case({"README.md": b"x", "tokenizer.json": changed()}, "README.md", True),
    "a whole model folder": Case(
        {
            "config.json": CONFIG,
            "merges.txt": MERGES,
            "model.safetensors": WEIGHTS,
            "tokenizer.json": changed(),
            "tokenizer_config.json": b'{"tokenizer_class": "GPT2Tokenizer"}',
            "vocab.json": VOCAB,
        },
        "config.json, model.safetensors",
        True,
    ),
}


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """A file alone, or the folder of several."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder if len(files) > 1 else folder / next(iter(files))


@pytest.mark.right
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_in_the_library_and_in_a_terminal(case: Case, tmp_path: Path) -> None:
    (folder := tmp_path / "model").mkdir()
    (text := tmp_path / "text.txt").write_text(TEXT)
    path = write(folder, case.files)
    if case.pattern:
        asked = ["--pattern", case.pattern, "--special-tokens", "none", "--no-proof"]
        ended = call("convert", path, "--to", "tokviz", "-o", path := tmp_path / "made.json", *asked)
    if case.opens:
        counted = call("encode", text, "-t", path)
        assert [*map(int, counted.stdout.split())] == IDS
        ended = ended if case.pattern else counted
    elif not case.pattern:
        ended = call("count", text, "-t", path)
    assert (ended.exit_code == 0) == case.opens and all(word in ended.stderr for word in case.says.split(", "))
    assert "no format" not in ended.stderr
    asked: dict[str, Any] = {"pattern": case.pattern, "special_tokens": {}} if case.pattern else {}
    if not case.opens:
        with pytest.raises(FormatError, match=re.escape(case.says)):
            tokviz.load(folder, **asked)
    else:
        tok = tokviz.load(folder, **asked)
        assert isinstance(tok, Tokenizer) and tok.encode(TEXT) == IDS and len(tok.merges) == 3


@pytest.mark.right
def test_on_the_library_page(app: AppTest) -> None:
    at(app, "library")
    for name, case in CASES.items():
        upload(app, *case.files.items())
        said = notes(app)
        assert ("can be opened" in said) == case.opens, name
        assert case.says.removesuffix(".") in said, name
        if case.opens:
            (told,) = blocks(app, "note")
            assert bool(case.pattern) == ("Choose below" in told["way_out"]), name
            button(app, "Leave it out").click().run()


@pytest.mark.right
def test_a_bare_name_of_a_folder_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b").mkdir()
    write(tmp_path / "b", CASES["a folder with README.md"].files)
    monkeypatch.chdir(tmp_path)
    found = call("encode", "-t", "b", stdin=TEXT)
    assert found.stdout.split() == [*map(str, IDS)] and "README.md" in found.stderr


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "Sequence", "normalizers": []}},
        {"model_byte_fallback": True, "model_fuse_unk": True},
        {"model_dropout": 0.0},
    ],
    ids=str,
)
def test_what_changes_nothing_leaves_the_merges(change: dict[str, Any]) -> None:
    data, said = changed(**change), []
    tok = open_files({"tokenizer.json": data}, say=said.append)
    assert isinstance(tok, Tokenizer) and not said
    for text in (TEXT, "naïve \ud83d\ude00 日本"):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16")
        assert tok.encode(text) == tokenizers.Tokenizer.from_buffer(data).encode(text).ids


def test_a_peer_leaves_the_same_aside() -> None:
    said: list[str] = []
    data = changed(normalizer={"type": "StripAccents"}, truncation=TRUNCATION, padding=PADDING)
    assert isinstance(open_files({"x.json": data}, say=said.append), Peer)
    assert said == ["x.json has truncation and padding, left aside here: texts are encoded whole."], "of no merges"
    said.clear()
    with pytest.raises(FormatError):
        open_files({"x.json": changed(pre_tokenizer={"type": "?"}, truncation=TRUNCATION)}, say=said.append)
    assert not said, "a file that is refused has nothing left aside"


def test_a_peer_says_which_part_of_its_file_tokviz_does_not_honour() -> None:
    sealed = changed(normalizer={"type": "StripAccents"})
    with pytest.raises(FormatError) as refused:
        load({"x.json": sealed})
    peer = open_files({"x.json": sealed}).renamed("sealed")
    with pytest.raises(SettingError) as caught:
        same(peer, peer)
    assert str(caught.value) == f"The merges of sealed are not known: {refused.value}"
    (found,), _ = found_in({"x.json": sealed}, 1)
    assert found.told()[1].endswith(f"so tokviz has no merges to show. {refused.value}")


# -- tiktoken's files --


@pytest.mark.right
@pytest.mark.parametrize(
    "data",
    [
        b"\n\n" + RANKS + b"\n\n\n",
        RANKS.replace(b" ", b"\t"),
        RANKS.replace(b" ", b"  ").replace(b"\n", b" \n"),
        RANKS.replace(b"\n", b"\r\n") + b"\r\n",
        RANKS.replace(b"\n", b"\r").removesuffix(b"\r"),
    ],
    ids=range(5),
)
def test_rank_files_are_read_as_tiktoken_reads_them(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.tiktoken").write_bytes(data)
    ranks = tiktoken.load.load_tiktoken_bpe(str(tmp_path / "x.tiktoken"))
    theirs = tiktoken.Encoding("x", pat_str=pattern_of("gpt2"), mergeable_ranks=ranks, special_tokens={})
    assert (
        open_files({"x.tiktoken": data}, pattern="gpt2", special_tokens={}).encode(TEXT) == theirs.encode(TEXT) == IDS
    )


# -- what comes in the place of a tokenizer --


def zipped(name: str) -> bytes:
    with zipfile.ZipFile(made := io.BytesIO(), "w") as archive:
        archive.writestr(name, changed())
    return made.getvalue()


def split_gguf(number: int) -> bytes:
    path = io.BytesIO()
    values = [("general.architecture", 8, "llama"), ("split.no", 2, number), ("split.count", 2, 3)]
    path.write(b"GGUF" + (3).to_bytes(4, "little") + bytes(8) + len(values).to_bytes(8, "little"))
    for name, kind, value in values:
        path.write(len(name).to_bytes(8, "little") + name.encode() + kind.to_bytes(4, "little"))
        text = isinstance(value, str)
        path.write(len(value).to_bytes(8, "little") + value.encode() if text else value.to_bytes(2, "little"))
    return path.getvalue()


NEIGHBOURS: dict[str, tuple[str, bytes, str]] = {
    "git-xet": ("tokenizer.json", b"# xet version 0\nfilesize = 12\nhash = 'ab'\n", "a pointer of git-xet"),
    "git-annex, unlocked": ("vocab.json", b"/annex/objects/SHA256E-s12--ab.json\n", "a pointer of git-annex"),
    "DVC": ("tokenizer.json.dvc", b"outs:\n- md5: ab\n  size: 12\n  path: tokenizer.json\n", "a pointer of DVC"),
    "a link as text": ("tokenizer.json", b"../../blobs/0f0f0f0f", "the text of a symbolic link"),
    "HTML with a mark": ("x.json", b"\xef\xbb\xbf" + PAGE, "a web page, “404 Not Found”"),
    "the answer of a hub": ("tokenizer.json", b"Entry not found", "an answer of a server"),
    "an answer with detail": ("tokenizer.json", b'{"detail": "Rate limited"}', "an answer of a server, “Rate limited”"),
    "XML of a store": (
        "tokenizer.json",
        b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
        "XML, as some servers answer, “Access Denied”",
    ),
    "zstd": ("tokenizer.json", b"\x28\xb5\x2f\xfd" + bytes(9), "compressed, or an archive"),
    "white space": ("tokenizer.json", b" \n\n", "empty"),
    "gzip of a tokenizer": ("tokenizer.json.gz", gzip.compress(changed()), "compressed by gzip"),
    "zip of a model": ("model.zip", zipped("tokenizer.json"), "a zip archive"),
    "weights of PyTorch": ("pytorch_model.bin", zipped("archive/data.pkl"), "the weights of a model"),
    "a pickle": ("tokenizer.pkl", b"\x80\x04\x95\0\0\0\0\0\0\0\0}.", "a pickle of Python"),
    "weights of safetensors": ("model.safetensors", WEIGHTS, "the weights of a model"),
    "the format before GGUF": ("model.bin", b"lmgg" + bytes(20), "the format that came before GGUF"),
    "part 2 of 3 of GGUF": ("m-00002-of-00003.gguf", split_gguf(1), "part 2 of a model that was split"),
    "GGUF without a tokenizer": ("mmproj.gguf", split_gguf(0), "has no tokenizer in its metadata"),
    "a picture": ("x.png", b"\x89PNG\r\n", "a picture"),
    "config.json": ("config.json", CONFIG, "a configuration, and no tokenizer"),
    "the index of weights": ("model.safetensors.index.json", b'{"metadata": {}, "weight_map": {}}', "a configuration"),
    "other JSON": ("tokenizer.json", b'{"a": 1.5, "b": 2}', "JSON with the names 'a', 'b', and no tokenizer"),
    "merges.txt alone": ("merges.txt", MERGES, "has merges, but no ids. Add encoder.json or vocab.json."),
    "cut off": ("tokenizer.json", changed()[:-9], "is damaged"),
    **{
        f"{codec}, {'with' if mark else 'without'} a mark": (
            "tokenizer.json",
            mark.encode(codec) + changed().decode().encode(codec),
            "not UTF-8: it " + ("begins with the mark of " if mark else "looks like ") + codec[:6].upper(),
        )
        for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
        for mark in ("", "\ufeff")
    },
}


@pytest.mark.right
@pytest.mark.parametrize(("name", "data", "says"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_what_came_in_the_place_of_a_tokenizer_is_named(name: str, data: bytes, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        open_files({f"models/{name}": data})
    assert caught.value.what.startswith(f"models/{name} ") and says in str(caught.value)
    assert caught.value.way_out and name not in caught.value.way_out


def test_no_tokenizer_is_taken_for_something_else() -> None:
    tok = tokviz.reference("gpt2")
    for key in ("tokviz", "tiktoken", "gpt2", "vocab-merges", "hf"):
        if key == "tokviz" or not tok.lookups:
            for part, data in dump(tok, key).items():
                assert recognise(InputFile(part, data)) or part == "tokenizer_config.json", (key, part)


@given(
    st.dictionaries(
        st.sampled_from(["error", "message", "model_type", "bos_token", "a"]), st.integers(0, 9), min_size=1
    )
)
def test_a_vocabulary_may_have_any_words(ids: dict[str, int]) -> None:
    assert recognise(InputFile("vocab.json", json.dumps(ids).encode())) == ("gpt2", "ids")


# -- folders --

FOLDERS: dict[str, tuple[dict[str, bytes], str]] = {
    "ranks beside a configuration": ({"a.tiktoken": RANKS, "params.json": CONFIG}, ""),
    "two files beside a list of added ids": (
        {"vocab.json": VOCAB, "merges.txt": MERGES, "added_tokens.json": b'{"<think>": 300}', "config.json": CONFIG},
        "",
    ),
    "GGUF beside a licence": (in_gguf(TOK) | {"LICENSE": b"MIT", "x.json": b'{"error": "no"}'}, ""),
    "only others": (
        {"README.md": b"x", "config.json": CONFIG},
        "There is no tokenizer in the folder .*, but README.md and config.json.",
    ),
    "a pointer of git-lfs": ({"config.json": CONFIG, "tokenizer.model": POINTER}, "a pointer of git-lfs"),
    "a part that is a pointer": ({"vocab.json": VOCAB, "merges.txt": POINTER}, "merges.txt is a pointer of git-lfs"),
    "two tokenizers": (
        {"a.json": dump(TOK, "tokviz")["the.json"], "b.json": dump(TOK, "tokviz")["the.json"]},
        "are the same part of a tokenizer",
    ),
}


@pytest.mark.right
@pytest.mark.parametrize(("files", "says"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_is_the_tokenizer_in_it(files: dict[str, bytes], says: str, tmp_path: Path) -> None:
    write(tmp_path, files)
    asked: dict[str, Any] = {"special_tokens": {}, "pattern": "gpt2"}
    if says:
        with pytest.raises(FormatError, match=says):
            tokviz.load(tmp_path, **asked)
    else:
        assert tokviz.load(tmp_path, **({} if "LICENSE" in files else asked)).encode(TEXT) == IDS


def test_weights_in_a_folder_are_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.tiktoken": RANKS, "model.safetensors": WEIGHTS})
    with (tmp_path / "model.safetensors").open("r+b") as file:
        file.truncate(1 << 40)  # a sparse file: to read it would take all memory
    assert tokviz.load(tmp_path, pattern="gpt2", special_tokens={}).encode(TEXT) == IDS


# -- texts that are not UTF-8 --

FRENCH = "Le café est déjà prêt. « Très bientôt », dit-elle à l'élève.\n" * 9
RUSSIAN = "Привет, мир! Это русский текст с разными словами.\n" * 9
CHINESE = "你好,世界!这是一个中文文本,有几个句子。\n" * 9
JAPANESE = "カタカナとひらがなと漢字。\nこれは日本語のテキストです。\n" * 9
ENCODED = [
    (FRENCH, "latin-1", "may be Latin-1"),
    *((RUSSIAN, codec, "another encoding") for codec in ("koi8-r", "cp1251")),
    *((JAPANESE, codec, "another encoding") for codec in ("shift-jis", "euc-jp")),
    ("She said “don’t” – and left.\n", "cp1252", "another encoding"),
    *(
        (text, codec, f"looks like {codec[:6].upper()}")
        for text in ("<!DOCTYPE html>\r\n", RUSSIAN, CHINESE)
        for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
    ),
    *((FRENCH, codec, f"begins with the mark of {codec.upper()}") for codec in ("utf-16", "utf-32")),
]


@pytest.mark.right
@pytest.mark.parametrize(("text", "codec", "says"), ENCODED, ids=lambda value: str(value)[:20])
def test_a_text_in_another_encoding_is_named(text: str, codec: str, says: str, tmp_path: Path) -> None:
    data = text.encode(codec, "replace")
    with pytest.raises(InputError) as caught:
        tokviz.read_text(data, "notes.txt")
    assert says in str(caught.value) and ("Latin-1" in str(caught.value)) == (says == "may be Latin-1")
    # the same in the two other ways in which texts come in
    (path := tmp_path / "notes.txt").write_bytes(data)
    row = json.dumps({"text": text}, ensure_ascii=False) + "\n"
    (rows := tmp_path / "rows.jsonl").write_bytes(row.encode(codec, "replace"))
    with pytest.raises(InputError, match=says):
        tokviz.count_chunks(path)
    with pytest.raises(InputError, match=says):
        [*texts_in_column([rows], "text")]


@example(["abc", "def"] * 30)
@given(st.lists(st.text("abc 123", min_size=1), min_size=2))
def test_words_with_zeros_between_them_are_no_utf_16(words: list[str]) -> None:
    if any(len(word) % 2 == 0 for word in words) and any(len(word) > 3 for word in words):
        assert tokviz.read_text("\0".join(words).encode()).text == "\0".join(words)


@pytest.mark.right
def test_a_file_that_is_not_utf8_is_an_error_where_it_was_named(tmp_path: Path) -> None:
    (tmp_path / "u16.htm").write_bytes("<!DOCTYPE html>\r\n".encode("utf-16"))
    (tmp_path / "a.txt").write_text("the cat")
    found = call("count", tmp_path, "-t", "gpt2")
    assert found.exit_code == 0 and "u16.htm is not UTF-8: it begins with the mark of UTF-16." in found.stderr
    named = call("count", tmp_path / "u16.htm", "-t", "gpt2")
    assert named.exit_code == 1 and not named.stdout
    assert named.stderr.startswith("Error: ") and "mark of UTF-16. Save it as UTF-8" in named.stderr
    both = call("count", tmp_path / "u16.htm", tmp_path / "a.txt", "-t", "gpt2")
    assert both.exit_code == 1 and "total of 1 file" in both.stdout
    piped = call("count", "-", "-t", "gpt2", stdin="the cat".encode("utf-16-le"))
    assert piped.exit_code == 1 and "looks like UTF-16" in piped.stderr


# -- rows of JSON --


@pytest.mark.right
@pytest.mark.parametrize("line", [rb'{"text": "a\ud83d b"}', b'{"text": "caf\xe9"}'], ids=["half", "bytes"])
def test_rows_are_repaired_only_where_that_is_asked_for(line: bytes, tmp_path: Path) -> None:
    (rows := tmp_path / "rows.jsonl").write_bytes(b'\xef\xbb\xbf{"text": "one"}\n' + line + b"\n")
    with pytest.raises(InputError, match=r"rows\.jsonl.*line 2"):
        [*texts_in_column([rows], "text")]
    first, second = texts_in_column([rows], "text", repair=True)
    assert first == "one" and second in ("a\ufffd b", "caf\ufffd")
    asked = ["train", rows, "--column", "text", "--vocab-size", 257, "-o"]
    assert call(*asked, tmp_path / "a.json").exit_code == 1
    assert call(*asked, tmp_path / "a.json", "--repair").exit_code == 0


@pytest.mark.right
@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_rows_that_were_not_downloaded_are_named(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="reading Parquet needs pyarrow")
    (tmp_path / name).write_bytes(POINTER)
    with pytest.raises(InputError, match=rf"^{name} is a pointer of git-lfs"):
        [*texts_in_column([tmp_path / name], "text")]
