"""The address of a page as it stands: what a link says, as a query and back. One codec for all pages.

    /?v=1&use=gpt2,cl100k_base&size=1000&pin=0.12&packed=eNrLSM3JyQcABiwCFQ

The page is the address. Each thing has a parameter of its own, so that of a damaged link the rest can still be read.
A text goes along when it is short: packed by zlib, whose sum tells whether it came through whole, or by the name of a
bundled one. A link that a person writes may say text=... in plain words. An own tokenizer is named by the sha256 of its
saved form (`tokviz.formats.tokviz`), as `sha256sum` gives it for the file.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from tokviz.errors import UnknownNameError
from tokviz.samples import sample, samples
from tokviz.text import clean
from tokviz.ui.tokenizers import REFERENCES
from tokviz.ui.visitors.visitor import READINGS, TABS, Reading, Tab

VERSION = "1"
TEXT_BYTES = 4_000  # of a text in a link, in UTF-8; browsers, mail and chat cut longer addresses
QUERY_LIMIT = 16_000  # characters of a whole query that are read at all
TOKENIZERS_LIMIT = 8  # a page shows no more
NUMBER_LIMIT = 2**31 - 1
SMALLEST_VOCABULARY = 256

_OF_REPLAY = ("step", "start", "length", "presenting")
_OF_COMPARE = ("start", "region", "out", "pair", "tab")
NAMES = ("v", "use", "specials", "view", "size", "pin", *_OF_REPLAY, *_OF_COMPARE, "sample", "packed", "text")
_OWN = re.compile(r"[0-9a-f]{64}")
_VIEW = re.compile(r"[a-z]{1,20}(,[a-z]{1,20}){0,7}")
_DIGITS = re.compile(r"[0-9]{1,10}")
_SIDES = re.compile(r"[0-9]{1,3}(,[0-9]{1,3})*")
_BASE64 = re.compile(r"[A-Za-z0-9_-]*")


class Pin(NamedTuple):
    """A pinned token: under which of the link's tokenizers, counted from 0, and its first byte in the text."""

    side: int
    start: int


@dataclass(frozen=True, slots=True)
class Link:
    """What a link says; None, "" or () is what it leaves to the visitor.

    text: what stands in the text area, at most TEXT_BYTES long or that of a sample. tokenizers: a name for `reference`,
    or the sha256 of an own one. specials: how special tokens are read. view: how tokens are drawn, words of the
    component with commas between. size: a vocabulary size. pinned: see Pin. step: merges done; start and length: the
    window of the corpus in bytes, on Compare the first byte shown of the text; presenting: in presenter mode.
    region: the first byte of the disagreement looked at; out: those of the tokenizers that have no say in the
    consensus; pair: two of them, of which it is explained why the second cuts where the first does not; tab: the one
    that is open.
    """

    text: str | None = None
    tokenizers: tuple[str, ...] = ()
    specials: Reading | None = None
    view: str = ""
    size: int | None = None
    pinned: Pin | None = None
    step: int | None = None
    start: int | None = None
    length: int | None = None
    presenting: bool = False
    region: int | None = None
    out: tuple[str, ...] = ()
    pair: tuple[str, str] | None = None
    tab: Tab | None = None


# -- to a query and back --


def encode(link: Link) -> str:
    """The query that says so, without the question mark. A text that is too long stays out: see `left_out`.

    >>> encode(Link(text="hello", tokenizers=("gpt2", "cl100k_base"), size=1000, pinned=Pin(1, 4)))
    'v=1&use=gpt2,cl100k_base&size=1000&pin=1.4&packed=eNrLSM3JyQcABiwCFQ'
    >>> encode(Link(text=sample("tongue").text, step=12))
    'v=1&step=12&sample=tongue'
    >>> encode(Link(tokenizers=("gpt2", "o200k_base"), region=7, pair=("o200k_base", "gpt2"), tab="Vocabulary size"))
    'v=1&use=gpt2,o200k_base&region=7&pair=1,0&tab=vocabulary-size'
    """
    said = {
        "v": VERSION,
        "use": ",".join(link.tokenizers),
        "specials": link.specials,
        "view": link.view,
        "size": link.size,
        "pin": link.pinned and f"{link.pinned.side}.{link.pinned.start}",
        "step": link.step,
        "start": link.start,
        "length": link.length,
        "presenting": "1" if link.presenting else "",
        "region": link.region,
        "out": ",".join(str(link.tokenizers.index(name)) for name in link.out),
        "pair": ",".join(str(link.tokenizers.index(name)) for name in link.pair or ()),
        "tab": link.tab and _slug(link.tab),
        **_text_said(link.text),
    }
    there = {name: value for name, value in said.items() if value not in (None, "")}
    return urlencode(there, safe=",", quote_via=quote)


