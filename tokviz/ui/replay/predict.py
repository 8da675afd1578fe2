"""Replay's "predict, then reveal": the visitor guesses which pair merges next, and this asks and judges.

The browser asks (questions.py). It gets no count before the guess, and the order of the pairs does not reveal the
winner.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

from tokviz.base.sentences import spelled, to_json
from tokviz.base.wording import times
from tokviz.offline.replay import Playing
from tokviz.training.train import Candidate, Training
from tokviz.training.why import in_short
from tokviz.ui.replay.state import Guesses, ReplayState
from tokviz.ui.server.visitor import Visitor

OPTIONS = 5


def asked(me: Visitor, shown: Playing, step: int) -> dict[str, Any]:
    """The question at this step: {"step", "options": [[left id, right id], ...], "answer", "score"}.

    answer: see `judged`; None before the winner was shown.
    """
    options, guesses, training = _options(me, shown, step), me.state(ReplayState).guesses, shown.training
    here = (shown.key, step)
    told = training is not None and bool(options) and here in guesses.answers
    return {
        "step": step,
        "options": [(option.left, option.right) for option in options],
        "answer": judged(training, step, options, guesses.answers[here]) if training and told else None,
        "score": score(guesses),
    }


def answered(me: Visitor, shown: Playing, step: int, guess: int | None) -> dict[str, Any]:
    """The question with its answer. guess: an index into the options; None if the visitor chose none.

    A second answer at the same step does not count: its winner was shown. A guess that is no index counts as none.
    """
    options, state, training = _options(me, shown, step), me.state(ReplayState), shown.training
    if guess is not None and not 0 <= guess < len(options):
        guess = None
    if training and options and (shown.key, step) not in state.guesses.answers:
        state.guesses = counted_guesses(state.guesses, shown.key, step, guess, judged(training, step, options, guess))
    return asked(me, shown, step)


def _options(me: Visitor, shown: Playing, step: int) -> list[Candidate]:
    training = shown.training
    if training is None:
        return []
    return me.cache.get(("question", training, step), lambda: question(training, step))


def question(training: Training, k: int, n: int = OPTIONS) -> list[Candidate]:
    """The n leading pairs at step k, in an order that does not depend on their counts; [] after the last merge.

    >>> from tokviz import train
    >>> training = train("aaabdaaabac", 259)
    >>> sorted((c.left, c.right) for c in question(training, 1, 2)), question(training, 3)
    ([(97, 98), (256, 97)], [])
    """
    if not 0 <= k < len(training.merges):
        return []
    vocab = training.tokenizer.vocab

    def place(pair: Candidate) -> bytes:
        return hashlib.sha256(
            b"%d %s %s" % (k, vocab[pair.left].hex().encode(), vocab[pair.right].hex().encode())
        ).digest()

    return sorted(training.candidates(k, n), key=place)


def judged(training: Training, k: int, options: list[Candidate], guess: int | None) -> dict[str, Any]:
    """The answer: {"guess", "winner", "counts", "verdict", "why"}, the first two as indices into the options.

    why: a sentence, as the browser reads it. k: the rank of the merge. guess: None for no guess.

    >>> from tokviz import train
    >>> training = train("aaabdaaabac", 259)
    >>> options = training.candidates(0, 2)
    >>> [judged(training, 0, options, guess)["verdict"] for guess in (0, 1, None)]
    ['Right.', 'Not this one: it occurs 2 times.', '']
    """
    record = training.merges[k]
    winner = next(i for i, option in enumerate(options) if (option.left, option.right) == (record.left, record.right))
    counts = [option.count for option in options]
    best = counts[winner]
    if guess is None:
        verdict = ""
    elif guess == winner:
        verdict = "Right."
    elif counts[guess] == best:
        verdict = "It has the same count, but the tie rule picks another pair."
    else:
        verdict = f"Not this one: it occurs {times(counts[guess])}."
    why = to_json(spelled(in_short(training, k, options), training.tokenizer.vocab))
    return {"guess": guess, "winner": winner, "counts": counts, "verdict": verdict, "why": why}


def counted_guesses(guesses: Guesses, of: str | None, step: int, guess: int | None, answer: dict[str, Any]) -> Guesses:
    """The score after this answer. No guess changes no score.

    >>> answer = {"winner": 0, "counts": [9, 9]}
    >>> counted_guesses(counted_guesses(Guesses(), None, 0, 1, answer), None, 1, None, answer)
    Guesses(answers={(None, 0): 1, (None, 1): None}, right=0, tied=1, made=1)
    """
    shown = replace(guesses, answers={**guesses.answers, (of, step): guess})
    if guess is None:
        return shown
    right = guess == answer["winner"]
    tied = not right and answer["counts"][guess] == answer["counts"][answer["winner"]]
    return replace(shown, made=guesses.made + 1, right=guesses.right + right, tied=guesses.tied + tied)


def score(guesses: Guesses) -> str:
    """The score in words; "" before the first guess.

    >>> score(Guesses(made=5, right=3, tied=1))
    '3 of 5 right; 1 more had the same count and lost only by the tie rule'
    """
    if not guesses.made:
        return ""
    tied = f"; {guesses.tied:,} more had the same count and lost only by the tie rule" if guesses.tied else ""
    return f"{guesses.right:,} of {guesses.made:,} right{tied}"
