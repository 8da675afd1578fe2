"""Split rules: one corpus under several split patterns, and each pattern explained piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from tokviz.errors import TokvizError
from tokviz.split import HOW_TO_WRITE, PATTERNS, check_pattern
from tokviz.split_lab import CORPUS_LIMIT, FREE, Outcome, limited
from tokviz.ui.components.pattern_pieces import pattern_pieces
from tokviz.ui.components.token_rows import Card, CardFigure, RowGroup, TokenRow, token_rows
from tokviz.ui.frame.say import note, plain, say
from tokviz.ui.frame.widgets import BoundValue, bind, bind_value
from tokviz.ui.tables import frame
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.vocabulary.split_corpus import SplitCorpus, split_corpus
from tokviz.ui.vocabulary.split_work import PLACE, Tried, tried, wanted
from tokviz.ui.vocabulary.state import SplitSettings, VocabularyState
from tokviz.ui.vocabulary.use import upload
from tokviz.ui.work.progress import settle
from tokviz.wording import count_of, rate, rounded, times, visible_start

OWN = ("own1", "own2", "own3", "own4")  # the fields of SplitSettings
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
ACROSS = 4  # cards in a row
PAIRS = 5  # forbidden merges in a card; the table has all
TITLE = 60  # characters of a pattern in the title of its card


def split_lead(settings: SplitSettings) -> str:
    """The line below the title of the page."""
    n = NUMBERS[len(_patterns(settings))]
    size = f"{settings.vocab_size:,} tokens each"
    return f"One corpus, {n} split patterns, {size}, least pair count {settings.min_count:,}."


def splits(me: Visitor) -> None:
    """Draw the part."""
    settings = me.state(VocabularyState).splits
    if settings.corpus == "file":
        upload(me.state(VocabularyState))
    corpus = split_corpus(me)
    patterns = _patterns(settings)
    faults = {key: fault for key, pattern in patterns.items() if (fault := _fault(pattern))}
    if corpus is None:
        st.caption("Upload a file to see it under each pattern.")
    elif not any(corpus.texts):
        note("info", "The corpus is empty.", "Choose another one, or type a text on Tokens.")
    else:
        _compared(me, corpus, settings, patterns, faults)
    _settings(settings, faults)
    if corpus is not None and any(corpus.texts):
        _explained(me, corpus, settings, {key: patterns[key] for key in patterns if key not in faults})


def _patterns(settings: SplitSettings) -> dict[str, str]:
    """The patterns that are compared: a name or the field of an own one -> the pattern. Empty fields are left out."""
    own = {key: getattr(settings, key) for key in OWN}
    return {**{name: name for name in PATTERNS}, **{key: pattern for key, pattern in own.items() if pattern}}


def _label(key: str) -> str:
    return f"own pattern {key[-1]}" if key in OWN else key


def _fault(pattern: str) -> TokvizError | None:
    try:
        check_pattern(pattern)
    except TokvizError as fault:
        return fault
    return None


# -- the comparison --


def _compared(
    me: Visitor,
    corpus: SplitCorpus,
    settings: SplitSettings,
    patterns: Mapping[str, str],
    faults: Mapping[str, TokvizError],
) -> None:
    sound = {key: pattern for key, pattern in patterns.items() if key not in faults}
    with st.container():  # always drawn, so that progress which comes and goes does not move what is below
        settle(
            me,
            PLACE,
            wanted(me, corpus, settings, [*sound.values()]),
            kept="The patterns that were done before that are shown.",
        )
    came = {key: tried(me, corpus, settings, pattern) for key, pattern in sound.items()}
    outcomes = {key: one for key, one in came.items() if isinstance(one, Outcome)}
    if not outcomes:
        return
    st.subheader(plain(finding(outcomes)), anchor=False)
    left_out = me.cache.get(("split left out", corpus.key), lambda: limited(corpus.texts)[1])
    if left_out:
        st.caption(f"Compared on the first {CORPUS_LIMIT:,} bytes of the corpus; {left_out:,} bytes are left out.")
    best = max(one.bytes_per_token or 0 for one in outcomes.values())
    cards = [_card(key, patterns[key], one, best) for key, one in came.items() if one is not None]
    token_rows(cards, key="vocabulary.splits.cards", across=ACROSS)
    st.caption(
        "Trained without a rule, any two neighbours may merge. A pattern forbids such a merge wherever one of its cuts "
        "is inside the token that the merge made."
    )
    with st.expander("Table"):
        frame(figures_table(outcomes), "splits", page="vocabulary")


def finding(outcomes: Mapping[str, Outcome]) -> str:
    """Which pattern needs fewest tokens, and how many more the others need.

    >>> from tokviz.split_lab import compare_patterns
    >>> none, words = compare_patterns(["the cat in the hat, the cat in the mat"], ["none", "gpt2"], 262)
    >>> finding({"none": none, "gpt2": words}).replace("\u00a0", " ")
    'Without a rule the corpus needs fewest tokens; a rule costs 12 % more'
    """
    free, rules = outcomes.get(FREE), {key: one.tokens for key, one in outcomes.items() if key != FREE}
    if free is None or not rules:
        return "One corpus under split patterns"
    fewest = min(rules, key=rules.__getitem__)
    if rules[fewest] < free.tokens:
        more = _more(free.tokens / rules[fewest] - 1)
        return f"With {_label(fewest)} the corpus needs fewest tokens; without a rule it needs {more}\u00a0% more"
    low, high = (_more(pick(rules.values()) / free.tokens - 1) for pick in (min, max))
    if high == "0":
        return f"No rule costs anything here: the corpus needs {count_of(free.tokens, 'token')} in any case"
    span = high if low == high else f"up to {high}" if low == "0" else f"{low} to {high}"
    return f"Without a rule the corpus needs fewest tokens; a rule costs {span}\u00a0% more"


def _more(share: float) -> str:
    """A share in per cent, without the sign: whole, or with two decimals below one."""
    return rounded(100 * share, 0 if share >= 0.00995 or share == 0 else 2)


def _card(key: str, pattern: str, one: Tried, best: float) -> Card:
    title = (pattern if len(pattern) <= TITLE else f"{pattern[:TITLE]}…") if key in OWN else key
    words = _label(key).capitalize() + "." if key in OWN else PATTERNS[key].summary
    if isinstance(one, TokvizError):
        return Card(key, title, f"{words} {one.what} {one.way_out}", code=True)
    if one.stopped == "bytes":
        words += f" Its tokens had too many bytes together after {count_of(one.merges, 'merge')}."
    share = (one.bytes_per_token or 0) / best if best else 0.0
    tokens = CardFigure(f"{one.tokens:,}", "tokens" if one.tokens != 1 else "token")
    return Card(
        key,
        title,
        words,
        figures=(tokens, CardFigure(rate(one.bytes_per_token), "bytes per token", share, strong=share == 1)),
        groups=(_chunks(one), _forbidden(one), _longest(one)),
        code=True,
    )


def _chunks(one: Outcome) -> RowGroup:
    if one.chunks <= 1:
        why = "Nothing is cut: a merge runs on over spaces and line ends."
        return RowGroup("1 chunk: the whole corpus", (), why if one.pattern == FREE else "Nothing of it is cut.")
    heading = f"{count_of(one.chunks, 'chunk')}, {one.distinct:,} distinct, by count"
    return RowGroup(heading, [TokenRow([chunk], times(n)) for chunk, n in one.frequent])


def _forbidden(one: Outcome) -> RowGroup:
    """The merges that it forbids most often. Where it forbids only some of the firings, it says how many there are."""
    wholly, partly = one.wholly_forbidden, len(one.forbidden) - one.wholly_forbidden
    heading = f"It forbids {count_of(wholly or partly, 'merge')}"
    if partly:
        heading += f", and {partly:,} in part" if wholly else " in part"
    rows = [
        TokenRow([m.left, m.right], times(m.across) if m.wholly else f"{m.across:,} of {times(m.fired)}")
        for m in one.forbidden[:PAIRS]
    ]
    return RowGroup(heading if rows else "Merges it forbids", rows, "None.")


def _longest(one: Outcome) -> RowGroup:
    rows = [TokenRow([token], count_of(len(token), "byte")) for token in one.longest]
    return RowGroup("Longest tokens", rows, "No merge was made.")


def figures_table(outcomes: Mapping[str, Outcome]) -> pd.DataFrame:
    """The figures of each pattern, a row each."""
    return pd.DataFrame(
        [
            {
                "split pattern": one.pattern,
                "bytes": one.n_bytes,
                "tokens": one.tokens,
                "bytes per token": one.bytes_per_token or float("nan"),
                "merges": one.merges,
                "chunks": one.chunks,
                "distinct chunks": one.distinct,
                "merges forbidden": one.wholly_forbidden,
                "forbidden in part": len(one.forbidden) - one.wholly_forbidden,
            }
            for one in outcomes.values()
        ]
    )


# -- settings --


def _bound(field: str) -> BoundValue:
    return bind_value(f"vocabulary.splits.{field}", f"splits.{field}", VocabularyState)


def _settings(settings: SplitSettings, faults: Mapping[str, TokvizError]) -> None:
    """Draw the fields of the sizes and of the visitor's own patterns, each with what is wrong with it."""
    st.subheader("Compare differently", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input("Vocabulary size", step=256, width=180, **_bound("vocab_size"))
        st.number_input("Least pair count", step=1, width=180, **_bound("min_count"))
        free = [key for key in OWN if getattr(settings, key) is None]
        st.button(
            "Add a pattern of your own",
            disabled=not free,
            on_click=_add,
            args=(settings, free[0] if free else ""),
            key="vocabulary.splits.add",
        )
    for key in OWN:
        if getattr(settings, key) is None:
            continue
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                f"Own pattern {key[-1]}, a regular expression",
                placeholder=r"\w+|\s+|[^\w\s]+",
                **_bound(key),
            )
            st.button("Remove", on_click=setattr, args=(settings, key, None), key=f"vocabulary.splits.remove.{key}")
        if key in faults:
            say(faults[key])
    if len(free) < len(OWN):
        st.caption(plain(HOW_TO_WRITE))


