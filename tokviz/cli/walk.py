"""The files of a folder, as git sees it: without `.git`, and without what the `.gitignore` files name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import regex

from tokviz.base.errors import InputError
from tokviz.base.files import open_file

MOST = 1_000_000  # characters of the patterns that hold in one folder
LONGEST = 255  # characters of a name, in all file systems that are in use
# A sign of a pattern: an escaped one, stars, a class, a class that nothing closes, or any other character.
_ITEM = r"\\.|\[:\w+:\]|"  # of a class; its first one may also be a bracket
_SIGN = regex.compile(rf"\\(.)|(\*+)|\[([!^]?)((?>{_ITEM}[^\\])(?>{_ITEM}[^]\\])*+)\]|\[.*|(.)", regex.DOTALL)
_ITEMS = regex.compile(r"(\[:\w+:\])|(\\.|.)(?:-(\\.|.))?", regex.DOTALL)

_Part = str | regex.Pattern[str] | None  # what one name of a path has to be; None: any names, or none


class IgnoreRule(NamedTuple):
    """A line of a `.gitignore`, and how far it holds already.

    text: str, the line.
    ignores: bool, False if it takes back what an earlier line says.
    folders: bool, is it for folders alone?
    parts: tuple[_Part, ...], of its pattern.
    at: tuple[int, ...], the places in `parts` that the names from the folder of the `.gitignore` down to here reached.
    """

    text: str
    ignores: bool
    folders: bool
    parts: tuple[_Part, ...]
    at: tuple[int, ...]

    def below(self, name: str) -> IgnoreRule:
        """The rule in the folder of this name. Each part meets each name once, so no pattern takes long."""
        at: dict[int, None] = {}
        for place in self.at:
            if self.parts[place] is None:
                at.update(dict.fromkeys(_from(place, self.parts)))
            elif place + 1 < len(self.parts) and _fits(self.parts[place], name):
                at.update(dict.fromkeys(_from(place + 1, self.parts)))
        return self._replace(at=(*at,))

    def names(self, name: str, is_folder: bool) -> bool:
        """Does it speak of what has this name here?"""
        last = len(self.parts) - 1
        return (is_folder or not self.folders) and last in self.at and _fits(self.parts[last], name)


IgnoreRules = tuple[IgnoreRule, ...]


def rule_of(line: str) -> IgnoreRule | None:
    """Read a line of a `.gitignore`. None if it has no pattern.

    >>> rule = rule_of("docs/*.md")
    >>> rule and [rule.below("docs").names(name, is_folder=False) for name in ("a.md", "a.py")]
    [True, False]
    """
    bare = line.rstrip(" ")
    if (len(bare) - len(bare.rstrip("\\"))) % 2 and len(bare) < len(line):
        bare += " "  # an escaped space belongs to the pattern
    glob = bare.removeprefix("!")
    inner = glob.removesuffix("/")
    if bare.startswith("#") or not inner:
        return None
    parts = _parts(inner.removeprefix("/") if "/" in inner else f"**/{inner}")
    return IgnoreRule(line, glob == bare, inner != glob, parts, _from(0, parts))


def files_in(folder: Path) -> Iterator[Path]:
    """The regular files in a folder and below it, in alphabetical order. Symbolic links are not followed.

    A folder that cannot be read is given in place of its files, so the caller notices. InputError if there are too many
    patterns.

    The `.gitignore` files of the folders above it hold too, up to the root of the repository. A folder that they
    ignore was named on purpose, so then they do not.
    """
    above = [folder.resolve(), *folder.resolve().parents]
    roots = [number for number, parent in enumerate(above) if (parent / ".git").exists()]
    rules: IgnoreRules = ()
    for parent, inside in pairwise(reversed(above[: roots[0] + 1] if roots else [])):
        rules = _with_own(rules, parent)
        if _ignored(rules, inside.name, is_folder=True):
            rules = ()
            break
        rules = _below(rules, inside.name)
    lists = [_listed(folder, rules)]  # of the folders from the outermost to the one whose files are given now
    while lists:
        found = next(lists[-1], None)
        if isinstance(found, Path):
            yield found
        elif found is None:
            lists.pop()
        else:
            lists.append(found)


def _listed(folder: Path, rules: IgnoreRules) -> Iterator[Any]:
    """What is in a folder: a path for each file, and for each folder an iterator as this one."""
    try:
        rules = _with_own(rules, folder)
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        yield folder
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not entry.is_file(follow_symlinks=False):
            continue
        if entry.name != ".git" and not _ignored(rules, entry.name, is_folder):
            path = folder / entry.name
            yield _listed(path, _below(rules, entry.name)) if is_folder else path


def is_named(path: str, rule: IgnoreRule) -> bool:
    """Does a rule name a file, or a folder that it is in?"""
    *folders, last = [name for name in path.split("/") if name not in ("", ".")]
    for name in folders:
        if rule.names(name, is_folder=True):
            return True
        rule = rule.below(name)
    return rule.names(last, is_folder=False)


def _with_own(rules: IgnoreRules, folder: Path) -> IgnoreRules:
    """These rules and those of a folder's own `.gitignore`, which git reads only if it is a regular file."""
    path = folder / ".gitignore"
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return rules
        with open_file(path) as file:
            data = file.read(4 * MOST)
    except OSError:
        return rules
    lines = data.decode("utf-8-sig", "surrogateescape").split("\n")
    own = [rule for line in lines if (rule := rule_of(line.removesuffix("\r"))) is not None]
    together = (*rules, *own)
    if sum(len(rule.text) for rule in together) > MOST:
        raise InputError(
            f"The patterns of .gitignore files that hold in {folder} have more than {MOST:,} characters together.",
            "Name the files themselves, or shorten the .gitignore.",
        )
    return together


