"""Defines the conditions of find-text. Each gets the rows of the text, and says whether it is met, and why or why not.

What is said of a text that is not right yet is made from that text, and is never an answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

import regex

from tokviz.base.sentences import SentencePart, Strong
from tokviz.base.text import whole_text
from tokviz.base.wording import capital, count_of, factor, plural, rate, times
from tokviz.cost.figures import words
from tokviz.teach.lessons.forms import letters
from tokviz.teach.lessons.rows import EncodingRow

Judged = tuple[bool, list[SentencePart]]


def fewer(rows: Sequence[EncodingRow], *, by: int = 1, factor_of: float = 1, first: int | None = None) -> Judged:
    """Check that the second row needs at least `by` tokens more than the first, and `factor_of` times as many.
    first: how many the first row needs exactly."""
    a, b = rows[0], rows[1]
    told: list[SentencePart] = [_counts(a, b), " "]
    if first is not None and a.tokens != first:
        return False, [_counts(a, b, f", and it has to be {first}"), " ", *_dearest(a)]
    where = _worst(a, b)
    enough = max(a.tokens + by, math.ceil(a.tokens * factor_of))
    if b.tokens >= enough:
        return True, [*told, f"{factor(b.tokens / a.tokens)} times as many. ", *where]
    if a.tokens > b.tokens:
        return False, [*told, f"“{a.title}” has to need fewer, and it needs more."]
    longest = max(b.pieces(), key=len)
    other: list[SentencePart] = [f"In “{b.title}” ", longest, " is one token."] if len(longest) > 1 else []
    return False, [_counts(a, b, last=f", and it has to be {enough} or more"), " ", *(where or other)]


def exact(rows: Sequence[EncodingRow], *, wanted: int) -> Judged:
    """Check that the text needs exactly `wanted` tokens."""
    row, size = rows[0], len(rows[0].text.encode())
    if row.tokens == wanted:
        return True, [f"{count_of(size, 'byte')} in {wanted} tokens: {rate(size / wanted)} bytes per token."]
    off, many = abs(row.tokens - wanted), row.tokens > wanted
    told = Strong(f"{off} too {'many' if many else 'few'}.")
    more = "Add a frequent word, or a mark." if off == 1 else "Add frequent words."
    return False, [told, " ", *(_dearest_chunk(row) if many else [more])]


def equally_long(rows: Sequence[EncodingRow], *, least: int, factor_of: float) -> Judged:
    """Check that both texts are equally long, of `least` characters or more, and that the second needs `factor_of`
    times as many tokens."""
    a, b = rows
    n, other = len(a.text), len(b.text)
    if n != other:
        longer, shorter = ("first", "second") if n > other else ("second", "first")
        more = count_of(abs(n - other), "character")
        return False, [f"The {longer} text is {more} longer than the {shorter}. A space is a character too."]
    if n < least:
        return False, [f"{count_of(n, 'character')} each. Each has to have {least} or more."]
    if b.tokens >= factor_of * a.tokens:
        return True, [f"{count_of(n, 'character')} each, and {factor(b.tokens / a.tokens)} times as many tokens."]
    if a.tokens >= factor_of * b.tokens:
        return False, ["The first text needs more tokens. Swap the two."]
    told = f"{count_of(a.tokens, 'token')} and {b.tokens}: {factor(b.tokens / a.tokens)} times as many. "
    long, short = max(b.pieces(), key=len), min(a.pieces(), key=len)
    if len(long) > 2:
        return False, [told, "In the second text ", long, " is one token. Write something there that was seldom seen."]
    return False, [told, "In the first text ", short, " is a token of its own. Write frequent words there."]


def same_count(rows: Sequence[EncodingRow], *, least: int) -> Judged:
    """Check that all rows need the same number of tokens, `least` or more."""
    counts = [row.tokens for row in rows]
    low, high = rows[counts.index(min(counts))], rows[counts.index(max(counts))]
    if low.tokens == high.tokens >= least:
        return True, [f"All of them need {count_of(low.tokens, 'token')}."]
    if low.tokens == high.tokens:
        return False, [f"All need {count_of(low.tokens, 'token')}, and it has to be {least} or more."]
    where = _worst(low, high)
    return False, [_counts(low, high), *([" ", *where] if where else [])]


def per_word(rows: Sequence[EncodingRow], *, rate_of: float, least: int) -> Judged:
    """Check that there are at least `rate_of` tokens for each word, and at least `least` words."""
    row = rows[0]
    n = words(row.text)
    if n is None:
        return False, ["This script has no spaces between words, so they cannot be counted. Take another one."]
    if n < least:
        return False, [f"{capital(count_of(n, 'word'))}, and it has to be {least} or more."]
    each = row.tokens / n
    told: list[SentencePart] = [
        f"{count_of(row.tokens, 'token')} for {count_of(n, 'word')}: {rate(each)} tokens per word."
    ]
    if each >= rate_of:
        return True, told
    whole = [token for token in row.pieces() if len(token.strip()) > 3]
    frequent = max(whole, key=len, default=b"")
    why: list[SentencePart] = [" ", frequent, " is one token: it was frequent in the corpus."] if frequent else []
    return False, [*told, *why]


def per_character(rows: Sequence[EncodingRow], *, least: int) -> Judged:
    """Check that no character of the text is in ASCII, and that there are at least `least`."""
    text = rows[0].text
    ascii_ones = Counter(character for character in text if character.isascii())
    if ascii_ones:
        often = ascii_ones.most_common(1)[0][0].encode()
        return False, [f"ASCII has {count_of(ascii_ones.total(), 'character')} of it, such as ", often, "."]
    if len(text) < least:
        return False, [f"{capital(count_of(len(text), 'character'))}, and it has to be {least} or more."]
    kept = f"In UTF-8 they are {len(text.encode())} bytes, and all come back."
    return True, [f"All {len(text)} characters are lost in ASCII. {kept}"]


def thousands(rows: Sequence[EncodingRow], *, digits: int) -> Judged:
    """Check for a number of `digits` digits or more whose last three are one token, and so all threes before them."""
    row = rows[0]
    text = row.text.strip()
    if not regex.fullmatch(r"[\d,. _']+", text, regex.ASCII):
        return False, ["Type a number in figures, and only that."]
    n = sum(character.isdigit() for character in text)
    if n < digits:
        return False, [f"{capital(count_of(n, 'digit'))}, and it has to be {digits} or more."]
    parts = [token for token in row.pieces() if any(48 <= byte < 58 for byte in token)]
    wrong = next((part for part in reversed(parts[1:]) if len(part.strip(b" ")) != 3), None)
    if wrong is None:
        return True, ["The threes are counted from the right: ", *_chips(parts), "."]
    whose = "the last three digits" if wrong is parts[-1] else "three digits"
    return False, [wrong, f" is a token of {count_of(len(wrong.strip(b' ')), 'digit')}, where {whose} should be one."]


def special(rows: Sequence[EncodingRow], *, least: int = 1) -> Judged:
    """Check for a special token of the first tokenizer, for which the last one needs at least `least` tokens."""
    a, b = rows[0], rows[-1]
    known = list(a.by.tokenizer.special_tokens)
    held = [token for token in known if token in a.text]
    if not held:
        near = max(known, key=lambda token: _begins_alike(token, a.text))
        alike = _begins_alike(near, a.text)
        if alike > 2:
            told = f"{a.by.title} has a special token that begins like this, up to "
            return False, [told, near[:alike].encode(), "."]
        return False, [f"{a.by.title} has {count_of(len(known), 'special token')}. None of them is in this text."]
    there = b.by.tokenizer
    tokens = len(there.encode_ordinary(held[0])) if b is a else len(there.encode(held[0], allowed_special="all"))
    if tokens < least:
        return False, [f"{b.by.title} reads ", held[0].encode(), f" as {count_of(tokens, 'token')} too."]
    id = a.by.tokenizer.special_tokens[held[0]]
    other = "as plain text it is" if b is a else f"{b.by.title} needs"
    return True, [held[0].encode(), f" is one token of {a.by.title}, id {id}; {other} {count_of(tokens, 'token')}."]


def one_letter(rows: Sequence[EncodingRow], *, least: int) -> Judged:
    """Check for one letter or sign, as a reader counts, that needs at least `least` tokens."""
    row = rows[0]
    seen = letters(row.text.strip())
    points = len(row.text.strip())
    if len(seen) != 1:
        return False, [f"A reader sees {len(seen)} signs here. Type one."]
    told = f"One sign, {count_of(points, 'code point')}, {count_of(row.tokens, 'token')}"
    if row.tokens >= least:
        return True, [f"{told}."]
    return False, [f"{told}, and it has to be {least} or more. A sign can be joined from several code points."]


def uses(rows: Sequence[EncodingRow], *, token: str) -> Judged:
    """Check that the token is one of the text's."""
    row, wanted = rows[0], token.encode()
    n = row.pieces().count(wanted)
    if n:
        return True, [wanted, f" is a token of this text, {times(n)}."]
    if wanted not in row.text.encode():
        bare = wanted.strip()
        if bare and bare in row.text.encode():
            return False, ["The letters are there, but ", wanted, " begins with a space, and they do not."]
        return False, ["The text does not have these bytes. Capitals and spaces count."]
    at = row.text.encode().index(wanted)
    around = [each for each in _over(row, at, at + len(wanted)) if each != wanted]
    return False, ["The bytes are there, but its neighbours were merged differently: ", *_chips(around), "."]


