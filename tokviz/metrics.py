r"""Figures by which a tokenizer is judged on a text, and what a text costs.

A *word* is a run between white space (`\s` of the `regex` package). Chinese, Japanese, Thai, Khmer, Lao and Burmese are
written without spaces between words, so a text that is mostly or notably in their scripts has no number of words here:
every figure per word is None, and characters per token stands in. It counts as such a text from `UNSPACED` on, the
share that these scripts have of its letters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np
import regex

from tokviz.encoding import Encoding
from tokviz.errors import SettingError

UNSPACED = 0.25

_KINDS = (
    regex.compile(r"\s"),
    regex.compile(r"[\p{L}\p{M}]"),
    # digits and signs of these scripts do not count; ー is a letter of both kanas, so Unicode gives it to neither
    regex.compile(r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Khmer}\p{Lao}\p{Myanmar}ー]&&[\p{L}\p{M}]]", regex.V1),
)
_EXACT = Context(prec=60)  # digits; the default of 28 would be enough for any real price


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of one text under one tokenizer; rates are None where there is nothing to divide by."""

    tokens: int
    bytes: int
    characters: int

    @property
    def bytes_per_token(self) -> float | None:
        """Compression: bytes over tokens, higher is better."""
        return self.bytes / self.tokens if self.tokens else None

    @property
    def characters_per_token(self) -> float | None:
        """Unicode code points over tokens."""
        return self.characters / self.tokens if self.tokens else None


def figures(encoding: Encoding) -> Figures:
    """The figures of an encoded text.

    >>> import tokviz
    >>> figures(tokviz.reference("gpt2").explain("naïve")).bytes_per_token
    3.0
    """
    return Figures(len(encoding), len(encoding.data), len(_text(encoding)))


def words(text: str) -> int | None:
    """How many words, or None where the script does not separate them.

    >>> words("The cat  sat."), words("猫がマットに座った。"), words("你 means you, and a great deal more")
    (3, None, 8)
    """
    # Characters are sorted into kinds once each, and looked up from there: 20 times quicker than matching every word.
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    counts = np.bincount(codes)
    seen = "".join(map(chr, np.flatnonzero(counts)))
    spaces, letters, unspaced = (np.array([*map(ord, kind.findall(seen))], np.int64) for kind in _KINDS)
    if len(unspaced) and counts[unspaced].sum() >= UNSPACED * counts[letters].sum():
        return None
    in_gap = np.isin(np.arange(len(counts)), spaces)[codes]
    return int((~in_gap & np.append(True, in_gap[:-1])[: len(codes)]).sum())


def tokens_per_word(encodings: Encoding | Iterable[Encoding]) -> float | None:
    """Fertility, lower is better: the tokens of all texts over the words of all, not a mean of ratios.

    None where there are no words, or where a text has no number of words.

    >>> import tokviz
    >>> gpt2 = tokviz.reference("gpt2")
    >>> tokens_per_word([gpt2.explain("unforgettable"), gpt2.explain("The cat sat on the mat")])  # (3 + 6) / (1 + 6)
    1.2857142857142858
    """
    texts = [encodings] if isinstance(encodings, Encoding) else list(encodings)
    counts = [words(_text(encoding)) for encoding in texts]
    n_words = sum(count for count in counts if count is not None)
    return sum(map(len, texts)) / n_words if n_words and None not in counts else None


def single_byte_share(encoding: Encoding) -> float | None:
    """The share of tokens that are one byte: what the vocabulary had no better token for, and single letters.

    >>> import tokviz
    >>> single_byte_share(tokviz.reference("gpt2").explain("a cat"))
    0.5
    """
    sizes = np.diff(encoding.ends, prepend=0)
    return float((sizes == 1).mean()) if len(sizes) else None


def distinct_ids(encoding: Encoding) -> int:
    """How many different ids are seen.

    >>> import tokviz
    >>> distinct_ids(tokviz.reference("gpt2").explain("the cat in the hat in the cat"))
    5
    """
    return int((np.unique(encoding.ids) >= 0).sum())


def vocabulary_in_use(encoding: Encoding, vocab_size: int) -> float:
    """The share of a vocabulary of `vocab_size` ids that is seen. SettingError where there are more ids than that."""
    seen = distinct_ids(encoding)
    if not 0 < vocab_size >= seen:
        raise SettingError(f"{seen:,} different ids cannot come from a vocabulary of {vocab_size:,}.")
    return seen / vocab_size


def cost(tokens: int, price_per_million: Decimal | int) -> str:
    """What so many tokens cost, in dollars: exact, to the last fraction of a cent, and cents at least.

    >>> cost(37, Decimal("2.5")), cost(1_200_000, 30), cost(0, 30)
    ('$0.0000925', '$36.00', '$0.00')
    """
    if tokens < 0 or price_per_million < 0:
        raise SettingError(f"{tokens} tokens at ${price_per_million} a million: neither can be below 0.")
    amount = _EXACT.scaleb(_EXACT.multiply(Decimal(tokens), Decimal(price_per_million)), -6)
    whole, _, cents = f"{amount:,f}".partition(".")
    return f"${whole}.{cents.rstrip('0').ljust(2, '0')}"


def _text(encoding: Encoding) -> str:
    return encoding.data.decode("utf-8", "replace")
