"""The tokenizers that a visitor can choose, their own and the references, and what each makes of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import tiktoken

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.once import Once
from tokviz.base.text import clean
from tokviz.catalog.references import reference, reference_name, references
from tokviz.catalog.samples import sample
from tokviz.comparison.proof import proof
from tokviz.formats.bundled import offered
from tokviz.formats.witness import witness
from tokviz.offline.data import glyph
from tokviz.split.specials import Reading, allowed_special, first_special
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.hues import palette
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training, train
from tokviz.ui.frame.say import plain
from tokviz.ui.server.visitor import Visitor
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.table import TokenTable, token_table

# What all visitors share of a reference tokenizer, by its name.
reference_witness: Once[str, tiktoken.Encoding | None] = Once(lambda name: witness(reference(name)))
reference_family: Once[str, Family] = Once(lambda name: Family(reference(name)))
reference_table: Once[str, TokenTable] = Once(lambda name: token_table(reference(name)))

SAMPLE_SIZE = 288  # tokens of the sample's training: 32 merges, few enough to watch one by one


@dataclass(frozen=True, slots=True)
class Badge:
    """The outcome of a check, in a pill: Badge(True, "same ids as tiktoken") reads "✓ same ids as tiktoken"."""

    good: bool
    text: str


@cache
def sample_training() -> Training:
    """The training on the bundled sample, which Replay shows to those who have trained nothing."""
    return train(sample("tongue").text, SAMPLE_SIZE, name=sample("tongue").title)


@dataclass(frozen=True, slots=True)
class ShownTokenizer:
    """A tokenizer on a page.

    series: the key of its colour and marker in the palette. own: None for a reference tokenizer.
    """

    key: str
    name: str
    series: str
    own: AnyTokenizer | None

    @property
    def tokenizer(self) -> AnyTokenizer:
        """The tokenizer itself. A reference tokenizer is read from its file at the first use."""
        return self.own or reference(self.key)

    def first_special(self, text: str) -> tuple[str, int] | None:
        """Find the first special token that it can cut out of a text, and its first byte; None if there is none."""
        tok = self.tokenizer
        alone = tok.normalizer.alone if tok.normalizer else ()
        return first_special(text, tok.special_tokens, tok.added_tokens, alone)

    @property
    def label(self) -> str:
        """The marker and the name, for a widget's label."""
        return f"{mark_of(self.series)} {plain(self.name)}"


def mark_of(series: str) -> str:
    """The marker of a tokenizer in its colour, for a widget's label.

    >>> mark_of("gpt2")
    ':orange[■]'
    """
    return f":{palette()['series_shapes'][series]['label']}[{glyph(series)}]"


def marked(shown: ShownTokenizer) -> str:
    """The marker and the names of a tokenizer. The marker comes first, so it stays if the names are cut."""
    known_from = references()[shown.key].known_from if shown.own is None else ()
    return f"{glyph(shown.series)} {', '.join([*known_from[:1], shown.name])}"


def at_hand(me: Visitor) -> list[ShownTokenizer]:
    """The tokenizers that the visitor can choose: their own, oldest first, those of others, then the references."""
    own = [ShownTokenizer(one.key, one.name, one.series, one.tokenizer) for one in me.tokenizers]
    rows = ((name, references()[name]) for name in offered())
    return own + [ShownTokenizer(name, row.title, row.series, None) for name, row in rows]


def encoded(me: Visitor, tokenizer: AnyTokenizer, text: str, reading: Reading = "text") -> Encoding:
    """The text under the tokenizer, from the visitor's cache, because a page runs again at every press.

    reading: whether special tokens in the text are read as special tokens or as text.
    """
    key = ("encoded", tokenizer, text, reading)
    return me.cache.get(key, lambda: tokenizer.explain(text, allowed_special(reading)))


def able(
    chosen: Sequence[ShownTokenizer], read: Callable[[ShownTokenizer], object], out_of: str = ""
) -> tuple[list[ShownTokenizer], list[TokvizError]]:
    """The tokenizers that can read what `read` has them read, and why each of the others is left out.

    A split pattern of a visitor's own may not cover a text. out_of: what the others are left out of, for the message.
    """
    good: list[ShownTokenizer] = []
    faults: list[TokvizError] = []
    where = f" of {out_of}" if out_of else ""
    for shown in chosen:
        try:
            read(shown)
            good.append(shown)
        except TokvizError as error:
            faults.append(InputError(f"{shown.name} is left out{where}. {error.what}", error.way_out))
    return good, faults


def badge(me: Visitor, tokenizer: AnyTokenizer, text: str, reading: Reading = "text") -> Badge | None:
    """Whether tiktoken gives the same ids for this text, as a badge, which says no more than what is proved.

    tiktoken knows only its own encodings, and is given the merges of others; None if it cannot judge.
    """

    def judge() -> Badge | None:
        if not tokenizer.has_merges:
            return None
        name = reference_name(tokenizer)
        own = reference_witness(name) if name else me.cache.get(("witness", tokenizer), lambda: witness(tokenizer))
        verdict = proof(tokenizer, clean(text), encoded(me, tokenizer, text, reading), own)
        if verdict.agrees is None:
            return None
        if not verdict.agrees:
            return Badge(False, f"differs from tiktoken at byte {verdict.at:,}")
        return Badge(True, "same ids as tiktoken" if name else "tiktoken, given these merges, makes the same ids")

    return me.cache.get(("badge", tokenizer, text, reading), judge)


def family_of(me: Visitor, tokenizer: Tokenizer) -> Family:
    """Which tokens a token is made of and part of. All visitors share the families of the reference tokenizers."""
    name = reference_name(tokenizer)
    return reference_family(name) if name else me.cache.get(("family", tokenizer), lambda: Family(tokenizer))


def family_ready(me: Visitor, tokenizer: Tokenizer) -> bool:
    """Whether `family_of` answers at once. Its first call for a reference tokenizer takes one or two seconds."""
    name = reference_name(tokenizer)
    return reference_family.ready(name) if name else ("family", tokenizer) in me.cache
