"""Hostile texts through every field of every page, in a real browser.

    python -m pytest -m long tests/e2e/test_hostile.py -n 0

puts all texts of tests/hostile into all fields; without `-m long` some of them go into some. No script of a text may
run, no console may have an error, nothing may be loaded from elsewhere, and each field holds what was typed.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

import tokviz
from tests.e2e.browser import Server, Window, eventually, fits, settled, visiting
from tests.hostile import FAMILIES, HOST, texts
from tokviz.formats import dump
from tokviz.text import clean
from tokviz.ui.address import NoPageLink, names_of
from tokviz.ui.classroom.link import ClassLink
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.learn.link import LearnLink
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.tokens.link import TokensLink
from tokviz.ui.train.link import TrainLink
from tokviz.ui.vocabulary.link import VocabularyLink
from tokviz.wording import tidy_name

# Says in the console when a text had its way: the window notes each error there.
TRAP = """
window.ran = () => console.error("a script in a text ran");
for (const name of ["alert", "confirm", "prompt", "print", "open"]) window[name] = window.ran;
"""
# What a text has made of the page, if it was taken for markup: elements that no page has, handlers, addresses
# elsewhere, and names on every object.
TAKEN = """host => {
  const found = [], roots = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) roots.push(element.shadowRoot);
      const { localName, attributes } = element;
      if (/^(iframe|object|embed|base|frame|applet|marquee|plaintext|math|xmp|portal|form\\w*event)$/.test(localName)) {
        found.push(`an element ${localName}`);
      }
      for (const { name, value } of attributes) {
        const isAddress = /^(href|src|srcset|action|formaction|data|poster|background|style|content)$/.test(name);
        if (/^on/.test(name)) found.push(`a handler ${name} of ${localName}`);
        if (isAddress && (value.includes(host) || /javascript:/i.test(value))) found.push(`${localName} with ${value}`);
      }
    }
  }
  if (({}).polluted !== undefined || [].polluted !== undefined) found.push("every object has a new name");
  return found;
}"""
# All that can be read, inside components too.
READ = """() => {
  const roots = [document], said = [];
  for (const root of roots) {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      if (node.shadowRoot) roots.push(node.shadowRoot);
      if (node.nodeType === Node.TEXT_NODE) said.push(node.data);
    }
  }
  return said.join(" ");
}"""
TYPED = "textarea, input[type=text], input[type=search], input:not([type])"
FIELDS = f":is({TYPED}):not([role=combobox], [readonly], [disabled]):visible"
# Puts texts into a field as one edit, as pasting does. They come as JSON, which can have halves of characters.
PUT = """(field, texts) => {
  const isArea = field.localName === "textarea";
  const kind = isArea ? HTMLTextAreaElement : HTMLInputElement;
  field.focus();
  const { set } = Object.getOwnPropertyDescriptor(kind.prototype, "value");   // Streamlit overrides the field's own
  set.call(field, JSON.parse(texts).join(isArea ? "\\n" : " "));
  const value = JSON.stringify(field.value);
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  field.blur();
  return value;
}"""
ADDRESSES = (
    "/",
    "/train",
    "/replay",
    *(f"/compare?tab={tab}" for tab in ("figures", "vocabulary-size", "train-and-test", "files", "waste", "report")),
    *(f"/vocabulary?part={part}" for part in ("one", "odd", "overlay", "splits")),
    "/library",
    "/learn",
    "/class",
)


LINKS = {
    "Tokens": ("/", TokensLink),
    "Train": ("/train", TrainLink),
    "Replay": ("/replay", ReplayLink),
    "Compare": ("/compare", CompareLink),
    "Vocabulary": ("/vocabulary", VocabularyLink),
    "Library": ("/library", NoPageLink),
    "Learn": ("/learn", LearnLink),
    "Class": ("/class", ClassLink),
}


# -- what every page is held to --


@pytest.fixture(scope="module")
def trapped(browser: Browser, server: Server) -> Iterator[Window]:
    """A window whose pages say in the console when a text had its way."""
    window = Window(browser, server)
    window.context.add_init_script(TRAP)

    def dialog(found: Dialog) -> None:
        window.faults.append(f"a dialog: {found.message}")
        found.dismiss()

    window.context.on("dialog", dialog)
    yield window
    window.context.close()


def inert(page: Page, window: Window, what: str) -> None:
    """Nothing of a text ran, and nothing on the page was made by one."""
    faults = [*window.faults, *page.evaluate(TAKEN, HOST)]
    assert not faults, f"{what}: {faults[:3]}"
    told = page.get_by_text("fault of tokviz itself")
    assert not told.count(), f"{what}: {told.first.inner_text()}"


# -- the fields --


def settle(page: Page, address: str) -> None:
    page.goto(address)
    settled(page)


def choose(page: Page, label: str, option: str) -> None:
    """Choose in a select box."""
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
    settled(page)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def turn(page: Page, name: str) -> None:
    page.get_by_test_id("stButtonGroup").get_by_text(name, exact=True).click()
    settled(page)


def unfold(page: Page) -> None:
    for folded in page.locator("summary:visible").all():
        folded.click()
        settled(page)


def train(page: Page) -> None:
    turn(page, "Sample")
    unfold(page)
    choose(page, "Split pattern", "custom")


def written(page: Page) -> None:
    turn(page, "Write")
    page.get_by_label("Split pattern", exact=True).select_option("custom")
    settled(page)


def with_line(page: Page) -> None:
    choose(page, "What to change", "add a line to the corpus")


def with_pattern(page: Page) -> None:
    choose(page, "What to change", "split the corpus by another pattern")
    choose(page, "Split pattern", "custom")


def teach(page: Page) -> None:
    press(page, "Open a room")
    turn(page, "Your own")


PLACES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "Tokens": ("/", unfold),
    "Train": ("/train", train),
    "Train, a written corpus": ("/train", written),
    "Replay, one more line": ("/replay", with_line),
    "Replay, another pattern": ("/replay", with_pattern),
    "Compare": ("/compare", unfold),
    "Vocabulary": ("/vocabulary", unfold),
    "Vocabulary, own patterns": ("/vocabulary?part=splits", lambda page: press(page, "Add a pattern of your own")),
    "Library": ("/library?open=gpt2", lambda page: press(page, "Add a special token")),
    "Class": ("/class", lambda page: None),
    "Class, a teacher": ("/class", teach),
}

SHORT = ("Library", "Class, a teacher")  # a field there takes no text that is longer than its limit


def fields(page: Page) -> list[str]:
    """The names of the fields for texts that are in sight."""
    names = page.locator(FIELDS).evaluate_all(
        "(all) => all.map((field) => field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent ?? '')"
    )
    return [str(name) for name in names]


def put(page: Page, name: str, texts: Sequence[str]) -> str:
    """Put texts into the field of this name, and leave it. What the browser made of them."""
    field = page.locator(FIELDS).nth(fields(page).index(name))
    return str(json.loads(field.evaluate(PUT, json.dumps(texts))))


def held(page: Page, name: str) -> str:
    """What the field of this name has."""
    field = page.locator(FIELDS).nth(fields(page).index(name))
    return str(json.loads(field.evaluate("(field) => JSON.stringify(field.value)")))


def read(page: Page) -> str:
    """All that can be read on the page, inside components too, without the signs that `plain` puts between."""
    return re.sub(r"\s+", " ", str(page.evaluate(READ)).replace("\u2060", ""))


def shown_of(names: Sequence[str]) -> list[str]:
    """The beginnings of these names, as each page shows them."""
    return [tidy_name(name).replace("\u2060", "").rstrip("…")[:25].rstrip() for name in names]


def added(page: Page, names: Sequence[str]) -> None:
    """Open model files with these names inside, and make the tokenizers the visitor's own."""
    for name in names:
        tok = tokviz.train("she sells sea shells by the sea shore " * 3, 270, name=clean(name)).tokenizer
        file = {"name": "x.json", "mimeType": "", "buffer": dump(tok, "tokviz").popitem()[1]}
        settled(page).locator("input[type=file]").set_input_files(file)
        add = page.get_by_role("button", name="Add it")
        expect(add).to_be_enabled()
        settled(page)
        add.click()
        expect(add).to_have_count(0)


