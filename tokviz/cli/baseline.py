"""A baseline: the tokens of files as they were when somebody last agreed to them, for a file in the repository.

It holds what is counted (paths, tokenizers), how many tokens each file had, and the budgets. It has a line for each
file and no totals, so two branches that change different files can be merged. All paths are relative to its folder.

    {"format": "tokviz baseline", "version": 1, "paths": [path, ...], "tokenizers": {name: fingerprint, ...},
     "budgets": {pattern: 2000 or "+5%", ...}, "files": {path: {tokenizer: tokens, ...}, ...}}
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pathspec import GitIgnoreSpec

from tokviz.arguments import shown
from tokviz.cli.inputs import tokenizer_named, with_merges
from tokviz.errors import FormatError, InputError, SettingError
from tokviz.formats.parts import is_id, read_json
from tokviz.tokenizer import Tokenizer

FORMAT = "tokviz baseline"
VERSION = 1
DEFAULT = Path("tokviz-baseline.json")

_LIMIT = re.compile(r"(\+?)([0-9]{1,12})(%?)")
Limit = int | str  # tokens, or "+5%" or "+20" above the baseline
Tokens = Mapping[str, int]  # the name of a tokenizer -> tokens


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a baseline file says. tokenizers: name or relative path -> fingerprint (see `tokviz.same`)."""

    paths: tuple[str, ...]
    tokenizers: Mapping[str, str]
    budgets: Mapping[str, Limit] = field(default_factory=dict)
    files: Mapping[str, Tokens] = field(default_factory=dict)

    def budget(self, path: str, tokenizer: str) -> int | None:
        """The most tokens that a file may have, None for no limit.

        A pattern that is the path itself decides before all others, and a longer pattern before a shorter one. A limit
        above the baseline holds only for files that are in it.

        >>> of = Baseline((), {}, {"*": 100, "*.md": "+5%", "a.md": 30}, {"b.md": {"gpt2": 205}}).budget
        >>> of("a.md", "gpt2"), of("b.md", "gpt2"), of("new.md", "gpt2"), of("c.txt", "gpt2")
        (30, 215, None, 100)
        """
        fitting = [pattern for pattern in self.budgets if pattern == path or _spec(pattern).match_file(path)]
        if not fitting:
            return None
        limit = self.budgets[max(fitting, key=lambda pattern: (pattern == path, len(pattern), pattern))]
        if isinstance(limit, int):
            return limit
        before = self.files.get(path, {}).get(tokenizer)
        if before is None:
            return None
        more = int(limit.strip("+%"))
        return before + (before * more // 100 if limit.endswith("%") else more)


def path_from(folder: Path, path: Path) -> str:
    """A path as a baseline in this folder writes it. SettingError if it is outside of the folder.

    >>> path_from(Path("repo"), Path("repo/docs/a.md"))
    'docs/a.md'
    """
    relative = Path(os.path.relpath(path, folder))
    if relative.is_absolute() or relative.parts[:1] == ("..",):
        raise SettingError(
            f"{path} is outside of {folder.absolute()}.", "Put the baseline in a folder above all files."
        )
    return relative.as_posix()


def name_from(folder: Path, name: str) -> str:
    """The name of a tokenizer as a baseline in this folder writes it. That of a file always has a slash."""
    path = Path(name)
    if path.name == name and not path.is_file():
        return name
    relative = Path(os.path.relpath(path, folder)).as_posix()
    return relative if "/" in relative else f"./{relative}"


def tokenizer_at(folder: Path, name: str) -> Tokenizer:
    """The tokenizer that a baseline in this folder calls so. Errors as in `tokenizer_named`."""
    return with_merges(name, tokenizer_named(f"{folder.as_posix()}/{name}" if "/" in name else name))


def budgets_in(said: Iterable[str]) -> dict[str, Limit]:
    """Budgets as they are written in a call: N for every file, or PATTERN=N. SettingError for anything else.

    >>> budgets_in(["2000", "prompts/*.md=+5%"])
    {'*': 2000, 'prompts/*.md': '+5%'}
    """
    budgets: dict[str, Limit] = {}
    for one in said:
        pattern, equals, limit = one.rpartition("=")
        pattern = pattern if equals else "*"
        if not _is_limit(limit) or not _is_pattern(pattern):
            raise SettingError(
                f"The budget {one!r} cannot be read.",
                "Write N or PATTERN=N, where N is a number of tokens, or +N or +N% for a growth.",
            )
        budgets[pattern] = limit if limit.startswith("+") else int(limit)
    return budgets


def _is_limit(limit: str) -> bool:
    """Is it a number, +N, or +N%? A share of nothing is none."""
    found = _LIMIT.fullmatch(limit)
    return found is not None and bool(found[1] or not found[3])


def _is_pattern(pattern: str) -> bool:
    """Does it name files, as a line of .gitignore does? Comments and exceptions do not."""
    try:
        return bool(pattern) and _spec(pattern).patterns[0].include is True
    except ValueError:
        return False


def _spec(pattern: str) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines([pattern])


def dump(baseline: Baseline) -> bytes:
    """The file of a baseline. It is sorted, so the same counts give the same bytes.

    >>> print(dump(Baseline(("docs",), {"gpt2": "ab12"}, {}, {"docs/b.md": {"gpt2": 7}})).decode(), end="")
    {
    "format": "tokviz baseline",
    "version": 1,
    "paths": [
      "docs"
    ],
    "tokenizers": {
      "gpt2": "ab12"
    },
    "budgets": {},
    "files": {
      "docs/b.md": {"gpt2": 7}
    }
    }
    """
    lines = [
        f'"format": {json.dumps(FORMAT)}',
        f'"version": {VERSION}',
        f'"paths": {_block("[]", [_json(path) for path in baseline.paths])}',
        *(
            f'"{name}": {_block("{}", [f"{_json(key)}: {_json(rows[key])}" for key in sorted(rows)])}'
            for name in ("tokenizers", "budgets", "files")
            for rows in [getattr(baseline, name)]
        ),
    ]
    # a name that is not UTF-8 becomes \udcff, which is how JSON writes it
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "backslashreplace")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _block(around: str, lines: list[str]) -> str:
    return around[0] + "\n  " + ",\n  ".join(lines) + "\n" + around[1] if lines else around


