"""The commands in the documents print what is written below them, and the links lead to what is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import ROOT, good

DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
COMMANDS = (ROOT / "docs" / "cli.md").read_text("utf-8")


def test_each_command_prints_what_is_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All in one folder, one after the other, because a reader who follows the page has the files of those before."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    says = dict(re.findall(r"`([\w/.]+\.txt)`,\s+which\s+says\s+\"([^\"]+)\"", COMMANDS))
    for name, text in says.items():
        (tmp_path / name).write_text(" ".join(text.split()) + "\n", "utf-8")
    examples = re.findall(r"^\$ (.+)\n((?:(?!\$ |```).*\n)*)", COMMANDS, re.MULTILINE)
    assert len(says) == 2 and len(examples) > 5
    for command, printed in examples:
        given, _, asked = command.rpartition(" | ")
        words = shlex.split(asked)
        assert words[0] == "tokviz"
        shown = good(*words[1:], stdin=shlex.split(given)[1] if given else None)
        assert shown.removesuffix("\n") == printed.removesuffix("\n"), command


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_link_leads_to_a_file_and_a_headline(document: Path) -> None:
    for path, headline in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", document.read_text("utf-8")):
        target = document.parent / path if path else document
        assert target.exists(), path
        headlines = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE) if headline else []
        assert not headline or headline in {
            re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in headlines
        }
