"""Defines the conditions of find-text. Each gets the rows of the text, and says whether it is met, and why or why not.

What is said of a text that is not right yet is made from that text, and is never an answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import regex

from tokviz.base.sentences import SentencePart, Strong
from tokviz.base.text import whole_text
from tokviz.base.wording import capital, count_of, factor, plural, rate, times
from tokviz.comparison.comparison import Comparison
from tokviz.cost.figures import words
from tokviz.teach.lessons.forms import letters
from tokviz.teach.lessons.rows import EncodingRow

Found = tuple[bool, list[SentencePart]]
"""Whether the condition is met, and why or why not."""


def fewer(rows: Sequence[EncodingRow], *, by: int = 1, factor_of: float = 1, first: int | None = None) -> Found:
    """Check that the second row needs at least `by` tokens more than the first, and `factor_of` times as many.
    first: how many the first row needs exactly."""
    a, b = rows[:2]
    if first is not None and a.tokens != first:
        return False, [_counts(a, b, f", and it has to be {first}"), " ", *_dearest(a)]
    where = _worst(a, b)
    enough = max(a.tokens + by, math.ceil(a.tokens * factor_of))
    if b.tokens >= enough:
        return True, [_counts(a, b), f" {factor(b.tokens / a.tokens)} times as many. ", *where]
    if a.tokens > b.tokens:
        return False, [_counts(a, b), f" “{a.title}” has to need fewer, and it needs more."]
    longest = max(b.pieces(), key=len)
    other = [f"In “{b.title}” ", longest, " is one token."] if len(longest) > 1 else []
    return False, [_counts(a, b, last=f", and it has to be {enough} or more"), " ", *(where or other)]


def exact(rows: Sequence[EncodingRow], *, wanted: int) -> Found:
    """Check that the text needs exactly `wanted` tokens."""
    row, size = rows[0], len(rows[0].text.encode())
    if row.tokens == wanted:
        return True, [f"{count_of(size, 'byte')} in {wanted} tokens: {rate(size / wanted)} bytes per token."]
    off, many = abs(row.tokens - wanted), row.tokens > wanted
    told = Strong(f"{off} too {'many' if many else 'few'}.")
    more = "Add a frequent word, or a mark." if off == 1 else "Add frequent words."
    return False, [told, " ", *(_dearest_chunk(row) if many else [more])]


def equally_long(rows: Sequence[EncodingRow], *, least: int, factor_of: float) -> Found:
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


def same(rows: Sequence[EncodingRow], *, least: int) -> Found:
    """Check that all rows need the same number of tokens, `least` or more."""
    counts = [row.tokens for row in rows]
    low, high = rows[counts.index(min(counts))], rows[counts.index(max(counts))]
    if low.tokens == high.tokens >= least:
        return True, [f"All of them need {count_of(low.tokens, 'token')}."]
    if low.tokens == high.tokens:
        return False, [f"All need {count_of(low.tokens, 'token')}, and it has to be {least} or more."]
    where = _worst(low, high)
    return False, [_counts(low, high), *([" ", *where] if where else [])]


def per_word(rows: Sequence[EncodingRow], *, rate_of: float, least: int) -> Found:
    """Check that there are at least `rate_of` tokens for each word, and at least `least` words."""
    row = rows[0]
    n = words(row.text)
    if n is None:
        return False, ["This script has no spaces between words, so they cannot be counted. Take another one."]
    if n < least:
        return False, [f"{capital(count_of(n, 'word'))}, and it has to be {least} or more."]
    each = row.tokens / n
    told = f"{count_of(row.tokens, 'token')} for {count_of(n, 'word')}: {rate(each)} tokens per word."
    if each >= rate_of:
        return True, [told]
    frequent = max((token for token in row.pieces() if len(token.strip()) > 3), key=len, default=b"")
    why: list[SentencePart] = [" ", frequent, " is one token: it was frequent in the corpus."] if frequent else []
    return False, [told, *why]


def not_ascii(rows: Sequence[EncodingRow], *, least: int) -> Found:
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


def thousands(rows: Sequence[EncodingRow], *, digits: int) -> Found:
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


def special(rows: Sequence[EncodingRow], *, least: int = 1) -> Found:
    """Check for a special token of the first tokenizer, for which the last one needs at least `least` tokens."""
    a, b = rows[0], rows[-1]
    known = list(a.by.tokenizer.special_tokens)
    held = [token for token in known if token in a.text]
    if not held:
        beginnings = (token[:size] for token in known for size in range(len(token) + 1))
        alike = max((each for each in beginnings if each in a.text), key=len, default="")
        if len(alike) > 2:
            return False, [f"{a.by.title} has a special token that begins like this, up to ", alike.encode(), "."]
        return False, [f"{a.by.title} has {count_of(len(known), 'special token')}. None of them is in this text."]
    there = b.by.tokenizer
    tokens = len(there.encode_ordinary(held[0])) if b is a else len(there.encode(held[0], allowed_special="all"))
    if tokens < least:
        return False, [f"{b.by.title} reads ", held[0].encode(), f" as {count_of(tokens, 'token')} too."]
    id = a.by.tokenizer.special_tokens[held[0]]
    other = "as plain text it is" if b is a else f"{b.by.title} needs"
    return True, [held[0].encode(), f" is one token of {a.by.title}, id {id}; {other} {count_of(tokens, 'token')}."]


def one_sign(rows: Sequence[EncodingRow], *, least: int) -> Found:
    """Check for one letter or sign, as a reader counts, that needs at least `least` tokens."""
    row = rows[0]
    text = row.text.strip()
    seen = len(letters(text))
    if seen != 1:
        return False, [f"A reader sees {seen} signs here. Type one."]
    told = f"One sign, {count_of(len(text), 'code point')}, {count_of(row.tokens, 'token')}"
    if row.tokens >= least:
        return True, [f"{told}."]
    return False, [f"{told}, and it has to be {least} or more. A sign can be joined from several code points."]


def uses(rows: Sequence[EncodingRow], *, token: str) -> Found:
    """Check that the token is one of the text's."""
    row, wanted = rows[0], token.encode()
    data, n = row.text.encode(), row.pieces().count(wanted)
    if n:
        return True, [wanted, f" is a token of this text, {times(n)}."]
    at = data.find(wanted)
    if at < 0:
        if wanted.strip() and wanted.strip() in data:
            return False, ["The letters are there, but ", wanted, " begins with a space, and they do not."]
        return False, ["The text does not have these bytes. Capitals and spaces count."]
    around = [each for each in _over(row, at, at + len(wanted)) if each != wanted]
    return False, ["The bytes are there, but its neighbours were merged differently: ", *_chips(around), "."]


