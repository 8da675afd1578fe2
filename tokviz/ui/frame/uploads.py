"""Upload text files: draw the uploader, say what is wrong with a file, and replace its unreadable bytes.

Streamlit keeps the bytes of every file that an uploader shows. Once a file's text is kept, they are let go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.text import Text, read_text
from tokviz.base.wording import count_of, tidy_name
from tokviz.corpus.counts_file import HEAD, is_counts
from tokviz.ui.frame.say import say
from tokviz.ui.frame.widgets import bind, kept_in_session, widget_value
from tokviz.ui.server import limits
from tokviz.ui.server.registry import why_no_room
from tokviz.ui.server.sizes import size as bytes_of

SAID = 5  # faults that are drawn; of more, only the number is shown


@dataclass
class Uploads:
    """The state of one uploader.

    texts: of the files that it shows and that could be read, by the ids that Streamlit gave them. faults: of the files
    uploaded last. emptied: how often it was emptied. repair: whether bytes that are not UTF-8 are replaced.
    """

    texts: Mapping[str, Text] = field(default_factory=dict)
    faults: list[TokvizError] = field(default_factory=list)
    emptied: int = 0
    repair: bool = False

    def empty(self) -> None:
        """Empty the uploader, and forget its faults."""
        self.texts, self.faults, self.repair, self.emptied = {}, [], False, self.emptied + 1


def uploader(
    uploads: Uploads, label: str, key: str, take: Callable[[list[Text]], None], *, always_repair: bool = False
) -> None:
    """Draw the uploader of text files, and below it what was wrong with them.

    take: called with the texts that could be read. If every file failed, it is not called, and the texts that were
    taken before stay; the page should say so. key: goes into the widgets' keys. always_repair: replace bytes that are
    not UTF-8 without asking.
    """
    files = f"{key}.files.{uploads.emptied}"
    here = (uploads, files, take, always_repair)
    file_uploader(label, files, _take, *here)
    for fault in uploads.faults[:SAID]:
        say(fault)
    if len(uploads.faults) > SAID:
        st.caption(f"{count_of(len(uploads.faults) - SAID, 'more file')} cannot be read either.")
    if any(isinstance(fault, InputError) and fault.offset is not None for fault in uploads.faults):
        bound = bind(f"{key}.repair.{uploads.emptied}", "repair", uploads, then=partial(_take, *here))
        st.checkbox("Replace unreadable bytes with \ufffd", **bound)


def file_uploader(label: str, files: str, on_change: Callable[..., None], *args: object) -> None:
    """Draw Streamlit's uploader of files under the key `files`. on_change: called with args when they change."""
    st.file_uploader(
        label,
        accept_multiple_files=True,
        max_upload_size=limits.FILE_MB,
        key=files,
        on_change=_changed,
        args=(files, on_change, *args),
    )
    if not _ids(files) <= kept_in_session(files).get("seen", frozenset()):
        # They came with the first run of a session, as after a restart of the server: Streamlit knew no callback then.
        _changed(files, on_change, *args)
        st.rerun()


def _changed(files: str, on_change: Callable[..., None], *args: object) -> None:
    kept_in_session(files)["seen"] = _ids(files)
    on_change(*args)


def _ids(files: str) -> frozenset[str]:
    return frozenset(file.file_id for file in uploaded(files))


def named(texts: Sequence[Text] | Sequence[UploadedFile]) -> str:
    """The texts in a few words: the name of the first, and how many more there are."""
    more = f" and {len(texts) - 1:,} more" if len(texts) > 1 else ""
    return f"{tidy_name(texts[0].name)}{more}" if texts else ""


def repairs(text: Text) -> str:
    """What was replaced in a text, in words; "" if nothing was."""
    return f"unreadable bytes replaced in {count_of(text.repaired, 'place')}" if text.repaired else ""


def uploaded(key: str) -> list[UploadedFile]:
    """The files that an uploader shows and whose bytes are here."""
    return [file for file in widget_value(key) or () if isinstance(file, UploadedFile)]


def too_much(number: int, size: int) -> str:
    """Why this number of files, or of bytes, is too much for one corpus, and the way out; "" if it is not.

    >>> too_much(10_000, 0)
    'That makes 10,000 files, and 1,000 are the limit. Join short files, or choose fewer.'
    """
    if number > limits.CORPUS_FILES:
        most = f"{limits.CORPUS_FILES:,} are the limit"
        return f"That makes {number:,} files, and {most}. Join short files, or choose fewer."
    if size > limits.CORPUS_MB * limits.MB:
        mb = f"{limits.CORPUS_MB:,} MB are the limit for all files together"
        return f"That makes {size:,} bytes, and {mb}. Choose fewer or shorter files."
    return ""


def let_go(files: Iterable[UploadedFile]) -> None:
    """Take the bytes of these files out of Streamlit's memory. The uploader goes on showing them."""
    context = get_script_run_ctx()
    for file in files:
        if context:
            manager: Any = context.uploaded_file_mgr  # its protocol names less than it has
            manager.remove_file(context.session_id, file.file_id)
        file.seek(0)
        file.truncate()


def _take(uploads: Uploads, key: str, take: Callable[[list[Text]], None], always_repair: bool) -> None:
    shown: list[UploadedFile | DeletedFile] = widget_value(key) or []
    texts = {file.file_id: uploads.texts[file.file_id] for file in shown if file.file_id in uploads.texts}
    fresh = [file for file in uploaded(key) if file.file_id not in texts]
    size, kept = sum(file.size for file in fresh), sum(text.n_bytes for text in texts.values())
    why = (too_much(len(shown), size + kept) or why_no_room(size)) if fresh else ""  # to take a file out takes no room
    read, uploads.faults = ({}, []) if why else read_files(fresh, always_repair or uploads.repair)
    texts |= read
    why = why or (why_no_room(bytes_of(texts) - bytes_of(dict(uploads.texts))) if read else "")
    let_go(fresh if why else [file for file in fresh if file.file_id in read])
    if why:
        uploads.empty()
        uploads.faults = [InputError(f"{named(fresh)} cannot be kept.", why)]
    elif texts or not shown:
        uploads.texts = texts
        take([texts[file.file_id] for file in shown if file.file_id in texts])


def read_files(files: Iterable[UploadedFile], repair: bool = False) -> tuple[dict[str, Text], list[TokvizError]]:
    """The texts of the files that can be read, by the ids of the files, and an error for each other file.

    repair: replace bytes that are not UTF-8 by U+FFFD.
    """
    texts: dict[str, Text] = {}
    faults: list[TokvizError] = []
    for file in files:
        try:
            texts[file.file_id] = _read(file, repair)
        except TokvizError as fault:
            faults.append(fault.without_frames())
    return texts, faults


def _read(file: UploadedFile, repair: bool) -> Text:
    name = tidy_name(file.name)
    if file.size > limits.FILE_MB * 1_048_576:
        what = f"{name} has {file.size:,} bytes, and the limit is {limits.FILE_MB} MB."
        raise InputError(what, "Choose a shorter file.")
    data = file.getvalue()
    if is_counts(data[:HEAD]):
        raise InputError(
            f"{name} holds chunk counts, not text.",
            "Train on it in a terminal (tokviz train). Then open the tokenizer on the Library page.",
        )
    text = read_text(data, name, repair=repair)
    if not text.n_bytes:
        raise InputError(f"{name} is empty.", "Choose a file with text in it.")
    return text
