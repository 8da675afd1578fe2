"""Draws an encoding, a comparison, a training and a tokenizer for Jupyter: as HTML that needs nothing else.

There is no script in it, and no address, except in the frame of a page. Whatever comes from a text, a name or a pattern
becomes HTML in `_plain` and nowhere else: control characters get a visible form, and the signs of HTML are escaped. The
colours are those of the pages. They follow the theme of Jupyter, VS Code or Colab, and in frames and elsewhere that of
the reader's system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape

import numpy as np
from numpy.typing import NDArray

from tokviz.base.drawn import Page, draw, make_page
from tokviz.base.wording import count_of, drawn_token, printable, rate, visible
from tokviz.comparison.comparison import Comparison
from tokviz.comparison.reason_sentences import sentence
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.hues import home, hues, palette
from tokviz.tokenizer.peers import size_in_words
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.learning import STOPPED
from tokviz.training.train import Training

TOKENS_SHOWN = 1_000  # of a text
BYTES_SHOWN = 2_000  # of a text under several tokenizers
CHARACTERS_SHOWN = 200  # of a token, a name or a pattern
REGIONS_SHOWN = 5  # disagreements that are explained
MERGES_SHOWN = 12
SPECIALS_SHOWN = 8
SPACE = "·".encode()


class _Html(str):
    """Marks text that is HTML already. Any other text is escaped before it is joined to HTML."""

    __slots__ = ()


@draw.register
def encoding_html(encoding: Encoding) -> str:
    """Draw the tokens of a text, each in its colour.

    >>> from tokviz import reference
    >>> print(encoding_html(reference("gpt2").explain("<b")).partition("</style>")[2].partition("</span>")[0])
    <p>2 tokens, 2 bytes</p><div class="text"><span class="t h4" title="id 27, byte 0">&lt;
    """
    shown = encoding
    if len(encoding.ends) > TOKENS_SHOWN:
        shown = encoding.part(0, int(encoding.ends[TOKENS_SHOWN - 1]))
    size = f"{count_of(len(encoding), 'token')}, {count_of(len(encoding.data), 'byte')}"
    return _framed(_element("p", size), _text(shown), _cut(len(shown), len(encoding), "token"))


@draw.register
def comparison_html(comparison: Comparison) -> str:
    """Draw the ruler, and folded away the text under each tokenizer and the first disagreements with their reasons."""
    names = [tok.name for tok in comparison.tokenizers]
    both = [*zip(names, comparison.encodings, strict=True)]
    n_bytes, bounds = len(comparison.encodings[0].data), comparison.bounds
    sizes = [[f"{len(of):,}", rate(n_bytes / len(of) if len(of) else None), name] for name, of in both]
    start, end = comparison.window(0, BYTES_SHOWN)
    parts = [_table(["tokens", "bytes per token", "tokenizer"], sizes)]
    for name, of in both:
        parts += [_element("p", name, "name"), _text(of.part(start, end - start), bounds)]
    parts.append(_cut(end, n_bytes, "byte"))
    found = f"They disagree in {count_of(len(bounds), 'place')}, which are underlined."
    parts.append(_element("p", found if len(bounds) else "They agree on every boundary."))
    for first, last in bounds[:REGIONS_SHOWN].tolist():
        cuts = [
            _element("li", sentence(reason, found, names, *(comparison.tokenizers[one] for one in (found.b, found.a))))
            for found in comparison.differences(first, last)
            for reason in found.reasons
        ]
        parts += [_element("p", f"Bytes {first:,} to {last:,}:"), _element("ul", _joined(*cuts))]
    parts.append(_cut(min(len(bounds), REGIONS_SHOWN), len(bounds), "disagreement"))
    same = _element("details", _joined(_element("summary", "The same as text"), *parts))
    return _framed(_frame(make_page(comparison)), same)


@draw.register
def training_html(training: Training) -> str:
    """Draw what a training made, and its first merges."""
    tok, merges = training.tokenizer, training.merges
    before, after = training.tokens_at(0), training.tokens_at(len(merges))
    facts = {
        "merges": f"{len(merges):,} of {training.asked:,}",
        "ended by": STOPPED[training.stopped],
        "corpus": count_of(training.n_bytes, "byte"),
        "tokens": f"{before:,} before the first merge, {after:,} after the last",
        "bytes per token": rate(training.n_bytes / after if after else None),
        "split pattern": tok.pattern,
    }
    rows = []
    for merge in merges[:MERGES_SHOWN]:
        left, right, made = (_chip(tok.vocab[id]) for id in (merge.left, merge.right, merge.id))
        pair = _joined(left, " + ", right, " = ", made)
        rows.append([f"{merge.rank + 1:,}", f"{merge.count:,}", f"{merge.replaced:,}", pair])
    parts = [_table(["merge", "count", "replaced", "pair = token"], rows)] if rows else []
    title = _element("p", f"Training of {tok.name}", "name")
    return _framed(title, _facts(facts), *parts, _cut(len(rows), len(merges), "merge"))


@draw.register
def tokenizer_html(tokenizer: Tokenizer) -> str:
    """Draw what a tokenizer is, and the tokens of its first and last merges."""
    ids = tokenizer.merge_ids.tolist()
    facts = {
        "tokens": f"{size_in_words(tokenizer)}; {count_of(len(ids), 'merge')}",
        "split pattern": tokenizer.pattern,
        "special tokens": _cut_first(tokenizer.special_tokens) or "none",
    }
    if tokenizer.normalizer:
        facts["normalizer"] = tokenizer.normalizer.words
    if tokenizer.added_tokens:
        facts["added tokens"] = _cut_first(tokenizer.added_tokens)
    if ids:
        facts["first merges"] = _chips(tokenizer, ids[:MERGES_SHOWN])
    if len(ids) > MERGES_SHOWN:
        facts["last merges"] = _chips(tokenizer, ids[max(MERGES_SHOWN, len(ids) - MERGES_SHOWN) :])
    return _framed(_element("p", f"Tokenizer {tokenizer.name}", "name"), _facts(facts))


@draw.register
def page_html(page: Page) -> str:
    """Draw a page in a frame of its own, where its script can reach nothing of the notebook."""
    return _framed(_frame(page))


# -- the parts of a picture --


def _frame(page: Page) -> _Html:
    title, file = escape(page.title), escape(page.html)
    return _Html(f'<iframe title="{title}" height="{page.height}" srcdoc="{file}" {_MAY}></iframe>')


def _cut_first(tokens: Mapping[str, int]) -> _Html:
    """The first special or added tokens with their ids, one a line."""
    named = [f"{visible(text.encode())} ({id})" for text, id in [*tokens.items()][:SPECIALS_SHOWN]]
    named += [f"and {len(tokens) - SPECIALS_SHOWN:,} more"] if len(tokens) > SPECIALS_SHOWN else []
    return _joined(*(_element("div", one) for one in named))


def _plain(text: str) -> _Html:
    """Write a text as HTML: cut if it is long, without control characters, escaped."""
    text = printable(text)
    return _Html(escape(text if len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN]}…"))


def _joined(*parts: str) -> _Html:
    return _Html("".join(part if isinstance(part, _Html) else _plain(part) for part in parts))


def _element(tag: str, content: str, name: str = "") -> _Html:
    """Make an element. name: of its class; this and the tag are ours, the content may be a user's."""
    begin = f'<{tag} class="{name}">' if name else f"<{tag}>"
    return _Html(f"{begin}{_joined(content)}</{tag}>")


