"""Makes wrong answers to "which pair merges next?", each by another way of counting, and proves them wrong.

Each misconception is a way to count that is not the training's, or another way to settle a tie. It is applied to the
very corpus of the training, and the pair that it leads to is offered if that is not the pair that merges. The true
counts at the same step prove the pair false.

    tie        a tie goes to another pair
    overlap    in 'aaa' the pair (a, a) counts once, because its places overlap
    boundary   pairs across the end of a chunk count too
    earlier    the counts are those of the step before
    distinct   each distinct chunk counts once, however often it occurs
    token      the most frequent token merges
    count      no misconception: a pair whose count is near that of the winner, so that a slip in counting leads to it
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import whole_number
from tokviz.base.errors import SettingError
from tokviz.base.sentences import IdPair, IdRun, Sentence, spelled
from tokviz.base.wording import count_of, times
from tokviz.tokenizer.encoding import SPLIT
from tokviz.training.rules import TIES, Rules, Tie
from tokviz.training.train import Training
from tokviz.training.why import loses, loses_to_another

Mistake = Literal["tie", "overlap", "boundary", "earlier", "distinct", "token", "count"]
MISTAKES: dict[Mistake, str] = {  # what led to the choice of such a pair
    "tie": "the tie was settled differently",
    "overlap": "places that overlap were counted once",
    "boundary": "pairs across the end of a chunk were counted",
    "earlier": "the counts are those of the step before",
    "distinct": "each distinct chunk was counted once",
    "token": "tokens were counted, not pairs",
    "count": "some places were missed: mark each one before you count",
}
Pair = tuple[int, int]

COUNTED_LIMIT = 5_000_000  # bytes of distinct chunks, because each way of counting goes over all of them
ACROSS_LIMIT = 2_000_000  # bytes of a corpus in which pairs across the ends of chunks are counted
PLACES_NAMED = 3  # where a pair lies across the end of a chunk

_Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Misconception:
    """Describes a pair that does not merge at a step, the way of counting that leads to it, and why it is wrong.

    pair, kind: the two ids, and a key of MISTAKES.
    believed: how often the pair occurs by this way of counting (for "token": how often the token occurs).
    count: how often the pair really occurs at the step.
    winner, winner_count: the pair that merges, and how often it occurs.
    tie: the tie rule of the training.
    across, places: how often the pair lies across the end of a chunk (0 if that was not counted), and the byte offsets
        in the corpus where it first does.
    crowd: the token that occurs most often, for the kind "token".
    """

    pair: Pair
    kind: Mistake
    believed: int
    count: int
    step: int
    winner: Pair
    winner_count: int
    tie: Tie
    across: int = 0
    places: tuple[int, ...] = ()
    crowd: int | None = None


class _Tally:
    """Counts pairs, each with its first place: int64, one row a pair. It is made of all places of the pairs."""

    def __init__(self, left: _Longs, right: _Longs, weights: _Longs, places: _Longs) -> None:
        pairs, firsts, where = np.unique(left << 32 | right, return_index=True, return_inverse=True)
        self.left, self.right, self.places = pairs >> 32, pairs & 0xFFFFFFFF, places[firsts]
        self.counts: _Longs = np.zeros(len(pairs), np.int64)
        np.add.at(self.counts, where, weights)

    def count_of(self, pair: Pair) -> int:
        """Return how often the pair occurs; 0 if it does not."""
        return int(self.counts[(self.left == pair[0]) & (self.right == pair[1])].sum())

    def ranked(self, rules: Rules, training: Training) -> Iterator[Pair]:
        """Yield the pairs that may merge under these rules, the winner first."""
        ranked = rules.ranked(self.left, self.right, self.counts, self.places, training.tokenizer.vocab)
        return ((int(self.left[i]), int(self.right[i])) for i in ranked)


def misconceptions(training: Training, step: int) -> list[Misconception]:
    """Find the misconceptions that lead to another pair than the one that merges at this step, in order of MISTAKES.

    step: merges done before. Two misconceptions may lead to the same pair. "boundary" needs the whole corpus, of at
    most ACROSS_LIMIT bytes. [] after the last merge, and for a corpus with more than COUNTED_LIMIT bytes of distinct
    chunks. SettingError if there is no such step.

    >>> from tokviz import train
    >>> wrong = misconceptions(train("aaabdaaabac", vocab_size=259), 1)
    >>> [(one.kind, one.pair, one.believed, one.count) for one in wrong]
    [('tie', (97, 98), 2, 2), ('earlier', (97, 98), 2, 2)]
    """
    step = whole_number(step, "The step")
    if not 0 <= step <= len(training.merges):
        raise SettingError(
            f"There is no step {step:,}: this training has steps 0 to {len(training.merges):,}.", "Choose one of these."
        )
    if step == len(training.merges) or len(training.counts.data) > COUNTED_LIMIT:
        return []
    return [*_found(training, step)]


def wrong_pairs(training: Training, step: int, n: int = 3) -> list[Misconception]:
    """List up to n different wrong pairs: those of misconceptions, then near counts. Raises as `misconceptions` does.

    >>> from tokviz import train
    >>> [(one.kind, one.pair) for one in wrong_pairs(train("aaabdaaabac", vocab_size=259), 1)]
    [('tie', (97, 98)), ('count', (98, 100)), ('count', (100, 256))]
    """
    found: dict[Pair, Misconception] = {}
    for wrong in misconceptions(training, step):
        found.setdefault(wrong.pair, wrong)
    chosen = [*found.values()][:n]
    if step == len(training.merges):
        return []
    record = training.merges[step]
    for near in training.candidates(step, n + 1 + len(chosen)):
        pair = (near.left, near.right)
        if len(chosen) < n and pair != (record.left, record.right) and pair not in found:
            kind: Mistake = "tie" if near.count == record.count else "count"
            chosen.append(_wrong(training, step, pair, kind, record.count, near.count))
    return chosen


def offer(training: Training, step: int, n: int = 4) -> dict[Pair, Misconception | None]:
    """Offer up to n pairs to choose from: the one that merges at this step, with None, and `wrong_pairs`.

    Their order does not depend on their counts. {} after the last merge. Raises SettingError as `misconceptions` does.

    >>> from tokviz import train
    >>> [(pair, wrong and wrong.kind) for pair, wrong in offer(train("aaabdaaabac", vocab_size=259), 1, 3).items()]
    [((98, 100), 'count'), ((97, 98), 'tie'), ((256, 97), None)]
    """
    pairs: dict[Pair, Misconception | None] = {wrong.pair: wrong for wrong in wrong_pairs(training, step, n - 1)}
    if step == len(training.merges):
        return {}
    record, vocab = training.merges[step], training.tokenizer.vocab
    pairs[record.left, record.right] = None

    def place(pair: Pair) -> bytes:
        spelled = " ".join(vocab[id].hex() for id in pair)
        return hashlib.sha256(f"{step} {spelled}".encode()).digest()

    return {pair: pairs[pair] for pair in sorted(pairs, key=place)}


def refutation(wrong: Misconception, vocab: Mapping[int, bytes]) -> Sentence:
    """Prove the pair wrong in one or two short sentences: what was counted, and what counts. vocab: the training's.

    >>> from tokviz import train
    >>> training = train("aaabdaaabac", vocab_size=259)
    >>> refutation(misconceptions(training, 1)[0], training.tokenizer.vocab)
    [b'a', ' + ', b'b', ' occurs 2 times, as does ', b'aa', ' + ', b'a', '. The tie goes to the first in the corpus.']
    """
    twin = wrong.winner[0] if wrong.winner[0] == wrong.winner[1] else wrong.pair[0]
    overlaps = "Places that overlap count too: ", IdRun((twin,) * 3), " has ", IdPair(twin, twin), " twice. "
    before = overlaps if wrong.kind == "overlap" else _mistake(wrong)
    verdict = loses(IdPair(*wrong.pair), wrong.count, IdPair(*wrong.winner), wrong.winner_count, wrong.tie)
    return spelled([*before, *verdict], vocab)


def hint(wrong: Misconception, vocab: Mapping[int, bytes]) -> Sentence:
    """Say what this choice got wrong. Unlike `refutation`, it does not name the pair that merges.

    >>> from tokviz import train
    >>> training = train("aaabdaaabac", vocab_size=259)
    >>> hint(wrong_pairs(training, 1)[1], training.tokenizer.vocab)[3:5]
    [' occurs once, and another pair occurs more often', '. Count where other tokens are neighbours.']
    """
    verdict = loses_to_another(IdPair(*wrong.pair), wrong.count, wrong.winner_count, wrong.tie)
    look = _where_to_look(wrong) if wrong.kind == "count" else ["."]
    before = ["Places that overlap count too. "] if wrong.kind == "overlap" else _mistake(wrong)
    return spelled([*before, *verdict, *look], vocab)


def _mistake(wrong: Misconception) -> Sentence:
    """Say what was counted, and what counts. It does not name the pair that merges."""
    pair, believed = IdPair(*wrong.pair), times(wrong.believed)
    match wrong.kind:
        case "boundary":
            places, first = count_of(wrong.across, "place"), f"{wrong.places[0]:,}"
            return [
                f"At {places}, first at byte {first}, a chunk ends between the two tokens. "
                "No merge crosses the end of a chunk. "
            ]
        case "earlier":
            return ["Before the last merge ", pair, f" occurred {believed}, but each merge changes the counts. "]
        case "distinct":
            return [pair, f" occurs {believed} in distinct chunks, but a chunk counts as often as it occurs. "]
        case "token":
            crowd = () if wrong.crowd is None else (wrong.crowd,)
            return [IdRun(crowd), f" occurs {believed}, but pairs are counted, not tokens. "]
    return []


def _where_to_look(wrong: Misconception) -> Sentence:
    """Say which token of the chosen pair is in the right one too, and on which side to look."""
    shared = next((id for id in wrong.pair if id in wrong.winner), None)
    if shared is None:
        return [". Count where other tokens are neighbours."]
    side = "before" if wrong.winner[1] == shared else "after"
    token = IdRun((shared,))
    return [". ", token, " is in it too: look at what comes ", side, " each ", token, "."]


# -- the counts --


def _found(training: Training, step: int) -> Iterator[Misconception]:
    record = training.merges[step]
    winner = (record.left, record.right)
    true, rules = _Standing(training, step), training.rules
    counts = true.tally(true.weights)

    def wrong(kind: Mistake, pair: Pair | None, believed: int, **more: Any) -> Iterator[Misconception]:
        if pair is not None and pair != winner:
            yield _wrong(training, step, pair, kind, believed, counts.count_of(pair), **more)

    def first(tally: _Tally, rules: Rules = rules) -> tuple[Pair | None, int]:
        pair = next(tally.ranked(rules, training), None)
        return pair, tally.count_of(pair) if pair else 0

    others = {tie: first(counts, replace(rules, tie=tie)) for tie in TIES if tie != rules.tie}
    for pair, believed in dict.fromkeys(others.values()):
        yield from wrong("tie", pair, believed)
    yield from wrong("overlap", *first(true.tally(np.where(true.overlaps, 0, true.weights))))
    if training.kept is not None and training.kept_bytes == training.n_bytes <= ACROSS_LIMIT:
        across = _Across(training, step)
        pair, believed = first(across.tally)
        there = across.where(pair) if pair else []
        if there:
            yield from wrong("boundary", pair, believed, across=len(there), places=tuple(there[:PLACES_NAMED]))
    if step:
        before = _Standing(training, step - 1)
        last = training.merges[step - 1]
        tally = before.tally(before.weights)
        left = (pair for pair in tally.ranked(rules, training) if pair != (last.left, last.right))
        pair = next(left, None)
        yield from wrong("earlier", pair, tally.count_of(pair) if pair else 0)
    yield from wrong("distinct", *first(true.tally(np.ones_like(true.weights))))
    token, believed = true.most_frequent
    pair = next((pair for pair in counts.ranked(rules, training) if token in pair), None)
    yield from wrong("token", pair, believed, crowd=token)


def _wrong(
    training: Training, step: int, pair: Pair, kind: Mistake, believed: int, count: int, **more: Any
) -> Misconception:
    record, tie = training.merges[step], training.rules.tie
    return Misconception(pair, kind, believed, count, step, (record.left, record.right), record.count, tie, **more)


class _Standing:
    """Holds the distinct chunks in tokens after the first `step` merges, and the pairs in them, one row a place.

    left, right: the ids of the pair at each place. at: where its left token starts.
    weights: how often its chunk occurs.
    overlaps: whether the place overlaps one that counts, if of overlapping places only one counts.
    """

    def __init__(self, training: Training, step: int) -> None:
        counts = training.counts
        standing = training.chunks.at(step)
        ids, starts = standing.ids.astype(np.int64), standing.starts
        chunk = np.searchsorted(counts.ends, starts, side="right")
        inside = chunk[:-1] == chunk[1:]
        self.left, self.right, self.at = ids[:-1][inside], ids[1:][inside], starts[:-1][inside]
        self.weights: _Longs = counts.counts[chunk[:-1][inside]]
        self._ids, self._token_weights = ids, counts.counts[chunk]
        same = np.flatnonzero(inside & (ids[:-1] == ids[1:]))  # a run of n equal tokens has n - 1 such places
        begins = np.append(True, np.diff(same) > 1)[: len(same)]
        place_in_run = same - same[begins][np.cumsum(begins) - 1]
        odd = np.zeros(len(inside), bool)
        odd[same[place_in_run % 2 == 1]] = True
        self.overlaps = odd[inside]

    def tally(self, weights: _Longs) -> _Tally:
        """Count the pairs, each place with its weight. Places of weight 0 are left out."""
        here = weights > 0
        return _Tally(self.left[here], self.right[here], weights[here], self.at[here])

    @property
    def most_frequent(self) -> tuple[int, int]:
        """The token that occurs most often (of several the one with the lowest id), and how often."""
        ids, where = np.unique(self._ids, return_inverse=True)
        totals = np.bincount(where, self._token_weights).astype(np.int64)
        best = int(totals.argmax())
        return int(ids[best]), int(totals[best])


class _Across:
    """Finds the pairs of a whole corpus, across ends of chunks too, but not across those of texts or special tokens.

    left, right, at: of each place, as in `_Standing`. crossing: whether a chunk ends between the two tokens.
    """

    def __init__(self, training: Training, step: int) -> None:
        corpus = training.window(0, training.n_bytes).at(step)
        ids, starts = corpus.ids.astype(np.int64), corpus.starts
        special = np.isin(starts, [*corpus.whole])
        ends_text = np.isin(corpus.ends, training.text_ends or [])
        joined = ~(special[:-1] | special[1:] | ends_text[:-1])
        chunk = np.cumsum(corpus.seams[starts] == SPLIT)
        self.left, self.right, self.at = ids[:-1][joined], ids[1:][joined], starts[:-1][joined]
        self.crossing = (chunk[:-1] != chunk[1:])[joined]
        self.tally = _Tally(self.left, self.right, np.ones_like(self.left), self.at)

    def where(self, pair: Pair) -> list[int]:
        """Find the bytes where the pair lies across the end of a chunk."""
        return [*self.at[self.crossing & (self.left == pair[0]) & (self.right == pair[1])].tolist()]
