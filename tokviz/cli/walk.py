"""Lists the files of a folder as git sees it: without `.git`, and without what the `.gitignore` files name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import regex
from pathspec import GitIgnoreSpec
from pathspec.pattern import RegexMatchResult
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from tokviz.base.errors import InputError
from tokviz.base.files import open_file

MOST = 1_000_000  # characters of the patterns that hold in one folder
MATCH_SECONDS = 0.5  # that one pattern may take for one path


class IgnoreRules(NamedTuple):
    """Holds the rules of one `.gitignore`.

    base: its folder, with a slash at the end.
    spec: what `pathspec` makes of its lines.
    n_characters: how many its lines have.
    """

    base: str
    spec: GitIgnoreSpec
    n_characters: int


class _Timed(GitIgnoreSpecPattern):
    """Matches a pattern by `regex`, which does not try a place of a name again for each star of `*a*a*a*b`, as `re`
    does. Refuses the pattern if it takes too long all the same."""

    def match_file(self, file: str) -> RegexMatchResult | None:
        if self.regex is None:
            return None
        try:
            match: Any = regex.compile(self.regex.pattern).search(file, timeout=MATCH_SECONDS)
        except TimeoutError:
            raise InputError(
                f"A pattern of a .gitignore takes too long for {file:.80}: {self.pattern!s:.80}.",
                "Name the files themselves, or give the pattern fewer stars.",
            ) from None
        return RegexMatchResult(match) if match else None


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the regular files in a folder and below it, in alphabetical order. Symbolic links are not followed.

    A folder that cannot be read is given in place of its files, so the caller notices. InputError if there are too many
    patterns, or if one takes too long.

    The `.gitignore` files of the folders above it hold too, up to the root of the repository. A folder that they
    ignore was named on purpose, so then they do not.
    """
    whole = folder.resolve()
    above = [*whole.parents]
    roots = [number for number, parent in enumerate((whole, *above)) if (parent / ".git").exists()]
    rules: tuple[IgnoreRules, ...] = ()
    if roots and roots[0]:  # above the root of a repository no rule of it holds
        for parent in reversed(above[: roots[0]]):
            rules = _with_own(rules, parent.as_posix())
        if any(_ignored(f"{inside.as_posix()}/", rules) for inside in (whole, *above[: roots[0] - 1])):
            rules = ()
    lists = [_listed(folder, whole.as_posix(), rules)]  # of the folders from the outermost to the one that is read now
    while lists:
        found = next(lists[-1], None)
        if isinstance(found, Path):
            yield found
        elif found is None:
            lists.pop()
        else:
            lists.append(found)


def _listed(folder: Path, whole: str, rules: tuple[IgnoreRules, ...]) -> Iterator[Any]:
    """Yield what is in a folder: a path for each file, and for each folder an iterator like this one.

    whole: the absolute path of the folder, by which rules match.
    """
    try:
        rules = _with_own(rules, whole)
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    for entry in entries:
        path = f"{whole.rstrip('/')}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if entry.name != ".git" and not _ignored(f"{path}/", rules):
                yield _listed(folder / entry.name, path, rules)
        elif entry.is_file(follow_symlinks=False) and entry.name != ".git" and not _ignored(path, rules):
            yield folder / entry.name


def _with_own(rules: tuple[IgnoreRules, ...], whole: str) -> tuple[IgnoreRules, ...]:
    """Add the rules of a folder's own `.gitignore`, which git reads only if it is a regular file."""
    path = Path(whole, ".gitignore")
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return rules
        with open_file(path) as file:
            text = file.read(4 * MOST).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return rules
    own = IgnoreRules(
        f"{whole.rstrip('/')}/", spec_of([line.removesuffix("\r") for line in text.split("\n")]), len(text)
    )
    together = (*rules, own)
    if sum(each.n_characters for each in together) > MOST:
        raise InputError(
            f"The patterns of .gitignore files that hold in {whole} have more than {MOST:,} characters together.",
            "Name the files themselves, or shorten the .gitignore.",
        )
    return together


def spec_of(lines: Sequence[str]) -> GitIgnoreSpec:
    """Read the lines of a `.gitignore`. A line that is no pattern matches nothing.

    `pathspec` lets a class that takes back, such as [!a], match a slash too, where git does not.

    >>> spec_of(["*.md", "!docs/"]).match_file("a.md")
    True
    """
    try:
        return GitIgnoreSpec.from_lines(lines, _Timed, backend="simple")
    except ValueError:  # git passes over a line that is no pattern
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)], _Timed, backend="simple")


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line], backend="simple")
    except ValueError:
        return False
    return True


def _ignored(path: str, rules: Sequence[IgnoreRules]) -> bool:
    """Tell whether git ignores a path. The deepest `.gitignore` that names it decides. A folder ends with a slash."""
    for rule in reversed(rules):
        include = rule.spec.check_file(path.removeprefix(rule.base)).include
        if include is not None:
            return bool(include)
    return False
