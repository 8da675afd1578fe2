"""Replay's "predict, then reveal": the visitor guesses which pair merges next, and this asks and judges.

The browser asks (questions.py). It gets no count before the guess, and the order of the pairs does not reveal the
winner. The wrong pairs are those to which wrong ways of counting lead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tokviz.base.sentences import spelled, to_json
from tokviz.base.wording import times
from tokviz.offline.replay import Playing
from tokviz.teach.misconceptions import Misconception, Pair, offer
from tokviz.training.train import Training
from tokviz.training.why import in_short
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server.visitor import Visitor

OPTIONS = 5
RIGHT = "Right."
TIED = "It has the same count, but the tie rule picks another pair."

Offered = Mapping[Pair, Misconception | None]  # as `offer` gives them: None for the pair that merges


def asked(me: Visitor, shown: Playing, step: int) -> dict[str, Any]:
    """The question at this step: {"step", "options": [[left id, right id], ...], "answer", "score"}.

    answer: see `judged`; None before the winner was shown.
    """
    offered, answers, training = _offered(me, shown, step), me.state(ReplayState).answers, shown.training
    guess, _ = answers.get((shown.key, step), (None, None))
    told = training is not None and bool(offered) and (shown.key, step) in answers
    return {
        "step": step,
        "options": [*offered],
        "answer": judged(training, step, offered, guess) if training and told else None,
        "score": score(verdict for _, verdict in answers.values()),
    }


def answered(me: Visitor, shown: Playing, step: int, guess: int | None) -> dict[str, Any]:
    """The question with its answer. guess: an index into the options; None if the visitor chose none.

    A second answer at the same step does not count: its winner was shown. A guess that is no index counts as none.
    """
    offered, state, training, here = _offered(me, shown, step), me.state(ReplayState), shown.training, (shown.key, step)
    if training and offered and here not in state.answers:
        chosen = guess if guess is not None and 0 <= guess < len(offered) else None
        state.answers = {**state.answers, here: (chosen, judged(training, step, offered, chosen)["verdict"])}
    return asked(me, shown, step)


def _offered(me: Visitor, shown: Playing, step: int) -> Offered:
    """The pairs to choose from, as a class and the course offer them; {} where no merge is left."""
    training = shown.training
    if training is None or not 0 <= step < len(training.merges):
        return {}
    return me.cache.get(("question", training, step), lambda: offer(training, step, OPTIONS))


def judged(training: Training, k: int, offered: Offered, guess: int | None) -> dict[str, Any]:
    """The answer: {"guess", "winner", "counts", "verdict", "why"}, the first two as indices into the options.

    why: a sentence, as the browser reads it. k: the rank of the merge. guess: None for no guess.

    >>> from tokviz import train
    >>> training = train("aaabdaaabac", 259)
    >>> offered = offer(training, 0, 2)
    >>> [judged(training, 0, offered, guess)["verdict"] for guess in (0, 1, None)]
    ['Not this one: it occurs 2 times.', 'Right.', '']
    """
    wrong = [*offered.values()]
    winner, best = wrong.index(None), training.merges[k].count
    counts = [one.count if one else best for one in wrong]
    if guess is None:
        verdict = ""
    elif guess == winner:
        verdict = RIGHT
    elif counts[guess] == best:
        verdict = TIED
    else:
        verdict = f"Not this one: it occurs {times(counts[guess])}."
    why = to_json(spelled(in_short(training, k), training.tokenizer.vocab))
    return {"guess": guess, "winner": winner, "counts": counts, "verdict": verdict, "why": why}


def score(verdicts: Iterable[str]) -> str:
    """The score in words; "" before the first guess. The verdict of no guess is "".

    >>> score([RIGHT, "", RIGHT, RIGHT, TIED, "Not this one: it occurs 2 times."])
    '3 of 5 right; 1 more had the same count and lost only by the tie rule'
    """
    said = Counter(filter(None, verdicts))
    tied = f"; {said[TIED]:,} more had the same count and lost only by the tie rule" if said[TIED] else ""
    return f"{said[RIGHT]:,} of {said.total():,} right{tied}" if said else ""
