"""The pages under AppTest, for all files that test them: go to a page, type, upload, train, read what it shows."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.waiting import PATIENCE_S, run_until
from tokviz.base import blocks as records
from tokviz.ui.compare.state import CompareState
from tokviz.ui.library.entries import key_of_saved
from tokviz.ui.server.visitor import Visitor

ROOT = Path(__file__).parents[1]
# Streamlit looks for components in all installed packages whenever an app starts, and finds the same ones.
with contextlib.suppress(ImportError, AttributeError):
    from streamlit.components.v2 import manifest_scanner

    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

# Kind of a block -> the values of what its record leaves unsaid.
DEFAULTS = {
    name.lower(): {one.name: one.default for one in fields(record) if one.default is not MISSING}
    for name, record in vars(records).items()
    if isinstance(record, type) and is_dataclass(record)
}
SHORT = "She sells sea shells by the sea shore. " * 3


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run()


def me(app: AppTest) -> Visitor:
    visitor: Visitor = app.session_state["tokviz.visitor"]
    return visitor


def at(app: AppTest, page: str) -> AppTest:
    return app.switch_page(f"pages/{page}.py").run()


def without_charts(app: AppTest) -> AppTest:
    """With a tab of Compare open that draws none: charts and tables take most of the time of a run there."""
    app.session_state["compare.tab"] = me(app).state(CompareState).tab = "Files"
    return app


def components(app: AppTest, name: str) -> list[dict[str, Any]]:
    """The data of all components of this name on the page."""
    found = [element.proto for element in app.get("bidi_component")]
    return [json.loads(proto.json)[0] for proto in found if proto.component_name == f"tokviz_{name}"]


def blocks(app: AppTest, kind: str) -> list[dict[str, Any]]:
    """All blocks and cells of a kind on the page, those inside others too."""
    return [*of_kind(kind, [data["blocks"] for name in ("blocks", "note") for data in components(app, name)])]


def of_kind(kind: str, data: Any) -> Iterator[dict[str, Any]]:
    """All blocks and cells of a kind in what a component gets, with the fields of which the record says nothing."""
    if isinstance(data, dict):
        yield from [DEFAULTS.get(kind, {}) | data] if data.get("kind") == kind else []
        data = [*data.values()]
    for each in data if isinstance(data, list) else ():
        yield from of_kind(kind, each)


def words(cell: Any) -> str:
    """What a cell says, the bytes of a token as text."""
    if isinstance(cell, list):
        return "".join(map(words, cell))
    if isinstance(cell, dict):
        return words(cell.get("text", cell.get("cells", bytes.fromhex(cell.get("data", "")).decode(errors="replace"))))
    return "" if cell is None else str(cell)


def notes(app: AppTest) -> str:
    return "\n".join(f"{data['what']} {data['way_out']}" for data in blocks(app, "note"))


def upload(app: AppTest, *files: tuple[str, bytes], place: int = 0) -> AppTest:
    named = [(name, data, "text/plain") for name, data in files]
    return app.get("file_uploader")[place].set_value(named).run()


def open_files(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Open the files of a tokenizer in the library, and add it."""
    upload(at(app, "library"), *files)
    return button(app, "**Add it**").click().run()


def open_saved(app: AppTest, name: str) -> AppTest:
    """Go to a saved tokenizer in the library, and use it."""
    at(app, "library").query_params["open"] = key_of_saved(name)
    button(app.run(), "**Use on every page**").click().run()
    del app.query_params["open"]
    return app.run()


def ask(app: AppTest, bench: str = "tokens.workbench", **what: str) -> AppTest:
    """What a workbench's script does when something is pressed. `text` is what its socket did not carry."""
    app.session_state[bench] = {"asked": what}
    app.run()
    app.session_state[bench] = {"asked": None}
    return app


def type_on_tokens(app: AppTest, text: str) -> AppTest:
    return ask(app, what="typed" if text else "clear", text=text)


def type_on_compare(app: AppTest, text: str) -> AppTest:
    return ask(at(app, "compare"), "compare.bench", what="typed", text=text)


def choose_on_replay(app: AppTest, key: str) -> AppTest:
    """Choose there whose merges play. The callback of a component does not run under AppTest."""
    me(app).plays = key
    return app.run()


def what_if_on_replay(app: AppTest) -> AppTest:
    """Go to Replay, and unfold the what-if there."""
    at(app, "replay")
    app.session_state["replay.what_if"] = True
    return app.run()


def take_sample(app: AppTest, key: str = "story") -> AppTest:
    field(app, "button_group", "train.way").set_value("sample").run()
    return next(box for box in app.selectbox if box.label == "Text: a sample").set_value(key).run()


def train(app: AppTest) -> AppTest:
    """Press Train, and wait until the job is done."""
    button(app, "**Train**").click().run()
    return run_until(app, lambda app: not any(b.label == "Cancel" for b in app.button))


def button(app: AppTest, label: str) -> Any:
    return next(b for b in app.button if b.label == label)


def field(app: AppTest, kind: str, key: str) -> Any:
    return next(element for element in app.get(kind) if element.key == key)


def leave_field(app: AppTest, key: str, text: str) -> None:
    """What a field of the kit does when it is left. The server hears of it with the next run."""
    app.session_state[key] = {"draft": {"id": str(time.monotonic_ns()), "text": text}}


def type_in(app: AppTest, key: str, text: str) -> AppTest:
    leave_field(app, key, text)
    return app.run()


def typed_in(app: AppTest, key: str) -> str:
    """What a field of the kit shows."""
    (shown,) = [data["value"] for data in components(app, "field") if data["key"] == key]
    return str(shown)