def untouched(rows: Sequence[EncodingRow], *, least: int) -> Found:
    """Check that no merge acts in the text: it has as many tokens as bytes, and at least `least`."""
    row = rows[0]
    merged = [token for token in row.pieces() if len(token) > 1]
    if merged:
        were = "was" if len(merged) == 1 else "were"
        return False, [f"{capital(count_of(len(merged), 'token'))} here {were} merged, such as ", merged[0], "."]
    if row.tokens < least:
        return False, [f"{capital(count_of(row.tokens, 'token'))}, and it has to be {least} or more."]
    return True, [f"No merge acts in it, so there is nothing to leave out: {row.tokens} bytes, {row.tokens} tokens."]


def unknown(rows: Sequence[EncodingRow]) -> Found:
    """Check that the first tokenizer has no token for something in the text."""
    row, unknown = rows[0], rows[0].by.tokenizer.unknown
    lost = next((token for token in row.places() if unknown is not None and token.id == unknown), None)
    if lost is None:
        pieces = row.pieces()
        in_all = count_of(len(pieces), "piece")
        return False, [f"All of it is in the vocabulary, in {in_all}: ", *_chips(pieces[:4]), "."]
    data = row.text.encode()[lost.start : lost.end]
    if len(data.decode()) < 2:
        return False, ["A single sign is not a word. Put it into one."]
    return True, [data, " became the unknown token. Its id does not tell what was there."]


def differ(rows: Sequence[EncodingRow], *, less: bool = False) -> Found:
    """Check that the two rows are cut differently. less: the second one into more tokens, too."""
    a, b = rows[:2]
    if a.pieces() == b.pieces():
        if all(len(token) == 1 for token in a.pieces()):
            return False, ["No merge acts in this text, so nothing can differ."]
        return False, ["Both give ", *_chips(a.pieces()[:6]), f", {count_of(a.tokens, 'token')}. The same."]
    in_a, in_b = map(_chips, _parted(a, b)[0])
    told = ["The first row has ", *in_a, ", the second row ", *in_b]
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
    parts = [part for token in tokens[:most] for part in (" ", token)][1:]
    return [*parts, " and more"] if len(tokens) > most else [*parts]


# --- where two rows differ ---


def _dearest(row: EncodingRow) -> list[SentencePart]:
    """Say that no merge joins the two shortest neighbours."""
    two = min(pairwise(row.pieces()), key=lambda two: len(two[0] + two[1]), default=None)
    return ["No merge joins ", two[0], " and ", two[1], "."] if two else []


def _dearest_chunk(row: EncodingRow) -> list[SentencePart]:
    """Say which chunk needs most tokens, which two of them no merge joins, and whether a space before it helps."""
    chunks: dict[int, list[bytes]] = {}
    for token in row.places():
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


def _over(row: EncodingRow, start: int, end: int) -> list[bytes]:
    """List the tokens that cover these bytes."""
    return [token.data for token in row.places() if token.start < end and token.end > start]


def _parted(a: EncodingRow, b: EncodingRow) -> list[tuple[list[bytes], list[bytes]]]:
    """List the tokens of both rows in each region that they cut differently. Empty if their texts differ."""
    if a.encoding is None or b.encoding is None or a.text != b.text:
        return []
    regions = Comparison((a.by.tokenizer, b.by.tokenizer), (a.encoding, b.encoding)).regions
    return [(_over(a, *region), _over(b, *region)) for region in regions]


def _worst(a: EncodingRow, b: EncodingRow) -> list[SentencePart]:
    """Show the place that costs most in b over a, in both. Empty if none costs more, or the texts differ."""
    in_a, in_b = max(_parted(a, b), key=lambda tokens: len(tokens[1]) - len(tokens[0]), default=([], []))
    told = f" is {count_of(len(in_a), 'token')} in “{a.title}” and {len(in_b)} in “{b.title}”."
    return [b"".join(in_a), told] if len(in_b) > len(in_a) else []


_ALL = (exact, equally_long, fewer, same, per_word, not_ascii, thousands, special, one_sign, uses, untouched, unknown)
FINDS: Mapping[str, Callable[..., Found]] = {find.__name__.replace("_", "-"): find for find in (*_ALL, differ)}
