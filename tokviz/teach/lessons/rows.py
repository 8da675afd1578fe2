"""Makes rows: a text under a tokenizer, in a form, or as another encoder cuts it. Views draw them, tasks judge them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tokviz.base.blocks import Cell, Chips, Quiet, Series
from tokviz.base.errors import InputError
from tokviz.base.sentences import Strong
from tokviz.base.wording import plural
from tokviz.teach.dropout import encode_with_dropout
from tokviz.teach.lessons.forms import form_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Chosen, LessonError
from tokviz.teach.other_encoders import ENCODERS, encode_with
from tokviz.tokenizer.encoding import Encoding, Token
from tokviz.tokenizer.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class EncodingRow:
    """Holds a text and its encoding by a tokenizer; None if the text has no such form, and then `fault` says why."""

    title: str
    by: Chosen
    text: str
    encoding: Encoding | None
    fault: str = ""

    @property
    def tokens(self) -> int:
        """How many tokens; 0 if there is no encoding."""
        return len(self.encoding) if self.encoding is not None else 0

    def places(self) -> Sequence[Token]:
        """Return the tokens, each at its place in the text."""
        return self.encoding.tokens() if self.encoding is not None else ()

    def pieces(self) -> list[bytes]:
        """Return the tokens by their bytes."""
        return [token.data for token in self.places()]

    def cells(self, *, marked: bool = True, ids: bool = False) -> list[Cell]:
        """Return the title, the tokens as chips, and how many there are, as cells of a table.

        marked: whether the title has the mark of the tokenizer.
        ids: whether each token is drawn as its id.
        """
        title = Series(self.by.series, self.title) if marked else self.title
        if self.encoding is None:
            return [title, Quiet(self.fault), None]
        return [title, Chips(self.encoding, ids=ids), [Strong(f"{self.tokens:,}"), Quiet(plural(self.tokens, "token"))]]


def rows_by_tokenizer(text: str, tokenizers: Iterable[Chosen], *, special: bool = False) -> list[EncodingRow]:
    """Encode a text with each tokenizer. special: whether special tokens are read as such.

    >>> from tokviz.teach.lessons.trained import chosen
    >>> [row.tokens for row in rows_by_tokenizer("Hello, world!", [chosen("gpt2"), chosen("story 300")])]
    [4, 10]
    """
    text = checked_text(text)
    allowed = "all" if special else ()
    return [EncodingRow(by.title, by, text, by.tokenizer.explain(text, allowed)) for by in tokenizers]


def rows_by_form(text: str, forms: Sequence[str], by: Chosen) -> list[EncodingRow]:
    """Encode a text in each form with one tokenizer."""
    return [_in_form(checked_text(text), name, by) for name in forms]


def rows_by_encoder(text: str, encoders: Sequence[str], by: Chosen) -> list[EncodingRow]:
    """Encode a text with each encoder, by the merges of one tokenizer."""
    text = checked_text(text)
    return [EncodingRow(ENCODERS[name].title, by, text, encode_with(name, _of_merges(by), text)) for name in encoders]


def rows_by_draw(text: str, by: Chosen, p: float, seeds: Iterable[int]) -> list[EncodingRow]:
    """Encode a text by BPE-dropout with each seed."""
    text = checked_text(text)
    return [EncodingRow(f"Seed {seed}", by, text, encode_with_dropout(_of_merges(by), text, p, seed)) for seed in seeds]


def rows_by_text(texts: Iterable[Mapping[str, str]], by: Chosen, *, special: bool = False) -> list[EncodingRow]:
    """Encode several texts, each {title, text}, with one tokenizer."""
    return [
        EncodingRow(
            each["title"], by, checked_text(each["text"]), by.tokenizer.explain(each["text"], "all" if special else ())
        )
        for each in texts
    ]


def _in_form(text: str, name: str, by: Chosen) -> EncodingRow:
    form = form_of(name)
    try:
        written = form.make(text)
    except InputError as fault:
        return EncodingRow(form.title, by, text, None, str(fault))
    return EncodingRow(form.title, by, written, by.tokenizer.explain(written))


def _of_merges(by: Chosen) -> Tokenizer:
    if not by.tokenizer.has_merges:
        raise LessonError(f"{by.title} has no merges.")
    return by.tokenizer
