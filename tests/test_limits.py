"""The limits of the server can be changed by a file, and by nothing that is not a limit."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from tokviz.base import bounds
from tokviz.ui.server import limits


def _limits(folder: Path, written: str) -> subprocess.CompletedProcess[str]:
    file = folder / "limits.toml"
    file.write_text(written, "utf-8")
    code = "from tokviz.ui.server.limits import *; print(VISITORS, bounds.now().match_seconds, ROOMS)"
    return subprocess.run(
        [sys.executable, "-c", code], env={"TOKVIZ_LIMITS": str(file)}, capture_output=True, text=True, check=False
    )


def test_an_operator_changes_some_limits(tmp_path: Path) -> None:
    assert _limits(tmp_path, "visitors = 60\nmatch_seconds = 1").stdout.split() == ["60", "1.0", "50"]


def test_each_limit_is_asked_for_where_it_holds() -> None:
    """A limit that only stands in the list does nothing, whatever an operator writes."""
    package = Path(limits.__file__).parents[2]
    code = "".join(path.read_text("utf-8") for path in package.rglob("*.py"))
    asked_for = {name.lower() for name in re.findall(r"\blimits\.([A-Z_]+)\b", code)}
    bounding = {field.name for field in fields(bounds.Bounds)} | {"library_mb"}
    assert len(limits._NAMES) == 20 and asked_for | bounding >= limits._NAMES


def test_a_program_that_imports_the_library_is_bound_by_no_limit_of_visitors(tmp_path: Path) -> None:
    code = "import tokviz; print(tokviz.train('ab' * 9, vocab_size=1_000_001, pattern='a' * 10_001 + '|b|a').stopped)"
    wrong = {"TOKVIZ_LIMITS": str(tmp_path / "absent.toml")}
    done = subprocess.run([sys.executable, "-c", code], env=wrong, capture_output=True, text=True, check=False)
    assert done.stdout == "no_pairs\n", done.stderr


def test_no_text_of_a_visitor_is_looked_up_as_the_name_of_a_file() -> None:
    assert bounds.now().looked_up == 0


def test_the_document_has_the_values() -> None:
    document = (Path(__file__).parents[1] / "docs" / "serving.md").read_text("utf-8")
    told = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", document, re.MULTILINE)
    assert len(told) == 12
    for name, value in told:
        limit = getattr(limits, name.upper(), None) or getattr(bounds.now(), name)
        assert limit == int(value.replace(",", "")), name


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("visitor = 60", "There is no limit 'visitor'. The limits are "),
        ("visitors = 1.5", "The limit visitors is 1.5. It must be a whole number above 0."),
        ("visitors = true", "The limit visitors is True. It must be a whole number above 0."),
        ("match_seconds = 0", "The limit match_seconds is 0. It must be a number above 0."),
        ("visitors = nan", "The limit visitors is nan. It must be a whole number above 0."),
        ("visitors", "cannot be read"),
    ],
)
def test_a_file_that_is_wrong_is_refused_at_the_start(tmp_path: Path, written: str, said: str) -> None:
    assert said in _limits(tmp_path, written).stderr


def test_the_terminal_shows_what_is_wrong_in_one_line(tmp_path: Path) -> None:
    (file := tmp_path / "limits.toml").write_text("visitor = 60", "utf-8")
    app = Path(__file__).parents[1] / "app.py"
    done = subprocess.run(
        [sys.executable, app], env={"TOKVIZ_LIMITS": str(file)}, capture_output=True, text=True, check=False
    )
    assert (
        done.stderr.startswith("tokviz does not start: There is no limit 'visitor'.") and done.stderr.count("\n") == 1
    )