def untouched(rows: Sequence[EncodingRow], *, least: int) -> Judged:
    """Check that no merge acts in the text: it has as many tokens as bytes, and at least `least`."""
    row = rows[0]
    merged = [token for token in row.pieces() if len(token) > 1]
    if merged:
        were = "was" if len(merged) == 1 else "were"
        return False, [f"{capital(count_of(len(merged), 'token'))} here {were} merged, such as ", merged[0], "."]
    if row.tokens < least:
        return False, [f"{capital(count_of(row.tokens, 'token'))}, and it has to be {least} or more."]
    return True, [f"No merge acts in it, so there is nothing to leave out: {row.tokens} bytes, {row.tokens} tokens."]


def unknown(rows: Sequence[EncodingRow]) -> Judged:
    """Check that the first tokenizer has no token for something in the text."""
    row = rows[0]
    peer = row.by.tokenizer
    pieces = row.pieces()
    tokens = row.encoding.tokens() if row.encoding else ()
    lost = [token for token in tokens if peer.unknown is not None and token.id == peer.unknown]
    if lost:
        data = row.text.encode()[lost[0].start : lost[0].end]
        if len(data.decode()) < 2:
            return False, ["A single sign is not a word. Put it into one."]
        return True, [data, " became the unknown token. Its id does not tell what was there."]
    return False, [f"All of it is in the vocabulary, in {count_of(len(pieces), 'piece')}: ", *_chips(pieces[:4]), "."]


