"""Runs the loops of learning: finds the most frequent pair, joins it at all its places, and repeats.

All chunks are one after the other in one array, `flat`, with a row a byte: an id, and how often the chunk occurs. A
GAP is before, between and after chunks. A *place* is a row of `flat`. The id of a token is at its first and at its
last byte: so its right neighbour begins at `place + size[id]`, the id of its left neighbour is at `place - 1`,
and no linked list is needed. When a seam is closed, no token begins behind it any more. The second column, which is
then free, takes the rank of the merge, as ~rank to tell it from a count. So the seams of the corpus cost nothing.

A pair is a row of `pairs`: its two ids, its count, and the part of `places` that lists where it was when it was made.
Three facts keep these counts exact without counting again:
- All copies of a chunk go through the same merges. So each distinct chunk is stored once, and since the chunks are in
  the order in which they first occur, the first place of a pair in `flat` is its first place in the corpus too.
- A pair is made only by the merge that makes one of its ids. From then on its count only falls and its first place only
  moves right. So an entry of the heap may be too good but never too bad, and it is enough to correct the top one.
- Places count bytes, not tokens. So they stay the same when earlier tokens merge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokviz.kernels.base import SPREAD, Number, kernel

Longs = NDArray[np.int64]
Flat = NDArray[np.int32] | NDArray[np.int64]  # int64 if a count needs it

ID, WEIGHT = 0, 1  # columns of `flat`
GAP, INSIDE = -1, -2  # instead of an id, where no token begins
LEFT, RIGHT, COUNT, PLACES_START, PLACES_END = range(5)  # columns of `pairs`; its places are places[start:end]
REPLACED, TIED = 3, 4  # columns of `merges`, after LEFT, RIGHT, COUNT
HEAP_COUNT, TIE, PAIR = range(3)  # columns of `heap`; of two equal counts the lower tie wins
TIMES, SUM, AT = range(3)  # columns of `before` and `after`
N_MERGES, N_PAIRS, N_HEAP, N_PLACES, PLACES_NEEDED = range(5)  # entries of `state`
ALL_MADE, MERGES_PAUSED, HEAP_EMPTY, ARRAYS_FULL = range(4)  # why `make_merges` returns

BANNED = -(2**62)  # as the count of a pair: it stays below every threshold
MERGE_PLACES = 30  # a merge counts as work on this many places, besides its own


class PairArrays(NamedTuple):
    """Stores pairs. The first N_PAIRS rows of `pairs`, N_HEAP of `heap` and N_PLACES of `places` are in use.

    pairs: int64[n, 5], a row a pair.
    table: int64[2**m, 2], a hash table: a pair's ids as left << 32 | right, and its row + 1, or 0 if the slot is free.
    places: int32, the places of each pair, left to right.
    heap: int64[n, 3], the best pair on top.
    histogram: int64, how many pairs have this count, from the threshold on; the last entry, of all others, is not read.
    """

    pairs: Longs
    table: Longs
    places: NDArray[np.int32]
    heap: Longs
    histogram: Longs


class Neighbours(NamedTuple):
    """Holds the neighbours of the pair that is being merged.

    before, after: int64[ids + 1, 3], by the id of the neighbour: at how many places it is beside the pair, the sum
    of the weights there, and the last such place. The first two are 0 between merges. The third then becomes the index
    at which the places of the new pair are written, or -1. The last row is that of GAP, which is -1.
    befores, afters: int32, the ids that were seen on either side, each once.
    """

    before: Longs
    after: Longs
    befores: NDArray[np.int32]
    afters: NDArray[np.int32]


class Ban(NamedTuple):
    """Holds the tokens that no merge may make.

    spelling: uint8, the byte at each place, or empty if nothing is banned.
    data, ends: uint8, the banned tokens end to end; int64, where each of them ends.
    """

    spelling: NDArray[np.uint8]
    data: NDArray[np.uint8]
    ends: Longs


class PickRules(NamedTuple):
    """Says which pair wins.

    threshold: pairs whose count is below it are not stored.
    by_place: ties go to the first place, else to the lowest ids.
    order: int64[256], the key of a byte where ids are compared.
    rarest: the rarest pair wins, of those with `min_count`.
    """

    threshold: Number
    min_count: Number
    by_place: bool
    order: Longs
    rarest: bool


@kernel
def lay_out(chunks: NDArray[np.uint8], ends: Longs, counts: Longs, first: Number, last: Number, flat: Flat) -> None:
    """Write the chunks from number `first` up to `last` into `flat`, each with a gap behind it."""
    for chunk in range(first, last):
        start = ends[chunk - 1] if chunk else 0
        place = start + chunk + 1
        for at in range(start, ends[chunk]):
            flat[place, ID] = chunks[at]
            flat[place, WEIGHT] = counts[chunk]
            place += 1
        flat[place, ID] = GAP


@kernel
def read_seams(flat: Flat, ends: Longs, seams: NDArray[np.int32]) -> None:
    """Write into `seams`, int32 with one a byte, the rank that closed the seam, or -1 if none did."""
    for chunk in range(len(ends)):
        start = ends[chunk - 1] if chunk else 0
        for at in range(start, ends[chunk]):
            seams[at] = max(~flat[at + chunk + 1, WEIGHT], -1)


@kernel
def _spread(left: Number, right: Number) -> Number:
    """Hash a pair."""
    key = np.int64(left) << 32 | np.int64(right)
    mixed = key * SPREAD
    return mixed ^ (mixed >> 32)


@kernel
def _slot(table: Longs, left: Number, right: Number) -> Number:
    """Find the slot of a pair in the hash table, or the free slot where it belongs."""
    mask = len(table) - 1
    key = np.int64(left) << 32 | np.int64(right)
    slot = _spread(left, right) & mask
    while table[slot, 1] and table[slot, 0] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def enter(table: Longs, pairs: Longs, first: Number, last: Number) -> None:
    """Enter the pairs from row `first` up to `last` in the hash table."""
    for pair in range(first, last):
        slot = _slot(table, pairs[pair, LEFT], pairs[pair, RIGHT])
        table[slot, 0] = pairs[pair, LEFT] << 32 | pairs[pair, RIGHT]
        table[slot, 1] = pair + 1


@kernel
def _is_banned(ban: Ban, place: Number, length: Number) -> bool:
    """Do the `length` bytes from a place spell a banned token?"""
    spelling, data, ends = ban
    start = 0
    for end in ends:
        if end - start == length:
            same = 0
            while same < length and spelling[place + same] == data[start + same]:
                same += 1
            if same == length:
                return True
        start = end
    return False


@kernel
def add_to_sketch(flat: Flat, size: NDArray[np.int32], place: Number, stop: Number, sketch: Longs) -> Number:
    """Add the weight of each pair from `place` up to `stop` to the bucket of its hash. So sketch[bucket] is an upper
    bound for the count of every pair in the bucket. Returns the place to go on from."""
    mask = len(sketch) - 1
    while place < stop:
        left = flat[place, ID]
        if left < 0:
            place += 1
            continue
        after = place + size[left]
        right = flat[after, ID]
        if right >= 0:
            sketch[_spread(left, right) & mask] += flat[place, WEIGHT]
        place = after
    return place


@kernel
def count_pairs(
    flat: Flat,
    size: NDArray[np.int32],
    place: Number,
    stop: Number,
    sketch: Longs,
    threshold: Number,
    table: Longs,
    pairs: Longs,
    hits: NDArray[np.int32],
    n_hits: Number,
    ban: Ban,
    state: Longs,
) -> tuple[Number, Number]:
    """Count those pairs from `place` up to `stop` whose bucket of the sketch reaches the threshold.

    Writes each place and the row of its pair into `hits`, int32[n, 2]. In `pairs`, PLACES_END counts the places.
    Returns the place to go on from and the number of hits so far, early if there is no room for another pair.
    """
    mask, n_banned = len(sketch) - 1, len(ban.ends)
    room = min(len(pairs), len(table) // 2)
    while place < stop:
        left = flat[place, ID]
        if left < 0:
            place += 1
            continue
        after = place + size[left]
        right = flat[after, ID]
        if right >= 0 and sketch[_spread(left, right) & mask] >= threshold:
            slot = _slot(table, left, right)
            pair = table[slot, 1] - 1
            if pair < 0:
                pair = state[N_PAIRS]
                if pair == room:
                    break
                state[N_PAIRS] += 1
                table[slot, 0] = np.int64(left) << 32 | np.int64(right)
                table[slot, 1] = pair + 1
                pairs[pair, LEFT] = left
                pairs[pair, RIGHT] = right
                pairs[pair, COUNT] = 0
                pairs[pair, PLACES_END] = 0
                if n_banned and _is_banned(ban, place, size[left] + size[right]):
                    pairs[pair, COUNT] = BANNED
            pairs[pair, COUNT] += flat[place, WEIGHT]
            pairs[pair, PLACES_END] += 1
            hits[n_hits, 0], hits[n_hits, 1] = place, pair
            n_hits += 1
        place = after
    return place, n_hits


@kernel
def add_pairs(others: Longs, pairs: Longs, n_pairs: Number, table: Longs, rows: NDArray[np.int32]) -> Number:
    """Add the counts of other pairs to the first `n_pairs` rows of `pairs`, which has room. Returns how many there are.

    rows: int32, filled with the row of each of the others.
    """
    for other in range(len(others)):
        slot = _slot(table, others[other, LEFT], others[other, RIGHT])
        pair = table[slot, 1] - 1
        if pair < 0:
            pair = np.int64(n_pairs)
            n_pairs += 1
            table[slot, 0] = others[other, LEFT] << 32 | others[other, RIGHT]
            table[slot, 1] = pair + 1
            pairs[pair] = others[other]
        else:
            pairs[pair, COUNT] = max(pairs[pair, COUNT] + others[other, COUNT], BANNED)
            pairs[pair, PLACES_END] += others[other, PLACES_END]
        rows[other] = pair
    return n_pairs


@kernel
def fill_places(hits: NDArray[np.int32], numbers: NDArray[np.int32], pairs: Longs, places: NDArray[np.int32]) -> None:
    """Write the places of each pair, left to right. numbers: int32, the old row of a pair -> its new row, or -1."""
    for i in range(len(hits)):
        pair = np.int64(numbers[hits[i, 1]])
        if pair >= 0:
            places[pairs[pair, PLACES_END]] = hits[i, 0]
            pairs[pair, PLACES_END] += 1


@kernel
def count_bytes(flat: Flat, place: Number, stop: Number, counts: Longs, times: Longs) -> None:
    """Count the pairs of bytes before the first merge, at index left << 8 | right: the weights, and the places."""
    for at in range(place, stop):
        left, right = flat[at - 1, ID], flat[at, ID]
        if left >= 0 and right >= 0:
            counts[left << 8 | right] += flat[at - 1, WEIGHT]
            times[left << 8 | right] += 1


@kernel
def fill_bytes(
    flat: Flat, place: Number, stop: Number, numbers: NDArray[np.int32], pairs: Longs, places: NDArray[np.int32]
) -> None:
    """Do what `fill_places` does, before the first merge: left << 8 | right is the old row."""
    for at in range(place, stop):
        left, right = flat[at - 1, ID], flat[at, ID]
        if left >= 0 and right >= 0:
            pair = np.int64(numbers[left << 8 | right])
            if pair >= 0:
                places[pairs[pair, PLACES_END]] = at - 1
                pairs[pair, PLACES_END] += 1


@kernel
def _first_place(flat: Flat, size: NDArray[np.int32], pairs: Longs, places: NDArray[np.int32], pair: Number) -> Number:
    """Find the first place at which a pair with a count above 0 still is. Earlier places are struck off its list."""
    left, right, first = pairs[pair, LEFT], pairs[pair, RIGHT], pairs[pair, PLACES_START]
    step = np.int64(size[left])
    while flat[places[first], ID] != left or flat[places[first] + step, ID] != right:
        first += 1
    pairs[pair, PLACES_START] = first
    return places[first]


@kernel
def _tie_of_ids(order: Longs, left: Number, right: Number) -> Number:
    """Make one number of a pair, which sorts by the left id, then by the right one."""
    left_key = order[left] if left < 256 else left
    right_key = order[right] if right < 256 else right
    return np.int64(left_key) << 32 | np.int64(right_key)


@kernel
def _wins(heap: Longs, at: Number, count: Number, tie: Number) -> bool:
    """Does the heap's entry beat this count and tie? Branch-free: the outcome is unpredictable."""
    return bool((heap[at, HEAP_COUNT] > count) | ((heap[at, HEAP_COUNT] == count) & (heap[at, TIE] < tie)))


