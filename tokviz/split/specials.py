"""Cuts special tokens and added tokens, strings that are one token each, out of a text before anything else is done to
it: added tokens always, special tokens where they are allowed.

The leftmost one is taken first, and of several that begin there the longest. The text between two of them is a text of
its own, as in tiktoken. One search finds both kinds, as in the package `tokenizers`: a special token that it finds, but
that is not allowed, is text, and no added token is cut out of it. llama.cpp looks for the longest of all tokens first:
where some overlap in a text, it may cut at others.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import regex

from tokviz.base import bounds
from tokviz.base.arguments import checked_text, shown, whole_number
from tokviz.base.errors import SettingError, SpecialTokenError
from tokviz.base.frozen import FrozenDict
from tokviz.base.text import clean

Specials = Collection[str] | Literal["all"]
Kind = Literal["special", "added"]
SpecialIds = Mapping[str, int]  # special token -> id
NONE: SpecialIds = FrozenDict()
Reading = Literal["text", "special", "refuse"]  # of special tokens: as ordinary text, as one token each, not at all
READINGS: tuple[Reading, ...] = get_args(Reading)
WORD = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]"  # a character of a word, which Rust writes \w
_WORD = regex.compile(WORD)
LONG = 2_000  # characters of all special tokens together, from which on they are searched for in a sorted list
LONGEST = 1_000  # characters of one: `regex` prepares to find a text in steps that grow as the cube of its length


class CutFirst:
    """Holds what a Tokenizer and a Peer have in common: two kinds of tokens that are cut out of a text first.

    special_tokens, added_tokens: text -> id. No text is both.
    """

    special_tokens: SpecialIds
    added_tokens: SpecialIds

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """The ids of the special tokens."""
        return frozenset(self.special_tokens.values())

    @cached_property
    def added_ids(self) -> frozenset[int]:
        """The ids of the added tokens."""
        return frozenset(self.added_tokens.values())

    @cached_property
    def cut_tokens(self) -> SpecialIds:
        """The special and the added tokens, text -> id."""
        return FrozenDict({**self.special_tokens, **self.added_tokens})

    @cached_property
    def cut_ids(self) -> frozenset[int]:
        """The ids of both."""
        return self.special_ids | self.added_ids


def cut_specials(
    text: str, special_tokens: Collection[str], passed: Collection[str] = (), alone: Collection[str] = ()
) -> Iterator[tuple[str, bool]]:
    """Cut a text at special tokens: (stretch, is it a special token). No stretch is empty, except an empty text itself.

    passed: others that the same search finds, and that stay in the stretches between.
    alone: those that stay in them too where a character of a word is before or behind them.

    >>> list(cut_specials("one<|end|>two", ["<|end|>"]))
    [('one', False), ('<|end|>', True), ('two', False)]
    >>> list(cut_specials("one<|end|>two", ["end"], passed=["<|end|>"]))
    [('one<|end|>two', False)]
    """
    if not special_tokens:
        yield text, False
        return
    start = 0
    for match in _matches(text, frozenset(special_tokens).union(passed), alone):
        if match.group() in passed:
            continue
        if start < match.start():
            yield text[start : match.start()], False
        yield match.group(), True
        start = match.end()
    if start < len(text):
        yield text[start:], False


def _matches(text: str, tokens: frozenset[str], alone: Collection[str]) -> Iterator[Any]:
    """Find tokens in a text, but none of `alone` that has a character of a word before or behind it."""
    for match in special_finder(tokens).finditer(text):
        start, end = match.span()
        beside = text[start - 1 : start], text[end : end + 1]
        if match.group() not in alone or not any(map(_WORD.match, beside)):
            yield match


def allowed_special(reading: Reading) -> Specials:
    """Return the special tokens to read as one token each. "refuse" has none: the text is drawn as ordinary text.

    >>> allowed_special("special"), allowed_special("text")
    ('all', ())
    """
    return "all" if reading == "special" else ()


def special_places(text: str, special_tokens: SpecialIds, added_tokens: SpecialIds = NONE) -> dict[int, int]:
    """Find the special tokens in a text: the id of each by its first byte. added_tokens: those of the same tokenizer.

    >>> special_places("né<|end|>", {"<|end|>": 256})
    {3: 256}
    """
    found, place = {}, 0
    for stretch, special in cut_specials(text, special_tokens, added_tokens):
        if special:
            found[place] = special_tokens[stretch]
        place += len(stretch.encode())
    return found


def first_special(
    text: str, special_tokens: Collection[str], added_tokens: Collection[str] = (), alone: Collection[str] = ()
) -> tuple[str, int] | None:
    """Find the first special token in a text and its first byte; None if there is none.

    added_tokens: those of the same tokenizer. None of the first is found inside one of these.
    alone: as in `cut_specials`.

    >>> first_special("né<|end|>", ["<|end|>"])
    ('<|end|>', 3)
    """
    if special_tokens:
        for match in _matches(text, frozenset(special_tokens).union(added_tokens), alone):
            if match.group() in special_tokens:
                return match.group(), len(text[: match.start()].encode())
    return None


def special_finder(special_tokens: frozenset[str]) -> Any:
    """Make an object that finds the leftmost special token, and of several there the longest: a compiled regular
    expression if the special tokens are few, else one with the same `finditer` and `search`."""
    return _expression(special_tokens) if sum(map(len, special_tokens)) <= LONG else _many(special_tokens)


@functools.lru_cache(maxsize=64)
def _expression(special_tokens: frozenset[str]) -> Any:
    longest_first = sorted(special_tokens, key=lambda token: (-len(token), token))
    pattern = "|".join(regex.escape(token, special_only=True) for token in longest_first)
    return regex.compile(pattern, cache_pattern=False)  # `regex` itself would keep hundreds


class _Found(NamedTuple):
    """Holds a special token in a text, with the methods of a match."""

    token: str
    place: int

    def group(self) -> str:
        return self.token

    def start(self) -> int:
        return self.place

    def end(self) -> int:
        return self.place + len(self.token)

    def span(self) -> tuple[int, int]:
        return self.place, self.end()


class _Many:
    """Finds one of many special tokens. An expression of them would take 300 bytes a character, and be tried one token
    after the other.

    The tokens are sorted. The last one that does not come after the text begins with each token that the text begins
    with. So those are at the end of a chain: this token, the longest one with which it begins, the longest one with
    which that begins, and so on. The chain can have a thousand tokens, so it is not walked step by step.

    >>> [match.span() for match in _Many(frozenset(["<a>", "<a><b>"])).finditer("x<a><a><b>")]
    [(1, 4), (4, 10)]
    """

    def __init__(self, special_tokens: frozenset[str]) -> None:
        self.tokens = sorted(special_tokens)
        self.longest = max(map(len, self.tokens))
        self.first = regex.compile("[" + "".join(regex.escape(c) for c in sorted({t[0] for t in self.tokens})) + "]")
        within: list[int] = []  # the place of the longest token with which this one begins; -1 if there is none
        open_ones: list[int] = []
        for place, token in enumerate(self.tokens):
            while open_ones and not token.startswith(self.tokens[open_ones[-1]]):
                open_ones.pop()
            within.append(open_ones[-1] if open_ones else -1)
            open_ones.append(place)
        self.jumps = [within]  # one step along the chain, two steps, four steps, and so on
        while any(place >= 0 for place in within):
            within = [within[place] if place >= 0 else -1 for place in within]
            self.jumps.append(within)

    def finditer(self, text: str) -> Iterator[_Found]:
        done = 0
        for candidate in self.first.finditer(text):
            start = candidate.start()
            if start >= done and (token := self._at(text, start)):
                yield _Found(token, start)
                done = start + len(token)

    def search(self, text: str) -> _Found | None:
        return next(self.finditer(text), None)

    def _at(self, text: str, start: int) -> str:
        place = bisect_right(self.tokens, text[start : start + self.longest]) - 1
        if place >= 0 and not text.startswith(self.tokens[place], start):
            for jump in reversed(self.jumps):
                if jump[place] >= 0 and not text.startswith(self.tokens[jump[place]], start):
                    place = jump[place]
            place = self.jumps[0][place]
        return self.tokens[place] if place >= 0 else ""


_many = functools.lru_cache(maxsize=4)(_Many)


def check_special_tokens(special_tokens: Collection[str], kind: Kind = "special") -> tuple[str, ...]:
    """Return the special tokens as a tuple, in the order given. kind: what errors call them.

    SpecialTokenError for an empty or a very long one, a double, a non-string.
    """
    if isinstance(special_tokens, str | bytes) or not isinstance(special_tokens, Iterable):
        raise SpecialTokenError(
            f"The {kind} tokens are {shown(special_tokens)}, which is no collection of strings.",
            "Pass a list of strings, such as ['<|endoftext|>'].",
        )
    seen: dict[str, None] = {}
    one = "An added token" if kind == "added" else "A special token"
    for token in special_tokens:
        if not isinstance(token, str):
            raise SpecialTokenError(f"{one} is {shown(token)}, which is not a string.", "Pass a str.")
        if not token:
            raise SpecialTokenError(
                f"{one} is empty: it would be between all characters.", "Leave it out.", token=token
            )
        if len(token) > LONGEST:
            raise SpecialTokenError(
                f"The {kind} token {shown(token)} has {len(token):,} characters, and {LONGEST:,} are the limit.",
                "Make it shorter.",
                token=token,
            )
        if token in seen:
            raise SpecialTokenError(f"The {kind} token {shown(token)} is named twice.", "Name it once.", token=token)
        if clean(token) != token:
            raise SpecialTokenError(
                f"The {kind} token {token!a} contains half a character, which UTF-8 cannot write.",
                "Use whole characters.",
                token=token,
            )
        seen[token] = None
        if len(seen) > bounds.now().specials:
            raise SpecialTokenError(
                f"There are more than {bounds.now().specials:,} {kind} tokens, which is the limit.", "Use fewer."
            )
    n_bytes = sum(len(token.encode()) for token in seen)
    most = int(bounds.now().vocabulary_mb * bounds.MB)
    if n_bytes > most:
        raise SpecialTokenError(
            f"The {kind} tokens have {n_bytes:,} bytes, and {most:,} are the limit.", "Use fewer, or shorter ones."
        )
    return tuple(seen)


def check_special_ids(
    special_tokens: SpecialIds, taken: Container[int], others: SpecialIds | None = None
) -> dict[str, int]:
    """Check that each special token has an id of its own, and return text -> id. SpecialTokenError if one has not.

    taken: the ids of ordinary tokens. others: the special tokens, if it is the added tokens that are checked.
    """
    kind: Kind = "special" if others is None else "added"
    if not isinstance(special_tokens, Mapping):
        raise SpecialTokenError(
            f"The {kind} tokens are {shown(special_tokens)}, which does not map text to ids.",
            "Pass a dict, such as {'<|endoftext|>': 50256}.",
        )
    check_special_tokens(list(special_tokens), kind)
    used: dict[int, str] = {}
    owners = {id: token for token, id in (others or {}).items()}
    for token, value in special_tokens.items():
        try:
            id = whole_number(value, f"The id of the {kind} token {shown(token)}", 0, 2**31 - 1)
        except SettingError as fault:
            raise SpecialTokenError(fault.what, fault.way_out, token=token) from None
        if token in (others or {}):
            raise SpecialTokenError(f"The added token {shown(token)} is a special token too.", "Leave one out.")
        if id in taken or id in used or id in owners:
            owner = f"the special token {shown(owners[id])}" if id in owners else "an ordinary token"
            owner = f"the {kind} token {shown(used[id])}" if id in used else owner
            raise SpecialTokenError(
                f"The {kind} token {shown(token)} has the id {id}, which {owner} has already.",
                "Give it an id of its own.",
                token=token,
            )
        used[id] = token
    return {token: id for id, token in used.items()}


def named_specials(given: Specials, all_of_them: frozenset[str], name: str) -> frozenset[str]:
    """Return the special tokens that an argument of this name means: "all", or a collection of them."""
    if isinstance(given, str):
        if given == "all":
            return all_of_them
    else:
        try:
            tokens: frozenset[str] | None = frozenset(given)
        except TypeError:  # no collection, or one of lists
            tokens = None
        if tokens is not None and (not tokens or all(isinstance(token, str) for token in tokens)):
            return tokens
    raise SpecialTokenError(
        f"{name} is {shown(given)}, which is no collection of special tokens.",
        "Pass 'all' or a set of strings, such as {'<|endoftext|>'}.",
    )


def allowed_and_refused(
    special_tokens: Collection[str], allowed_special: Specials, disallowed_special: Specials
) -> tuple[frozenset[str], frozenset[str]]:
    """The special tokens that the two arguments stand for. SpecialTokenError if one is no collection of them."""
    mine = frozenset(special_tokens)
    allowed = named_specials(allowed_special, mine, "allowed_special") & mine
    return allowed, named_specials(disallowed_special, mine - allowed, "disallowed_special")


def refuse(text: str, allowed: frozenset[str], refused: frozenset[str], alone: Collection[str] = ()) -> None:
    """Raise SpecialTokenError if the text contains a refused special token that is not part of a longer allowed one.

    Its `offset` is the byte at which the token begins.
    alone: as in `cut_specials`.
    """
    if found := first_special(text, refused, allowed, alone):
        token, offset = found
        raise SpecialTokenError(
            f"The text contains the special token {shown(token)} at byte {offset:,}.",
            f"To read it as one token, pass allowed_special={{{shown(token)}}}; to read it as ordinary text, pass "
            "disallowed_special=().",
            token=token,
            offset=offset,
        )


def cut_stretches(
    text: str,
    special_tokens: SpecialIds,
    allowed_special: Specials,
    disallowed_special: Specials,
    added_tokens: SpecialIds = NONE,
) -> list[tuple[bytes, int | None]]:
    """Cut a text at added and allowed special tokens: (bytes in UTF-8, id of the token that they are, or None).

    Lone surrogates become U+FFFD. SpecialTokenError if the text contains a disallowed special token.

    >>> cut_stretches("a<|end|>", {"<|end|>": 256}, "all", ())
    [(b'a', None), (b'<|end|>', 256)]
    """
    text = clean(checked_text(text))
    allowed, refused = allowed_and_refused(special_tokens, allowed_special, disallowed_special)
    found = allowed.union(added_tokens) if added_tokens else allowed
    refuse(text, found, refused)
    if not found:
        return [(text.encode(), None)]
    cuts = cut_specials(text, found, special_tokens.keys() - allowed if added_tokens else ())
    ids = {**special_tokens, **added_tokens} if added_tokens else special_tokens
    pieces = [(piece.encode(), ids[piece] if special else None) for piece, special in cuts]
    return pieces or [(b"", None)]
