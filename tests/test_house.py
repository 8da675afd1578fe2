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

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")

# A room imports only from rooms above it. Those of one line do not import each other.
ROOMS = (
    ("errors", "once", "wording", "judge"),
    ("arguments", "limits", "sentences"),
    ("kernels",),
    ("text", "files", "frozen"),
    ("specials", "pattern_tree"),
    ("automaton", "clause_sentences"),
    ("parts", "split"),
    ("counters", "encoding", "cut_alike", "pattern_pieces", "column_texts"),
    ("hues", "merges"),
    ("vocabulary",),
    ("tokenizer",),
    ("chunk_counts", "peers", "reading"),
    ("corpus", "rules"),
    ("dask_counting",),
    ("learning",),
    ("training", "formats", "ids", "livetext", "boundary_reasons", "suspects"),
    (
        "catalog",
        "counts_file",
        "samples",
        "metrics",
        "opening",
        "snippets",
        "special_edits",
        "livetraining",
    ),
    ("chunk_steps", "packages", "proof", "text_figures", "token_texts"),
    (
        "comparison",
        "dropout",
        "other_encoders",
        "chats",
        "what_if",
        "corpus_match",
        "merges_in_text",
        "pair_reasons",
        "token_details",
        "token_use",
        "occurrences",
        "export_proof",
        "shared_tokens",
        "waste",
    ),
    (
        "biography",
        "odd_tokens",
        "file_counts",
        "library",
        "misconceptions",
        "reason_sentences",
        "same",
        "token_table",
        "training_record",
    ),
    ("notebook", "questions", "rehearsal", "token_search"),
    ("lessons", "rooms"),
    ("tokviz",),  # the public API, tokviz/__init__.py
    ("cli",),
    ("__main__",),
    ("ui",),
    ("pages",),
    ("app",),
)
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}
# Within these a module may use another of its own.
MANY_MODULES = ("formats", "kernels", "lessons", "opening", "rooms", "waste", "cli", "ui", "pages")
# A tokenizer saves itself (`Tokenizer.save`), but formats read and make tokenizers, so they stand above. So do counts.
# What Jupyter shows draws itself, and what draws stands above too. The imports that go up are inside these methods.
DRAWN = ("encoding", "tokenizer", "training", "comparison")
UPWARDS = {
    ("tokviz.tokenizer.tokenizer", "tokviz.formats.tokviz"),
    ("tokviz.corpus.chunk_counts", "tokviz.corpus.counts_file"),
    *((f"tokviz.{module}", "tokviz.notebook") for module in DRAWN),
}
STREAMLIT_FROM = FLOOR["ui"]


