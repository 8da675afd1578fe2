"""Links as queries, written and read. One codec for all pages.

    /?v=1&use=gpt2,cl100k_base&size=1000&pin=0.12&packed=eNrLSM3JyQcABiwCFQ

The path names the page. The link of any page can name a text, tokenizers and how special tokens are read; what only one
page's link can say is that page's `PageLink`, in its folder. Each thing has its own parameter, so that the rest of a
damaged link can still be read. A short text is in the link, packed by zlib, whose checksum shows whether it arrived
whole; a bundled text is named. A link that a person writes can have the plain text: text=... An own tokenizer is named
by the sha256 of its model file, as `sha256sum` gives it, or by its `Own.here` in a link that only its owner can follow.
"""

from __future__ import annotations

import base64
import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar
from urllib.parse import parse_qsl, quote, urlencode

from tokviz.base.errors import InputError, UnknownNameError
from tokviz.base.text import clean
from tokviz.base.typed import Misfit, read
from tokviz.catalog.samples import sample, samples
from tokviz.formats.bundled import offered
from tokviz.split.specials import Reading

VERSION = "1"
TEXT_BYTES = 4_000  # of a text in a link, in UTF-8; browsers, mail and chat cut longer addresses
QUERY_LIMIT = 16_000  # characters of a whole query that are read at all
TOKENIZERS_LIMIT = 8  # a page shows no more
NUMBER_LIMIT = 2**31 - 1

BACK = "back"  # the page on which the link was clicked, if it was a page of this app
_OF_ALL_PAGES = ("v", "use", "specials", "sample", "packed", "text", BACK)
_OWN = re.compile(r"[0-9a-f]{64}|[0-9a-f]{16}")
_DIGITS = re.compile(r"[0-9]{1,10}")
_SIDES = re.compile(r"[0-9]{1,3}(,[0-9]{1,3})*")
_BASE64 = re.compile(r"[A-Za-z0-9_-]*")


class PageLink(ABC):
    """What only one page's link can say. A page with such a link has a child of this class in its folder."""

    NAMES: ClassVar[tuple[str, ...]]  # of its parameters

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """Name -> value of each parameter, None or "" for one left out: at first, fields of these names. tokenizers:
        those that the link names."""
        return {name: getattr(self, name) for name in self.NAMES}

    @classmethod
    @abstractmethod
    def read(cls, query: Query) -> Self:
        """Read the parameters of a query. One that makes no sense is left out, and `query.faults` says so."""


@dataclass(frozen=True, slots=True)
class NoPageLink(PageLink):
    """For a link that says only what the link of any page can say."""

    NAMES = ()

    @classmethod
    def read(cls, query: Query) -> Self:
        return cls()


P = TypeVar("P", bound=PageLink)


@dataclass(frozen=True, slots=True)
class Link(Generic[P]):
    """What a link says. Where it has None or (), the visitor's own choice stays.

    page: what only this page's link says. text: at most TEXT_BYTES long, or a sample's. tokenizers: names for
    `reference`, or the sha256 of own ones. specials: how special tokens are read.
    """

    page: P
    text: str | None = None
    tokenizers: tuple[str, ...] = ()
    specials: Reading | None = None


