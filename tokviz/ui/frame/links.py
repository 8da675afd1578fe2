"""A link that arrives: it is applied once and taken out of the address. From then on the visitor's own state wins.

address.py defines what a link can say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

import streamlit as st

from tokviz.base.errors import InputError, TokvizError
from tokviz.catalog import saved as library
from tokviz.formats.bundled import offered
from tokviz.ui.frame import shelf
from tokviz.ui.frame.address import BACK, Link, P, PageLink, decode, is_link, names_of
from tokviz.ui.frame.say import note
from tokviz.ui.frame.shell import PAGES
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.widgets import kept_in_session
from tokviz.ui.server.visitor import Visitor

# -- the names of tokenizers --


def link_name(me: Visitor, shown: ShownTokenizer) -> str:
    """What a link calls a tokenizer."""
    return next((own.sha256 for own in me.tokenizers if own.key == shown.key), shown.key)


def keys_here(me: Visitor, names: Sequence[str]) -> tuple[dict[str, str], list[InputError]]:
    """Name in the link -> key, for the tokenizers that are here; and an error for each of the others.

    A tokenizer that is only in the library is opened.
    """
    keys: dict[str, str] = {}
    faults: list[InputError] = []
    for name in names:
        try:
            key = name if name in offered() else _own_key(me, name)
        except TokvizError as fault:
            faults.append(InputError(f"A tokenizer of the link could not be opened. {fault.what}", fault.way_out))
            continue
        if key:
            keys[name] = key
        elif len(name) < 64:
            what = "The link leads from a page to a tokenizer that was removed, or is another visitor's."
            faults.append(InputError(what, "Ask for a link made with Share."))
        else:
            what = f"A tokenizer of the link is not here. The sha256 of its file begins with {name[:12]}."
            faults.append(InputError(what, "Open its file in the library, and then open the link again."))
    return keys, faults


def _own_key(me: Visitor, name: str) -> str | None:
    for mine in me.tokenizers:
        if mine.here == name or mine.sha256 == name:
            return mine.key
    saved = library.name_of_sum(name)
    if saved is None:
        return None
    tokenizer = library.open_saved(saved)
    return shelf.keep(me, tokenizer, tokenizer.name, saved_as=saved).key


# -- a link arrives --


@dataclass(frozen=True, slots=True)
class Arrived(Generic[P]):
    """A link that opened a page. here: name in the link -> key, for those of its tokenizers that are here.

    back: the other page of this app on which it was clicked; "" if it came from elsewhere.
    """

    link: Link[P]
    here: Mapping[str, str]
    back: str = ""

    @property
    def keys(self) -> list[str]:
        """The keys of those of its tokenizers that are here."""
        return list(self.here.values())


def arrived(me: Visitor, page: str, kind: type[P], *, lend: bool = True) -> Arrived[P] | None:
    """The link in the address, in the run in which it arrives; None in every other run.

    Call it at the head of a page, before its widgets. kind: what this page's link can say. The link's text, and how it
    reads special tokens, are applied here. The visitor's own text is kept, and can be brought back. lend: False leaves
    the text to the page.
    """
    kept = kept_in_session("links")
    if kept.get("page") != page:
        kept.update(page=page, faults=[], by=object())
    query = st.query_params.to_dict()
    if not is_link(query, kind):
        return None
    ours = names_of(kind)
    st.query_params.from_dict({name: value for name, value in query.items() if name not in ours})
    back = query.get(BACK, "")
    before = kept.setdefault("applied", [])
    if not back:  # a link that was clicked on a page leaves no address behind (page_link.js)
        if query in before:  # the browser's Back leads to the address once more
            return None
        before.append(query)
    link, faults = decode(query, kind)
    here, missing = keys_here(me, link.tokenizers)
    kept["faults"] = [*faults, *missing]
    if link.text is not None and lend:
        me.lend(link.text)
    if link.specials:
        me.specials = link.specials
    others = [one.path for one in PAGES if one.path != page]
    found = kept["by"] = Arrived(link, here, back if back in others else "")
    return found


def visit() -> object:
    """Another object after a visit to another page, and after a link that says something else."""
    return kept_in_session("links").get("by")


def opened_by(kind: type[P]) -> Arrived[P] | None:
    """The link that this page was last opened by, in this run or an earlier one; None after a visit to another page."""
    by = visit()
    return by if isinstance(by, Arrived) and isinstance(by.link.page, kind) else None


def offer_way_back(kind: type[PageLink]) -> None:
    """Draw a link back to the page on which the link to this page was clicked, if there is one. Call it above the
    head of the page."""
    by = opened_by(kind)
    if by and by.back:
        title = next(page.title for page in PAGES if page.path == by.back)
        with st.container(key="links.back", gap=None):
            st.page_link(f"pages/{by.back}.py", label=f"‹ Back to {title}")


def add_faults(faults: Iterable[InputError]) -> None:
    """Add what the page itself could not apply of the link that opened it. `say_faults` shows it with the rest."""
    kept = kept_in_session("links")
    kept["faults"] = [*kept.get("faults", []), *faults]


def say_faults() -> None:
    """Show what could not be read in the link that opened this page. Call it in every run, so that nothing moves."""
    with st.container(key="links.faults", gap="small"):
        for fault in kept_in_session("links").get("faults", []):
            note("warn", fault.what, fault.way_out)