# -- the short form --


def test_hostile_texts_and_names_stay_texts_and_names(trapped: Window, browser: Browser, server: Server) -> None:
    """All texts on Tokens and in a field of Streamlit, and some of them as names; nobody else sees them."""
    whole = "\n".join(texts())
    names = [next(text for text in FAMILIES[family]() if "ran()" in text) for family in ("handlers", "markdown")]
    with trapped.visit() as page:
        settle(page, "/library")
        added(page, [*names, "".join(FAMILIES["directions"]())])
        settle(page, "/")
        assert [name for name in shown_of(names) if name not in read(page)] == []
        page.get_by_text("From ids to text").click()
        settled(page)
        shown = put(page, "Text", [whole])
        ids = put(page, "Ids", [text for family in ("halves", "markdown", "numbers") for text in FAMILIES[family]()])
        settled(page)
        inert(page, trapped, "Tokens")
        page.reload()
        settled(page)
        eventually(lambda: held(page, "Text"), clean(shown))
        page.get_by_text("From ids to text").click()
        expect(page.get_by_label("Ids", exact=True)).to_have_value(clean(ids))
        fits(page)
        inert(page, trapped, "Tokens again")
        with visiting(browser, server) as other:
            settle(other, "/")
            assert HOST not in read(other) and names[0] not in read(other)