class Query:
    """The parameters of a link, read one by one. `faults` collects what was wrong with them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.faults: list[InputError] = []
        # All tokenizers that the link names, unknown ones too: other parameters give numbers in this list.
        self.names = list(dict.fromkeys(filter(None, values.get("use", "").split(","))))

    def fault(self, what: str, way_out: str) -> None:
        """Note what was wrong with a parameter, and what happens instead."""
        self.faults.append(InputError(what, way_out))

    def get(self, name: str) -> str | None:
        """The value of a parameter as it was sent."""
        return self.values.get(name)

    def number(self, name: str, title: str, least: int = 0) -> int | None:
        """A whole number from `least`. title: what the number is, for the message."""
        value = self.get(name)
        if value is None:
            return None
        if _DIGITS.fullmatch(value) and least <= int(value) <= NUMBER_LIMIT:
            return int(value)
        self.fault(f"The {title} {shortened(value)} of the link makes no sense.", "It was left out.")
        return None

    def one_of(self, name: str, kind: Any, what: str = "", way_out: str = "It was left out.") -> Any:
        """The value of a parameter that has one of several words; None if it is missing, empty, or another one.

        kind: the words, as a Literal. what, way_out: of the fault if it is another one; {} in it becomes that word.
        """
        what = what or f"The link has {{}} for “{name}”, which makes no sense."
        value = self.get(name)
        try:
            return read(value, kind) if value else None
        except Misfit:
            self.fault(what.format(shortened(str(value))), way_out)
            return None

    def sides(self, name: str) -> list[str | None] | None:
        """Tokenizers given by their numbers, None for each that is not known; None if the parameter is damaged."""
        value = self.values[name]
        if not _SIDES.fullmatch(value):
            return None
        places = [int(place) for place in value.split(",")]
        if len(set(places)) < len(places) or max(places) >= len(self.names):
            return None
        known = [one for one in self.names if is_known(one)][:TOKENIZERS_LIMIT]
        return [self.names[place] if self.names[place] in known else None for place in places]


def is_known(name: str) -> bool:
    """Whether this can name a tokenizer in a link: the name of a reference, a sha256, or an `Own.here`."""
    return name in offered() or bool(_OWN.fullmatch(name))


def digits(value: str) -> int | None:
    """A whole number from 0, or None."""
    return int(value) if _DIGITS.fullmatch(value) else None


# -- to a query and back --


def encode(link: Link[Any]) -> str:
    """The query of a link, without the question mark. A text that is too long is left out: see `left_out`.

    >>> encode(Link(NoPageLink(), text="hello", tokenizers=("gpt2", "cl100k_base")))
    'v=1&use=gpt2,cl100k_base&packed=eNrLSM3JyQcABiwCFQ'
    >>> encode(Link(NoPageLink(), text=sample("tongue").text))
    'v=1&sample=tongue'
    """
    said = {
        "v": VERSION,
        "use": ",".join(link.tokenizers),
        "specials": link.specials,
        **link.page.parameters(link.tokenizers),
        **_text_parameters(link.text),
    }
    there = {name: value for name, value in said.items() if value not in (None, "")}
    return urlencode(there, safe=",", quote_via=quote)


def left_out(link: Link[Any]) -> str:
    """What a link cannot carry, in a sentence; "" if it carries everything.

    >>> left_out(Link(NoPageLink(), text="x" * 5000))
    'The text is not in the link: the text has 5,000 bytes, and a link carries at most 4,000.'
    """
    if link.text is None or _text_parameters(link.text):
        return ""
    size = len(clean(link.text).encode())
    return f"The text is not in the link: the text has {size:,} bytes, and a link carries at most {TEXT_BYTES:,}."


def decode(query: str | Mapping[str, str], page: type[P]) -> tuple[Link[P], list[InputError]]:
    """The link in a query for this page, and what was wrong with the query. Never raises.

    >>> link, faults = decode("v=1&use=gpt2,gpt9&text=na%C3%AFve", NoPageLink)
    >>> link.text, link.tokenizers, faults[0].what
    ('naïve', ('gpt2',), 'The link names tokenizers that are not here: “gpt9”.')
    """
    try:
        values = dict(parse_qsl(query, True, max_num_fields=100)) if isinstance(query, str) else query
    except ValueError:
        values = {"packed": ""}
    asked = Query(values)
    if sum(map(len, values.values())) > QUERY_LIMIT:
        asked = Query({})
        what = f"The link has more than {QUERY_LIMIT:,} characters, and tokviz makes no link that long."
        asked.fault(what, "Nothing was read.")
    elif values.get("v", VERSION) != VERSION:
        was, asked = shortened(values["v"]), Query({})
        asked.fault(f"The link is of version {was}; this tokviz reads version {VERSION}.", "Make the link again here.")
    said = page.read(asked), _text(asked), _tokenizers(asked)
    what, way_out = "Special tokens cannot be read as {}.", "They are read as before."
    specials: Reading | None = asked.one_of("specials", Reading, what, way_out)
    return Link(*said, specials), asked.faults


def is_link(query: Iterable[str], page: type[PageLink]) -> bool:
    """Whether any of these parameters is ours. Mail programs and news sites add their own."""
    return not set(query).isdisjoint(names_of(page))


def names_of(page: type[PageLink]) -> tuple[str, ...]:
    """The names of all parameters that a link to this page can have."""
    return (*_OF_ALL_PAGES, *page.NAMES)


def sample_of(text: str) -> str | None:
    """The key of the bundled text that this is, by which a link names it; None if it is another text.

    >>> sample_of(sample("tongue").text)
    'tongue'
    """
    return next((one.key for one in samples() if one.text == text), None)


# -- the text --


def _text_parameters(text: str | None) -> dict[str, str]:
    """The parameter for a text; {} if the link does not contain it."""
    if text is None:
        return {}
    bundled = sample_of(text)
    if bundled:
        return {"sample": bundled}
    if len(text) > TEXT_BYTES:  # each character has at least one byte
        return {}
    data = clean(text).encode()
    if len(data) > TEXT_BYTES:
        return {}
    return {"packed": base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")}


def _text(query: Query) -> str | None:
    name = query.get("sample")
    if name is not None:
        try:
            return sample(name).text
        except UnknownNameError:
            query.fault(f"There is no sample {shortened(name)} here.", "The text that was there stays.")
    packed, plain = query.get("packed"), query.get("text")
    if packed is not None:
        return _unpacked(packed, query)
    if plain is None:
        return None
    text = clean(plain)
    if len(text.encode()) <= TEXT_BYTES:
        return text
    query.fault(f"The text of the link is longer than {TEXT_BYTES:,} bytes.", "It was left out.")
    return None


def _unpacked(packed: str, query: Query) -> str | None:
    """The text, or the beginning of one that was cut off. Nothing is unpacked beyond what a link may carry."""
    letters = _BASE64.match(packed)
    kept = letters[0] if letters else ""
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]  # a single letter at the end is less than a byte
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(base64.urlsafe_b64decode(kept + "=" * (-len(kept) % 4)), TEXT_BYTES + 1)
        text = data.decode("utf-8", "strict" if unpacking.eof else "ignore")
    except (zlib.error, UnicodeDecodeError):
        query.fault("The text of the link is damaged.", "It was left out; ask for the link again.")
        return None
    if len(data) > TEXT_BYTES:
        query.fault(f"The text of the link is longer than {TEXT_BYTES:,} bytes.", "It was left out.")
        return None
    if not unpacking.eof:
        query.fault(
            "The text of the link breaks off or is damaged.", "The part that arrived is shown; ask for the link again."
        )
        return text or None
    return text


# -- tokenizers --


def _tokenizers(query: Query) -> tuple[str, ...]:
    known = list(filter(is_known, query.names))
    unknown = [shortened(name) for name in query.names if name not in known]
    if unknown:
        some = ", ".join(unknown[:3]) + (f" and {len(unknown) - 3:,} more" if len(unknown) > 3 else "")
        query.fault(f"The link names tokenizers that are not here: {some}.", f"There are {', '.join(offered())}.")
    if len(known) > TOKENIZERS_LIMIT:
        query.fault(f"The link names {len(known)} tokenizers.", f"The first {TOKENIZERS_LIMIT} are shown.")
    return tuple(known[:TOKENIZERS_LIMIT])


def shortened(value: str) -> str:
    """A value of a link, quoted, and short enough for a sentence."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in value[:40])
    return f"“{shown}{'…' if len(value) > 40 else ''}”"
