"""The lengths of a text's tokens: their shares as a table of bars, and the tokens of the length that is picked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokviz.base.blocks import Bar, Button, Chip, Chips, Line, Series, Table
from tokviz.base.wording import count_of, percent
from tokviz.cost.figures import Tally
from tokviz.tokenizer.encoding import Encoding
from tokviz.ui.compare.figure_tables import Measured
from tokviz.ui.compare.folds import with_csv
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.links import link_name
from tokviz.ui.frame.tokenizers import encoded
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import text_of
from tokviz.ui.tokenview.shown import show

LONGEST = 16  # bytes; longer tokens are counted with these
EXAMPLES = 40  # distinct tokens of one length that are shown


def lengths(me: Visitor, rows: Measured) -> None:
    """Draw the table of lengths, and the tokens of one of them under each tokenizer."""

    def pressed(press: Press) -> None:
        visitor().state(CompareState).length = press.value

    n = me.state(CompareState).length
    with_csv(
        [
            Line([finding(rows)], "title"),
            Line([f"Share of the tokens by length. {LONGEST}+ is {LONGEST} bytes and more."], "quiet"),
        ],
        lengths_table(rows, n),
        "lengths",
        pressed,
    )
    if n is None:
        return
    of = count_of(n, "byte") if n < LONGEST else f"{n} bytes and more"
    tokens = []
    for shown, _ in rows:
        called = link_name(me, shown)
        found = of_length(encoded(me, shown.tokenizer, text_of(me), me.specials), n)
        chips = [Chip(token, f"× {times:,}", id=id, called=called) for token, id, times in found[:EXAMPLES]]
        many = Chips(chips, more=len(found) - len(chips)) if chips else "none"
        tokens.append([Series(shown.series, shown.name), many])
    show(Line([f"Tokens of {of}"], "title"), Table([], tokens, f"Tokens of {of}"), key="compare.of_length")


def lengths_table(rows: Measured, picked: int | None) -> Table:
    """The share of the tokens of each length in bytes, a column for each tokenizer."""
    of_each = [_shares(tally) for _, tally in rows]
    most = max(float(shares.max()) for shares in of_each) or 1.0
    longest = max(int(np.flatnonzero(shares)[-1]) + 1 if shares.any() else 1 for shares in of_each)
    cells = [
        [
            Button("length", n, f"{n}{'+' if n == LONGEST else ''}", f"Tokens of {count_of(n, 'byte')}"),
            *(Bar(float(shares[n - 1]) / most, percent(float(shares[n - 1]))) for shares in of_each),
        ]
        for n in range(1, longest + 1)
    ]
    titles = ["Bytes", *(Series(shown.series, shown.name) for shown, _ in rows)]
    return Table(titles, cells, "Shares by length", marked=[picked - 1] if picked and picked <= longest else [])


def _shares(tally: Tally) -> NDArray[np.float64]:
    """The share of the tokens of 1, 2, ... bytes. The last one is of LONGEST bytes and more."""
    counts = np.bincount(np.minimum(tally.lengths.values, LONGEST), tally.lengths.times, LONGEST + 1)
    of_each: NDArray[np.float64] = counts[1:] / max(tally.tokens, 1)
    return of_each


def finding(rows: Measured) -> str:
    """The title: the tokenizers with the largest and the smallest share of single bytes."""
    ones = [(float(_shares(tally)[0]), shown.name) for shown, tally in rows]
    (low, least), (high, most) = min(ones), max(ones)
    if percent(low) == percent(high):
        return f"Single bytes are {percent(high)} of the tokens"
    return f"Single bytes are {percent(high)} of the tokens under {most}, {percent(low)} under {least}"


def of_length(encoding: Encoding, n: int) -> list[tuple[bytes, int, int]]:
    """The distinct tokens of n bytes with their ids, and how often each occurs, the most frequent first.

    If n is LONGEST, longer tokens too.

    >>> from tokviz import reference
    >>> of_length(reference("gpt2").explain("cat dog cat\\tä"), 4)
    [(b' dog', 3290, 1), (b' cat', 3797, 1)]
    """
    ends = encoding.ends
    sizes = np.diff(ends, prepend=0)
    those = np.flatnonzero(sizes >= n if n >= LONGEST else sizes == n)
    ids, first, times = np.unique(encoding.ids[those], return_index=True, return_counts=True)
    found = []
    for i in np.lexsort((first, -times)).tolist():
        end = int(ends[those[first[i]]])
        found.append((encoding.data[end - int(sizes[those[first[i]]]) : end], int(ids[i]), int(times[i])))
    return found