def _add(settings: SplitSettings, key: str) -> None:
    if key:
        setattr(settings, key, "")


# -- piece by piece --


def _explained(me: Visitor, corpus: SplitCorpus, settings: SplitSettings, patterns: Mapping[str, str]) -> None:
    st.subheader("What each piece of a pattern does", anchor=False)
    st.caption("The clauses are tried from the first to the last. The first one that matches makes the chunk.")
    there = [key for key in patterns if key != FREE]
    if settings.explained not in there:
        settings.explained = there[0]
    st.segmented_control(
        "Pattern to explain",
        there,
        required=True,
        format_func=_label,
        label_visibility="collapsed",
        **bind("vocabulary.splits.explained", "splits.explained", VocabularyState, typed=False),
    )
    key = settings.explained
    one = tried(me, corpus, settings, patterns[key])
    if one is None:
        return
    if isinstance(one, TokvizError):
        say(one)
        return
    if isinstance(one.pieces, TokvizError):
        say(one.pieces)
    else:
        pattern_pieces(one.pieces, label=f"Clauses of {_label(key)}", key=f"vocabulary.splits.pieces.{key}")
    with st.expander(f"All merges that {_label(key)} forbids ({len(one.forbidden):,})"):
        frame(forbidden_table(one), f"forbidden-{key}", page="vocabulary")


def forbidden_table(one: Outcome) -> pd.DataFrame:
    """All merges that a pattern forbids. Merge 1 is the first of the training without a pattern."""
    rows: Sequence[tuple[int, str, str, int, int]] = [
        (merge.rank + 1, visible_start(merge.left), visible_start(merge.right), merge.fired, merge.across)
        for merge in one.forbidden
    ]
    return pd.DataFrame(rows, columns=["merge", "left token", "right token", "times without a rule", "times forbidden"])
