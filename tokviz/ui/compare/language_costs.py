"""What the same sentences cost in each language with one model. A price is per token, so it is not per sentence."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import streamlit as st

from tokviz.base.wording import factor
from tokviz.catalog.references import Model, models, reference
from tokviz.catalog.samples import parallel
from tokviz.cost.figures import cost
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.tables import frame
from tokviz.ui.frame.tokenizers import encoded
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import Visitor

TIMES = "times English"


def costs_of_languages(me: Visitor) -> None:
    """Draw the cost of the same sentences in all languages, with a choice of the model."""
    model = models()[me.state(CompareState).spoken_to]
    table = language_costs(me, model)
    st.subheader(plain(dearest_in_money(model.title, table)), anchor=False)
    st.caption(f"{len(parallel()[0].sentences)} sentences, the same in {len(table)} languages, sent once as input")
    st.selectbox(
        "Chat model",
        [name for name, one in models().items() if one.chat and one.tokenizer and one.price],
        format_func=lambda name: models()[name].title,
        **bind("compare.spoken_to", "spoken_to", CompareState),
    )
    frame(table, "language-costs", write=factor)


def language_costs(me: Visitor, model: Model) -> pd.DataFrame:
    """The cost of the parallel texts with this model, the dearest language first."""
    price = model.price.value if model.price else Decimal(0)
    tokenizer = reference(model.tokenizer)
    tokens = {row.code: len(encoded(me, tokenizer, row.text)) for row in parallel()}
    rows = [
        {
            "language": row.language,
            "script": row.script,
            "tokens": tokens[row.code],
            "cost": cost(tokens[row.code], price),
            TIMES: tokens[row.code] / tokens["en"],
        }
        for row in parallel()
    ]
    return pd.DataFrame(rows).sort_values("tokens", ascending=False, kind="stable")


def dearest_in_money(title: str, table: pd.DataFrame) -> str:
    """The finding: in which language the same sentences cost the most, and how many times as much as in English."""
    dearest = table.iloc[0]
    if dearest[TIMES] <= 1:
        return f"With {title}, the same sentences cost the most in English"
    often = factor(float(dearest[TIMES]))
    return f"With {title}, the same sentences in {dearest['language']} cost {often} times as much as in English"
