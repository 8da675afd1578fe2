"""The workbench: a text area, and below it the text as tokens under each chosen tokenizer. Tokens and Compare have one.

Python sends the text and its first tokens once. After that the browser and the live socket keep text and tokens in
step. A rerun of the page sends nothing unless something other than this browser changed the text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, Protocol

import numpy as np

from tokviz.base.errors import TokvizError
from tokviz.base.text import clean
from tokviz.catalog.samples import examples
from tokviz.offline.data import glyph, payload
from tokviz.offline.files import TOKENS
from tokviz.tokenizer.encoding import SPLIT, Encoding
from tokviz.tokenizer.live_text import beginning
from tokviz.ui.frame.address import TEXT_BYTES, Link, PageLink, encode, sample_of
from tokviz.ui.frame.links import link_name, visit
from tokviz.ui.frame.remarks import remarks
from tokviz.ui.frame.tokenizers import ShownTokenizer, badge, encoded
from tokviz.ui.frame.widgets import kept_in_session, widget_value
from tokviz.ui.kit.data import heard
from tokviz.ui.server import limits
from tokviz.ui.server.pages import STARTED
from tokviz.ui.server.registry import new_view
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.choosing import Chosen, distinct

WORKBENCH_STYLES = (*TOKENS, *(f"tokenview/{name}.css" for name in ("card", "size", "choice", "workbench")))


class WorkbenchRequest(NamedTuple):
    """What the visitor asked for in the browser: "example" (and its name), "clear" or "back"; "chosen" (and the names
    of tokenizers and models, with commas); "cost", a door of the opening; "below" (and what opens there); or "renew",
    where the page has another visitor now and nothing else is to be done.

    `text` is the typed text that the socket did not carry, "" if there is none; it takes effect before the request.
    """

    what: str = ""
    name: str = ""
    text: str = ""


class Choosing(Protocol):
    """The state of a page with a workbench. chosen: names of models or tokenizers that are shown: see `choosing`."""

    chosen: list[str]


def asked(me: Visitor, state: Choosing, key: str) -> WorkbenchRequest | None:
    """Do what the browser asked for in this run, as far as it is about text and tokenizers; None if it asked nothing.

    An example replaces the visitor's own text, which can be brought back. key: of the workbench in the session.
    """
    ask = heard(widget_value(key), "asked", WorkbenchRequest)
    if not ask:
        return None
    if ask.text:
        me.type(beginning(clean(ask.text), limits.TEXT_UNITS), _kept(key)["view"])
    example = next((one for one in examples() if ask.what == "example" and one.title == ask.name), None)
    if example:
        me.lend(example.text)
    elif ask.what == "clear":
        me.lend("")
    elif ask.what == "back":
        me.back()
    elif ask.what == "chosen":
        state.chosen = ask.name.split(",")
    return ask


def _kept(key: str) -> dict[str, Any]:
    kept = kept_in_session(key)
    if not kept:
        kept.update(view=new_view(), stamp=0, shown=None)
    return kept


def workbench_data(
    me: Visitor,
    heads: Sequence[Chosen],
    key: str,
    ask: WorkbenchRequest | None,
    more: Callable[[], tuple[PageLink, Mapping[str, Any]]],
    *changing: object,
) -> dict[str, Any]:
    """What the workbench sends to the browser. It is made anew only if the browser does not have it already.

    more: makes the page's part of a link to it, and what else the page sends; `changing`: what else that depends on.

    The browser has the text that was typed in it last, or else the text that it was sent last. Only another text is
    news to it. What is kept changes in one go at the end, because the next run can interrupt this one before that.
    """
    kept = _kept(key)
    news = not me.has_text(kept["view"])
    shown_now = (*((head.name, head.title) for head in heads), me.specials, len(me.own_texts), visit(), *changing)
    if news or (ask and ask.text) or kept["shown"] != shown_now:
        text, stamp = me.text, kept["stamp"] + news
        if news:
            me.no_text(kept["view"])
        data = {**_data(me, text, heads, *more()), "view": kept["view"], "stamp": stamp}
        kept.update(stamp=stamp, shown=shown_now, data=data)
        me.gets_text(kept["view"], text)
    found: dict[str, Any] = kept["data"]
    return found


def _data(me: Visitor, text: str, heads: Sequence[Chosen], link: PageLink, more: Mapping[str, Any]) -> dict[str, Any]:
    """The data, but for `view`, which names this workbench, and `stamp`, which counts the texts that Python gave it.

    The browser takes the text if the stamp is new, and keeps its own if not. server: names this run of the server.
    back: how many of the visitor's own texts "Back to my text before" can return to. limit: UTF-16 units of a text.
    link: the part of a link that is known before anything is typed, the key of the text if it is a bundled one, and how
    many bytes of a text go along; link.js adds the rest.
    """
    shown = distinct(heads)
    query = encode(Link(link, tokenizers=tuple(link_name(me, one) for one in shown)))
    return {
        "text": text,
        "server": STARTED,
        "examples": [{"name": one.title, "look": one.look} for one in examples()],
        "example": next((one.title for one in examples() if one.text == text), None),
        "back": len(me.own_texts),
        "specials": me.specials,
        "heads": [head.data for head in heads],
        "limit": limits.TEXT_UNITS,
        "link": {"query": query, "sample": sample_of(text), "limit": TEXT_BYTES},
        "blocks": [_block(me, one, text) for one in shown],
        **more,
    }


def _block(me: Visitor, shown: ShownTokenizer, text: str) -> dict[str, Any]:
    """A tokenizer, the text as its tokens, and what tiktoken says to them.

    error: why the text could not be encoded; there is then one token a byte. refused: where special tokens are refused,
    the first one in the text and the byte at which it starts. kind: of a peer, such as "WordPiece"; "" for our own
    tokenizers. called: what links call the tokenizer. remarks: what is to be known of the tokens.
    """
    tokenizer, reading, error = shown.tokenizer, me.specials, None
    try:
        encoding = encoded(me, tokenizer, text, reading)
    except TokvizError as fault:
        data, error = text.encode(), str(fault)
        encoding = Encoding(data, np.full(len(data), SPLIT, np.int32), tokenizer.alphabet)
    said = badge(me, tokenizer, text, reading) if text and not error else None
    sent = payload(encoding, live=True)
    return {
        "key": shown.key,
        "name": shown.name,
        "series": shown.series,
        "glyph": glyph(shown.series),
        "badge": asdict(said) if said else None,
        "error": error,
        "refused": shown.first_special(text) if reading == "refuse" and not error else None,
        "kind": tokenizer.kind,
        "called": link_name(me, shown),
        "remarks": [] if error else remarks(tokenizer, text, encoding),
        "merges": len(encoding.merge_ids),
        **{name: value for name, value in sent.items() if name != "text" or "typed" in sent},
    }
