"""What the browser asks where a text is typed: what can be chosen, what tiktoken says to the text, and of a token.

A question about the text names it by its CRC-32, because it may change while the question is on its way.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.text import clean
from tokviz.tokenizer.origin import Size
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.frame.address import TOKENIZERS_LIMIT
from tokviz.ui.frame.remarks import remarks
from tokviz.ui.frame.tokenizers import at_hand, badge, encoded, family_of, family_ready
from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.line import RELATIONS
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview import choosing
from tokviz.vocabulary.card import card_at

Keys = Annotated[list[str], range(TOKENIZERS_LIMIT + 1)]


def text_of(me: Visitor) -> str:
    """The visitor's text as it is encoded."""
    return clean(me.text)


def sum_of(text: str) -> int:
    """The CRC-32 of a text in UTF-16, by which a browser names it."""
    return zlib.crc32(text.encode("utf-16-le", "replace"))


def asked_about(me: Visitor, keys: Sequence[str], sum: int) -> tuple[str, tuple[AnyTokenizer, ...]]:
    """The text with this sum, and the tokenizers with these keys. InputError if the visitor does not have them."""
    there, text = {shown.key: shown.tokenizer for shown in at_hand(me)}, text_of(me)
    if sum_of(text) != sum or not there.keys() >= {*keys}:
        raise InputError("The text or a tokenizer has changed in another window.", "Reload the page.")
    return text, tuple(there[key] for key in keys)


@question("tokens.choices")
def choices(me: Visitor) -> Answer:
    """All that can be chosen: see `choosing.choices`."""
    return choosing.choices(me)


@question("tokens.proof", apart=True)
def proof(me: Visitor, keys: Keys, sum: int, size: Size | None) -> Answer:
    """What tiktoken says to the ids under each of these tokenizers, and what is to be known of them.

    size: of the vocabulary to which they are cut, null if they are not. tiktoken cannot judge one that is cut.
    """
    text, tokenizers = asked_about(me, keys, sum)
    badges: list[dict[str, Any] | None] = []
    known: list[list[str]] = []
    for tokenizer in tokenizers:
        said, about = None, list[str]()
        with contextlib.suppress(TokvizError):  # it cannot cut the text, as its box says
            about = remarks(tokenizer, text, encoded(me, tokenizer, text, me.specials))
            if text and (size is None or size >= 256 + len(tokenizer.merge_ids)):
                said = badge(me, tokenizer, text, me.specials)
        badges.append(asdict(said) if said else None)
        known.append(about)
    VISITORS.keep_limits(me)
    return {"badges": badges, "remarks": known}


@question("tokens.card")
def card(me: Visitor, of: str, sum: int, start: int | None, size: Size | None) -> Answer:
    """The card of the pinned token, which covers the byte `start`; null tells that none is pinned now.

    size: as in `proof`. The place is remembered for the next visit. `grows` says that the family of the token is not
    known yet, and can be asked for.
    """
    me.pin = of, start, size
    return _card(me, of, sum, start, size) if start is not None else {}


@question("tokens.family", RELATIONS, apart=True)
def family(me: Visitor, of: str, sum: int, start: int, size: Size | None) -> Answer:
    """The same card with the family, which takes seconds for a reference."""
    return _card(me, of, sum, start, size, waits=True)


def _card(me: Visitor, of: str, sum: int, start: int, size: int | None, *, waits: bool = False) -> Answer:
    text, (tokenizer,) = asked_about(me, [of], sum)
    encoding = encoded(me, tokenizer, text, me.specials)
    if not 0 <= start < len(encoding.data) or (size is not None and size > 256 + len(tokenizer.merge_ids)):
        raise InputError("There is no such byte, or no such vocabulary size.", "Reload the page.")
    grows = tokenizer.has_merges and not waits and not family_ready(me, tokenizer)
    related = family_of(me, tokenizer) if tokenizer.has_merges and not grows else None
    return {"card": card_at(tokenizer, encoding, start, size, related), "grows": grows}
