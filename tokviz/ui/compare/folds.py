"""What the tabs of Compare share: folds, whose content is computed and sent only while they are open, and texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from tokviz.base.blocks import Block, Group, Quiet, Series, Table, Tokens
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of
from tokviz.tokenizer.encoding import Encoding
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import part
from tokviz.ui.frame.tables import csv_button
from tokviz.ui.frame.tokenizers import ShownTokenizer, marked
from tokviz.ui.frame.widgets import bind
from tokviz.ui.kit.blocks import Press
from tokviz.ui.tokenview.shown import show

IN_VIEW = 3_000  # bytes drawn of a text


def fold(title: str, name: str, draw: Callable[[], None]) -> None:
    """Draw a fold, and what is in it while it is open. name: a field of `Folds`."""
    inside = st.expander(title, **bind(f"compare.fold.{name}", f"folds.{name}", CompareState))
    if inside.open:
        with inside, part():
            draw()


def with_csv(above: Sequence[Block], table: Table, name: str, on_press: Callable[[Press], None] | None = None) -> None:
    """Draw blocks, the table below them, and a button for the table as CSV. name: for the keys and the file."""
    show(*above, table, key=f"compare.{name}", on_press=on_press)
    csv_button("CSV", lambda: table, name, f"compare.{name}.csv")


def side_by_side(rows: Sequence[tuple[ShownTokenizer, Encoding]], key: str) -> None:
    """Draw a text, or its beginning, as its tokens under each tokenizer."""
    names, texts = [shown.name for shown, _ in rows], []
    for shown, whole in rows:
        size = len(whole.data)
        cut = [Quiet(f"the first {IN_VIEW:,} of {size:,} bytes are drawn")] if size > IN_VIEW else []
        texts.append(
            Tokens(
                whole.part(0, IN_VIEW) if cut else whole,
                f"Tokens of {shown.name if names.count(shown.name) == 1 else marked(shown)}",
                head=[Series(shown.series, shown.name), Strong(count_of(len(whole), "token"))],
                under=cut,
            )
        )
    show(Group(texts, across=min(len(texts), 3)), key=key)
