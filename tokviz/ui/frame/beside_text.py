"""The figures of a text beside its tokens: words, tokens per word, and what the text comes to for a model.

A model counts with its own tokenizer, whether that one is shown or not. Where a figure has no source, there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tokviz.base.errors import TokvizError
from tokviz.base.text import clean
from tokviz.base.wording import NONE, count_of, percent, plural, rate, visible
from tokviz.catalog.references import Model, SourcedFigure, models, reference
from tokviz.cost.figures import UNSPACED, Figures, cost, figures, words
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
    figure for each tokenizer in the order shown). model: the name of the model, "" for none. of_model: figures of the
    text for the model, as (figure, what it counts). missing: why some figures for the model are not there. sources: how
    words are counted, and where the facts about the model come from. remarks: what to know about the peers shown.
    """

    text: list[tuple[str, str]]
    rows: list[tuple[str, list[str]]]
    model: str
    of_model: list[tuple[str, str]]
    missing: list[str]
    sources: list[str]
    remarks: list[str]


def text_figures(
    text: str,
    shown: Sequence[tuple[AnyTokenizer, Encoding | None]],
    model: str,
    allowed_special: Collection[str] = (),
    size: int | None = None,
) -> TextFigures:
    """The figures of a text under the tokenizers shown, and for a model.

    shown: each tokenizer with its encoding of the text, None if it cannot encode it. model: a name in `models()`; any
    other means no model. allowed_special: as in `Tokenizer.explain`, for the tokenizer of the model. size: the
    vocabulary size to which all tokenizers are cut, the model's too; None: they are whole.

    >>> from tokviz import reference
    >>> gpt2 = reference("gpt2")
    >>> found = text_figures("The cat sat.", [(gpt2, gpt2.explain("The cat sat."))], "gpt-4")
    >>> found.rows[2], found.of_model[0]
    (('tokens per word', ['1.33']), ('4', 'tokens for GPT-4'))
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
    chosen = models().get(model)
    of_model, missing, sources = _of_model(chosen, text, shown, allowed_special, size) if chosen else ([], [], [])
    return TextFigures(
        [(NONE, "words") if n_words is None else (f"{n_words:,}", plural(n_words, "word"))],
        rows,
        chosen.name if chosen else "",
        of_model,
        missing,
        [WORDS if n_words is not None else UNSPACED_WORDS, *sources],
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


def _of_model(
    model: Model,
    text: str,
    shown: Sequence[tuple[AnyTokenizer, Encoding | None]],
    allowed_special: Collection[str],
    size: int | None,
) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    of_model: list[tuple[str, str]] = []
    missing: list[str] = []
    if model.tokenizer:
        own = reference(model.tokenizer)
        there = next((encoding for tokenizer, encoding in shown if tokenizer is own), None)
        tokens = len(_cut(own.explain(text, allowed_special) if there is None else there, size))
        smaller = " at this vocabulary size" if size and size < own.vocab_size else ""
        of_model.append((f"{tokens:,}", f"{plural(tokens, 'token')} for {model.title}{smaller}"))
        if model.context:
            of_model.append((percent(tokens / model.context.value), "of its context window"))
            if tokens > model.context.value:
                missing.append(f"The text is {tokens - model.context.value:,} tokens too long for {model.title}.")
        if model.price:
            of_model.append((cost(tokens, model.price.value), "as input"))
    else:
        missing.append(f"tokviz does not have the tokenizer of {model.title}, so its tokens cannot be counted.")
    if not model.context:
        missing.append("Its context window has no source, so there is no figure.")
    if not model.price:
        missing.append("Its price has no source that gives one figure, so there is none.")
    return of_model, missing, _sources(model)


def _sources(model: Model) -> list[str]:
    tokenizer = model.encoding or (model.kind if model.vocabulary else "not published")
    size = f", {model.vocabulary.value:,} ids. {_where(model.vocabulary)}" if model.vocabulary else "."
    sources = [f"Tokenizer of {model.title}: {tokenizer}{size}"]
    if model.context:
        sources.append(f"Context window: {model.context.value:,} tokens. {_where(model.context)}")
    if model.price:
        a_million = cost(1_000_000, model.price.value)
        sources.append(
            f"Price: {a_million} for a million input tokens; the tokens that a chat adds around a text are extra. "
            f"{_where(model.price)}"
        )
    return sources


def _where(fact: SourcedFigure[int] | SourcedFigure[Decimal]) -> str:
    return f"Read on {fact.date.isoformat()} in: {fact.source}."
