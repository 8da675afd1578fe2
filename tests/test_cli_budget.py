"""`tokviz count --budget`: which budget holds for a file, and what is said of one that does not keep to it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.command_line import ROOT, call, good
from tests.test_cli_count import write
from tokviz.cli import count
from tokviz.cli.budget import budgets_of

PATHS = ["a.md", "docs/a.md", "docs/deep/b.md", "[x].md", "c.txt"]


@pytest.fixture(autouse=True)
def prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 5 tokens under gpt2 and 4 under o200k_base, one of 1 token, and one that is not UTF-8."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"p/a.md": "unhug unhug", "p/b.md": "hello", "image.bin": b"\xff"})


@pytest.mark.parametrize(
    ("said", "budgets"),
    [
        ([], {}),
        (["7"], dict.fromkeys(PATHS, 7)),
        (["7", "*.md=8"], {**dict.fromkeys(PATHS, 8), "c.txt": 7}),
        (["docs/*=5", "*.md=9"], {"a.md": 9, "[x].md": 9, "docs/a.md": 5, "docs/deep/b.md": 5}),  # the long one
        (["*.md=9", "docs/a.md=1"], {"a.md": 9, "[x].md": 9, "docs/a.md": 1, "docs/deep/b.md": 9}),
        (["a.md=1", "[a-z].md=9"], {"a.md": 1, "docs/a.md": 9, "docs/deep/b.md": 9}),  # a path beats a longer glob
        (["[x].md=3"], {"[x].md": 3}),  # and is read as a path where it is one
        (["./docs/a.md=4"], {"docs/a.md": 4}),
        (["*.md=9", "*.m?=4", "a.md=0"], {"a.md": 0, **dict.fromkeys(["[x].md", "docs/a.md", "docs/deep/b.md"], 4)}),
    ],
    ids=str,
)
def test_a_path_beats_a_glob_and_a_long_glob_a_short_one(said: list[str], budgets: dict[str, int]) -> None:
    assert budgets_of(PATHS, said) == budgets_of(PATHS, said[::-1]) == budgets


def test_a_file_over_its_budget_is_named_and_the_exit_code_is_1() -> None:
    counted = good("count", "p", "-t", "gpt2", "--budget", 5)
    assert counted == good("count", "p", "-t", "gpt2")  # the table is as ever
    result = call("count", "p", "-t", "gpt2", "--budget", 5, "--budget", "p/a.md=4")
    assert result.exit_code == 1 and result.stdout == counted
    assert result.stderr == "p/a.md: 5 under gpt2, over its budget of 4.\n"


def test_a_budget_holds_for_each_tokenizer() -> None:
    call_of = ["count", "p", "-t", "o200k_base", "-t", "gpt2", "--json", "--budget"]
    said = json.loads(good(*call_of, 5))
    assert said["over"] == said["uncounted"] == []
    result = call(*call_of, 4)
    over = [{"path": "p/a.md", "tokenizer": "gpt2", "tokens": 5, "budget": 4}]
    assert result.exit_code == 1 and json.loads(result.stdout) == {**said, "over": over}
    assert len(json.loads(call(*call_of, 0).stdout)["over"]) == 4
    assert "over" not in json.loads(good("count", "p", "-t", "gpt2", "--json"))


def test_a_file_that_has_a_budget_and_cannot_be_counted_is_a_fault() -> None:
    assert call("count", ".", "-t", "gpt2", "--budget", "*.md=5").exit_code == 0  # no budget is for the image
    result = call("count", ".", "-t", "gpt2", "--budget", 5)
    assert result.exit_code == 1
    assert result.stderr.endswith("image.bin: it has a budget, and cannot be counted.\n")
    result = call("count", ".", "-t", "gpt2", "--budget", 5, "--json")
    assert result.exit_code == 1 and json.loads(result.stdout)["uncounted"] == ["image.bin"]


def test_what_is_no_budget_or_matches_no_file_is_a_wrong_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "read_file", lambda *_: pytest.fail("A file is read."))
    wrong = dict.fromkeys(["many", "+5%", "-5", "=5", "a.md=", "p/*.md=5.5", "٣", "1" * 13], "is no budget")
    wrong |= {f"{glob}=5": "matches none of the files" for glob in ("*.txt", "a.m", "q/", "!a.md", "#", " ", "/", "[")}
    for budget, said in wrong.items():
        result = call("count", "p", "-t", "gpt2", "--budget", 4, f"--budget={budget}")
        assert result.exit_code == 2 and said in result.stderr and result.stdout == ""


def test_nothing_of_a_name_is_obeyed(tmp_path: Path) -> None:
    write(tmp_path, {"p/\x1b[31m{tokens}.md": "hello"})
    result = call("count", "p", "-t", "gpt2", "--budget", "*{*=0")
    assert result.exit_code == 1 and "p/␛[31m{tokens}.md: 1 under gpt2" in result.stderr and "\x1b" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the recipe is for a shell of Linux")
def test_the_recipe_of_the_document_works(tmp_path: Path) -> None:
    (found,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "cli.md").read_text("utf-8"), re.DOTALL)
    recipe = yaml.safe_load(found)
    assert recipe[True] == "pull_request" and recipe["permissions"] == {"contents": "read"}  # YAML's on is True
    (job,) = recipe["jobs"].values()
    run = job["steps"][-1]["run"]
    tool = tmp_path / "bin" / "tokviz"
    write(tmp_path, {"bin/tokviz": f'#!/bin/sh\nexec "{sys.executable}" -m tokviz "$@"\n'})
    tool.chmod(0o755)
    path = os.pathsep.join([str(tool.parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    for text, ends in ("hello", 0), ("hello " * 5_000, 1):
        write(tmp_path, {"prompts/system.md": text})
        assert subprocess.run(["bash", "-e", "-c", run], cwd=tmp_path, env=environment).returncode == ends
