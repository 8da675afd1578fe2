"""“Is my sample enough?” in a real browser: cancelled, drawn, on a phone, and there after a reload."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.benchmarks.corpora import english_and_code
from tests.e2e.browser import Server, axe, fits, settled, visiting
from tests.e2e.test_phone import LEAST, PHONE, SMALLER


def test_resamples_are_cancelled_and_drawn_on_a_phone(browser: Browser, server: Server) -> None:
    with visiting(browser, server, color_scheme="dark", **PHONE) as page:
        page.goto("/train")
        settled(page)
        corpus = {"name": "manual.txt", "mimeType": "text/plain", "buffer": english_and_code(600_000).encode()}
        page.locator('input[type="file"]').first.set_input_files(corpus)
        expect(page.get_by_text("bytes · ")).to_be_visible()
        page.get_by_label("Vocabulary size").fill("8000")
        page.get_by_label("Vocabulary size").press("Enter")
        expect(page.get_by_text("7,744 merges")).to_be_visible()
        page.get_by_role("button", name="Train", exact=True).tap()
        expect(page.get_by_role("heading", name="Is my sample enough?")).to_be_visible()

        # many resamples take a while, and can be cancelled
        settled(page)
        number = page.get_by_label("Resamples")
        number.fill("200")
        number.press("Enter")
        settled(page)
        page.get_by_role("button", name="Draw resamples").tap()
        expect(page.get_by_role("heading", name="Training on resamples")).to_be_visible()
        page.get_by_role("button", name="Cancel").tap()
        expect(page.locator(".note").filter(has_text="Cancelled.")).to_be_visible()

        # the answer, its chart and its table are there, and there again after a reload
        settled(page)
        number.fill("10")
        number.press("Enter")
        settled(page)
        page.get_by_role("button", name="Draw resamples").tap()
        answer = page.get_by_text("are found in at least 9 of 10 resamples.")
        expect(answer).to_be_visible()
        page.reload()
        expect(answer).to_be_visible()
        expect(page.get_by_role("heading", name="A resample has")).to_be_visible()
        page.get_by_text("found in fewer than 9").tap()
        settled(page)
        fits(page)
        assert page.evaluate(SMALLER, LEAST) == []
        axe(page)
