"""Shows a text as words, characters and tokens, one below the other. All three vocabularies come from one corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise

import numpy as np

from tokviz.base.blocks import Block, Mark, Quiet, Tokens
from tokviz.base.sentences import Strong
from tokviz.base.wording import capital, count_of
from tokviz.split.cutting import cut
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, typed, view
from tokviz.teach.lessons.trained import lesson_corpus, lesson_training
from tokviz.tokenizer.encoding import SPLIT, WHOLE, Encoding


@cache
def vocabularies_of(corpus: str) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Number the words and the characters of a corpus in the order of the alphabet. A word is a chunk of the pattern
    gpt2 without the space before it."""
    text = lesson_corpus(corpus)
    return _numbered(map(_bare, _chunks(text))), _numbered(text)


@view("text")
def units(*, text: str, corpus: str = "sample:story", vocab_size: int = 1024, typing: bool = False) -> Shown:
    """Show a text in three units. corpus: what the three vocabularies come from. vocab_size: how many tokens.

    Facts: `bytes`, `words`, `characters`, `tokens` (how many pieces the text is), `words_unknown` and
    `characters_unknown` (how many of these the corpus does not have), `words_known`, `characters_known` and
    `tokens_known` (how many the vocabulary has); and if there is a text, `per_word` and `per_token` (characters) and
    `tokens_per_character`.

    >>> facts = units(text="the dragon").facts
    >>> facts["words"], facts["words_unknown"], facts["characters"], facts["characters_unknown"]
    (2, 1, 10, 0)
    """
    text = checked_text(text)
    words, characters = vocabularies_of(corpus)
    tokenizer = lesson_training(corpus, vocab_size, "gpt2").tokenizer
    by_word = [(word, words.get(_bare(word))) for word in _chunks(text)]
    by_character = [(character, characters.get(character)) for character in text]
    encoding = tokenizer.explain(text)
    facts: dict[str, Fact] = {
        "bytes": len(text.encode()),
        "words": len(by_word),
        "characters": len(text),
        "tokens": len(encoding),
        "words_unknown": sum(id is None for _, id in by_word),
        "characters_unknown": sum(id is None for _, id in by_character),
        "words_known": len(words),
        "characters_known": len(characters),
        "tokens_known": tokenizer.vocab_size,
    }
    if text:
        facts |= {
            "per_word": len(text) / len(by_word),
            "per_token": len(text) / len(encoding),
            "tokens_per_character": len(encoding) / len(text),
        }
    rows: list[Block] = []
    for unit, drawn in ("word", _encoding(by_word)), ("character", _encoding(by_character)), ("token", encoding):
        unknown = int(facts.get(f"{unit}s_unknown", 0))
        head = [
            Strong(capital(f"{unit}s")),
            Quiet(count_of(len(drawn.tokens()), "piece")),
            Mark("warn", f"{unknown:,} unknown") if unknown else Quiet("none unknown"),
            Quiet(f"vocabulary: {count_of(int(facts[f'{unit}s_known']), unit)}"),
        ]
        rows.append(Tokens(drawn, f"The text as {unit}s", head))
    return Shown(facts, [*typed(text, typing, lines=1), *rows])


def _chunks(text: str) -> list[str]:
    data, ends = text.encode(), cut(text, "gpt2").tolist()
    return [data[start:end].decode() for start, end in pairwise([0, *ends])]


def _bare(word: str) -> str:
    """Strip a word of the space before it; white space itself stays."""
    return word.strip() or word


def _numbered(pieces: Iterable[str]) -> Mapping[str, int]:
    return {piece: id for id, piece in enumerate(sorted(set(pieces)))}


def _encoding(pieces: Iterable[tuple[str, int | None]]) -> Encoding:
    """Join pieces that no merge makes in an encoding. Those without an id are in no vocabulary."""
    data = b""
    seams: list[int] = []
    whole: dict[int, int | None] = {}
    for piece, id in pieces:
        whole[len(data)] = id
        encoded = piece.encode()
        data += encoded
        seams += [SPLIT] + [WHOLE] * (len(encoded) - 1)
    return Encoding(data, np.array(seams, np.int32), whole=whole)