# The walls inside tokviz/ui, in the same order. A page's folder imports from no other page's.
PAGE_ROOMS = tuple(sorted(page.room for page in PAGES))
UI_ROOMS = (
    ("machine",),
    ("components", "visitors"),
    ("rooms",),
    ("frame",),
    ("tokenizers", "uploads", "work"),
    ("address", "charts", "course"),
    ("links", "sockets", "tables"),
    ("shelf",),
    PAGE_ROOMS,
    ("doors", "warm"),
)
UI_FLOOR = {room: floor for floor, rooms in enumerate(UI_ROOMS) for room in rooms}


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def sources() -> list[Path]:
    return [ROOT / "app.py", *sorted((ROOT / "tokviz").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]


def room_of(module: str) -> str | None:
    """The room of a dotted name of ours; None for others' modules.

    >>> room_of("tokviz.ui.server.visitor"), room_of("tokviz"), room_of("pages.train"), room_of("numpy.typing")
    ('ui', 'tokviz', 'pages', None)
    """
    first, *rest = module.split(".")
    if first == "tokviz":
        return rest[0] if rest else "tokviz"
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
                is_module = room_of(str(base)) and (
                    (ROOT / whole.replace(".", "/")).is_dir() or (ROOT / f"{whole.replace('.', '/')}.py").is_file()
                )
                yield node.lineno, whole if is_module else str(base)


def test_imports_go_one_way() -> None:
    for path in sources():
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        room = room_of(module)
        assert room in FLOOR, f"{module} has no place in ROOMS yet"
        for line, name in imports(path):
            other = room_of(name)
            if other is None or (other == room and room in MANY_MODULES) or (module, name) in UPWARDS:
                continue
            assert other in FLOOR, f"{path.name}:{line} imports {name}, which has no place in ROOMS"
            assert FLOOR[other] < FLOOR[room], f"{path.name}:{line} imports {name}, which stands beside it or above"


def ui_room(module: str) -> str | None:
    """The room inside tokviz/ui of a dotted name; None for what is not in there.

    >>> ui_room("tokviz.ui.frame.shell"), ui_room("tokviz.ui.links"), ui_room("tokviz.base.text")
    ('frame', 'links', None)
    """
    first, second, *rest = [*module.split("."), "", ""]
    return rest[0] if (first, second) == ("tokviz", "ui") and rest[0] else None


def test_imports_inside_the_pages_part_go_one_way() -> None:
    for path in sorted((ROOT / "tokviz" / "ui").rglob("*.py")):
        room = ui_room(dotted(path))
        if room is None:  # tokviz/ui/__init__.py
            assert not imports(path)
            continue
        assert room in UI_FLOOR, f"{path} has no place in UI_ROOMS yet"
        for line, name in imports(path):
            other = ui_room(name)
            if other and other != room:
                assert other in UI_FLOOR, f"{path.name}:{line} imports {name}, which has no place in UI_ROOMS"
                assert UI_FLOOR[other] < UI_FLOOR[room], (
                    f"{path.name}:{line} imports {name}, which stands beside or above"
                )


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {dotted(path): {name for _, name in imports(path) if room_of(name)} for path in sources()}
    for module, above in UPWARDS:
        graph[module] -= {above}
    left = dict(graph)
    while free := [module for module, names in left.items() if not names & left.keys()]:
        for module in free:
            del left[module]
    assert not left, f"in a circle, or above one: {sorted(left)}"


def test_the_pages_part_has_few_files_outside_its_rooms() -> None:
    assert len(list((ROOT / "tokviz" / "ui").glob("*.py"))) <= 12


def test_streamlit_stays_in_the_pages_part() -> None:
    for path in sources():
        room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for line, name in imports(path):
            if name.split(".")[0] in ("streamlit", "starlette"):
                assert FLOOR[str(room)] >= STREAMLIT_FROM, f"{path.name}:{line} imports {name}"


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


def named_in_readme(folder: Path) -> list[str]:
    """The modules and folders of a folder, as README.md names them: "base/text.py", "kernels/"."""
    modules = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
    return sorted(modules + [f"{path.parent.name}/" for path in folder.glob("*/__init__.py")])


@pytest.mark.parametrize("folder", ["tokviz", "tokviz/ui"])
def test_the_readme_lists_each_module_and_folder_and_no_other(folder: str) -> None:
    heading = folder.rpartition("/")[2]
    indent = "  " * (folder.count("/") + 1)
    _, _, rest = README.partition(f"\n{indent[2:]}{heading}/ ")
    block = re.match(rf".*\n((?:{indent}.*\n)+)", rest)
    assert block
    listed = re.findall(rf"^{indent}(\w+(?:\.py|/)) ", block[1], re.MULTILINE)
    assert sorted(set(listed) - {"data/"}) == named_in_readme(ROOT / folder)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("rooms", [ROOMS, UI_ROOMS], ids=["tokviz", "tokviz/ui"])
def test_the_readme_names_the_import_order(rooms: tuple[tuple[str, ...], ...]) -> None:
    assert "\n".join(", ".join(floor) for floor in rooms) in README


def component_files() -> list[Path]:
    return sorted(path for path in (ROOT / "tokviz").rglob("*") if path.suffix in (".js", ".css"))


def test_components_write_text_as_text_and_load_nothing() -> None:
    for path in component_files():
        text = path.read_text("utf-8")
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
