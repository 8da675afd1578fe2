"""Trained on, tested on: how well each tokenizer compresses each test text, those that it was trained on among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from tokviz.base.blocks import Button, Line, Series, Table
from tokviz.base.wording import free_name, rate
from tokviz.catalog.samples import samples
from tokviz.ui.compare.folds import side_by_side
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.tokenizers import ShownTokenizer, able, encoded
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import text_of
from tokviz.ui.tokenview.shown import show

TEST_BYTES = 200_000  # of the corpus of a tokenizer
TEST_SAMPLES = {"story": "Story", "code": "Code", "parallel": "Languages"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A tokenizer on a test text. value: bytes per token. own: whether the tokenizer was trained on this text."""

    tokenizer: ShownTokenizer
    text: str
    value: float
    own: bool


def trained_on(me: Visitor, tokenizers: Sequence[ShownTokenizer]) -> None:
    """Draw the table, and the tokens of the cell that is picked."""

    def pressed(press: Press) -> None:
        visitor().state(CompareState).cell = (press.name, press.value)

    texts = texts_to_try(me, tokenizers)
    read = me.specials
    tokenizers, faults = able(
        tokenizers, lambda one: [encoded(me, one.tokenizer, text, read) for text in texts.values()], "the table"
    )
    for fault in faults:
        note("warn", fault.what, fault.way_out)
    if not tokenizers:
        return
    rows = cells(me, tokenizers, texts)
    of_each = {(cell.tokenizer.key, cell.text): cell for cell in rows}
    picked = of_each.get(me.state(CompareState).cell or ("", ""), rows[0])

    def button(key: str, text: str) -> Button:
        cell = of_each[key, text]
        also = ", which it was trained on" if cell.own else ""
        label = f"{rate(cell.value)}: {text} under {cell.tokenizer.name}{also}"
        return Button(key, text, f"{rate(cell.value)}{' ✓' if cell.own else ''}", label)

    table = [[Series(shown.series, shown.name), *(button(shown.key, text) for text in texts)] for shown in tokenizers]
    marks = "✓: what it was trained on." if any(cell.own for cell in rows) else "Train a tokenizer to see its corpus."
    show(
        Line([finding(rows)], "title"),
        Line([f"Bytes a token; 1.00 is one token for every byte. {marks}"], "quiet"),
        Table(["Tokenizer", *texts], table, "Bytes a token of each text"),
        key="compare.trained_on",
        on_press=pressed,
    )
    st.subheader(plain(f"{picked.text} under {picked.tokenizer.name}"), anchor=False)
    whole = encoded(me, picked.tokenizer.tokenizer, texts[picked.text], read)
    side_by_side([(picked.tokenizer, whole)], "compare.cell")


def texts_to_try(me: Visitor, tokenizers: Sequence[ShownTokenizer]) -> dict[str, str]:
    """Name -> text: the text in view, the samples, and the corpora of the visitor's own tokenizers."""
    texts = {"This text": text_of(me)} if me.text else {}
    texts |= {TEST_SAMPLES[row.key]: row.text for row in samples() if row.key in TEST_SAMPLES}
    for shown in tokenizers:
        corpus = _corpus(me, shown)
        if corpus and corpus[1] not in texts.values():
            texts[free_name(corpus[0], texts)] = corpus[1]
    return texts


def cells(me: Visitor, tokenizers: Sequence[ShownTokenizer], texts: dict[str, str]) -> list[Cell]:
    """Each tokenizer on each test text. All of them must be able to read these."""
    rows = []
    for shown in tokenizers:
        corpus = _corpus(me, shown)
        for name, text in texts.items():
            reached = len(text.encode()) / max(len(encoded(me, shown.tokenizer, text, me.specials)), 1)
            rows.append(Cell(shown, name, reached, bool(corpus and corpus[1] == text)))
    return rows


def _corpus(me: Visitor, shown: ShownTokenizer) -> tuple[str, str] | None:
    """The name and the beginning of a tokenizer's corpus; None if it is not kept. The name says if it is not all."""
    mine = me.own(shown.key)
    if not mine or not mine.training or not mine.training.kept_bytes:
        return None
    window, size = mine.training.window, mine.training.n_bytes
    head = me.cache.get(("head", mine.training), lambda: window(0, TEST_BYTES).data.decode())
    name, measured = mine.corpus_name or mine.name, len(head.encode())
    return f"{name}, the first {measured:,} bytes of {size:,}" if measured < size else name, head


def finding(cells: Sequence[Cell]) -> str:
    """Which text the first tokenizer that was trained here compresses best; without one, the best cell of all.

    >>> mine = ShownTokenizer("mine1", "Mine", "yours", None)
    >>> finding([Cell(mine, "Story", 3.0, True), Cell(mine, "Code", 2.5, False)])
    'Mine compresses Story best, which it was trained on: 3.00 bytes a token'
    """
    trained = next((cell.tokenizer.key for cell in cells if cell.own), None)
    best = max((cell for cell in cells if trained in (None, cell.tokenizer.key)), key=lambda cell: cell.value)
    own = ", which it was trained on" if best.own else ""
    return f"{best.tokenizer.name} compresses {best.text} best{own}: {rate(best.value)} bytes a token"
