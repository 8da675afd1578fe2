"""Shows a text being encoded: the merges by rank, and the tokens after those that have acted."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from tokviz.base.blocks import List, Mark, Merge, Tokens
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, LessonError, Shown, view
from tokviz.teach.lessons.trained import lesson_training
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.vocabulary.fired import fired

MERGES = 40  # that are listed

Pair = tuple[bytes, bytes]


class Encoded(NamedTuple):
    """Holds what the task next-merge works on. ranks: of the merges that act in the text, in this order."""

    tokenizer: Tokenizer
    encoding: Encoding
    ranks: list[int]

    def after(self, done: int) -> Encoding:
        """Return the tokens after `done` of these merges."""
        return self.encoding.at(self.ranks[done]) if done < len(self.ranks) else self.encoding

    def pairs(self, done: int) -> dict[Pair, int | None]:
        """Find the pairs in the text then, from left to right: pair -> rank of its merge, None if it has none."""
        return {
            (left.data, right.data): self.tokenizer.rank_of_pair(left.data, right.data)
            for left, right in pairwise(self.after(done).tokens())
            if left.chunk == right.chunk
        }


@view()
def encode_steps(
    *,
    text: str,
    corpus: str,
    vocab_size: int,
    done: int = 0,
) -> Shown:
    """Show a text after `done` of the merges that act in it. corpus, vocab_size: the tokenizer.

    Facts: `bytes`, `tokens` (now), `acting` (how many merges act in the text), `final` (tokens in the end).

    >>> encode_steps(text="the cat", corpus="the cat in the hat sat on the mat.", vocab_size=262).facts
    {'bytes': 7, 'tokens': 7, 'acting': 4, 'final': 3}
    """
    text = checked_text(text, 500)
    tokenizer = lesson_training(corpus, vocab_size).tokenizer
    encoding = tokenizer.explain(text)
    encoded = Encoded(tokenizer, encoding, [each.rank for each in fired(encoding)])
    if not 0 <= done <= len(encoded.ranks):
        raise LessonError(f"{len(encoded.ranks)} merges act in the text, and not {done}.")
    now = encoded.after(done)
    facts: dict[str, Fact] = {
        "bytes": len(encoding.data),
        "tokens": len(now),
        "acting": len(encoded.ranks),
        "final": len(encoding),
    }
    vocab = tokenizer.vocab
    acted = set(encoded.ranks[:done])
    ranks = [
        [Merge(vocab[left], vocab[right]), *([Mark("good", "")] if rank in acted else [])]
        for rank, (left, right) in enumerate(tokenizer.merges[:MERGES])
    ]
    text_now = Tokens(now, "The text in tokens", [Strong(count_of(len(now), "token"))])
    merges = List(ranks, "The merges, in their order", numbered=True, across=3)
    return Shown(facts, [text_now, merges], encoded)
