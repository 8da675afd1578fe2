"""What was typed in a field, and not left, outlives a restart of the server, a reload, and a look at another page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.e2e.browser import Server, bare_page, serving, settled
from tests.e2e.test_library import TOK, drop, row
from tests.e2e.typing import menu, shows
from tokviz.formats import dump

LEARN = "/learn?v=1&step="


def nothing(page: Page) -> None:
    """The field is there as soon as the page is."""


def open_room(page: Page) -> None:
    page.get_by_role("button", name="Open a room").click()


def own_question(page: Page) -> None:
    """A room is opened, and the kind of question chosen."""
    open_room(page)
    settled(page).get_by_test_id("stButtonGroup").get_by_text("Your own").click()


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()


def own_pattern(page: Page) -> None:
    choose(page, "Split pattern", "custom")


def write(page: Page) -> None:
    page.get_by_role("radio", name="Write").click()


def keep(page: Page) -> None:
    """A tokenizer is trained, and is to be kept."""
    if not page.get_by_role("button", name="Keep in the library").is_visible():
        page.get_by_role("radio", name="Sample").click()
        choose(settled(page), "Text: a sample", "A tongue-twister")
        settled(page).get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Keep in the library").click()


def line(page: Page) -> None:
    """The what-if is to add a line."""
    page.get_by_text("What if", exact=True).click()
    page.get_by_label("What to change").click()
    page.get_by_role("option", name="add a line to the corpus").click()


def own_text(page: Page) -> None:
    """A text of the reader's own goes through the same steps."""
    page.locator("summary").filter(has_text="Your own text").click()


def merge_list(page: Page) -> None:
    """A merge list plays, on a text."""
    page.get_by_role("combobox", name="Merges of").select_option("gpt2")


def below(entry: str) -> Callable[[Page], None]:
    """What is below the text of Tokens."""
    return lambda page: menu(page, "Text", entry)


def rename(page: Page) -> None:
    """A tokenizer is opened in the library, and is to have another name."""
    if not page.get_by_role("button", name="Rename").is_visible():
        drop(page, "shells.json", dump(TOK, "hf")["tokenizer.json"])
        settled(page).get_by_role("button", name="Add it").click()
        row(settled(page), "shells").get_by_role("link").click()
    settled(page).get_by_role("button", name="Rename").click()


def ranks(page: Page) -> None:
    """A file does not say its split pattern."""
    drop(page, "ranks.tiktoken", next(iter(dump(TOK, "tiktoken").values())))
    choose(settled(page), "Split pattern", "custom")


def token_list(page: Page) -> None:
    """A file does not say its special tokens either."""
    ranks(page)
    choose(settled(page), "Special tokens", "Those that I list")


def add(page: Page) -> None:
    """A tokenizer is to be chosen."""
    page.get_by_role("button", name="Add a tokenizer").click()


def find(page: Page) -> None:
    """Something is looked for in the text of Tokens."""
    shows(page, "Find", on=True)


