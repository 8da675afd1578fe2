"""Hostile names, links, cookies, and fields of model files, on every page; and nobody else sees any of it.

All of it is long: see `test_hostile.py`.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import zlib
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Browser, expect

import tokviz
from tests.e2e.browser import Server, Window, fits, serving, settled, visiting
from tests.e2e.hostile import added, inert, named, press, put, read, settle, shown_of, watching
from tests.hostile import FAMILIES, HOST, texts
from tokviz.base.text import clean
from tokviz.formats import dump
from tokviz.ui.classroom.link import ClassLink
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.frame.address import NoPageLink, PageLink, names_of
from tokviz.ui.learn.link import LearnLink
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.server.cookie import COOKIE
from tokviz.ui.tokens.link import TokensLink
from tokviz.ui.train.link import TrainLink
from tokviz.ui.vocabulary.link import VocabularyLink

pytestmark = pytest.mark.long

ADDRESSES = (
    "/",
    "/train",
    "/replay",
    *(f"/compare?tab={tab}" for tab in ("figures", "vocabulary-size", "train-and-test", "languages", "waste")),
    *(f"/vocabulary?part={part}" for part in ("one", "odd", "overlay", "splits")),
    "/library",
    "/learn",
    "/class",
)
LINKS: dict[str, tuple[str, type[PageLink]]] = {
    "Tokens": ("/", TokensLink),
    "Train": ("/train", TrainLink),
    "Replay": ("/replay", ReplayLink),
    "Compare": ("/compare", CompareLink),
    "Vocabulary": ("/vocabulary", VocabularyLink),
    "Library": ("/library", NoPageLink),
    "Learn": ("/learn", LearnLink),
    "Class": ("/class", ClassLink),
}
MOST_OWN = 5  # tokenizers of a visitor
NAMES = [clean(name) for made in FAMILIES.values() for name in (next(made()), "".join(made()))]


@pytest.mark.parametrize("start", range(0, len(NAMES), MOST_OWN))
def test_every_name_is_shown_on_every_page(start: int, trapped: Window, browser: Browser, server: Server) -> None:
    """Five tokenizers with hostile names. Somebody else sees none of them."""
    names = NAMES[start : start + MOST_OWN]
    with trapped.visit() as page, visiting(browser, server) as other:
        settle(page, "/library")
        added(page, *map(named, names))
        for address in ADDRESSES:
            settle(page, address)
            inert(page, trapped, f"{address} with {names}")
            fits(page)
            if address in ("/", "/library"):
                assert [name for name in shown_of(names) if name not in read(page)] == []
            if start == 0:
                settle(other, address)
                assert HOST not in read(other) and shown_of(names)[1] not in read(other)


def test_what_one_visitor_typed_nobody_else_sees(trapped: Window, browser: Browser, server: Server) -> None:
    with trapped.visit() as page, visiting(browser, server) as other:
        settle(page, "/")
        put(page, "Text", texts())
        settled(page)
        for address in ADDRESSES:
            settle(page, address)
            inert(page, trapped, address)
            settle(other, address)
            assert HOST not in read(other), address


def test_names_are_changed_to_every_family(trapped: Window) -> None:
    with trapped.visit() as page:
        settle(page, "/library")
        added(page, named("mine"))
        page.get_by_role("table").get_by_role("link", name="mine").first.click()
        settled(page)
        for made in FAMILIES.values():
            if not page.get_by_label("New name").is_visible():
                press(page, "Rename")
            name = put(page, "New name", ["".join(made())[:300]])
            page.get_by_role("button", name="Rename", exact=True).last.click()
            settled(page)
            inert(page, trapped, name)
            if not page.get_by_role("alert").count():  # a name that cannot be one: a note says so
                assert shown_of([clean(name)])[0] in read(page)


def test_model_files_with_hostile_fields_on_every_page(trapped: Window) -> None:
    """Special tokens of all families, a pattern, tokens and a corpus that are markup."""
    specials = [clean(made) for made in dict.fromkeys(itertools.chain(texts())) if clean(made)]
    trained = tokviz.train(
        [clean("\n".join(texts()))] * 2,
        1_000,
        pattern=r"<img src=x onerror=ran\(\)>|(?s:.)",
        special_tokens=[*dict.fromkeys(specials)][:400],
        name="<script>ran()</script>",
    ).tokenizer
    long = tokviz.train("<img src=x onerror=ran()>\n" * 50, 300, pattern="none", name="</style>{{ran()}}").tokenizer
    with trapped.visit() as page:
        settle(page, "/library")
        added(page, trained, long)
        for address in ADDRESSES:
            settle(page, address)
            inert(page, trapped, address)
            fits(page)
        settle(page, "/")
        put(page, "Text", texts())
        settled(page)
        for address in ADDRESSES:
            settle(page, address)
            inert(page, trapped, f"{address} with its text")
            fits(page)


def test_files_with_hostile_names_in_the_folder_of_the_library(browser: Browser) -> None:
    """They are listed as what they are, and no page is lost for them."""
    with serving() as server, watching(browser, server) as window:
        data = dump(named("x"), "tokviz").popitem()[1]
        n_files = 0
        for text, ending in itertools.product(texts(), (".json", "")):
            with contextlib.suppress(OSError, ValueError):
                if "/" not in text and text not in (".", "..", ""):
                    Path(server.saved, clean(text) + ending).write_bytes(data if n_files % 3 else b"{")
                    n_files += 1
        assert n_files > 1_000
        with window.visit() as page:
            for address in ADDRESSES:
                settle(page, address)
                inert(page, window, address)
                fits(page)
        assert "Traceback" not in server.log.read_text()


@pytest.mark.parametrize("place", LINKS)
def test_links_of_any_shape_open_their_page(place: str, trapped: Window) -> None:
    """Every parameter that a link can have, with all families of texts; a bomb, bytes that are no text, and others."""
    path, kind = LINKS[place]
    names = [name for name in names_of(kind) if name != "v"]
    families = [clean("".join(made())) for made in FAMILIES.values()]
    said = [clean("".join(part)) for part in zip(*[iter(families)] * 5, strict=True)]
    bomb = base64.urlsafe_b64encode(zlib.compress(b"a" * 10_000_000, 9)).decode()
    odd = ("&" * 500, f"packed={bomb}", "text=%00%ff%fe%ed%a0%80", "v=1&v=2&text=a&text=b", "__proto__=1", "text[a]=1")
    queries = [urlencode([(name, text[: 3_000 // len(names)]) for name in names]) for text in said]
    queries += [urlencode([(name, text[:5]) for name in names]) for text in families[::5]]
    with trapped.visit() as page:
        for query in [*queries, *odd, f"open={quote('../../x')}", "#<img src onerror=ran()>"]:
            settle(page, f"{path}?{query}")
            inert(page, trapped, f"{place} with {query[:200]}")
        fits(page)


def test_hostile_cookies_and_memory_of_the_browser(trapped: Window, server: Server) -> None:
    """A cookie that is no key is replaced, and a code that the browser remembers is only text."""
    said = ["x" * 43, "../" * 14, "__proto__", "<script>ran()</script>", "%00%ff", "9" * 3_000, "ran()" * 8 + "abc"]
    with trapped.visit() as page:
        for value in said:
            trapped.context.add_cookies([{"name": COOKIE, "value": value, "url": server.url}])
            settle(page, "/class")
            keys, mark = page.evaluate("[Object.keys(sessionStorage), document.documentElement.dataset.visitor]")
            page.evaluate(
                "([names, value]) => { for (const name of names) { sessionStorage.setItem(name, value);"
                " localStorage.setItem(name, value); } }",
                [[*keys, f"tokviz.draft.{mark}.search.code", "tokviz", "stActiveTheme-/-v1", "room"], value],
            )
            for address in ("/class", "/", "/learn"):
                settle(page, address)
                inert(page, trapped, f"{address} with {value[:50]}")
            expect(page.get_by_role("heading", level=1).first).to_be_visible()
