"""Holds merges as data: their records, their learned order, and the bytes they make.

Seams depend on learned order: `seams >= k` describes the first k merges only if no merge needs a part that a later
merge makes. So the order is checked wherever merges come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from tokviz.base import bounds
from tokviz.base.arguments import ids_of, shown
from tokviz.base.errors import FormatError
from tokviz.tokenizer.encoding import Ints

NO_PAIR = (-1, -1)  # in place of the pair that makes a token, if none does


class MergeRecord(NamedTuple):
    """Records a merge as it was learned.

    rank: its place among the merges, from 0.
    left, right: the ids that it joins.
    id: the id that it makes.
    count: how often the pair occurred in the corpus, with every window counted ('aaa' has 'aa' twice).
    replaced: how many places were joined.
    tied: how many pairs had that count, this one included (1: no tie).
    tokens_after: how many tokens the whole corpus had after the merge, special tokens included.
    """

    rank: int
    left: int
    right: int
    id: int
    count: int  # type: ignore[assignment]  # not the method of tuples
    replaced: int
    tied: int
    tokens_after: int


class History(Sequence[MergeRecord]):
    """Holds the records of a training, as a read-only sequence. It compares like a tuple of MergeRecords.

    It keeps a table of numbers and makes each record when it is looked at: a short training has tens of thousands of
    records, and to make a Python object for each would take longer than the training.

    table: int64[merges, 8], the columns in the order of MergeRecord's fields.

    >>> import tokviz
    >>> history = tokviz.train("aaabdaaabac", vocab_size=259).merges
    >>> history[-1].count, [record.id for record in history[:2]], len(history)
    (2, [256, 257], 3)
    """

    def __init__(self, table: NDArray[np.int64]) -> None:
        self.table = table.view()
        self.table.flags.writeable = False

    @classmethod
    def of(cls, records: Iterable[MergeRecord]) -> History:
        """Make a history of these records. FormatError if one is no record, a figure has more than 63 bits, or the
        figures cannot be those of a training."""
        if isinstance(records, str | bytes) or not isinstance(records, Iterable):
            raise FormatError(f"The history is {shown(records)}, which is no list of records.", _RECORDS)
        rows: list[int] = []
        for rank, record in enumerate(records, 1):
            if not isinstance(record, tuple) or len(record) != len(MergeRecord._fields):
                raise FormatError(f"Record {rank:,} of the history is {shown(record)}.", _RECORDS)
            rows += record
        try:
            figures = np.array(ids_of(rows, "The figures of the history"), np.int64)
        except OverflowError:
            raise FormatError(
                "A figure of the history is out of range.", f"Use whole numbers up to {2**63 - 1:,}."
            ) from None
        return checked(cls(figures.reshape(-1, len(MergeRecord._fields))))

    def column(self, field: str) -> list[int]:
        """Return one figure of every record. field: its name, such as "count"."""
        numbers: list[int] = self.table[:, MergeRecord._fields.index(field)].tolist()
        return numbers

    @overload
    def __getitem__(self, at: int) -> MergeRecord: ...
    @overload
    def __getitem__(self, at: slice) -> History: ...
    def __getitem__(self, at: int | slice) -> MergeRecord | History:
        return History(self.table[at]) if isinstance(at, slice) else MergeRecord._make(self.table[at].tolist())

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[MergeRecord]:
        return map(MergeRecord._make, self.table.tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History):
            return np.array_equal(self.table, other.table)
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the table; the new one is read-only too."""
        return History, (self.table,)

    def __repr__(self) -> str:
        return f"<History: {len(self):,} merges>"


_RECORDS = "Pass a list of tokviz.MergeRecord."


def checked(history: History) -> History:
    """Check that the figures of a history can be those of a training, and return the history; else FormatError.

    >>> checked(History.of([MergeRecord(0, 97, 97, 256, count=4, replaced=5, tied=1, tokens_after=9)]))
    Traceback (most recent call last):
        ...
    tokviz.base.errors.FormatError: The history contradicts itself at merge 1. Train the tokenizer again, or leave...
    """
    *_, count, replaced, tied, after = history.table.T
    sound = (replaced > 0) & (replaced <= count) & (tied > 0) & (after > 0)
    sound[1:] &= after[:-1] - after[1:] == replaced[1:]  # a merge takes one token off at each place
    if not sound.all():
        raise FormatError(
            f"The history contradicts itself at merge {int(np.argmin(sound)) + 1:,}.",
            "Train the tokenizer again, or leave its history out.",
        )
    return history


