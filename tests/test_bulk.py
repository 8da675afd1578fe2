"""Files encoded in bulk: the ids are tiktoken's, and a run that was killed goes on where it stopped."""

from __future__ import annotations

import errno
import functools
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import tokviz
from tests.oracles import witness
from tokviz import reading, samples
from tokviz.bulk import Report, Source, blocks, encode_files, running
from tokviz.bulk.manifest import NAME
from tokviz.bulk.writers import dtype_for
from tokviz.errors import FormatError, PatternError, SettingError, TokvizError
from tokviz.same import fingerprint

ROOT = Path(__file__).parents[1]
GPT2 = tokviz.reference("gpt2")

known_fingerprint = functools.cache(fingerprint)


def run(*paths: Path, to: Path, tok: tokviz.Tokenizer = GPT2, **how: object) -> Report:
    sources = [Source(path, path.name, path.name) for path in paths]
    *_, last = encode_files(sources, to, tok, **how)  # type: ignore[arg-type]
    assert last.report
    assert last.tokens == sum(row.tokens for row in last.report.encoded) or last.report.skipped
    assert last.done == last.of
    return last.report


@pytest.fixture(autouse=True)
def fingerprints_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "fingerprint", known_fingerprint)


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "texts" / f"{sample.key}.txt" for sample in samples.samples()]
    paths[0].parent.mkdir()
    for path, sample in zip(paths, samples.samples(), strict=True):
        path.write_bytes(sample.text.encode())
    return paths


# -- the ids --


