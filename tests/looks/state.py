"""What a state of a page is: how to come to it, and at which widths and in which themes it is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from tests.e2e.browser import Scheme
from tests.looks.acts import Act

HEIGHTS = {390: 844, 1280: 800, 1920: 1080}  # of a window of each width
WIDTHS = tuple(HEIGHTS)
THEMES: tuple[Scheme, ...] = ("light", "dark")


@dataclass(frozen=True)
class State:
    """A state of a page.

    name: begins with the page. address: of the page. acts: what is done there. widths, themes: those in which it is
    drawn. whole: whether a picture has all of the page, or only what a window shows. works: a selector for what shows
    that work is under way; from then on the page no longer asks how far it is.
    """

    name: str
    address: str
    acts: Sequence[Act] = ()
    widths: Sequence[int] = WIDTHS
    themes: Sequence[Scheme] = THEMES
    whole: bool = True
    works: str = ""

    def looks(self) -> Iterator[tuple[str, int, Scheme]]:
        """For each picture of this state: its name, the width of the window, and the theme."""
        for width in self.widths:
            for theme in self.themes:
                yield f"{self.name}@{width}-{theme}", width, theme


def at(path: str, **said: object) -> str:
    """The address of a page with a link's parameters."""
    return f"{path}?{urlencode({'v': 1} | said, safe=',', quote_via=quote)}"
