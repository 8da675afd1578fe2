"""Links that open a page as it stands: how one begins here, and what becomes of one that arrives.

What a link can say, and how, is in address.py. It is applied once, in `arrived`, and taken out of the address; from
then on the visitor's own state wins.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from tokviz import library
from tokviz.errors import TokvizError
from tokviz.formats.tokviz import dump, load
from tokviz.tokenizer import Tokenizer
from tokviz.ui.address import NAMES, TEXT_BYTES, Link, decode, encode, is_link, sample_of
from tokviz.ui.frame import shell
from tokviz.ui.tokenizers import REFERENCES, Shown
from tokviz.ui.visitors.visitor import Visitor, kept_in_session

# -- what the browser needs to make a link and to be opened by one --


def begun(text: str, tokenizers: Sequence[Shown]) -> dict[str, Any]:
    """The part of a link that is known before anything is typed: link.js of the workbench adds the rest.

    sample: the key of the text while it is a bundled one. limit: bytes of a text that goes along.
    """
    query = encode(Link(tokenizers=tuple(map(name_of, tokenizers))))
    return {"query": query, "sample": sample_of(text), "limit": TEXT_BYTES}


def opened(shown: Sequence[Shown]) -> dict[str, Any]:
    """How the link that this page was opened by wants its tokens drawn. pinned: which of those shown, and the byte."""
    by: Arrived | None = kept_in_session("links").get("by")
    if by is None:
        return {"view": "", "size": None, "pinned": None}
    sides = [one.key for one in shown]
    pinned = [sides.index(by.pinned_in), by.link.pinned.start] if by.link.pinned and by.pinned_in in sides else None
    return {"view": by.link.view, "size": by.link.size, "pinned": pinned}


# -- the names of tokenizers --

_sums: weakref.WeakKeyDictionary[Tokenizer, str] = weakref.WeakKeyDictionary()


def name_of(shown: Shown) -> str:
    """What a link calls a tokenizer."""
    return sum_of(shown.own) if shown.own else shown.key


def sum_of(tokenizer: Tokenizer) -> str:
    """The sha256 of its saved form, in hexadecimal: what a link calls an own tokenizer."""
    if tokenizer not in _sums:
        _sums[tokenizer] = hashlib.sha256(dump(tokenizer)).hexdigest()
    return _sums[tokenizer]


def keys_here(me: Visitor, names: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """By their names in a link, the keys of the tokenizers that are here, and what is to be said of the others.

    One that lies in the library is opened.
    """
    keys: dict[str, str] = {}
    faults: list[str] = []
    for name in names:
        try:
            key = name if name in REFERENCES else _own_key(me, name)
        except TokvizError as fault:
            faults.append(f"A tokenizer of the link could not be opened. {fault}")
            continue
        if key:
            keys[name] = key
        else:
            faults.append(
                f"A tokenizer of the link is not here: the one whose file has the sha256 {name[:12]}…. "
                "Open its file under Tokenizers, and then the link once more."
            )
    return keys, faults


def _own_key(me: Visitor, name: str) -> str | None:
    for mine in me.trained:
        if sum_of(mine.tokenizer) == name:
            return mine.key
    for saved, data in library.files():
        if hashlib.sha256(data).hexdigest() == name:
            tokenizer = load(data, saved)
            mine = me.add(tokenizer.name, tokenizer)
            mine.saved_as = saved
            return mine.key
    return None


# -- a link arrives --


class Arrived(NamedTuple):
    """A link that a page was opened by; the keys of its tokenizers that are here, by their names in it, and of the one
    that it pins a token in.
    """

    link: Link
    here: Mapping[str, str]
    pinned_in: str | None

    @property
    def keys(self) -> list[str]:
        """The keys of its tokenizers that are here."""
        return list(self.here.values())


def arrived(me: Visitor, page: str) -> Arrived | None:
    """The link in the address, once: None in every other run. Its text is put before the visitor.

    To be called at the head of a page, before its widgets. The visitor's own text is kept for the way back.
    """
    kept = kept_in_session("links")
    if kept.get("page") != page:
        kept.update(page=page, faults=[], by=None)
    query = st.query_params.to_dict()
    if not is_link(query):
        return None
    st.query_params.from_dict({name: value for name, value in query.items() if name not in NAMES})
    before = kept.setdefault("applied", [])
    if query in before:  # the browser's way back leads to the address once more
        return None
    before.append(query)
    link, faults = decode(query)
    here, missing = keys_here(me, link.tokenizers)
    kept["faults"] = faults + missing
    if link.text is not None:
        me.lend(link.text)
    if link.specials:
        me.specials = link.specials
    names = link.tokenizers
    pinned_in = here.get(names[link.pinned.side]) if link.pinned and link.pinned.side < len(names) else None
    by = kept["by"] = Arrived(link, here, pinned_in)
    return by


def doubt(faults: Sequence[str]) -> None:
    """What a page itself could not do of the link that it was opened by: said beside what could not be read of it."""
    kept = kept_in_session("links")
    kept["faults"] = [*kept.get("faults", []), *faults]


def say_faults() -> None:
    """What could not be read of the link that this page was opened by. Its place on the page is taken in every run."""
    with st.container(key="links.faults", gap="small"):
        for number, fault in enumerate(kept_in_session("links").get("faults", [])):
            what, stop, way_out = fault.partition(". ")
            shell.note("warn", what + stop.strip(), way_out, key=f"links.fault.{number}")
