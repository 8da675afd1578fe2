"""Special tokens: strings that are one token each. They are cut out of a text before anything else is done to it.

The leftmost one is taken first, and of several that begin there the longest. The text between two special tokens is a
text of its own, as in tiktoken.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, get_args

import regex

from tokviz.errors import SpecialTokenError

Specials = Collection[str] | Literal["all"]
Reading = Literal["text", "special", "refuse"]  # of special tokens: as ordinary text, as one token each, not at all
READINGS: tuple[Reading, ...] = get_args(Reading)


def cut_specials(text: str, special_tokens: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Cut a text at special tokens: (stretch, is it a special token). No stretch is empty, except an empty text itself.

    >>> list(cut_specials("one<|end|>two", ["<|end|>"]))
    [('one', False), ('<|end|>', True), ('two', False)]
    """
    if not special_tokens:
        yield text, False
        return
    start = 0
    for match in special_finder(frozenset(special_tokens)).finditer(text):
        if start < match.start():
            yield text[start : match.start()], False
        yield match.group(), True
        start = match.end()
    if start < len(text):
        yield text[start:], False


def allowed_special(reading: Reading) -> Specials:
    """The special tokens to read as one token each. For "refuse" there are none: the text is drawn as ordinary text.

    >>> allowed_special("special"), allowed_special("text")
    ('all', ())
    """
    return "all" if reading == "special" else ()


def special_places(text: str, special_tokens: Mapping[str, int]) -> dict[int, int]:
    """The special tokens in a text: the id of each by its first byte.

    >>> special_places("né<|end|>", {"<|end|>": 256})
    {3: 256}
    """
    found, place = {}, 0
    for stretch, special in cut_specials(text, special_tokens):
        if special:
            found[place] = special_tokens[stretch]
        place += len(stretch.encode())
    return found


def first_special(text: str, special_tokens: Collection[str]) -> tuple[str, int] | None:
    """The first special token in a text and its first byte; None if the text has none.

    >>> first_special("né<|end|>", ["<|end|>"])
    ('<|end|>', 3)
    """
    place = 0
    for stretch, special in cut_specials(text, special_tokens):
        if special:
            return stretch, place
        place += len(stretch.encode())
    return None


@functools.lru_cache(maxsize=64)
def special_finder(special_tokens: frozenset[str]) -> Any:
    """A compiled regular expression that finds the leftmost special token, and of several there the longest."""
    longest_first = sorted(special_tokens, key=lambda token: (-len(token), token))
    return regex.compile("|".join(regex.escape(token, special_only=True) for token in longest_first))


def check_special_tokens(special_tokens: Collection[str]) -> tuple[str, ...]:
    """The special tokens as a tuple, in the order given.

    Raises SpecialTokenError if one is empty, is named twice, is not a string, or cannot be written in UTF-8.

    >>> check_special_tokens(["<|end|>", "<|pad|>"])
    ('<|end|>', '<|pad|>')
    >>> check_special_tokens(["<|end|>", ""])
    Traceback (most recent call last):
        ...
    tokviz.errors.SpecialTokenError: A special token is empty: it would stand between all characters. Leave it out.
    """
    if isinstance(special_tokens, str):
        raise SpecialTokenError(
            "The special tokens are one string, not a collection of strings.", f"Write [{special_tokens!r}]."
        )
    tokens = tuple(special_tokens)
    for token in tokens:
        if not isinstance(token, str):
            raise SpecialTokenError(
                f"A special token is a string, not {type(token).__name__}.", "Write each special token as a string."
            )
        if not token:
            raise SpecialTokenError(
                "A special token is empty: it would stand between all characters.", "Leave it out.", token=token
            )
        if tokens.count(token) > 1:
            raise SpecialTokenError(f"The special token {token!r} is named twice.", "Name it once.", token=token)
        try:
            token.encode("utf-8")
        except UnicodeEncodeError:
            raise SpecialTokenError(
                f"The special token {token!a} contains half a character, which UTF-8 cannot write.",
                "Write the character whole, or leave it out.",
                token=token,
            ) from None
    return tokens


def check_special_ids(special_tokens: Mapping[str, int], taken: Mapping[int, int]) -> dict[str, int]:
    """The special tokens and their ids as a dict.

    taken: its keys are the ids of the ordinary tokens. Raises SpecialTokenError where `check_special_tokens` does, and
    if an id is taken or is not a whole number from 0 to 2,147,483,647.

    >>> check_special_ids({"<|end|>": 256}, {97: 0})
    {'<|end|>': 256}
    """
    check_special_tokens(list(special_tokens))
    used: dict[int, str] = {}
    for token, id in special_tokens.items():
        if isinstance(id, bool) or not isinstance(id, int) or not 0 <= id < 2**31:
            raise SpecialTokenError(
                f"The special token {token!r} has {id!r} as its id.",
                "Give it a whole number from 0 to 2,147,483,647.",
                token=token,
            )
        if id in taken or id in used:
            owner = f"the special token {used[id]!r}" if id in used else "an ordinary token"
            raise SpecialTokenError(
                f"The special token {token!r} has the id {id}, which {owner} already has.",
                "Give it an id that no other token has.",
                token=token,
            )
        used[id] = token
    return dict(special_tokens)


def refuse(text: str, allowed: frozenset[str], refused: frozenset[str]) -> None:
    """Raise SpecialTokenError if the text contains a refused special token that is not part of a longer allowed one.

    Its `offset` is the byte at which the token begins.
    """
    if not refused:
        return
    for match in special_finder(refused | allowed).finditer(text):
        token = match.group()
        if token in refused:
            offset = len(text[: match.start()].encode())
            raise SpecialTokenError(
                f"The text contains the special token {token!r} at byte {offset:,}.",
                f"To read it as one token, pass allowed_special={{{token!r}}}; to read it as ordinary text, pass "
                "disallowed_special=().",
                token=token,
                offset=offset,
            )
