"""`tokviz count`: the counts are tiktoken's, and of a folder the files that git sees."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.progress import Progress, TaskID

import tokviz
from tests.command_line import ROOT, call, good
from tests.oracles import witness
from tokviz.cli import count, terminal, texts, walk

NAMES = ("gpt2", "cl100k_base", "o200k_base", "o200k_harmony")
WITNESS = {name: name for name in NAMES} | {"o200k_harmony": "o200k_base"}  # they differ in special tokens alone


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def tree(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in walk.files_in(folder)]


def test_the_counts_of_this_repository_are_those_of_tiktoken() -> None:
    options = [word for name in NAMES for word in ("-t", name)]
    counted = json.loads(good("count", ROOT / "README.md", ROOT / "tokviz" / "data", *options, "--json"))
    names = {Path(one["path"]).relative_to(ROOT).as_posix() for one in counted["files"]}
    assert {"README.md", "tokviz/data/models.toml", "tokviz/data/samples/story.txt"} <= names
    for one in counted["files"]:
        text = Path(one["path"]).read_bytes().decode()
        assert one["bytes"] == len(text.encode())
        assert one["tokens"] == {name: len(witness(WITNESS[name]).encode_ordinary(text)) for name in NAMES}
    total = counted["total"]
    assert total["files"] == len(counted["files"]) and total["bytes"] == sum(one["bytes"] for one in counted["files"])
    assert total["tokens"] == {name: sum(one["tokens"][name] for one in counted["files"]) for name in NAMES}


def test_the_table_has_a_line_a_file_and_the_totals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"b.txt": "hello world", "a/c\x1b.txt": "", "\u65e5.txt": "hello " * 1_000})
    lines = good("count", ".", "-t", "gpt2", "-t", "gpt-4o").splitlines()
    assert lines == [
        " gpt2  gpt-4o  bytes  file",
        "    0       0      0  a/c␛.txt",
        "    2       2     11  b.txt",
        "1,001   1,001  6,000  \u65e5.txt",
        "1,003   1,003  6,011  total of 3 files",
    ]


def test_what_is_not_utf8_is_skipped_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # half a character at the end of what is read first is no fault
    write(
        tmp_path, {"a.txt": "a", "b.txt": b"caf\xe9", "c.bin": b"\xff" * (1 << 20), "d.txt": "a" + "\u00e9" * (1 << 16)}
    )
    result = call("count", ".", "-t", "gpt2", "--json")
    counted = json.loads(result.stdout)
    assert result.exit_code == 0 and [one["path"] for one in counted["files"]] == ["a.txt", "d.txt"]
    assert [(one["path"], one["not_utf8"]) for one in counted["skipped"]] == [("b.txt", True), ("c.bin", True)]
    said = call("count", ".", "-t", "gpt2").stderr
    assert said.startswith("Skipped 2 files:\n  b.txt is not UTF-8: byte 3 (line 1) is E9")


def test_a_file_that_is_no_utf_8_has_a_way_out_that_count_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"l1.txt": b"caf\xe9 cr\xe8me"})
    said = call("count", "l1.txt", "-t", "gpt2").stderr
    assert said.endswith("It may be Latin-1. Save it as UTF-8 and try again.\n"), "it has no --repair"


def test_what_cannot_be_read_is_named_and_the_exit_code_is_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.txt": "a", "b/c.txt": "b", "d.txt": "d"})

    def scandir(path: Path, real: object = os.scandir) -> object:
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied")
        return real(path)  # type: ignore[operator]

    def read(path: Path, real: object = texts._read) -> bytes:
        if path.name == "d.txt":
            raise PermissionError(13, "Permission denied")
        return real(path)  # type: ignore[operator,no-any-return]

    monkeypatch.setattr(walk.os, "scandir", scandir)
    monkeypatch.setattr(texts, "_read", read)
    result = call("count", tmp_path, "-t", "gpt2", "--json")
    counted = json.loads(result.stdout)
    assert result.exit_code == 1 and [Path(one["path"]).name for one in counted["files"]] == ["a.txt"]
    reasons = ["the folder cannot be read.", "it cannot be read: Permission denied."]
    assert [one["reason"] for one in counted["skipped"]] == reasons


def test_a_path_that_does_not_exist_is_an_error() -> None:
    result = call("count", "README.md", "nowhere", "-t", "gpt2")
    assert result.exit_code == 1 and "There is no file or folder nowhere." in result.stderr and not result.stdout


def test_each_file_is_counted_once_and_standard_input_too(tmp_path: Path) -> None:
    write(tmp_path, {"a/b.txt": "hello", "c.txt": "world"})
    paths = [tmp_path / "a" / "b.txt", tmp_path, tmp_path / "a", "-"]
    counted = json.loads(good("count", *paths, "-t", "gpt2", "-t", "gpt2", "--json", stdin="one two three"))
    names = [(Path(one["path"]).name, one["tokens"]) for one in counted["files"]]
    assert names == [("b.txt", {"gpt2": 1}), ("c.txt", {"gpt2": 1}), ("Standard input", {"gpt2": 3})]


def test_a_file_in_a_folder_may_have_the_name_of_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"-": "hello"})
    (counted,) = json.loads(good("count", ".", "-t", "gpt2", "--json", stdin="one two three"))["files"]
    assert counted == {"path": "-", "bytes": 5, "tokens": {"gpt2": 1}}


@pytest.mark.right
def test_progress_is_shown_on_a_terminal_and_ends_at_the_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"long.txt": "It's 2008, naïve 日本語!\n\n" * 10_000, "short.txt": "hello"})
    monkeypatch.setattr(count, "AT_ONCE", 10_000)
    told: list[tuple[float, float | None]] = []

    class Bar(Progress):
        def advance(self, task_id: TaskID, advance: float = 1) -> None:
            super().advance(task_id, advance)
            told.append((self.tasks[0].completed, self.tasks[0].total))

    monkeypatch.setattr(terminal, "Progress", Bar)
    counted = json.loads(good("count", tmp_path / "long.txt", tmp_path, "-t", "gpt2", "-t", "cl100k_base", "--json"))
    text = (tmp_path / "long.txt").read_text()
    assert counted["files"][0]["tokens"]["cl100k_base"] == len(tokviz.reference("cl100k_base").encode(text))
    done, totals = zip(*told, strict=True)
    n_bytes = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert {*totals} == {2 * n_bytes} and done[-1] == 2 * n_bytes and [*done] == sorted(done) and len(told) > 4


@pytest.mark.right
def test_a_column_is_named_as_the_file_of_its_tokenizer_without_the_folder(tmp_path: Path) -> None:
    for folder in "ab":
        write(tmp_path, {f"{folder}/{folder}.txt": "hello"})
        tokviz.train("hello", vocab_size=257, name=folder).tokenizer.save(tmp_path / folder / "model.json")
    one, other = (tmp_path / folder / "model.json" for folder in "ab")
    assert good("count", tmp_path / "a" / "a.txt", "-t", one, "-t", "gpt2").split()[:2] == ["model.json", "gpt2"]
    assert good("count", tmp_path / "a" / "a.txt", "-t", one, "-t", other).split()[:2] == [str(one), str(other)]


# -- which files of a folder --

FILES = {
    ".gitignore": "\ufeff# a comment\r\nbuild/\n*.log\n!keep.log\ndocs/**/b\n\n!\n\\[x].txt\n",
    "sub/.gitignore": "!a.log\n/deep/only.txt\n",
    **dict.fromkeys(
        ["a.txt", "a.log", "keep.log", "build/x.txt", "sub/a.log", "sub/build/y.txt", "sub/deep/b.txt"], ""
    ),
    "sub/deep/only.txt": "",
    **dict.fromkeys(["docs/a/b/c.txt", ".hidden/x.txt", "trailing space.txt", "[x].txt", "x.txt"], ""),
}
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="the files are compared with those that git lists")


def git(folder: Path, *arguments: str) -> str:
    plain = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *arguments], cwd=folder, env=plain, check=True, capture_output=True, text=True).stdout


@needs_git
def test_a_folder_has_the_files_that_git_sees(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    (tmp_path / "link").symlink_to("sub")
    (tmp_path / "link.txt").symlink_to("a.txt")
    git(tmp_path, "init", "-q")
    seen = git(tmp_path, "ls-files", "--others", "--exclude-standard", "-z").split("\0")[:-1]
    links = {"link", "link.txt"}
    assert sorted(tree(tmp_path)) == sorted({*seen} - links)
    assert len({*seen} - links) < len(FILES) - 4
    # the rules of the folders above hold too
    assert tree(tmp_path / "sub") == [name.removeprefix("sub/") for name in tree(tmp_path) if name.startswith("sub/")]
    assert tree(tmp_path / "docs") == []
    # but what is named on purpose is not left out
    assert tree(tmp_path / "build") == ["x.txt"]
    assert tree(tmp_path / "docs" / "a" / "b") == ["c.txt"]


def test_rules_hold_without_a_repository_but_not_from_above(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.txt\n", "a/.gitignore": "*.log\n", "a/b.txt": "", "a/b.log": ""})
    assert tree(tmp_path / "a") == [".gitignore", "b.txt"]
    assert tree(tmp_path) == [".gitignore", "a/.gitignore"]
    (tmp_path / "a" / ".git").mkdir()
    assert tree(tmp_path / "a") == [".gitignore", "b.txt"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": ""})
    os.mkfifo(tmp_path / "pipe")
    assert tree(tmp_path) == ["a.txt"]
