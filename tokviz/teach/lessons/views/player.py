"""Plays the merges of a small training, one by one, over its whole corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokviz.base.blocks import Merge
from tokviz.teach.lessons.shown import Fact, LessonError, Shown, view
from tokviz.teach.lessons.trained import lesson_training
from tokviz.tokenizer.encoding import Encoding
from tokviz.training.train import Training

CORPUS_LIMIT = 3_000  # bytes


@dataclass(frozen=True, slots=True)
class Player:
    """Draws a corpus after `step` of its merges, which buttons and keys change.

    of: how many merges there are. hidden: whether those after the step are not here. size: of the corpus, in bytes.
    merges: with the count of each. tokens: of the corpus before the first merge, and after each.
    """

    step: int
    of: int
    hidden: bool
    size: int
    encoding: Encoding
    merges: Sequence[tuple[Merge, int]]
    tokens: Sequence[int]


@view()
def player(
    *,
    corpus: str,
    vocab_size: int,
    step: int = 0,
    hidden: bool = False,
) -> Shown:
    """Show a training after `step` merges. hidden: whether later ones are kept from the browser, as a task asks for it.

    Facts: `bytes`, `merges`, `step`, `tokens` and `pairs` (places where two tokens are neighbours in a chunk; both at
    the step), `final` (tokens after all merges), `repeated` (merges whose pair occurred at least 2 times); of the last
    merge done `count`, `made` and `id`; and of the next merge `next_count`, `next_places` (where it merges),
    `next_tokens` (tokens after it), and `next_less` (tokens if it merged as often as it is counted).

    >>> facts = player(corpus="aab aab ab", vocab_size=258, step=1).facts
    >>> {name: facts[name] for name in ("bytes", "merges", "step", "tokens", "pairs", "final", "count", "made", "id")}
    {'bytes': 10, 'merges': 2, 'step': 1, 'tokens': 7, 'pairs': 6, 'final': 5, 'count': 3, 'made': b'ab', 'id': 256}
    """
    training = lesson_training(corpus, vocab_size)
    if training.n_bytes > CORPUS_LIMIT:
        raise LessonError(f"The corpus has {training.n_bytes:,} bytes.", f"Here it can have {CORPUS_LIMIT:,}.")
    if not 0 <= step <= len(training.merges):
        raise LessonError(f"There is no step {step}: the training has {len(training.merges)} merges.")
    return at_step(training, step, known=step if hidden else len(training.merges), hidden=hidden)


def at_step(training: Training, step: int, *, known: int, hidden: bool = False) -> Shown:
    """Show this training after `step` merges. known: how many merges the browser gets. hidden: whether it says that the
    next one is kept from it."""
    vocab = training.tokenizer.vocab
    merges = training.merges[:known]
    facts: dict[str, Fact] = {
        "bytes": training.n_bytes,
        "merges": len(training.merges),
        "step": step,
        "tokens": training.tokens_at(step),
        "pairs": sum(pair.count for pair in training.candidates(step, training.n_bytes)),
        "final": training.tokens_at(len(training.merges)),
        "repeated": sum(merge.count > 1 for merge in training.merges),
    }
    if step:
        last = training.merges[step - 1]
        facts |= {"count": last.count, "made": vocab[last.id], "id": last.id}
    if step < len(training.merges):
        coming = training.merges[step]
        facts |= {
            "next_count": coming.count,
            "next_places": coming.replaced,
            "next_tokens": coming.tokens_after,
            "next_less": training.tokens_at(step) - coming.count,
        }
    block = Player(
        step,
        len(training.merges),
        hidden,
        training.n_bytes,
        training.window(0, training.n_bytes).at(known),
        [(Merge(vocab[merge.left], vocab[merge.right]), merge.count) for merge in merges],
        [training.counts.n_tokens, *(merge.tokens_after for merge in merges)],
    )
    return Shown(facts, [block], training)