def _framed(*parts: str) -> str:
    return f'<div class="tokviz-nb"><style>{_style()}</style>{_joined(*parts)}</div>'


def _cut(shown: int, of: int, what: str) -> _Html:
    """Make a note that not everything is shown, or nothing."""
    return _element("p", f"The first {shown:,} of {count_of(of, what)} are shown.", "note") if shown < of else _Html("")


def _text(encoding: Encoding, marked: NDArray[np.int64] | None = None) -> _Html:
    """Draw the tokens of a text, in its lines. marked: int64[n, 2], stretches of bytes whose tokens are underlined."""
    parts = []
    for token, hue in zip(encoding.tokens(), hues(encoding), strict=True):
        start = token.start + encoding.start
        kind = "sp" if token.special or token.added else "none" if token.id is None else f"h{hue}"
        if marked is not None:
            stretch = int(np.searchsorted(marked[:, 0], start, side="right")) - 1
            kind += " differs" if stretch >= 0 and start < marked[stretch, 1] else ""
        id = "no token" if token.id is None else f"id {token.id}"
        begin = f'<span class="t {kind}" title="{id}, byte {start:,}">'
        parts.append("<wbr>" if token.data.startswith(b" ") else "")
        drawn = drawn_token(token.data.replace(b" ", SPACE))
        drawn = drawn if len(drawn) <= CHARACTERS_SHOWN else f"{drawn[:CHARACTERS_SHOWN]}…"
        *lines, last = drawn.split("\n")
        parts += [f"{begin}{_plain(line)}</span><br>" for line in lines]
        parts += [f"{begin}{_plain(last)}</span>"] if last else []
    return _element("div", _Html("".join(parts)), "text")


