"""Chooses the hues of tokens, wherever they are drawn without JavaScript: two neighbours on a line can be told apart.

A token has the same hue everywhere, unless it is beside one that it would clash with. `ui/tokenview/hues.js` chooses
by the same rules; a test compares the two. The colours are those of `data/palette.json`.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np

from tokviz.base.data import DATA
from tokviz.tokenizer.encoding import Encoding


@functools.cache
def palette() -> dict[str, Any]:
    """Read the palette in tokviz/data/palette.json. All callers share one dict: do not change it."""
    colours: dict[str, Any] = json.loads((DATA / "palette.json").read_text("utf-8"))
    return colours


def hues(encoding: Encoding, before: int | None = None) -> list[int]:
    """Choose the hue of each token, as `lineHues` in `ui/tokenview/hues.js` does.

    before: int, the hue on the left of the first token; None if there is none.

    >>> from tokviz import reference
    >>> hues(reference("gpt2").explain("the the the"))
    [3, 5, 1]
    """
    line_ends = np.flatnonzero(np.frombuffer(encoding.data, np.uint8) == ord("\n"))
    # how many lines end before each token begins; a token that begins a line has no neighbour on its left
    lines = np.searchsorted(line_ends, encoding.starts).tolist()
    found: list[int] = []
    start, line = 0, 0
    for end, its_line in zip(encoding.ends.tolist(), lines, strict=True):
        before = choose(home(encoding.data[start:end]), before if its_line == line else None)
        found.append(before)
        start, line = end, its_line
    return found


@functools.lru_cache(1 << 16)
def home(token: bytes) -> int:
    """Compute the hue of a token unless it clashes with its neighbour's: FNV-1a of its bytes, mixed once, modulo 7."""
    mask = 0xFFFFFFFF
    h = 0x811C9DC5
    for byte in token:
        h = (h ^ byte) * 0x01000193 & mask
    h = (h ^ h >> 16) * 0x45D9F3B & mask
    return (h ^ h >> 16) % 7


def choose(home_hue: int, before: int | None) -> int:
    """Return the home hue, or the next in turn that does not clash with the hue on the left (None: there is none)."""
    clashes = () if before is None else palette()["clashes"][before]
    turns: list[int] = [(home_hue + turn) % 7 for turn in palette()["fallback_turns"]]
    return next(hue for hue in turns if hue not in clashes)  # the palette leaves one in every case
