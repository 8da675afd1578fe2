"""The files of a folder: those that git sees, whatever is in it, and none that can be read for ever."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.command_line import call, good, in_line
from tests.test_cli_count import git, needs_git, tree, write
from tokviz.cli import walk

NAMES = ["a", "b", "ab", "aab", "a b", "a ", "]", "-", "[", "1", "*", "\\", "!a", "#a", "Z"]
SIGNS = [
    *("a", "b", "*", "**", "/", "/", "?", "!", "\\ ", "#", "-", "]", "\\a", "\\*", "1", "**/", "/**"),
    *("[ab]", "[a-c]", "[]a]", "[a-]", "[-a]"),
]
lines = st.lists(st.sampled_from(SIGNS), min_size=1, max_size=6).map("".join)
gitignores = st.lists(lines, max_size=4).map(lambda them: "".join(f"{line}\n" for line in them))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("repository")
    paths = [f"{first}/{second}" for first in NAMES[:9] for second in NAMES]
    write(folder, dict.fromkeys([*NAMES[9:], *paths, "Y/a/b/a", "Y/b/ab/1", "Y/a/a/a/a", "Y/ab/Z"], ""))
    git(folder, "init", "-q")
    return folder


@needs_git
@settings(max_examples=60)
@given(gitignores, gitignores)
def test_patterns_name_what_git_names(repository: Path, outer: str, inner: str) -> None:
    write(repository, {".gitignore": outer, "Y/.gitignore": inner})
    seen = git(repository, "ls-files", "--others", "--exclude-standard", "-z").split("\0")[:-1]
    assert sorted(tree(repository)) == sorted(seen)


@pytest.mark.right
def test_a_pattern_of_many_stars_comes_to_an_end(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*a" * 100 + "b", "a" * 250: "a"})
    assert tree(tmp_path) == [".gitignore", "a" * 250]


def test_a_pattern_that_takes_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MATCH_SECONDS", 1e-9)
    write(tmp_path, {".gitignore": "*a" * 100 + "b", "a" * 250: "a"})
    result = call("count", tmp_path, "-t", "gpt2")
    assert result.exit_code == 1 and "A pattern of a .gitignore takes too long" in in_line(result)


@pytest.mark.right
def test_patterns_that_fill_the_memory_are_refused(tmp_path: Path) -> None:
    many = "abcdefghi\n" * 60_000
    write(tmp_path, {".gitignore": many, "b/.gitignore": many, "a.txt": "a", "b/c": ""})
    result = call("count", tmp_path, "-t", "gpt2")
    assert result.exit_code == 1 and "have more than 1,000,000 characters together" in in_line(result)
    good("count", tmp_path / "a.txt", "-t", "gpt2")


@pytest.mark.right
@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such paths")
@pytest.mark.parametrize(("name", "why"), [("a", ""), ("five5", "File name too long")])
def test_a_folder_may_be_1500_deep(tmp_path: Path, name: str, why: str) -> None:
    """With the longer name its path is longer than the system allows, which is said."""
    write(tmp_path, {"top.txt": "one two"})
    code = f"import os\nfor _ in range(1500): os.mkdir('{name}'); os.chdir('{name}')\nopen('deepest.txt', 'w').close()"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    try:
        result = call("count", tmp_path, "-t", "gpt2")
    finally:
        subprocess.run(["rm", "-r", *tmp_path.glob("[!t]*")], check=True)  # pytest cannot: it removes by recursion
    assert f"total of {1 if why else 2} file" in result.stdout and why in result.stderr
    assert result.exit_code == bool(why)


@pytest.mark.right
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no such devices")
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_gitignore_that_is_no_file_is_none(tmp_path: Path, kind: str) -> None:
    write(tmp_path, {"a.txt": ""})
    if kind == "link":
        (tmp_path / ".gitignore").symlink_to("/dev/zero")
    else:
        os.mkfifo(tmp_path / ".gitignore")
    assert tree(tmp_path) == ["a.txt"]