def left_out(link: Link) -> str:
    """What of it a link cannot carry, in a sentence; "" if all of it goes along.

    >>> left_out(Link(text="x" * 5000))
    'The text stays out of the link: it has 5,000 bytes, and a link carries 4,000.'
    """
    if link.text is None or _text_said(link.text):
        return ""
    size = len(clean(link.text).encode())
    return f"The text stays out of the link: it has {size:,} bytes, and a link carries {TEXT_BYTES:,}."


def decode(query: str | Mapping[str, str]) -> tuple[Link, list[str]]:
    """What a query says, and what was wrong with it: a sentence or two each. Never raises.

    Where a tokenizer is not known, what is said of it goes with it.

    >>> decode("v=1&use=gpt2&size=12&text=na%C3%AFve")
    (Link(text='naïve', tokenizers=('gpt2',), ...), ['The vocabulary size “12” of the link makes no sense...'])
    """
    try:
        said = dict(parse_qsl(query, True, max_num_fields=100)) if isinstance(query, str) else query
    except ValueError:
        said = {"packed": ""}
    if sum(map(len, said.values())) > QUERY_LIMIT:
        return Link(), [f"The link is too long to be one of tokviz: it has more than {QUERY_LIMIT:,} characters."]
    if said.get("v", VERSION) != VERSION:
        was = _short(said["v"])
        return Link(), [f"The link is of version {was}; this tokviz reads version {VERSION}. Make it again here."]
    faults: list[str] = []
    return Link(
        text=_text(said, faults),
        tokenizers=_tokenizers(said, faults),
        specials=_specials(said, faults),
        view=_view(said, faults),
        size=_number(said, "size", "vocabulary size", faults, least=SMALLEST_VOCABULARY),
        pinned=_pinned(said, faults),
        step=_number(said, "step", "step", faults),
        start=_number(said, "start", "start of the window", faults),
        length=_number(said, "length", "length of the window", faults, least=1),
        presenting=said.get("presenting") == "1",
        region=_number(said, "region", "place of the disagreement", faults),
        out=_out(said, faults),
        pair=_pair(said, faults),
        tab=_tab(said, faults),
    ), faults


def is_link(query: Iterable[str]) -> bool:
    """Whether parameters of these names are ours; others' (those that mail and news add) are none of our concern."""
    return not set(query).isdisjoint(NAMES)


def sample_of(text: str) -> str | None:
    """The key of the bundled text that this is, by which a link names it; None if it is another.

    >>> sample_of(sample("tongue").text)
    'tongue'
    """
    return next((one.key for one in samples() if one.text == text), None)


def _text_said(text: str | None) -> dict[str, str]:
    """The text as a parameter; {} where it does not go along."""
    if text is None:
        return {}
    bundled = sample_of(text)
    if bundled:
        return {"sample": bundled}
    if len(text) > TEXT_BYTES:  # of which each character has a byte at least
        return {}
    data = clean(text).encode()
    return {"packed": _packed(data)} if len(data) <= TEXT_BYTES else {}


def _packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


def _text(said: Mapping[str, str], faults: list[str]) -> str | None:
    if "sample" in said:
        try:
            return sample(said["sample"]).text
        except UnknownNameError:
            faults.append(f"There is no sample {_short(said['sample'])} here. The text that was there stays.")
    if "packed" in said:
        return _unpacked(said["packed"], faults)
    if "text" not in said:
        return None
    text = clean(said["text"])
    if len(text.encode()) <= TEXT_BYTES:
        return text
    faults.append(f"The text of the link is longer than {TEXT_BYTES:,} bytes. It was left out.")
    return None


def _unpacked(packed: str, faults: list[str]) -> str | None:
    """The text, or the beginning of one that breaks off. Nothing is unpacked beyond what a link may carry."""
    letters = _BASE64.match(packed)
    kept = letters[0] if letters else ""
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]  # one letter over has not a whole byte in it
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(base64.urlsafe_b64decode(kept + "=" * (-len(kept) % 4)), TEXT_BYTES + 1)
        text = data.decode("utf-8", "strict" if unpacking.eof else "ignore")
    except (zlib.error, UnicodeDecodeError):
        faults.append("The text of the link is damaged. It was left out; ask for the link again.")
        return None
    if len(data) > TEXT_BYTES:
        faults.append(f"The text of the link is longer than {TEXT_BYTES:,} bytes. It was left out.")
        return None
    if not unpacking.eof:
        faults.append(
            "The text of the link breaks off or is damaged. What came through is shown; ask for the link again."
        )
        return text or None
    return text


