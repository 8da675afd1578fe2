"""Why this pair won: the pairs that could merge at a step of a training, and sentences about what decided.

The first sentence says what decided; presenter mode shows only that one.
"""

from __future__ import annotations

from typing import Any

from tokviz.base.sentences import IdPair, IdRun, Sentence, Strong, to_json
from tokviz.base.wording import count_of, percent, times
from tokviz.training.rules import PREFERENCES, TIES, TieRule
from tokviz.training.train import Candidate, Training

SHOWN = 6  # candidates
LOOKED_AT = 40  # candidates after the last merge, to see how many are tied there


def why_this_pair(training: Training, k: int) -> dict[str, Any]:
    """The leading candidates at step k, and sentences about the winner. 0 <= k <= merges; SettingError for any other k.

    As the browser reads it: {"step": k, "candidates": [{"left", "right", "count", "first", "state"}, ...],
    "said": [sentence, ...]}. Counts are exact, over the whole corpus; `first` is a byte offset.

    >>> from tokviz import train
    >>> told = why_this_pair(train("aaabdaaabac", vocab_size=259), 1)
    >>> [(row["left"], row["right"], row["count"], row["state"]) for row in told["candidates"][:3]]
    [(256, 97, 2, 'merges next'), (97, 98, 2, '= tie'), (98, 100, 1, '')]
    >>> told["said"][0][:2]
    [{'strong': 'A tie.'}, ' Two pairs occur 2 times each. ']
    """
    done = k == len(training.merges)
    found = training.candidates(k, LOOKED_AT if done else SHOWN)
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
    return {"step": k, "candidates": rows, "said": [*map(to_json, _said(training, k, found, tied))]}


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
                f"It occurs {times(record.count)} but is replaced {times(record.replaced)}: in a run like ",
                IdRun((record.left,) * 3),
                " the pair occurs twice, and the token in the middle can join only one of its neighbours.",
            ]
        )
    before = training.tokens_at(k)
    share = record.replaced / before
    said.append(
        [
            f"The merge takes {count_of(record.replaced, 'token')} off the corpus: "
            f"{before:,} become {record.tokens_after:,}, {percent(share)} less."
        ]
    )
    if training.rules.ban:
        said.append(["Pairs that would make a banned token are left out."])
    return said


def _end(training: Training, found: list[Candidate]) -> Sentence:
    """Why there is no next merge."""
    if training.stopped == "no_pairs":
        return [Strong("No pair is left."), " Every chunk is one token, or what is left is banned."]
    if training.stopped == "min_count":
        least = f" The least pair count asked is {training.rules.min_count:,}."
        return [Strong("No pair is frequent enough."), least]
    if training.stopped == "bytes":
        return [Strong("The limit for the bytes of all tokens is reached."), " One more merge would pass it."]
    stopped = "The training was cancelled." if training.stopped == "cancelled" else "All merges are done."
    return [Strong(stopped), " This pair would have come next." if found else " No pair is left."]


def _settled(training: Training, found: list[Candidate], tied: int) -> Sentence:
    winner, *others = found
    if not others:
        return [Strong("The only pair."), f" It occurs {times(winner.count)}."]
    second = others[0]
    if tied < 2:
        more = "more" if winner.count > second.count else "fewer"
        here = "" if training.rules.prefer == "frequent" else f"; here {PREFERENCES[training.rules.prefer]}"
        return [
            Strong(f"{abs(winner.count - second.count):,} {more} than the next."),
            f" This pair occurs {times(winner.count)}, the next {times(second.count)}{here}.",
        ]
    many = "Two" if tied == 2 else f"{tied:,}"
    beginning: Sentence = [Strong("A tie."), f" {many} pairs occur {times(winner.count)} each. "]
    rule = TIES[training.rules.tie]
    return [
        *beginning,
        f"The one {rule.winner} wins: ",
        IdPair(winner.left, winner.right),
        f"{_what_tells(rule, winner)}, before ",
        IdPair(second.left, second.right),
        f"{_what_tells(rule, second)}.",
    ]


def _what_tells(rule: TieRule, pair: Candidate) -> str:
    """What the tie rule looks at in a pair."""
    if rule.byte_places is None:
        return "" if pair.first is None else f" at byte {pair.first:,}"
    return f" ({pair.left:,}, {pair.right:,})"
