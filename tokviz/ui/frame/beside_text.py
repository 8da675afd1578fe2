"""The figures of a text beside its tokens: words and tokens per word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tokviz.base.errors import TokvizError
from tokviz.base.text import clean
from tokviz.base.wording import NONE, count_of, percent, plural, rate, visible
from tokviz.cost.figures import UNSPACED, Figures, figures, words
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import AnyTokenizer

SHOWN = 60  # characters of a changed text
CHANGES = 3  # of a text, that are told
WORDS = "A word is a run of characters between white space."
UNSPACED_WORDS = (
    f"At least {percent(UNSPACED)} of the letters are of scripts that put no spaces between words, "
    "so words are not counted."
)


@dataclass(frozen=True, slots=True)
class TextFigures:
    """Figures as strings, ready to be drawn.

    text: figures of the text itself, as (figure, what it counts). rows: figures under each tokenizer, as (what, one
    figure for each tokenizer in the order shown). sources: how words are counted. remarks: what to know about the peers
    shown.
    """

    text: list[tuple[str, str]]
    rows: list[tuple[str, list[str]]]
    sources: list[str]
    remarks: list[str]


def text_figures(
    text: str,
    shown: Sequence[tuple[AnyTokenizer, Encoding | None]],
    size: int | None = None,
) -> TextFigures:
    """The figures of a text under the tokenizers shown.

    shown: each tokenizer with its encoding of the text, None if it cannot encode it. size: the vocabulary size to which
    all tokenizers are cut; None: they are whole.

    >>> from tokviz import reference
    >>> gpt2 = reference("gpt2")
    >>> text_figures("The cat sat.", [(gpt2, gpt2.explain("The cat sat."))]).rows[2]
    ('tokens per word', ['1.33'])
    """
    n_words = words(text)
    measured = [None if encoding is None else figures(_cut(encoding, size)) for _, encoding in shown]

    def row(what: str, figure: Callable[[Figures], str]) -> tuple[str, list[str]]:
        return what, [NONE if of is None else figure(of) for of in measured]

    rows = [
        row("tokens", lambda of: f"{of.tokens:,}"),
        row("bytes per token", lambda of: rate(of.bytes_per_token)),
        row("tokens per word", lambda of: rate(of.tokens / n_words if n_words else None)),
    ]
    if n_words is None:
        rows.append(row("characters per token", lambda of: rate(of.characters_per_token)))
    return TextFigures(
        [(NONE, "words") if n_words is None else (f"{n_words:,}", plural(n_words, "word"))],
        rows,
        [WORDS if n_words is not None else UNSPACED_WORDS],
        [remark for tokenizer, encoding in shown if encoding for remark in remarks(tokenizer, text, encoding)],
    )


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
            f"{tokenizer.name} changes this text before it cuts it, to “{shown}”. Its tokens are drawn where their "
            "characters stand in your text."
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


def _cut(encoding: Encoding, size: int | None) -> Encoding:
    """The encoding as its tokenizer would have made it at this vocabulary size."""
    return encoding if size is None else encoding.at(size - 256)
