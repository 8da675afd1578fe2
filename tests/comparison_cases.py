"""Texts and tokenizers by chance that compete for the same bytes, for all tests of where tokenizers differ."""

from __future__ import annotations

import random
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

import tokviz
from tokviz import Tokenizer
from tokviz.split.specials import Specials

SAMPLES = Path(tokviz.__file__).parent / "data" / "samples"
PATTERNS = ["none", "gpt2", "cl100k", "o200k", r"\w|\W+", r"(?s)..?"]
SPECIALS = ["ab", "aa", "<s>", "b a", "é", "the", " cat", "t", "s in the ", "other"]
WORDS = ["the", "other", " cat", "s", " in", " the", " hat", ", ", "2008", "\n", "<s>"]  # specials overlap them


class Span(NamedTuple):
    """A token where it stands, in bytes."""

    start: int
    end: int
    special: bool


def spans(text: str, tok: Tokenizer, allowed: Specials) -> list[Span]:
    """What encode gives, each token where it stands."""
    ids = tok.encode(text, allowed_special=allowed, disallowed_special=())
    ends = list(accumulate(len(tok.vocab[id]) for id in ids))
    special = set(tok.special_tokens.values())
    return [Span(start, end, id in special) for start, end, id in zip([0, *ends], ends, ids, strict=False)]


class Case:
    """A text and tokenizers, by chance. Few letters, so that the same bytes come back and merges compete for them.

    The chance is Python's own: what Hypothesis draws is too often small for two tokenizers to disagree at all.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)
        self.letters = self.chance.choice([*map(list, ("ab", "ab ", "abc", "abc ", "aabb 1'sé\n👍<>")), WORDS])
        self.text = self.some_text(40)
        self.tokenizers = [self.chance.choice([self.trained, self.handmade])() for _ in range(3)]
        some = frozenset(self.chance.sample(SPECIALS, 4))
        self.allowed: Specials = self.chance.choice([frozenset(), "all", "all", some])

    def __repr__(self) -> str:
        return f"Case({self.seed})"

    def some_text(self, length: int) -> str:
        return "".join(self.chance.choices([*self.letters, "<s>"], [3] * len(self.letters) + [1], k=length))

    def pattern(self) -> str:
        return self.chance.choice(["none", self.chance.choice(PATTERNS)])

    def special_tokens(self) -> list[str]:
        return self.chance.sample(SPECIALS, self.chance.choice([0, 0, 1, 2]))

    def trained(self) -> Tokenizer:
        size = self.chance.randint(256, 290)
        corpus = self.some_text(120)
        return tokviz.train(corpus, size, pattern=self.pattern(), special_tokens=self.special_tokens()).tokenizer

    def handmade(self) -> Tokenizer:
        """Merges in learned order, but of nothing that was ever counted: some of their tokens cannot be reached."""
        made = {letter.encode(): ord(letter) for letter in "".join(self.letters) if letter.isascii()}
        merges: list[tuple[int, int]] = []
        for _ in range(self.chance.randint(0, 30)):
            left, right = self.chance.choice([*made]), self.chance.choice([*made])
            if left + right not in made and len(left + right) < 6:
                merges.append((made[left], made[right]))
                made[left + right] = 255 + len(merges)
        specials = {token: 1000 + i for i, token in enumerate(self.special_tokens())}
        return Tokenizer("handmade", merges, pattern=self.pattern(), special_tokens=specials)

    def rank_file(self) -> Tokenizer:
        """Token bytes in any order, as no merges could have made them."""
        words = {self.some_text(self.chance.randint(2, 4)).encode() for _ in range(30)}
        ids = {bytes([b]): b for b in range(256)} | {
            word: 256 + i for i, word in enumerate(self.chance.sample(sorted(words), len(words)))
        }
        return Tokenizer.from_ranks("foreign", ids, pattern=self.pattern(), special_tokens={})


CASES = st.integers(0, 2**32).map(Case)


def merges_of(text: str, *pairs: str) -> Tokenizer:
    """A tokenizer from merges written as "a b", in order; no pattern."""
    ids = {chr(b): b for b in range(128)}
    merges = []
    for pair in pairs:
        left, right = pair.split("+")
        merges.append((ids[left], ids[right]))
        ids[left + right] = 256 + len(merges) - 1
    return Tokenizer(text, merges, pattern="none")