def _chip(token: bytes) -> _Html:
    """Draw a token alone."""
    return _element("span", visible(token), f"t h{home(token)}")


def _chips(tokenizer: Tokenizer, ids: Sequence[int]) -> _Html:
    return _joined(*(_joined(_chip(tokenizer.vocab[id]), " ") for id in ids))


def _facts(facts: Mapping[str, str]) -> _Html:
    rows = (_element("tr", _joined(_element("th", name), _element("td", fact))) for name, fact in facts.items())
    return _element("table", _joined(*rows), "facts")


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> _Html:
    """Make a table. The last column is text, aligned left; the others are figures, aligned right."""
    head = _element("thead", _element("tr", _joined(*(_element("th", cell) for cell in header))))
    lines = (_element("tr", _joined(*(_element("td", cell) for cell in row))) for row in rows)
    return _element("table", _joined(head, _element("tbody", _joined(*lines))), "figures")


@cache
def _style() -> str:
    """Make the style, which holds within `.tokviz-nb` only. Each colour is a pair, for light and dark."""
    light, dark = palette()["light"], palette()["dark"]
    of_page = {name: (light["surface"][name], dark["surface"][name]) for name in ("page", "line", "ink", "quiet")}
    of_page["differ"] = (light["roles"]["differ"], dark["roles"]["differ"])
    colours = "".join(f"--{name}:light-dark({one},{other});" for name, (one, other) in of_page.items())
    tokens = [
        f".tokviz-nb .h{hue}{{background:light-dark({one['background']},{other['background']});"
        f"color:light-dark({one['text']},{other['text']});--edge:light-dark({one['edge']},{other['edge']})}}"
        for hue, (one, other) in enumerate(zip(light["tokens"], dark["tokens"], strict=True))
    ]
    return "\n".join(["", f".tokviz-nb{{{colours}}}", _RULES, *tokens, ""])


_MAY = 'sandbox="allow-scripts allow-downloads" allow="clipboard-write"'
_RULES = """\
.tokviz-nb{color-scheme:light dark;background:var(--page);color:var(--ink);border:1px solid var(--line);
border-radius:8px;padding:4px 14px;font:14px/1.5 system-ui,sans-serif;overflow-x:auto}
[data-jp-theme-light=true] .tokviz-nb,.vscode-light .tokviz-nb,html[theme=light] .tokviz-nb{color-scheme:light}
[data-jp-theme-light=false] .tokviz-nb,.vscode-dark .tokviz-nb,html[theme=dark] .tokviz-nb{color-scheme:dark}
.tokviz-nb iframe{display:block;width:100%;border:0}
.tokviz-nb p{margin:8px 0;color:var(--ink)}
.tokviz-nb .name{font-weight:600}
.tokviz-nb .note{color:var(--quiet)}
.tokviz-nb ul{margin:4px 0 8px;padding-left:20px}
.tokviz-nb .text,.tokviz-nb .t{font-family:ui-monospace,Menlo,Consolas,monospace;font-variant-ligatures:none}
.tokviz-nb .text{max-height:420px;overflow:auto;margin:8px 0;line-height:2.1;white-space:pre-wrap;
overflow-wrap:anywhere}
.tokviz-nb .t{padding:3px 2px 3px 4px;border-radius:2px 4px 4px 2px;box-shadow:inset 2px 0 0 var(--edge)}
.tokviz-nb .sp{background:var(--ink);color:var(--page);border-radius:999px;padding:3px 10px;--edge:var(--ink)}
.tokviz-nb .none{color:var(--quiet);--edge:var(--quiet)}
.tokviz-nb .differs{text-decoration:underline 2px var(--differ);text-underline-offset:4px}
.tokviz-nb table{border-collapse:collapse;margin:8px 0;font-size:inherit;color:inherit}
.tokviz-nb.tokviz-nb tr:nth-child(n){background:none}
.tokviz-nb.tokviz-nb :is(th,td){padding:3px 16px 3px 0;border:0;text-align:left;vertical-align:top;max-width:none;
white-space:normal;overflow-wrap:anywhere;line-height:1.8}
.tokviz-nb th{font-weight:600;color:var(--quiet)}
.tokviz-nb.tokviz-nb .figures :is(th,td):not(:last-child){text-align:right;font-variant-numeric:tabular-nums}
.tokviz-nb .facts th{white-space:nowrap}
@media (forced-colors:active){.tokviz-nb .t{border-inline-start:2px solid}}"""
