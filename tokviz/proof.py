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
from tokviz.errors import InputError, UnknownIdError
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
        raise InputError("The encoding is of another text.", "Encode this text, and prove that.")
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


@dataclass(frozen=True, slots=True)
class Check:
    """One claim about an encoding, whether it holds, and how that was checked; None where it cannot be."""

    claim: str
    holds: bool | None
    how: str


def checks(tokenizer: Tokenizer, text: str, encoding: Encoding) -> list[Check]:
    """What can be proved about `encoding`, which is `tokenizer.explain(text, ...)`, each proof on its own.

    InputError where the encoding is of another text.

    >>> from tokviz import reference
    >>> gpt2 = reference("gpt2")
    >>> [(check.claim, check.holds) for check in checks(gpt2, "live proof", gpt2.explain("live proof"))]
    [('bytes round-trip', True), ('tokens tile the text', True), ('same ids as tiktoken', True)]
    """
    verdict = proof(tokenizer, text, encoding)
    return [_round_trip(tokenizer, encoding), _tiling(tokenizer, encoding), _judged(verdict, len(encoding))]


def _round_trip(tokenizer: Tokenizer, encoding: Encoding) -> Check:
    claim, size = "bytes round-trip", len(encoding.data)
    if np.any(encoding.ids < 0):
        return Check(claim, None, "Some bytes of the text belong to no token, so ids alone cannot give them back.")
    try:
        back = tokenizer.decode_bytes(encoding.ids.tolist())
    except UnknownIdError as fault:
        return Check(claim, False, str(fault))
    if back == encoding.data:
        return Check(
            claim, True, f"Each id was looked up in the vocabulary. Together they give the {size:,} bytes back."
        )
    same = next((i for i, (a, b) in enumerate(zip(back, encoding.data, strict=False)) if a != b), min(len(back), size))
    return Check(claim, False, f"The ids give {len(back):,} bytes for {size:,}, and differ from byte {same:,} on.")


def _tiling(tokenizer: Tokenizer, encoding: Encoding) -> Check:
    claim, vocab, at = "tokens tile the text", tokenizer.vocab, 0
    for id, end in zip(encoding.ids.tolist(), encoding.ends.tolist(), strict=True):
        if end <= at or (id >= 0 and encoding.data[at:end] != vocab.get(id)):
            return Check(claim, False, f"The token at byte {at:,} has not the bytes of its id, {id}.")
        at = end
    if at != len(encoding.data):
        return Check(claim, False, f"The last token ends at byte {at:,} of {len(encoding.data):,}.")
    many = f"{len(encoding):,} {'token follows' if len(encoding) == 1 else 'tokens follow'} one another"
    return Check(claim, True, f"{many} from byte 0 to byte {at:,}, no gap, no overlap, each with the bytes of its id.")


def _judged(verdict: Proof, tokens: int) -> Check:
    claim, judge = "same ids as tiktoken", f"tiktoken {tiktoken.__version__}"
    if verdict.agrees is None:
        return Check(
            claim, None, f"{judge} cannot judge: the split pattern is a custom one, or the text is more than it takes."
        )
    had = f"{judge} had the same vocabulary and split pattern, and encoded the same text by itself"
    if verdict.agrees:
        return Check(claim, True, f"{had}: {tokens:,} {'id' if tokens == 1 else 'ids'}, all equal.")
    return Check(claim, False, f"{had}: the ids differ from byte {verdict.at:,} on.")


def _build(tokenizer: Tokenizer) -> tiktoken.Encoding | None:
    if tokenizer.pattern not in PATTERNS or np.any(np.diff(tokenizer.merge_ids) < 0):
        return None
    vocab = tokenizer.vocab
    try:
        return tiktoken.Encoding(
            tokenizer.name,
            pat_str=PATTERNS[tokenizer.pattern].regex or EVERYTHING,
            mergeable_ranks={vocab[id]: id for ids in (tokenizer.alphabet, tokenizer.merge_ids) for id in ids.tolist()},
            special_tokens=dict(tokenizer.special_tokens),
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
