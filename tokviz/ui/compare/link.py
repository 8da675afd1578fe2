"""What a link to the Compare page says: the place in the text, the pair that is explained, and the open tab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.ui.compare.state import PLACES
from tokviz.ui.frame.address import PageLink, Query, shortened
from tokviz.ui.tokenview.choosing import models_of


@dataclass(frozen=True, slots=True)
class CompareLink(PageLink):
    """region: the first byte of the disagreement in view. pair: two tokenizers of the link; the page explains why the
    second cuts where the first does not. tab: the open tab, a name of PLACES. models: by which tokenizers were chosen.

    Links of an earlier version also have `start`, the first byte shown of the text, and `out`: tokenizers that were
    shown but not compared.
    """

    NAMES = ("start", "region", "out", "pair", "tab", "model")

    start: int | None = None
    region: int | None = None
    pair: tuple[str, str] | None = None
    tab: str | None = None
    models: tuple[str, ...] = ()

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters by name. A tokenizer is written as its number among those that the link names.

        >>> link = CompareLink(region=7, pair=("o200k_base", "gpt2"), tab="vocabulary-size")
        >>> link.parameters(("gpt2", "o200k_base"))
        {'start': None, 'region': 7, 'pair': '1,0', 'tab': 'vocabulary-size', 'model': ''}
        """
        return {
            "start": self.start,
            "region": self.region,
            "pair": ",".join(str(tokenizers.index(name)) for name in self.pair or ()),
            "tab": self.tab,
            "model": ",".join(self.models),
        }

    @classmethod
    def read(cls, query: Query) -> Self:
        if query.get("out"):
            query.fault(
                "The link leaves some of its tokenizers out of the comparison, which this page cannot do.",
                "All of them are compared; choose fewer above.",
            )
        return cls(
            start=query.number("start", "start of the window"),
            region=query.number("region", "place of the disagreement"),
            pair=_pair(query),
            tab=_tab(query),
            models=models_of(query),
        )


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


def _tab(query: Query) -> str | None:
    value = query.get("tab")
    if value is None or value in PLACES:
        return value
    query.fault(f"There is no tab {shortened(value)} here.", "The tab that was open stays open.")
    return None
