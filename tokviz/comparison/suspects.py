"""Makes texts on which two tokenizers may differ, from what differs in their tables. `tokviz.same` tries them.

Two tokenizers can only differ on a text if something in it is treated differently: a token that is not in both, or has
another id, parts or place in the order of merges; a special token; a place where one pattern cuts and the other does
not. So these are the texts that are worth trying. None of them is known to differ.
"""

from __future__ import annotations

import functools
import itertools
import random
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice

from tokviz.base.text import whole_text
from tokviz.split.cut_alike import CutsCompared
from tokviz.tokenizer.ids import ordinary_ids
from tokviz.tokenizer.tokenizer import Tokenizer

NEIGHBOURS_OF = 300  # changed tokens whose neighbours are tried
COMPLETIONS = 64  # texts for a token that is not valid UTF-8 by itself
LONGEST = 12  # characters of a token that is put in place of characters of a text
ENOUGH = 8  # tokens of the same kinds of characters
_CHANGED = ("A", " ", "e\u0301", "\u00e9", "\ufb01", "\u2460", "\u212b", "\uac00", "\u0958", "\u0130", "\u2581")
PIECES = 6  # in a random text, at most
_SOME = [*map(chr, range(0x80, 0x800)), *map(chr, range(0x800, 0xD800, 61)), *map(chr, range(0x10000, 0x110000, 997))]


def changed_tokens(a: Tokenizer, b: Tokenizer) -> list[bytes]:
    """List the tokens that only one has, and those with another id, parts or place in the order; the shortest first.

    Where the orders differ, as few tokens as possible are taken as the ones that moved.

    >>> ab = Tokenizer("ab", [(97, 98), (98, 99), (99, 100)])
    >>> changed_tokens(ab, Tokenizer("bc", [(98, 99), (97, 98), (99, 100)], merge_ids=[257, 256, 258]))
    [b'ab']
    """
    ranks_a, ranks_b = _ranks(a), _ranks(b)
    ids_a, ids_b = _ids(a), _ids(b)
    common = [token for token in ranks_a if token in ranks_b]
    found = {token for token in ids_a.keys() | ids_b.keys() if ids_a.get(token) != ids_b.get(token)}
    found |= {common[place] for place in _moved([ranks_b[token] for token in common])}
    if not (a.by_bytes and b.by_bytes):
        parts_a, parts_b = _parts(a), _parts(b)
        found |= {token for token in common if parts_a[token] != parts_b[token]}
    return sorted(found, key=lambda token: (len(token), token))


def _ranks(tok: Tokenizer) -> dict[bytes, int]:
    vocab = tok.vocab
    return {vocab[id]: rank for rank, id in enumerate(tok.merge_ids.tolist())}


def _ids(tok: Tokenizer) -> dict[bytes, int]:
    return {tok.vocab[id]: id for id in ordinary_ids(tok)}


def _parts(tok: Tokenizer) -> dict[bytes, tuple[bytes | None, bytes | None]]:
    vocab = tok.vocab
    ids = zip(tok.merge_ids.tolist(), tok.merges, strict=True)
    return {vocab[id]: (vocab.get(left), vocab.get(right)) for id, (left, right) in ids}


def _moved(ranks: list[int]) -> list[int]:
    """Find the places of the numbers that are not in one longest ascending row of them.

    >>> _moved([0, 3, 1, 2, 4])
    [1]
    """
    lows: list[int] = []  # the lowest number that ends an ascending row of each length
    lengths = []
    for rank in ranks:
        length = bisect_left(lows, rank)
        lows[length : length + 1] = [rank]
        lengths.append(length)
    wanted, moved = len(lows) - 1, []
    for place in range(len(ranks) - 1, -1, -1):
        if lengths[place] == wanted:
            wanted -= 1
        else:
            moved.append(place)
    return moved[::-1]


