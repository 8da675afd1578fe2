"""The frame round the pages, and text of people's own shown as it is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from logging import LogRecord
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.pages import blocks, components
from tests.waiting import PATIENCE_S
from tokviz.ui.frame import shell
from tokviz.ui.frame.say import plain

ROOT = Path(__file__).parents[1]


def open_app(page: str = "") -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run()
    return app.switch_page(f"pages/{page}.py").run() if page else app


def notes(app: AppTest) -> list[dict[str, str]]:
    return blocks(app, "note")


def test_every_page_in_the_navigation_is_there_and_every_page_is_in_it() -> None:
    assert {place.path for place in shell.PAGES} | {"nowhere"} == {path.stem for path in (ROOT / "pages").glob("*.py")}


@pytest.mark.parametrize("place", shell.PAGES, ids=lambda place: place.path)
def test_every_page_runs_and_has_its_title(place: shell.Page) -> None:
    app = open_app(place.path)
    assert not app.exception and not notes(app)
    if place.path not in ("compare", "learn", "replay", "tokens"):  # their components draw it
        assert [title.value for title in app.title] == [place.title]


def test_home_is_the_first_page() -> None:
    assert components(open_app(), "workbench") and shell.PAGES[0].title == "Tokens"


def script(tmp_path: Path, body: str) -> AppTest:
    path = tmp_path / "script.py"
    modules = {"base.errors": "SettingError", "ui.frame": "shell", "ui.frame.say": "note, part"}
    head = "\n".join(f"from tokviz.{module} import {name}" for module, name in modules.items())
    path.write_text(f"{head}\n{body}\n", "utf-8")
    app = AppTest.from_file(str(path)).run()
    assert not app.exception
    return app


def test_a_note_carries_its_text_untouched(tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)> **b** $x$ :red[y] [l](http://a.b)"
    app = script(tmp_path, f"note('warn', {hostile!r}, {hostile!r})")
    assert notes(app) == [{"kind": "note", "tone": "warn", "what": hostile, "way_out": hostile}]
    assert not app.markdown


def test_any_other_error_tells_the_visitor_nothing_of_the_inside(tmp_path: Path) -> None:
    app = script(tmp_path, "assert shell.on_error(KeyError('private text'))")
    (told,) = notes(app)
    assert told["tone"] == "bad" and "private text" not in json.dumps(told)


def test_a_fault_in_one_part_leaves_the_others(tmp_path: Path, failed_parts: list[LogRecord]) -> None:
    body = "for fault in (SettingError('It is 3.', 'Take 4.'),) * 2 + (KeyError('private'),) * 2:\n"
    app = script(tmp_path, f"{body}    with part():\n        raise fault\nnote('good', 'The last part.')")
    told = [data["what"] for data in notes(app)]
    assert told[:2] == ["It is 3."] * 2 and told[2] == told[3] and "a fault of tokviz itself" in told[2]
    assert told[4:] == ["The last part."]
    assert len(failed_parts) == 2
    failed_parts.clear()


def test_an_error_of_ours_on_a_page_is_caught_by_the_frame(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "tokens.py").write_text(
        "from tokviz.ui.frame import shell\nfrom tokviz.base.errors import SettingError\n"
        "shell.enter()\nshell.head('Here', 'A lead.')\nraise SettingError('It broke.', 'Mend it.')\n"
    )
    (tmp_path / "pages" / "nowhere.py").touch()
    monkeypatch.setattr(shell, "APP", tmp_path)
    monkeypatch.setattr(shell, "PAGES", shell.PAGES[:1])
    app = open_app()
    assert not app.exception and app.title[0].value == "Here"
    assert notes(app) == [{"kind": "note", "tone": "bad", "what": "It broke.", "way_out": "Mend it."}]


# What Streamlit's Markdown does with the result is tried in a real browser: tests/e2e/test_frame.py.


@given(st.text())
def test_plain_leaves_no_mark_of_markdown_unescaped(text: str) -> None:
    shown = plain(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[!-/:-@\[-`{-~]", re.sub(r"\\[!-/:-@\[-`{-~]", "", shown))
    back = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown)
    assert back.replace("\u2060", "") == " ".join(text.split()).replace("\u2060", "")


@pytest.mark.parametrize("name", ["Shakespeare 1,024", "notes.txt", "größe", "日本語", "a b"])
def test_plain_keeps_ordinary_names_readable(name: str) -> None:
    assert plain(name).replace("\\", "") == name


# What a collection walks over.


def test_modules_and_kernels_are_set_aside_once_and_a_page_adds_nothing() -> None:
    """Nor does a page load what Streamlit needs for tables and charts of its own: 150 MB of memory."""
    code = """
import gc, sys
from streamlit.testing.v1 import AppTest
from tokviz import kernels
from tokviz.ui import warm
from tokviz.ui.frame import shell
kernels.ready.set()
assert any(walked is vars(shell) for walked in gc.get_objects())
warm._encode()
warm._load()
assert not any(walked is vars(shell) for walked in gc.get_objects())
aside = gc.get_freeze_count()
app = AppTest.from_file("app.py", default_timeout=120).run()
for page in shell.PAGES:
    app.switch_page(f"pages/{page.path}.py").run()
    assert not app.exception
assert gc.get_freeze_count() <= aside
assert not {"pandas", "pyarrow", "altair"} & {*sys.modules}
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
