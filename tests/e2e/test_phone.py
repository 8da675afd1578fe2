"""A phone: the Tokens page used by touch alone, and on every page controls that a finger can hit."""

from __future__ import annotations

import re
from functools import partial

from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import Server, axe, eventually, fits, resting_box, settled, visiting
from tests.e2e.typing import answered, area, choose, faces, head, menu, opened, replace, right, shows, view
from tokviz.catalog.references import reference

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
TEXT = "The newest tokenizers: नमस्ते 👨‍👩‍👧 lowest, newest.\n" * 6
LEAST = 44
# The controls in sight that are smaller than this many px, with their sizes; but for links inside a sentence. Of a
# control in a label, the label counts; of a field, also the edge that Streamlit draws round it. And the tabs that are
# narrower than their words.
SMALLER = """least => {
  const kinds = "button, select, input, textarea, summary, [role=tab], [role=slider], [data-testid=stSelectbox] " +
    "[role=group], [data-testid=stNumberInputContainer], [data-testid=stTextInputRootElement]";
  const roots = [document], found = [];
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
    for (const element of root.querySelectorAll(kinds)) {
      const control = element.labels?.[0]?.contains(element) ? element.labels[0] : element; // the whole label is tapped
      if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const { width, height } = (control.closest("label") ?? control).getBoundingClientRect();
      const { role, scrollWidth, clientWidth } = control;
      if (role === "tab" && scrollWidth > clientWidth) found.push(`cut: ${control.textContent}`);
      if (!width || !height || (width > least - 0.1 && height > least - 0.1)) continue;
      const name = control.getAttribute("aria-label") || control.textContent || control.className;
      found.push(`${name}: ${width} by ${height}`);
    }
  }
  return found;
}"""


def words(page: Page) -> str:
    """All that can be read on the page, inside components too."""
    return str(page.locator("body").inner_text()) + " ".join(page.locator("section.tokviz").all_inner_texts())


def test_a_text_is_looked_into_by_touch_alone(browser: Browser, server: Server) -> None:
    with visiting(browser, server, **PHONE) as page:
        opened(page)
        first = resting_box(view(page, "o200k_base").locator(".t").first)
        assert first["y"] < 844 - 57, "in the first fold, above the bar"
        assert not re.search(r"\b(press|Tab|Ctrl|Esc|Enter|arrow|key)\b", words(page))
        replace(page, TEXT)
        card = page.get_by_role("region", name=re.compile("^Pinned token"))
        sheet = page.locator(".inside")
        token = view(page, "o200k_base").locator(".t")

        # a tapped token and its card are both in sight
        token.nth(3).tap()
        expect(sheet).to_be_in_viewport(ratio=0.99)
        expect(card).to_contain_text("token 4 of")
        assert resting_box(token.nth(3))["y"] + resting_box(token.nth(3))["height"] <= resting_box(sheet)["y"]
        axe(page)
        assert page.evaluate(SMALLER, LEAST) == []
        token.nth(5).tap()
        expect(card).to_contain_text("token 6 of")
        expect(sheet).to_be_in_viewport(ratio=0.99)
        card.get_by_role("button", name="All its merges").tap()
        card.get_by_role("button", name="Previous merge").tap()
        assert page.evaluate(SMALLER, LEAST) == []
        card.get_by_role("button", name="Close").tap()
        expect(card).to_be_hidden()
        expect(view(page, "o200k_base").locator(".pinned")).to_have_count(0)
        fits(page)

        # with the keyboard open, field and tokens are in view, and the tokens follow the caret
        page.set_viewport_size({"width": 390, "height": 450})
        area(page).tap()
        page.keyboard.press("Control+End")
        page.keyboard.type(" the end.")
        answered(page)
        caret = view(page, "o200k_base").locator(".caret")
        expect(caret).to_have_text(".")
        expect(page.get_by_role("button", name="Share", exact=True)).to_be_hidden()
        text, at = resting_box(area(page)), resting_box(caret)
        assert text["height"] <= 94
        assert text["y"] + text["height"] < at["y"] and at["y"] + at["height"] <= 450
        replace(page, TEXT)
        area(page).blur()
        page.set_viewport_size(PHONE["viewport"])

        # the text falls into bytes and grows again
        shows(page, "Vocabulary size", on=True)
        slider = page.get_by_label("Vocabulary size, log scale")
        slider.scroll_into_view_if_needed()
        box = resting_box(slider)
        page.touchscreen.tap(box["x"] + 2, box["y"] + box["height"] / 2)
        expect(head(page, "GPT-4o")).to_contain_text(f"{len(TEXT.encode()):,} tokens")
        page.get_by_role("button", name="All merges").tap()
        expect(head(page, "GPT-4o")).to_contain_text(f"{len(reference('o200k_base').encode(TEXT)):,} tokens")

        # another tokenizer, the table, an example, and back
        choose(page, ["o200k_base", "GPT-2"])
        faces(page, "Table")
        page.get_by_role("grid", name="Table of the tokens of GPT-2").locator(".row").nth(2).tap()
        expect(sheet).to_be_in_viewport(ratio=0.99)
        area(page).tap()
        expect(card).to_be_hidden()
        area(page).blur()
        faces(page, "Text")
        lower = view(page, "o200k_base").locator(".t").nth(8)
        lower.tap()
        expect(sheet).to_be_in_viewport(ratio=0.99)
        expect(card).to_contain_text("o200k_base: token 9 of")
        assert resting_box(lower)["y"] + resting_box(lower)["height"] <= resting_box(sheet)["y"]
        card.get_by_role("button", name="Close").tap()
        menu(page, "Text", "Emoji", "menuitemradio")
        settled(page)
        menu(page, "Text", "Back to my text before")
        settled(page)
        answered(page)
        right(page, TEXT, "o200k_base")
        fits(page)


def test_every_control_is_large_enough_for_a_finger(browser: Browser, server: Server) -> None:
    """Train, Replay and Compare; Tokens is in the test before."""
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        for path in ("/train", "/replay", "/compare"):
            page.goto(path)
            settled(page)
            page.locator("[data-theme=dark]").first.wait_for()
            eventually(partial(page.evaluate, SMALLER, LEAST), [])
            fits(page)
            if path == "/replay":  # as it opens; in the light in test_try_it
                axe(page)
