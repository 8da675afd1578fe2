"""Shows how Unigram chooses: the best cuts of a word, each with the sum of its tokens' log probabilities."""

from __future__ import annotations

import heapq

from tokviz.base.blocks import Chip, Field, Line, Mark, Table
from tokviz.base.sentences import Strong
from tokviz.base.wording import rounded
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.kinds import unigram_scores
from tokviz.teach.lessons.shown import Fact, Shown, view
from tokviz.teach.lessons.trained import lesson_corpus

LIMIT = 40  # characters of the text; only its first word is cut
BEST = 4

ScoredCut = tuple[float, tuple[str, ...]]


def best_cuts(word: str, scores: dict[str, float], most: int = BEST) -> list[ScoredCut]:
    """Find the cuts of a word into tokens with the highest sums, the best first. Empty if no tokens make the word.

    >>> best_cuts("aab", {"a": -1.0, "b": -1.0, "ab": -1.5, "aa": -3.0})
    [(-2.5, ('a', 'ab')), (-3.0, ('a', 'a', 'b')), (-4.0, ('aa', 'b'))]
    """
    best: list[list[ScoredCut]] = [[(0.0, ())]]
    for end in range(1, len(word) + 1):
        found = [
            (total + scores[word[start:end]], (*tokens, word[start:end]))
            for start in range(end)
            if word[start:end] in scores
            for total, tokens in best[start]
        ]
        best.append(heapq.nlargest(most, found, key=lambda cut: cut[0]))
    return best[-1]


@view("text")
def unigram(*, text: str, corpus: str, vocab_size: int) -> Shown:
    """Show the best cuts of a word, before which a space is put, as in a text. corpus, vocab_size: of the vocabulary.

    Facts: `cuts` (how many are shown), `best` (the highest sum), `tokens` (of this cut).

    >>> unigram(text="aab", corpus="aab aab ab", vocab_size=20).facts["cuts"] > 0
    True
    """
    word = (checked_text(text).split() or [""])[0][:LIMIT]
    scores = unigram_scores(lesson_corpus(corpus), vocab_size)
    found = best_cuts("▁" + word, scores) if word else []
    rows = [
        [
            f"{i}." if i > 1 else Mark("good", "chosen"),
            [Chip(token.replace("▁", " ").encode(), rounded(scores[token], 1), under=True) for token in cut],
            Strong(rounded(total, 1)),
        ]
        for i, (total, cut) in enumerate(found, 1)
    ]
    facts: dict[str, Fact] = {"cuts": len(found)}
    if found:
        facts |= {"best": found[0][0], "tokens": len(found[0][1])}
    none = "No tokens of the vocabulary make this word." if word else "Type a word."
    return Shown(facts, [Field("text", text, "Word"), Table([], rows) if rows else Line([none], "quiet")])
