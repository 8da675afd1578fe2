"""Upload text files: draw the uploader, say what is wrong with a file, and replace its unreadable bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import streamlit as st

from tokviz.errors import InputError, TokvizError
from tokviz.text import Text, read_text
from tokviz.ui.frame.say import say
from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.visitors.registry import why_no_room
from tokviz.ui.visitors.weight import weigh
from tokviz.wording import count_of, tidy_name

FILE_MB = 100  # of each file; the same limit is in `.streamlit/config.toml`
FILE_LIMIT = FILE_MB * 1_048_576  # the same in bytes


class Uploaded(Protocol):
    """What is needed of Streamlit's uploaded file. size: in bytes."""

    @property
    def name(self) -> str: ...
    @property
    def size(self) -> int: ...
    def getvalue(self) -> bytes: ...


@dataclass
class Uploads:
    """The state of one uploader. faults: of the files uploaded last. emptied: how often it was emptied."""

    faults: list[TokvizError] = field(default_factory=list)
    emptied: int = 0

    def empty(self) -> None:
        """Empty the uploader, and forget its faults."""
        self.faults, self.emptied = [], self.emptied + 1


@dataclass(frozen=True)
class _Uploader:
    """An uploader that is drawn: what its callback needs."""

    uploads: Uploads
    files: str
    repair: str
    take: Callable[[list[Text]], None]
    kept: Callable[[], Sequence[Text]]
    always_repair: bool


def uploader(
    uploads: Uploads,
    label: str,
    key: str,
    take: Callable[[list[Text]], None],
    *,
    kept: Callable[[], Sequence[Text]] = tuple,
    always_repair: bool = False,
) -> None:
    """Draw the uploader of text files, and below it what was wrong with them.

    take: called with the texts that could be read. If every file failed, it is not called, and the texts that were
    taken before stay; the page should say so. kept: gives those texts. key: goes into the widgets' keys. always_repair:
    replace bytes that are not UTF-8 without asking.
    """
    files, repair = f"{key}.files.{uploads.emptied}", f"{key}.repair.{uploads.emptied}"
    here = _Uploader(uploads, files, repair, take, kept, always_repair)
    st.file_uploader(
        label,
        accept_multiple_files=True,
        max_upload_size=FILE_MB,
        key=files,
        on_change=_take,
        args=(here,),
    )
    for fault in uploads.faults:
        say(fault)
    if any(isinstance(fault, InputError) and fault.offset is not None for fault in uploads.faults):
        st.checkbox("Replace unreadable bytes with \ufffd", key=repair, on_change=_take, args=(here,))


def named(texts: Sequence[Text]) -> str:
    """The texts in a few words: the name of the first, and how many more there are."""
    more = f" and {len(texts) - 1:,} more" if len(texts) > 1 else ""
    return f"{texts[0].name}{more}" if texts else ""


def repairs(text: Text) -> str:
    """What was replaced in a text, in words; "" if nothing was."""
    return f"unreadable bytes replaced in {count_of(text.repaired, 'place')}" if text.repaired else ""


def _take(here: _Uploader) -> None:
    faults_replaced = here.always_repair or bool(widget_value(here.repair))
    texts, here.uploads.faults = read_files(widget_value(here.files) or [], faults_replaced)
    why = why_no_room(weigh(texts) - weigh(here.kept())) if texts else ""
    if why:
        here.uploads.empty()
        here.uploads.faults = [InputError(f"{named(texts)} cannot be kept.", why)]
    elif texts or not here.uploads.faults:
        here.take(texts)


def read_files(files: Iterable[Uploaded], repair: bool = False) -> tuple[list[Text], list[TokvizError]]:
    """The texts of the files that can be read, and an error for each other file.

    repair: replace bytes that are not UTF-8 by U+FFFD.
    """
    texts: list[Text] = []
    faults: list[TokvizError] = []
    for file in files:
        try:
            texts.append(_read(file, repair))
        except TokvizError as fault:
            faults.append(fault.without_frames())
    return texts, faults


def _read(file: Uploaded, repair: bool) -> Text:
    name = tidy_name(file.name)
    if file.size > FILE_LIMIT:
        what = f"{name} has {file.size:,} bytes, and the limit is {FILE_MB} MB."
        raise InputError(what, "Choose a shorter file.")
    text = read_text(file.getvalue(), name, repair=repair)
    if not text.n_bytes:
        raise InputError(f"{name} is empty.", "Choose a file with text in it.")
    return text
