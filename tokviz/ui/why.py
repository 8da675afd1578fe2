"""Why this pair: the pairs that stood to be merged at a step of a training, and what settled it, in sentences.

A sentence is a list of parts, which the browser draws: words, {"strong": words}, {"pair": [left id, right id]} and
{"tokens": ids}. The first sentence says what decided; a presenter shows that one alone.
"""

from __future__ import annotations

from typing import Any

from tokviz.training import Candidate, Training
from tokviz.wording import count_of, times

SHOWN = 6  # candidates
LEAST_ASKED = 40  # candidates looked at after the last merge, to see how many are tied there

Part = str | dict[str, Any]
Sentence = list[Part]


def why(training: Training, k: int) -> dict[str, Any]:
    """What there is to say at step k, 0 <= k <= merges: the leading candidates, and sentences about them.

    The counts are exact and over the whole corpus. SettingError for a step there is not.

    >>> from tokviz import train
    >>> told = why(train("aaabdaaabac", vocab_size=259), 1)
    >>> [(row["left"], row["right"], row["count"], row["state"]) for row in told["candidates"][:3]]
    [(256, 97, 2, 'merges next'), (97, 98, 2, '= tie'), (98, 100, 1, '')]
    >>> told["said"][0][:2]
    [{'strong': 'Margin 0, a tie.'}, ' Two pairs stand 2 times each. ']
    """
    done = k == len(training.merges)
    found = training.candidates(k, LEAST_ASKED if done else SHOWN)
    tied = sum(pair.count == found[0].count for pair in found) if done and found else 0
    if not done:
        tied = training.merges[k].tied
    rows = [
        {
            "left": pair.left,
            "right": pair.right,
            "count": pair.count,
            "first": pair.first,
            "state": _state(i, pair, found[0], done),
        }
        for i, pair in enumerate(found[:SHOWN])
    ]
    return {"step": k, "candidates": rows, "said": _said(training, k, found, tied)}


def _state(place: int, pair: Candidate, winner: Candidate, done: bool) -> str:
    if place == 0:
        return "would be next" if done else "merges next"
    return "= tie" if pair.count == winner.count else ""


def _said(training: Training, k: int, found: list[Candidate], tied: int) -> list[Sentence]:
    if k == len(training.merges):
        return [_end(training, found), *([_settled(training, found, tied)] if found else [])]
    record = training.merges[k]
    said = [_settled(training, found, tied)]
    if record.count != record.replaced:
        said.append(
            [
                f"It stands {times(record.count)} but is replaced {times(record.replaced)}: in a run like ",
                {"tokens": [record.left] * 3},
                " the pair stands twice, and the token in the middle can join only one of its neighbours.",
            ]
        )
    before = training.tokens_at(k)
    share = 100 * record.replaced / before
    said.append(
        [
            f"The merge takes {count_of(record.replaced, 'token')} off the corpus: "
            f"{before:,} become {record.tokens_after:,}, {share:.1f}\u00a0% less."
        ]
    )
    if training.ban:
        said.append(["Pairs that would make a banned token are left out."])
    return said


def _end(training: Training, found: list[Candidate]) -> Sentence:
    """Why there is no next merge."""
    if training.stopped == "no_pairs":
        return [{"strong": "No pair is left."}, " Every chunk is one token, or what is left is banned."]
    if training.stopped == "min_count":
        return [{"strong": "No pair is frequent enough."}, f" The least pair count asked is {training.min_count:,}."]
    stopped = "The training was cancelled." if training.stopped == "cancelled" else "All merges asked for are done."
    return [{"strong": stopped}, " This pair would have come next." if found else " No pair is left."]


def _settled(training: Training, found: list[Candidate], tied: int) -> Sentence:
    winner, *others = found
    if not others:
        return [{"strong": "The only pair."}, f" It stands {times(winner.count)}."]
    second = others[0]
    if tied < 2:
        rarest = training.prefer == "rarest"
        return [
            {"strong": f"Margin {abs(winner.count - second.count):,}."},
            f" This pair stands {times(winner.count)}, the next {times(second.count)}"
            + ("; here the rarest pair wins." if rarest else "."),
        ]
    many = "Two" if tied == 2 else f"{tied:,}"
    beginning: Sentence = [{"strong": "Margin 0, a tie."}, f" {many} pairs stand {times(winner.count)} each. "]
    pairs: list[Part] = [{"pair": [winner.left, winner.right]}, {"pair": [second.left, second.right]}]
    if training.tie == "first" and winner.first is not None and second.first is not None:
        return [
            *beginning,
            "The one that comes first in the corpus wins: ",
            pairs[0],
            f" at byte {winner.first:,}, before ",
            pairs[1],
            f" at byte {second.first:,}.",
        ]
    rule = "as the Hugging Face trainer numbers bytes, " if training.tie == "hf" else ""
    return [
        *beginning,
        f"The one with the lowest ids, {rule}left before right, wins: ",
        pairs[0],
        f" ({winner.left:,}, {winner.right:,}), before ",
        pairs[1],
        f" ({second.left:,}, {second.right:,}).",
    ]
