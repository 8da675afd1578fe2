"""The files of a folder, as git sees it: without `.git`, and without what the `.gitignore` files name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec


class IgnoreRules(NamedTuple):
    """The rules of one `.gitignore`. base: its folder, with a slash at the end."""

    base: str
    spec: GitIgnoreSpec


def files_in(folder: Path) -> Iterator[Path]:
    """The regular files in a folder and below it, in alphabetical order. Symbolic links are not followed.

    A folder that cannot be read stands for its files, so whoever reads them notices.

    The `.gitignore` files of the folders above it hold too, up to the root of the repository. A folder that they
    ignore was named on purpose, so then they do not.
    """
    whole = folder.resolve()
    above = [*whole.parents]
    roots = [number for number, parent in enumerate((whole, *above)) if (parent / ".git").exists()]
    rules: tuple[IgnoreRules, ...] = ()
    if roots and roots[0]:  # above the root of a repository no rule of it holds
        for parent in reversed(above[: roots[0]]):
            rules += _rules_of(parent.as_posix())
        if any(_ignored(f"{inside.as_posix()}/", rules) for inside in (whole, *above[: roots[0] - 1])):
            rules = ()
    yield from _walk(folder, whole.as_posix(), rules)


def _walk(folder: Path, whole: str, rules: tuple[IgnoreRules, ...]) -> Iterator[Path]:
    """whole: the absolute path of the folder, by which rules match."""
    rules += _rules_of(whole)
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    for entry in entries:
        path = f"{whole.rstrip('/')}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if entry.name != ".git" and not _ignored(f"{path}/", rules):
                yield from _walk(folder / entry.name, path, rules)
        elif entry.is_file(follow_symlinks=False) and entry.name != ".git" and not _ignored(path, rules):
            yield folder / entry.name


def _rules_of(whole: str) -> tuple[IgnoreRules, ...]:
    try:
        lines = Path(whole, ".gitignore").read_bytes().decode("utf-8-sig", "surrogateescape").split("\n")
    except OSError:
        return ()
    return (IgnoreRules(f"{whole.rstrip('/')}/", spec_of([line.removesuffix("\r") for line in lines])),)


def spec_of(lines: Sequence[str]) -> GitIgnoreSpec:
    """Read the lines of a `.gitignore`. A line that is no pattern matches nothing."""
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # git passes over a line that is no pattern
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _ignored(path: str, rules: Sequence[IgnoreRules]) -> bool:
    """Whether git ignores a path. The deepest `.gitignore` that speaks of it decides. A folder ends with a slash."""
    for base, spec in reversed(rules):
        include = spec.check_file(path.removeprefix(base)).include
        if include is not None:
            return include
    return False
