"""Searches, filters and sorts the tokens of a tokenizer."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.base.arguments import check_copies, shown
from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.vocabulary.table import KINDS, LONGEST, Bytes, Ints, TokenTable
from tokviz.vocabulary.use import Counts

SearchBy = Literal["text", "bytes", "id", "pattern"]
Use = Literal["any", "used", "unused"]
USES: tuple[Use, ...] = get_args(Use)
Sort = Literal["id", "length", "use", "text"]
SORTS: tuple[Sort, ...] = get_args(Sort)

ONE_TOKEN_S = 0.1  # of the processor, for a pattern in one token; each of the others takes a millionth of that
ALL_TOKENS_S = 3.0  # of the processor, for a pattern in all tokens
QUICK_REPEATS, QUICK_LETTERS = 3, 64  # a pattern without groups, of at most 3 repeats, is quick in at most 64 letters
BLOCK = 10  # tokens that a pattern is searched in between two looks at the clock
ID_DIGITS = 10  # ids go up to 2**31 - 1
_FLAGS = re.compile(r"\(\?[aimsuwx]+\)")
_ID = re.compile(rf"(\d{{1,{ID_DIGITS}}})(?:-(\d{{1,{ID_DIGITS}}}))?")

Mask = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Filters:
    """Says which tokens are listed, apart from a search. None and "any" leave none out.

    kind: one of KINDS.
    length: int, in bytes; LONGEST means that many or more.
    scripts: names that the table has.
    use: whether the token is used.
    ids: only these.
    """

    kind: str | None = None
    length: int | None = None
    scripts: Collection[str] | None = None
    use: Use = "any"
    ids: Collection[int] | None = None


def passing(table: TokenTable, filters: Filters, counts: Counts) -> Mask:
    """Tell which tokens pass. counts: how often each is used.

    >>> from tokviz import reference
    >>> from tokviz.vocabulary.table import token_table
    >>> table = token_table(reference("gpt2"))
    >>> int(passing(table, Filters(kind="digits", length=3), np.zeros(len(table), np.int64)).sum())
    878
    """
    mask = np.ones(len(table), np.bool_)
    if filters.kind is not None:
        mask &= table.kinds == (KINDS.index(filters.kind) if filters.kind in KINDS else len(KINDS))
    if filters.length is not None:
        mask &= capped(table.lengths) == filters.length
    if filters.scripts is not None:
        wanted = [number for number, name in enumerate(table.script_names) if name in filters.scripts]
        mask &= np.isin(table.scripts, wanted)
    if filters.use != "any":
        mask &= (counts > 0) == (filters.use == "used")
    if filters.ids is not None:
        mask &= np.isin(table.ids, np.fromiter(filters.ids, np.int64))
    return mask


def capped(lengths: Ints) -> Ints:
    """Limit lengths in bytes to LONGEST, which then means that many or more."""
    return np.minimum(lengths, LONGEST)


def search(table: TokenTable, said: str, by: SearchBy, among: Mask) -> Mask:
    """Search some of the tokens. Returns which ones hold what is said, or match it.

    A pattern takes up to a quarter of a second for 200,000 tokens, and at most ALL_TOKENS_S. InputError if it takes
    longer, or if bytes, ids or a pattern cannot be read; it says where, counted from 1.

    >>> from tokviz import reference
    >>> from tokviz.vocabulary.table import token_table
    >>> table = token_table(reference("gpt2"))
    >>> found = search(table, "every", "text", np.ones(len(table), np.bool_))
    >>> [table.text(place) for place in np.flatnonzero(found)[:3].tolist()]
    [' every', ' everything', ' everyone']
    """
    if not said.strip() if by in ("bytes", "id") else not said:
        return among
    if by == "text":
        return among & _holding(table.folded, table.folded_ends, clean(said).casefold().encode())
    if by == "bytes":
        return among & _holding(table.data, table.ends, bytes_said(said))
    if by == "pattern":
        return _matching(table, said, among)
    found = np.zeros(len(table), np.bool_)
    for first, last in ids_said(said):
        found[slice(*np.searchsorted(table.ids, [first, last + 1]))] = True
    return found & among


def _matching(table: TokenTable, said: str, among: Mask) -> Mask:
    """Tell which of these tokens match a pattern."""
    pattern, quick = compiled(said), is_quick(said)
    data, starts, ends = table.data.tobytes(), (table.ends - table.lengths).tolist(), table.ends.tolist()
    found, begun = np.zeros(len(table), np.bool_), time.thread_time()
    for number, place in enumerate(np.flatnonzero(among).tolist()):
        text = data[starts[place] : ends[place]].decode(errors="replace")
        try:
            timeout = None if quick and len(text) <= QUICK_LETTERS else ONE_TOKEN_S
            found[place] = pattern.search(text, timeout=timeout) is not None
        except TimeoutError:
            what = f"The pattern takes more than {ONE_TOKEN_S:g} seconds in the token {table.ids[place]:,} alone."
            raise InputError(what, "It may repeat alternatives that overlap, as (a|aa)+ does. Simplify it.") from None
        if number % BLOCK == 0 and time.thread_time() - begun > ALL_TOKENS_S:
            raise InputError(f"The pattern takes more than {ALL_TOKENS_S:g} seconds.", "Simplify it.")
    return found


def _holding(data: Bytes, ends: Places, wanted: bytes) -> Mask:
    """Tell which tokens hold these bytes. data: the bytes of all tokens, end to end. ends: of each."""
    starts = np.flatnonzero(data[: max(0, len(data) - len(wanted) + 1)] == wanted[0])
    for offset, byte in enumerate(wanted[1:], 1):
        starts = starts[data[starts + offset] == byte]
    places = np.searchsorted(ends, starts, side="right")
    mask = np.zeros(len(ends), np.bool_)
    mask[places[starts + len(wanted) <= ends[places]]] = True
    return mask


def bytes_said(said: str) -> bytes:
    """Read bytes in hexadecimal, with or without white space between them. InputError if they are not that.

    >>> bytes_said("20 6576")
    b' ev'
    """
    fault = re.search(r"[^0-9a-fA-F\s]", said)
    way_out = "Write each byte as two digits from 0 to 9 and A to F, such as 20 65."
    if fault:
        raise InputError(f"Character {fault.start() + 1} is {fault[0]!r}, which is no hexadecimal digit.", way_out)
    digits = "".join(said.split())
    if len(digits) % 2:
        raise InputError("The last byte has only one digit.", way_out)
    return bytes.fromhex(digits)


def ids_said(said: str) -> list[tuple[int, int]]:
    """Read ids and ranges of ids as (first, last), split at white space and commas. InputError if one is not an id.

    >>> ids_said("7, 10-12")
    [(7, 7), (10, 12)]
    """
    found: list[tuple[int, int]] = []
    for part in re.finditer(r"[^\s,]+", said):
        ids = _ID.fullmatch(part[0])
        if not ids:
            what = f"Character {part.start() + 1} begins {shown(part[0])}, which is no id."
            raise InputError(what, "Write ids such as 7, 10-12.")
        found.append((int(ids[1]), int(ids[2] or ids[1])))
    return found


def compiled(pattern: str) -> regex.Pattern[str]:
    """Compile the pattern with the `regex` package. InputError if it does not compile."""
    check_copies(pattern, "pattern", InputError)
    try:
        return regex.compile(pattern, cache_pattern=False)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        message = getattr(error, "msg", str(error)) or "it is no pattern"
        at = getattr(error, "pos", None)
        where = "" if at is None else f" at character {min(at, len(pattern)) + 1}"
        raise InputError(f"The pattern does not compile{where}: {message}.") from None


def is_quick(pattern: str) -> bool:
    r"""Tell whether the pattern cannot run away in a short text, so that the clock need not be read for each token.

    The clock takes most of the time of a search. A pattern without groups takes at most as many steps as there are ways
    to place the ends of its repeats.

    >>> is_quick(r"(?i)^ [a-z]+\d{3}$"), is_quick("(a|aa)+$"), is_quick("(?R)a")
    (True, False, False)
    """
    rest = _FLAGS.sub("", pattern, count=1) if _FLAGS.match(pattern) else pattern
    return "(" not in rest and sum(map(rest.count, "*+?{")) <= QUICK_REPEATS


def in_order(table: TokenTable, found: Mask, counts: Counts, sort: Sort, down: bool) -> Places:
    """Sort the found tokens, as places. Where two are equal, the lower id is first. down: the highest first.

    >>> from tokviz import reference
    >>> from tokviz.vocabulary.table import token_table
    >>> table = token_table(reference("gpt2"))
    >>> found, none = np.ones(len(table), np.bool_), np.zeros(len(table), np.int64)
    >>> table.text(in_order(table, found, none, "text", down=False)[0])
    '\\x00'
    """
    places = np.flatnonzero(found)
    if sort == "id":
        return places[::-1] if down else places
    columns: dict[Sort, Ints | Counts] = {"length": table.lengths, "use": counts}
    values = columns[sort][places] if sort in columns else table.text_ranks[places]
    return places[np.argsort(-values if down else values, kind="stable")]