def as_texts(token: bytes) -> Iterator[str]:
    """Yield the token as a text or, if it is not valid UTF-8, texts that complete it with bytes before and after it.

    >>> list(as_texts(b"ab")), len(list(as_texts(b"\\xc3"))), len(list(as_texts(b"\\xff")))
    (['ab'], 64, 0)
    """
    lead = next((i for i, byte in enumerate(token) if byte & 0xC0 != 0x80), len(token))
    last = next((i for i in range(1, min(4, len(token)) + 1) if token[-i] >= 0xC0), 0)
    width = 1 + (token[-last] >= 0xC0) + (token[-last] >= 0xE0) + (token[-last] >= 0xF0) if last else 0
    heads = _heads(lead) if lead else [b""]
    tails = _tails(token[-last:], width) if last and last < width else [b""]
    made = 0
    for data in (head + token + tail for head, tail in itertools.product(heads, tails)):
        text = whole_text(data)
        if text is not None:
            yield text
            made += 1
            if made == COMPLETIONS:
                return


@functools.cache
def _heads(n: int) -> list[bytes]:
    """Return what may precede n bytes that continue a character; few bytes first."""
    return sorted({c.encode()[:-n] for c in _SOME if len(c.encode()) > n}, key=len)


@functools.lru_cache(maxsize=256)
def _tails(begun: bytes, width: int) -> list[bytes]:
    """Return what may complete a character of this width that begins with these bytes."""
    ends = [bytes([byte]) for byte in range(0x80, 0xC0)]
    middles = [b""] if width - len(begun) == 1 else [b"\x80", b"\x9f", b"\xa0", b"\xbf"]
    more = [b""] if width - len(begun) < 3 else [b"\x80", b"\x8f", b"\x90", b"\xa0", b"\xbf"]
    return [first + second + end for first in more for second in middles for end in ends]


def neighbours(a: Tokenizer, b: Tokenizer, changed: Iterable[bytes]) -> Iterator[str]:
    """Yield texts of each changed token and what competes with its parts, or what it becomes a part of.

    If a token is made of l and r, then a merge of r with a z competes with it in the text l r z; likewise on the left.
    """
    some = list(islice(changed, NEIGHBOURS_OF))
    parts = {(left, right) for tok in (a, b) for token in some for left, right in _last_merge(tok, token)}
    before: dict[bytes, set[bytes]] = {token: {b""} for token in some}  # a token -> what may precede it
    after: dict[bytes, set[bytes]] = {token: {b""} for token in some}
    for left, right in parts:
        after.setdefault(right, set()).add(left)
        before.setdefault(left, set()).add(right)
    sizes = {*map(len, after), *map(len, before)}
    for token in sorted({*a.vocab.values(), *b.vocab.values()}, key=len):
        for size in sizes:
            if size < len(token):
                for left in after.get(token[:size], ()):
                    yield from as_texts(left + token)
                for right in before.get(token[-size:], ()):
                    yield from as_texts(token + right)


def _last_merge(tok: Tokenizer, token: bytes) -> list[tuple[bytes, bytes]]:
    """Return the two parts that the last merge joins to this token, if there is one."""
    rank = tok.rank_of(token)
    parts = [] if rank is None else tok.truncated(256 + rank).merged(token)
    return [(parts[0], parts[1])] if len(parts) == 2 else []


def specials(a: Tokenizer, b: Tokenizer) -> Iterator[str]:
    """Yield the special and added tokens that are not the same in both, alone and beside a letter or another one."""
    kinds = (a.special_tokens, b.special_tokens), (a.added_tokens, b.added_tokens)
    changed = {token for mine, theirs in kinds for token, _ in mine.items() ^ theirs.items()}
    others = ["a", " ", *islice({**a.cut_tokens, **b.cut_tokens}, 50)]
    for token in sorted(changed, key=len):
        yield token
        for other in others:
            yield other + token
            yield token + other
        yield from (token[:end] + token for end in range(1, min(len(token), 50)))


