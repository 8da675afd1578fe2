"""The chart of parallel texts: the tokens of the same sentences in many languages, relative to English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from tokviz.base.wording import factor, rate
from tokviz.cost.figures import gini
from tokviz.ui.frame.charts.chart import INK, PICK, ROOM, Chart, bare, colour, legend, marked, names, row_height, shape
from tokviz.ui.frame.tokenizers import ShownTokenizer


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language of the parallel texts. tokens: key of the tokenizer -> tokens of the text in this language."""

    code: str
    language: str
    script: str
    tokens: Mapping[str, int]


def languages(shown: Sequence[ShownTokenizer], tongues: Sequence[Tongue]) -> Chart:
    """The chart of the tokens of the same sentences in many languages, relative to English (code "en")."""
    (english,) = [tongue for tongue in tongues if tongue.code == "en"]
    premium = {
        (one.key, tongue.code): tongue.tokens[one.key] / english.tokens[one.key] for one in shown for tongue in tongues
    }
    dearest = sorted(tongues, key=lambda tongue: -max(premium[one.key, tongue.code] for one in shown))
    titles = names([(one, None) for one in shown])
    label = {
        tongue.code: tongue.language if tongue.script == tongue.language else f"{tongue.language} · {tongue.script}"
        for tongue in tongues
    }
    rows = [
        (
            marked(one),
            one.series,
            label[tongue.code],
            tongue.code,
            tongue.tokens[one.key],
            premium[one.key, tongue.code],
        )
        for tongue in dearest
        for one in shown
    ]
    frame = pd.DataFrame(rows, columns=["tokenizer", "series", "language", "code", "tokens", "times English"])
    frame["said"] = frame["times English"].map(factor)
    picked = alt.selection_point(name=PICK, fields=["code"], on="click", empty=False)
    base = alt.Chart(frame).encode(
        y=alt.Y("language:N", sort=[label[tongue.code] for tongue in dearest], title=None).axis(
            **bare(labelLimit=alt.expr(f"{ROOM} < 500 ? 150 : 220"))
        )
    )
    high = frame["times English"].max()
    x = (
        alt.X("times English:Q", title="times the tokens of English, log scale")
        .scale(type="log", base=2, nice=False, domain=[min(0.9, frame["times English"].min()), max(high * 1.05, 2.2)])
        .axis(**bare(values=[1, 2, 4, 8, 16, 32], format="~g"))
    )
    span = base.mark_rule(strokeWidth=1, color=INK, opacity=0.7).encode(
        x=alt.X("min(times English):Q"), x2="max(times English):Q"
    )
    named = legend(shown)
    dots = (
        base.mark_point(filled=True, opacity=1)
        .encode(
            x=x,
            color=colour(named),
            shape=shape(named),
            size=alt.condition(picked, alt.value(170), alt.value(80)),
            tooltip=["language:N", "tokenizer:N", "tokens:Q", alt.Tooltip("said:N", title="times English")],
        )
        .add_params(picked)
    )
    table: dict[str, list[Any]] = {
        "language": [tongue.language for tongue in dearest],
        "script": [tongue.script for tongue in dearest],
    }
    for one in shown:
        table[f"{titles[one.key]}, tokens"] = [tongue.tokens[one.key] for tongue in dearest]
        table[f"{titles[one.key]}, times English"] = [premium[one.key, tongue.code] for tongue in dearest]
    title = dearest_language(shown, tongues)
    unequal = ", ".join(f"{one.name} {rate(gini([tongue.tokens[one.key] for tongue in tongues]))}" for one in shown)
    drawing = alt.layer(span, dots).properties(**row_height(26))
    return Chart(
        "languages",
        title,
        f"Tokens of the same sentences in {len(tongues)} languages, as times those of English; log scale",
        f"{title}. Gini over the languages, 0 is equal: {unequal}.",
        drawing,
        pd.DataFrame(table),
        lambda row, _: {"code": dearest[row].code},
        write=factor,
    )


def dearest_language(shown: Sequence[ShownTokenizer], tongues: Sequence[Tongue]) -> str:
    """The title: the language that takes the most tokens relative to English, and where that ratio is lowest."""
    english = next(tongue for tongue in tongues if tongue.code == "en")
    worst = {}
    for one in shown:
        tongue = max(tongues, key=lambda tongue: tongue.tokens[one.key])
        worst[one.key] = (tongue.tokens[one.key] / english.tokens[one.key], tongue.language)
    called = {one.key: one.name for one in shown}
    most = max(worst, key=lambda key: worst[key][0])
    least = min(worst, key=lambda key: worst[key][0])
    times, language = worst[most]
    if times <= 1:
        return "No language takes more tokens than English"
    first = f"{language} takes {factor(times)} times the tokens of English under {called[most]}"
    if len(shown) < 2 or factor(worst[least][0]) == factor(times):
        return first
    return f"{first}; under {called[least]} no language takes more than {factor(worst[least][0])} times"
