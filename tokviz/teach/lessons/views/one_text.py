"""Shows one text that the learner types, in rows: under several tokenizers, or as several encoders cut it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.arguments import whole_number
from tokviz.base.blocks import Block, Button, Field, Quiet, Table
from tokviz.base.once import once_each
from tokviz.base.wording import count_of
from tokviz.teach.lessons.rows import EncodingRow, rows_by_encoder, rows_by_tokenizer
from tokviz.teach.lessons.shown import Fact, LessonError, Shown, view
from tokviz.teach.lessons.trained import chosen
from tokviz.teach.other_encoders import encode_with, random_texts
from tokviz.tokenizer.tokenizer import Tokenizer

TRIES = 200  # random texts at a time
MOST_TRIES = 1_000


@view("text", "tries")
def one_text(
    *,
    text: str,
    tokenizers: Sequence[str | Mapping[str, Any]],
    encoders: Sequence[str] = (),
    ids: bool = False,
    tries: int | None = None,
    told: bool = True,
) -> Shown:
    """Show a text in rows.

    encoders: the rows are these ways to encode with the first tokenizer; else each tokenizer is a row.
    ids: whether ids are drawn in place of the tokens.
    tries: how many random texts are tried too, where the rows are encoders; the learner can have more.
    told: whether what they gave is shown; it is not where the task asks for it.

    Facts: for each row `tokens_KEY`, by the key of the tokenizer or the name of the encoder, `bytes`; for each encoder
    `cut_NAME`, its tokens as a text, as in “th e”; and, of the random texts, `tried` and `differing_NAME` (those that
    this encoder cuts differently than the first).

    >>> small = {"corpus": "aab aab ab", "vocab_size": 258, "title": "Small"}
    >>> facts = one_text(text="aab", tokenizers=[small], encoders=["rank", "longest"], tries=10).facts
    >>> facts["tokens_rank"], facts["cut_longest"], facts["tried"], facts["differing_longest"]
    (1, 'aab', 10, 0)
    """
    columns = [*map(chosen, tokenizers)]
    if encoders:
        rows, keys = rows_by_encoder(text, encoders, columns[0]), [*encoders]
    else:
        rows, keys = rows_by_tokenizer(text, columns), [by.key for by in columns]
    facts: dict[str, Fact] = {"bytes": len(rows[0].text.encode())}
    facts |= {f"tokens_{key}": row.tokens for key, row in zip(keys, rows, strict=True)}
    for name, row in zip(encoders, rows, strict=False):
        facts[f"cut_{name}"] = b" ".join(row.pieces()).decode("utf-8", "replace")
    differing: dict[str, int] = {}
    if tries is not None:
        differing = _differing(rows[0], encoders, whole_number(tries, "The number of texts", 0, MOST_TRIES))
        facts |= {"tried": tries} | {f"differing_{name}": n for name, n in differing.items()}
    if not told:
        tries, differing = None, {}
    table = []
    for key, row in zip(keys, rows, strict=True):
        title, chips, count = row.cells(marked=not encoders, ids=ids)
        note = [Quiet(_note(rows[0], row, differing.get(key), tries))] if encoders else []
        table.append([title, chips, *note, count])
    blocks: list[Block] = [Field("text", text)]
    if tries is not None and tries < MOST_TRIES:
        blocks.append(Button("tries", tries + TRIES, f"Try {TRIES:,} {'more' if tries else 'random texts'}"))
    return Shown(facts, [*blocks, Table([], table)], rows)


def _differing(first: EncodingRow, encoders: Sequence[str], tries: int) -> dict[str, int]:
    """Count for each encoder but the first how many random texts it cuts differently. tries: how many there are."""
    tok = first.by.tokenizer
    if not encoders or not tok.has_merges:
        raise LessonError("Random texts are tried only where the rows are encoders.")
    batches = [_batch(tok, tuple(encoders), start, min(TRIES, tries - start)) for start in range(0, tries, TRIES)]
    return {name: sum(batch[name] for batch in batches) for name in encoders[1:]}


@once_each(64)
def _batch(tok: Tokenizer, encoders: tuple[str, ...], seed: int, n: int) -> dict[str, int]:
    found = dict.fromkeys(encoders[1:], 0)
    for text in random_texts(tok, n, seed):
        right = encode_with(encoders[0], tok, text)
        for name in found:
            found[name] += encode_with(name, tok, text) != right
    return found


def _note(first: EncodingRow, row: EncodingRow, differing: int | None, tries: int | None) -> str:
    if row is first:
        return ""
    same = "same tokens" if row.pieces() == first.pieces() else "other tokens"
    if differing is None or not tries:
        return same
    return f"{same}; differs in {differing:,} of {count_of(tries, 'random text')}"