def normalized(a: Tokenizer, b: Tokenizer) -> Iterator[str]:
    """Texts that one normalizer may change and the other not, alone and beside letters."""
    steps = [step for tok in (a, b) if tok.normalizer for step in tok.normalizer.steps]
    written = [text for step in steps for text in (step.what, step.by)]
    for text in ("a", *_CHANGED, *written, *islice({**a.cut_tokens, **b.cut_tokens}, 50)):
        yield from (text, f"a{text}", f"{text}a", f"a{text}a", text * 2)


def across_cuts(a: Tokenizer, b: Tokenizer, cuts: CutsCompared, n_random: int) -> Iterator[str]:
    """Yield texts that the two patterns cut differently, with tokens in them that reach across the cut.

    A token replaces a part of the text if its characters are of the same kinds. At the end of the text the token may be
    longer than that part. Random texts with other characters of the same kinds follow.
    """
    kind = functools.cache(lambda character: int(cuts.kinds[ord(character)]))
    places: dict[tuple[int, ...], list[tuple[str, str]]] = {}  # kinds of characters -> (text before, text after)
    at_end: dict[tuple[int, ...], list[str]] = {}  # kinds of the last characters -> text before
    for text in cuts.texts:
        kinds = tuple(map(kind, text))
        for start in range(len(text)):
            at_end.setdefault(kinds[start:], []).append(text[:start])
        for start, end in itertools.combinations(range(len(text) + 1), 2):
            if end - start > 1:
                places.setdefault(kinds[start:end], []).append((text[:start], text[end:]))
    characters: dict[int, set[str]] = {}
    beginning: dict[int, list[str]] = {}  # kind of the first character -> tokens
    used, used_at_end = dict.fromkeys(places, 0), dict.fromkeys(at_end, 0)
    found = list(cuts.texts)
    for text in texts(a, b):
        if len(text) <= LONGEST:
            kinds = tuple(map(kind, text))
            beginning.setdefault(kinds[0], []).append(text)
            for number, character in zip(kinds, text, strict=True):
                characters.setdefault(number, set()).add(character)
            if used.get(kinds, ENOUGH) < ENOUGH:
                used[kinds] += 1
                found += [before + text + after for before, after in places[kinds][:20]]
            for begun in (kinds[:end] for end in range(1, len(kinds))):
                if used_at_end.get(begun, ENOUGH) < ENOUGH:
                    used_at_end[begun] += 1
                    found += [before + text for before in at_end[begun][:20]]
    choose = random.Random(1)  # noqa: S311  # the same texts each time
    pools = {number: sorted(members) for number, members in characters.items()}
    for _ in range(n_random if cuts.texts else 0):
        text = choose.choice(cuts.texts)
        mixed = "".join(choose.choice(pools.get(kind(character), [character])) for character in text)
        yield mixed + choose.choice(["", "", "a", " ", "1", mixed, text])
        start = choose.randrange(len(text))
        yield mixed[:start] + choose.choice(beginning.get(kind(text[start]), [text[start:]]))
    yield from found


def texts(a: Tokenizer, b: Tokenizer) -> Iterator[str]:
    """Yield the tokens that are texts, the shortest first."""
    tokens = sorted({*a.vocab.values(), *b.vocab.values()}, key=lambda token: (len(token), token))
    yield from (text for text in map(whole_text, tokens) if text is not None)


def mixes(a: Tokenizer, b: Tokenizer, likely: list[str], n: int) -> Iterator[str]:
    """Yield n random texts of up to PIECES pieces: of the likely ones, and of tokens of both, special tokens too."""
    choose = random.Random(2)  # noqa: S311
    all_tokens = list(texts(a, b))
    tokens = choose.sample(all_tokens, min(len(all_tokens), 200)) + [*a.cut_tokens, *b.cut_tokens][:20]
    pools = [pool for pool in (likely, tokens, list("a b1'\n.")) if pool]
    for _ in range(n):
        yield "".join(choose.choice(choose.choice(pools)) for _ in range(choose.randint(1, PIECES)))