def read(path: Path) -> Baseline:
    """The baseline in a file. InputError if it cannot be read, FormatError if it is damaged or something else."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"There is no baseline {path}.", f"`tokviz count PATH... -t NAME --baseline {path}` writes it."
        ) from None
    except OSError as fault:
        raise InputError(f"The baseline {path} cannot be read: {fault.strerror}.", "Name another file.") from None
    return load(data, str(path))


def load(data: bytes, source: str) -> Baseline:
    """The baseline in the bytes of a file. source: what to call it in an error. FormatError as in `read`."""
    try:
        said = read_json(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as fault:
        raise FormatError(f"{source} is no baseline, or is damaged: {fault}.", "Bring back the one in git.") from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise FormatError(f'{source} is no baseline: it does not say "format": "{FORMAT}".', "Name another file.")
    if said.get("version") != VERSION:
        raise FormatError(
            f"{source} has version {shown(said.get('version'))}; this tokviz reads version {VERSION}.",
            "Check it with the version of tokviz that wrote it.",
        )
    paths, tokenizers, budgets, files = (said.get(key) for key in ("paths", "tokenizers", "budgets", "files"))
    for ok, key, what in (
        (_is_list(paths), "paths", "is no list of one path or more"),
        (tokenizers and _is_table(tokenizers, str), "tokenizers", "does not have a fingerprint for each tokenizer"),
        (_are_budgets(budgets), "budgets", 'does not have a number, "+N" or "+N%" for each pattern'),
        (_is_table(files, dict), "files", "does not have a table for each file"),
    ):
        if not ok:
            raise FormatError(f"{source} is damaged: {key!r} {what}.", "Correct it, or bring back the one in git.")
    for path, tokens in files.items():  # type: ignore[union-attr]
        if not all(is_id(n, 2**62) for n in tokens.values()):
            raise FormatError(f"{source} is damaged: the tokens of {path!r} are no numbers.", "Correct them.")
    return Baseline(tuple(paths or ()), tokenizers or {}, budgets or {}, files or {})


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _is_table(value: Any, kind: type) -> bool:
    return isinstance(value, dict) and all(isinstance(one, kind) for one in value.values())


def _are_budgets(value: Any) -> bool:
    return isinstance(value, dict) and all(
        _is_pattern(pattern)
        and (is_id(limit, 2**62) or (isinstance(limit, str) and limit.startswith("+") and _is_limit(limit)))
        for pattern, limit in value.items()
    )
