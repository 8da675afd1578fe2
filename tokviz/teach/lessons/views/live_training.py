"""Trains on a corpus that the learner writes, and shows the merges, at each key."""

from __future__ import annotations

from tokviz.base.blocks import Block, Field, Group, List, Merge, Quiet, Tokens
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, view
from tokviz.training.train import train


@view("text")
def live_training(
    *,
    text: str,
    vocab_size: int,
    min_count: int = 1,
    word: str = "",
) -> Shown:
    """Train on `text` and show the merges. word: a text that is encoded with them and shown below the corpus.

    Facts: `bytes`, `merges`, `tokens` (of the corpus after all merges), `word`, `word_tokens` and the first two of
    them, `first` and `second`; `occurs` (how often the corpus has the word), `outside` (bytes outside of these), and
    `smallest`: bytes of the smallest corpus that makes the word one token. The last merge joins two parts of the word,
    and only if they are neighbours `min_count` times. Each of these places is a whole word, and no two of them overlap
    if no beginning of the word is its end. So this corpus has the word `min_count` times, and nothing else.

    >>> facts = live_training(text="aab aab ab", vocab_size=258, word="aab").facts
    >>> facts["merges"], facts["tokens"], facts["word_tokens"], facts["occurs"], facts["outside"], facts["smallest"]
    (2, 5, 1, 2, 4, 3)
    """
    text = checked_text(text)
    training = train(text, vocab_size, pattern="none", min_count=min_count)
    tokenizer = training.tokenizer
    encoded = tokenizer.explain(word)
    parts, occurs = [token.data for token in encoded.tokens()], text.count(word) if word else 0
    left = training.tokens_at(len(training.merges))
    facts: dict[str, Fact] = {
        "bytes": training.n_bytes,
        "merges": len(training.merges),
        "tokens": left,
        "word": word.encode(),
        "word_tokens": len(encoded),
        "occurs": occurs,
        "outside": training.n_bytes - occurs * len(word.encode()),
        "smallest": min_count * len(word.encode()),
    }
    facts |= dict(zip(("first", "second"), parts, strict=False))
    merges = [
        [Merge(tokenizer.vocab[merge.left], tokenizer.vocab[merge.right]), Quiet(f"{merge.count:,} times")]
        for merge in training.merges
    ]
    head = [Strong(count_of(left, "token")), Quiet(count_of(training.n_bytes, "byte"))]
    drawn: list[Block] = [Tokens(training.window(0, training.n_bytes), "The corpus in tokens", head)]
    if word:
        head = [Strong(f"“{word}”"), Quiet(count_of(len(encoded), "token"))]
        drawn.append(Tokens(encoded, "The word in tokens", head))
    none = f"No pair occurs {min_count} times yet. Write more." if min_count > 1 else "No pair yet. Write more."
    ladder = List(merges, count_of(len(merges), "merge"), numbered=True, none=none, framed=True)
    return Shown(facts, [Field("text", text, "Corpus", 1), Group([Group(drawn, 1), ladder])], training)
