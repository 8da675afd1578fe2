"""Shows the pairs of a small corpus, each with a bar for how often it occurs."""

from __future__ import annotations

from tokviz.base.blocks import Bar, List, Merge, Tokens
from tokviz.base.wording import count_of, times
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, typed, view
from tokviz.training.train import train

CORPUS_LIMIT = 500  # characters
DRAWN = 8  # pairs


@view("text")
def pairs(*, text: str, typing: bool = False) -> Shown:
    """Show the pairs of a corpus, `text`, before the first merge.

    Facts: `characters`, `bytes`, `tokens`, `pairs` (places where two tokens are neighbours), `different` (pairs),
    `most` (how often the most frequent occurs), `tied` (how many pairs occur as often), and, if there is a pair, of the
    one that merges next `left`, `right` and `places` (where it merges; fewer than `most` if its places overlap).

    >>> facts = pairs(text="aaab").facts
    >>> facts["pairs"], facts["most"], facts["left"], facts["right"], facts["places"]
    (3, 2, b'a', b'a', 1)
    """
    text = checked_text(text, CORPUS_LIMIT)
    training = train(text, 257, pattern="none")
    pairs = training.candidates(0, training.n_bytes)
    vocab = training.tokenizer.vocab
    most = pairs[0].count if pairs else 0
    facts: dict[str, Fact] = {
        "characters": len(text),
        "bytes": training.n_bytes,
        "tokens": training.tokens_at(0),
        "pairs": sum(pair.count for pair in pairs),
        "different": len(pairs),
        "most": most,
        "tied": sum(pair.count == most for pair in pairs),
    }
    if pairs:
        facts |= {
            "left": vocab[pairs[0].left],
            "right": vocab[pairs[0].right],
            "places": training.merges[0].replaced,
        }
    corpus = Tokens(training.window(0, training.n_bytes).at(0), "The corpus in tokens", home=True)
    bars = [
        [Merge(vocab[pair.left], vocab[pair.right], made=False), Bar(pair.count / most, times(pair.count))]
        for pair in pairs[:DRAWN]
    ]
    rest = f"and {count_of(len(pairs) - DRAWN, 'pair')} more" if len(pairs) > DRAWN else ""
    pairs_now = List(bars, none="No pair yet. Write at least two letters.", foot=rest, across=2)
    return Shown(facts, [*typed(text, typing, "Corpus", 1), corpus, pairs_now], training)
