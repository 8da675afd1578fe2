"""What a state of a page is: how to come to it, and at which widths and in which themes it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from playwright.sync_api import Page

from tests.e2e.browser import Scheme, settled

HEIGHTS = {390: 844, 1280: 800, 1920: 1080}  # of a window of each width
WIDTHS = tuple(HEIGHTS)
THEMES: tuple[Scheme, ...] = ("light", "dark")


@dataclass(frozen=True)
class State:
    """A state of a page.

    name: begins with the page. address: of the page. act: what to do there, once it has settled. widths, themes: those
    in which it is drawn. whole: whether a picture has all of the page, or only what a window shows. works: whether
    work is under way whose progress must not be drawn on.
    """

    name: str
    address: str
    act: Callable[[Page], object] = settled
    widths: tuple[int, ...] = WIDTHS
    themes: tuple[Scheme, ...] = THEMES
    whole: bool = True
    works: bool = False

    def looks(self) -> Iterator[tuple[str, int, Scheme]]:
        """For each picture of this state: its name, the width of the window, and the theme."""
        for width in self.widths:
            for theme in self.themes:
                yield f"{self.name}@{width}-{theme}", width, theme


def at(path: str, **said: object) -> str:
    """The address of a page with a link's parameters."""
    return f"{path}?{urlencode({'v': 1} | said, safe=',', quote_via=quote)}"
