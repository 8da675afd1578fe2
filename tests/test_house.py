"""Rules of the house that a machine can hold: who may import whom, what code may not use, how text gets on a page."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pictures import FOLDER, MOST_BYTES, PICTURES
from tokviz.ui.frame.shell import PAGES
from tokviz.ui.server.pages import NOWHERE

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")

# A package imports only from those of lines above its own.
PACKAGES = """
base
kernels
split
tokenizer corpus
training
formats
catalog
comparison vocabulary
cost
teach
offline
notebook rehearsal __init__
cli ui
__main__ pages app
"""
FLOOR = {package: floor for floor, line in enumerate(PACKAGES.split("\n")) for package in line.split()}


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def sources() -> list[Path]:
    return [ROOT / "app.py", *sorted((ROOT / "tokviz").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]


def package_of(module: str) -> str | None:
    """The package of a dotted name of ours; None for others' modules.

    >>> [package_of(name) for name in ("tokviz.ui.frame.links", "tokviz", "pages.train", "numpy.typing")]
    ['ui', '__init__', 'pages', None]
    """
    first, *rest = module.split(".")
    if first == "tokviz":
        return rest[0] if rest else "__init__"
    return first if first in ("pages", "app") else None


@functools.cache
def imports(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name) of all a file imports, wherever in it; `from tokviz.base import errors` is
    tokviz.base.errors."""
    return [*_imports(path)]


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    package = path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join((*package[: -node.level], *filter(None, [node.module]))) if node.level else node.module
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                is_module = package_of(str(base)) and (
                    (ROOT / whole.replace(".", "/")).is_dir() or (ROOT / f"{whole.replace('.', '/')}.py").is_file()
                )
                yield node.lineno, whole if is_module else str(base)


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_imports_go_one_way() -> None:
    """An import inside a function counts. What is printed shows the packages, and which each one uses."""
    arrows = dict[str, set[str]]()
    for path in sources():
        package = str(package_of(dotted(path)))
        for line, name in imports(path):
            if (other := package_of(name)) and other != package:
                assert FLOOR[other] < FLOOR[package], f"{path.name}:{line} imports {name}, which is beside it or below"
                arrows.setdefault(package, set()).add(other)
    for package in FLOOR:
        print(f"{package:12}", *sorted(arrows.get(package, ()), key=FLOOR.__getitem__))
    table = re.findall(r"^\| `(\w+)` \|", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    folders = {path.parent.name for path in (ROOT / "tokviz").glob("*/__init__.py")}
    assert table == [package for package in FLOOR if package in folders]
    assert len(folders) == 15 and folders <= FLOOR.keys() and len(list((ROOT / "tokviz").glob("*.py"))) <= 8
    assert sum(len(used & folders) for package, used in arrows.items() if package in folders) <= 70


def test_no_module_imports_itself_by_a_detour() -> None:
    left = {dotted(path): {name for _, name in imports(path) if package_of(name)} for path in sources()}
    while free := [module for module, names in left.items() if not names & left.keys()]:
        for module in free:
            del left[module]
    assert not left, f"in a circle, or above one: {sorted(left)}"


# The folders of tokviz/ui, the lowest first. Each imports only from those before it.
UI_FOLDERS = ("kit", "server", "frame", "tokenview")
PAIRS = {("classroom", "learn"), ("train", "library")}  # a page imports from another page only here
SCRIPT = re.compile(r'from "(\.[^"]+)"|import\("(\.[^"]+)"\)')


def arrows_in_ui() -> Iterator[tuple[str, str, str]]:
    """Each import from one folder of tokviz/ui in another, in Python and in JavaScript: both folders, and the file."""
    ui = ROOT / "tokviz" / "ui"
    for path in sorted(ui.glob("*/**/*.py")):
        for _, name in imports(path):
            if name.startswith("tokviz.ui."):
                yield path.relative_to(ui).parts[0], name.split(".")[2], path.name
    for path in sorted(ui.glob("*/**/*.js")):
        for found in SCRIPT.findall(path.read_text("utf-8")):
            other = (path.parent / "".join(found)).resolve().relative_to(ui)
            yield path.relative_to(ui).parts[0], other.parts[0], path.name


def test_the_folders_of_the_pages_part_import_one_way() -> None:
    """What is printed shows the folders, and which each one uses."""
    pages = {page.folder for page in PAGES} | {NOWHERE}
    arrows: dict[str, set[str]] = {}
    for folder, other, file in arrows_in_ui():
        if folder == other:
            continue
        below = UI_FOLDERS if folder in pages else UI_FOLDERS[: UI_FOLDERS.index(folder)]
        assert other in below or (folder, other) in PAIRS, f"{folder}/{file} imports from {other}"
        arrows.setdefault(folder, set()).add(other)
    for folder, others in arrows.items():
        print(f"{folder:12}", *sorted(others))
    folders = {path.parent.name for path in (ROOT / "tokviz" / "ui").glob("*/__init__.py")}
    assert folders == {*UI_FOLDERS, *pages} and len(folders) <= 13 and sum(map(len, arrows.values())) <= 40


def test_the_pages_part_has_few_files_outside_its_folders() -> None:
    assert len(list((ROOT / "tokviz" / "ui").glob("*.py"))) <= 12


def test_streamlit_stays_in_the_pages_part() -> None:
    for path in sources():
        for line, name in imports(path):
            if name.split(".")[0] in ("streamlit", "starlette"):
                assert package_of(dotted(path)) in ("ui", "pages", "app"), f"{path.name}:{line} imports {name}"


SESSION = {"session.py", "widgets.py", "field.py"}
CLICKED = {"checkbox", "multiselect", "pills", "radio", "segmented_control", "select_slider", "selectbox", "slider"}
CLICKED |= {"tabs", "toggle"}
TYPED = {"chat_input", "number_input", "text_area", "text_input"}


def test_what_a_page_keeps_is_said_once() -> None:
    """In its `state.py`. What is clicked is tied to it by `bind`, what is typed by a field of the kit."""
    for path in sorted((ROOT / "tokviz" / "ui").glob("*/*.py")):
        for node in ast.walk(tree_of(path)):
            where = f"{path.parent.name}/{path.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Attribute) and node.attr == "session_state":
                assert path.name in SESSION, f"{where} keeps something in the session by hand"
            if isinstance(node, ast.ClassDef) and "PageState" in map(ast.unparse, node.bases):
                assert path.name == "state.py", f"{where} keeps something beside state.py"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in TYPED, f"{where} takes text without `bound_field`"
                tied = any(keyword.arg is None for keyword in node.keywords)
                assert tied or node.func.attr not in CLICKED, f"{where} has a widget without `bind`"


def test_no_pickle_no_eval_no_assert() -> None:
    for path in sources():
        for _, name in imports(path):
            assert name.split(".")[0] not in ("pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib")
        for node in ast.walk(tree_of(path)):
            line = f"{path.name}:{getattr(node, 'lineno', 0)}"
            assert not isinstance(node, ast.Assert), f"{line} checks with assert, which -O takes out"
            if isinstance(node, ast.ExceptHandler):
                assert node.type is not None, f"{line} has a bare except"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec"), f"{line} calls {node.func.id}"
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and ast.unparse(node.value) != "False":
                pytest.fail(f"{line} allows pickle")


def test_no_text_reaches_a_page_as_html() -> None:
    for path in sources():
        for node in ast.walk(tree_of(path)):
            line = f"{path.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.keyword):
                assert node.arg != "unsafe_allow_html", line
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "st":
                assert node.attr != "iframe", line
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.html":
                # a style of our own, by its path and nothing else
                assert re.fullmatch(r"_HERE / '\w+\.css'", ast.unparse(node.args[0])), line


def component_files() -> list[Path]:
    return sorted(path for path in (ROOT / "tokviz").rglob("*") if path.suffix in (".js", ".css"))


# html.js parses the strings of templates, guard.js refuses such a name, and mount.js fetches: the word is there once.
ALLOWED = {"html.js": "innerHTML", "guard.js": "srcdoc", "mount.js": "import("}


def test_components_write_text_as_text_and_load_nothing() -> None:
    for path in component_files():
        text = path.read_text("utf-8").replace(ALLOWED.get(path.name, "\0"), "", 1)
        ways_to_markup = (
            r"innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|DOMParser|document\.write"
            r"|\beval\s*\(|new\s+Function\b|javascript:|srcdoc"
        )
        ways_out = r"@import|url\(\s*['\"]?(?!data:|#)|\bimport\s*\(|https?://(?!www\.w3\.org/)"
        for forbidden in (ways_to_markup, ways_out):
            found = re.search(forbidden, text)
            assert not found, f"{path.name}:{text.count(chr(10), 0, found.start()) + 1} has {found[0]!r}"


def test_the_readme_shows_the_pictures_that_the_command_takes() -> None:
    shown = re.findall(r"docs/pictures/(\S+\.\w+)", README)
    assert sorted(shown) == sorted(PICTURES)
    assert {path.name for path in FOLDER.glob("*")} <= set(PICTURES)
    assert all(path.stat().st_size < MOST_BYTES for path in FOLDER.glob("*"))


def test_the_tour_of_the_readme_names_what_is_on_the_pages() -> None:
    _, _, rest = README.partition("## A tour of five minutes")
    named = re.findall(r"\*{1,2}([A-Z][^*.]+)\*{1,2}", rest.partition("\n## ")[0])
    ui = ROOT / "tokviz" / "ui"
    pages = "".join(path.read_text("utf-8") for ending in ("py", "js", "html") for path in ui.rglob(f"*.{ending}"))
    assert len(named) > 5
    assert [label for label in named if not re.search(rf"[\"*>]{re.escape(label)}[\"*<]", pages)] == []
