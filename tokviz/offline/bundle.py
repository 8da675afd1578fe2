"""One script from many: a JavaScript file and all that it imports, as one module.

A browser would fetch one file after the other, a dozen deep, and a script inside an HTML file cannot import at all. So
the files are put together here: each once, after those it imports, as a function that is called at once and returns
what the file exports. Each has names of its own, so two files may define the same one. Only the entry file is in no
function: it keeps its exports.

The files are not parsed, so they keep to a plain form:

- An import reads `import { a, b } from "./file.js";`, on one line or over several.
- The word `export` comes before `function` (or `async function`, `function*`), `class`, `const` or `let`.
- `export default function (` or `export default component(` is in entry files only.
- What is defined at the top level starts in the first column, one name at a time, and not with `var`.
- What is exported is not assigned again: an importer has the value that it had at first.

Anything else is an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_IMPORT = re.compile(r'^import \{\s*(\w+(?:,\s*\w+)*),?\s*\} from "(\.{1,2}/[\w./]+)";\n', re.MULTILINE)
_DEFINITION = re.compile(r"^(export )?(?=(?:async function|function\*?|class|const|let) (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default (?:function \(|component\()", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export|var|(?:const|let) [\[{]).*", re.MULTILINE)


class _File(NamedTuple):
    """A file without its import lines."""

    text: str
    imports: dict[Path, list[str]]
    exports: list[str]


def bundle(entry: Path) -> str:
    """The script of a component, from its entry file.

    ValueError if a file does not exist or is not written in the form above, if files import each other in a circle, or
    if one does not export what another imports.

    >>> shown = bundle(Path(__file__).parents[1] / "ui/tokenview/shown.js")
    >>> shown.index("function make(") < shown.index("export default ")
    True
    """
    files: dict[Path, _File] = {}
    _collect(entry.resolve(), files, ())
    for path, file in files.items():
        for other, names in file.imports.items():
            for name in names:
                if name not in files[other].exports:
                    raise ValueError(f"{_short(path)} imports {name}, which {_short(other)} does not export.")
    scopes = {path: f"${number}" for number, path in enumerate(files)}
    *others, last = files
    return "\n".join([*(_scope(path, files[path], scopes) for path in others), _inside(files[last], scopes)])


def _scope(path: Path, file: _File, scopes: dict[Path, str]) -> str:
    """Put a file into a function. scopes: by what name each file's exports go."""
    inside = _DEFINITION.sub("", _inside(file, scopes))
    given = ", ".join(file.exports)
    return f"// {_short(path)}\nconst {scopes[path]} = (() => {{\n{inside}return {{ {given} }};\n}})();"


def _inside(file: _File, scopes: dict[Path, str]) -> str:
    taken = (f"const {{ {', '.join(names)} }} = {scopes[path]};\n" for path, names in file.imports.items())
    return "".join(taken) + file.text


def _collect(path: Path, files: dict[Path, _File], importers: tuple[Path, ...]) -> None:
    """Put a file into `files`, after all that it imports. `importers` are the files on the way to it."""
    if path in importers:
        circle = [*importers[importers.index(path) :], path]
        raise ValueError(f"Files import each other in a circle: {', '.join(map(_short, circle))}.")
    if path in files:
        return
    if not path.is_file():
        importer = f"{_short(importers[-1])} imports" if importers else "The entry file is"
        raise ValueError(f"{importer} {_short(path)}, which does not exist.")
    file = _read(path, is_entry=not importers)
    for other in file.imports:
        _collect(other, files, (*importers, path))
    files[path] = file


def _read(path: Path, *, is_entry: bool) -> _File:
    source = path.read_text(encoding="utf-8")
    imports: dict[Path, list[str]] = {}
    for names, where in _IMPORT.findall(source):
        imports.setdefault((path.parent / where).resolve(), []).extend(re.findall(r"\w+", names))
    text = _IMPORT.sub("", source)
    known = _DEFINITION.sub("", _DEFAULT.sub("", text) if is_entry else text)
    if found := _UNKNOWN.search(known):
        raise ValueError(f"{_short(path)} has a line that cannot be put into one script: {found[0]}")
    return _File(text, imports, [name for export, name in _DEFINITION.findall(text) if export])


def _short(path: Path) -> str:
    """A file by its folder and name, for messages."""
    return f"{path.parent.name}/{path.name}"
