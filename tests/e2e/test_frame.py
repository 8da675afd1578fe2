"""The frame in a real browser: addresses, theme, cookie, what leaves the machine, and text shown as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, ViewportSize, expect

from tests.e2e.browser import Server, axe, bare_page, eventually, fits, resting_box, serving, settled, visiting
from tokviz.ui.frame import shell
from tokviz.ui.frame.shell import PAGES
from tokviz.ui.server import pages
from tokviz.ui.server.cookie import COOKIE

NAMED = [place for place in PAGES if place.in_navigation]
INKS = {"light": ("255, 255, 255", "22, 24, 29"), "dark": ("20, 22, 26", "236, 238, 242")}
HOSTILE = (
    "plain name",
    "*star* **two** _under_ __two__ ~~gone~~ `code` ``code``",
    "# head", "- item", "+ item", "1. item", "1) item", "> quote", "=== ---", "***", "| a | b |", "    code", "```x",
    "[text](http://example.org)", "![image](http://example.org/x.png)", "[ref]: /x", "[^1]", "<http://example.org>",
    "www.example.org", "http://example.org/a?b=c", "HTTPS://example.org", "me@example.org",
    "xmpp:a@b.c", "mailto:a@b.c",
    "<b>bold</b> <script>x</script> <!-- c --> &amp; &#35; &nbsp;",
    "$x^2$ $$y$$ \\(z\\) \\[z\\] \\begin{x}", "costs $1 and $2",
    ":red[colour] :blue-background[x] :small[x] :help[x] :color[x]{foreground=\"red\"} ::: {.a}", "a:red[b]",
    ":material/home: :material_home: :streamlit: :smile: :+1: :-1: a:smile:b", "10:30:45", "a::b",
    "a -> b <- c <-> d -- e >= f <= g ~= h", "a->b", "-->", "<=>",
    "back\\slash \\* \\\\ end\\", "a_b_c", "2 * 3 * 4",
    "{curly} (round) [square] \"quotes\" 'single' !bang ^hat ~tilde",
    "日本語 مرحبا 👩‍👧 é", "- [ ] task", "term\\\n: x",
)  # fmt: skip
# What the pages are made of, without the pages: one script, which shows what its address asks for.
SCRIPT = f"""
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from tokviz.base.errors import SettingError
from tokviz.ui.frame import shell
from tokviz.ui.frame.say import note, plain
from tokviz.ui.kit import served

def fail(error):
    raise error

@st.fragment
def part():
    if st.button("In a part"):
        fail(KeyError("private"))

def broken():
    st.button("Of ours", on_click=fail, args=[SettingError("It cannot be 3. Take 4.")])
    st.button("Of the code", on_click=fail, args=[KeyError("private")])
    part()
    if st.button("On the page"):
        fail(KeyError("private"))

def hostile():
    texts = {HOSTILE!r}
    for n, text in enumerate(texts):
        st.markdown(plain(text))
        st.checkbox(plain(text), key=f"c{{n}}")
        st.button(plain(text), key=f"b{{n}}")
        note("info", text, text, key=f"n{{n}}")
    st.pills("Pills", texts, format_func=lambda text: f":blue[●] {{plain(text)}}", key="pills")

if get_script_run_ctx(suppress_warning=True) is None:
    app = st.App(__file__, routes=served.ROUTES, on_script_error=shell.on_error)
else:
    {{"broken": broken, "hostile": hostile}}[st.query_params["show"]]()
"""


def whole_at(page: Page, place: shell.Page) -> None:
    """Go to the address of a page, and find it with its title and the navigation."""
    page.goto("/" if place == PAGES[0] else f"/{place.path}")
    expect(settled(page).get_by_role("heading", level=1)).to_have_text(place.title)
    expect(page).to_have_title(f"{place.title} · tokviz")
    expect(page.get_by_test_id("stTopNavLink")).to_have_text([named.title for named in NAMED])


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of SCRIPT."""
    script = Path(tmp_path_factory.mktemp("scripted"), "script.py")
    script.write_text(SCRIPT, "utf-8")
    with serving(script) as server:
        yield server