@pytest.mark.parametrize(("name", "large"), [("gpt2", False), ("cl100k_base", True)])
def test_the_ids_are_those_of_tiktoken(
    texts: list[Path], tmp_path: Path, name: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(running, "SMALL", 0)
        monkeypatch.setattr(blocks, "BLOCK", 700)
    report = run(*texts, to=tmp_path / "ids", tok=tokviz.reference(name))
    assert len(report.encoded) == len(texts) and not report.skipped
    for path in texts:
        ids = np.load(tmp_path / "ids" / f"{path.name}.npy", mmap_mode="r")
        assert ids.dtype == ("uint16" if name == "gpt2" else "uint32")
        assert ids.tolist() == witness(name).encode_ordinary(path.read_bytes().decode())


def test_parquet_has_a_column_of_the_same_ids(
    texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokviz.bulk.writers.ROW_GROUP", 50)
    monkeypatch.setattr(blocks, "BLOCK", 100)
    (tmp_path / "empty").touch()
    run(*texts, tmp_path / "empty", to=tmp_path / "ids", kind="parquet")
    for path in [*texts, tmp_path / "empty"]:
        table = parquet.read_table(tmp_path / "ids" / f"{path.name}.parquet")
        assert table.column_names == ["ids"] and str(table.schema.types[0]) == "uint16"
        assert table["ids"].to_pylist() == GPT2.encode_ordinary(path.read_bytes().decode())


def test_without_pyarrow_parquet_is_refused_before_the_work(
    texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SettingError, match=r"need the package pyarrow.*or write \.npy"):
        run(*texts, to=tmp_path / "ids", kind="parquet")
    assert not (tmp_path / "ids").exists()


def test_a_long_word_makes_a_long_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK", 1_000)
    monkeypatch.setattr(blocks, "BLOCK", 700)
    monkeypatch.setattr(blocks, "WINDOW", 50)
    path = tmp_path / "long.txt"
    path.write_text("so " * 500 + "a" * 50_000 + " it goes" * 500)
    run(path, to=tmp_path)
    assert np.load(tmp_path / "long.txt.npy").tolist() == GPT2.encode(path.read_text())


def test_a_type_holds_the_highest_id() -> None:
    assert [dtype_for(n).name for n in (256, 1 << 16, (1 << 16) + 1)] == ["uint16", "uint16", "uint32"]
    assert GPT2.n_vocab == 50_257 and tokviz.reference("cl100k_base").n_vocab > 1 << 16


# -- what is in a file --


def test_files_that_are_no_texts_are_skipped_and_the_others_are_encoded(tmp_path: Path) -> None:
    inside = {"latin": b"caf\xe9", "mark": b"\xef\xbb\xbfhi", "empty": b"", "plain": b"hi", "rows.jsonl": b'{"a": 1}\n'}
    for name, data in inside.items():
        (tmp_path / name).write_bytes(data)
    os.mkfifo(tmp_path / "pipe")
    paths = [*map(tmp_path.joinpath, (*inside, "pipe", "gone")), tmp_path]
    report = run(*paths, to=tmp_path / "ids")
    assert {row.input for row in report.encoded} == {"mark", "empty", "plain", "rows.jsonl"}
    assert [(one.path, one.not_utf8) for one in sorted(report.skipped, key=lambda one: one.path)] == [
        ("gone", False),
        ("latin", True),
        ("pipe", False),
        (tmp_path.name, False),
    ]
    ids = {path.name: np.load(path, mmap_mode="r").tolist() for path in (tmp_path / "ids").glob("*.npy")}
    expected = {"mark": "hi", "empty": "", "plain": "hi", "rows.jsonl": '{"a": 1}\n'}
    assert ids == {f"{name}.npy": GPT2.encode(text) for name, text in expected.items()}
    repaired = run(*paths, to=tmp_path / "ids", repair=True)
    assert [(row.input, row.repaired) for row in repaired.encoded] == [("latin", 1)] and len(repaired.finished) == 4
    assert np.load(tmp_path / "ids" / "latin.npy").tolist() == GPT2.encode("caf\ufffd")


def test_a_file_that_cannot_be_read_any_more_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / "mine", tmp_path / "of another"]
    for path in paths:
        path.write_text("hi")
    really = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == paths[1]:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return really(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    report = run(*paths, to=tmp_path / "ids", repair=True)
    assert [row.input for row in report.encoded] == ["mine"]
    assert [(one.why, one.not_utf8) for one in report.skipped] == [("it cannot be read: Permission denied", False)]


def test_special_tokens_are_read_as_such_when_asked_for(tmp_path: Path) -> None:
    path, text = tmp_path / "documents.txt", "one<|endoftext|>two <|endoftext|>"
    path.write_text(text)
    run(path, to=tmp_path / "text")
    run(path, to=tmp_path / "special", special=True)
    assert np.load(tmp_path / "text" / "documents.txt.npy").tolist() == GPT2.encode_ordinary(text)
    assert np.load(tmp_path / "special" / "documents.txt.npy").tolist() == GPT2.encode(text, allowed_special="all")
    with pytest.raises(SettingError, match="special tokens were read as text, and would now be read as such"):
        run(path, to=tmp_path / "text", special=True)


def test_a_pattern_that_does_not_cover_a_file_skips_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 5)
    path = tmp_path / "gap.txt"
    path.write_text("one two three, four")
    tok = tokviz.Tokenizer("words", [], pattern=r"\w+| ")
    (skipped,) = run(path, to=tmp_path / "ids", tok=tok).skipped
    assert re.search(r"In the part of it that begins at byte \d+: .*does not cover", skipped.why)
    assert not skipped.not_utf8 and [one.name for one in (tmp_path / "ids").iterdir()] == [NAME]
    with pytest.raises(PatternError):
        tok.encode(path.read_text())


def test_a_file_that_changes_while_it_is_read_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.txt"
    path.write_text("one")

    def encode_and_append(*arguments: object) -> object:
        path.write_text("one two")
        return blocks.encode_block(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(running, "encode_block", encode_and_append)
    (skipped,) = run(path, to=tmp_path / "ids").skipped
    assert skipped.why == "it changed while it was read" and not (tmp_path / "ids" / "log.txt.npy").exists()


# -- going on --


@pytest.mark.parametrize("kills", [4, pytest.param(300, marks=pytest.mark.long)])
def test_a_killed_run_goes_on_and_leaves_nothing_half_written(kills: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.killed_encodings", str(tmp_path), str(kills)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert re.fullmatch(rf"[1-9]\d* of {kills} killed, [1-9].* half written and removed\n", done.stdout), done.stdout


def test_what_is_finished_is_not_encoded_again(
    texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(*texts, to=tmp_path / "ids")
    monkeypatch.setattr(running, "encode_block", None)
    again = run(*texts, to=tmp_path / "ids", threads=1)
    assert again.encoded == () and sorted(map(str, again.finished)) == sorted(map(str, first.encoded))
    os.utime(texts[0], ns=(0, 0))  # the same bytes, though written at another time
    assert len(run(*texts, to=tmp_path / "ids").finished) == len(texts)
    monkeypatch.setattr("tokviz.bulk.outputs._sha256", None)  # the manifest knows the new time, so it is not read again
    assert len(run(*texts, to=tmp_path / "ids").finished) == len(texts)


def test_other_texts_and_other_tokenizers_are_never_mixed_in(texts: list[Path], tmp_path: Path) -> None:
    ids = tmp_path / "ids"
    first = run(*texts, to=ids)
    before = {path: path.read_bytes() for path in ids.iterdir()}
    with pytest.raises(SettingError, match="of the tokenizer 'gpt2', which is not this 'r50k_base'"):
        run(*texts, to=ids, tok=tokviz.reference("r50k_base").with_special_tokens({}))
    with pytest.raises(SettingError, match="of another tokenizer that is called 'gpt2' too"):
        run(*texts, to=ids, tok=GPT2.with_special_tokens({}))
    with pytest.raises(SettingError, match="of the tokenizer 'gpt2'"):
        run(*texts, to=ids, tok=tokviz.reference("cl100k_base"), replace=True)
    with pytest.raises(SettingError, match="they are npy, and would now be parquet"):
        run(*texts, to=ids, kind="parquet", replace=True)
    texts[0].write_bytes(texts[0].read_bytes().swapcase())
    os.utime(texts[0], ns=(0, next(row.modified_ns for row in first.encoded if row.input == texts[0].name)))
    (ids / f"{texts[1].name}.npy").write_bytes(b"short")
    with pytest.raises(SettingError, match=r"is not the text that .* was made of.* 1 other output cannot"):
        run(*texts, to=ids)
    assert {path: path.read_bytes() for path in ids.iterdir()} == before | {ids / f"{texts[1].name}.npy": b"short"}
    assert {row.input for row in run(*texts, to=ids, replace=True).encoded} == {path.name for path in texts[:2]}
    for path in texts:
        assert np.load(ids / f"{path.name}.npy").tolist() == GPT2.encode_ordinary(path.read_bytes().decode())
    assert run(*texts, to=ids, tok=GPT2.renamed("another name")).encoded == ()


def test_a_manifest_that_is_torn_or_damaged(texts: list[Path], tmp_path: Path) -> None:
    ids, texts = tmp_path / "ids", texts[:3]
    run(*texts, to=ids)
    manifest = ids / NAME
    head, *rows = manifest.read_bytes().splitlines(keepends=True)
    *kept, last = rows
    for torn in (last[:-1], last[:40], b"\0" * 30, b"\xff\n", b"[]\n", b"{}\n", b"[" * 10_000):
        manifest.write_bytes(head + b"".join(kept) + torn)
        if torn != last[:-1]:
            with pytest.raises(SettingError, match="is in the folder already, and its manifest does not know it"):
                run(*texts, to=ids)
        (ids / json.loads(last)["output"]).unlink()  # which never got its name
        assert [row.output for row in run(*texts, to=ids).encoded] == [json.loads(last)["output"]]
        assert len(run(*texts, to=ids).finished) == len(texts)
    for change in ({"tokens": -1}, {"output_bytes": "9"}, {"sha256": "0"}, {"more": 1}):
        row = json.dumps({**json.loads(last), **change}).encode() + b"\n"
        manifest.write_bytes(head + b"".join(kept) + row)
        with pytest.raises(SettingError, match="does not know it"):
            run(*texts, to=ids)
    for first, said in (
        (b"", "is damaged"),
        (head[:-9] + b"\n", "is damaged"),
        (b"\xff\n", "is damaged"),
        (head.replace(b'"version": 1', b'"version": 2'), "has version 2, and this tokviz reads version 1"),
    ):
        manifest.write_bytes(first + b"".join(rows))
        with pytest.raises(FormatError, match=said):
            run(*texts, to=ids)


def test_two_runs_do_not_write_to_one_folder(texts: list[Path], tmp_path: Path) -> None:
    sources = [Source(path, path.name, path.name) for path in texts]
    under_way = encode_files(sources, tmp_path / "ids", GPT2)
    next(under_way)
    with pytest.raises(SettingError, match="Another process writes encoded files to ids"):
        run(*texts, to=tmp_path / "ids")
    under_way.close()  # type: ignore[attr-defined]
    assert len(run(*texts, to=tmp_path / "ids").encoded) == len(texts)


# -- disks that refuse --


@pytest.mark.parametrize(("number", "said"), [(errno.EROFS, "the disk can only be read"), (errno.EACCES, "may not")])
def test_a_folder_that_can_only_be_read(
    number: int, said: str, texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = tmp_path / "ids"
    ids.mkdir()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    for step in ("open", "mkdir"):
        with monkeypatch.context() as patched:
            patched.setattr(os, step, refuse)
            with pytest.raises(SettingError, match=f"cannot be written: .*{said}"):
                run(*texts, to=ids if step == "open" else ids / "below")
    assert [*ids.iterdir()] == []


@pytest.mark.parametrize("kind", ["npy", "parquet"])
@pytest.mark.parametrize("large", [False, True])
def test_a_disk_that_is_full_ends_the_run_and_keeps_what_is_whole(
    kind: str, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(running, "SMALL", 0)
    short, long = tmp_path / "short", tmp_path / "long"
    short.write_text("short")
    long.write_text("".join(map(str, range(20_000))))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    run(short, to=tmp_path / "ids", kind=kind)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(SettingError, match=rf"long\.{kind} cannot be written: it is larger than a file may be"):
            run(short, long, to=tmp_path / "ids", kind=kind)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert {path.name for path in (tmp_path / "ids").iterdir()} == {NAME, f"short.{kind}"}
    assert [row.input for row in run(short, long, to=tmp_path / "ids", kind=kind).encoded] == ["long"]


def test_a_disk_without_room_for_the_manifest(tmp_path: Path) -> None:
    paths, ids = [tmp_path / "one", tmp_path / "two"], tmp_path / "ids"
    for path in paths:
        path.write_text("short")
    run(paths[0], to=ids)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((ids / NAME).stat().st_size + 20, before[1]))
    try:
        with pytest.raises(SettingError, match=rf"{NAME} cannot be written: it is larger than a file may be"):
            run(*paths, to=ids)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert {path.name for path in ids.iterdir()} == {NAME, "one.npy"}
    assert [row.input for row in run(*paths, to=ids).encoded] == ["two"]
    assert [row.input for row in run(*paths, to=ids).finished] == ["one", "two"]


def test_two_files_of_one_output_and_wrong_settings_are_refused(tmp_path: Path) -> None:
    sources = [Source(tmp_path / name, name, "same.txt") for name in ("a/same.txt", "b/same.txt")]
    with pytest.raises(SettingError, match=r"a/same\.txt and b/same\.txt would have one output"):
        [*encode_files(sources, tmp_path / "ids", GPT2)]
    for name in ("../same.txt", str(tmp_path / "same.txt")):
        with pytest.raises(SettingError, match="is no name inside of a folder"):
            [*encode_files([Source(tmp_path / "same.txt", "same.txt", name)], tmp_path / "ids", GPT2)]
    for how in ({"threads": 0}, {"threads": 1.5}, {"kind": "csv"}):
        with pytest.raises(TokvizError):
            run(to=tmp_path / "ids", **how)
    assert not (tmp_path / "ids").exists()


def test_names_that_no_output_can_have_are_refused_before_the_work(tmp_path: Path) -> None:
    ids, paths = tmp_path / "ids", [tmp_path / name for name in ("a", "x" * 253, "B", "b")]
    for path in paths:
        path.write_text("hi")
    with pytest.raises(SettingError, match="cannot be written: its name is too long"):
        run(*paths, to=ids)
    (ids / NAME.upper()).touch()  # as if capital letters made no difference there
    with pytest.raises(SettingError, match="B and b would have one output"):
        run(*paths[2:], to=ids)
    assert {path.name for path in ids.iterdir()} == {NAME, NAME.upper()}
    run(paths[0], to=ids)
    (ids / "a.npy").unlink()
    (ids / "a.npy").mkdir()
    with pytest.raises(SettingError, match=r"a\.npy is not as it was written: it is no file"):
        run(paths[0], to=ids)
    with pytest.raises(SettingError, match=r"a\.npy cannot be written: a folder has this name"):
        run(paths[0], to=ids, replace=True)
