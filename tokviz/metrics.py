"""Figures by which a tokenizer is judged on a text."""

from __future__ import annotations

from dataclasses import dataclass

from tokviz.encoding import Encoding


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
    return Figures(len(encoding), len(encoding.data), len(encoding.data.decode("utf-8", "replace")))
