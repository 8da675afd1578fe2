"""What the tabs of the Compare page show, as tables: figures of a text, languages, training against test texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from tokviz.base.errors import InputError, TokvizError
from tokviz.base.text import clean
from tokviz.base.wording import free_name, percent, visible
from tokviz.catalog.references import Model
from tokviz.catalog.samples import parallel, samples
from tokviz.cost.figures import Tally, cost, definitions, gini, tally
from tokviz.split.specials import Reading
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.live_text import beginning
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.frame.charts import LONGEST, Cell, Measured, Tongue, names
from tokviz.ui.frame.tokenizers import ShownTokenizer, able, encoded
from tokviz.ui.server import limits
from tokviz.ui.server.visitor import Visitor

TEST_BYTES = 200_000  # of each training text, in the matrix of training against test texts
UNKNOWN_SHARE = 0.01  # of a language's tokens; with more, their number says nothing about the language
EXAMPLES = 200  # distinct tokens listed of one length
TEST_SAMPLES = {"story": "Story", "code": "Code", "parallel": "Languages"}


def text_compared(me: Visitor) -> str:
    """The part of the visitor's text that is compared."""
    return clean(beginning(me.text, limits.TEXT_UNITS))


def _tokens(me: Visitor, tokenizer: AnyTokenizer, text: str, reading: Reading = "text") -> int:
    def count() -> int:
        if reading == "special":
            return len(tokenizer.explain(text, "all"))
        return len(tokenizer.encode_array(text))

    return me.cache.get(("tokens", tokenizer, text, reading), count)


def measured(
    me: Visitor, chosen: Sequence[ShownTokenizer], text: str, reading: Reading = "text"
) -> tuple[list[tuple[ShownTokenizer, Tally]], list[TokvizError]]:
    """The tally of the text under each tokenizer that can read it, and the errors of the others.

    reading: how special tokens are read.
    """
    rows, faults = [], []
    for shown in chosen:
        try:
            read = encoded(me, shown.tokenizer, text, reading)
            rows.append((shown, me.cache.get(("tally", shown.tokenizer, text, reading), partial(tally, read))))
        except TokvizError as fault:
            faults.append(fault)
    return rows, faults


def tongues(me: Visitor, chosen: Sequence[ShownTokenizer]) -> list[Tongue]:
    """The parallel texts with their tokens under each tokenizer. All of them must be able to read these: InputError if
    one gives a text no tokens, or does not know much of it, as there is nothing to compare then."""
    found = [
        Tongue(row.code, row.language, row.script, {one.key: _tokens(me, one.tokenizer, row.text) for one in chosen})
        for row in parallel()
    ]
    for one in chosen:
        for tongue in found:
            if not tongue.tokens[one.key]:
                raise InputError(f"It gives the text in {tongue.language} no tokens.", "Choose another tokenizer.")
        for row in parallel():
            share = _unknown_share(me, one, row.text)
            if share > UNKNOWN_SHARE:
                raise InputError(
                    f"In {row.language}, {percent(share)} of its tokens stand for something that it does not know.",
                    "Choose another tokenizer.",
                )
    return found


def _unknown_share(me: Visitor, shown: ShownTokenizer, text: str) -> float:
    """How many of the tokens, from 0 to 1, are the one for all that the vocabulary does not have."""
    tokenizer = shown.tokenizer
    unknown = tokenizer.unknown
    return 0 if unknown is None else float(np.mean(encoded(me, tokenizer, text).ids == unknown))


def texts_to_try(me: Visitor, chosen: Sequence[ShownTokenizer]) -> dict[str, str]:
    """Name -> text: the text in view, the samples, and the corpora of the visitor's own tokenizers."""
    texts = {"This text": text_compared(me)} if me.text else {}
    texts |= {TEST_SAMPLES[row.key]: row.text for row in samples() if row.key in TEST_SAMPLES}
    for shown in chosen:
        corpus = _corpus(me, shown)
        if corpus and corpus[1] not in texts.values():
            texts[free_name(corpus[0], texts)] = corpus[1]
    return texts


def able_in_tests(me: Visitor, chosen: Sequence[ShownTokenizer]) -> tuple[list[ShownTokenizer], list[TokvizError]]:
    """The tokenizers that can read all test texts, and why each of the others cannot."""
    texts = texts_to_try(me, chosen).values()
    return able(chosen, lambda one: [_tokens(me, one.tokenizer, text, me.specials) for text in texts], "the matrix")


