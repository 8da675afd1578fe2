"""Holds the rules of a training: how ties are settled, which pairs may merge, whether the most frequent or rarest wins.

`Rules` is the one record that training, what-ifs and model files share. It checks its own values, sorts candidate
pairs, and converts to and from the settings in a model file. `TIES` and `PREFERENCES` hold the words that pages use.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from tokviz.base.arguments import shown, whole_number
from tokviz.base.byte_characters import GPT2_BYTES
from tokviz.base.errors import SettingError
from tokviz.tokenizer.origin import Prefer as Prefer
from tokviz.tokenizer.origin import Settings
from tokviz.tokenizer.origin import Tie as Tie


@dataclass(frozen=True, slots=True)
class TieRule:
    """Describes a rule that settles ties, and has the words for it.

    label: the rule in a list of choices.
    goes_to, winner: what completes "ties go to ..." and "the one ... wins".
    byte_places: if the lowest ids win, the place of each byte's id in the order of ids; None if the pair that comes
    first in the corpus wins.
    """

    label: str
    goes_to: str
    winner: str
    byte_places: tuple[int, ...] | None


TIES: dict[Tie, TieRule] = {
    "first": TieRule(
        label="first in the corpus",
        goes_to="the first in the corpus",
        winner="that comes first in the corpus",
        byte_places=None,
    ),
    "lowest": TieRule(
        label="lowest ids",
        goes_to="the lowest ids",
        winner="with the lowest ids (left id first)",
        byte_places=tuple(range(256)),
    ),
    "hf": TieRule(
        label="as Hugging Face does",
        goes_to="Hugging Face's order",
        winner="with the lowest ids (left id first; bytes numbered as in the Hugging Face trainer)",
        # that trainer sorts bytes by the characters that GPT-2's files write for them
        byte_places=tuple(map(GPT2_BYTES.index, range(256))),
    ),
}
PREFERENCES: dict[str, str] = {
    "frequent": "the most frequent pair wins",
    "rarest": "the rarest pair wins",
}


class LearnerRules(TypedDict):
    """Holds the rules as keyword arguments of `kernels.Learner`."""

    tie_key: Sequence[int] | None
    min_count: int
    ban: Collection[bytes]
    rarest: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """Holds the rules by which a training picks each merge. Raises SettingError for other values than these.

    tie, prefer: a key of TIES, and one of PREFERENCES.
    min_count: int, pairs that occur less often are not merged.
    ban: bytes of the tokens that no merge may make, kept as a frozenset.

    >>> Rules(ban=[b"at", b"th"]).settings()
    {'tie': 'first', 'min_count': 1, 'ban': ['6174', '7468'], 'prefer': 'frequent'}
    """

    tie: Tie = "first"
    min_count: int = 1
    ban: Collection[bytes] = frozenset()
    prefer: Prefer = "frequent"

    def __post_init__(self) -> None:
        if not isinstance(self.tie, str) or self.tie not in TIES:
            raise SettingError(f"There is no tie rule {shown(self.tie)}.", f"Choose one of {', '.join(TIES)}.")
        if not isinstance(self.prefer, str) or self.prefer not in PREFERENCES:
            raise SettingError(
                f"prefer is {shown(self.prefer)}, which is not a preference.",
                f"Choose one of {', '.join(PREFERENCES)}.",
            )
        object.__setattr__(self, "min_count", whole_number(self.min_count, "The least pair count", 1, 2**53 - 1))
        object.__setattr__(self, "ban", _set_of_tokens(self.ban))

    @classmethod
    def of(cls, settings: Settings | None) -> Rules | None:
        """Read the rules from the settings of a model file; None if these do not tell all of them.

        >>> from tokviz import train
        >>> Rules.of(train("abab", 257, tie="hf").tokenizer.origin.settings)
        Rules(tie='hf', min_count=1, ban=frozenset(), prefer='frequent')
        """
        if not (settings and settings.tie and settings.min_count and settings.ban is not None and settings.prefer):
            return None
        return cls(settings.tie, settings.min_count, [*map(bytes.fromhex, settings.ban)], settings.prefer)

    def settings(self) -> dict[str, Any]:
        """Write the rules as a model file contains them: values for JSON, with banned tokens in hexadecimal."""
        return {
            "tie": self.tie,
            "min_count": self.min_count,
            "ban": sorted(token.hex() for token in self.ban),
            "prefer": self.prefer,
        }

    def for_learner(self) -> LearnerRules:
        """Return the rules as keyword arguments of `kernels.Learner`."""
        return {
            "tie_key": TIES[self.tie].byte_places,
            "min_count": self.min_count,
            "ban": self.ban,
            "rarest": self.prefer == "rarest",
        }

    def ranked(
        self,
        left: NDArray[np.int64],
        right: NDArray[np.int64],
        counts: NDArray[np.int64],
        places: NDArray[np.int64],
        vocab: Mapping[int, bytes],
    ) -> Iterator[int]:
        """Yield the indices of the pairs that may merge, the winner first: by count, then by the tie rule.

        left, right: int64, the two ids of each pair.
        counts, places: int64, how often it occurs, and where it first occurs.
        vocab: id -> bytes.

        >>> left, right, counts, places = np.array([[97, 98], [98, 97], [2, 2], [1, 0]])
        >>> vocab = {97: b"a", 98: b"b"}
        >>> list(Rules().ranked(left, right, counts, places, vocab))
        [1, 0]
        >>> list(Rules(tie="lowest", ban=[b"ba"]).ranked(left, right, counts, places, vocab))
        [0]
        """
        byte_places = TIES[self.tie].byte_places
        if byte_places is None:
            tie_keys = [places]
        else:
            tie_keys = [_places_of_ids(byte_places, right), _places_of_ids(byte_places, left)]
        for i in np.lexsort((*tie_keys, counts if self.prefer == "rarest" else -counts)).tolist():
            if counts[i] < self.min_count:
                continue
            if self.ban and vocab[int(left[i])] + vocab[int(right[i])] in self.ban:
                continue
            yield i


def _set_of_tokens(ban: Collection[bytes]) -> frozenset[bytes]:
    tokens: set[bytes] = set()
    for token in ban if isinstance(ban, Iterable) and not isinstance(ban, str | bytes) else (None,):
        if not isinstance(token, bytes):
            raise SettingError(
                f"ban is {shown(ban)}, which is not a collection of bytes.",
                "Write the bytes of each token, as in ban=[b' the'].",
            )
        tokens.add(token)
    return frozenset(tokens)


def _places_of_ids(byte_places: Sequence[int], ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the place of each id in the order of ids. Merged tokens come after the bytes, by id."""
    return np.where(ids < 256, np.array(byte_places)[np.minimum(ids, 255)], ids)
