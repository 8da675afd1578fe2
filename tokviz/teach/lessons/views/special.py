"""Reads one text with special tokens in three ways: as ordinary text, with the special tokens, or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokviz.base.blocks import Block, Note, Quiet, Tokens
from tokviz.base.errors import SpecialTokenError
from tokviz.base.sentences import Code, Strong
from tokviz.base.wording import count_of
from tokviz.split.specials import READINGS, Reading, special_places
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, typed, view
from tokviz.teach.lessons.trained import lesson_tokenizer
from tokviz.tokenizer.tokenizer import Tokenizer

TEXT_LIMIT = 1_000  # characters
# The arguments of `encode`, as tiktoken has them too, with a title. Without arguments, it refuses.
CALLS: Mapping[Reading, tuple[str, str]] = {
    "text": ("As ordinary text", "encode(text, disallowed_special=())"),
    "special": ("With special tokens", 'encode(text, allowed_special="all")'),
    "refuse": ("Without arguments", "encode(text)"),
}


def with_specials(name: str, special_tokens: Sequence[str]) -> Tokenizer:
    """Add special tokens to a tokenizer. Their ids follow its highest.

    >>> with_specials("gpt2", ["<|end|>"]).special_tokens
    {'<|endoftext|>': 50256, '<|end|>': 50257}
    """
    base = lesson_tokenizer(name)
    more = {token: base.n_vocab + i for i, token in enumerate(special_tokens)}
    return base.with_special_tokens({**base.special_tokens, **more}) if more else base


@view("text")
def special(
    *,
    text: str,
    tokenizer: str = "cl100k_base",
    special_tokens: Sequence[str] = (),
    readings: Sequence[Reading] = READINGS,
    typing: bool = False,
) -> Shown:
    """Show a text in these readings. special_tokens: in addition to those of the tokenizer.

    Facts: `text_tokens` and `special_tokens` (the tokens under the two readings), `found`: how many special tokens the
    text holds, `messages`: how many of them are the first of special_tokens, `default`: what `encode` without arguments
    does, "raises" or "ids", and `bytes`.

    >>> special(text="a<|endoftext|>").facts
    {'text_tokens': 8, 'special_tokens': 2, 'found': 1, 'messages': 0, 'default': 'raises', 'bytes': 14}
    """
    text = checked_text(text, TEXT_LIMIT)
    tok = with_specials(tokenizer, special_tokens)
    encodings = {"text": tok.explain(text), "special": tok.explain(text, allowed_special="all")}
    places = special_places(text, tok.special_tokens)
    fault = _fault(tok, text)
    facts: dict[str, Fact] = {
        "text_tokens": len(encodings["text"]),
        "special_tokens": len(encodings["special"]),
        "found": len(places),
        "messages": sum(id == tok.special_tokens[special_tokens[0]] for id in places.values()) if special_tokens else 0,
        "default": "raises" if fault else "ids",
        "bytes": len(text.encode()),
    }
    rows: list[Block] = []
    for reading in readings:
        drawn = encodings.get("text" if reading == "refuse" and not fault else reading)
        title, code = CALLS[reading]
        said = "raises an error" if drawn is None else count_of(len(drawn), "token")
        refused = [Note("warn", fault)] if fault and reading == "refuse" else []
        rows.append(Tokens(drawn, f"{title}: tokens", [Strong(title), Code(code), Quiet(said)], under=refused))
    return Shown(facts, [*typed(text, typing), *rows], tok)


def _fault(tokenizer: Tokenizer, text: str) -> str:
    """Return what `encode` without arguments says against the text; "" if it gives ids."""
    try:
        tokenizer.encode(text)
    except SpecialTokenError as fault:
        return fault.what
    return ""