def differ(rows: Sequence[EncodingRow], *, less: bool = False) -> Judged:
    """Check that the two rows are cut differently. less: the second one into more tokens, too."""
    a, b = rows[0], rows[1]
    if a.pieces() == b.pieces():
        merged = [token for token in a.pieces() if len(token) > 1]
        if not merged:
            return False, ["No merge acts in this text, so nothing can differ."]
        return False, ["Both give ", *_chips(a.pieces()[:6]), f", {count_of(a.tokens, 'token')}. The same."]
    start, end, *_ = next(region for region in _regions(a, b) if max(region[2:]) > 1)
    in_a, in_b = (_chips(_over(row, start, end)) for row in (a, b))
    told: list[SentencePart] = ["The first row has ", *in_a, ", the second row ", *in_b]
    if less and a.tokens >= b.tokens:
        but = f". But it has to cost more tokens, and {a.tokens} {plural(a.tokens, 'token')} become {b.tokens}."
        return False, [*told, but]
    return True, [*told, f". {capital(count_of(a.tokens, 'token'))} in the first row, {b.tokens} in the second."]


# --- words ---


def _counts(a: EncodingRow, b: EncodingRow, first: str = "", last: str = "") -> str:
    """Say what both rows need. first, last: what is said of it behind each."""
    return f"{a.title}: {count_of(a.tokens, 'token')}{first}. {b.title}: {count_of(b.tokens, 'token')}{last}."


