r"""Computes the figures by which a tokenizer is judged on a text, and what a text costs.

A *word* is a run of characters between white space (`\s` of the `regex` package). Chinese, Japanese, Thai, Khmer, Lao
and Burmese are written without spaces between words. If their scripts make up at least the share `UNSPACED` of a text's
letters, its words are not counted: every figure per word is None, and pages show characters per token instead.

Most figures are read off a Tally, which one pass over the seams makes. It also gives the number of tokens under every
smaller vocabulary. A long text is tallied piece by piece, with the same result. `data/figures.toml` defines each figure
and names its source.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.base.data import DATA
from tokviz.base.errors import SettingError
from tokviz.base.text import utf8_widths
from tokviz.tokenizer.encoding import Encoding, count_closed, tokens_at

UNSPACED = 0.25
ALPHA = 2.5  # the order of the Rényi entropy in the Rényi efficiency, as its authors chose it
BLOCK = 1_000_000  # characters of a long text that are classified at once

_DEFINITIONS = DATA / "figures.toml"
Counts = NDArray[np.int64]

_KINDS = (
    regex.compile(r"\s"),
    regex.compile(r"[\p{L}\p{M}]"),
    # only letters of these scripts; ー belongs to both kana scripts, so Unicode assigns it to neither
    regex.compile(r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}ー]&&[\p{L}\p{M}]]", regex.V1),
)
_EXACT = Context(prec=60)  # digits; more than any price needs, so that costs are exact


def words(text: str) -> int | None:
    """Count the words in a text; None if its script does not separate them.

    >>> words("The cat  sat."), words("猫がマットに座った。"), words("你 means you, and a great deal more")
    (3, None, 8)
    """
    return facts_of(text).words


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Holds what can be counted in a text without a tokenizer.

    runs: of characters between white space. letters: of all scripts.
    unspaced: letters of the scripts without spaces between words.
    inside: bool[bytes], whether a boundary before that byte splits a word.
    """

    bytes: int
    characters: int
    runs: int
    letters: int
    unspaced: int
    inside: NDArray[np.bool_] = field(repr=False, compare=False)

    @property
    def words(self) -> int | None:
        """The number of words, or None if the script does not separate them."""
        return None if self.unspaced and self.unspaced >= UNSPACED * self.letters else self.runs


def facts_of(text: str) -> TextFacts:
    """Count the facts of a text, once for the tallies of any number of tokenizers.

    >>> facts_of("naïve cat").inside.nonzero()[0].tolist()  # ï is two bytes
    [1, 2, 3, 4, 5, 8, 9]
    """
    blocks = [_read_block(text[i : i + BLOCK]) for i in range(0, len(text), BLOCK)]
    in_word = np.concatenate([np.empty(0, np.bool_), *(in_word for in_word, *_ in blocks)])
    before = np.append(False, in_word[:-1])[: len(in_word)]
    runs = int((in_word & ~before).sum())
    letters, unspaced = sum(letters for _, letters, _ in blocks), sum(unspaced for *_, unspaced in blocks)
    return TextFacts(len(in_word), len(text), runs, letters, unspaced, in_word & before)


