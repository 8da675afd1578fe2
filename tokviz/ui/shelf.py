"""The library on a page: saved tokenizers and model files. Train can save, open and delete; Tokens can open."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from tokviz import library
from tokviz.errors import TokvizError
from tokviz.formats.tokviz import load
from tokviz.tokenizer import Tokenizer
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.visitors.visitor import Mine, Visitor, shared
from tokviz.ui.work import training as trainings


def shelf(me: Visitor, mine: Mine | None) -> None:
    """Draw the library: save a tokenizer, open or delete a saved one, open a file.

    mine: the tokenizer to save; None if there is none. A server with several visitors neither saves nor deletes.
    """
    st.subheader("Library", anchor=False)
    if mine and not shared():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.text_input("Save it as", value=mine.name, key=f"train.name.{mine.key}")
            st.button("Save", on_click=pressed, args=(me, _save, mine, name))
        if mine.saved_as:
            st.caption(f"Saved as **{plain(mine.saved_as)}**.")
    open_one(me, "train", delete=not shared())


def open_one(me: Visitor, page: str, *, delete: bool = False) -> None:
    """Draw the fields that open a saved tokenizer or a model file as one of the visitor's own.

    page: goes into the widgets' keys. delete: whether saved tokenizers can be deleted. The last error is shown below.
    """
    saved = library.names()
    if saved:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = st.selectbox("Saved tokenizers", saved, key=f"{page}.saved")
            st.button("Open it", on_click=pressed, args=(me, _open_saved, me, name), key=f"{page}.open")
            if delete:
                st.button("Delete it", on_click=pressed, args=(me, library.delete, name), key=f"{page}.delete")
    key = f"{page}.model.{len(me.trained)}"
    st.file_uploader(
        "Open a tokviz model file", type=["json"], key=key, on_change=pressed, args=(me, _open_file, me, key)
    )
    if me.trouble:
        say(me.trouble, key=f"{page}.trouble")


def _save(mine: Mine, name: str) -> None:
    mine.saved_as = library.save(mine.tokenizer, name)


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


def pressed(me: Visitor, do: Callable[..., None], *args: object) -> None:
    """Do what a button asks for. A TokvizError goes to `me.trouble`, and the page shows it when it is drawn again."""
    me.trouble = None
    try:
        do(*args)
    except TokvizError as fault:
        me.trouble = fault.without_frames()
