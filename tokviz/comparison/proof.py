"""Compares the ids that a tokenizer gives to a text with those of tiktoken for the same vocabulary: the live proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import tiktoken
from numpy.typing import NDArray

from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.formats.witness import witness
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import AnyTokenizer


@dataclass(frozen=True, slots=True)
class Proof:
    """Says whether tiktoken gives the same ids and, if not, at which byte offset the first difference is.

    `agrees` is None if tiktoken cannot judge: for a custom pattern, for ids that do not rise with the ranks, or for a
    text that it refuses, such as a million spaces in a row.
    """

    agrees: bool | None
    at: int | None = None


def proof(
    tokenizer: AnyTokenizer, text: str, encoding: Encoding, judge: tiktoken.Encoding | Literal["new"] | None = "new"
) -> Proof:
    """Compare the ids of `encoding`, which is `tokenizer.explain(text, ...)`, with those tiktoken gives to the text.

    tiktoken reads the same special and added tokens as one token as the encoding does, and all others as text.
    judge: the tokenizer's witness, None if it can have none; "new" makes one for this call. InputError if the encoding
    is of another text.

    >>> from tokviz import Tokenizer, reference
    >>> gpt2 = reference("gpt2")
    >>> proof(gpt2, "live proof", gpt2.explain("live proof"))
    Proof(agrees=True, at=None)
    >>> forged = Tokenizer("forged", [(97, 98)], pattern="none")
    >>> proof(gpt2, "a cab", forged.explain("a cab"))
    Proof(agrees=False, at=0)
    """
    if encoding.typed is None and encoding.data != clean(text).encode():
        raise InputError("The encoding is of another text.", "Encode this text, and pass that encoding.")
    if isinstance(judge, str):
        judge = witness(tokenizer) if tokenizer.has_merges else None
    if judge is None:
        return Proof(None)
    in_view = set(encoding.whole.values())
    theirs = _ids(judge, text, {token for token, id in tokenizer.cut_tokens.items() if id in in_view})
    if theirs is None:
        return Proof(None)
    place = differs_at(encoding, theirs)
    return Proof(place is None, place)


def differs_at(encoding: Encoding, ids: NDArray[np.int64]) -> int | None:
    """Find the byte at which the first token begins that has another id in `ids`; None if all ids are equal.

    >>> from tokviz import Tokenizer
    >>> differs_at(Tokenizer("bytes", []).explain("abc"), np.array([97, 99]))
    1
    """
    has_token = encoding.ids >= 0
    ours = encoding.ids[has_token]
    if np.array_equal(ours, ids):
        return None
    same = min(len(ours), len(ids))
    apart = np.flatnonzero(ours[:same] != ids[:same])
    place = int(apart[0]) if len(apart) else same
    return int(encoding.ends[has_token][place - 1]) if place else 0


def _ids(judge: tiktoken.Encoding, text: str, specials: set[str]) -> NDArray[np.int64] | None:
    """Return tiktoken's ids, or None if it gives up."""
    try:
        return np.array(judge.encode(text, allowed_special=specials, disallowed_special=()), np.int64)
    except ValueError:  # a run of white space too long for its regex engine
        return None
    except BaseException as fault:  # a panic of its Rust code: not an Exception, and its class cannot be imported
        if type(fault).__name__ != "PanicException":
            raise
        return None
