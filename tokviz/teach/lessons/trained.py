"""Finds the tokenizers that lessons name: references, and small ones that are trained when they are first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.once import once_each
from tokviz.catalog.references import reference, references
from tokviz.catalog.samples import sample
from tokviz.teach.lessons.kinds import trained_kind
from tokviz.teach.lessons.shown import Chosen
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.rules import Prefer, Tie
from tokviz.training.train import Training, train

SAMPLE = "sample:"  # in front of the name of a bundled text
IN_PLACE_OF_OWN = "story 1024"  # for a learner who has trained none


@once_each(256)
def lesson_training(
    corpus: str,
    vocab_size: int = 1024,
    pattern: str = "none",
    tie: Tie = "first",
    min_count: int = 1,
    prefer: Prefer = "frequent",
) -> Training:
    """Train on the corpus that a lesson file has: a text, or "sample:story" for a bundled one. The training is kept.

    Views call `train` for a text that the learner can change: what visitors type does not stay in memory, and does not
    push the trainings of lessons out of it.

    >>> lesson_training("aab aab ab", 258).tokenizer.encode("aab aab ab")
    [257, 32, 257, 32, 256]
    """
    text = lesson_corpus(corpus)
    return train(text, vocab_size, pattern=pattern, tie=tie, min_count=min_count, prefer=prefer)


def lesson_corpus(corpus: str) -> str:
    """Return the text that a lesson names: itself, or a bundled one."""
    return sample(corpus.removeprefix(SAMPLE)).text if corpus.startswith(SAMPLE) else corpus


def lesson_tokenizer(name: str) -> Tokenizer:
    """Find a tokenizer by the name that lessons have for it: a reference, or "story 1024", which is trained on a sample
    with the split pattern gpt2 to this many tokens. Raises UnknownNameError.

    >>> lesson_tokenizer("story 300").vocab_size
    300
    """
    text, _, size = name.partition(" ")
    if size.isdigit():
        return lesson_training(f"{SAMPLE}{text}", int(size), "gpt2").tokenizer
    return reference(name)


def title_of(name: str) -> str:
    """Return what the page calls such a tokenizer."""
    text, _, size = name.partition(" ")
    if size.isdigit():
        return f"{int(size):,} tokens, learned from the sample “{text}”"
    return references()[name].title if name in references() else name


def chosen(named: str | Mapping[str, Any]) -> Chosen:
    """Find a tokenizer by its name, or make it from {corpus, vocab_size, title}, a key, and settings of a training.

    With a kind, such as "WordPiece", the package `tokenizers` trains it. With merges, pairs of ids, it has just these.

    >>> chosen("o200k_base").key, chosen({"corpus": "aab aab ab", "vocab_size": 258, "title": "Small"}).key
    ('o200k', 'small')
    """
    if isinstance(named, str):
        known = references().get(named)
        key, series = (named.removesuffix("_base"), known.series) if known else ("small", "yours")
        return Chosen(key, title_of(named), series, lesson_tokenizer(named))
    settings = dict(named)
    title, key = str(settings.pop("title")), str(settings.pop("key", "small"))
    series, kind = str(settings.pop("series", "yours")), settings.pop("kind", None)
    if "merges" in settings:
        tok: AnyTokenizer = _with_merges(title, tuple((left, right) for left, right in settings["merges"]))
    elif kind:
        tok = trained_kind(kind, lesson_corpus(settings["corpus"]), settings["vocab_size"])
    else:
        tok = lesson_training(**settings).tokenizer
    return Chosen(key, title, series, tok)


@once_each(16)
def _with_merges(name: str, merges: tuple[tuple[int, int], ...]) -> Tokenizer:
    return Tokenizer(name, merges, pattern="none")


def with_own(named: Sequence[str | Mapping[str, Any]], own: Sequence[Chosen]) -> list[Chosen]:
    """Find these tokenizers, and the learner's newest, or a small one in its place."""
    return [*map(chosen, named), own[-1] if own else chosen(IN_PLACE_OF_OWN)._replace(key="own")]
