"""Finds tokens that were born in one corpus and never occur in another: what glitch tokens are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokviz.base.wording import visible
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Chosen, Fact, Input, Shown
from tokviz.tokenizer.peers import with_merges
from tokviz.training.train import train
from tokviz.vocabulary.odd import never_used
from tokviz.vocabulary.use import use_in_text, use_in_training

LIMIT = 5_000  # characters of a corpus
MOST = 12  # tokens that are listed


def show(
    *,
    born: Input[str],
    seen: Input[str],
    vocab_size: int = 320,
    pattern: str = "gpt2",
    mine: Input[bool] = False,
    own: Sequence[Chosen] = (),
) -> Shown:
    """Show tokens from `born`, the corpus of the vocabulary, that never occur in `seen`, the corpus of the model. mine:
    whether the learner's newest tokenizer replaces the small vocabulary; the corpus of its birth is not known.

    Facts: `tokens` (of merges, that occur in `born` in the end), `dead` (those of them that never occur in `seen`), and
    of the most frequent dead one `worst` and `worst_times`.

    >>> show(born="wow zap wow zap wow zap", seen="wow wow", vocab_size=259).facts
    {'tokens': 2, 'dead': 1, 'worst': '·z', 'worst_times': 3}
    """
    born, seen = checked_text(born, LIMIT, "The first corpus"), checked_text(seen, LIMIT, "The second corpus")
    yours = own[-1] if own else None
    if mine is True and yours:
        tok = with_merges(yours.tokenizer)
        unused = never_used(tok, use_in_text([tok.explain(seen)], len(tok.merge_ids)))
        tokens = sorted((tok.vocab[id] for id in unused if len(tok.vocab[id]) > 1), key=lambda token: -len(token))
        found = [(token, 0) for token in tokens]
        facts: dict[str, Fact] = {"tokens": len(tok.merge_ids), "dead": len(found)}
    else:
        training = train(born, vocab_size, pattern=pattern)
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
    data = {
        "born": born,
        "seen": seen,
        "dead": [{"token": token, "times": times} for token, times in found[:MOST]],
        "of": facts["tokens"],
        "n_dead": len(found),
        "own": yours.title if yours else "",
        "mine": mine is True and yours is not None,
    }
    return Shown("glitch", data, facts)
