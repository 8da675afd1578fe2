"""Which words of a file cost more tokens than before, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tokviz.boundary_reasons import ReasonKind
from tokviz.cli.git import Revision
from tokviz.comparison import Comparison, compare
from tokviz.errors import TokvizError
from tokviz.reason_sentences import sentence
from tokviz.text import read_text
from tokviz.tokenizer import Tokenizer
from tokviz.word_costs import SPACE, WordChange, pieces_of, word_changes, word_costs

WORDS_SHOWN = 10
LARGEST = 4_000_000  # characters of a text whose words are looked at
_WHY: dict[ReasonKind | None, str] = {
    "split": "the split pattern cuts it",
    "absent": "no token is the whole word",
    "taken": "an earlier merge takes a part of it",
    "unreachable": "its token is never made",
}


class Place(NamedTuple):
    """Where a file lies: in a folder, and there in a commit of git, None if there is none."""

    folder: Path
    path: str
    at: Revision | None


@dataclass(frozen=True, slots=True)
class Word:
    """A word that costs more. pieces: its tokens at its first place. why: phrases. reason: of Compare, a sentence."""

    change: WordChange
    pieces: tuple[bytes, ...]
    why: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Explained:
    """The words of a file that cost more. rest: the tokens that all else needs more. note: what is not known."""

    path: str
    tokenizer: str
    words: tuple[Word, ...]
    rest: int
    note: str | None


def explained(place: Place, n_before: int | None, before: Tokenizer | None, now: Tokenizer, name: str) -> Explained:
    """The words of a file that cost more than before.

    n_before: the tokens of the old text, by which it is known; None if the file is new. before: the old tokenizer, None
    if it is not known. name: of the tokenizer.
    """
    text = _text((place.folder / place.path).read_bytes()) or ""
    if before is None:
        return Explained(place.path, name, (), 0, "The old tokenizer is not in git, so the words cannot be compared.")
    old = "" if n_before is None else _old_text(place, n_before, before)
    note = None
    if old is None and before is now:
        note = "git does not have the text that was counted before, so the words cannot be compared."
        if place.at is not None and place.at.cut_off:
            note += " This clone lacks older commits; `git fetch --unshallow` brings them."
        return Explained(place.path, name, (), 0, note)
    if old is None:
        old, note = text, "git does not have the old text, so both tokenizers are compared on the new one."
    if max(len(old), len(text)) > LARGEST:
        return Explained(place.path, name, (), 0, "The file is too large to compare its words.")
    changes = word_changes(word_costs(old, before), word_costs(text, now))
    compared = None if before is now else compare(text, [before, now])
    first = [change for change in changes[:WORDS_SHOWN] if change.more > 0]
    words = tuple(_word(change, text, now, compared, name) for change in first)
    return Explained(place.path, name, words, sum(change.more for change in changes[len(first) :]), note)


def _old_text(place: Place, n_before: int, before: Tokenizer) -> str | None:
    """The text that was counted for the baseline; None if git does not have it."""
    data = None if place.at is None else place.at.file(place.path)
    text = None if data is None else _text(data)
    return text if text is not None and len(before.encode_array(text)) == n_before else None


def _text(data: bytes) -> str | None:
    try:
        return read_text(data).text
    except TokvizError:
        return None


def _word(change: WordChange, text: str, now: Tokenizer, compared: Comparison | None, name: str) -> Word:
    if change.word == SPACE:
        return Word(change, (), (), None)
    before, after = change.before, change.after
    pieces, kind = pieces_of(text, now, after)
    if not before.times:
        why = ["new"]
    elif after.times > before.times:
        why = ["more often"]
    else:
        why = [] if compared else ["cut otherwise beside other characters"]
    reason = None
    if compared is not None:
        reason = _reason(compared, after.start, after.end, name)
    if reason is None and kind is not None:
        why.append(_WHY[kind])
    return Word(change, tuple(pieces), tuple(why), reason)


def _reason(compared: Comparison, start: int, end: int, name: str) -> str | None:
    """Why the new tokenizer has a boundary inside a token of the old one, in these bytes; None if it has none."""
    names = [f"{name} before", f"{name} now"]
    ends = compared.encodings[0].ends
    first = int(np.searchsorted(ends, start, side="right"))  # the old token over the first of these bytes
    for found in compared.differences(int(ends[first - 1]) if first else 0, end):
        if found.a == 0:
            return sentence(found.reasons[0], found, names, compared.tokenizers[1])
    return None