def same_at_start(one: Sequence[object], other: Sequence[object]) -> int:
    """Count the merges, from the first on, that are the same in two lists.

    >>> same_at_start([(97, 98), (98, 99)], [(97, 98), (99, 100)])
    1
    """
    pairs = enumerate(zip(one, other, strict=False))
    return next((rank for rank, (left, right) in pairs if left != right), min(len(one), len(other)))


def most_vocabulary_bytes() -> int:
    """Return how many bytes all tokens of a vocabulary may have together."""
    return int(bounds.now().vocabulary_mb * bounds.MB)


def check_total(n_bytes: int, rank: int) -> None:
    """Raise FormatError if the tokens up to merge `rank` have more bytes in all than a vocabulary may have."""
    if n_bytes > most_vocabulary_bytes():
        raise FormatError(
            f"The tokens grow past {most_vocabulary_bytes():,} bytes at merge {rank + 1:,}.", "Use fewer merges."
        )


def build(alphabet: Ints, merge_ids: Ints, pairs: NDArray[np.int64]) -> list[bytes]:
    """Make the bytes of each merge's token. merge_ids: int32[merges]. pairs: int64[merges, 2], left and right id.

    FormatError if the merges are not in learned order, name an id that no token has, or make the same bytes twice.
    """
    if len(merge_ids) != len(pairs):
        raise FormatError(
            f"There are {len(pairs):,} merges but {len(merge_ids):,} ids for them.", "Give one id for each merge."
        )
    places = places_of(alphabet, merge_ids, pairs)
    if (places < np.arange(256, 256 + len(pairs))[:, None]).all() and (places >= 0).all():
        (lefts, rights), sizes = places.T.tolist(), [1] * 256
        for left, right in zip(lefts, rights, strict=True):
            sizes.append(sizes[left] + sizes[right])
        if sum(sizes[256:]) > most_vocabulary_bytes():  # before any token is made
            for rank, total in enumerate(accumulate(sizes[256:])):
                check_total(total, rank)
        tokens = [bytes([byte]) for byte in range(256)]
        for left, right in zip(lefts, rights, strict=True):
            tokens.append(tokens[left] + tokens[right])
        if len(set(tokens)) == len(tokens):
            return tokens[256:]
    return _build_one_by_one(alphabet, merge_ids, pairs)


def places_of(alphabet: Ints, merge_ids: Ints, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the place of each id of `pairs`: int64[merges, 2], 0 to 255 for bytes, then 256 + rank; -1 for no token."""
    ids = np.concatenate([alphabet, merge_ids]).astype(np.int64)
    order = np.argsort(ids)
    found = order[np.minimum(np.searchsorted(ids[order], pairs), len(ids) - 1)]
    return np.where(ids[found] == pairs, found, -1)


def _build_one_by_one(alphabet: Ints, merge_ids: Ints, pairs: NDArray[np.int64]) -> list[bytes]:
    """Do as `build`, merge by merge, so that the error names the first fault."""
    made = {int(id): bytes([b]) for b, id in enumerate(alphabet)}
    all_ids = set(merge_ids.tolist())
    seen: dict[bytes, int] = {}
    tokens: list[bytes] = []
    total = 0
    for rank, ((left, right), id) in enumerate(zip(pairs.tolist(), merge_ids.tolist(), strict=True)):
        for part in (left, right):
            if part not in made:
                later = part in all_ids
                raise FormatError(
                    f"Merge {rank + 1:,} joins the ids {left} and {right}, but "
                    f"{f'only a later merge makes {part}' if later else f'no token has the id {part}'}.",
                    "Put the merges in the order in which they were learned." if later else "Mend the merge.",
                )
        token = made[left] + made[right]
        if token in seen:
            raise FormatError(
                f"Merges {seen[token] + 1:,} and {rank + 1:,} make the same token, {shown(token)}.",
                "Leave out the later one.",
            )
        total += len(token)
        check_total(total, rank)
        seen[token] = rank
        made[id] = token
        tokens.append(token)
    return tokens
