"""Upload files of chunk counts: draw the uploader, join what the files hold, and say what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from streamlit.runtime.uploaded_file_manager import UploadedFile

from tokviz import limits
from tokviz.chunk_counts import ChunkCounts
from tokviz.counts_file import SUFFIX, join_named, load
from tokviz.errors import InputError, TokvizError
from tokviz.ui.uploads import Uploads, draw_uploader, named, too_much, uploaded
from tokviz.ui.visitors.registry import why_no_room
from tokviz.ui.visitors.weight import weigh
from tokviz.wording import tidy_name


class Joined(NamedTuple):
    """The counts of several files together. names: of the files, in the order of their shards."""

    names: list[str]
    counts: ChunkCounts


def count_uploader(uploads: Uploads, label: str, key: str, take: Callable[[Joined | None], None]) -> None:
    """Draw the uploader of files of counts, and below it what was wrong with them.

    take: called with the counts of all files that the uploader shows; with None if there is no file, or if they cannot
    be joined. Without one of them they would be those of another corpus. key: goes into the widget's key.
    """
    files = f"{key}.counts.{uploads.emptied}"
    draw_uploader(uploads, label, files, _take, uploads, files, take)


def _take(uploads: Uploads, files: str, take: Callable[[Joined | None], None]) -> None:
    shown, joined = uploaded(files), None
    uploads.faults = []
    if shown:
        try:
            joined = _joined(shown, uploads.faults)
        except TokvizError as fault:
            uploads.faults = [fault.without_frames()]
    take(joined)


def _joined(shown: list[UploadedFile], faults: list[TokvizError]) -> Joined | None:
    """The counts of these files together; None if some cannot be read, whose errors are added to `faults`."""
    size = sum(file.size for file in shown)
    why = too_much(len(shown), size) or why_no_room(2 * size)
    if why:
        raise InputError(f"{named(shown)} cannot be kept.", why)
    read: list[tuple[str, ChunkCounts]] = []
    for file in shown:
        try:
            read.append((tidy_name(file.name), load(file.getvalue(), tidy_name(file.name))))
        except TokvizError as fault:
            faults.append(fault.without_frames())
    if faults:
        return None
    read.sort(key=lambda one: min(one[1].shards, default=0))
    names, counts = [name for name, _ in read], join_named(read)
    if len(counts.data) > limits.CHUNKS_MB * limits.MB:
        raise InputError(
            f"The distinct chunks have {len(counts.data):,} bytes together, and {limits.CHUNKS_MB:,} MB are the limit.",
            f"Train in a terminal: tokviz train *{SUFFIX} -o mine.json. Then open that file on Library.",
        )
    if not len(counts):
        raise InputError(f"There are no chunks in {named(shown)}.", "Choose the counts of a corpus with text in it.")
    why = why_no_room(weigh([counts]))
    if why:
        raise InputError(f"{named(shown)} cannot be kept.", why)
    return Joined(names, counts)
