"""The figures of a text on the Tokens page, and the model whose context window and price they are held against.

Choosing a model leads to its tokenizer: where that is at hand and not shown yet, it is shown from then on. Share and
price are told of the model's own tokens only; under another tokenizer, and where a figure has no source, stands "–".
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from tokviz.catalog import Fact, Model, models
from tokviz.encoding import Encoding
from tokviz.metrics import cost, figures, tokens_per_word, words
from tokviz.ui.shell import plain
from tokviz.ui.state import Visitor, set_widget, visitor, widget_value
from tokviz.ui.tokenizers import REFERENCES

MODEL = "tokens.model"  # the selectbox
NO_MODEL = ""
NONE = "–"


def for_model(me: Visitor, keys: Sequence[str]) -> str | None:
    """Which of the tokenizers shown the numbers are best about: the chosen model's, else the first; None of none."""
    wanted = models()[me.model].tokenizer if me.model in models() else ""
    return wanted if wanted in keys else next(iter(keys), None)


def numbers(me: Visitor, shown_tokenizer_name: str, encoding: Encoding) -> None:
    """The row of figures of the whole text, and the choice of a model. Once a page.

    shown_tokenizer_name: the key of the tokenizer that made `encoding`: "cl100k_base", or that of an own one.
    """
    with st.container(gap="small"):
        chosen = _choose(me)
        with st.container(horizontal=True, gap="medium"):
            _figures(encoding)
            if chosen:
                _of_model(chosen, shown_tokenizer_name, len(encoding))
        if chosen:
            for line in _sources(chosen, shown_tokenizer_name, len(encoding)):
                st.caption(plain(line))


def _choose(me: Visitor) -> Model | None:
    known = models()
    set_widget(MODEL, me.model if me.model in known else NO_MODEL)
    st.selectbox(
        "Model",
        [NO_MODEL, *known],
        key=MODEL,
        on_change=_follow,
        format_func=lambda name: known[name].title if name in known else "no model",
        help="Leads to the model's tokenizer, and tells how much of its context window the text takes and its price.",
    )
    return known.get(me.model)


def _follow() -> None:
    """Remember the model, and show its tokenizer too if it is at hand."""
    me = visitor()
    me.model = widget_value(MODEL) or NO_MODEL
    leads_to = models()[me.model].tokenizer if me.model else ""
    if leads_to in REFERENCES and leads_to not in me.chosen:
        me.chosen = [*me.chosen, leads_to]


def _figures(encoding: Encoding) -> None:
    all_of_it = figures(encoding)
    n_words = words(encoding.data.decode("utf-8", "replace"))
    _figure("Tokens", f"{all_of_it.tokens:,}")
    _figure("Characters", f"{all_of_it.characters:,}", "Unicode code points")
    _figure("Bytes", f"{all_of_it.bytes:,}", "Of the text in UTF-8")
    if n_words is None:
        why = "The script of this text does not put spaces between words."
        _figure("Words", NONE, why)
    else:
        why = "Tokens over words, lower is better"
        _figure("Words", f"{n_words:,}", "Runs between white space")
    _figure("Bytes per token", _rate(all_of_it.bytes_per_token), "Bytes over tokens, higher is better")
    _figure("Tokens per word", _rate(tokens_per_word(encoding)), why)
    if n_words is None:
        per_token = _rate(all_of_it.characters_per_token)
        _figure("Characters per token", per_token, "Stands in for tokens per word; higher is better")


def _of_model(chosen: Model, shown: str, tokens: int) -> None:
    own = shown == chosen.tokenizer
    share = _share(tokens, chosen.context) if own and chosen.context else NONE
    price = cost(tokens, chosen.price.value) if own and chosen.price else NONE
    _figure("Of the context window", share, "Tokens of the text over the tokens that the model can hold")
    _figure("Price as input", price, "Tokens times the price of one; what a chat puts round the text comes on top")


def _sources(chosen: Model, shown: str, tokens: int) -> list[str]:
    """What the two figures rest on, or why they are not there. A line each."""
    name, own = chosen.title, shown == chosen.tokenizer
    tokenizer = chosen.encoding or (chosen.kind if chosen.vocabulary else "not published")
    size = f", {chosen.vocabulary.value:,} ids. {_where(chosen.vocabulary)}" if chosen.vocabulary else "."
    lines = [f"Tokenizer of {name}: {tokenizer}{size}"]
    if not chosen.tokenizer:
        lines.append(f"tokviz does not have it, so it cannot count the tokens of {name}.")
    elif not own:
        lines.append(f"The tokens counted here are another's. Show {chosen.tokenizer} to see share and price.")
    if chosen.context is None:
        lines.append("Context window: no source, so no figure.")
    else:
        lines.append(f"Context window: {chosen.context.value:,} tokens. {_where(chosen.context)}")
        if own and tokens > chosen.context.value:
            lines.append(f"The text is {tokens - chosen.context.value:,} tokens too long for {name}.")
    if chosen.price is None:
        lines.append("Price: no source for a single figure, so none.")
    else:
        a_million = cost(1_000_000, chosen.price.value)
        lines.append(f"Price: {a_million} for a million input tokens. {_where(chosen.price)}")
    return lines


def _where(fact: Fact[int] | Fact[Decimal]) -> str:
    return f"Read on {fact.date.isoformat()} in: {fact.source}."


def _share(tokens: int, window: Fact[int]) -> str:
    share = tokens / window.value
    return "< 0.01 %" if 0 < share < 0.0001 else f"{100 * share:,.2f} %"


def _rate(value: float | None) -> str:
    return NONE if value is None else f"{value:,.2f}"


def _figure(label: str, value: str, what: str | None = None) -> None:
    st.metric(label, plain(value), help=what, width="content")  # Streamlit reads values as Markdown
