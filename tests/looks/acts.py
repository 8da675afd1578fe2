"""What is done on a page to bring it into a state: small acts, one after the other. Each leaves the page at rest."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import FilePayload, Locator, Page

from tests.e2e import hostile
from tests.e2e.browser import settled

Act = Callable[[Page], object]


def click(find: Callable[[Page], Locator]) -> Act:
    """Click on what is found."""

    def act(page: Page) -> None:
        find(page).first.click()
        settled(page)

    return act


def on(words: str) -> Act:
    """Click on these words."""
    return click(lambda page: page.get_by_text(words, exact=True))


def press(name: str) -> Act:
    """Press the button of this name."""
    return click(lambda page: page.get_by_role("button", name=name, exact=True))


def from_menu(menu: str, entry: str) -> Act:
    """Choose an entry of a menu of Tokens."""

    def act(page: Page) -> None:
        press(menu)(page)
        click(lambda page: page.get_by_role("menuitem", name=entry))(page)

    return act


def turn(name: str) -> Act:
    """Turn to one of several buttons in a group."""
    return lambda page: hostile.turn(page, name)


def choose(label: str, option: str) -> Act:
    """Choose in a select box."""
    return lambda page: hostile.choose(page, label, option)


def fill(label: str, text: str) -> Act:
    """Write into the field of this label or with this placeholder, and leave it."""

    def act(page: Page) -> None:
        field = page.get_by_label(label, exact=True).or_(page.get_by_placeholder(label)).first
        field.fill(text)
        field.press("Tab")
        settled(page)

    return act


def upload(name: str, data: bytes | Callable[[], bytes]) -> Act:
    """Choose a file in the first field for files. data: its bytes, or what makes them."""

    def act(page: Page) -> None:
        file = FilePayload(name=name, mimeType="text/plain", buffer=data if isinstance(data, bytes) else data())
        page.locator("input[type=file]").first.set_input_files(file)
        settled(page, 500)

    return act


def see(find: str) -> Act:
    """Wait for what this selector finds first, in Playwright's words."""

    def act(page: Page) -> None:
        page.locator(find).first.wait_for()
        settled(page)

    return act


def key(name: str) -> Act:
    """Press a key."""

    def act(page: Page) -> None:
        page.keyboard.press(name)
        settled(page)

    return act