@kernel
def _put(heap: Longs, at: Number, count: Number, tie: Number, pair: Number) -> None:
    """Write an entry of the heap. Branch-free, as `_set_count`."""
    heap[at, HEAP_COUNT], heap[at, TIE], heap[at, PAIR] = count, tie, pair


@kernel
def _sift_down(heap: Longs, n: Number) -> None:
    """Move the top entry down until no entry below beats it."""
    count, tie, pair = heap[0, HEAP_COUNT], heap[0, TIE], heap[0, PAIR]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        if child + 1 < n:
            child += _wins(heap, child + 1, heap[child, HEAP_COUNT], heap[child, TIE])
        if not _wins(heap, child, count, tie):
            break
        _put(heap, at, heap[child, HEAP_COUNT], heap[child, TIE], heap[child, PAIR])
        at = child
    _put(heap, at, count, tie, pair)


@kernel
def _push(heap: Longs, n: Number, count: Number, tie: Number, pair: Number) -> None:
    """Put an entry at row n, and move it up until the one above beats it."""
    at = n
    while at > 0:
        parent = (at - 1) >> 1
        if _wins(heap, parent, count, tie):
            break
        _put(heap, at, heap[parent, HEAP_COUNT], heap[parent, TIE], heap[parent, PAIR])
        at = parent
    _put(heap, at, count, tie, pair)


