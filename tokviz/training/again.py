"""Runs a training again when the texts of its tokenizer come back, recognised by their sha256.

A model file contains merges and history, but not the corpus. Windows, candidates and what-ifs need the corpus. Once it
is here, the training runs once more, and must give the same merges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tokviz.base.errors import FormatError, InputError, TokvizError
from tokviz.base.text import Text
from tokviz.base.wording import count_of
from tokviz.tokenizer.origin import ManyTexts, Settings
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.rules import Rules
from tokviz.training.train import Progress, train_by_rules

SUMS_SHOWN = 3  # texts whose sums an error shows; the others are only counted


def refuse_other_texts(tokenizer: Tokenizer, texts: Sequence[Text]) -> None:
    """Raise InputError unless these are the texts the tokenizer was trained on, in the same order."""
    origin = tokenizer.origin
    if not origin.texts:
        raise InputError(
            f"{tokenizer.name} does not say which texts it was trained on, so no corpus can be recognised as its own.",
            "Train a tokenizer here: it keeps its corpus.",
        )
    found, wanted = [(text.name, text.sha256) for text in texts], [(row.name, row.sha256) for row in origin.named]
    if isinstance(origin.texts, ManyTexts):
        total = hashlib.sha256("".join(sum for _, sum in found).encode()).hexdigest()
        wanted = [(f"{origin.texts.texts} texts", origin.texts.sha256_of_sums)]
        found = [(f"{len(texts):,} texts", total)]
    if len(found) != len(wanted):
        expected, came = count_of(len(wanted), "text"), f"{len(found):,}"
        raise InputError(
            f"{tokenizer.name} was trained on {expected}, but you gave {came}.",
            "Bring all its texts, in the order of the training.",
        )
    other = [(of, got) for of, got in zip(wanted, found, strict=True) if of[1] != got[1]]
    if other:
        pairs = [
            f"{got[0] or 'The text'} has sha256 {got[1]}, but the training used {of[0] or 'a text'} with {of[1]}."
            for of, got in other[:SUMS_SHOWN]
        ]
        more = f" {len(other) - SUMS_SHOWN:,} more texts differ." if len(other) > SUMS_SHOWN else ""
        raise InputError(
            f"This is not the corpus of {tokenizer.name}. {' '.join(pairs)}{more}",
            "Bring the same files, unchanged and in the same order.",
        )


def train_again(
    tokenizer: Tokenizer, texts: Sequence[Text], cancel: Callable[[], bool] | None = None
) -> Iterator[Progress]:
    """Run the training that made this tokenizer again, on its texts. The last Progress has the training.

    Raises InputError if they are not its own, and FormatError if the tokenizer does not tell its settings or the
    training gives other merges.

    >>> from tokviz import read_text, train
    >>> text = read_text(b"aaabdaaabac", "wikipedia.txt")
    >>> tok = train(text, 259).tokenizer
    >>> *_, last = train_again(tok, [text])
    >>> last.training.tokenizer.merges == tok.merges, last.training.window(0, 4).ids.tolist()
    (True, [258])
    """
    refuse_other_texts(tokenizer, texts)
    origin = tokenizer.origin
    rules, settings = Rules.of(origin.settings), origin.settings or Settings()
    vocab_size = tokenizer.vocab_size if origin.truncated_to else settings.vocab_size
    if rules is None or vocab_size is None or settings.special_tokens is None:
        raise FormatError(
            f"{tokenizer.name} does not tell the settings it was trained with.", "Train it again on the Train page."
        )
    try:
        steps = train_by_rules(
            rules,
            list(texts),
            vocab_size,
            pattern=tokenizer.pattern,
            special_tokens=settings.special_tokens,
            name=tokenizer.name,
            cancel=cancel,
        )
    except TokvizError as fault:
        raise FormatError(
            f"{tokenizer.name} tells settings that no training can have. {fault.what}",
            "Train it again on the Train page.",
        ) from None
    return _checked(steps, tokenizer)


def _checked(steps: Iterator[Progress], tokenizer: Tokenizer) -> Iterator[Progress]:
    for progress in steps:
        training = progress.training
        if training is not None and training.stopped != "cancelled":
            if training.tokenizer.merges != tokenizer.merges:
                raise FormatError(
                    f"Training on the same corpus does not give the merges of {tokenizer.name}: its file was changed, "
                    "or another program made it.",
                    "Train it again on the Train page.",
                )
            specials = tokenizer.special_tokens  # their ids may have changed since, but none may be missing
            if set(training.tokenizer.special_tokens) <= set(specials):
                with_its_ids = training.tokenizer.with_special_tokens(specials)
                progress = replace(progress, result=replace(training, tokenizer=with_its_ids))
        yield progress