def _read_block(text: str) -> tuple[NDArray[np.bool_], int, int]:
    """Find which bytes belong to a word, and count the letters and those of them that are `unspaced`.

    Each distinct character is classified once and then looked up, which is 20 times faster than matching every word.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    counts = np.bincount(codes)
    seen = "".join(map(chr, np.flatnonzero(counts)))
    spaces, letters, unspaced = (np.array([*map(ord, kind.findall(seen))], np.int64) for kind in _KINDS)
    of_word = np.ones(len(counts), np.bool_)
    of_word[spaces] = False
    in_word = of_word[codes]
    if len(counts) > 0x80:
        in_word = np.repeat(in_word, utf8_widths(codes))
    return in_word, int(counts[letters].sum()), int(counts[unspaced].sum())


class HowOften(NamedTuple):
    """Counts how often each value occurs. values: int64, ascending, without those that never occur. times: int64.

    A table by value would take gigabytes where an id is near 2^31, or a token has millions of bytes.

    >>> HowOften.of(np.array([7, 2_000_000_000, 7]))
    HowOften(values=array([         7, 2000000000]), times=array([2, 1]))
    """

    values: Counts
    times: Counts

    @classmethod
    def of(cls, values: NDArray[np.integer[Any]]) -> HowOften:
        """Count these values."""
        found, times = np.unique(values, return_counts=True)
        return cls(found.astype(np.int64), times.astype(np.int64))

    def plus(self, more: HowOften) -> HowOften:
        """Add up both counts."""
        values, places = np.unique(np.concatenate([self.values, more.values]), return_inverse=True)
        times = np.concatenate([self.times, more.times])
        return HowOften(values, np.bincount(places, times, len(values)).astype(np.int64))  # floats are exact below 2^53


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Holds all counts of one text under one tokenizer. A ratio is None if there is nothing to divide by.

    words: None if the script does not separate them.
    split: how many words have a boundary between tokens inside them.
    ids: how often each id occurs. lengths: how many tokens have each number of bytes.
    closed: int64[merges], how many seams each merge closed, in rank order.
    """

    tokens: int
    bytes: int
    characters: int
    words: int | None
    split: int
    ids: HowOften = field(repr=False)
    lengths: HowOften = field(repr=False)
    closed: Counts = field(repr=False)

    @property
    def bytes_per_token(self) -> float | None:
        """Compression: bytes over tokens, higher is better."""
        return self.bytes / self.tokens if self.tokens else None

    @property
    def characters_per_token(self) -> float | None:
        """Unicode code points over tokens."""
        return self.characters / self.tokens if self.tokens else None

    @property
    def tokens_per_word(self) -> float | None:
        """Fertility: tokens over words, lower is better."""
        return self.tokens / self.words if self.words else None

    @property
    def words_split(self) -> float | None:
        """Words of more than one token over words, lower is better."""
        return self.split / self.words if self.words else None

    @property
    def single_byte_share(self) -> float | None:
        """Tokens of one byte over tokens."""
        return float(self.lengths.times[self.lengths.values == 1].sum()) / self.tokens if self.tokens else None

    @property
    def distinct(self) -> int:
        """The number of different ids in the text."""
        return len(self.ids.values)

    @property
    def vocabulary_in_use(self) -> float:
        """Distinct ids over the vocabulary size, which is 256 + merges."""
        return self.distinct / (256 + len(self.closed))

    @property
    def type_token_ratio(self) -> float | None:
        """Distinct ids over tokens."""
        return self.distinct / self.tokens if self.tokens else None

    @property
    def entropy(self) -> float | None:
        """H = -sum p log2 p over the ids in the text, in bits per token."""
        p = self._shares
        return float(-(p * np.log2(p)).sum()) + 0.0 if len(p) else None

    @property
    def bits_per_byte(self) -> float | None:
        """Bits per byte of text that a code would need if it knew only how frequent each id is."""
        entropy = self.entropy
        return None if entropy is None or not self.bytes else entropy * self.tokens / self.bytes

    @property
    def renyi_efficiency(self) -> float | None:
        """H_2.5 / log2 V, V being the number of distinct ids (Zouhar et al. 2023); None if V is less than two."""
        p = self._shares
        if len(p) < 2:
            return None
        return float(np.log2((p**ALPHA).sum()) / (1 - ALPHA) / np.log2(len(p)))

    @property
    def _shares(self) -> NDArray[np.float64]:
        seen = self.ids.times.astype(np.float64)
        return seen / max(float(seen.sum()), 1.0)

    @property
    def tokens_at(self) -> Counts:
        """int64[merges + 1]: the number of tokens after only the first k merges, for every k."""
        return tokens_at(self.tokens, self.closed)


def tally(encoding: Encoding) -> Tally:
    """Tally an encoded text.

    >>> import tokviz
    >>> counted = tally(tokviz.reference("gpt2").explain("the unforgettable cat"))
    >>> counted.tokens, counted.words, counted.split, counted.lengths.values.tolist()
    (3, 3, 0, [3, 4, 14])
    """
    (whole,) = tally_pieces(facts_of(_text(encoding)), [replace(encoding, start=0)], len(encoding.merge_ids))
    return whole


