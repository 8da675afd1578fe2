"""The library on a page: saved tokenizers and model files. Train can save, open and delete; Tokens can open."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokviz import library
from tokviz.formats.tokviz import load
from tokviz.tokenizer import Tokenizer
from tokviz.ui.frame.buttons import ask, pressed, say_trouble
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.widgets import set_widget, widget_value
from tokviz.ui.visitors.visitor import Mine, Visitor, shared
from tokviz.ui.work import training as trainings


def shelf(me: Visitor, mine: Mine | None) -> None:
    """Draw the library: save a tokenizer, open or delete a saved one, open a file.

    mine: the tokenizer to save; None if there is none. A server with several visitors neither saves nor deletes.
    """
    st.subheader("Library", anchor=False)
    if mine and not shared():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input("Save as", value=mine.name, key=f"train.name.{mine.key}")
            st.button("Save", on_click=pressed, args=(me, "train.save", _save, mine, name))
        say_trouble(me, "train.save")
        saved_as = saved_name(mine)
        if saved_as:
            st.caption(f"Saved as **{plain(saved_as)}**.")
    open_one(me, "train", delete=not shared())


def saved_name(mine: Mine) -> str | None:
    """The name under which the library has this tokenizer; None if it was not saved, or was deleted since."""
    return mine.saved_as if mine.saved_as in library.names() else None


def open_one(me: Visitor, page: str, *, delete: bool = False) -> None:
    """Draw the fields that open a saved tokenizer or a model file as one of the visitor's own.

    page: goes into the widgets' keys. delete: whether saved tokenizers can be deleted.
    """
    saved, place = library.names(), f"{page}.open"
    if saved:
        if widget_value(f"{page}.saved") not in saved:  # at first, and when it was deleted
            set_widget(f"{page}.saved", library.latest())
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox("Saved tokenizers", saved, key=f"{page}.saved")
            st.button("Open it", on_click=pressed, args=(me, place, _open_saved, me, name), key=f"{page}.open")
            if delete:
                st.button("Delete it", on_click=_ask_to_delete, args=(me, place, name), key=f"{page}.delete")
    key = f"{page}.model.{len(me.trained)}"
    st.file_uploader(
        "Open a tokviz model file", type=["json"], key=key, on_change=pressed, args=(me, place, _open_file, me, key)
    )
    say_trouble(me, place)


def _save(mine: Mine, name: str) -> None:
    mine.saved_as = library.save(mine.tokenizer, name)
    set_widget("train.saved", mine.saved_as)


def _ask_to_delete(me: Visitor, place: str, name: str) -> None:
    what = "It is deleted from the library, and cannot be brought back."
    if any(mine.saved_as == name for mine in me.trained):
        what += " The tokenizer stays open in this session."
    ask(f"Delete “{name}”?", what, "Delete", partial(pressed, me, place, _delete, me, name))


def _delete(me: Visitor, name: str) -> None:
    library.delete(name)
    for mine in me.trained:
        mine.saved_as = None if mine.saved_as == name else mine.saved_as


def _open_saved(me: Visitor, name: str) -> None:
    _add(me, library.open_saved(name), name)


def _open_file(me: Visitor, key: str) -> None:
    file = widget_value(key)
    if file:
        _add(me, load(file.getvalue(), file.name), None)


def _add(me: Visitor, tok: Tokenizer, saved_as: str | None) -> None:
    texts = (tok.made_from or {}).get("texts")
    first = texts[0] if isinstance(texts, list) and texts else None
    mine = me.add(tok.name, tok, corpus_name=str(first.get("name", "")) if isinstance(first, dict) else "")
    mine.saved_as = saved_as
    work = trainings.of(me)
    if work and work.done.is_set() and (work.kept or not work.training):  # nothing is left to keep
        trainings.forget(me)
