"""The live proof: does tiktoken itself, given the same vocabulary, come to the same ids on the text in view?

A *witness* is tiktoken's own encoder, built from a tokenizer's vocabulary and named pattern. It shares no code with
tokviz: its merging and its regex engine are its own. tiktoken merges by ids, so it can stand for a tokenizer only if
the ids rise with the ranks, and its engine reads custom patterns otherwise than the `regex` package does.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import tiktoken
from numpy.typing import NDArray

from tokviz.encoding import Encoding
from tokviz.errors import InputError
from tokviz.split import PATTERNS
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer

EVERYTHING = r"(?s:.+)"  # the pattern "none" in tiktoken's words: all of a text is one piece

_witnesses: WeakKeyDictionary[Tokenizer, tiktoken.Encoding | None] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether tiktoken gives the same ids; if not, the byte offset from which on they differ.

    `agrees` is None where tiktoken cannot judge: a custom pattern, ids that do not rise with the ranks, or a text it
    refuses, such as a million spaces in a row.
    """

    agrees: bool | None
    at: int | None = None


def witness(tokenizer: Tokenizer) -> tiktoken.Encoding | None:
    """tiktoken's encoder with this tokenizer's vocabulary, special tokens and named pattern; None if it can have none.

    Built once for each tokenizer, in a third of a second for the largest, and forgotten with it.

    >>> from tokviz import reference
    >>> witness(reference("gpt2")).encode("live proof")
    [12583, 6617]
    """
    if tokenizer not in _witnesses:
        _witnesses[tokenizer] = _build(tokenizer)
    return _witnesses[tokenizer]


def proof(tokenizer: Tokenizer, text: str, encoding: Encoding) -> Proof:
    """Has `encoding`, which is `tokenizer.explain(text, ...)`, the ids that tiktoken gives to this text?

    Special tokens that are one token in the encoding are so for tiktoken too; all others are text to both. InputError
    where the encoding is of another text.

    >>> from tokviz import Tokenizer, reference
    >>> gpt2 = reference("gpt2")
    >>> proof(gpt2, "live proof", gpt2.explain("live proof"))
    Proof(agrees=True, at=None)
    >>> forged = Tokenizer("forged", [(97, 98)], pattern="none")
    >>> proof(gpt2, "a cab", forged.explain("a cab"))
    Proof(agrees=False, at=0)
    """
    if encoding.data != clean(text).encode():
        raise InputError("The encoding is of another text. Encode this text, and prove that.")
    judge = witness(tokenizer)
    if judge is None:
        return Proof(None)
    in_view = set(encoding.whole.values())
    theirs = _ids(judge, text, {token for token, id in tokenizer.special_tokens.items() if id in in_view})
    if theirs is None:
        return Proof(None)
    ours = encoding.ids
    if np.array_equal(ours, theirs):
        return Proof(True)
    same = min(len(ours), len(theirs))
    apart = np.flatnonzero(ours[:same] != theirs[:same])
    place = int(apart[0]) if len(apart) else same
    return Proof(False, int(encoding.ends[place - 1]) if place else 0)


def _build(tokenizer: Tokenizer) -> tiktoken.Encoding | None:
    if tokenizer.pattern not in PATTERNS or np.any(np.diff(tokenizer.merge_ids) < 0):
        return None
    vocab = tokenizer.vocab
    try:
        return tiktoken.Encoding(
            tokenizer.name,
            pat_str=PATTERNS[tokenizer.pattern].regex or EVERYTHING,
            mergeable_ranks={vocab[id]: id for ids in (tokenizer.alphabet, tokenizer.merge_ids) for id in ids.tolist()},
            special_tokens=tokenizer.special_tokens,
        )
    except ValueError:  # its regex engine has a limit of size, which all special tokens together could pass
        return None


def _ids(judge: tiktoken.Encoding, text: str, specials: set[str]) -> NDArray[np.int64] | None:
    """tiktoken's ids, or None where it gives up."""
    try:
        return np.array(judge.encode(text, allowed_special=specials, disallowed_special=()), np.int64)
    except ValueError:  # a run of white space too long for its regex engine
        return None
    except BaseException as fault:  # a panic of its Rust code is no Exception, and its class cannot be imported
        if type(fault).__name__ != "PanicException":
            raise
        return None