@kernel
def _pop(heap: Longs, n: Number) -> Number:
    """Remove the top entry, and return the new size. The hole moves to the bottom and takes the last entry,
    which seldom has to move up far from there."""
    n -= 1
    at = 0
    while 2 * at + 2 < n:
        child = 2 * at + 1
        child += _wins(heap, child + 1, heap[child, HEAP_COUNT], heap[child, TIE])
        _put(heap, at, heap[child, HEAP_COUNT], heap[child, TIE], heap[child, PAIR])
        at = child
    if 2 * at + 1 < n:
        child = 2 * at + 1
        _put(heap, at, heap[child, HEAP_COUNT], heap[child, TIE], heap[child, PAIR])
        at = child
    _push(heap, at, heap[n, HEAP_COUNT], heap[n, TIE], heap[n, PAIR])
    return n


@kernel
def _set_count(pairs: Longs, histogram: Longs, threshold: Number, pair: Number, count: Number) -> None:
    """Change the count of a pair. Branch-free: with branches numba counts references to the arrays at each call."""
    old, other = pairs[pair, COUNT], len(histogram) - 1
    histogram[old if threshold <= old < other else other] -= 1
    histogram[count if threshold <= count < other else other] += 1
    pairs[pair, COUNT] = count


@kernel
def _rarest(flat: Flat, size: NDArray[np.int32], stored: PairArrays, n: Number, rules: PickRules) -> Number:
    """Find the rarest of the first n pairs, or -1. It looks at all of them: as counts only fall, an entry of a heap of
    the rarest could be too bad, and correcting the top would not be enough."""
    pairs, places, order = stored.pairs, stored.places, rules.order
    best, best_tie = -1, np.int64(0)
    for pair in range(n):
        count = pairs[pair, COUNT]
        if count < rules.min_count or (best >= 0 and count > pairs[best, COUNT]):
            continue
        if rules.by_place:
            tie = np.int64(_first_place(flat, size, pairs, places, pair))
        else:
            tie = np.int64(_tie_of_ids(order, pairs[pair, LEFT], pairs[pair, RIGHT]))
        if best < 0 or count < pairs[best, COUNT] or tie < best_tie:
            best, best_tie = pair, tie
    return best