def tally_pieces(text: TextFacts, pieces: Iterable[Encoding], merges: int) -> Iterator[Tally]:
    """Yield the tally so far, after each piece of a text. The last one is the tally of the whole text.

    text: the facts of the whole text.
    pieces: from `Tokenizer.explain_in_pieces`, in order.
    merges: how many merges the tokenizer has.

    >>> import tokviz
    >>> gpt2, text = tokviz.reference("gpt2"), "the cat sat"
    >>> *_, whole = tally_pieces(facts_of(text), gpt2.explain_in_pieces(text, 1), len(gpt2.merge_ids))
    >>> whole.tokens
    3
    """
    none = HowOften.of(np.zeros(0, np.int64))
    so_far = Tally(0, text.bytes, text.characters, text.words, 0, none, none, np.zeros(merges, np.int64))
    counted_already = False  # whether the word that goes on into the next piece is counted as split already
    for piece in pieces:
        covered = piece.ids >= 0
        starts = piece.starts[covered]
        sizes = piece.ends[covered] - starts
        bare = np.array(piece.bare, np.int64)
        inside = text.inside[piece.start : piece.start + len(piece.data)]
        stretch = np.cumsum(~inside)  # the same number for all bytes of a word, as only its first is not inside
        cut = np.unique(stretch[starts[inside[starts]]])
        split = len(cut) - bool(counted_already and len(cut) and cut[0] == 0)
        if len(stretch):
            counted_already = bool(len(cut) and cut[-1] == stretch[-1]) or (counted_already and not stretch[-1])
        so_far = replace(
            so_far,
            tokens=so_far.tokens + len(piece),
            split=so_far.split + split,
            ids=so_far.ids.plus(HowOften.of(np.append(piece.ids[covered], bare))),
            lengths=so_far.lengths.plus(HowOften.of(np.append(sizes, 0 * bare))),
            closed=so_far.closed + count_closed(piece.seams, merges),
        )
        yield so_far


# -- languages, memory, money --


def gini(values: Sequence[float]) -> float | None:
    """Compute the Gini coefficient, sum |a - b| / (2 n^2 mean) over all pairs; None if there are none, or only zeros.

    >>> gini([3, 3, 3]), gini([0, 0, 0, 1])
    (0.0, 0.75)
    """
    v = np.asarray(values, np.float64)
    if not len(v) or not v.sum():
        return None
    return float(np.abs(v[:, None] - v[None, :]).sum() / (2 * len(v) ** 2 * v.mean()))


def embedding_bytes(n_vocab: int, width: int, bytes_a_value: float) -> int:
    """Compute the bytes of an embedding table, with a row of `width` values for each id. SettingError if it has none.

    >>> embedding_bytes(200_019, 4_096, 2)  # 1.64 GB
    1638555648
    """
    if n_vocab < 1 or width < 1 or bytes_a_value <= 0:
        raise SettingError(
            f"An embedding table of {n_vocab:,} rows of {width:,} values of {bytes_a_value} bytes has no size.",
            "It needs at least one row and one value in a row, and more than 0 bytes for a value.",
        )
    return round(n_vocab * width * bytes_a_value)


@dataclass(frozen=True, slots=True)
class FigureDefinition:
    """Defines a figure, with the source of its definition. better: "higher", "lower", or "" if neither is.

    share: whether it is a share of a whole, which is written in per cent.
    """

    key: str
    title: str
    definition: str
    better: str
    source: str
    date: date
    share: bool = False


@functools.cache
def definitions() -> Mapping[str, FigureDefinition]:
    """Read the definitions of all figures by key, in the order in which tables show them.

    >>> definitions()["bytes_per_token"].definition
    'Compression: bytes of the text in UTF-8 over tokens.'
    """
    rows = tomllib.loads(_DEFINITIONS.read_text(encoding="utf-8"))["figure"]
    return MappingProxyType({row["key"]: FigureDefinition(**row) for row in rows})


def cost(tokens: int, price_per_million: Decimal | int) -> str:
    """Compute what this many tokens cost in dollars, exact to the last fraction of a cent, with two decimals at least.

    price_per_million: dollars for a million tokens. SettingError if a number is below 0.

    >>> cost(37, Decimal("2.5")), cost(1_200_000, 30), cost(0, 30)
    ('$0.0000925', '$36.00', '$0.00')
    """
    if tokens < 0 or price_per_million < 0:
        raise SettingError(
            f"{tokens:,} tokens at ${price_per_million} a million have no cost.", "Neither number can be below 0."
        )
    return _dollars(_EXACT.scaleb(_EXACT.multiply(Decimal(tokens), Decimal(price_per_million)), -6))


def short_cost(tokens: int, price_per_million: Decimal | int) -> str:
    """Write what this many tokens cost in dollars: rounded to cents, or to two digits if it is less than ten cents.

    >>> short_cost(53, 30), short_cost(1_200_000, 30), short_cost(0, 30)
    ('$0.0016', '$36.00', '$0')
    """
    amount = Decimal(tokens) * Decimal(price_per_million) / 1_000_000
    if not amount:
        return "$0"
    return _dollars(amount.quantize(Decimal(1).scaleb(-max(2, 1 - amount.adjusted())), ROUND_HALF_UP))


def _dollars(amount: Decimal) -> str:
    whole, _, cents = f"{amount:,f}".partition(".")
    return f"${whole}.{cents.rstrip('0').ljust(2, '0')}"


def _text(encoding: Encoding) -> str:
    return encoding.data.decode("utf-8", "replace")
