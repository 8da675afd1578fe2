"""Why two tokenizers differ over a whole file: how often each kind of reason holds, with an example of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from tokviz.base.blocks import Button, Chips, Line, Table
from tokviz.base.wording import capital, percent
from tokviz.comparison.comparison import ReasonKind
from tokviz.ui.compare.counted_file import BoundaryReasons, FileCounts
from tokviz.ui.compare.counting import count_reasons
from tokviz.ui.compare.folds import side_by_side, with_csv
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.progress import settle
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.widgets import bind
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server.registry import visitor
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.server.work import Work
from tokviz.ui.tokenview.shown import show

PLACE = "compare.why"
BEHIND = 100  # bytes drawn after an example
Pair = tuple[str, str]


class Words(NamedTuple):
    """How to speak of a kind of reason why B has a boundary inside a token of A.

    name: the name that the ruler uses. meaning: what it means. cause: the same, as the end of a sentence about B.
    """

    name: str
    meaning: str
    cause: str


KINDS: dict[ReasonKind, Words] = {
    "split": Words("split pattern", "the split pattern cuts inside the token", "its split pattern cuts there"),
    "special": Words("special or added token", *["a special or added token is in the way"] * 2),
    "absent": Words("not in the vocabulary", "there is no such token", "it has no such token"),
    "taken": Words(
        "taken by an earlier merge",
        "there is such a token, but an earlier merge took bytes at its edge",
        "an earlier merge took bytes at the token's edge",
    ),
    "unreachable": Words(
        "unreachable", "there is such a token, but no pair of tokens makes it", "no pair of its tokens makes the token"
    ),
    "normalizer": Words("normalizer", "a normalizer changes the text there", "a normalizer changes the text there"),
    "other model": Words("no merge", "there is a token that no merge made", "it has a token there that no merge made"),
}


def reasons(me: Visitor, file: FileCounts, tokenizers: Sequence[ShownTokenizer]) -> None:
    """Draw why one tokenizer splits tokens of another in this file. If that is not counted yet, count it first."""
    there = {shown.key: shown for shown in tokenizers if shown.key in file.tallies}
    pair = _pair(me, list(there.values()))
    if pair is None:
        return
    a, b = (there[key] for key in pair)
    why = file.reasons.get(pair)
    st.subheader(plain(finding(a.name, b.name, why)), anchor=False)
    st.selectbox(
        "Why does one split tokens of the other?",
        [(one, other) for one in there for other in there if one != other],
        format_func=lambda pair: f"{there[pair[1]].name} splits tokens of {there[pair[0]].name}",
        **bind("compare.pair", "pair", CompareState),
    )
    with st.container():  # always drawn, so that progress that comes and goes does not move what is below
        about = (file.text.sha256, *pair)
        count = None if why else Work(PLACE, about, count_reasons(file, a, b))
        settle(me, PLACE, count, kept="The figures stay.")
    if not why and pair in file.reasons:
        st.rerun()  # the heading above says the finding
    if why and why.boundaries:
        _table(me, file, (a, b), why)


def _pair(me: Visitor, there: Sequence[ShownTokenizer]) -> Pair | None:
    """The pair in view. At first it is an own tokenizer and the first reference, or else the first two."""
    keys, state = [shown.key for shown in there], me.state(CompareState)
    if len(keys) < 2:
        return None
    if state.pair is None or not set(keys).issuperset(state.pair):
        references = [shown.key for shown in there if shown.own is None]
        state.pair = keys[0], (references[0] if there[0].own and references else keys[1])
    return state.pair


def finding(a: str, b: str, why: BoundaryReasons | None) -> str:
    """The finding as a heading. Before the count is complete, the question.

    >>> finding("mine", "GPT-2", BoundaryReasons(200, {"split": 10, "absent": 150}, {})).replace("\\u00a0", " ")
    'GPT-2 splits tokens of mine at 200 places, 75.0 % of them because it has no such token'
    """
    if why is None:
        return f"Why {b} splits tokens of {a}"
    if not why.boundaries:
        return f"{b} splits no token of {a}"
    most = max(why.counts.values())
    causes = " and because ".join(KINDS[kind].cause for kind in KINDS if why.counts.get(kind) == most)
    if why.boundaries == 1:
        return f"{b} splits a token of {a} at 1 place, because {causes}"
    share = "all" if most == why.boundaries else percent(most / why.boundaries)
    return f"{b} splits tokens of {a} at {why.boundaries:,} places, {share} of them because {causes}"


def _table(me: Visitor, file: FileCounts, pair: tuple[ShownTokenizer, ShownTokenizer], why: BoundaryReasons) -> None:
    """Draw the kinds of reasons, and under both tokenizers the first place where the picked kind holds."""
    state = me.state(CompareState)
    kinds = sorted(why.examples, key=lambda kind: (-why.counts[kind], list(KINDS).index(kind)))
    kind = next((kind for kind in kinds if kind == state.reason), kinds[0])
    example = why.examples[kind]

    def pressed(press: Press) -> None:
        visitor().state(CompareState).reason = press.value

    def look(press: Press) -> None:
        visitor().state(CompareState).byte = press.value

    rows = [
        [
            Button("reason", each, KINDS[each].name),
            why.counts[each],
            percent(why.counts[each] / why.boundaries),
            Chips([*why.examples[each].parts]),
        ]
        for each in kinds
    ]
    said = "Boundaries inside tokens of the other tokenizer, in the whole file. One boundary can have several reasons."
    titles = ["Reason", "Boundaries", "Share", "For example"]
    with_csv([Line([said], "quiet")], Table(titles, rows, "Reasons", marked=[kinds.index(kind)]), "reasons", pressed)
    show(
        Line([f"{capital(KINDS[kind].meaning)}, as in the token at byte {example.start:,}, which is cut:"]),
        Button("look", example.start, "Show this place on the map"),
        key="compare.why",
        on_press=look,
    )
    start, n_bytes = example.start, len(example.token) + BEHIND
    near = [(shown, file.near(shown.key, shown.tokenizer, start)) for shown in pair]
    side_by_side([(shown, around.part(start - around.start, n_bytes)) for shown, around in near], "compare.why.near")