@kernel
def make_merges(
    flat: Flat,
    size: NDArray[np.int32],
    stored: PairArrays,
    neighbours: Neighbours,
    joined: NDArray[np.int32],
    ban: Ban,
    rules: PickRules,
    merges: Longs,
    work: Number,
    state: Longs,
) -> Number:
    """Make merges until `merges` is full, about `work` places are looked at, no pair reaches the threshold, or an array
    has no room for the next merge. Returns which: ALL_MADE, MERGES_PAUSED, HEAP_EMPTY or ARRAYS_FULL.

    size: int32, by id, the bytes of a token.
    joined: int32[n, 3], scratch: the places of the merge, and the ids before and behind each.
    merges: int64[n, 5], a row a merge. An array that is full is noticed before the merge is begun; the caller then
    makes room for a merge of state[PLACES_NEEDED] places, and calls again.
    """
    pairs, table, places, heap, histogram = stored
    before, after, befores, afters = neighbours
    threshold, by_place, rarest, order = rules.threshold, rules.by_place, rules.rarest, rules.order
    n_banned, n_asked = len(ban.ends), len(merges)
    made, n_pairs, n_heap, n_listed = state[N_MERGES], state[N_PAIRS], state[N_HEAP], state[N_PLACES]
    why = ALL_MADE
    while made < n_asked:
        if work < 0:
            why = MERGES_PAUSED
            break

        # The winner: correct the top of the heap until it is right.
        best = -1
        if rarest:
            best = _rarest(flat, size, stored, n_pairs, rules)
        while not rarest and n_heap:
            pair = heap[0, PAIR]
            now = pairs[pair, COUNT]
            if now < threshold:
                n_heap = _pop(heap, n_heap)
                continue
            tie = np.int64(_first_place(flat, size, pairs, places, pair)) if by_place else heap[0, TIE]
            if now == heap[0, HEAP_COUNT] and tie == heap[0, TIE]:
                best = pair
                break
            heap[0, HEAP_COUNT], heap[0, TIE] = now, tie
            _sift_down(heap, n_heap)
        if best < 0:
            why = HEAP_EMPTY
            break
        n_places = pairs[best, PLACES_END] - pairs[best, PLACES_START]
        n_new = 2 * min(n_places, len(size))
        if (
            n_pairs + n_new > min(len(pairs), len(table) // 2)
            or n_listed + 2 * n_places > len(places)
            or n_places >= len(joined)
        ):
            state[PLACES_NEEDED] = n_places
            why = ARRAYS_FULL
            break
        if not rarest:
            n_heap = _pop(heap, n_heap)

        # How many tie. All pairs with the winner's count reach the threshold, so all of them are stored.
        count = pairs[best, COUNT]
        if count < len(histogram) - 1:
            tied = histogram[count]
        else:
            tied = 0
            for pair in range(n_pairs):
                tied += pairs[pair, COUNT] == count

        # The places where it still is, without overlaps: in 'aaa' the pair (a, a) is joined once. Branch-free.
        left, right, new = pairs[best, LEFT], pairs[best, RIGHT], made + 256
        left_size, new_size = np.int64(size[left]), np.int64(size[left] + size[right])
        size[new] = new_size
        _set_count(pairs, histogram, threshold, best, 0)
        n_joined, end = 0, np.int64(0)
        for i in range(pairs[best, PLACES_START], pairs[best, PLACES_END]):
            place = np.int64(places[i])
            stands = (flat[place, ID] == left) & (flat[place + left_size, ID] == right) & (place >= end)
            joined[n_joined, 0] = place
            n_joined += stands
            end = place + new_size if stands else end

        # Join it there, and add up by neighbour, GAP included: no branch, and no look-up in the hash table.
        n_before, n_after = 0, 0
        replaced, taken_back = np.int64(0), np.int64(0)
        for i in range(n_joined):
            place = np.int64(joined[i, 0])
            middle, end = place + left_size, place + new_size
            weight = np.int64(flat[place, WEIGHT])
            b, a = flat[place - 1, ID], flat[end, ID]
            flat[middle, ID] = INSIDE
            flat[middle, WEIGHT] = ~made
            flat[place, ID] = new
            flat[end - 1, ID] = new
            joined[i, 1], joined[i, 2] = b, a
            replaced += weight
            taken_back += weight if b == new else 0  # this `left` was counted as the right neighbour of that token
            befores[n_before] = b
            n_before += before[b, TIMES] == 0
            before[b, TIMES] += 1
            before[b, SUM] += weight
            before[b, AT] = place
            afters[n_after] = a
            n_after += after[a, TIMES] == 0
            after[a, TIMES] += 1
            after[a, SUM] += weight
            after[a, AT] = place

        # Once a neighbour: the pair it was in loses the weight, and a new pair with the new token gets it.
        old_pairs = n_pairs
        for i in range(n_before):
            b = np.int64(befores[i])
            weight, place = before[b, SUM], before[b, AT]
            times, before[b, TIMES], before[b, SUM], before[b, AT] = before[b, TIMES], 0, 0, -1
            if b == GAP:
                continue
            if b != new:
                pair = table[_slot(table, b, left), 1] - 1
                if pair >= 0:
                    _set_count(pairs, histogram, threshold, pair, pairs[pair, COUNT] - weight)
            if weight >= threshold and not (n_banned and _is_banned(ban, place - size[b], size[b] + new_size)):
                pairs[n_pairs, LEFT], pairs[n_pairs, RIGHT], pairs[n_pairs, COUNT] = b, new, 0
                pairs[n_pairs, PLACES_START], pairs[n_pairs, PLACES_END] = n_listed, n_listed + times
                _set_count(pairs, histogram, threshold, n_pairs, weight)
                before[b, AT] = n_listed
                n_listed += times
                n_pairs += 1
        for i in range(n_after):
            a = np.int64(afters[i])
            weight, place = after[a, SUM], after[a, AT]
            times, after[a, TIMES], after[a, SUM], after[a, AT] = after[a, TIMES], 0, 0, -1
            if a == GAP:
                continue
            pair = table[_slot(table, right, a), 1] - 1
            if pair >= 0:
                _set_count(pairs, histogram, threshold, pair, pairs[pair, COUNT] - weight)
            if a == left:
                weight -= taken_back
            if weight >= threshold and not (n_banned and _is_banned(ban, place, new_size + size[a])):
                pairs[n_pairs, LEFT], pairs[n_pairs, RIGHT], pairs[n_pairs, COUNT] = new, a, 0
                pairs[n_pairs, PLACES_START], pairs[n_pairs, PLACES_END] = n_listed, n_listed + times
                _set_count(pairs, histogram, threshold, n_pairs, weight)
                after[a, AT] = n_listed
                n_listed += times
                n_pairs += 1

        # List the places of the new pairs, left to right; then enter the pairs in the table and the heap.
        if n_pairs > old_pairs:
            for i in range(n_joined):
                place, b, a = joined[i, 0], joined[i, 1], joined[i, 2]
                if before[b, AT] >= 0:
                    places[before[b, AT]] = place - size[b]
                    before[b, AT] += 1
                if after[a, AT] >= 0:
                    places[after[a, AT]] = place
                    after[a, AT] += 1
        enter(table, pairs, old_pairs, n_pairs)
        if not rarest:
            for pair in range(old_pairs, n_pairs):
                if by_place:
                    tie = np.int64(places[pairs[pair, PLACES_START]])
                else:
                    tie = np.int64(_tie_of_ids(order, pairs[pair, LEFT], pairs[pair, RIGHT]))
                _push(heap, n_heap, pairs[pair, COUNT], tie, pair)
                n_heap += 1

        merges[made, LEFT], merges[made, RIGHT], merges[made, COUNT] = left, right, count
        merges[made, REPLACED], merges[made, TIED] = replaced, tied
        made += 1
        work -= n_places + MERGE_PLACES
    state[N_MERGES], state[N_PAIRS], state[N_HEAP], state[N_PLACES] = made, n_pairs, n_heap, n_listed
    return why


@kernel
def count_at(
    data: NDArray[np.uint8],
    seams: NDArray[np.int32],
    ends: Longs,
    counts: Longs,
    k: Number,
    chunk: Number,
    place: Number,
    table: Longs,
    pairs: Longs,
    n_pairs: Number,
) -> tuple[Number, Number, Number]:
    """Count the pairs after the first k merges, which the seams tell. Here a place is an offset in `data`.

    data, seams, ends, counts: the distinct chunks. Starts at a place of a chunk with `n_pairs` known, and returns
    (pairs found, chunk, place): where to go on if there is no room for another pair, else the number of chunks.
    """
    room = min(len(pairs), len(table) // 2)
    for c in range(chunk, len(ends)):
        start = ends[c - 1] if c else np.int64(0)
        if c > chunk:
            place = start
        left, left_place = np.int64(-1), place
        while place < ends[c]:
            rank, end = np.int64(-1), place + 1
            while end < ends[c] and seams[end] < k:
                rank = max(rank, np.int64(seams[end]))
                end += 1
            right = rank + 256 if rank >= 0 else np.int64(data[place])
            if left >= 0:
                slot = _slot(table, left, right)
                pair = table[slot, 1] - 1
                if pair < 0:
                    if n_pairs == room:
                        return n_pairs, c, left_place
                    pair = n_pairs
                    n_pairs += 1
                    table[slot, 0] = left << 32 | right
                    table[slot, 1] = pair + 1
                    pairs[pair, LEFT], pairs[pair, RIGHT], pairs[pair, COUNT] = left, right, 0
                    pairs[pair, PLACES_START] = left_place
                pairs[pair, COUNT] += counts[c]
            left, left_place, place = right, place, end
    return n_pairs, len(ends), np.int64(0)
