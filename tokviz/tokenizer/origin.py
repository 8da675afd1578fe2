"""Tells where a tokenizer comes from: the settings of its training, and the texts that it was trained on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

from tokviz.base.arguments import shown
from tokviz.base.errors import SettingError
from tokviz.base.frozen import frozen_dict
from tokviz.base.typed import JsonCount, JsonText, Misfit, read
from tokviz.base.wording import count_of

Tie = Literal["first", "lowest", "hf"]
Prefer = Literal["frequent", "rarest"]
Positive = Annotated[int, range(1, 2**53)]
Size = Annotated[int, range(256, 2**53)]  # of a vocabulary


def _fault_in_hexadecimal(text: str) -> str:
    return "" if re.fullmatch("([0-9a-f]{2})+", text) else f"is {shown(text)}, which is not bytes in hexadecimal"


def _fault_in_sum(text: str) -> str:
    return "" if re.fullmatch("[0-9a-f]{64}", text) else f"is {shown(text)}, which is not a sha256"


Sum = Annotated[str, _fault_in_sum]


class Settings(NamedTuple):
    """Holds the settings of a training. None for what is not told.

    vocab_size: the one that was asked for.
    ban: the bytes of each token that no merge might make, in hexadecimal.
    The others: as `tokviz.train` takes them.
    """

    vocab_size: Size | None = None
    pattern: JsonText | None = None
    special_tokens: tuple[JsonText, ...] | None = None
    tie: Tie | None = None
    min_count: Positive | None = None
    ban: tuple[Annotated[str, _fault_in_hexadecimal], ...] | None = None
    prefer: Prefer | None = None


class OneText(NamedTuple):
    """Describes a text of a corpus. bytes: how many it has. sha256: of the bytes of its file."""

    name: JsonText
    bytes: JsonCount
    sha256: Sum


class ManyTexts(NamedTuple):
    """Sums up texts too many to name. texts: how many. bytes: of all. sha256_of_sums: of their sha256 in a row."""

    texts: JsonCount
    bytes: JsonCount
    sha256_of_sums: Sum


class CountsOrigin(NamedTuple):
    """Describes the chunk counts that a training was made from. shards: how many were counted. bytes: of the corpus."""

    shards: Positive
    bytes: JsonCount


@dataclass(frozen=True)
class Origin:
    """Holds what a tokenizer tells of its training. A field is None if it is not told.

    truncated_to: the vocabulary size to which the tokenizer was cut afterwards.
    counted: what the training was made from, if that was no texts.
    said: all that is told, as a model file has it, also what no field is for; a dictionary that is read-only through
        all its levels. Only `of` makes it: an Origin without it says nothing.
    """

    settings: Settings | None = None
    texts: tuple[OneText, ...] | ManyTexts | None = None
    truncated_to: Size | None = None
    counted: CountsOrigin | None = None
    said: Any = None  # a Mapping or None; `of` gives it

    @classmethod
    def of(cls, said: Mapping[str, Any] | Origin | None) -> Origin:
        """Read what a model file says under "made_from". SettingError if a training cannot have said it.

        >>> Origin.of({"settings": {"tie": "x"}})
        Traceback (most recent call last):
            ...
        tokviz.base.errors.SettingError: 'made_from.settings.tie' is 'x', which is none of first, lowest, hf. ...
        """
        if isinstance(said, Origin):
            return said
        frozen = frozen_dict(said, "made_from")
        try:
            return replace(read(frozen, cls), said=frozen) if frozen is not None else cls()
        except Misfit as fault:
            way_out = "Correct what it says of the training, or pass None."
            raise SettingError(f"{fault.within('made_from')}.", way_out) from None

    def saying(self, **more: Any) -> Origin:
        """Copy the origin with other values in these fields. An origin that says nothing goes on to say nothing."""
        if self.said is None:
            return self
        new, said = Origin.of(more), frozen_dict({**self.said, **more}, "made_from")
        return replace(self, said=said, **{field: getattr(new, field) for field in more})

    @property
    def named(self) -> tuple[OneText, ...]:
        """The texts that it names, in the order of the training."""
        return () if self.texts is None or isinstance(self.texts, ManyTexts) else self.texts

    @property
    def sums(self) -> list[str]:
        """The sha256 of each text; one sum over the sums if they are too many; [] if they are unknown."""
        return [self.texts.sha256_of_sums] if isinstance(self.texts, ManyTexts) else [row.sha256 for row in self.named]

    @property
    def n_bytes(self) -> int | None:
        """How many bytes the texts have together; None if that is unknown.

        >>> from tokviz import train
        >>> train(["one", "two"], 256).tokenizer.origin.n_bytes
        6
        """
        if self.named:
            return sum(row.bytes for row in self.named)
        of_all = self.texts or self.counted
        return of_all.bytes if isinstance(of_all, ManyTexts | CountsOrigin) else None

    @property
    def words(self) -> str:
        """The texts in a few words; "" if they are unknown.

        >>> from tokviz import count_chunks, train
        >>> train(["one", "two"], 256).tokenizer.origin.words
        '2 texts, 6 bytes'
        >>> train(count_chunks("one") + count_chunks("two"), 256).tokenizer.origin.words
        'chunk counts of 1 shard, 6 bytes'
        """
        size = "" if self.n_bytes is None else count_of(self.n_bytes, "byte")
        if self.counted:
            return f"chunk counts of {count_of(self.counted.shards, 'shard')}, {count_of(self.counted.bytes, 'byte')}"
        names = [row.name for row in self.named if row.name]
        if len(names) == 1:
            return f"{names[0]}, {size}"
        n_texts = self.texts.texts if isinstance(self.texts, ManyTexts) else len(self.named)
        return f"{count_of(n_texts, 'text')}, {size}" if n_texts else size
