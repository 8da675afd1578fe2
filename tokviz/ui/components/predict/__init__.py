"""Predict, then reveal: a window of the corpus at a step, and the pairs of which one merges next.

Python keeps the answer: before the guess the browser has no counts, and the order of the pairs does not reveal it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from tokviz.ui.components import EncodingLike, payload, script, stylesheet
from tokviz.ui.components.token_view import STYLES

_component = st.components.v2.component(
    "tokviz_predict",
    js=script("predict/predict.js"),
    css=stylesheet(*STYLES, "predict/predict.css"),
)


class Answer(NamedTuple):
    """The outcome of a guess: the places of guess and winner among the options, all counts, and two sentences on it."""

    guess: int
    winner: int
    counts: tuple[int, ...]
    verdict: str
    why: str


class Guess(NamedTuple):
    """A guess at the merge after step `step`: the place of the pair among the options."""

    step: int
    option: int


def guessed(value: Mapping[str, Any] | None) -> Guess | None:
    """The guess made in this run, from the component's value in the session; None if there is none."""
    match (value or {}).get("guessed"):
        case {"step": int(step), "option": int(option)}:
            return Guess(step, option)
    return None


def predict(data: Mapping[str, Any], *, key: str) -> None:
    """Draw the question. `data` comes from predict_data."""
    _component(key=key, data=data, on_guessed_change=lambda: None)  # without a callback the value does not exist


def predict_data(
    window: EncodingLike | None,
    options: Sequence[tuple[bytes, bytes]],
    *,
    of: str | None,
    step: int,
    last: int,
    answer: Answer | None,
    score: str,
) -> dict[str, Any]:
    """What the browser gets: a window of the corpus (None: there is none), the pairs to choose from, and the answer
    once a guess was made. `step` of `last` merges are done. `of` is the key of the replay whose player is addressed."""
    return {
        "of": of,
        "window": None if window is None else payload(window),
        "options": [{"left": left.hex(), "right": right.hex()} for left, right in options],
        "step": step,
        "last": last,
        "answer": None if answer is None else answer._asdict(),
        "score": score,
    }
