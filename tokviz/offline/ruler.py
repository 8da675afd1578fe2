"""The boundary ruler without a server: a text under several tokenizers, where they disagree, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokviz.base.drawn import Page, make_page
from tokviz.base.sentences import SentencePart, Told, to_json
from tokviz.base.wording import listed
from tokviz.comparison.comparison import Comparison, Difference
from tokviz.comparison.reason_sentences import cause
from tokviz.offline import files
from tokviz.offline.data import glyph, payload, series_of
from tokviz.offline.page import standalone

TEXT_BYTES = 4_000  # of a text that are drawn and explained
FRAME = 560  # px of its height in a notebook
LEAD = "Press a place where they disagree, or N for the next one, to see why. Made with tokviz; it needs no network."


@make_page.register
def ruler_page(comparison: Comparison) -> Page:
    """Make the page of a comparison. Of a long text it has the beginning."""
    toks = comparison.tokenizers
    start, end = comparison.window(0, TEXT_BYTES)
    rows = [
        {
            **payload(encoding.part(start, end - start)),
            "name": tok.name,
            "series": series,
            "glyph": glyph(series),
            "tokens": len(encoding),
        }
        for tok, encoding, series in zip(toks, comparison.encodings, series_of(toks), strict=True)
    ]
    text = comparison.encodings[0].data[start:end].decode("utf-8", "replace")
    differences = [difference_told(found, comparison) for found in comparison.differences(start, end)]
    n_bytes = len(comparison.encodings[0].data)
    part = "" if end == n_bytes else f"The first {end:,} of {n_bytes:,} bytes are shown. "
    title = f"A text under {listed([tok.name for tok in toks])}"
    style = files.stylesheet(*files.RULER)
    script = files.script("compare/ruler_page.js")
    data = {"text": text, "rows": rows, "differences": differences}
    return Page(title, standalone(data, title=title, lead=part + LEAD, style=style, script=script), FRAME)


def difference_told(found: Difference, compared: Comparison) -> dict[str, Any]:
    """A place where tokenizer `b` cuts a token of `a`, as the browser reads it."""
    ours, theirs = compared.tokenizers[found.a], compared.tokenizers[found.b]
    return {
        "a": found.a,
        "b": found.b,
        "start": found.start,
        "end": found.end,
        "pieces": len(found.cuts) + 1,
        "causes": [_sentence(cause(reason, found, theirs, ours)) for reason in found.reasons],
    }


def _sentence(parts: Sequence[SentencePart]) -> Told:
    """The end of a sentence as one of its own."""
    first, *rest = parts
    return to_json([first[:1].upper() + first[1:] if isinstance(first, str) else first, *rest])
