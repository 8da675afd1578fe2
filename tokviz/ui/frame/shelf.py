"""A visitor's own tokenizers and the library: saving them, opening saved ones, renaming and deleting them."""

from __future__ import annotations

from tokviz.base.errors import SettingError
from tokviz.base.wording import count_of, tidy_name
from tokviz.catalog import saved as library
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.frame.training import PLACE
from tokviz.ui.server import work
from tokviz.ui.server.registry import why_no_room
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import Mine, Own, Visitor


def saved_name(mine: Mine) -> str | None:
    """The name under which the library has this tokenizer; None if it was not saved, or was deleted since."""
    return mine.saved_as if mine.saved_as and library.has(mine.saved_as) else None


def where_it_stays(own: Own) -> str:
    """Say what becomes of a tokenizer that is removed from the session."""
    saved = saved_name(own) if isinstance(own, Mine) else None
    return f"It stays in the library as “{library.title(saved)}”." if saved else "It is not saved, so it is deleted."


def save(mine: Mine, name: str) -> str:
    """Save a tokenizer. Returns the name that it got: cleaned, and with a number if it was taken.

    SettingError if it cannot be saved; it stays in the session.
    """
    try:
        mine.saved_as = library.save(mine.tokenizer, name)
    except SettingError as fault:
        raise SettingError(fault.what, f"{fault.way_out} The tokenizer is still here, and can be downloaded.") from None
    return mine.saved_as


def keep(me: Visitor, tokenizer: AnyTokenizer, name: str, *, saved_as: str | None = None) -> Own:
    """Make a tokenizer one of the visitor's own, so that the pages have it. SettingError if there is no room.

    saved_as: its name in the library, None if it is not from there.
    """
    why = why_no_room(size(tokenizer))
    if why:
        raise SettingError(f"{name} cannot be kept.", why)
    name = tidy_name(name)
    if not tokenizer.has_merges:
        return me.add_peer(name, tokenizer)
    mine = me.add(name, tokenizer, corpus_name=_corpus_name(tokenizer))
    mine.saved_as = saved_as
    last = work.of(me, PLACE)
    if last and last.over and last.result is None:  # nothing is left to keep
        work.forget(me, PLACE)
    return mine


def rename(me: Visitor, saved: str, name: str) -> str:
    """Rename a saved tokenizer, also where it is open. Returns its new name, with a number if the name was taken."""
    renamed = library.rename(saved, name)
    for mine in me.trained:
        if mine.saved_as == saved:
            mine.saved_as = renamed
            me.rename(mine.key, me.free_name(renamed, mine))
    return renamed


def delete(me: Visitor, saved: str) -> None:
    """Delete a saved tokenizer. Where it is open, it stays open."""
    library.delete(saved)
    for mine in me.trained:
        mine.saved_as = None if mine.saved_as == saved else mine.saved_as


def _corpus_name(tokenizer: Tokenizer) -> str:
    origin = tokenizer.origin
    if origin.counted:
        return count_of(origin.counted.shards, "shard")
    return origin.named[0].name if origin.named else ""
