"""A token view alone on a page of the tests: it needs no server, only the data that Python sends."""

from __future__ import annotations

from collections import Counter
from typing import Any

from playwright.sync_api import Browser, Locator, Page

import tokviz
from tests.e2e.browser import bare_page
from tests.e2e.typing import panel
from tokviz.offline.data import view_data
from tokviz.offline.files import TOKENS, script, stylesheet
from tokviz.tokenizer.encoding import Encoding

NAME = "cl100k_base"
CL100K = tokviz.reference(NAME)
TEXT = (
    "The newest, the newest:\n\n    नमस्ते 👨‍👩‍👧 مرحبا بالعالم\n"
    '<b onclick=alert(1)>=1+1</b><script>alert(2)</script> &amp; "q"\n-@=\ttab\u00a0x\u200d\u202ey\u001b\n'
)
LONG = "".join(f"{i} seams, {i * 7919} bytes; merge {i * 31}\n" for i in range(7_000))
ADDRESS = "http://classroom.test/"  # no secure context, so copying takes the longer way
SHEET = """<!doctype html><html lang="en"><title>Tokens</title>
<main id="place"></main><textarea aria-label="Paste here"></textarea>"""
MOUNT = """async ([script, style]) => {
  const root = place.attachShadow({ mode: "open" });
  root.appendChild(document.createElement("style")).textContent = style;
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: component } = await import(address);
  window.show = data => component({ data, parentElement: root, setTriggerValue: () => {} });
}"""
THEMES = {"light": ("#ffffff", "#16181d"), "dark": ("#14161a", "#eceef2")}


def sheet(browser: Browser, theme: str = "light") -> Page:
    """A page with a token view to come: show(page, encoding) puts it up."""
    page = bare_page(browser, viewport={"width": 900, "height": 800})
    page.route(ADDRESS, lambda route: route.fulfill(body=SHEET, content_type="text/html; charset=utf-8"))
    page.goto(ADDRESS)
    background, ink = THEMES[theme]
    page.evaluate(
        """([background, ink]) => { document.body.style = `background: ${background}; color: ${ink};
          --st-background-color: ${background}; --st-text-color: ${ink}` }""",
        [background, ink],
    )
    page.evaluate(MOUNT, [script("tokenview/panel.js"), stylesheet(*TOKENS)])
    return page


def show(page: Page, encoding: Encoding) -> None:
    page.evaluate("data => { show(data) }", view_data(encoding, name=NAME, series=NAME))


def turn(page: Page, face: str, name: str = NAME) -> None:
    """Show the tokens as Text, Ids, Bytes or in a Table."""
    panel(page, name).get_by_role("button", name="View", exact=True).click()
    page.get_by_role("menuitemradio", name=face).click()
    page.keyboard.press("Escape")


def table(page: Page, name: str = NAME) -> Locator:
    return page.get_by_role("grid", name=f"Table of the tokens of {name}")


def take(page: Page, entry: str) -> None:
    panel(page, NAME).get_by_role("button", name="Share", exact=True).press("ArrowDown")
    page.get_by_role("menuitem", name=entry).first.click()


def pasted(page: Page) -> str:
    """What is on the clipboard."""
    page.evaluate(
        """() => {
          window.came = undefined;
          addEventListener("paste", event => window.came = event.clipboardData.getData("text/plain"), true);
        }"""
    )
    page.get_by_label("Paste here").press("ControlOrMeta+v")
    came: str = page.wait_for_function("() => window.came !== undefined && { came }").json_value()["came"]
    return came


def told(text: str) -> list[dict[str, Any]]:
    """What Python says of each token of the text."""
    found = CL100K.explain(text).tokens()
    data = text.encode()
    often = Counter(token.id for token in found)
    return [
        {
            "number": i + 1,
            "id": token.id,
            "bytes": data[token.start : token.end],
            "characters": sum(byte & 0xC0 != 0x80 for byte in data[token.start : token.end]),
            "start": token.start,
            "merge": None if token.rank is None else token.rank + 1,
            "times": often[token.id],
        }
        for i, token in enumerate(found)
    ]
