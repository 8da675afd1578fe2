"""What is to be known of a text under a tokenizer: what a normalizer changed, and which tokens cannot be drawn."""

from __future__ import annotations

from tokviz.base.errors import TokvizError
from tokviz.base.text import clean
from tokviz.base.wording import count_of, visible
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import AnyTokenizer

SHOWN = 60  # characters of a changed text
CHANGES = 3  # of a text, that are told


def remarks(tokenizer: AnyTokenizer, text: str, encoding: Encoding) -> list[str]:
    """Return what to know about an encoding of a text: what a normalizer changed, which tokens of a peer have no bytes.

    encoding: `tokenizer.explain(text, ...)`.
    """
    if tokenizer.has_merges:
        changes = encoding.changes(clean(text).encode())
        said = [change_words(*change) for change in changes[:CHANGES]]
        more = f", and {len(changes) - CHANGES:,} more" if len(changes) > CHANGES else ""
        words = f"{tokenizer.name} changes this text before it cuts it, and its tokens are those of the changed text: "
        return [f"{words}{', '.join(said)}{more}."] if said else []
    found = []
    try:
        normalized = tokenizer.normalized(text, not tokenizer.special_ids.isdisjoint(encoding.whole.values()))
    except TokvizError:  # it cuts the text, though it cannot normalize it in one piece
        normalized = None
    if normalized is not None:
        shown = normalized if len(normalized) <= SHOWN else f"{normalized[:SHOWN]}…"
        found.append(
            f"{tokenizer.name} changes this text before it cuts it, to “{shown}”. Its tokens are drawn over the "
            "characters of your text that they come from."
        )
    n = len(encoding.bare)
    if n:
        has = "has" if n == 1 else "have"
        found.append(
            f"{n:,} of the {count_of(len(encoding), 'token')} of {tokenizer.name} {has} no bytes of this text and "
            "cannot be drawn."
        )
    return found


def change_words(at: int, old: bytes, new: bytes) -> str:
    """Say what a normalizer changed at a byte of a text.

    >>> change_words(3, b"A", b"a"), change_words(0, b"", b" ")
    ('“A” at byte 3 becomes “a”', '“·” is put before byte 0')
    """
    old_words, new_words = (
        f"“{words if len(words) <= SHOWN else f'{words[:SHOWN]}…'}”" for words in map(visible, (old, new))
    )
    if not old:
        return f"{new_words} is put before byte {at:,}"
    return f"{old_words} at byte {at:,} {f'becomes {new_words}' if new else 'is left out'}"
