"""The examples of CONTRIBUTING.md do what it says of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from tests.command_line import ROOT
from tests.pages import app, at
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.cli.terminal import Command
from tokviz.formats import bundled
from tokviz.formats.parts import Given
from tokviz.teach.lessons.shown import VIEWS

__all__ = ["app"]  # the fixture

BLOCKS = re.findall(r"^```python\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)


def example(word: str) -> str:
    (found,) = [block for block in BLOCKS if word in block]
    return found


def run(word: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "tests.example"}
    exec(compile(example(word), word, "exec", dont_inherit=True), names)
    return names


def test_a_page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the place of a page of the app: which pages there are is said once, when the app starts."""
    monkeypatch.setattr("tokviz.ui.nowhere.page.page", run("def page()")["page"])
    at(app, "nowhere")
    assert not app.exception and app.title[0].value == "Words"


def test_a_format() -> None:
    read = run("HEX =")["HEX"].read
    tokens = [*(f"{byte:02x}" for byte in range(256)), b"th".hex(), b"the".hex()]
    written = "[" + ", ".join(f'"{token}"' for token in tokens)
    tokenizer = read(InputFile("ranks.json", f"{written}]".encode()), Given(pattern="none"))
    assert tokenizer.encode("the t") == [257, 32, 116]
    with pytest.raises(FormatError, match="entry 258 is not bytes"):
        read(InputFile("ranks.json", f"{written}, 1]".encode()), Given(pattern="none"))


def test_a_reference_tokenizer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    index = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "index.toml").write_text(index, "utf-8")
    monkeypatch.setattr(bundled, "MODELS", tmp_path)
    (row,) = bundled.references.__wrapped__().values()
    assert (row.title, row.special_tokens, row.n_vocab) == ("Mine", {"<|end|>": 32_768}, sum(row.size))


def test_a_command() -> None:
    commands = typer.Typer()
    commands.command(cls=Command)(run("def words(name")["words"])
    assert len(CliRunner().invoke(commands, ["gpt2"]).stdout.splitlines()) == 10


def test_a_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokviz.teach.lessons.shown.VIEWS", dict(VIEWS))
    assert run("def letters(")["letters"](text="hello", typing=True).facts == {"different": 4}
