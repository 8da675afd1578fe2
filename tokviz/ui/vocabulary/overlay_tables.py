"""Tables of two vocabularies laid over each other, for the page and for CSV files."""

from __future__ import annotations

import pandas as pd

from tokviz.overlay import Overlay, RankBins, TokenList
from tokviz.ui.components.overlay import OverlayPart
from tokviz.wording import literal


def part_table(two: Overlay, part: OverlayPart, names: tuple[str, str]) -> pd.DataFrame:
    """The tokens of a part, with their ids and ranks. text: as a Python literal. bytes: in hexadecimal.

    names: of the two tokenizers.

    >>> from tokviz.overlay import overlay
    >>> from tokviz.tokenizer import Tokenizer
    >>> two = overlay(Tokenizer("hug", [(117, 103), (104, 256)]), Tokenizer("bug", [(117, 103), (98, 256)]))
    >>> part_table(two, "a", ("hug", "bug")).values.tolist()
    [["'hug'", '68 75 67', 257, 1]]
    """
    names = _told_apart(names)
    sides = {
        "a": [(two.a, two.only_a, names[0])],
        "b": [(two.b, two.only_b, names[1])],
        "shared": [(two.a, two.shared[:, 0], names[0]), (two.b, two.shared[:, 1], names[1])],
    }[part]
    listed, places, _ = sides[0]
    tokens = [listed.tokens[place] for place in places.tolist()]
    table = pd.DataFrame({"text": [*map(literal, tokens)], "bytes": [token.hex(" ").upper() for token in tokens]})
    for listed, places, name in sides:
        table[f"id in {name}"] = listed.ids[places]
        table[f"rank in {name}"] = pd.array(_ranks(listed, places.tolist()), dtype="Int64")
    return table


def _ranks(listed: TokenList, places: list[int]) -> list[int | None]:
    return [*map(listed.rank, places)]


def bins_table(bins: RankBins, names: tuple[str, str]) -> pd.DataFrame:
    """The bins with merges in them: their first and last ranks in both tokenizers, and how many merges they have."""
    names = _told_apart(names)
    rows, columns = bins.counts.nonzero()
    of_a, of_b = (pd.Index(edges) for edges in (bins.columns, bins.rows))
    return pd.DataFrame(
        {
            f"rank in {names[0]}, from": of_a[columns],
            f"rank in {names[0]}, to": of_a[columns + 1] - 1,
            f"rank in {names[1]}, from": of_b[rows],
            f"rank in {names[1]}, to": of_b[rows + 1] - 1,
            "merges": bins.counts[rows, columns],
        }
    )


def _told_apart(names: tuple[str, str]) -> tuple[str, str]:
    """Two names for the columns of a table, in which no name can come twice."""
    return names if names[0] != names[1] else (f"{names[0]} (first)", f"{names[1]} (second)")