# -- the long form --


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_every_field_takes_every_text(place: str, trapped: Window) -> None:
    address, prepare = PLACES[place]
    with trapped.visit() as page:
        settle(page, address)
        prepare(page)
        for name in fields(page):
            for family, made in FAMILIES.items():
                if name not in fields(page):  # a special token that cannot be typed can only be removed
                    break
                some = list(made())
                shown = put(page, name, [" ".join(some)[:60]] if place in SHORT else some)
                settled(page)
                inert(page, trapped, f"{name}, {family}")
                if name in fields(page) and not re.search("as a number|Merges|merges done|Id of|Room code", name):
                    now = held(page, name)
                    assert now in (shown, clean(shown)), f"{name}, {family}"
        if place not in ("Class", "Class, a teacher"):
            page.reload()
            settled(page)
            inert(page, trapped, place)


@pytest.mark.long
def test_every_name_is_shown_on_every_page(trapped: Window) -> None:
    names = [name for made in FAMILIES.values() for name in (next(made()), "".join(made()))]
    for start in range(0, len(names), 5):
        some = names[start : start + 5]
        with trapped.visit() as page:
            settle(page, "/library")
            added(page, some)
            for address in ADDRESSES:
                settle(page, address)
                inert(page, trapped, f"{address} with {some}")
                fits(page)
                if address in ("/", "/library"):
                    assert [name for name in shown_of(some) if name not in read(page)] == []


@pytest.mark.long
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


@pytest.mark.long
def test_files_and_what_is_made_of_them(trapped: Window, tmp_path: Path) -> None:
    """Corpora with hostile names and texts: they are trained, compared, saved as files, and opened without a server."""
    whole = clean("\n".join(texts()))
    with trapped.visit() as page:
        settle(page, "/train")
        files = [
            {"name": f"{tidy_name(next(made()))}{number}.txt", "mimeType": "", "buffer": whole.encode()}
            for number, made in enumerate(FAMILIES.values())
        ]
        page.locator("input[type=file]").set_input_files(files)
        settled(page)
        inert(page, trapped, "a corpus")
        page.get_by_role("button", name="Train", exact=True).click()
        replay = page.get_by_role("button", name="Replay the merges")
        expect(replay).to_be_visible()
        settled(page)
        inert(page, trapped, "trained")
        settle(page, "/")
        put(page, "Text", [whole])
        settled(page)
        taken = []
        for address, button in (("/replay", "Save this replay as a file"), ("/learn", "Save this chapter as a file")):
            settle(page, address)
            with page.expect_download() as download:
                page.get_by_role("button", name=button).click()
            taken.append(tmp_path / f"{len(taken)}.html")
            download.value.save_as(taken[-1])
        settle(page, "/compare?tab=report")
        page.get_by_text("With the text itself").click()
        settled(page)
        for button in page.get_by_test_id("stDownloadButton").get_by_role("button").all():
            with page.expect_download() as download:
                button.click()
            if download.value.suggested_filename.endswith(".html"):
                taken.append(tmp_path / f"{len(taken)}.html")
                download.value.save_as(taken[-1])
        assert len(taken) == 3
        for file in taken:
            page.goto(file.as_uri())
            page.wait_for_load_state("networkidle")
            ran = [
                *page.evaluate(TAKEN, HOST),
                *(fault for fault in trapped.faults if not fault.startswith("left the machine: file:")),
            ]
            assert ran == [], file
        trapped.faults.clear()
