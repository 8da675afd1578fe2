"""What the browser asks about what plays on Replay. `of` is the key of what plays; None: the sample."""

from __future__ import annotations

from tokviz.base.errors import InputError
from tokviz.base.text import clean
from tokviz.base.wording import capital, merge_number
from tokviz.offline.data import data_of, payload
from tokviz.offline.replay import LENGTHS, OWN_TEXT_LIMIT, Playing
from tokviz.training.why import why_this_pair
from tokviz.ui.frame.address import encode, left_out
from tokviz.ui.replay import predict
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.replay.place import link_to_place
from tokviz.ui.replay.playing import playing
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server.ask import Answer, question
from tokviz.ui.server.visitor import Visitor


@question("replay.why")
def why(me: Visitor, of: str | None, step: int) -> Answer:
    """Which pairs could merge at this step, and what decided."""
    training = _playing(me, of).training
    if training is None:
        way_out = "Upload it again: Replay asks for it below the player."
        raise InputError("The corpus of this tokenizer is not here.", way_out)
    return {"blocks": data_of(why_this_pair(training, step))}


@question("replay.window")
def window(me: Visitor, of: str | None, start: int, length: int) -> Answer:
    """The window of the corpus that starts at this byte. length: in bytes, one of `LENGTHS`."""
    return _window(_playing(me, of), start, length)


@question("replay.fires")
def fires(me: Visitor, of: str | None, rank: int, after: int, length: int) -> Answer:
    """The window where the merge of this rank fires next. after: the byte to search from. length: as of `window`."""
    shown = _playing(me, of)
    place = shown.fires_next(rank, after)
    if place is None:
        raise InputError(f"{capital(merge_number(rank))} fires nowhere in this text.", "Choose another merge.")
    return _window(shown, max(0, place - length // 4), length)


def _window(shown: Playing, start: int, length: int) -> Answer:
    if length not in LENGTHS:
        lengths = ", ".join(f"{size:,}" for size in LENGTHS)
        raise InputError(f"A window cannot have {length:,} bytes.", f"Choose one of these lengths: {lengths}.")
    return shown.window(start, length)


@question("replay.text")
def text(me: Visitor, of: str | None, text: str | None) -> Answer:
    """The seams of the visitor's own text, which is kept; None means the text that is kept."""
    return own_text(me, _playing(me, of), text)


def own_text(me: Visitor, shown: Playing, text: str | None) -> Answer:
    """The seams of the visitor's own text under what plays, as `text` tells them.

    Raises InputError if the text has more than OWN_TEXT_LIMIT bytes; the text kept before then stays.
    """
    text = clean(me.state(ReplayState).text if text is None else text)
    size = len(text.encode())
    if size > OWN_TEXT_LIMIT:
        raise InputError(
            f"A text can have {OWN_TEXT_LIMIT:,} bytes here, and this one has {size:,}.",
            "Shorten it. Until then the strip shows the text before it.",
        )
    encoding = shown.tokenizer.explain(text)
    me.state(ReplayState).text = text
    return payload(encoding)


@question("replay.pairs")
def pairs(me: Visitor, of: str | None, step: int) -> Answer:
    """The pairs of which one merges at this step, in an order that tells nothing."""
    return predict.asked(me, _playing(me, of), step)


@question("replay.guess")
def guess(me: Visitor, of: str | None, step: int, guess: int | None) -> Answer:
    """The same with the winner. guess: an index into the pairs; None if the visitor chose none of them."""
    return predict.answered(me, _playing(me, of), step, guess)


@question("replay.link")
def link(me: Visitor, of: str | None, step: int, start: int, length: int, presenting: bool) -> Answer:
    """The query of a link to this place."""
    to = link_to_place(me, _playing(me, of), ReplayLink(step, start, length, presenting))
    return {"query": encode(to), "left_out": left_out(to)}


def _playing(me: Visitor, of: str | None) -> Playing:
    shown = playing(me, of)
    if shown is None:
        raise InputError("This tokenizer is no longer here.", "Reload the page.")
    return shown
