"""What `tokviz check` finds: the counts of now beside the old ones and the budgets.

It is a fault if a file has more tokens than its budget, if a tokenizer can give other ids than before, or if a file of
the baseline can no longer be counted. Growth within the budget is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokviz import formats
from tokviz.cli.baseline import Baseline, path_from
from tokviz.cli.check_words import Explained, Place, explained
from tokviz.cli.git import Revision
from tokviz.cli.texts import Skipped
from tokviz.errors import TokvizError
from tokviz.same import Sameness, fingerprint, same
from tokviz.tokenizer import Tokenizer

FILES_EXPLAINED = 10  # those that grew most


@dataclass(frozen=True, slots=True)
class Row:
    """A file under a tokenizer. before: None if it is new. after: None if it is gone. budget: None for no limit."""

    path: str
    tokenizer: str
    before: int | None
    after: int | None
    budget: int | None

    @property
    def more(self) -> int:
        """How many tokens more than before; below 0, fewer."""
        return (self.after or 0) - (self.before or 0)

    @property
    def over(self) -> int:
        """How many tokens it has above its budget; 0 if it keeps to it."""
        return 0 if self.budget is None else max((self.after or 0) - self.budget, 0)


@dataclass(frozen=True, slots=True)
class OtherTokenizer:
    """A tokenizer with another fingerprint than it had.

    agreed: does the baseline have the new fingerprint? before: the old tokenizer, None if git does not have it.
    found: how the two differ, None without the old one.
    """

    name: str
    agreed: bool
    before: Tokenizer | None
    found: Sameness | None

    @property
    def fault(self) -> bool:
        """Is this a fault? Not if the two are proven to be equal."""
        return not self.agreed and (self.found is None or self.found.equal is not True)


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found. uncounted: files of the baseline that can no longer be counted, and files that cannot be read.

    explained: the words of the files that grew most.
    """

    rows: tuple[Row, ...]
    tokenizers: tuple[OtherTokenizer, ...]
    uncounted: tuple[Skipped, ...]
    explained: tuple[Explained, ...]

    @property
    def ok(self) -> bool:
        return not (any(row.over for row in self.rows) or any(t.fault for t in self.tokenizers) or self.uncounted)


def checked(
    kept: Baseline,
    then: Baseline,
    new: Baseline,
    toks: Mapping[str, Tokenizer],
    skipped: Sequence[Skipped],
    folder: Path,
    at: Revision | None,
) -> Checked:
    """Compare the counts with the old ones and with the budgets.

    kept: the baseline that must hold; budgets of growth are above its counts. then: the one with the old counts, which
    was in a commit. new: the counts of now, under these tokenizers, but for the files that were skipped. folder: that
    of the baseline.
    """
    rows = [
        Row(
            path,
            name,
            then.files.get(path, {}).get(name),
            new.files.get(path, {}).get(name),
            kept.budget(path, name),
        )
        for path in sorted({*then.files, *new.files})
        for name in toks
    ]
    others = {
        name: _other(name, tok, new.tokenizers[name] == kept.tokenizers[name], then.tokenizers.get(name), at)
        for name, tok in toks.items()
        if not kept.tokenizers[name] == then.tokenizers.get(name, kept.tokenizers[name]) == new.tokenizers[name]
    }
    shown = [replace(one, path=path_from(folder, Path(one.path))) for one in skipped]
    uncounted = [one for one in shown if one.path in kept.files or not one.not_utf8]
    grown = sorted((row for row in rows if row.more > 0), key=lambda row: (-row.over, -row.more))
    words = [
        explained(
            Place(folder, row.path, at),
            row.before,
            others[row.tokenizer].before if row.tokenizer in others else toks[row.tokenizer],
            toks[row.tokenizer],
            row.tokenizer,
        )
        for row in grown[:FILES_EXPLAINED]
    ]
    return Checked(tuple(rows), tuple(others.values()), tuple(uncounted), tuple(words))


def _other(name: str, tok: Tokenizer, agreed: bool, old: str | None, at: Revision | None) -> OtherTokenizer:
    """old: the fingerprint of the old tokenizer, which is looked for at a commit if it is a file."""
    data = at.file(name) if at is not None and "/" in name else None
    try:
        before = None if data is None else formats.load({name: data})
    except TokvizError:  # it was no tokenizer then
        before = None
    if before is None or fingerprint(before) != old:
        return OtherTokenizer(name, agreed, None, None)
    return OtherTokenizer(name, agreed, before, same(before, tok))