def _chips(tokens: Sequence[bytes], most: int = 6) -> list[SentencePart]:
    """Put tokens side by side in a sentence."""
    parts: list[SentencePart] = []
    for token in tokens[:most]:
        parts += [" ", token] if parts else [token]
    return [*parts, " and more"] if len(tokens) > most else parts


def _begins_alike(token: str, text: str) -> int:
    """Measure the longest beginning of the token that the text has."""
    return next((size for size in range(len(token), 0, -1) if token[:size] in text), 0)


# --- where two rows differ ---


def _dearest(row: EncodingRow) -> list[SentencePart]:
    """Say that no merge joins the two shortest neighbours."""
    pieces = row.pieces()
    if len(pieces) < 2:
        return []
    at = min(range(len(pieces) - 1), key=lambda i: len(pieces[i]) + len(pieces[i + 1]))
    return ["No merge joins ", pieces[at], " and ", pieces[at + 1], "."]


def _dearest_chunk(row: EncodingRow) -> list[SentencePart]:
    """Say which chunk needs most tokens, which two of them no merge joins, and whether a space before it helps."""
    chunks: dict[int, list[bytes]] = {}
    for token in row.encoding.tokens() if row.encoding is not None else ():
        chunks.setdefault(token.chunk, []).append(token.data)
    inside = max(chunks.values(), key=len)
    whole = b"".join(inside)
    if len(inside) == 1:
        return ["Each chunk is one token already: take a word away."]
    says: list[SentencePart] = [
        whole,
        f" alone needs {len(inside)}: no merge joins ",
        inside[0],
        " and ",
        inside[1],
        ".",
    ]
    text = whole_text(whole)
    if text and not text.startswith(" "):
        with_space = len(row.by.tokenizer.encode_ordinary(f" {text}"))
        if with_space < len(inside):
            says += [" With a space before it, ", b" " + whole, f" needs {with_space}."]
    return says


def _ends(row: EncodingRow) -> list[int]:
    return row.encoding.ends.tolist() if row.encoding is not None else []


def _over(row: EncodingRow, start: int, end: int) -> list[bytes]:
    """List the tokens that cover these bytes."""
    data = row.text.encode()
    return [data[a:b] for a, b in pairwise([0, *_ends(row)]) if a < end and b > start]


def _regions(a: EncodingRow, b: EncodingRow) -> Iterator[tuple[int, int, int, int]]:
    """Yield from each boundary that both share to the next: its first byte, its end, the tokens of a and of b."""
    before_a, before_b = ({end: n for n, end in enumerate([0, *_ends(row)])} for row in (a, b))
    for start, end in pairwise(sorted(before_a.keys() & before_b.keys())):
        yield start, end, before_a[end] - before_a[start], before_b[end] - before_b[start]


def _worst(a: EncodingRow, b: EncodingRow) -> list[SentencePart]:
    """Show the place that costs most in b over a, in both. Empty if none costs more, or the texts differ."""
    if a.text != b.text:
        return []
    start, end, in_a, in_b = max(_regions(a, b), key=lambda region: region[3] - region[2])
    told = f" is {count_of(in_a, 'token')} in “{a.title}” and {in_b} in “{b.title}”."
    return [a.text.encode()[start:end], told] if in_b > in_a else []


FINDS: Mapping[str, Callable[..., Judged]] = {
    "exact": exact,
    "equally-long": equally_long,
    "fewer": fewer,
    "same": same_count,
    "per-word": per_word,
    "not-ascii": per_character,
    "thousands": thousands,
    "special": special,
    "one-sign": one_letter,
    "uses": uses,
    "untouched": untouched,
    "unknown": unknown,
    "differ": differ,
}
