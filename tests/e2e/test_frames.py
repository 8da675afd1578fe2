"""The app in a frame of another site: shown where that site is named, and refused everywhere else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Route, expect

from tests.e2e.browser import Server, eventually, new_context, serving
from tests.e2e.test_below import PATH

COURSE, OTHER = "https://lessons.school.example", "https://other.example"
TEXT = "Hello from a frame"


@pytest.fixture(scope="module")
def framed() -> Iterator[Server]:
    """A server that pages of one site may show, below a path: both settings together."""
    with serving(below=PATH, TOKVIZ_FRAMES="https://*.school.example") as server:
        yield server


@pytest.fixture
def around(browser: Browser) -> Iterator[BrowserContext]:
    """A browser in which each address of the two sites is a page with a frame. Its query says what is in the frame."""

    def answer(route: Route) -> None:
        inside = route.request.url.partition("?")[2]
        frame = f"<iframe src='{inside}' title=tokviz style='width:100%;height:90vh'></iframe>"
        route.fulfill(body=f"<!doctype html><title>Course</title>{frame}", content_type="text/html")

    context = new_context(browser)
    with contextlib.suppress(
        Error
    ):  # Chromium asks before a public page may show this machine's; an older one does not
        context.grant_permissions(["local-network-access"])
    for site in (COURSE, OTHER):
        context.route(f"{site}/**", answer)
    yield context
    context.close()


def show(context: BrowserContext, site: str, server: Server) -> Page:
    """A page of this site, with the app in it."""
    page = context.new_page()
    page.goto(f"{site}/?{server.url}/")
    return page


def test_in_a_frame_of_a_named_site_the_work_is_kept(around: BrowserContext, framed: Server) -> None:
    page = show(around, COURSE, framed)
    text = page.frame_locator("iframe").get_by_role("textbox", name="Text", exact=True)
    text.fill(TEXT)
    expect(page.frame_locator("iframe").locator(".t").first).to_have_text("Hello")
    page.frame_locator("iframe").get_by_role("link", name="Train").click()
    train = page.frame_locator("iframe")
    train.locator('input[type="file"]').first.set_input_files(
        {"name": "cats.txt", "mimeType": "text/plain", "buffer": b"the cat sat on the mat. " * 40}
    )
    expect(train.get_by_text("960 bytes · ")).to_be_visible()  # Streamlit's own cookie of uploads came along
    page.reload()
    expect(text).to_have_value(TEXT)
    (cookie,) = [one for one in around.cookies() if one["name"] == "tokviz"]
    assert (cookie["secure"], cookie["sameSite"], cookie["path"]) == (True, "None", PATH)
    assert cookie["partitionKey"].startswith("https://school.example")


def test_pages_of_other_sites_show_nothing_of_it(around: BrowserContext, framed: Server, server: Server) -> None:
    for site, asked in ((OTHER, framed), (COURSE, server)):
        said: list[str] = []
        around.on("console", lambda message, said=said: said.append(message.text))
        page = show(around, site, asked)
        eventually(lambda said=said: any("frame-ancestors" in text for text in said), True)
        expect(page.frame_locator("iframe").get_by_role("textbox")).to_have_count(0)