@pytest.mark.long
@pytest.mark.parametrize("place", PAGES, ids=lambda place: place.path)
def test_an_address_is_whole_as_the_first_request_of_a_new_server(browser: Browser, place: shell.Page) -> None:
    """In short for one page, where a test needs a new server anyway: in test_live."""
    with serving() as server, visiting(browser, server) as page:
        whole_at(page, place)


def test_a_script_that_was_not_loaded_is_said(browser: Browser, server: Server) -> None:
    page = bare_page(browser, base_url=server.url)
    for name in ("BidiComponent", "index"):  # that of all components, and the first of all
        scripts = f"**/{name}.*.js"
        page.route(scripts, lambda route: route.abort())
        page.goto("/")
        expect(page.get_by_text("A part of this page was not loaded.")).to_be_visible()
        page.unroute(scripts)
        page.get_by_role("button", name="Reload").click()
        expect(page.get_by_role("heading", name=PAGES[0].title, exact=True)).to_be_visible()
        expect(page.get_by_text("A part of this page was not loaded.")).to_have_count(0)
    page.context.close()


@pytest.mark.right
def test_a_note_of_the_server_covers_nothing_of_the_page(page: Page) -> None:
    page.goto("/class")
    settled(page).get_by_role("button", name="Open a room").click()
    expect(page.locator(".join-words")).to_be_visible()
    settled(page).evaluate("dispatchEvent(new Event('vite:preloadError'))")
    expect(page.get_by_text("A part of this page was not loaded.")).to_be_visible()
    note, main = (resting_box(page.locator(where)) for where in ("body > aside", '[data-testid="stMain"]'))
    foot = resting_box(page.locator(".teacher .foot"))
    assert main["y"] + main["height"] <= note["y"] and foot["y"] + foot["height"] <= note["y"]


