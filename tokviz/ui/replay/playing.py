"""What plays on the Replay page. The page draws it, and `questions.py` answers questions about it. Both find it by its
key."""

from __future__ import annotations

from tokviz.catalog.references import reference, references
from tokviz.catalog.samples import sample
from tokviz.formats.bundled import offered
from tokviz.offline.replay import Playing
from tokviz.ui.frame.tokenizers import sample_training
from tokviz.ui.replay.state import ReplayPlace, ReplayState
from tokviz.ui.server.visitor import SAMPLE, Visitor


def _the_sample(me: Visitor) -> Playing:
    training = sample_training()
    return Playing(None, training.tokenizer, training, sample("tongue").title, cache=me.cache)


def playing(me: Visitor, key: str | None) -> Playing | None:
    """What plays under this key (None: the sample); None if the visitor no longer has that tokenizer."""
    if key is None:
        return _the_sample(me)
    mine = me.own(key)
    if mine is None and key in offered():
        return Playing(key, reference(key), None, "Your text", me.text, cache=me.cache)
    if mine is None:
        return None
    text = "" if mine.training else me.text
    name = mine.corpus_name if mine.training or mine.tokenizer.history is not None else "Your text"
    return Playing(key, mine.tokenizer, mine.training, name, text, cache=me.cache)


def choices(me: Visitor) -> dict[str, str]:
    """What the visitor can play: value of `Visitor.plays` -> name."""
    own = {mine.key: mine.name for mine in reversed(me.trained)}
    others = {name: f"{references()[name].title}, its merge list" for name in offered()}
    return own | {SAMPLE: f"Sample: {sample('tongue').title}"} | others


def at_home(me: Visitor) -> Playing:
    """What the page shows: the visitor's choice, or the sample if that is gone. A new choice starts at step 0."""
    shown = playing(me, None if me.plays == SAMPLE else me.plays) or _the_sample(me)
    state = me.state(ReplayState)
    if state.place.of != shown.key:
        state.move(ReplayPlace(shown.key, presenting=state.place.presenting, predicting=state.place.predicting))
    return shown
