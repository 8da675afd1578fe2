"""What the tests with hostile texts do in a browser: put texts into fields, and see that nothing of them ran."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from playwright.sync_api import Browser, Dialog, FilePayload, Page, TimeoutError, expect

import tokviz
from tests.e2e.browser import Server, Window, eventually, settled
from tests.hostile import HOST
from tokviz.base.text import clean
from tokviz.base.wording import tidy_name
from tokviz.formats import dump
from tokviz.tokenizer.tokenizer import Tokenizer

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


# -- what every page is held to --


@contextmanager
def watching(browser: Browser, server: Server, **context: object) -> Iterator[Window]:
    """A window whose pages say in the console when a text had its way."""
    window = Window(browser, server, **context)
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
    wanted = page.get_by_role("option", name=option, exact=True)

    def opened() -> bool:  # a page that is drawn again closes the list
        page.get_by_label(label, exact=True).click()
        with contextlib.suppress(TimeoutError):
            wanted.wait_for(timeout=5_000)
        return wanted.is_visible()

    eventually(opened, True)
    wanted.click()
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


def fields(page: Page) -> list[str]:
    """The names of the fields for texts that are in sight."""
    names = page.locator(FIELDS).evaluate_all(
        "(all) => all.map((field) => field.getAttribute('aria-label') ?? field.labels?.[0]?.textContent ?? '')"
    )
    return [str(name) for name in names]


def kind_of(page: Page, name: str) -> str:
    """What the field of this name is: "textarea" or "input"."""
    return str(page.locator(FIELDS).nth(fields(page).index(name)).evaluate("(field) => field.localName"))


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


def named(name: str) -> Tokenizer:
    """A small trained tokenizer of this name."""
    return tokviz.train("she sells sea shells by the sea shore " * 3, 270, name=clean(name)).tokenizer


def added(page: Page, *tokenizers: Tokenizer) -> None:
    """On the Library page: open a file of each tokenizer, and make it the visitor's own."""
    for tok in tokenizers:
        file = FilePayload(name="x.json", mimeType="", buffer=dump(tok, "tokviz").popitem()[1])
        settled(page).locator("input[type=file]").set_input_files(file)
        add = page.get_by_role("button", name="Add it")
        add.click()
        expect(add).to_have_count(0)