# A field that is folded away can be typed in only so.
TYPE = "(field, text) => { field.value = text; field.dispatchEvent(new Event('input', { bubbles: true })); }"
LEAST = "Stop when a pair occurs less often than"
# What is opened, what leads to the field, its label, and what is typed.
FIELDS = [
    pytest.param(LEARN + "why-tokens-1", nothing, "Text", "walrus", id="the field of a view, in its task"),
    pytest.param(LEARN + "why-tokens-3", nothing, "Your text", "six words", id="the field of a task"),
    pytest.param(LEARN + "why-tokens-2", nothing, "Your number", "7.5", id="a number"),
    pytest.param(LEARN + "decoding-1", nothing, "Ids", "464 3797", id="the field of a view"),
    pytest.param("/", nothing, "Text", "low\n<b>न👍</b>", id="the text of Tokens"),
    pytest.param("/compare", nothing, "Text", "low lower", id="the text of Compare"),
    pytest.param("/", below("From ids to text"), "Ids", "464 3797", id="ids of Tokens"),
    pytest.param("/", below("A conversation"), "Message 2", "Where are parrots?", id="a message"),
    pytest.param("/", find, "Find a token", "berry", id="a token to find"),
    pytest.param("/", add, "Model or tokenizer", "claude", id="a model to choose"),
    pytest.param(LEARN + "why-tokens-1", nothing, "Words in the step", "merge", id="a step to find"),
    pytest.param("/replay", nothing, "Find a merge", "sea", id="a merge to find"),
    pytest.param("/library", rename, "New name", "sand", id="a new name"),
    pytest.param("/library", ranks, "Your split pattern", r"\w+|\W", id="a split pattern of a file"),
    pytest.param("/library", token_list, "Special tokens, one per line", "<|a|> 300", id="special tokens of a file"),
    pytest.param("/library?open=gpt2", nothing, "One per line", "<|a|>\n<|b|> 60000", id="changed special tokens"),
    pytest.param("/class", nothing, "Room code", "K7Q", id="the code of a room"),
    pytest.param("/class", open_room, "First merge to predict", "4", id="a merge to predict"),
    pytest.param("/class", open_room, "Merges in a row", "2", id="merges in a row"),
    pytest.param("/class", own_question, "Your question", "Is it so?", id="a question"),
    pytest.param("/class", own_question, "Answer C", "Sometimes", id="an answer"),
    pytest.param("/train", nothing, "Vocabulary size", "1,234", id="the size of a vocabulary"),
    pytest.param("/train", own_pattern, "Your split pattern", r"\w+|\W", id="a split pattern of Train"),
    pytest.param("/train", nothing, LEAST, "7", id="a least count"),
    pytest.param("/train", nothing, "Special tokens", "<|a|>\n<|b|>", id="special tokens"),
    pytest.param("/train", write, "Your text", "low lower\n<b>न👍</b>", id="a written text"),
    pytest.param("/train", write, "Vocabulary size", "300", id="the size of its vocabulary"),
    pytest.param("/train", write, "Special tokens", "<|c|>", id="its special tokens"),
    pytest.param("/train", keep, "Name", "a name of mine", id="a name for the library"),
    pytest.param("/vocabulary", nothing, "Search the tokens", "berry", id="a search"),
    pytest.param("/vocabulary?v=1&part=splits", nothing, "A split pattern", r"\s|\S", id="a split pattern"),
    pytest.param("/replay", own_text, "Your own text", "walrus", id="a text under the merges of a corpus"),
    pytest.param("/replay", line, "The line", "walrus", id="a line"),
    pytest.param("/replay", merge_list, "Text", "walrus", id="the text of a merge list"),
]


def found(page: Page, label: str, leads: Callable[[Page], None]) -> Locator:
    """The field, which may be folded away."""
    roles = ("textbox", "searchbox")
    one, other = (settled(page).get_by_role(role, name=label, include_hidden=True) for role in roles)
    there = one.or_(other).or_(page.get_by_role("combobox", name=label, exact=True))
    if not there.count():
        leads(page)
        expect(there).to_have_count(1)
    return there


def restart(page: Page) -> None:
    """From the next load on it is as after a restart: the server has another name, and knows nobody."""
    mark = page.evaluate("document.documentElement.dataset.visitor")
    page.context.clear_cookies()

    def watch(route: Route) -> None:
        script = re.sub(r'visitor: "\w+"', f'visitor: "{mark}"', route.fetch().text())
        route.fulfill(body=re.sub(r'started: "\w+"', 'started: "another"', script), content_type="text/javascript")

    page.route("**/tokviz/watch.js", watch)


