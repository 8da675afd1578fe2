"""The scripts of the components: each is put together from its files, and files that do not fit are refused."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

import pytest

import tokviz.ui
from tokviz.offline.bundle import bundle
from tokviz.offline.files import script

FOLDER = Path(tokviz.ui.__file__).parent
FILES = {os.path.relpath(path, FOLDER): path.read_text("utf-8") for path in FOLDER.rglob("*.js")}
FILES.pop("server/watch.js")  # the page's own, no component has it
ENTRIES = sorted(name for name, text in FILES.items() if "\nexport default " in text)
MOUNT = "kit/mount.js"  # draws them all
STAND_IN = "frame/standalone.js"  # it is no module: standalone() puts it behind a component's script


def written(folder: Path, **files: str) -> Path:
    """Write scripts, and give the path of the one named entry."""
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "entry.js"


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_script_of_each_component_is_one_module(entry: str) -> None:
    text = script(entry)
    assert re.findall(r"^export .*", text, re.MULTILINE) == re.findall(r"^export .*", FILES[entry], re.MULTILINE)
    assert not re.search(r"^import\b", text, re.MULTILINE)


def test_each_file_is_part_of_a_component() -> None:
    texts = [script(entry) for entry in ENTRIES]
    first = {name: text.splitlines()[0] for name, text in FILES.items()}
    unused = [name for name, line in first.items() if not any(line in text for text in texts)]
    assert unused == [STAND_IN, MOUNT]


def test_the_scripts_of_a_page_import_from_the_kit_from_what_shows_tokens_and_from_each_other() -> None:
    allowed = {"kit": {"kit"}, "tokenview": {"kit", "tokenview"}}
    for name, text in FILES.items():
        home = name.split("/")[0]
        for where in re.findall(r'^(?:import|export) .*? from "(.*?)";', text, re.MULTILINE | re.DOTALL):
            other = posixpath.normpath(f"{name}/../{where}").split("/")[0]
            assert other in allowed.get(home, {"kit", "tokenview", home}), f"{name} imports {where}"


def test_each_script_that_draws_is_taken() -> None:
    taken = set[str]()
    for text in (path.read_text() for path in FOLDER.parent.rglob("*.py")):
        taken |= {*re.findall(r'script\("([^"]*)"\)', text)}
        taken |= {*re.findall(r'_\w+ = component\(\s*"\w+",\s*"([^"]*)"', text)}
    assert {*ENTRIES} <= taken


@pytest.mark.right
def test_no_field_for_text_is_corrected_by_a_phone() -> None:
    """asTyped() of elements.js switches everything off; checkboxes and sliders need none of it."""
    for name, text in FILES.items():
        if not name.startswith(("kit/elements.js", "learn/", "train/", "vocabulary/", "tokenview/")):
            continue
        for field, as_typed in re.findall(r'(\w+) = .*?(asTyped\()?make\((?:"input"|"textarea"|kind,)', text):
            typed = as_typed or f"asTyped({field})" in text or f"asTyped(this.{field})" in text
            assert typed or field == "range" or f'{field}.type = "range"' in text, f"{name}: {field}"
        for field in re.findall(r'<(?:input|textarea)\b(?! class="range").*?\s@', text, re.DOTALL):
            for word in ("autocapitalize", "autocorrect", "autocomplete"):
                assert f'{word}="off"' in field and 'spellcheck="false"' in field, f"{name}: {field}"
    assert all(
        word in FILES["kit/elements.js"] for word in ("autocapitalize", "autocorrect", "autocomplete", "spellcheck")
    )


IMPORT_A = 'import { a } from "./a.js";\n'
A_AND_B = {"a": 'import { b } from "./b.js";\nexport const a = 1;\n', "b": f"{IMPORT_A}export let b;\n"}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"entry": IMPORT_A}, r"/entry\.js imports .*/a\.js, which does not exist"),
        ({"entry": IMPORT_A, "a": "const a = 1;\n"}, r"/entry\.js imports a, which .*/a\.js does not export"),
        ({"entry": IMPORT_A} | A_AND_B, r"in a circle: .*/a\.js, .*/b\.js, .*/a\.js"),
        ({"entry": 'import { x } from "./entry.js";\nexport let x;\n'}, r"in a circle: .*/entry\.js, .*/entry\.js"),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bundle(written(tmp_path, **files))


@pytest.mark.parametrize(
    "line",
    [
        'import "./a.js";',
        'import * as a from "./a.js";',
        'import a from "./a.js";',
        'import { a as b } from "./a.js";',
        'import { a } from "a";',
        "import { a } from './a.js';",
        "export { a };",
        'export * from "./a.js";',
        "export var a = 1;",
        "export const { a, b } = c;",
        "export default class {}",
        "const [a, b] = c;",
        "var a = 1;",
    ],
)
def test_other_ways_to_write_it_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(ValueError, match=f"cannot be put into one script: {re.escape(line)}"):
        bundle(written(tmp_path, entry=f"{line}\n", a="export const a = 1;\n"))


def test_only_the_entry_file_has_a_default_export(tmp_path: Path) -> None:
    entry = written(tmp_path, entry=IMPORT_A, a="export const a = 1;\nexport default function () {}\n")
    with pytest.raises(ValueError, match=r"a\.js has a line that cannot be put into one script: export default"):
        bundle(entry)
