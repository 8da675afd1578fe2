"""What a link to the Tokens page says: for which models, how the tokens are drawn, what is pinned and open below."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from tokviz.ui.frame.address import NUMBER_LIMIT, TOKENIZERS_LIMIT, PageLink, Query, digits, is_known, shortened
from tokviz.ui.tokenview.choosing import models_of

Below = Literal["ids", "chat"]
SMALLEST_VOCABULARY = 256
_VIEW = re.compile(r"[a-z]{1,20}(,[a-z]{1,20}){0,7}")


class Pin(NamedTuple):
    """A pinned token: under which of the link's tokenizers, counted from 0, and its first byte in the text."""

    side: int
    start: int


@dataclass(frozen=True, slots=True)
class TokensLink(PageLink):
    """view: how tokens are drawn, in words of the component, separated by commas. size: a vocabulary size. models: by
    which the tokenizers were chosen; a model whose tokenizer the link does not name brings it along. below: the part
    that is open below the text. ids: what is written in its field for ids.
    """

    NAMES = ("view", "size", "pin", "model", "below", "ids")

    view: str = ""
    size: int | None = None
    pinned: Pin | None = None
    models: tuple[str, ...] = ()
    below: str = ""
    ids: str | None = None

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters by name.

        >>> TokensLink(size=1000, pinned=Pin(1, 4)).parameters(("gpt2", "cl100k_base"))
        {'view': '', 'size': 1000, 'pin': '1.4', 'model': '', 'below': '', 'ids': None}
        """
        pin = self.pinned and f"{self.pinned.side}.{self.pinned.start}"
        said = {"view": self.view, "size": self.size, "pin": pin, "model": ",".join(self.models)}
        return {**said, "below": self.below, "ids": self.ids}

    @classmethod
    def read(cls, query: Query) -> Self:
        size = query.number("size", "vocabulary size", least=SMALLEST_VOCABULARY)
        below = query.one_of("below", Below) or ""
        return cls(_view(query), size, _pinned(query), models_of(query), below, query.get("ids"))


def _view(query: Query) -> str:
    view = query.get("view") or ""
    if view and not _VIEW.fullmatch(view):
        query.fault(f"There is no view {shortened(view)}.", "The usual one is shown.")
        return ""
    return view


def _pinned(query: Query) -> Pin | None:
    value = query.get("pin")
    if value is None:
        return None
    side, start = (digits(part) for part in (value.partition(".")[0], value.partition(".")[2]))
    if side is not None and start is not None:
        unknown = [i for i, name in enumerate(query.names) if not is_known(name)]
        if side < max(TOKENIZERS_LIMIT, len(query.names)) and start <= NUMBER_LIMIT:
            here = side - sum(i < side for i in unknown)
            return Pin(here, start) if side not in unknown and here < TOKENIZERS_LIMIT else None
    query.fault(f"The pinned token {shortened(value)} of the link makes no sense.", "Nothing is pinned.")
    return None
