"""Lists all tokens of a tokenizer as columns: id, bytes, rank, length, kind, script.

A *kind* is one of KINDS. Each token has exactly one, the first of these that fits:

    special            a special or added token, or a token without bytes
    byte               one byte
    incomplete UTF-8   bytes that are no whole characters
    word start         white space first, and a letter in it; for a peer also what its package puts a space before
    inside a word      any other token with a letter
    digits             no letter, but a number
    white space        nothing else
    punctuation        the rest: punctuation and symbols

The *script* of a token is that of its first character that is of one script. Digits, punctuation and emoji are of none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.vocabulary.texts import script_names
from tokviz.vocabulary.use import Counts, TokenUse

TokenKind = Literal[
    "byte", "word start", "inside a word", "digits", "punctuation", "white space", "incomplete UTF-8", "special"
]
KINDS: tuple[TokenKind, ...] = get_args(TokenKind)
NOT_UTF8, NO_LETTERS, ANOTHER = "part of a character", "no letters", "another script"
LONGEST = 17  # bytes; longer tokens are counted together with those of this length

_LETTER, _SPACE, _NUMBER = 1, 2, 4  # bits of the class of a character
_CLASSES = {_LETTER: r"[\p{L}\p{M}]", _SPACE: r"\s", _NUMBER: r"\p{N}"}
_NO_SCRIPT = r"[\p{Script=Common}\p{Script=Inherited}\p{Script=Unknown}]"

Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class TokenTable:
    """Holds the tokens by ascending id. A *place* is an index into the columns.

    ids, ranks, lengths: int32; the rank is -1 where no merge made the token; the length is in bytes.
    data, ends: the bytes of all tokens, one after the other, and where each ends.
    folded, folded_ends: the same for their texts in small letters, as `str.casefold` has them, in UTF-8.
    kinds, scripts: uint8, indices into KINDS and into script_names, which has the script of most tokens first.
    counted_at: int64, the index of each token in the counts of a `TokenUse`; -1 where it has none.
    """

    ids: Ints
    data: Bytes
    ends: NDArray[np.int64]
    folded: Bytes
    folded_ends: NDArray[np.int64]
    ranks: Ints
    lengths: Ints
    kinds: Bytes
    scripts: Bytes
    script_names: tuple[str, ...]
    counted_at: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ids)

    def token(self, place: int) -> bytes:
        """Return the bytes of the token in this place."""
        end = int(self.ends[place])
        return self.data[end - int(self.lengths[place]) : end].tobytes()

    def text(self, place: int) -> str:
        """Return the text of the token in this place, with U+FFFD for bytes that are no whole characters."""
        return self.token(place).decode("utf-8", "replace")

    @cached_property
    def text_ranks(self) -> NDArray[np.int64]:
        """The place of each text among all that differ, in the order of their small letters; equal texts have one."""
        folded, ends = self.folded.tobytes(), self.folded_ends.tolist()
        texts = [folded[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        rank_of = {text: rank for rank, text in enumerate(sorted(set(texts)))}
        return np.array([rank_of[text] for text in texts], np.int64)

    def place_of(self, id: int) -> int | None:
        """Find the place of the token with this id; None if no token has it."""
        place = int(np.searchsorted(self.ids, id))
        return place if place < len(self) and self.ids[place] == id else None

    def use(self, use: TokenUse) -> Counts:
        """Return int64: how often each token remains in what the use was counted in."""
        counts = np.append(use.remain, 0)[self.counted_at]
        here = np.fromiter((id for id in use.whole if self.place_of(id) is not None), np.int64)
        counts[np.searchsorted(self.ids, here)] += np.array([use.whole[id] for id in here.tolist()], np.int64)
        return counts


def token_table(tokenizer: AnyTokenizer) -> TokenTable:
    """Make the table of a tokenizer's tokens.

    >>> import tokviz
    >>> table = token_table(tokviz.train("so so so", vocab_size=258, special_tokens=["<s>"]).tokenizer)
    >>> [(int(table.ids[i]), table.token(i), KINDS[table.kinds[i]]) for i in (32, 256, 257, 258)]
    [(32, b' ', 'byte'), (256, b'so', 'inside a word'), (257, b' so', 'word start'), (258, b'<s>', 'special')]
    """
    ids = np.array(sorted(tokenizer.vocab), np.int32)
    tokens = [tokenizer.vocab[id] for id in ids.tolist()]
    lengths = np.array([len(token) for token in tokens], np.int32)
    texts = [token.decode("utf-8", "replace") for token in tokens]
    folded = [text.casefold().encode() for text in texts]
    whole = np.array([text.encode() == token for text, token in zip(texts, tokens, strict=True)], np.bool_)
    ranks = np.full(len(ids), -1, np.int32)
    ranks[np.searchsorted(ids, tokenizer.merge_ids)] = np.arange(len(tokenizer.merge_ids))
    counted_at = np.where(ranks < 0, -1, 256 + ranks.astype(np.int64))
    if not tokenizer.has_merges:
        apart = np.isin(ids, np.array(sorted(tokenizer.apart), np.int32))
    else:
        apart = np.zeros(len(ids), np.bool_)
        there = np.flatnonzero(tokenizer.alphabet >= 0)
        counted_at[np.searchsorted(ids, tokenizer.alphabet[there])] = there
        ranks[np.isin(ids, np.array([*tokenizer.lookups.values()], np.int32))] = -1
    special = np.isin(ids, np.array(sorted(tokenizer.cut_ids), np.int32)) | (lengths == 0)
    characters = _Characters(texts)
    scripts, names = characters.scripts(whole)
    return TokenTable(
        ids=ids,
        data=np.frombuffer(b"".join(tokens), np.uint8),
        ends=np.cumsum(lengths, dtype=np.int64),
        folded=np.frombuffer(b"".join(folded), np.uint8),
        folded_ends=np.cumsum([len(text) for text in folded], dtype=np.int64),
        ranks=ranks,
        lengths=lengths,
        kinds=characters.kinds(special, lengths == 1, whole, apart),
        scripts=scripts,
        script_names=names,
        counted_at=counted_at,
    )


class _Characters:
    """Classifies the characters of all texts, one after the other."""

    def __init__(self, texts: Sequence[str]) -> None:
        joined = "".join(texts)
        self.points = np.frombuffer(joined.encode("utf-32-le"), "<u4")
        self.sizes = np.array([len(text) for text in texts], np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        there = np.zeros(0x110000, np.bool_)
        there[self.points] = True
        self.distinct = "".join(map(chr, np.flatnonzero(there).tolist()))

    def kinds(self, special: Any, byte: Any, whole: Any, apart: Any) -> Bytes:
        """Find the kind of each text."""
        classes = np.zeros(0x110000, np.uint8)
        for bit, pattern in _CLASSES.items():
            found = regex.findall(pattern, self.distinct)
            classes[[ord(character) for character in found]] |= bit
        each = classes[self.points]
        letter, space, number = ((each & bit) > 0 for bit in _CLASSES)
        begins = np.append(space, False)[self.starts] & (self.sizes > 0)
        has_letter = self._any(letter)
        found_kinds: Mapping[TokenKind, Any] = {
            "special": special,
            "byte": byte,
            "incomplete UTF-8": ~whole,
            "word start": has_letter & (begins | apart),
            "inside a word": has_letter,
            "digits": self._any(number),
            "white space": ~self._any(~space),
        }
        numbers = [KINDS.index(kind) for kind in found_kinds]
        return np.select([*found_kinds.values()], numbers, KINDS.index("punctuation")).astype(np.uint8)

    def scripts(self, whole: Any) -> tuple[Bytes, tuple[str, ...]]:
        """Find the script of each text as a number, and the names that belong to these numbers."""
        names = [NO_LETTERS, NOT_UTF8, ANOTHER, *script_names()]
        rest, numbers = self.distinct, np.zeros(0x110000, np.uint8)
        searched = [(0, _NO_SCRIPT), *((names.index(name), f"\\p{{Script={name}}}") for name in script_names())]
        for number, pattern in searched:
            found = regex.findall(f"{pattern}+", rest)
            if found:
                numbers[[ord(character) for character in "".join(found)]] = number
                rest = regex.sub(pattern, "", rest)
        numbers[[ord(character) for character in rest]] = names.index(ANOTHER)
        each = numbers[self.points]
        of_a_script = np.append(np.flatnonzero(each), len(each))
        first = of_a_script[np.searchsorted(of_a_script, self.starts)]
        inside = first < self.starts + self.sizes
        found_scripts = np.where(inside, np.append(each, 0)[first], 0)
        found_scripts[~whole] = names.index(NOT_UTF8)
        often = np.bincount(found_scripts, minlength=len(names))
        order = np.argsort(-often, kind="stable")[: np.count_nonzero(often)]
        renumbered = np.zeros(len(names), np.uint8)
        renumbered[order] = np.arange(len(order))
        return renumbered[found_scripts], tuple(names[number] for number in order.tolist())

    def _any(self, characters: Any) -> NDArray[np.bool_]:
        """Tell for each text whether any of these characters is in it."""
        before = np.append(0, np.cumsum(characters))
        found: NDArray[np.bool_] = before[self.starts + self.sizes] > before[self.starts]
        return found
