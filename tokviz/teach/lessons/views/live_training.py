"""Trains on a corpus that the learner writes, and shows the merges, at each key."""

from __future__ import annotations

from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Input, Shown
from tokviz.training.rules import Tie
from tokviz.training.train import train


def show(
    *,
    text: Input[str],
    vocab_size: int,
    pattern: str = "none",
    tie: Tie = "first",
    min_count: int = 1,
    word: str = "",
    typing: bool = True,
) -> Shown:
    """Train on `text` and show the merges. word: a text that is encoded with them and shown below the corpus.

    Facts: `bytes`, `merges`, `tokens` (of the corpus after all merges), `word`, `word_tokens`.

    >>> show(text="aab aab ab", vocab_size=258, word="aab").facts
    {'bytes': 10, 'merges': 2, 'tokens': 5, 'word': 'aab', 'word_tokens': 1}
    """
    text = checked_text(text)
    training = train(text, vocab_size, pattern=pattern, tie=tie, min_count=min_count)
    tokenizer = training.tokenizer
    encoded = tokenizer.explain(word)
    facts: dict[str, Fact] = {
        "bytes": training.n_bytes,
        "merges": len(training.merges),
        "tokens": training.tokens_at(len(training.merges)),
        "word": word,
        "word_tokens": len(encoded),
    }
    data = {
        **facts,
        "text": text,
        "typing": typing,
        "encoding": training.window(0, training.n_bytes),
        "word_encoding": encoded,
        "rows": [
            {"left": tokenizer.vocab[merge.left], "right": tokenizer.vocab[merge.right], "count": merge.count}
            for merge in training.merges
        ],
        "none": f"No pair occurs {min_count} times yet. Write on." if min_count > 1 else "No pair yet. Write on.",
    }
    return Shown("live-training", data, facts, training)
