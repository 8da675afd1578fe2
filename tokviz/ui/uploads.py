"""Upload text files: draw the uploader, show what was wrong with a file, and read it with its faults replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import streamlit as st

from tokviz.errors import InputError, TokvizError
from tokviz.text import Text, read_text
from tokviz.ui.frame.say import say
from tokviz.ui.frame.widgets import widget_value

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


def uploader(
    uploads: Uploads, label: str, key: str, take: Callable[[list[Text]], None], *, always_repair: bool = False
) -> None:
    """Draw the uploader of text files, and below it what was wrong with them.

    take: called with the texts that could be read. If every file failed, it is not called and the earlier texts stay.
    key: goes into the widgets' keys. always_repair: replace bytes that are not UTF-8 without asking.
    """
    files, repair = f"{key}.files.{uploads.emptied}", f"{key}.repair.{uploads.emptied}"
    args = (uploads, files, repair, take, always_repair)
    st.file_uploader(
        f"{label}, up to {FILE_MB} MB each",
        accept_multiple_files=True,
        max_upload_size=FILE_MB,
        key=files,
        on_change=_take,
        args=args,
    )
    for number, fault in enumerate(uploads.faults):
        say(fault, key=f"{key}.upload.fault.{number}")
    if any(isinstance(fault, InputError) and fault.offset is not None for fault in uploads.faults):
        st.checkbox("Read it with the faults replaced by U+FFFD", key=repair, on_change=_take, args=args)


def _take(uploads: Uploads, files: str, repair: str, take: Callable[[list[Text]], None], always_repair: bool) -> None:
    faults_replaced = always_repair or bool(widget_value(repair))
    texts, uploads.faults = read_files(widget_value(files) or [], faults_replaced)
    if texts or not uploads.faults:
        take(texts)


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
    if file.size > FILE_LIMIT:
        what = f"{file.name} has {file.size:,} bytes, and the limit is {FILE_MB} MB."
        raise InputError(what, "Choose a shorter file.")
    text = read_text(file.getvalue(), file.name, repair=repair)
    if not text.n_bytes:
        raise InputError(f"{file.name} is empty.", "Choose a file with text in it.")
    return text
