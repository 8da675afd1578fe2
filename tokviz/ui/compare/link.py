"""What a link to the Compare page says: the place in the text, whose boundaries count, and the open tab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.ui.address import PageLink, Query, shortened
from tokviz.ui.compare.state import TABS, Tab


@dataclass(frozen=True, slots=True)
class CompareLink(PageLink):
    """start: the first byte shown of the text. region: the first byte of the disagreement in view. out: the tokenizers
    of the link that are shown but not compared. pair: two tokenizers of the link; the page explains why the second
    cuts where the first does not. tab: the open tab.
    """

    NAMES = ("start", "region", "out", "pair", "tab")

    start: int | None = None
    region: int | None = None
    out: tuple[str, ...] = ()
    pair: tuple[str, str] | None = None
    tab: Tab | None = None

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters by name. A tokenizer is written as its number among those that the link names.

        >>> link = CompareLink(region=7, pair=("o200k_base", "gpt2"), tab="Vocabulary size")
        >>> link.parameters(("gpt2", "o200k_base"))
        {'start': None, 'region': 7, 'out': '', 'pair': '1,0', 'tab': 'vocabulary-size'}
        """
        return {
            "start": self.start,
            "region": self.region,
            "out": ",".join(str(tokenizers.index(name)) for name in self.out),
            "pair": ",".join(str(tokenizers.index(name)) for name in self.pair or ()),
            "tab": self.tab and _slug(self.tab),
        }

    @classmethod
    def read(cls, query: Query) -> Self:
        return cls(
            start=query.number("start", "start of the window"),
            region=query.number("region", "place of the disagreement"),
            out=_out(query),
            pair=_pair(query),
            tab=_tab(query),
        )


def _out(query: Query) -> tuple[str, ...]:
    value = query.get("out")
    sides = [] if value is None else query.sides("out")
    if sides is None:
        query.fault(
            f"The rows {shortened(value or '')} that the link leaves out make no sense.", "All rows are counted."
        )
    return tuple(filter(None, sides or ()))


def _pair(query: Query) -> tuple[str, str] | None:
    value = query.get("pair")
    if value is None:
        return None
    match query.sides("pair"):
        case [str(a), str(b)]:
            return a, b
        case [_, _]:
            return None
    query.fault(f"The pair {shortened(value)} of the link makes no sense.", "Another pair is explained.")
    return None


def _tab(query: Query) -> Tab | None:
    value = query.get("tab")
    tab = next((one for one in TABS if _slug(one) == value), None)
    if value is not None and tab is None:
        query.fault(f"There is no tab {shortened(value)} here.", "The tab that was open stays open.")
    return tab


def _slug(tab: str) -> str:
    return tab.lower().replace(" ", "-")
