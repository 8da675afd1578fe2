"""A text as several encoders cut it, all with the merges of one tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tokviz.lessons.inputs import checked_text
from tokviz.lessons.rows import rows_by_encoder
from tokviz.lessons.shown import Fact, LessonError, Shown, View
from tokviz.lessons.trained import Chosen, training_of
from tokviz.other_encoders import ENCODERS, encode_with, random_texts
from tokviz.rules import Tie
from tokviz.tokenizer import Tokenizer
from tokviz.wording import capital

SEED = 1


@cache
def differing(tokenizer: Tokenizer, encoders: tuple[str, str], trials: int) -> int:
    """How many of so many random texts the two encoders cut differently. The texts are the same each time."""
    texts = random_texts(tokenizer, trials, SEED)
    return sum(encode_with(encoders[0], tokenizer, text) != encode_with(encoders[1], tokenizer, text) for text in texts)


def show(
    *,
    text: str,
    encoders: Sequence[str],
    corpus: str,
    vocab_size: int,
    pattern: str = "none",
    tie: Tie = "first",
    trials: int = 0,
    typing: bool = False,
) -> Shown:
    """encoders: names of other_encoders.py. corpus, vocab_size, pattern, tie: the tokenizer. trials: on how many random
    texts the first two encoders are compared. typing: whether the learner can change the text.

    Facts: for each encoder its tokens as a text, as in `rank` (“th e”), and how many, as in `rank_tokens`; `trials`,
    and `differing`: how many of the random texts the first two cut differently.

    >>> show(text="acc", encoders=["rank", "left"], corpus="acbccc", vocab_size=258).facts
    {'rank': 'a cc', 'rank_tokens': 2, 'left': 'ac c', 'left_tokens': 2, 'trials': 0, 'differing': 0}
    """
    text = checked_text(text, 500)
    unknown = [name for name in encoders if name not in ENCODERS]
    if unknown:
        raise LessonError(f"There is no encoder “{unknown[0]}”.", f"There are {', '.join(ENCODERS)}.")
    tokenizer = training_of(corpus, vocab_size, pattern, tie).tokenizer
    rows = rows_by_encoder(text, encoders, Chosen("small", "", "yours", tokenizer))
    facts: dict[str, Fact] = {}
    for name, row in zip(encoders, rows, strict=True):
        facts |= {name: b" ".join(row.pieces()).decode("utf-8", "replace"), f"{name}_tokens": row.tokens}
    facts |= {"trials": trials, "differing": differing(tokenizer, (encoders[0], encoders[1]), trials) if trials else 0}
    data = {
        "text": text,
        "typing": typing,
        "rows": [
            {
                "name": capital(row.title),
                "tokens": row.tokens,
                "encoding": row.encoding,
                "same": row.pieces() == rows[0].pieces(),
            }
            for row in rows
        ],
    }
    return Shown("ways", data, facts)


VIEW = View(show, inputs=("text",))