def _below(rules: IgnoreRules, name: str) -> IgnoreRules:
    """The rules in the folder of this name, without those that can name nothing there."""
    return tuple(rule for rule in (rule.below(name) for rule in rules) if rule.at)


def _ignored(rules: Sequence[IgnoreRule], name: str, is_folder: bool) -> bool:
    """Whether git ignores what has this name here. The last rule that names it decides."""
    return next((rule.ignores for rule in reversed(rules) if rule.names(name, is_folder)), False)


def _fits(part: _Part, name: str) -> bool:
    return part == name if isinstance(part, str) else part is not None and part.fullmatch(name) is not None


def _from(place: int, parts: Sequence[_Part]) -> tuple[int, ...]:
    """A place in the parts of a pattern, and the next one if the part there may be no name at all."""
    return (place, place + 1) if parts[place] is None else (place,)


def _parts(glob: str) -> tuple[_Part, ...]:
    """The parts of a pattern, which slashes separate. The last one is a name: `**` at the end is at least one."""
    parts: list[_Part] = []
    signs: list[regex.Match[str]] = []
    for sign in (*_SIGN.finditer(glob), None):
        if sign is not None and sign[0] != "/":
            signs.append(sign)
        elif len(signs) != 1 or not signs[0][0].startswith("**"):
            parts.append(_part(signs))
            signs = []
        else:
            parts += [None] if not parts or parts[-1] is not None else []
            signs = []
    return (*parts, regex.compile("(?s).+")) if parts[-1] is None else (*parts,)


def _part(signs: Sequence[regex.Match[str]]) -> _Part:
    """What a name has to be for one part of a pattern.

    What stands between two stars is only looked for where it comes first, which is enough. So this takes linear time.
    """
    text = "".join(sign[0] for sign in signs)
    if not {*text} & {*"*?[\\"}:
        return text
    pieces = [""]
    for escaped, stars, negated, inside, other in (sign.groups() for sign in signs):
        if stars:
            pieces.append("")
        elif inside:
            pieces[-1] += f"[{'^' if negated else ''}{''.join(map(_item, _ITEMS.findall(inside)))}]"
        elif other == "?":
            pieces[-1] += "."
        else:  # what is not closed matches nothing, nor does a backslash at the end
            pieces[-1] += "(?!)" if other in (None, "\\") and not escaped else regex.escape(escaped or other)
    first, *between = pieces
    if between:
        first += "".join(f"(?>.*?{piece})" for piece in between[:-1]) + f".*{between[-1]}"
    try:
        return regex.compile(first if len(signs) <= 2 * LONGEST else "(?!)", regex.DOTALL)
    except regex.error:  # a class of characters that does not exist
        return regex.compile("(?!)")


def _item(found: tuple[str, str, str]) -> str:
    """An item of a class, for a regex. A range that falls is its first character."""
    posix, first, last = found[0], found[1][-1:], found[2][-1:]
    if posix or not last or last < first:
        return posix or regex.escape(first, special_only=False)
    return "-".join(regex.escape(end, special_only=False) for end in (first, last))
