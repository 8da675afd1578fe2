"""The workbench: a text area, and below it the text as tokens under each chosen tokenizer.

Python sends the text and its first tokens once. After that the browser and the live socket keep text and tokens in
step. A rerun of the page sends nothing unless something other than this browser changed the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from tokviz.catalog.samples import Example
from tokviz.split.specials import Reading
from tokviz.tokenizer.encoding import Encoding
from tokviz.ui.kit.data import glyph, payload
from tokviz.ui.server import limits
from tokviz.ui.tokenview.view import STYLES, Badge

WORKBENCH_STYLES = (*STYLES, *(f"tokenview/{name}.css" for name in ("card", "size", "choice", "workbench")))


class Block(NamedTuple):
    """A tokenizer on the workbench: its key, name and series, the text as its tokens, and what tiktoken says to them.

    error: why the text could not be encoded; the encoding then has one token a byte. refused: where special tokens are
    refused, the first one in the text and the byte at which it starts. kind: of a peer, such as "WordPiece"; "" for our
    own tokenizers. called: what links call the tokenizer. remarks: what is to be known of the tokens.
    """

    key: str
    name: str
    series: str
    encoding: Encoding
    badge: Badge | None
    error: str | None = None
    refused: tuple[str, int] | None = None
    kind: str = ""
    called: str = ""
    remarks: Sequence[str] = ()


class WorkbenchRequest(NamedTuple):
    """What the visitor asked for in the browser: "example" (and its name), "clear" or "back"; "chosen" (and the names
    of tokenizers and models, with commas); "cost", a door of the opening; "below" (and what opens there); or "renew",
    where the page has another visitor now and nothing else is to be done.

    Without a socket also "typed" and "specials" (and how to read them). `text` is the typed text that the socket did
    not carry, "" if there is none; it takes effect before the request.
    """

    what: str = ""
    name: str = ""
    text: str = ""


def workbench_data(
    text: str,
    blocks: Sequence[Block],
    *,
    heads: Sequence[Mapping[str, Any]],
    view: str,
    stamp: int,
    opening: bool,
    server: str,
    examples: Sequence[Example],
    example: str | None,
    back: int,
    specials: Reading,
    link: Mapping[str, Any],
    opened: Mapping[str, Any],
    length: int | None = None,
) -> dict[str, Any]:
    """What the workbench sends to the browser.

    view, stamp: `view` names this workbench, and `stamp` counts the texts that Python gave it. The browser takes the
    text if the stamp is new, and keeps its own if not. heads: what is chosen, a model or a tokenizer each. opening:
    whether the visitor is new, and meets the opening. server: names this run of the server. examples, example: those on
    offer, and the title of the one shown. back: how many of the visitor's own texts "Back to my text before" can return
    to. specials: how special tokens are read. length: how many UTF-16 units the text has if only its beginning is sent,
    which can then be read but not changed. link: the beginning of a link to this view. opened: how the tokens are drawn
    at first (see `_link_begun` and `_opened` in `tokens/page.py`).
    """
    return {
        "text": text,
        "view": view,
        "stamp": stamp,
        "opening": opening,
        "server": server,
        "examples": [{"name": one.title, "look": one.look} for one in examples],
        "example": example,
        "back": back,
        "specials": specials,
        "heads": list(heads),
        "length": length,
        "limit": limits.TEXT_UNITS,
        "link": link,
        "opened": opened,
        "blocks": [
            {
                **{name: value for name, value in block._asdict().items() if name != "encoding"},
                "glyph": glyph(block.series),
                "badge": asdict(block.badge) if block.badge else None,
                "merges": len(block.encoding.merge_ids),
                **{name: value for name, value in sent.items() if name != "text" or "typed" in sent},
            }
            for block, sent in ((block, payload(block.encoding)) for block in blocks)
        ],
    }
