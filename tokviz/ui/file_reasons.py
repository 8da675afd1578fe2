"""Why two tokenizers differ over a whole file: the kinds of reasons counted, and an example of each looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from tokviz.comparison import Kind
from tokviz.encoding import Encoding
from tokviz.ui.counting import Example, File, Why, WhyCount
from tokviz.ui.progress import settle
from tokviz.ui.shell import plain
from tokviz.ui.state import Visitor, bind, visitor, widget_value
from tokviz.ui.tables import frame, views
from tokviz.ui.tokenizers import Shown

PLACE = "compare.why"
AROUND = 100  # bytes drawn before an example and after it
Pair = tuple[str, str]


class Words(NamedTuple):
    """A kind of reason why B has a boundary inside a token of A: its name, as under the ruler; what it means; and the
    same as the end of a sentence that speaks of B."""

    name: str
    meaning: str
    cause: str


KINDS: dict[Kind, Words] = {
    "split": Words("split pattern", "its split pattern cuts inside the token", "its split pattern cuts there"),
    "special": Words("special token", "a special token is in the way", "a special token is in the way"),
    "absent": Words("not in the vocabulary", "the token is not in its vocabulary", "it has no such token"),
    "taken": Words(
        "taken by an earlier merge",
        "it has the token, but here an earlier merge took bytes at its edge",
        "an earlier merge took bytes at the token's edge",
    ),
    "unreachable": Words(
        "unreachable",
        "it has the token, but no pair of its tokens makes it",
        "no pair of its tokens makes the token",
    ),
    "other model": Words(
        "no merge", "it has a token there that no merge made", "it has a token there that no merge made"
    ),
}


def reasons(me: Visitor, file: File, chosen: Sequence[Shown]) -> None:
    """Draw it for an ordered pair of those that the file is counted under; count it first where it is not yet."""
    there = {shown.key: shown for shown in chosen if shown.key in file.tallies}
    pair = _pair(me, list(there.values()))
    if pair is None:
        st.subheader("Why they differ", anchor=False)
        st.caption("Choose another tokenizer above, and it is counted why the two differ.")
        return
    a, b = (there[key] for key in pair)
    why = file.why.get(pair)
    st.subheader(plain(finding(a.name, b.name, why)), anchor=False)
    st.caption(
        plain(
            f"Boundaries that {b.name} has inside tokens of {a.name}, all along {file.name}. "
            "Several reasons can hold at one of them."
        )
    )
    st.selectbox(
        "Whose tokens, cut by whom",
        [(one, other) for one in there for other in there if one != other],
        format_func=lambda pair: f"{there[pair[0]].name}, cut by {there[pair[1]].name}",
        **bind("compare.pair", "comparing.pair"),
    )
    with st.container():  # progress comes and goes, and what stands below keeps its place
        settle(me, PLACE, None if why else WhyCount(file, (a, b), place=PLACE), kept="The figures stay.")
    if why and why.boundaries:
        _table(me, why)
        _look(me, file, (a, b), why)


def _pair(me: Visitor, there: Sequence[Shown]) -> Pair | None:
    """The pair in view. At first one's own tokenizer cut by the first reference, else the first two."""
    keys = [shown.key for shown in there]
    if len(keys) < 2:
        return None
    if me.comparing.pair is None or not set(keys).issuperset(me.comparing.pair):
        references = [shown.key for shown in there if shown.own is None]
        me.comparing.pair = keys[0], (references[0] if there[0].own and references else keys[1])
    return me.comparing.pair


def finding(a: str, b: str, why: Why | None) -> str:
    """What comes out, in a sentence; before it is counted, what is asked.

    >>> finding("mine", "GPT-2", Why(200, {"split": 10, "absent": 150}, {}))
    'GPT-2 cuts tokens of mine at 200 places, at 75% of them because it has no such token'
    """
    if why is None:
        return f"Why {b} cuts tokens of {a}"
    if not why.boundaries:
        return f"{b} cuts no token of {a}"
    most = max(why.counts.values())
    causes = " and because ".join(KINDS[kind].cause for kind in KINDS if why.counts.get(kind) == most)
    if why.boundaries == 1:
        return f"{b} cuts a token of {a} at 1 place, because {causes}"
    share = "all" if most == why.boundaries else f"{min(most / why.boundaries, 0.99):.0%}"
    return f"{b} cuts tokens of {a} at {why.boundaries:,} places, at {share} of them because {causes}"


def reasons_table(why: Why) -> pd.DataFrame:
    """The kinds that hold anywhere, the most frequent first; a share is of the boundaries."""
    return pd.DataFrame(
        [
            {
                "reason": KINDS[kind].name,
                "what it means": KINDS[kind].meaning,
                "boundaries": why.counts[kind],
                "share of boundaries": why.counts[kind] / why.boundaries,
                "for example": _visible(why.examples[kind].token),
                "cut into": " | ".join(map(_visible, why.examples[kind].parts)),
                "at byte": why.examples[kind].start,
            }
            for kind in _by_count(why)
        ]
    )


def _by_count(why: Why) -> list[Kind]:
    return sorted(why.examples, key=lambda kind: (-why.counts[kind], list(KINDS).index(kind)))


def _visible(token: bytes) -> str:
    """A token with its white space seen; its bytes where it is not whole characters."""
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return token.hex(" ").upper()
    return text.replace(" ", "·").replace("\n", "↵").replace("\t", "→").replace("\r", "␍")


def _table(me: Visitor, why: Why) -> None:
    def picked() -> None:
        cells = widget_value("compare.table.reasons")["selection"]["cells"]
        if cells:
            visitor().comparing.reason = _by_count(why)[cells[0][0]]

    frame(reasons_table(why), "reasons", shares=["share of boundaries"], picked=picked)


def _look(me: Visitor, file: File, pair: tuple[Shown, Shown], why: Why) -> None:
    """The text around the example of the kind that was picked, under both."""
    kind = next((kind for kind in why.examples if kind == me.comparing.reason), _by_count(why)[0])
    example = why.examples[kind]

    def look_there() -> None:
        visitor().comparing.byte = example.start

    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            plain(f"For example, {KINDS[kind].name}: the token at byte {example.start:,}. Pick a row for another.")
        )
        st.button("Look there on the map", on_click=look_there, key="compare.why.look")
    views([(shown, _around(file, shown, example)) for shown in pair], "compare.why.near", file.tallies)


def _around(file: File, shown: Shown, example: Example) -> Encoding:
    near = file.near(shown, example.start)
    start = max(example.start - AROUND - near.start, 0)
    return near.part(start, 2 * AROUND + len(example.token))
