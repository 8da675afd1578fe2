"""Replay's "predict, then reveal": the visitor guesses which pair merges next, and this judges the guess."""

from __future__ import annotations

import hashlib
from typing import Any

from tokviz.rules import TIES
from tokviz.training import Candidate, Training
from tokviz.ui.components.predict import Answer, guessed, predict, predict_data
from tokviz.ui.frame.widgets import kept_in_session, widget_value
from tokviz.ui.replay.state import Guesses, ReplayState
from tokviz.ui.visitors.visitor import Visitor
from tokviz.wording import times

KEY = "replay.predict"
OPTIONS = 5
IN_VIEW = 2_000  # bytes


def predict_first(me: Visitor, training: Training, of: str | None) -> None:
    """Draw the question about the merge after the player's step, and judge the guess that came in.

    of: the key of what plays.
    """
    state, last = me.state(ReplayState), len(training.merges)
    guesses, place = state.guesses, state.place
    step = min(place.step, last)
    options = _options(training, of, step)
    told = guessed(widget_value(KEY))
    if told and told.step == step and 0 <= told.option < len(options):
        _take(guesses, training, of, step, options, told.option)
    answer = None
    if guesses.guess is not None and (guesses.of, guesses.step) == (of, step) and guesses.guess < len(options):
        answer = judged(training, step, options, guesses.guess)
    vocab = training.tokenizer.vocab
    predict(
        predict_data(
            training.window(place.start, min(place.length, IN_VIEW)) if training.kept else None,
            [(vocab[option.left], vocab[option.right]) for option in options],
            of=of,
            step=step,
            last=last,
            answer=answer,
            score=score(guesses),
        ),
        key=KEY,
    )


def question(training: Training, k: int, n: int = OPTIONS) -> list[Candidate]:
    """The n leading pairs at step k, in an order that does not depend on their counts; [] after the last merge.

    >>> from tokviz import train
    >>> training = train("aaabdaaabac", 259)
    >>> sorted((c.left, c.right) for c in question(training, 1, 2)), question(training, 3)
    ([(97, 98), (256, 97)], [])
    """
    if k >= len(training.merges):
        return []
    vocab = training.tokenizer.vocab

    def place(pair: Candidate) -> bytes:
        return hashlib.sha256(
            b"%d %s %s" % (k, vocab[pair.left].hex().encode(), vocab[pair.right].hex().encode())
        ).digest()

    return sorted(training.candidates(k, n), key=place)


def judged(training: Training, k: int, options: list[Candidate], guess: int) -> Answer:
    """The answer to a guess at the merge of rank k. options: the pairs asked about. guess: an index into them.

    >>> from tokviz import train
    >>> training = train("aaabdaaabac", 259)
    >>> options = training.candidates(0, 2)
    >>> judged(training, 0, options, 0).verdict, judged(training, 0, options, 1).verdict
    ('Right.', 'Not this one: it occurs 2 times.')
    """
    record = training.merges[k]
    winner = next(i for i, option in enumerate(options) if (option.left, option.right) == (record.left, record.right))
    counts = tuple(option.count for option in options)
    best = counts[winner]
    if guess == winner:
        verdict = "Right."
    elif counts[guess] == best:
        verdict = "It has the same count, but the tie rule picks another pair."
    else:
        verdict = f"Not this one: it occurs {times(counts[guess])}."
    others = [count for i, count in enumerate(counts) if i != winner]
    if record.tied > 1:
        why = f"{record.tied:,} pairs occur {times(best)} each; the one {TIES[training.rules.tie].winner} wins."
    elif not others:
        why = f"It was the only pair left, and occurs {times(best)}."
    else:
        rarest = training.rules.prefer == "rarest"
        nearest = min(others) if rarest else max(others)
        margin = abs(best - nearest)
        why = f"The winner occurs {times(best)}, {margin:,} {'fewer' if rarest else 'more'} than the next."
    return Answer(guess, winner, counts, verdict, why)


def score(guesses: Guesses) -> str:
    """The score in words.

    >>> score(Guesses(made=5, right=3, tied=1))
    '3 of 5 right; 1 more had the same count and lost only by the tie rule'
    """
    if not guesses.made:
        return "Only you see your score."
    tied = f"; {guesses.tied:,} more had the same count and lost only by the tie rule" if guesses.tied else ""
    return f"{guesses.right:,} of {guesses.made:,} right{tied}"


def _take(
    guesses: Guesses, training: Training, of: str | None, step: int, options: list[Candidate], guess: int
) -> None:
    """Count a guess. Only the first guess at each step counts."""
    if guesses.guess is not None and (guesses.of, guesses.step) == (of, step):
        return
    guesses.of, guesses.step, guesses.guess = of, step, guess
    answer = judged(training, step, options, guess)
    guesses.made += 1
    guesses.right += guess == answer.winner
    guesses.tied += guess != answer.winner and answer.counts[guess] == answer.counts[answer.winner]


def _options(training: Training, of: str | None, step: int) -> list[Candidate]:
    """The question at this step, kept in the session so that the pairs are counted once per step."""
    kept: dict[str, Any] = kept_in_session(KEY)
    if kept.get("at") != (of, step):
        kept.update(at=(of, step), options=question(training, step))
    options: list[Candidate] = kept["options"]
    return options
