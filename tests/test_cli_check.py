"""`tokviz check`: what fails, what the report says about it, and that nothing in the report is read as markup."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import tokviz
from tests.command_line import ROOT, call, good
from tests.strategies import wild_texts
from tests.test_cli_count import git, needs_git, write
from tokviz import Tokenizer
from tokviz.cli import baseline as baselines
from tokviz.cli import texts
from tokviz.cli.markdown import code
from tokviz.word_costs import word_changes, word_costs
from tokviz.wording import printable

GPT2 = tokviz.reference("gpt2")
FILE = "tokviz-baseline.json"
OLD = "You are a helpful assistant.\nAnswer in one sentence.\n"
NEW = "You are a tokenizer-agnostic assistant.\n\n\nAnswer in one sentence, or in two tokenizer-agnostic ones.\n"
N_OLD, N_NEW = len(GPT2.encode(OLD)), len(GPT2.encode(NEW))
HOSTILE = "prompts/a|b `c` <img src=x> @me.md"


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "saved"))
    write(tmp_path, {"prompts/system.md": OLD, "prompts/b.md": "hello", "prompts/.gitignore": "*.log\n.gitignore\n"})
    write(tmp_path, {"prompts/a.log": "left out"})


def commit(*arguments: str) -> None:
    if not Path(".git").exists():
        git(Path(), "init", "-q", "-b", "main")
    git(Path(), "add", "--all")
    git(Path(), "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m")


def check(*arguments: object) -> tuple[int, str]:
    result = call("check", *arguments)
    assert result.exit_code in (0, 1), result.stderr
    return result.exit_code, result.stdout


def rows(report: str, heading: str = "") -> dict[str, list[str]]:
    """The rows of the first table behind a heading, by what is in their column of code."""
    table = re.search(r"(?:^\|.*\n?)+", report[report.index(heading) :], re.MULTILINE)
    assert table
    cells = [[cell.strip() for cell in line.strip("|\n").split(" | ")] for line in table[0].splitlines()[2:]]
    return {code[0]: row for row in cells if (code := [cell for cell in row if cell.startswith(("`", "<"))])}


# -- what fails --


def test_a_file_fails_only_past_its_budget() -> None:
    good("count", "prompts", "-t", "gpt2", "--baseline", FILE)
    write(Path(), {"prompts/system.md": NEW, "prompts/c.md": "new"})
    Path("prompts/b.md").unlink()
    ends, report = check()
    assert ends == 0 and report.startswith("### Token check passed\n")
    assert f"- `gpt2`: 2 files, {N_NEW + 1} tokens, {N_NEW - N_OLD} more than before." in report
    assert {name: (row[0], row[1], row[4]) for name, row in rows(report).items()} == {
        "`prompts/system.md`": (str(N_NEW), f"+{N_NEW - N_OLD}", ""),
        "`prompts/c.md`": ("1", "+1", "new"),
        "`prompts/b.md`": ("–", "-1", "gone"),
    }
    for budget, over in (
        (N_NEW, 0),
        (N_NEW - 1, 1),
        (f"prompts/={N_NEW - 2}", 2),
        (f"*.md=+{N_NEW - N_OLD}", 0),
        ("system.md=+0", N_NEW - N_OLD),
        ("prompts/system.md=+100%", N_NEW - 2 * N_OLD),
    ):
        ends, report = check("--budget", budget)
        assert ends == (1 if over > 0 else 0)
        if over > 0:
            assert report.startswith("### Token check failed: 1 file past its budget\n")
            assert rows(report)["`prompts/system.md`"][4] == f"**{over} past its budget**"
    # the longest pattern decides, and before it the path itself
    assert check("--budget", 1, "--budget", "*.md=2", "--budget", f"prompts/system.md={N_NEW}")[0] == 0
    # an update agrees to the growth, but not to a broken budget, which it keeps
    ends, report = check("--update", "--budget", "system.md=+0", "--budget", "b.md=1")
    assert ends == 0 and "+15" in report
    assert baselines.read(Path(FILE)).budgets == {"system.md": "+0", "b.md": 1}
    assert check() == (
        0,
        f"### Token check passed\n\n- `gpt2`: 2 files, {N_NEW + 1} tokens, as many as before.\n",
    )


def cannot_be_read(path: Path) -> bytes:
    raise PermissionError(13, "Permission denied")


def test_a_file_that_can_no_longer_be_counted_fails() -> None:
    good("count", "prompts", "-t", "gpt2", "--baseline", FILE)
    write(Path(), {"prompts/b.md": b"caf\xe9", "prompts/film.bin": b"\xff\xfe"})
    ends, report = check()
    assert ends == 1 and "failed: 1 file not counted" in report
    assert "- `prompts/b.md` was not counted: `is not UTF-8: byte 3" in report and "film" not in report
    assert check("--update")[0] == 0 and check()[0] == 0
    kept = Path(FILE).read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "_read", cannot_be_read)
        result = call("check", "--update")
    assert result.exit_code == 1 and "`prompts/system.md` was not counted: `it cannot be read: " in result.stdout
    assert "not written, because not every file could be read" in result.stderr and Path(FILE).read_bytes() == kept
    for path in [*Path("prompts").iterdir()]:
        path.unlink()
    Path("prompts").rmdir()
    assert call("check").exit_code == 2


@needs_git
def test_a_tokenizer_that_changed_fails_with_its_reasons() -> None:
    tokviz.train(OLD * 3, 275, pattern=r"\s+|\S+").tokenizer.save("mine.json")
    good("count", "prompts", "-t", "mine.json", "--baseline", FILE)
    commit()
    old = tokviz.load("mine.json")
    old.truncated(260).save("mine.json")
    ends, report = check()
    assert (
        ends == 1 and "failed: 1 tokenizer changed" in report and "**`./mine.json` changed.** It differs on" in report
    )
    assert "`tokviz check --update`" in report
    words = rows(report, "#### `prompts/system.md`")
    assert any("now cuts" in row[-1] and "it has no such token" in row[-1] for row in words.values())
    said = json.loads(call("check", "--json").stdout)
    (other,) = said["tokenizers"]
    assert (said["ok"], other["fault"], other["equal"]) == (False, True, False) and other["why"]
    # written in another way, but proven to be equal
    Tokenizer("other name", old.merges, pattern=r"\S+|\s+").save("mine.json")
    ends, report = check()
    assert ends == 0 and "`./mine.json` was written anew, and is proven to give the same ids for every text." in report
    assert check("--update")[0] == 0 and check()[1].count("\n") == 3
    # the old one is in no commit
    old.truncated(260).save("mine.json")
    ends, report = check()
    assert ends == 1 and "It can give other ids than before." in report and "The old tokenizer is not in git" in report


@needs_git
def test_the_words_account_for_every_token() -> None:
    good("count", "prompts", "-t", "gpt2", "--baseline", FILE)
    commit()
    write(Path(), {"prompts/system.md": NEW})
    said = json.loads(call("check", "--json").stdout)
    (words,) = said["words"]
    (grown,) = [row for row in said["files"] if row["more"]]
    assert words["note"] is None and grown["path"] == words["path"] == "prompts/system.md"
    assert sum(word["more"] for word in words["words"]) + words["rest"] == grown["more"] == grown["after"] - N_OLD
    first = words["words"][0]
    assert (first["word"], first["times"], first["why"][0]) == ("tokenizer-agnostic", [0, 2], "new")
    assert b"".join(map(bytes.fromhex, first["pieces"])) == b" tokenizer-agnostic"
    report = check()[1]
    row = rows(report, "#### `prompts/system.md`: what costs more under `gpt2`")["`tokenizer-agnostic`"]
    assert row[2] == "0 → 2" and row[3].startswith("`·token` `izer` `-`") and row[4].startswith("New; ")
    # a commit whose text is not the counted one is not used
    kept = baselines.read(Path(FILE))
    Path(FILE).write_bytes(baselines.dump(replace(kept, budgets={"*": 99})))
    commit()
    assert "git does not have the text that was counted before" in check()[1]
    # nor is that of a clone which lacks the older commits, and this says so
    git(Path(), "clone", "-q", "--depth", "1", Path.cwd().as_uri(), "shallow")
    write(Path("shallow"), {"prompts/system.md": NEW})
    said = check("--baseline", f"shallow/{FILE}")[1]
    assert "`git fetch --unshallow`" in said


@given(wild_texts, wild_texts)
def test_words_and_white_space_add_up(before: str, after: str) -> None:
    costs = [word_costs(text, GPT2) for text in (before, after)]
    tokens = [len(GPT2.encode_ordinary(text)) for text in (before, after)]
    assert [sum(cost.tokens for cost in found.values()) for found in costs] == tokens
    assert sum(change.more for change in word_changes(*costs)) == tokens[1] - tokens[0]


@needs_git
def test_since_compares_with_the_baseline_of_a_revision() -> None:
    good("count", "prompts", "-t", "gpt2", "--baseline", FILE, "--budget", "+10%")
    commit()
    write(Path(), {"prompts/system.md": NEW})
    assert check("--update")[0] == 0  # somebody agreed to the growth
    commit()
    ends, report = check()
    assert ends == 0 and "as many as before" in report
    ends, report = check("--since", "HEAD~1")
    assert ends == 1 and "`tokenizer-agnostic`" in report and "past its budget" in report
    for name in ("nowhere", "--all"):
        result = call("check", f"--since={name}")
        assert result.exit_code == 2 and "git has no revision" in result.stderr


# -- the report --


class Text(HTMLParser):
    """The text of the elements of rendered Markdown, by the name of the element."""

    def __init__(self, report: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.code: list[str] = []
        self.prose = ""
        self.feed(MarkdownIt("commonmark").enable("table").render(report))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        if tag == "code":
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" in self.open:
            self.code[-1] += data
        else:
            self.prose += data


@given(wild_texts | st.text("|`\\<>&*_ #@:a\n", max_size=20))
def test_no_text_is_read_as_markup(text: str) -> None:
    found = Text(f"| a | b |\n|---|---|\n| {code(text)} | last |\n")
    assert found.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    (shown,) = found.code
    whole = printable(text)
    assert shown.strip() == (whole if len(whole) <= 60 else f"{whole[:60]}…").strip()
    assert found.prose.split() == ["a", "b", "last"]


@needs_git
def test_hostile_names_and_words_stay_text() -> None:
    write(Path(), {HOSTILE: "hello"})
    good("count", "prompts", "-t", "gpt2", "--baseline", FILE)
    commit()
    words = "<script>alert(1)</script> a|b `x` @me #1 [a](b) ![c](d) \\ ** __x__ \x1b[31m ｜ \u202e &amp; https://a.b"
    write(Path(), {HOSTILE: f"{words} " * 2, "prompts/system.md": OLD + "```\n| a |\n|---|"})
    ends, report = check("--budget", 3)
    found = Text(report)
    assert ends == 1 and found.tags <= {
        "h3",
        "h4",
        "p",
        "ul",
        "li",
        "code",
        "strong",
        *["table", "thead", "tbody", "tr", "th", "td"],
    }
    assert report.replace("\n", "").isprintable()
    assert HOSTILE in found.code and "<script>alert(1)</script>" in found.code and "`x`" in found.code
    for word in ("script", "@me", "https", "x"):
        assert not re.search(rf"(?<!\w){word}(?!\w)", found.prose)


@needs_git
def test_a_report_fits_into_a_comment() -> None:
    words = " ".join("|`" * 200 + str(number) for number in range(10))
    write(Path(), {f"prompts/{number}.md": "hello" for number in range(200)})
    good("count", "prompts", "-t", "gpt2", "--baseline", FILE)
    commit()
    write(Path(), {f"prompts/{number}.md": words if number < 170 else b"\xff" for number in range(200)})
    report = check()[1]
    assert (
        45_000 < len(report) < 65_536 and "\nAnd 120 lines more.\n" in report and "\n- And 10 files more.\n" in report
    )
    assert report.endswith("The report is too long to name the words of more files.\n") and re.search(
        r" and \d+ more \|", report
    )


# -- the recipe --


@needs_git
@pytest.mark.skipif(sys.platform == "win32", reason="the recipe is for a shell of Linux")
def test_the_recipe_of_the_readme_is_a_workflow_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    workflow = yaml.safe_load(found)
    assert workflow[True] == "pull_request" and workflow["permissions"] == {"contents": "read"}  # YAML's on is True
    (job,) = workflow["jobs"].values()
    assert job["steps"][0]["with"]["fetch-depth"] == 0
    calls = [step["run"] for step in job["steps"] if "run" in step]
    assert calls[0].startswith("python -m pip install ") and len(calls) == 3
    good("count", "prompts", "-t", "gpt2", "--baseline", FILE)
    commit()
    monkeypatch.chdir(tmp_path.parent)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", ".", str(clone))
    write(clone, {"prompts/system.md": NEW})
    tool = tmp_path / "bin" / "tokviz"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tokviz "$@"\n', "utf-8")
    tool.chmod(0o755)
    given = {"GITHUB_BASE_REF": "main", "RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    path = os.pathsep.join([str(tool.parent), os.environ["PATH"]])
    environment = {**os.environ, **given, "PATH": path, "PYTHONPATH": str(ROOT)}
    ends = [subprocess.run(["bash", "-e", "-c", one], cwd=clone, env=environment).returncode for one in calls[1:]]
    assert ends == [0, 0]
    assert "### Token check passed" in (tmp_path / "summary").read_text("utf-8")
    assert "`tokenizer-agnostic`" in (tmp_path / "summary").read_text("utf-8")
