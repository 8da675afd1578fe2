"""What Jupyter shows: a notebook is run, and its HTML is whole, escaped, and in the colours of the theme."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given

import tokviz
from tests.command_line import ROOT
from tests.strategies import wild_texts
from tokviz import Tokenizer, notebook
from tokviz.base.wording import printable

TAGS = {
    "div",
    "style",
    "p",
    "span",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "ul",
    "li",
    "details",
    "summary",
    "iframe",
}
VOID = {"br", "wbr"}
GPT2 = tokviz.reference("gpt2")


class Shown(HTMLParser):
    """HTML that was read as a browser reads it: its elements, their text, and the tokens."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tokens: list[str] = []
        self.frames = 0
        self.style = self.text = ""
        self.feed(html)
        self.close()
        assert not self.open and html.startswith('<div class="tokviz-nb"><style>') and html.count("<style>") == 1

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS | VOID
        assert tag == "iframe" or {name for name, _ in attributes} <= {"class", "title"}
        self.frames += tag == "iframe"
        if tag not in VOID:
            self.open.append(tag)
        if tag == "span":
            self.tokens.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert self.open
        if self.open[-1] == "style":
            self.style += data
        else:
            self.text += data
        if self.open[-1] == "span":
            self.tokens[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")

    handle_decl = handle_pi = unknown_decl = handle_comment


@pytest.fixture(scope="module")
def cells() -> dict[str, dict[str, str]]:
    return cells_of("tests/notebook.ipynb")


def cells_of(notebook: str) -> dict[str, dict[str, str]]:
    """The cells of a notebook, by their ids: what each shows, in each of its forms."""
    call = [sys.executable, "-m", "tests.run_notebook", notebook]
    run = subprocess.run(call, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    shown: dict[str, dict[str, str]] = json.loads(run.stdout)
    return shown


def test_a_notebook_shows_each_object_in_html_and_in_text(cells: dict[str, dict[str, str]]) -> None:
    assert [*cells] == ["training", "tokenizer", "reference", "encoding", "hostile", "comparison", "long"]
    shown = {name: Shown(forms["text/html"]) for name, forms in cells.items()}
    assert all(forms["text/plain"] for forms in cells.values())
    assert all(found.text.isprintable() and found.style == shown["training"].style for found in shown.values())
    assert "Training of <b>cat</b> & co" in shown["training"].text and "no pair left" in shown["training"].text
    assert shown["training"].tokens[:3] == ["a", "t", "at"] and "The first 12 of" in shown["training"].text
    assert "Tokenizer <b>cat</b> & co" in shown["tokenizer"].text and "<|end|> (275)" in shown["tokenizer"].text
    assert "50,000 merges" in shown["reference"].text and "<|endoftext|> (50256)" in shown["reference"].text
    assert {"↵", "·cat", "<|end|>", "⟨9F⟩"} <= {*shown["encoding"].tokens}
    assert "</div><script>alert(1)</script>·<img·src=x" in "".join(shown["hostile"].tokens)
    assert "The first 1,000 of 10,000 tokens are shown." in shown["long"].text and len(shown["long"].tokens) == 1_000


def test_the_example_in_docs_runs_and_shows_three_pages() -> None:
    shown = {name: Shown(forms["text/html"]) for name, forms in cells_of("docs/notebook.ipynb").items()}
    assert [*shown] == ["tokens", "compare", "replay", "training", "tokenizer"]
    assert [name for name, found in shown.items() if found.frames] == ["tokens", "compare", "replay"]


def test_a_comparison_shows_each_text_and_the_reasons(cells: dict[str, dict[str, str]]) -> None:
    found = Shown(cells["comparison"]["text/html"])
    assert re.search(r"They disagree in \d+ places, which are underlined\.", found.text)
    assert "cl100k_base cuts “·2008” of <script>alert(3)</script>: its split pattern (cl100k) cuts there." in found.text
    assert "The first 5 of" in found.text
    of_gpt2 = cells["comparison"]["text/html"].partition('class="text"')[2]
    assert re.match(r'><span class="t h\d differs" title="id 818, byte 0">In</span>', of_gpt2)
    alike = tokviz.compare("the cat", [GPT2, tokviz.reference("r50k_base")])
    assert "They agree on every boundary." in Shown(alike._repr_html_()).text and 'differs"' not in alike._repr_html_()


@given(wild_texts, wild_texts)
def test_no_text_and_no_name_becomes_markup(text: str, name: str) -> None:
    encoding = GPT2.explain(text)
    found = Shown(encoding._repr_html_())
    pieces = "".join(found.tokens).replace("◌", "")
    assert found.text.isprintable() and len(found.tokens) >= len(encoding)
    if "·" not in text and "◌" not in text and all(token.text for token in encoding.tokens()):
        whole = encoding.data.decode().replace(" ", "·").replace("\t", "→")
        assert pieces == printable(whole.replace("\n", "↵"))
    hostile = Tokenizer(name, [(97, 98)], special_tokens={f"<script>{name.encode('utf-8', 'replace').decode()}": 300})
    assert Shown(hostile._repr_html_()).text.isprintable()
    assert Shown(tokviz.compare(text, [GPT2, hostile])._repr_html_()).text.isprintable()


def test_empty_things_are_shown_too() -> None:
    nothing = tokviz.train("", 300)
    for one in (nothing, nothing.tokenizer, GPT2.explain(""), tokviz.compare("", [GPT2, nothing.tokenizer])):
        assert Shown(one._repr_html_()).text
    counted = tokviz.train(tokviz.count_chunks("the cat in the hat"), 260)  # it has no corpus to show
    assert "18 bytes" in Shown(counted._repr_html_()).text


def test_what_is_long_is_cut() -> None:
    word = "x" * 300
    tok = Tokenizer(
        word,
        [],
        pattern="a{1}" * 100 + r"|[\s\S]",
        special_tokens={f"{word}{number}": 300 + number for number in range(20)},
    )
    found = Shown(tok._repr_html_())
    assert len(found.text) < 4_000 and found.text.count("…") == 1 + 1 + notebook.SPECIALS_SHOWN
    assert "and 12 more" in found.text
    assert len(Shown(tok.explain(f"{word}1", "all")._repr_html_()).text) < 400
    lines = Tokenizer("lines", [(10, 10), *((id, id) for id in range(256, 266))], pattern="none")
    assert len(lines.explain("\n" * 20_480)) == 10 and len(lines.explain("\n" * 20_480)._repr_html_()) < 80_000
    long = tokviz.compare("a b\n" * 10_000, [GPT2, tok])
    assert re.search(r"The first 2,\d\d\d of 40,000 bytes are shown\.", Shown(long._repr_html_()).text)


def test_the_style_stays_inside_and_loads_nothing() -> None:
    style = Shown(GPT2.explain("a")._repr_html_()).style
    assert not re.search(r"url\(|@import|https?:|<", style)
    rules = re.sub(r"@media \(forced-colors:active\)\{(.*)\}", r"\1", style)
    selectors = [one for rule in re.findall(r"([^{}]+)\{[^{}]*\}", rules) for one in re.split(r",(?![^()]*\))", rule)]
    assert len(selectors) > 20 and all(".tokviz-nb" in selector for selector in selectors)
