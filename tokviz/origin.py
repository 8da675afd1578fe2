"""Where a tokenizer comes from: the texts it was trained on, known again by their sums.

A model file keeps merges and history, but not the corpus. What a page reads off the corpus (windows, candidates,
what-ifs) is there again when somebody brings it: the training is made once more, and has to come to the same merges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tokviz.errors import FormatError, InputError
from tokviz.text import Text
from tokviz.tokenizer import Tokenizer
from tokviz.training import Progress, train_steps

SUMS_SHOWN = 3  # texts whose two sums an error shows; of more it says how many they are


def named_texts(tokenizer: Tokenizer) -> list[str]:
    """The names of the texts a tokenizer was trained on; [] where it does not say, or they were too many to name."""
    return [str(row.get("name", "")) for row in _rows(tokenizer)]


def sums(tokenizer: Tokenizer) -> list[str]:
    """The sha256 of each of them; where they were too many to name, one sum over the sums; [] where it does not say."""
    origin = (tokenizer.made_from or {}).get("texts")
    if isinstance(origin, dict):
        return [str(origin.get("sha256_of_sums", ""))]
    return [str(row.get("sha256", "")) for row in _rows(tokenizer)]


def _rows(tokenizer: Tokenizer) -> list[dict[str, Any]]:
    texts = (tokenizer.made_from or {}).get("texts")
    return [row for row in texts if isinstance(row, dict)] if isinstance(texts, list) else []


def refuse_other_texts(tokenizer: Tokenizer, texts: Sequence[Text]) -> None:
    """InputError, with both sums, where these are not the texts the tokenizer was trained on, in their order."""
    origin = (tokenizer.made_from or {}).get("texts")
    if not sums(tokenizer):
        raise InputError(
            f"{tokenizer.name} does not say which texts it was trained on, so no corpus can be known to be its own.",
            "Train a tokenizer here, and its corpus stays with it.",
        )
    found = [(text.name, text.sha256) for text in texts]
    if isinstance(origin, dict):
        total = hashlib.sha256("".join(sum for _, sum in found).encode()).hexdigest()
        wanted = [(f"{origin.get('texts')} texts", str(origin.get("sha256_of_sums")))]
        found = [(f"{len(texts):,} texts", total)]
    else:
        wanted = list(zip(named_texts(tokenizer), sums(tokenizer), strict=True))
    if len(found) != len(wanted):
        raise InputError(
            f"{tokenizer.name} was trained on {_count(len(wanted))}, and {_count(len(found))} came.",
            "Bring them all, in the order in which they were trained on.",
        )
    other = [(of, got) for of, got in zip(wanted, found, strict=True) if of[1] != got[1]]
    if other:
        pairs = [
            f"{got[0] or 'The text'} has sha256 {got[1]}; trained on was {of[0] or 'a text'} with {of[1]}."
            for of, got in other[:SUMS_SHOWN]
        ]
        more = f" And {len(other) - SUMS_SHOWN:,} more." if len(other) > SUMS_SHOWN else ""
        raise InputError(
            f"This is not the corpus of {tokenizer.name}.", f"{' '.join(pairs)}{more} Bring the very file, unchanged."
        )


def _count(texts: int) -> str:
    return "1 text" if texts == 1 else f"{texts:,} texts"


def train_again(
    tokenizer: Tokenizer, texts: Sequence[Text], cancel: Callable[[], bool] | None = None
) -> Iterator[Progress]:
    """The training that made this tokenizer, once more from its texts; the last Progress carries it.

    InputError where the texts are others, FormatError where the tokenizer does not tell its settings, or where the
    same texts under them come to other merges.

    >>> from tokviz import read_text, train
    >>> text = read_text(b"aaabdaaabac", "wikipedia.txt")
    >>> tok = train(text, 259).tokenizer
    >>> *_, last = train_again(tok, [text])
    >>> last.training.tokenizer.merges == tok.merges, last.training.window(0, 4).ids.tolist()
    (True, [258])
    """
    refuse_other_texts(tokenizer, texts)
    made_from = tokenizer.made_from or {}
    try:
        settings: dict[str, Any] = made_from["settings"]
        truncated = "truncated_to" in made_from
        steps = train_steps(
            list(texts),
            tokenizer.vocab_size if truncated else settings["vocab_size"],
            tokenizer.pattern,
            settings["special_tokens"],
            settings["tie"],
            settings["min_count"],
            [bytes.fromhex(token) for token in settings["ban"]],
            settings["prefer"],
            tokenizer.name,
            cancel,
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        raise FormatError(
            f"{tokenizer.name} does not tell the settings it was trained with.", "Train it again on the Train page."
        ) from None
    return _checked(steps, tokenizer)


def _checked(steps: Iterator[Progress], tokenizer: Tokenizer) -> Iterator[Progress]:
    for progress in steps:
        training = progress.training
        if training is not None and training.stopped != "cancelled":
            if training.tokenizer.merges != tokenizer.merges:
                raise FormatError(
                    f"The same texts do not come to the merges of {tokenizer.name}: its file was changed since, or "
                    "made by another program.",
                    "Train it again on the Train page.",
                )
            specials = tokenizer.special_tokens  # may have been given other ids since, but none may be missing
            if set(training.tokenizer.special_tokens) <= set(specials):
                with_its_ids = training.tokenizer.with_special_tokens(specials)
                progress = replace(progress, training=replace(training, tokenizer=with_its_ids))
        yield progress
