"""Texts to measure on, put together from what Python and its installed packages bring along. Nothing is fetched.

English: Python's manual pages and docstrings. Code: the standard library and the packages installed beside it. Many
scripts: the messages of translated packages, of which Django has them in a hundred languages. No text is repeated, so
a corpus can come out smaller than it was asked for, or with more code in it; `build` says so.
"""

from __future__ import annotations

import ast
import gettext
import random
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from pydoc_data.topics import topics

PIECE = 20_000  # characters; pieces of all kinds are shuffled
SHARES = {"english": 0.45, "scripts": 0.41, "code": 0.14}  # of a mixed corpus


def english_and_code(size: int) -> str:
    """About `size` characters: Python's own manual pages, then its standard library."""
    text = "\n".join(topics[name] for name in sorted(topics))
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        if len(text) >= size:
            break
        text += path.read_text(encoding="utf-8", errors="replace")
    return text[:size]


def code() -> Iterator[str]:
    paths = sysconfig.get_paths()
    for folder in dict.fromkeys((paths["stdlib"], paths["purelib"])):
        for path in sorted(Path(folder).rglob("*.py")):
            yield path.read_text(encoding="utf-8", errors="replace")


def english() -> Iterator[str]:
    yield from (topics[name] for name in sorted(topics))
    for source in code():
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield (ast.get_docstring(node) or "") + "\n"


def scripts() -> Iterator[str]:
    installed = {str(file): file for package in distributions() for file in package.files or () if file.suffix == ".mo"}
    for name in sorted(installed):
        with installed[name].locate().open("rb") as file:  # type: ignore[attr-defined]
            try:
                messages = gettext.GNUTranslations(file)._catalog.values()  # type: ignore[attr-defined]
            except (OSError, ValueError):
                continue
        yield "\n".join(message for message in messages if isinstance(message, str)) + "\n"


def pieces(kind: str, size: int) -> list[str]:
    """Pieces of one kind, `size` bytes in all if there are so many, each from another place."""
    found: list[str] = []
    waiting, total = "", 0
    for text in {"english": english, "code": code, "scripts": scripts}[kind]():
        waiting += text
        while len(waiting) >= PIECE and total < size:
            found.append(waiting[:PIECE])
            total += len(waiting[:PIECE].encode("utf-8", "replace"))
            waiting = waiting[PIECE:]
        if total >= size:
            break
    return found


def n_bytes(parts: list[str]) -> int:
    return sum(len(part.encode("utf-8", "replace")) for part in parts)


def build(kind: str, size: int) -> str:
    """A corpus of about `size` bytes: "english", "code", "scripts", or "mixed" of the three.

    Code fills what a mixed corpus lacks, and standard error says how much that is.
    """
    if kind != "mixed":
        parts = pieces(kind, size)
    else:
        parts = []
        for part in ("english", "scripts"):
            found = pieces(part, int(SHARES[part] * size))
            share = n_bytes(found) / size
            if share < 0.9 * SHARES[part]:
                print(f"  Only {share:.0%} of this mixed corpus is {part}, not {SHARES[part]:.0%}.", file=sys.stderr)
            parts += found
        parts += pieces("code", size - n_bytes(parts))
    random.Random(size).shuffle(parts)
    return "".join(parts).encode("utf-8", "replace").decode()
