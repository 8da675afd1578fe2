"""The tabs of Compare under AppTest: figures, languages, vocabulary sizes, and what is picked in them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields
from decimal import Decimal

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, blocks, components, notes, take_sample, train, type_on_tokens, words
from tokviz.base.wording import factor, percent, rate
from tokviz.catalog.references import models
from tokviz.catalog.samples import parallel, sample
from tokviz.cost.figures import tally
from tokviz.offline.data import int32
from tokviz.ui.compare import figure_tables, languages, lengths, trained_on
from tokviz.ui.compare.state import TABS, CompareState, Folds
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server.visitor import Visitor

__all__ = ["app"]

TEXT = "The cat sat on the mat, 1,234 times. नमस्ते!\n" * 3
REFERENCES = {"GPT-2": "gpt2", "GPT-4": "cl100k_base", "GPT-4o": "o200k_base"}
FOLDS = [field.name for field in fields(Folds)]


def opened(app: AppTest, tab: str = "Figures", *folds: str, text: str = TEXT) -> AppTest:
    type_on_tokens(app, text)
    at(app, "compare")
    return to(app, tab, *folds)


def to(app: AppTest, tab: str, *folds: str) -> AppTest:
    state = person(app).state(CompareState)
    state.folds = Folds(**dict.fromkeys(folds, True))
    app.session_state["compare.tab"] = state.tab = tab
    app.run()
    assert not app.exception
    return app


def person(app: AppTest) -> Visitor:
    found: Visitor = app.session_state["tokviz.visitor"]
    return found


def table(app: AppTest, label: str) -> dict[str, dict[str, str]]:
    """The table of this label: by the name of a row, what each of its cells says, by the title of the column."""
    (found,) = [block for block in blocks(app, "table") if block["label"] == label]
    titles = [words(title) for title in found["titles"]]
    return {words(row[0]): dict(zip(titles[1:], map(words, row[1:]), strict=False)) for row in found["rows"]}


def headings(app: AppTest) -> list[str]:
    """The titles in the open tab."""
    titles = [line["cells"] for line in blocks(app, "line") if line["tone"] == "title"]
    return [words(cells) for cells in titles] + [one.value.replace("\\", "") for one in app.subheader]


@pytest.mark.parametrize("text", [TEXT, "", "=1+1\n<script>alert(1)</script>\x00😀" + " " * 999])
def test_every_tab_and_every_fold_opens_on_every_text(app: AppTest, text: str) -> None:
    opened(app, text=text)
    for tab in TABS:
        to(app, tab, *FOLDS)
        assert notes(app) == ""
        assert headings(app) or not text


def test_what_is_folded_or_on_another_tab_is_neither_computed_nor_sent(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("what is out of sight was computed")

    opened(app)
    for module, name in ((languages, "tongues"), (trained_on, "cells"), (figure_tables, "prices_table")):
        monkeypatch.setattr(module, name, refuse)
    app.run()
    assert not app.exception
    assert len(components(app, "blocks")) == 1


def test_the_figures_are_those_of_the_text(app: AppTest) -> None:
    opened(app, "Figures", "more")
    first, more = table(app, "Figures of the text"), table(app, "More figures")
    tokens = {}
    for title, name in REFERENCES.items():
        tok = tokviz.reference(name)
        ids = tok.encode(TEXT)
        tokens[title], counted, size = len(ids), tally(tok.explain(TEXT)), len(TEXT.encode())
        ones = sum(len(tok.decode_bytes([id])) == 1 for id in ids)
        assert first[title]["Tokens"] == str(len(ids))
        assert first[title]["Bytes a token"] == rate(size / len(ids))
        assert first[title]["Single bytes"] == percent(ones / len(ids))
        p = np.array(list(Counter(ids).values())) / len(ids)
        assert {what: row[title] for what, row in more.items()}.items() >= {
            ("characters per token", rate(len(TEXT) / len(ids))),
            ("tokens per word", rate(len(ids) / len(TEXT.split()))),
            ("vocabulary in use", percent(len(set(ids)) / tok.vocab_size)),
            ("entropy, bits per token", rate(-(p * np.log2(p)).sum())),
            ("words split", percent(counted.split / len(TEXT.split()))),
        }
    price = models()["gpt-4"].price
    assert price
    exact = tokens["GPT-4"] * price.value / 1_000_000
    assert Decimal(first["GPT-4"]["Price in"].removeprefix("$")) == pytest.approx(exact, rel=Decimal("0.05"))
    assert first["GPT-2"]["Price in"] == ""
    said = "The whole text, " + ", ".join(
        [f"{len(TEXT.encode())} bytes", f"{len(TEXT)} characters", f"{len(TEXT.split())} words"]
    )
    assert said in [words(line["cells"]) for line in blocks(app, "line")]


def test_where_there_are_no_words_there_is_no_figure_per_word(app: AppTest) -> None:
    opened(app, "Figures", "more", text="猫がマットに座った。")
    more = table(app, "More figures")
    assert set(more["tokens per word"].values()) == {""}
    assert "" not in more["characters per token"].values()


def test_sizes_are_what_truncated_tokenizers_give(app: AppTest) -> None:
    opened(app, "Vocabulary size")
    rows, n_bytes = table(app, "Vocabulary sizes"), len(TEXT.encode())
    for size, row in rows.items():
        for title, name in REFERENCES.items():
            tok, n = tokviz.reference(name), int(size.replace(",", ""))
            expected = rate(n_bytes / len(tok.truncated(n).encode(TEXT))) if n <= tok.vocab_size else ""
            assert row[title] == expected
    smallest = [(name, len(tokviz.reference(key).truncated(50_256).encode(TEXT))) for name, key in REFERENCES.items()]
    size = "50,256 tokens"
    title = f"With a vocabulary of {size}, {figure_tables.fewest(smallest)}"
    assert headings(app) == [title, f"The text with a vocabulary of {size}"]
    person(app).state(CompareState).size = 1_024
    app.run()
    assert headings(app)[-1] == "The text with a vocabulary of 1,024 tokens"
    for name, text in zip(REFERENCES.values(), blocks(app, "tokens"), strict=True):
        assert text["encoding"]["seams"] == int32(tokviz.reference(name).truncated(1_024).explain(TEXT).seams)


def test_a_length_that_is_picked_shows_its_tokens(app: AppTest) -> None:
    opened(app, "Figures", "lengths")
    shares, tokens = table(app, "Shares by length"), tokviz.reference("gpt2").explain(TEXT).tokens()
    for n, row in shares.items():
        many = sum(min(len(token.data), lengths.LONGEST) == int(n.rstrip("+")) for token in tokens)
        assert row["GPT-2"] == percent(many / len(tokens))
    person(app).state(CompareState).length = 4
    app.run()
    (first, *_) = blocks(app, "chips")
    of_four = Counter(token.data for token in tokens if len(token.data) == 4)
    assert {bytes.fromhex(chip["data"]): chip["words"] for chip in first["items"]} == {
        token: f"× {times}" for token, times in of_four.items()
    }
    assert headings(app)[-1] == "Tokens of 4 bytes"


def test_tokens_of_a_length_are_bytes_and_the_longest_are_together() -> None:
    assert [token for token, _, _ in of_length("=" * 64, 16)] == [b"=" * 64]
    assert [token for token, _, _ in of_length("猫", 1)] == [b"\xe7", b"\x8c", b"\xab"]


def of_length(text: str, n: int) -> list[tuple[bytes, int, int]]:
    return lengths.of_length(tokviz.reference("gpt2").explain(text), n)


def test_the_finding_of_lengths() -> None:
    def said(text: str, *names: str) -> str:
        shown = [ShownTokenizer(name, name, name, None) for name in names]
        return lengths.finding(figure_tables.measured(Visitor(), shown, text)[0]).replace("\u00a0", " ")

    spaces = "        the cat"
    assert said(spaces, "gpt2") == "Single bytes are 77.8 % of the tokens"
    assert said("the cat sat", "gpt2", "cl100k_base") == "Single bytes are 0 % of the tokens"
    assert said(spaces, "cl100k_base", "gpt2") == (
        "Single bytes are 77.8 % of the tokens under gpt2, 0 % under cl100k_base"
    )


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (
            {"Tamil": (90, 20)},
            "Tamil takes 9.0 times the tokens of English under GPT-2; "
            "under GPT-4 no language takes more than 2.0 times",
        ),
        ({"Tamil": (20, 20)}, "Tamil takes 2.0 times the tokens of English under GPT-2"),
        ({"German": (9, 9)}, "No language takes more tokens than English"),
    ],
)
def test_the_finding_of_languages(tokens: dict[str, tuple[int, int]], said: str) -> None:
    shown = [ShownTokenizer("gpt2", "GPT-2", "gpt2", None), ShownTokenizer("cl100k_base", "GPT-4", "cl100k_base", None)]
    rows = [
        languages.Tongue("en" if language == "English" else language, language, "", {"gpt2": a, "cl100k_base": b})
        for language, (a, b) in {"English": (10, 10), **tokens}.items()
    ]
    assert languages.finding(shown, rows) == said


def test_languages_their_sentences_and_their_prices(app: AppTest) -> None:
    opened(app, "Languages")
    rows = table(app, "Languages")
    texts = {row.language: row.text for row in parallel()}
    tokens = {language: len(tokviz.reference("cl100k_base").encode(text)) for language, text in texts.items()}
    times = {name.split(" · ")[0]: row["GPT-4"] for name, row in rows.items()}
    assert times == {language: factor(n / tokens["English"]) for language, n in tokens.items()}
    first = blocks(app, "tokens")[0]["encoding"]["text"]
    assert first == texts[next(iter(times))], "the language of the title"

    # a price is for a token, and a language takes as many times the price of English as it takes the tokens
    person(app).state(CompareState).language = "de"
    app.selectbox(key="compare.spoken_to").set_value("gpt-4").run()
    assert [text["encoding"]["text"] for text in blocks(app, "tokens")] == [texts["German"]] * 3
    assert "The sentences in German" in headings(app)
    language = max(tokens, key=lambda language: tokens[language])
    (price,) = [row["Price with GPT-4"] for name, row in table(app, "Languages").items() if name.startswith(language)]
    assert Decimal(price.removeprefix("$")) == 30 * Decimal(tokens[language]) / 1_000_000
    said = "\n".join(words(line["cells"]) for line in blocks(app, "line"))
    assert f"With GPT-4, the most expensive language is {language}: the same sentences cost {price} as input, " in said
    assert re.search(r"where 0 means all are equal: GPT-2 0\.\d\d, GPT-4 0\.\d\d and GPT-4o 0", said)


def test_own_tokenizers_are_tested_on_what_they_were_trained_on(app: AppTest) -> None:
    train(take_sample(at(app, "train")))
    opened(app, "Files", "trained_on")
    mine, text = person(app).trained[0], sample("story").text
    rows = table(app, "Bytes a token of each text")
    assert list(rows[mine.name]) == ["This text", "Story", "Code", "Languages"]
    assert rows[mine.name]["Story"] == f"{rate(len(text.encode()) / len(mine.tokenizer.encode(text)))} ✓"
    assert [cell for row in rows.values() for cell in row.values() if "✓" in cell] == [rows[mine.name]["Story"]]
    person(app).state(CompareState).cell = (mine.key, "Code")
    app.run()
    assert headings(app)[-1] == f"Code under {mine.name}"
    (shown,) = blocks(app, "tokens")
    assert sample("code").text.startswith(shown["encoding"]["text"])


@pytest.mark.right
def test_of_a_long_corpus_the_table_says_how_much_it_measures(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained_on, "TEST_BYTES", 300)
    train(take_sample(at(app, "train")))
    opened(app, "Files", "trained_on")
    assert [
        title
        for title in next(iter(table(app, "Bytes a token of each text").values()))
        if re.fullmatch(r"The Pairwright of Larkwater, a story, the first 3\d\d bytes of [\d,]+", title)
    ]


@pytest.mark.parametrize(("tab", "fold"), [("Languages", "more"), ("Files", "trained_on")])
def test_a_tokenizer_that_cannot_read_the_samples_leaves_the_others_theirs(app: AppTest, tab: str, fold: str) -> None:
    person(app).add("picky", tokviz.train("abc", 257, pattern="[abc]+").tokenizer)
    opened(app, tab, fold, text="abc")
    assert "picky is left out of the" in notes(app) and "does not cover the text" in notes(app)
    assert headings(app)
    person(app).state(CompareState).chosen = person(app).state(CompareState).chosen[:1]
    to(app, tab, fold)
    assert "picky is left out of the" in notes(app) and not headings(app)


def test_a_corpus_of_ones_own_is_a_test_text_too() -> None:
    me = Visitor()
    for name in ("mine", "Story"):
        training = tokviz.train("a corpus of my own " * 9 + name, 300)
        me.add(name, training.tokenizer, training, corpus_name=name)
    chosen = [ShownTokenizer(mine.key, mine.name, mine.series, mine.tokenizer) for mine in me.trained]
    texts = trained_on.texts_to_try(me, chosen)
    assert list(texts) == ["This text", "Story", "Code", "Languages", "mine", "Story (2)"]
    assert texts["mine"] == "a corpus of my own " * 9 + "mine"
    me.trained[0].training = None  # as when the server let it go
    assert "mine" not in trained_on.texts_to_try(me, chosen)
