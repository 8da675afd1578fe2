"""What the browser asks of the Compare page."""

from __future__ import annotations

from tokviz.base.errors import InputError
from tokviz.comparison.comparison import Comparison
from tokviz.offline.ruler import difference_told
from tokviz.split.specials import Reading
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.compare.state import CompareState, RulerPlace
from tokviz.ui.frame.tokenizers import encoded
from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import Keys, asked_about

EXPLAINED = 400  # bytes that are explained at once


@question("compare.why")
def why(me: Visitor, keys: Keys, sum: int, start: int, stop: int) -> Answer:
    """Why these tokenizers disagree in the bytes from start to stop: each difference in which b cuts a token of a.

    sum: of the text that the browser has. The place is remembered for the next visit. The answer says at which byte it
    stops, if not at the one asked for.
    """
    text, tokenizers = asked_about(me, keys, sum)
    if not keys or not 0 <= start < stop <= len(text.encode()):
        raise InputError("There is no such place in the text.", "Reload the page.")
    compared = comparison(me, tokenizers, text, me.specials)
    me.state(CompareState).ruler = RulerPlace(sum, start)
    stop = min(stop, start + EXPLAINED)
    return {"stop": stop, "differences": [difference_told(one, compared) for one in compared.differences(start, stop)]}


def comparison(me: Visitor, tokenizers: tuple[AnyTokenizer, ...], text: str, reading: Reading) -> Comparison:
    """The text under the tokenizers, from the visitor's cache."""

    def make() -> Comparison:
        data = text.encode()
        return Comparison(tokenizers, tuple(encoded(me, one, text, reading).over(data) for one in tokenizers))

    return me.cache.get(("compared", tokenizers, text, reading), make)