def test_only_a_machine_that_slept_closes_connections_and_no_tab_out_of_sight(browser: Browser) -> None:
    page = bare_page(browser)
    page.clock.install()
    page.route("http://classroom.test/", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto("http://classroom.test/")
    page.evaluate("() => { window.shut = 0; window.WebSocket = class extends EventTarget { close() { shut++; } } }")
    page.add_script_tag(path=Path(pages.__file__).with_name("watch.js"))
    page.evaluate("() => { window.heard = 0; new WebSocket().addEventListener('close', () => heard++); }")
    for ms, closed in ((61_000, 0), (61_000, 0), (120_000, 1)):
        page.clock.fast_forward(ms)
        assert page.evaluate("[shut, heard]") == [closed, closed], "at once, before the browser says so"
    page.context.close()


@pytest.mark.right
def test_a_browser_that_takes_no_cookie_is_told_that_a_reload_loses_the_text(browser: Browser, server: Server) -> None:
    page = bare_page(browser, base_url=server.url)
    page.add_init_script("Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false })")
    page.goto("/")
    bar = page.get_by_role("alert").filter(has_text="This browser does not accept cookies from this page.")
    expect(bar).to_contain_text("is lost when the page is loaded again")
    bar.get_by_role("button", name="Close").click()
    expect(bar).to_have_count(0)
    page.context.close()


@pytest.mark.right
def test_a_direct_load_asks_for_nothing_that_is_not_there(browser: Browser, server: Server) -> None:
    page, asked = bare_page(browser, base_url=server.url), list[tuple[int, str]]()
    page.on("response", lambda answer: asked.append((answer.status, answer.url)))
    page.goto("/learn")
    settled(page)
    assert asked and [url for status, url in asked if status >= 400] == []
    page.context.close()


def test_nothing_is_drawn_before_the_style_of_the_page_is_there(browser: Browser, server: Server) -> None:
    page, held = bare_page(browser, base_url=server.url), list[Route]()
    page.route("**/frame/page.css", lambda route: held.append(route))
    page.goto("/", wait_until="commit")
    page.wait_for_timeout(2_000)
    assert len(held) == 1 and page.get_by_test_id("stApp").count() == 0
    held[0].continue_()
    expect(page.get_by_role("heading", level=1)).to_have_css("letter-spacing", "-0.336px")
    logo = page.get_by_test_id("stHeaderLogo")
    expect(logo).to_be_visible()
    eventually(lambda: logo.evaluate("image => image.naturalWidth"), 100)
    page.context.close()


def test_the_navigation_leads_to_every_page_and_the_logo_home(page: Page) -> None:
    page.goto("/")
    for place in NAMED[1:]:
        page.get_by_test_id("stTopNavLink").filter(has_text=place.title).click()
        if place.path != "learn":  # its heading is that of the open step
            expect(page.get_by_role("heading", level=1)).to_have_text(place.title)
        expect(page).to_have_url(re.compile(f"/{place.path}$"))
    page.get_by_test_id("stLogoLink").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(PAGES[0].title)


@pytest.mark.right
def test_the_navigation_leads_on_from_a_field_in_which_something_was_typed(page: Page) -> None:
    page.goto("/train")
    size = page.get_by_label("Vocabulary size")
    size.fill("300")
    page.get_by_test_id("stTopNavLink").filter(has_text="Replay").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Replay")
    settled(page, 500)
    expect(page).to_have_url(re.compile("/replay$"))
    page.goto("/train")
    expect(size).to_have_value("300")  # what was typed is kept


def test_both_themes_have_their_colours_and_pass_axe_and_one_can_be_chosen(page: Page) -> None:
    page.goto("/train")
    settled(page)  # a change of the scheme before the app's own theme is there would leave Streamlit's
    app, heading = page.get_by_test_id("stApp"), page.get_by_role("heading", level=1)
    for scheme, width in (("dark", 390), ("light", 1280)):
        paper, ink = INKS[scheme]
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        expect(app).to_have_css("background-color", f"rgb({paper})")
        expect(heading).to_have_css("color", f"rgb({ink})")
        expect(heading).to_have_css("font-size", "28px" if width > 640 else "24px")
        fits(settled(page))
        axe(page)
    theme = page.get_by_role("button", name="Theme", exact=True)
    assert words_of(theme) == "◐  Theme"
    theme.click()
    page.get_by_role("menuitemradio", name="Dark").click()
    expect(app).to_have_css("background-color", "rgb(20, 22, 26)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_has_a_menu_in_words_with_all_pages_and_the_theme(
    browser: Browser, server: Server, scheme: Literal["light", "dark"]
) -> None:
    phone: ViewportSize = {"width": 390, "height": 844}
    with visiting(browser, server, viewport=phone, color_scheme=scheme, has_touch=True, is_mobile=True) as page:
        page.goto("/train")
        menu, theme = (settled(page).get_by_role("button", name=name, exact=True) for name in ("Menu", "Theme"))
        assert words_of(menu) == "☰  Menu"
        header = page.get_by_test_id("stHeader")
        assert header.evaluate("header => getComputedStyle(header, '::after').content") == '"Train"'
        assert resting_box(header)["height"] == 48
        fits(page)
        axe(page)
        expect(theme).to_be_hidden()
        menu.focus()
        page.keyboard.press("Enter")
        links = page.get_by_test_id("stSidebarNavLink")
        expect(links).to_have_text([named.title for named in NAMED])
        expect(links.filter(has_text="Train")).to_have_attribute("aria-current", "page")
        assert resting_box(links.first)["height"] == 56
        assert words_of(page.get_by_role("button", name="Close", exact=True)) == "Close  ✕"
        axe(page)
        theme.click()
        expect(page.get_by_role("menuitemradio", name="Light")).to_be_visible()
        expect(page.get_by_text("Print")).to_be_visible()
        expect(page.get_by_text("Record screen")).to_be_hidden()
        expect(page.get_by_text("Made with")).to_be_hidden()
        page.keyboard.press("Escape")
        links.filter(has_text="Compare").click()
        expect(page).to_have_url(re.compile("/compare$"))
        expect(menu).to_be_visible()  # it closed itself


def words_of(button: Locator) -> str:
    """What a button of Streamlit's says on the page."""
    content: str = button.evaluate("button => getComputedStyle(button, '::after').content")
    return content.strip('"')


def test_an_address_that_is_no_page_leads_to_one_that_names_all_pages(page: Page) -> None:
    page.goto("/tokens?v=1&text=so+be+it")
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("so be it")
    for asked, meant in (("/token", "Tokens"), ("/%3Cb%3Evocabularies%2A", "Vocabulary"), ("/xyz/zyx", "")):
        page.goto(asked)
        heading = settled(page).get_by_role("heading", level=1)
        expect(heading).to_have_text(f"There is no page at {unquote(asked)}")
        links = page.get_by_test_id("stPageLink-NavLink")
        said = [f"Did you mean {meant}?"] if meant else []
        expect(links).to_have_text([*said, *(f"{named.title} {named.about}" for named in NAMED)])
        expect(page.get_by_role("dialog")).to_have_count(0)
    axe(page)
    links.filter(has_text="Learn").click()
    expect(page).to_have_url(re.compile("/learn$"))


def test_starting_over_asks_first_and_forgets_everything_also_in_a_second_tab(page: Page) -> None:
    page.goto("/")
    text = page.get_by_role("textbox", name="Text", exact=True)
    opening = text.input_value()
    text.fill("my own text")
    expect(page.get_by_label("Text as tokens of o200k_base").locator(".t")).to_have_count(3)
    key = cookie(page)
    assert key and COOKIE not in page.evaluate("document.cookie")
    begin, question = page.get_by_role("button", name="Start over", exact=True), page.get_by_role("dialog")
    begin.click()
    axe(page)
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    expect(text).to_have_value("my own text")
    other = page.context.new_page()
    other.goto("/")
    expect(other.get_by_role("textbox", name="Text", exact=True)).to_have_value("my own text")
    begin.click()
    question.get_by_role("button", name="Delete everything").click()
    expect(text).to_have_value(opening)
    other.get_by_role("textbox", name="Text", exact=True).press_sequentially("!")  # which brings nothing back
    anew = re.compile(rf"^{re.escape(opening)}!?$")  # typed before this tab has loaded itself again, or after that
    expect(other.get_by_role("textbox", name="Text", exact=True)).to_have_value(anew)
    page.reload()
    expect(text).to_have_value(anew)
    assert cookie(page) not in (None, key), "a key of its own, so that nothing leads to what was there"
    text.fill("typed after that")
    expect(page.get_by_label("Text as tokens of o200k_base").locator(".t")).to_have_count(3)
    page.reload()
    expect(text).to_have_value("typed after that")


def cookie(page: Page) -> str | None:
    return next((one["value"] for one in page.context.cookies() if one["name"] == COOKIE), None)


def test_an_error_is_a_note_and_never_a_traceback(browser: Browser, scripted: Server) -> None:
    with visiting(browser, scripted) as page:
        for button in ("Of ours", "Of the code", "In a part", "On the page"):
            page.goto("/?show=broken")
            page.get_by_role("button", name=button).click()
            note = page.get_by_role("alert")
            expect(note).to_contain_text("It cannot be 3. Take 4." if button == "Of ours" else "a fault of tokviz")
            expect(settled(page).get_by_test_id("stException")).to_have_count(0)
            expect(page.get_by_text("private")).to_have_count(0)


@pytest.fixture(scope="module")
def hostile_page(browser: Browser, scripted: Server) -> Iterator[Page]:
    with visiting(browser, scripted) as page:
        page.goto("/?show=hostile")
        expect(settled(page).locator(".note")).to_have_count(len(HOSTILE))
        yield page


@pytest.mark.parametrize("where", ["stMarkdown", "stCheckbox", "stButton", "stButtonGroup"])
def test_plain_text_shows_as_itself_everywhere(hostile_page: Page, where: str) -> None:
    found = hostile_page.get_by_test_id(where)
    if where == "stButtonGroup":
        found = found.get_by_role("radio")

    def shown() -> list[str]:
        texts = [text.replace("\u2060", "").removeprefix("● ") for text in found.all_inner_texts()]
        return [" ".join(text.split()) for text in texts]

    eventually(shown, [" ".join(text.split()) for text in HOSTILE])
    assert found.locator("a, code, em, strong, del, img, ul, ol, blockquote, table, hr, h1, .katex").count() == 0


def test_a_note_shows_every_letter(hostile_page: Page) -> None:
    names = hostile_page.locator(".note b")
    eventually(lambda: names.evaluate_all("found => found.map(one => one.textContent)"), list(HOSTILE))
    assert hostile_page.locator(".note :is(a, img, script)").count() == 0