def cells(me: Visitor, chosen: Sequence[ShownTokenizer]) -> list[Cell]:
    """Each tokenizer on each test text. All of them must be able to read these."""
    rows, texts = [], texts_to_try(me, chosen)
    for shown in chosen:
        corpus = _corpus(me, shown)
        for name, text in texts.items():
            reached = len(text.encode()) / max(_tokens(me, shown.tokenizer, text, me.specials), 1)
            rows.append(Cell(shown, name, reached, bool(corpus and corpus[1] == text)))
    return rows


def _corpus(me: Visitor, shown: ShownTokenizer) -> tuple[str, str] | None:
    """The name and the beginning of a tokenizer's corpus; None if it is not kept. The name says if it is not all."""
    mine = me.own(shown.key)
    if not mine or not mine.training or not mine.training.kept_bytes:
        return None
    window = mine.training.window
    head = me.cache.get(("head", mine.training), lambda: window(0, TEST_BYTES).data.decode())
    name, measured = mine.corpus_name or mine.name, len(head.encode())
    return f"{name} (first {measured:,} bytes)" if measured < mine.training.n_bytes else name, head


# -- tables --


def figures_table(rows: Measured, keys: Sequence[str]) -> pd.DataFrame:
    """The figures with these keys, a row for each tokenizer. The columns have the titles of their definitions."""
    known = definitions()
    titles = names(rows)
    return pd.DataFrame(
        {
            "tokenizer": [titles[shown.key] for shown, _ in rows],
            **{known[key].title: [_figure(shown, counted, key) for shown, counted in rows] for key in keys},
        }
    )


def _figure(shown: ShownTokenizer, counted: Tally, key: str) -> object:
    return vocabulary_in_use(shown, counted) if key == "vocabulary_in_use" else getattr(counted, key)


def vocabulary_in_use(shown: ShownTokenizer, counted: Tally) -> float:
    """Distinct ids over the vocabulary size. A tally knows the size by the merges, which a peer does not have."""
    if not shown.tokenizer.has_merges:
        return counted.distinct / shown.tokenizer.vocab_size
    return counted.vocabulary_in_use


def beginner() -> list[str]:
    """The keys of the figures in the first table."""
    return [key for key, one in definitions().items() if one.beginner]


def further() -> list[str]:
    """The keys of the figures under "More figures". Those about languages are on the tab Languages."""
    return [key for key, one in definitions().items() if not one.beginner and hasattr(Tally, key)]


def model_table(rows: Measured, model: Model) -> pd.DataFrame:
    """Each tokenizer as if this model used it: the cost of the text, and its share of the context window."""
    titles = names(rows)
    table = pd.DataFrame({"tokenizer": [titles[shown.key] for shown, _ in rows]})
    if model.price:
        price = model.price.value
        table[f"cost at {model.title}'s price"] = [cost(counted.tokens, price) for _, counted in rows]
    if model.context:
        window = model.context.value
        table[f"share of {model.title}'s window"] = [counted.tokens / window for _, counted in rows]
    return table


def gini_table(chosen: Sequence[ShownTokenizer], rows: Sequence[Tongue]) -> pd.DataFrame:
    """The Gini coefficient of each tokenizer over the languages."""
    titles = names([(one, None) for one in chosen])
    return pd.DataFrame(
        {
            "tokenizer": [titles[one.key] for one in chosen],
            definitions()["gini"].title: [gini([row.tokens[one.key] for row in rows]) for one in chosen],
        }
    )


def of_length(encoding: Encoding, n: int) -> pd.DataFrame:
    """The distinct tokens of n bytes, the most frequent first. If n is LONGEST, longer tokens too."""
    ends = encoding.ends
    lengths = np.diff(ends, prepend=0)
    those = np.flatnonzero(lengths >= n if n >= LONGEST else lengths == n)
    ids, first, times = np.unique(encoding.ids[those], return_index=True, return_counts=True)
    order = np.lexsort((first, -times))[:EXAMPLES]
    starts = [int(ends[those[i]] - lengths[those[i]]) for i in first[order]]
    tokens = [encoding.data[start : int(ends[those[i]])] for start, i in zip(starts, first[order], strict=True)]
    return pd.DataFrame(
        {
            "token": [visible(token) for token in tokens],
            "bytes in hex": [token.hex(" ").upper() for token in tokens],
            "id": [str(id) for id in ids[order].tolist()],
            "times": times[order],
            "first at byte": starts,
        }
    )
