"""kit/html.js as a library: what a template draws, what a redraw leaves alone, and what no value can become."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.browser import bare_page
from tests.e2e.test_shared_js import IMPORT
from tokviz.offline.files import script

ADDRESS = "http://kit.test/"
ROUNDS = Path(__file__).with_name("templates.js").read_text("utf-8")
# Draw in an element of the page. `rows` are keyed, each with a field and a part that scrolls.
BEGIN = """() => {
  Object.assign(window, window.shared, { root: document.body.appendChild(document.createElement("main")) });
  window.draw = drawn => render(drawn, root);
  window.find = selector => root.querySelector(selector);
  window.rows = keys => html`<ul>${keys.map(key => keyed(key, html`<li><input value=${key}>
    <div style="height:20px;overflow:auto"><p style="height:99px">${key}</p></div></li>`))}</ul>`;
  window.changes = async act => {
    const found = [], observer = new MutationObserver(all => found.push(...all));
    observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
    act();
    found.push(...observer.takeRecords());
    observer.disconnect();
    return found.map(one => one.type === "childList" ? [...one.addedNodes].map(node => node.nodeName) : one.type);
  };
}"""


@pytest.fixture(scope="module")
def library(browser: Browser) -> Iterator[Page]:
    page = bare_page(browser)
    page.route(ADDRESS, lambda route: route.fulfill(body="<!doctype html>", content_type="text/html; charset=utf-8"))
    page.goto(ADDRESS)
    page.evaluate(IMPORT, script("kit/html.js"))
    page.evaluate(f"void (window.rounds = {ROUNDS})")
    yield page
    page.context.close()


@pytest.fixture
def empty(library: Page) -> Iterator[Page]:
    library.evaluate(BEGIN)
    yield library
    library.evaluate("root.remove()")


def run(page: Page, code: str) -> Any:
    """What the statements of this code return, with `draw`, `find`, `rows` and `changes` at hand."""
    return page.evaluate(f"async () => {{ {code} }}")


@pytest.mark.parametrize("seed", [7, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(100, 120))])
def test_drawing_over_anything_is_like_drawing_alone(library: Page, seed: int) -> None:
    assert library.evaluate("seed => rounds(shared, seed, 8_000)", seed) == []


@pytest.mark.parametrize(
    ("template", "markup"),
    [
        ("html`<p class=${'a b'} id='x-${1}-${2}'>${'<b>'}</p>`", '<p class="a b" id="x-1-2">&lt;b></p>'),
        ("html`<p title='a > b' class=${'c'}>${0}</p>`", '<p title="a > b" class="c">0</p>'),
        ("html`a < b ${'<'} c`", "a &lt; b &lt; c"),
        ("html`<p lang=x-${1}>${null}${undefined}${false}${nothing}${''}</p>`", '<p lang="x-1"></p>'),
        ("html`<p a=${null} b=${undefined} c=${nothing} d=${false} e='${null}!'></p>`", '<p d="false" e="!"></p>'),
        ("html`<p ?hidden=${1} ?inert=${nothing}>${[1, [2, html`<i>${3}</i>`]]}</p>`", '<p hidden="">12<i>3</i></p>'),
        ("html`<table><tr>${html`<td>${1}</td>`}</tr></table>`", "<table><tbody><tr><td>1</td></tr></tbody></table>"),
        ("html`<svg viewBox='0 0 ${1} 1'>${svg`<path d=${'M0'} />`}</svg>`", None),
        ("html`<p>${document.createElement('hr')}${new Set([1, 2])}</p>`", "<p><hr>12</p>"),
    ],
)
def test_each_kind_of_value_has_its_place(empty: Page, template: str, markup: str | None) -> None:
    drawn = run(empty, f"draw({template}); return root.innerHTML.replaceAll('<!---->', '').replaceAll('&gt;', '>')")
    assert drawn == (markup or '<svg viewBox="0 0 1 1"><path d="M0"></path></svg>')
    if markup is None:
        assert run(empty, "return find('path').namespaceURI") == "http://www.w3.org/2000/svg"


def test_a_name_keeps_its_capitals(empty: Page) -> None:
    code = """let heard = 0;
      draw(html`<p .ariaLabel=${'x'} @theEvent=${() => heard++}></p>`);
      find("p").dispatchEvent(new Event("theEvent"));
      return [find("p").ariaLabel, heard];"""
    assert run(empty, code) == ["x", 1]


# -- harm --


@pytest.mark.parametrize(
    "template",
    [
        "html`<p .innerHTML=${x}></p>`",
        "html`<p .outerHTML=${x}></p>`",
        "html`<p onclick=${x}></p>`",
        "html`<p ONCLICK='a(${x})'></p>`",
        "html`<p .onclick=${x}></p>`",
        "html`<p srcdoc=${x}></p>`",
        "html`<a .href=${x}></a>`",
        "html`<p .style=${x}></p>`",
        "html`<iframe title=${x}></iframe>`",
        "html`<script src=${x}></script>`",
        "html`<svg><a><animate attributeName='href' to=${x} /></a></svg>`",
        "html`<base href=${x}>`",
        "html`<textarea>${x}</textarea>`",
        "html`<style>${x}</style>`",
        "html`<!-- ${x} -->`",
        "html`<p ${x}></p>`",
        "html`<p id=${x} id=${x}></p>`",
        "html([x])",
        "svg([x, x], x)",
    ],
)
def test_a_value_where_none_may_be_is_an_error(empty: Page, template: str) -> None:
    code = f"""draw(html`before`);
      try {{
        const x = "<b>";
        draw({template});
      }} catch (error) {{
        return [root.textContent, error.message.length > 9];
      }}"""
    assert run(empty, code) == ["before", True]


@pytest.mark.parametrize(
    ("address", "stays"),
    [
        ("?open=a:b", True),
        ("/learn#x", True),
        ("https://example.org/", True),
        ("mailto:a@example.org", True),
        ("javascript:alert(1)", False),
        (" \tJava\nScript:alert(1)", False),
        ("\x01javascript:alert(1)", False),
        ("data:text/html,<script>alert(1)</script>", False),
        ("vbscript:x", False),
        ("http://[", False),
    ],
)
def test_an_address_that_runs_code_is_left_out(empty: Page, address: str, stays: bool) -> None:
    places = "<a href=${x}></a><form action=${x}><button formaction=${x}></button></form><img src=${x}>"
    code = f"""const x = {address!r}; draw(html`{places}<svg><a xlink:href=${{x}} href=${{x}}></a></svg>`);
      return [...root.querySelectorAll("*")].reduce((n, one) => n + one.attributes.length, 0);"""
    assert run(empty, code) == (6 if stays else 0)


@pytest.mark.parametrize("value", ["1px;position:fixed", "url(//x)", "a}b{", "expression('x')", "\\75rl(x)"])
def test_a_value_in_a_style_is_no_more_than_a_value(empty: Page, value: str) -> None:
    code = f"const x = {value!r}; draw(html`<p style='width:${{x}};color:var(--k-${{'a'}})'></p><b style=${{x}}></b>`);"
    run(empty, code)
    assert run(empty, "return [find('p').getAttribute('style'), find('b').getAttribute('style')]") == [
        "color: var(--k-a);",
        "",
    ]


def test_data_of_a_server_is_never_a_template(empty: Page) -> None:
    code = """const forged = JSON.parse('{"strings": ["<img src=x>"], "values": [], "kind": "template", "key": 1}');
      draw(html`<p title=${forged}>${forged}${[forged]}</p>`);
      return [find("img"), find("p").textContent]"""
    assert run(empty, code) == [None, "[object Object]" * 2]


# -- what a redraw leaves alone --


def test_of_a_thousand_rows_a_redraw_changes_what_differs(empty: Page) -> None:
    code = """const row = (text, i) => html`<tr><td class=${text}>${i}</td><td>${text}</td></tr>`;
      const table = texts => html`<table>${texts.map(row)}</table>`;
      const texts = Array.from({ length: 1000 }, (_, i) => `row ${i}`);
      draw(table(texts));
      return [
        await changes(() => draw(table([...texts]))),
        await changes(() => draw(table(texts.with(500, "another")))),
        root.querySelectorAll("tr").length];"""
    assert run(empty, code) == [[], ["attributes", "characterData"], 1000]


def test_a_key_that_goes_to_the_end_moves_alone(empty: Page) -> None:
    code = """const keys = Array.from({ length: 200 }, (_, i) => i);
      draw(rows(keys));
      const last = find("li"), found = await changes(() => draw(rows([...keys.slice(1), 0])));
      return [found.flat().filter(name => name === "LI").length, root.querySelectorAll("li")[199] === last];"""
    assert run(empty, code) == [1, True]


def test_comments_do_not_pile_up(empty: Page) -> None:
    code = """const some = n => html`${rows([...Array(n).keys()])}${n % 2 ? html`<i>${n}</i>` : "t"}`;
      const count = () => root.innerHTML.split("<!--").length;
      draw(some(5));
      const before = count();
      for (let n = 0; n < 500; n++) draw(some(n % 9));
      draw(some(5));
      return count() - before;"""
    assert run(empty, code) == 0


def test_a_row_with_the_focus_keeps_it_wherever_its_key_goes(empty: Page) -> None:
    code = """draw(rows([1, 2, 3, 4, 5]));
      const row = root.querySelectorAll("li")[2], field = row.querySelector("input");
      field.value = "typed";
      field.focus();
      field.setSelectionRange(1, 3);
      row.querySelector("div").scrollTop = 30;
      let left = 0;
      row.addEventListener("focusout", () => left++);
      for (const order of [[3, 1, 9, 2], [1, 2, 9, 3], [2, 9, 3, 1], [3, 2], [7, 8, 3], [3, 7, 8]]) {
        draw(rows(order));
        const kept = root.querySelectorAll("li")[order.indexOf(3)] === row && row.querySelector("div").scrollTop === 30;
        if (!kept || document.activeElement !== field || field.selectionStart !== 1) return order;
      }
      return [field.value, field.selectionEnd, left];"""
    assert run(empty, code) == ["typed", 3, 0]


def test_a_composition_goes_on(empty: Page) -> None:
    """Half a Japanese word is typed while the page is drawn again with what is in the field."""
    code = """window.ended = 0;
      const field = text => html`<b>${text}</b><input .value=${live(text)}
        @input=${({ target }) => draw(field(target.value))} @compositionend=${() => ended++}>`;
      draw(field(""));
      find("input").focus();"""
    run(empty, code)
    session = empty.context.new_cdp_session(empty)
    for text in ("n", "に", "にほ"):
        session.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    assert run(empty, "return [find('b').textContent, find('input').value, ended]") == ["にほ", "にほ", 0]
    session.send("Input.insertText", {"text": "日本"})
    assert run(empty, "return [find('b').textContent, ended]") == ["日本", 1]
    session.detach()


def test_what_a_person_did_and_what_others_drew_stays_until_another_value_or_key_comes(empty: Page) -> None:
    code = """const chip = document.createElement("i"), heard = [];
      const page = (key, value, kept, act, node = chip) => html`${keyed(key, html`<b>${key}</b>`)}
        <details><summary>${kept}</summary>${value}</details><div popover="manual">${value}</div>
        <pre style="height:20px;overflow:auto">${"line\\n".repeat(9)}${value}</pre><input .value=${value}>
        <input id="live" .value=${live(kept)}><button @click=${act}>x</button>${node}`;
      root.append("own ");
      draw(page(1, "old", "a", () => heard.push(1)));
      root.append(" more");
      const [bold, details, popover, pre, [field, alive]] =
        [find("b"), find("details"), find("[popover]"), find("pre"), root.querySelectorAll("input")];
      details.open = true;
      popover.showPopover();
      pre.scrollTop = 40;
      field.value = alive.value = "typed";
      draw(page(1, "old", "a", function () { heard.push(this.tagName) }));
      find("button").click();
      const stays = [find("b") === bold, details.open, popover.matches(":popover-open"), pre.scrollTop, field.value,
        alive.value, find("i") === chip, root.firstChild.data, root.lastChild.data, ...heard];
      draw(page(2, "new", "a", false, "text"));
      find("button").click();
      return [stays, [find("b") === bold, field.value, find("i"), heard.length]];"""
    assert run(empty, code) == [
        [True, True, True, 40, "typed", "a", True, "own ", " more", "BUTTON"],
        [False, "new", None, 1],
    ]


def test_a_drawing_that_fails_leaves_the_page_as_it_can_be_drawn_again(empty: Page) -> None:
    code = """const end = (n, bad) => bad ? html`<base href=${n}>` : keyed(n, "c");
      const page = (n, bad) => html`<p>${n}</p>${[keyed(1, html`<i>${n}</i>`), end(n, bad)]}`;
      draw(page(1));
      try { draw(page(2, true)) } catch { }
      draw(page(3));
      return root.innerHTML.replaceAll("<!---->", "");"""
    assert run(empty, code) == "<p>3</p><i>3</i>c"