@pytest.mark.parametrize(("path", "leads", "label", "text"), FIELDS)
def test_what_is_typed_is_kept(page: Page, path: str, leads: Callable[[Page], None], label: str, text: str) -> None:
    page.goto(path)
    leads(settled(page))
    found(page, label, nothing).evaluate(TYPE, text)
    restart(page)
    page.goto(path)
    leads(settled(page))
    expect(found(page, label, nothing)).to_have_value(text)
    here = settled(page).url
    page.reload()
    expect(found(page, label, leads)).to_have_value(text)
    page.get_by_test_id("stTopNavLink").filter(has_text="Compare").click()
    settled(page).goto(here)
    expect(found(page, label, leads)).to_have_value(text)


@pytest.mark.parametrize(
    ("path", "label", "said"), [("/", "Text", "text"), ("/vocabulary", "Search the tokens", "use=gpt2&search")]
)
def test_a_link_goes_before_what_was_typed_before_a_restart(page: Page, path: str, label: str, said: str) -> None:
    page.goto(path)
    found(page, label, nothing).evaluate(TYPE, "walrus")
    restart(page)
    page.goto(f"{path}?v=1&{said}=penguin")
    expect(found(page, label, nothing)).to_have_value("penguin")


def test_after_starting_over_in_another_tab_a_reload_brings_nothing_back(page: Page) -> None:
    page.goto("/train")
    write(settled(page))
    found(page, "Your text", nothing).evaluate(TYPE, "my secret")
    expect(page.get_by_text("Written 256")).to_be_visible()
    found(page, "Special tokens", nothing).evaluate(TYPE, "another secret")  # which is not left
    other = page.context.new_page()
    other.goto("/")
    other.get_by_role("button", name="Start over", exact=True).click()
    other.get_by_role("dialog").get_by_role("button", name="Delete everything").click()
    expect(settled(other).get_by_role("dialog")).to_have_count(0)
    page.reload()
    write(settled(page))
    expect(found(page, "Your text", nothing)).to_have_value(re.compile("^low lower"))
    expect(found(page, "Special tokens", nothing)).to_have_value("")


def test_without_a_place_to_keep_it_a_written_text_outlives_a_look_at_another_page(
    browser: Browser, server: Server
) -> None:
    page = bare_page(browser, base_url=server.url)
    page.add_init_script("Object.defineProperty(window, 'sessionStorage', { get: () => { throw new Error('none'); } })")
    page.goto("/train")
    write(settled(page))
    found(page, "Your text", nothing).evaluate(TYPE, "seal seals")
    for name in ("Compare", "Train"):
        settled(page).get_by_test_id("stTopNavLink").filter(has_text=name).click()
    expect(found(settled(page), "Your text", nothing)).to_have_value("seal seals")
    page.context.close()


def test_what_was_written_is_there_after_a_restart_that_another_page_saw(browser: Browser) -> None:
    with serving() as first:
        page, port = bare_page(browser, base_url=first.url), int(first.url.rsplit(":", 1)[1])
        page.goto("/train?v=1&write=1&text=low")
        found(settled(page), "Your text", nothing).evaluate(TYPE, "seal seals")
        settled(page).get_by_test_id("stTopNavLink").filter(has_text="Learn").click()
        settled(page)
    expect(page.get_by_text("The server does not answer.")).to_be_visible()
    with serving(port=port):
        expect(page.get_by_text("The server was started again.")).to_be_visible()
        settled(page).get_by_test_id("stTopNavLink").filter(has_text="Train").click()
        write(settled(page))
        expect(found(page, "Your text", nothing)).to_have_value("seal seals")
        page.context.close()


def test_what_is_folded_since_a_restart_outlives_a_look_at_another_page(page: Page) -> None:
    page.goto("/replay")
    own_text(settled(page))
    found(page, "Your own text", nothing).evaluate(TYPE, "walrus")
    restart(page)
    page.goto("/replay")
    for name in ("Compare", "Replay"):
        settled(page).get_by_test_id("stTopNavLink").filter(has_text=name).click()
    expect(found(settled(page), "Your own text", own_text)).to_have_value("walrus")