def _named(said: Mapping[str, str]) -> list[str]:
    """The tokenizers as the link names them, by which it counts them, also those that nobody knows."""
    return list(dict.fromkeys(filter(None, said.get("use", "").split(","))))


def _is_known(name: str) -> bool:
    return name in REFERENCES or bool(_OWN.fullmatch(name))


def _tokenizers(said: Mapping[str, str], faults: list[str]) -> tuple[str, ...]:
    names = _named(said)
    known = list(filter(_is_known, names))
    unknown = [_short(name) for name in names if name not in known]
    if unknown:
        some = ", ".join(unknown[:3]) + (f" and {len(unknown) - 3:,} more" if len(unknown) > 3 else "")
        faults.append(f"The link names tokenizers that are not here: {some}. There are {', '.join(REFERENCES)}.")
    if len(known) > TOKENIZERS_LIMIT:
        faults.append(f"The link names {len(known)} tokenizers. The first {TOKENIZERS_LIMIT} are shown.")
    return tuple(known[:TOKENIZERS_LIMIT])


def _specials(said: Mapping[str, str], faults: list[str]) -> Reading | None:
    reading = next((one for one in READINGS if one == said.get("specials")), None)
    if "specials" in said and reading is None:
        faults.append(f"Special tokens cannot be read as {_short(said['specials'])}. They are read as before.")
    return reading


def _view(said: Mapping[str, str], faults: list[str]) -> str:
    view = said.get("view", "")
    if view and not _VIEW.fullmatch(view):
        faults.append(f"There is no view {_short(view)}. The usual one is shown.")
        return ""
    return view


def _pinned(said: Mapping[str, str], faults: list[str]) -> Pin | None:
    if "pin" not in said:
        return None
    side, _, start = said["pin"].partition(".")
    if _DIGITS.fullmatch(side) and _DIGITS.fullmatch(start):
        pin, names = Pin(int(side), int(start)), _named(said)
        if pin.side < max(TOKENIZERS_LIMIT, len(names)) and pin.start <= NUMBER_LIMIT:
            unknown = [i for i, name in enumerate(names) if not _is_known(name)]
            side_here = pin.side - sum(i < pin.side for i in unknown)
            return Pin(side_here, pin.start) if pin.side not in unknown and side_here < TOKENIZERS_LIMIT else None
    faults.append(f"The pinned token {_short(said['pin'])} of the link makes no sense. Nothing is pinned.")
    return None


def _sides(said: Mapping[str, str], name: str) -> list[str | None] | None:
    """The tokenizers that are counted out in this parameter, None for each that is not known; None if it is damaged."""
    if not _SIDES.fullmatch(said[name]):
        return None
    names, places = _named(said), [int(place) for place in said[name].split(",")]
    if len(set(places)) < len(places) or max(places) >= len(names):
        return None
    known = [one for one in names if _is_known(one)][:TOKENIZERS_LIMIT]
    return [names[place] if names[place] in known else None for place in places]


def _out(said: Mapping[str, str], faults: list[str]) -> tuple[str, ...]:
    sides = _sides(said, "out") if "out" in said else []
    if sides is None:
        faults.append(f"The rows {_short(said['out'])} that the link leaves out make no sense. Every row counts.")
    return tuple(filter(None, sides or ()))


def _pair(said: Mapping[str, str], faults: list[str]) -> tuple[str, str] | None:
    if "pair" not in said:
        return None
    match _sides(said, "pair"):
        case [str(a), str(b)]:
            return a, b
        case [_, _]:
            return None
    faults.append(f"The pair {_short(said['pair'])} of the link makes no sense. Another one is explained.")
    return None


def _slug(tab: str) -> str:
    return tab.lower().replace(" ", "-")


def _tab(said: Mapping[str, str], faults: list[str]) -> Tab | None:
    tab = next((one for one in TABS if _slug(one) == said.get("tab")), None)
    if "tab" in said and tab is None:
        faults.append(f"There is no tab {_short(said['tab'])} here. The one that was open stays open.")
    return tab


def _number(said: Mapping[str, str], name: str, title: str, faults: list[str], least: int = 0) -> int | None:
    if name not in said:
        return None
    if _DIGITS.fullmatch(said[name]) and least <= int(said[name]) <= NUMBER_LIMIT:
        return int(said[name])
    faults.append(f"The {title} {_short(said[name])} of the link makes no sense. It was left out.")
    return None


def _short(value: str) -> str:
    """What was read, short enough to stand in a sentence."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in value[:40])
    return f"“{shown}{'…' if len(value) > 40 else ''}”"
