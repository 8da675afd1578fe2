"""Where a tokenizer comes from: the texts it was trained on, recognised by their sha256.

A model file contains merges and history, but not the corpus. Windows, candidates and what-ifs need the corpus, so when
somebody brings it, the training runs once more; it must give the same merges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tokviz.base.errors import FormatError, InputError, TokvizError
from tokviz.base.text import Text
from tokviz.base.wording import count_of
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.rules import Rules
from tokviz.training.train import Progress, train_by_rules

SUMS_SHOWN = 3  # texts whose sums an error shows; the others are only counted


def named_texts(tokenizer: Tokenizer) -> list[str]:
    """The names of the texts a tokenizer was trained on; [] if they are unknown, or too many to be named."""
    return [str(row.get("name", "")) for row in _rows(tokenizer)]


def sums(tokenizer: Tokenizer) -> list[str]:
    """The sha256 of each of these texts; one sum over the sums if they are too many; [] if they are unknown."""
    origin = (tokenizer.made_from or {}).get("texts")
    if isinstance(origin, dict):
        return [str(origin.get("sha256_of_sums", ""))]
    return [str(row.get("sha256", "")) for row in _rows(tokenizer)]


def corpus_bytes(tokenizer: Tokenizer) -> int | None:
    """How many bytes these texts have together; None if that is unknown.

    >>> from tokviz import train
    >>> corpus_bytes(train(["one", "two"], 256).tokenizer), corpus_bytes(Tokenizer("bytes", []))
    (6, None)
    """
    texts = (tokenizer.made_from or {}).get("texts") or counted(tokenizer)
    rows = texts if isinstance(texts, list) else [texts]
    sizes = [row.get("bytes") if isinstance(row, dict) else None for row in rows]
    known = [size for size in sizes if isinstance(size, int)]
    return sum(known) if rows and len(known) == len(rows) else None


def counted(tokenizer: Tokenizer) -> dict[str, int] | None:
    """If the training was made from chunk counts, the number of their shards, and the bytes of the corpus; else None.

    >>> from tokviz import count_chunks, train
    >>> counted(train(count_chunks("one") + count_chunks("two"), 256).tokenizer)
    {'shards': 1, 'bytes': 6}
    """
    said = (tokenizer.made_from or {}).get("counted")
    whole = isinstance(said, dict) and all(isinstance(said.get(name), int) for name in ("shards", "bytes"))
    return {"shards": said["shards"], "bytes": said["bytes"]} if said and whole else None


def origin(tokenizer: Tokenizer) -> str:
    """These texts in a few words; "" if they are unknown.

    >>> from tokviz import train
    >>> origin(train(["one", "two"], 256).tokenizer), origin(Tokenizer("bytes", []))
    ('2 texts, 6 bytes', '')
    """
    if of_counts := counted(tokenizer):
        return f"chunk counts of {count_of(of_counts['shards'], 'shard')}, {count_of(of_counts['bytes'], 'byte')}"
    names, n_bytes = [name for name in named_texts(tokenizer) if name], corpus_bytes(tokenizer)
    size = "" if n_bytes is None else count_of(n_bytes, "byte")
    if len(names) == 1:
        return f"{names[0]}, {size}" if size else names[0]
    n_texts = len(sums(tokenizer))
    texts = (tokenizer.made_from or {}).get("texts")
    if isinstance(texts, dict) and isinstance(texts.get("texts"), int):  # too many to be named
        n_texts = texts["texts"]
    return f"{count_of(n_texts, 'text')}, {size}" if n_texts and size else size


def _rows(tokenizer: Tokenizer) -> list[dict[str, Any]]:
    texts = (tokenizer.made_from or {}).get("texts")
    return [row for row in texts if isinstance(row, dict)] if isinstance(texts, list) else []


def refuse_other_texts(tokenizer: Tokenizer, texts: Sequence[Text]) -> None:
    """Raise InputError unless these are the texts the tokenizer was trained on, in the same order."""
    origin = (tokenizer.made_from or {}).get("texts")
    if not sums(tokenizer):
        raise InputError(
            f"{tokenizer.name} does not say which texts it was trained on, so no corpus can be recognised as its own.",
            "Train a tokenizer here: it keeps its corpus.",
        )
    found = [(text.name, text.sha256) for text in texts]
    if isinstance(origin, dict):
        total = hashlib.sha256("".join(sum for _, sum in found).encode()).hexdigest()
        wanted = [(f"{origin.get('texts')} texts", str(origin.get("sha256_of_sums")))]
        found = [(f"{len(texts):,} texts", total)]
    else:
        wanted = list(zip(named_texts(tokenizer), sums(tokenizer), strict=True))
    if len(found) != len(wanted):
        expected, came = count_of(len(wanted), "text"), count_of(len(found), "text")
        raise InputError(
            f"{tokenizer.name} was trained on {expected}, and {came} came.",
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
    made_from = tokenizer.made_from or {}
    try:
        settings: dict[str, Any] = made_from["settings"]
        truncated = "truncated_to" in made_from
        steps = train_by_rules(
            Rules.from_settings(settings),
            list(texts),
            tokenizer.vocab_size if truncated else settings["vocab_size"],
            pattern=tokenizer.pattern,
            special_tokens=settings["special_tokens"],
            name=tokenizer.name,
            cancel=cancel,
        )
    except TokvizError as fault:
        raise FormatError(
            f"{tokenizer.name} tells settings that no training can have. {fault.what}",
            "Train it again on the Train page.",
        ) from None
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
                    f"Training on the same corpus does not give the merges of {tokenizer.name}: its file was changed, "
                    "or another program made it.",
                    "Train it again on the Train page.",
                )
            specials = tokenizer.special_tokens  # their ids may have changed since, but none may be missing
            if set(training.tokenizer.special_tokens) <= set(specials):
                with_its_ids = training.tokenizer.with_special_tokens(specials)
                progress = replace(progress, training=replace(training, tokenizer=with_its_ids))
        yield progress
