"""Finds tokens that were born in one corpus and never occur in another: what glitch tokens are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokviz.base.blocks import Block, Chip, Chips, Choice, Field, Group, Line
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of, times, visible
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Chosen, Fact, Shown, view
from tokviz.tokenizer.peers import with_merges
from tokviz.training.train import train
from tokviz.vocabulary.odd import never_used
from tokviz.vocabulary.use import use_in_text, use_in_training

LIMIT = 5_000  # characters of a corpus
MOST = 12  # tokens that are listed


@view("born", "seen", "vocabulary")
def glitch(
    *,
    born: str,
    seen: str,
    vocab_size: int = 320,
    vocabulary: str = "small",
    own: Sequence[Chosen] = (),
) -> Shown:
    """Show tokens from `born`, the corpus of the vocabulary, that never occur in `seen`, the corpus of the model.
    vocabulary: "own" for the learner's newest tokenizer in place of the small one, whose corpus is not known.

    Facts: `tokens` (of merges, that occur in `born` in the end), `dead` (those of them that never occur in `seen`), and
    of the most frequent dead one `worst` and `worst_times`.

    >>> glitch(born="wow zap wow zap wow zap", seen="wow wow", vocab_size=259).facts
    {'tokens': 2, 'dead': 1, 'worst': '·z', 'worst_times': 3}
    """
    born, seen = checked_text(born, LIMIT, "The first corpus"), checked_text(seen, LIMIT, "The second corpus")
    yours = own[-1] if own else None
    if vocabulary == "own" and yours:
        tok = with_merges(yours.tokenizer)
        unused = never_used(tok, use_in_text([tok.explain(seen)], len(tok.merge_ids)))
        tokens = sorted((tok.vocab[id] for id in unused if len(tok.vocab[id]) > 1), key=lambda token: -len(token))
        found = [(token, 0) for token in tokens]
        facts: dict[str, Fact] = {"tokens": len(tok.merge_ids), "dead": len(found)}
    else:
        training = train(born, vocab_size, pattern="gpt2")
        tok = training.tokenizer
        first = use_in_training(training).remain[256:]
        then = use_in_text([tok.explain(seen)], len(tok.merge_ids)).remain[256:]
        alive, dead = first > 0, (first > 0) & (then == 0)
        order = sorted(
            np.flatnonzero(dead).tolist(), key=lambda rank: (-first[rank], -len(tok.vocab[256 + rank]), rank)
        )
        found = [(tok.vocab[256 + rank], int(first[rank])) for rank in order]
        facts = {"tokens": int(alive.sum()), "dead": len(found)}
        if found:
            facts |= {"worst": visible(found[0][0]), "worst_times": found[0][1]}
    is_own = vocabulary == "own" and yours is not None
    corpus = [] if is_own else [Field("born", born, "The vocabulary learns from", 4, titled=True)]
    blocks: list[Block] = [Group([*corpus, Field("seen", seen, "The model learns from", 4, titled=True)])]
    if yours:
        options = [("small", "This small vocabulary"), ("own", yours.title)]
        blocks.append(Choice("vocabulary", options, "own" if is_own else "small", "Vocabulary"))
    of = count_of(int(facts["tokens"]), "token")
    if found:
        said = f"{len(found):,} of {of} never occur in what the model learns from:"
    else:
        said = f"All {of} occur in what the model learns from."
    dead = [Chip(token, f"{times(n)}, then never" if n else "") for token, n in found[:MOST]]
    return Shown(facts, [*blocks, Line([Strong(said)], "live"), Chips(dead, more=max(0, len(found) - MOST))])
