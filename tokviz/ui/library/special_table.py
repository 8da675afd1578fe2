"""The special tokens of a tokenizer as a table to edit. Saving the change makes a new tokenizer; the original stays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

import streamlit as st

from tokviz.base.errors import InputError
from tokviz.base.wording import count_of
from tokviz.catalog import saved
from tokviz.formats.snippets import python_text
from tokviz.tokenizer.special_edits import SpecialRow, faults, free_id, rows_of, special_tokens_in
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training
from tokviz.ui.frame.buttons import ask, pressed, say_trouble
from tokviz.ui.frame.say import note, plain
from tokviz.ui.frame.widgets import as_shown, bind
from tokviz.ui.library import link
from tokviz.ui.library.entries import Entry, opened_with_merges
from tokviz.ui.server.visitor import PageState, Visitor, shared

DRAWN = 30  # rows; a tokenizer can have a thousand special tokens
LONGEST = 200  # characters of a text that is typed
ID_WIDTH = 110  # pixels
ROW_BYTES = 1_000  # of memory, that a row of the table takes at most


@dataclass
class EditedRow:
    """A row of the table. number: distinguishes its widgets from those of the other rows. fresh: nothing was typed in
    it yet.
    """

    number: int
    row: SpecialRow
    fresh: bool = False

    @property
    def typable(self) -> bool:
        """Whether a field of one line can hold its text."""
        return self.row.text.isprintable()

    @property
    def text(self) -> str:
        """Its text as the field shows it."""
        return self.row.text if self.typable else python_text(self.row.text)

    @text.setter
    def text(self, typed: str) -> None:
        if typed != self.text:
            self.row, self.fresh = self.row._replace(text=typed), False

    @property
    def id(self) -> str:
        """Its id as the field shows it."""
        return self.row.id

    @id.setter
    def id(self, typed: str) -> None:
        if typed != self.id:
            self.row, self.fresh = self.row._replace(id=typed), False


@dataclass
class SpecialEdit:
    """The table of one tokenizer. base: the rows that the tokenizer has. rows: those that the visitor made of them."""

    base: list[SpecialRow]
    rows: list[EditedRow]
    added: int

    @property
    def now(self) -> list[SpecialRow]:
        return [edited.row for edited in self.rows]

    @property
    def changed(self) -> bool:
        return sorted(self.now) != sorted(self.base)


@dataclass(eq=False)
class SpecialEdits(PageState):
    """The tables that a visitor edits, by the key of the entry. made: the key of the tokenizer that a change made."""

    edits: dict[str, SpecialEdit] = field(default_factory=dict)
    made: str | None = None

    @property
    def n_bytes(self) -> int:
        return ROW_BYTES * sum(len(edit.base) + len(edit.rows) for edit in [*self.edits.values()])

    def of(self, key: str, tokenizer: Tokenizer) -> SpecialEdit:
        """The table of this tokenizer. It begins anew if the tokenizer is another one than before."""
        base = rows_of(tokenizer)
        if key not in self.edits or self.edits[key].base != base:
            self.edits[key] = SpecialEdit(base, [EditedRow(n, row) for n, row in enumerate(base)], len(base))
        return self.edits[key]


def special_table(me: Visitor, entry: Entry, tokenizer: Tokenizer) -> None:
    """Draw the table, and the buttons that save it."""
    state = me.state(SpecialEdits)
    edit = state.of(entry.key, tokenizer)
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.subheader("Special tokens", anchor=False, width="content")
        st.caption(f"The next free id is {free_id(tokenizer, edit.now):,}", width="content")
    if tokenizer.added_tokens:
        n = count_of(len(tokenizer.added_tokens), "added token")
        st.caption(f"It also has {n}, cut out of every text, which stay as they are. The first ones with their ids:")
        first = islice(tokenizer.added_tokens.items(), DRAWN)
        st.text(", ".join(f"{python_text(text[:LONGEST])} {id}" for text, id in first))
    if state.made == entry.key and not edit.changed:
        note("good", f"“{entry.name}” has the change.", "The original is as it was.", key="library.special.made")
    found = faults(tokenizer, edit.now)
    rows = [
        row for row in zip(edit.rows, found, strict=True) if row[0].number < DRAWN or row[0].number >= len(edit.base)
    ]
    with st.container(gap="xsmall"):
        if rows:
            with st.container(horizontal=True, key="library-special-row-head", gap="small"):
                st.caption("Text")
                st.caption("Id", width=ID_WIDTH + 60)
        else:
            st.markdown(":gray[It has no special tokens.]")
        for place, (edited, fault) in enumerate(rows, 1):
            _row(me, entry.key, edited, fault, place)
    if len(rows) < len(edit.rows):
        st.caption(f"{count_of(len(edit.rows) - len(rows), 'more special token')}, kept as they are.")
    _buttons(me, entry, tokenizer, edit, ready=edit.changed and not any(found))


def _row(me: Visitor, key: str, edited: EditedRow, fault: str, place: int) -> None:
    name = f"library.special.{key}.{edited.number}"
    with st.container(horizontal=True, key=f"library-special-row-{place}", gap="small", vertical_alignment="center"):
        st.text_input(
            f"Text of special token {place}",
            max_chars=LONGEST if len(edited.row.text) <= LONGEST else None,
            label_visibility="collapsed",
            placeholder="Text, such as <|user|>",
            disabled=not edited.typable,
            **bind(f"{name}.text", "text", edited),
        )
        st.text_input(
            f"Id of special token {place}",
            max_chars=14,
            label_visibility="collapsed",
            width=ID_WIDTH,
            **bind(f"{name}.id", "id", edited),
        )
        st.button("×", key=f"{name}.drop", help=f"Remove special token {place}", on_click=_drop, args=(me, key, edited))
    if fault and not (edited.fresh and not edited.row.text):
        st.markdown(f":small[:red[× {plain(fault)}]]")


def _drop(me: Visitor, key: str, edited: EditedRow) -> None:
    edit = me.state(SpecialEdits).edits.get(key)
    if edit:  # it may be gone, by another tab
        edit.rows = [row for row in edit.rows if row is not edited]


def _add(tokenizer: Tokenizer, edit: SpecialEdit) -> None:
    edit.rows = [*edit.rows, EditedRow(edit.added, SpecialRow("", str(free_id(tokenizer, edit.now))), fresh=True)]
    edit.added += 1


def _discard(me: Visitor, key: str) -> None:
    me.state(SpecialEdits).edits.pop(key, None)


def _buttons(me: Visitor, entry: Entry, tokenizer: Tokenizer, edit: SpecialEdit, *, ready: bool) -> None:
    place = "library.special"
    with st.container(horizontal=True):
        st.button("Add a special token", key=f"{place}.add", on_click=_add, args=(tokenizer, edit))
        save = (me, place, _save, me, entry, edit.rows)
        st.button("**Save the change**", key=f"{place}.save", disabled=not ready, on_click=pressed, args=save)
        if entry.saved and not shared():
            question = (me, entry, edit.rows)
            st.button("Replace the saved one", key=f"{place}.replace", disabled=not ready, on_click=_ask, args=question)
        if edit.changed:
            st.button("Discard it", key=f"{place}.discard", on_click=_discard, args=(me, entry.key))
    say_trouble(me, place)
    what = "Saving makes a new tokenizer of yours. The original stays as it is."
    if entry.saved and shared():
        what += " On this server, saved tokenizers are not changed."
    st.caption(what)


def _changed(me: Visitor, entry: Entry, rows: list[EditedRow]) -> Tokenizer:
    """The tokenizer with the special tokens that this tab shows. InputError if a row is wrong."""
    tokenizer, typed = opened_with_merges(me, entry), [as_shown(edited).row for edited in rows]
    for fault in filter(None, faults(tokenizer, typed)):
        raise InputError("Nothing is saved.", fault)
    return tokenizer.with_special_tokens(special_tokens_in(typed))


def _save(me: Visitor, entry: Entry, rows: list[EditedRow]) -> None:
    changed, name = _changed(me, entry, rows), me.free_name(entry.name)
    of_corpus = entry.mine.corpus_name if entry.mine else ""
    mine = me.add(name, changed.renamed(name), _training(entry, changed.renamed(name)), corpus_name=of_corpus)
    state = me.state(SpecialEdits)
    state.edits.pop(entry.key, None)
    state.made = mine.key
    link.go_to(mine.sha256)


def _training(entry: Entry, changed: Tokenizer) -> Training | None:
    """The training of the original, if its corpus is read the same with the changed special tokens."""
    training = entry.mine.training if entry.mine else None
    if training is None or not set(training.tokenizer.special_tokens) <= set(changed.special_tokens):
        return None
    return replace(training, tokenizer=changed)


def _ask(me: Visitor, entry: Entry, rows: list[EditedRow]) -> None:
    what = f"The file of “{entry.name}” is written again with the changed special tokens. The ids of texts that hold "
    what += "special tokens change with them."
    do = partial(pressed, me, "library.special", _replace, me, entry, rows)
    ask(f"Replace “{entry.name}”?", what, "Replace it", do)


def _replace(me: Visitor, entry: Entry, rows: list[EditedRow]) -> None:
    saved.replace(_changed(me, entry, rows), entry.saved or "")
    for mine in me.trained:
        mine.saved_as = None if mine.saved_as == entry.saved else mine.saved_as  # it is open as it was before
    me.state(SpecialEdits).edits.pop(entry.key, None)
    me.state(SpecialEdits).made = None
