"""What the words of a text cost in tokens, and which of them cost more than before.

A *word* is a run of characters between white space, as in `tokviz.metrics`. A token belongs to the word that its first
character other than white space belongs to, so ` the` belongs to `the`. The tokens of white space alone belong to no
word. So the tokens of all words and of white space together are exactly the tokens of the text.

Two states of a text, under one tokenizer or two, are compared word by word, wherever the words stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import regex

from tokviz.boundary_reasons import ReasonKind
from tokviz.encoding import SPLIT
from tokviz.tokenizer import Tokenizer

SPACE = ""  # stands for the tokens of white space alone
_WORD = regex.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class WordCost:
    """A word of a text. times: how often it occurs. tokens: how many all its places need together.

    start, end: the bytes of the tokens at its first place; the first token may begin with the space before it.
    """

    times: int
    tokens: int
    start: int
    end: int


NOWHERE = WordCost(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class WordChange:
    """A word before and after. SPACE stands for white space, of which only the tokens are counted."""

    word: str
    before: WordCost
    after: WordCost

    @property
    def more(self) -> int:
        """How many tokens more the text needs because of this word; below 0, fewer."""
        return self.after.tokens - self.before.tokens


def word_costs(text: str, tokenizer: Tokenizer) -> dict[str, WordCost]:
    """What each word of a text costs, in the order of first places; special tokens are read as text.

    >>> from tokviz import reference
    >>> found = word_costs("unhug a hug, unhug it", reference("gpt2"))
    >>> found["unhug"]
    WordCost(times=2, tokens=5, start=0, end=5)
    >>> sum(cost.tokens for cost in found.values()) == len(reference("gpt2").encode("unhug a hug, unhug it"))
    True
    """
    encoding = tokenizer.explain(text)
    ends = encoding.ends
    starts = np.append(0, ends)[:-1]
    words, bounds = _words(encoding.data.decode())
    # the first word that ends behind the beginning of a token; none does in white space at the end of the text
    word_of = np.searchsorted(bounds[:, 1], starts, side="right")
    of_space = np.append(bounds[:, 0], len(encoding.data))[word_of] >= ends
    tokens = np.bincount(word_of[~of_space], minlength=len(words)).tolist()
    firsts = np.searchsorted(starts, bounds[:, 0], side="right") - 1
    lasts = np.searchsorted(starts, bounds[:, 1], side="left") - 1
    found: dict[str, WordCost] = {}
    for number, word in enumerate(words):
        seen = found.get(word)
        if seen is None:
            place = int(starts[firsts[number]]), int(ends[lasts[number]])
            found[word] = WordCost(1, tokens[number], *place)
        else:
            found[word] = WordCost(seen.times + 1, seen.tokens + tokens[number], seen.start, seen.end)
    if of_space.any():
        found[SPACE] = WordCost(0, int(of_space.sum()), 0, 0)
    return found


def _words(text: str) -> tuple[list[str], np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
    """The words of a text, and int64[words, 2]: the bytes at which each begins and ends."""
    words, bounds, at, byte = [], [], 0, 0
    for found in _WORD.finditer(text):
        start = byte + len(text[at : found.start()].encode())
        at, byte = found.end(), start + len(found[0].encode())
        words.append(found[0])
        bounds.append((start, byte))
    return words, np.array(bounds, np.int64).reshape(-1, 2)


def word_changes(before: Mapping[str, WordCost], after: Mapping[str, WordCost]) -> list[WordChange]:
    """The words that cost more or fewer tokens than before, those that cost most more first.

    >>> from tokviz import reference
    >>> gpt2 = reference("gpt2")
    >>> changes = word_changes(word_costs("a hug", gpt2), word_costs("a big unhug unhug", gpt2))
    >>> [(change.word, change.more) for change in changes]
    [('unhug', 4), ('big', 1), ('hug', -1)]
    """
    words = dict.fromkeys([*after, *before])
    changes = [WordChange(word, before.get(word, NOWHERE), after.get(word, NOWHERE)) for word in words]
    return sorted((change for change in changes if change.more), key=lambda change: -change.more)


def pieces_of(text: str, tokenizer: Tokenizer, cost: WordCost) -> tuple[list[bytes], ReasonKind | None]:
    """The tokens at the first place of a word, and why there are several; None for one token.

    The kinds of reasons are those of `tokviz.boundary_reasons`, asked of the bytes of these tokens.

    >>> from tokviz import reference
    >>> text, gpt2 = "a hug, 12345678901 tokens", reference("gpt2")
    >>> pieces_of(text, gpt2, word_costs(text, gpt2)["hug,"])
    ([b' hug', b','], 'split')
    >>> pieces_of(text, gpt2, word_costs(text, gpt2)["12345678901"])
    ([b' 123', b'45', b'67', b'89', b'01'], 'absent')
    """
    encoding = tokenizer.explain(text)
    first, last = np.searchsorted(encoding.ends, [cost.start, cost.end], side="right").tolist()
    ends = encoding.ends[first:last].tolist()
    pieces = [encoding.data[start:end] for start, end in zip([cost.start, *ends], ends, strict=False)]
    whole = encoding.data[cost.start : cost.end]
    if len(pieces) < 2:
        return pieces, None
    if (encoding.seams[cost.start + 1 : cost.end] == SPLIT).any():
        return pieces, "split"
    if tokenizer.rank_of(whole) is None:
        return pieces, "absent"
    return pieces, "unreachable" if len(tokenizer.merged(whole)) > 1 else "taken"
