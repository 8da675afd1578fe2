"""Says in sentences why a pair wins, or loses: all of them are worded here.

`why_this_pair` says it at length, with the pairs that could merge at a step of a training. `in_short` says it in a
sentence. `loses` says why another pair does not merge.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokviz.base.blocks import Bar, Block, Cell, Line, Merge, Quiet, Table
from tokviz.base.sentences import IdPair, IdRun, Sentence, Strong, spelled
from tokviz.base.wording import capital, count_of, percent, times
from tokviz.training.learning import ENDED
from tokviz.training.rules import PREFERENCES, TIES, Tie, TieRule
from tokviz.training.train import Candidate, Training

SHOWN = 6  # candidates
LOOKED_AT = 40  # candidates after the last merge, to see how many are tied there
_MANY = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}


def why_this_pair(training: Training, k: int) -> list[Block]:
    """List the leading candidates at step k, with sentences about the winner. SettingError unless 0 <= k <= merges.

    Counts are exact, over the whole corpus. The first sentence says what decided; presenter mode shows only that one.

    >>> from tokviz import train
    >>> table, tie, *_ = why_this_pair(train("aaabdaaabac", vocab_size=259), 1)
    >>> [(row[0][1].text, row[1].text) for row in table.rows[:2]], tie.cells[:2]
    ([('merges next', 2), ('= tie', 2)], [Strong(text='A tie.'), ' Two pairs occur 2 times each. '])
    """
    done = k == len(training.merges)
    found = training.candidates(k, LOOKED_AT if done else SHOWN)
    tied = sum(pair.count == found[0].count for pair in found) if done and found else 0
    if not done:
        tied = training.merges[k].tied
    vocab, shown = training.tokenizer.vocab, found[:SHOWN]
    most = max((pair.count for pair in shown), default=0)
    rows: list[list[Cell]] = [
        [
            [Merge(vocab[pair.left], vocab[pair.right]), *_state(i, pair, shown[0], done)],
            Bar(pair.count / most, pair.count),
            f"{pair.count - shown[0].count:+,}".replace("-", "−").replace("+0", "0") if i else None,
        ]
        for i, pair in enumerate(shown)
    ]
    said = [Line(spelled(sentence, vocab), "text") for sentence in _said(training, k, found, tied)]
    return [*([Table(["Pair", "Pair count", "Behind"], rows, "Why this pair", [0])] if rows else []), *said]


def _state(place: int, pair: Candidate, winner: Candidate, done: bool) -> list[Cell]:
    if place == 0:
        return [Strong("would be next" if done else "merges next")]
    return [Quiet("= tie")] if pair.count == winner.count else []


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
    """Say why there is no next merge."""
    more = {
        "no_pairs": "Every chunk is one token, or what is left is banned.",
        "min_count": f"The least pair count asked is {training.rules.min_count:,}.",
        "bytes": "",
    }.get(training.stopped, "This pair would have come next." if found else "No pair is left.")
    return [Strong(f"{capital(ENDED[training.stopped])}."), f" {more}".rstrip()]


def _settled(training: Training, found: list[Candidate], tied: int) -> Sentence:
    winner, *others = found
    if not others:
        return [Strong("The only pair."), f" It occurs {times(winner.count)}."]
    second = others[0]
    if tied < 2:
        here = "" if training.rules.prefer == "frequent" else f"; here {PREFERENCES[training.rules.prefer]}"
        return [
            Strong(f"{capital(_margin(winner.count, second.count))}."),
            f" This pair occurs {times(winner.count)}, the next {times(second.count)}{here}.",
        ]
    rule = TIES[training.rules.tie]
    return [
        Strong("A tie."),
        f" {_many(tied)} pairs occur {times(winner.count)} each. ",
        f"The one {rule.winner} wins: ",
        IdPair(winner.left, winner.right),
        f"{_what_tells(rule, winner)}, before ",
        IdPair(second.left, second.right),
        f"{_what_tells(rule, second)}.",
    ]


def in_short(training: Training, k: int, found: Iterable[Candidate] | None = None) -> Sentence:
    """Say in a sentence why the pair that merges at step k wins. 0 <= k < merges.

    found: the leading candidates at this step, in any order; None to count them.

    >>> from tokviz import train
    >>> in_short(train("aaabdaaabac", vocab_size=259), 0)
    [IdPair(left=97, right=97), ' occurs 4 times, 2 more than the next.']
    """
    won = training.merges[k]
    winner = IdPair(won.left, won.right)
    if won.tied > 1:
        rule = TIES[training.rules.tie]
        return [f"{_many(won.tied)} pairs tie at {won.count:,}. The one {rule.winner} wins: ", winner, "."]
    leading = training.candidates(k, 2) if found is None else found
    others = [pair.count for pair in leading if (pair.left, pair.right) != (won.left, won.right)]
    if not others:
        return [winner, f" occurs {times(won.count)}, and no other pair is left."]
    nearest = min(others, key=lambda count: abs(count - won.count))
    return [winner, f" occurs {times(won.count)}, {_margin(won.count, nearest)}."]


def loses(pair: IdPair, count: int, winner: IdPair, best: int, tie: Tie) -> Sentence:
    """Say why a pair does not merge. count, best: how often it and the winner occur. tie: the rule for ties.

    >>> loses(IdPair(97, 98), 2, IdPair(256, 97), 2, "first")[1::2]
    [' occurs 2 times, as does ', '. The tie goes to the first in the corpus.']
    """
    if count == best:
        return [pair, f" occurs {times(count)}, as does ", winner, f". The tie goes to {TIES[tie].goes_to}."]
    return [pair, f" occurs {often(count)}, and ", winner, f" {times(best)}."]


def loses_to_another(pair: IdPair, count: int, best: int, tie: Tie) -> Sentence:
    """Say the same without the winner, as a hint, and without its full stop.

    >>> loses_to_another(IdPair(97, 98), 1, 2, "first")[1]
    ' occurs once, and another pair occurs more often'
    """
    more = f"as often, and the one {TIES[tie].winner} wins" if count == best else "more often"
    return [pair, f" occurs {often(count)}, and another pair occurs {more}"]


def often(count: int) -> str:
    """Say how often a pair occurs.

    >>> often(0), often(2)
    ('nowhere', '2 times')
    """
    return times(count) if count else "nowhere"


def _many(n: int) -> str:
    return _MANY.get(n, f"{n:,}")


def _margin(count: int, other: int) -> str:
    return f"{abs(count - other):,} {'more' if count > other else 'fewer'} than the next"


def _what_tells(rule: TieRule, pair: Candidate) -> str:
    """Say what the tie rule looks at in a pair."""
    if rule.byte_places is None:
        return "" if pair.first is None else f" at byte {pair.first:,}"
    return f" ({pair.left:,}, {pair.right:,})"
