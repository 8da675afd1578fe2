"""What the browser asks of the Compare page."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Annotated, Any

from tokviz.base.errors import InputError
from tokviz.base.sentences import SentencePart, Told, to_json
from tokviz.base.text import clean
from tokviz.comparison.comparison import Comparison, Difference
from tokviz.comparison.reason_sentences import cause
from tokviz.split.specials import Reading
from tokviz.tokenizer.live_text import beginning
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.compare.state import CompareState, RulerPlace
from tokviz.ui.frame.address import TOKENIZERS_LIMIT
from tokviz.ui.frame.tokenizers import at_hand, encoded
from tokviz.ui.server import limits
from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.pool import ANSWERS, PEER_ANSWERS, Pool, pool_about
from tokviz.ui.server.visitor import Visitor

EXPLAINED = 400  # bytes that are explained at once

Keys = Annotated[list[str], range(TOKENIZERS_LIMIT + 1)]


def _pool(me: Visitor, keys: Sequence[str], **_: Any) -> Pool:
    """The pool for a question about several tokenizers: that of the one which may take the longest."""
    pools = [pool_about(one.tokenizer) for one in me.tokenizers if one.key in keys]
    return PEER_ANSWERS if PEER_ANSWERS in pools else next((pool for pool in pools if pool is not ANSWERS), ANSWERS)


def sum_of(text: str) -> int:
    """The CRC-32 of a text in UTF-16, by which a browser names it."""
    return zlib.crc32(text.encode("utf-16-le", "replace"))


@question("compare.why", _pool)
def why(me: Visitor, keys: Keys, sum: int, start: int, stop: int) -> Answer:
    """Why these tokenizers disagree in the bytes from start to stop: each difference in which b cuts a token of a.

    sum: of the text that the browser has. The place is remembered for the next visit. The answer says at which byte it
    stops, if not at the one asked for.
    """
    there = {shown.key: shown.tokenizer for shown in at_hand(me)}
    text = clean(beginning(me.text, limits.TEXT_UNITS))
    if sum_of(text) != sum or not there.keys() >= {*keys}:
        raise InputError("The text or a tokenizer has changed in another window.", "Reload the page.")
    if not keys or not 0 <= start < stop <= len(text.encode()):
        raise InputError("There is no such place in the text.", "Reload the page.")
    compared = comparison(me, tuple(there[key] for key in keys), text, me.specials)
    me.state(CompareState).ruler = RulerPlace(sum, start)
    stop = min(stop, start + EXPLAINED)
    return {"stop": stop, "differences": [_told(one, compared) for one in compared.differences(start, stop)]}


def comparison(me: Visitor, tokenizers: tuple[AnyTokenizer, ...], text: str, reading: Reading) -> Comparison:
    """The text under the tokenizers, from the visitor's cache."""

    def make() -> Comparison:
        data = text.encode()
        return Comparison(tokenizers, tuple(encoded(me, one, text, reading).over(data) for one in tokenizers))

    return me.cache.get(("compared", tokenizers, text, reading), make)


def _told(found: Difference, compared: Comparison) -> dict[str, Any]:
    ours, theirs = compared.tokenizers[found.a], compared.tokenizers[found.b]
    return {
        "a": found.a,
        "b": found.b,
        "start": found.start,
        "end": found.end,
        "pieces": len(found.cuts) + 1,
        "causes": [_sentence(cause(reason, found, theirs, ours)) for reason in found.reasons],
    }


def _sentence(parts: Sequence[SentencePart]) -> Told:
    """The end of a sentence as one of its own."""
    first, *rest = parts
    return to_json([first[:1].upper() + first[1:] if isinstance(first, str) else first, *rest])
