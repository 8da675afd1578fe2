"""Showing errors as notes, each in the part of the page where it happened, and text of people inside labels."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from streamlit.errors import StreamlitDuplicateElementKey

from tokviz.base.blocks import Note, Tone
from tokviz.base.errors import TokvizError
from tokviz.offline.data import data_of
from tokviz.ui.kit.served import component

_log = logging.getLogger(__name__)
_note = component("note", "frame/note.js", "kit/blocks.css")


def note(tone: Tone, what: str, way_out: str = "", *, key: str | None = None) -> None:
    """Show what happened in bold, and after it the way out. Both are plain text: nothing in them is markup.

    Buttons for the way out go below the note. Without a `key`, the note gets the first number that is free in this run:
    a page can show the same words twice.
    """
    for number in count(1):
        try:
            _note(key=key or f"note.{number}", data={"blocks": data_of([Note(tone, what, way_out)])})
        except StreamlitDuplicateElementKey:
            if key:
                raise
        else:
            return


@contextmanager
def part() -> Iterator[None]:
    """A part of a page: `with part(): draw(me)`. An error in it is shown in its place, and the rest is drawn."""
    try:
        yield
    except TokvizError as fault:
        say(fault)
    except Exception as error:
        _log.exception("a part of a page failed")
        say(error)


def say(error: Exception) -> None:
    """Show an error as a note. A TokvizError shows its own message; any other error shows a general one."""
    if isinstance(error, TokvizError):
        note("bad", error.what, error.way_out)
    else:
        note(
            "bad",
            "This part of the page failed. That is a fault of tokviz itself.",
            "What you typed and trained is kept. Reload the page; if it fails again, the server's log says where.",
        )


_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Streamlit replaces these after Markdown is read, where a backslash no longer helps: emoji and icon names, addresses
# that become links, arrows and comparisons. A word joiner, which takes no room and breaks no line, keeps them apart.
_NAMES = re.compile(r":(?=[\w+-])|(?<=https):(?=/)|(?<=http):(?=/)|www(?=\.)|@(?=\w)", re.IGNORECASE)
_ARROWS = re.compile(r"(?<=[-<>~])(?=[-=>])")
_SPACES = re.compile(r"[^\S\u00a0]+")  # but for the space in "5 %", at which no line may break
_JOINER = "\u2060"


def plain(text: str) -> str:
    r"""Text for a label, a title or Markdown, escaped so that it shows as itself, on one line.

    For names that people gave. Long text, and text to copy, belongs in a component, st.text or st.code.

    >>> plain("*mine* [a](b) $1")
    '\\*mine\\* \\[a\\]\\(b\\) \\$1'
    """
    line = _SPACES.sub(" ", text.strip())
    text = _ARROWS.sub(_JOINER, _NAMES.sub(lambda found: found[0] + _JOINER, line))
    return _PUNCTUATION.sub(r"\\\1", text)
