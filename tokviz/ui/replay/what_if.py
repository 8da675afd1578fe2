"""Replay's what-if: train again with one rule changed, and see where the two histories part."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from tokviz.base.blocks import Table
from tokviz.base.errors import SettingError, TokvizError
from tokviz.base.wording import capital, count_of, literal, times
from tokviz.comparison.comparison import compare
from tokviz.offline.data import view_data
from tokviz.split.cutting import CUSTOM, PATTERNS, check_pattern
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.learning import RAREST_LIMIT
from tokviz.training.rules import TIES
from tokviz.training.train import Training
from tokviz.training.what_if import LINE_LIMIT, Parting, TrainingChange, parting_of, texts_of, train_with_change
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.progress import ended, progress
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.tables import csv_button
from tokviz.ui.frame.training import told
from tokviz.ui.frame.widgets import Bound, as_shown, bind
from tokviz.ui.replay.parted import one_merge, parted
from tokviz.ui.replay.state import ReplayState, WhatIfFields, WhatIfResult
from tokviz.ui.server import work
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import NO_ROOM, OWN_SERIES, Visitor
from tokviz.ui.server.work import Work
from tokviz.ui.tokenview.shown import show
from tokviz.ui.tokenview.view import token_view

PLACE = "what if"
IN_VIEW = 4_000  # bytes of the text drawn under each tokenizer; all are counted
RULES = {
    "ban": "leave one merge out",
    "line": "add a line to the corpus",
    "pattern": "split the corpus by another pattern",
    "tie": "decide between equal counts by another rule",
    "rarest": "merge the rarest pair, not the most frequent",
}


class _Question(NamedTuple):
    """What the fields ask for. rule: the change in words. Without a change, `fault` says what is wrong with them."""

    change: TrainingChange | None = None
    rule: str = ""
    fault: TokvizError | None = None


def what_if(me: Visitor, training: Training, *, of: str | None, name: str, corpus_name: str) -> None:
    """Draw the question, and its result when there is one.

    of, name: the key (None: the sample) and the name of the tokenizer on the page.
    """
    last = work.of(me, PLACE)
    if last and last.about != of:  # it is about another tokenizer
        last = None
    running = last is not None and not last.over
    question, answer = st.columns([5, 7], gap="large")
    with question:
        _ask(me, training)
        asked = _asked(training, me.state(ReplayState).what_if)
        if asked.fault:
            say(asked.fault)
        st.button(
            "**Train again**",
            disabled=asked.change is None or running,
            on_click=pressed,
            args=(me, PLACE, _begin, me, training, of, name),
            key="what_if.train",
        )
        say_trouble(me, PLACE)
    result = me.state(ReplayState).result
    tried = result if result and result.of == of else None
    with answer:
        if last and running:
            progress(me, last)
        elif last and last.ended_badly:
            ended(last, "Nothing has changed. Train again, or change another rule.")
            st.button("Close", on_click=work.forget, args=(me, PLACE), key="what_if.close")
        elif tried is None:
            st.caption("tokviz trains again with this change, and shows here the first merge that differs.")
        if tried and not running:
            if asked.rule and asked.rule != tried.rule:
                st.caption(plain(f"This is the result {tried.rule}. Train again to see it {asked.rule}."))
            _answer(me, tried, training.tokenizer)
    if tried and not running:
        _your_text(me, training.tokenizer, tried)
        _offer(me, tried, corpus_name)


def _bound(field: str) -> Bound:
    return bind(f"what_if.{field}", f"what_if.{field}", ReplayState)


def _typed(label: str, field: str, **how: Any) -> None:
    bound_field(label, f"what_if.{field}", f"what_if.{field}", ReplayState, **how)


def _ask(me: Visitor, training: Training) -> None:
    """Draw the fields."""
    st.selectbox("What to change", list(RULES), format_func=lambda key: RULES[key], **_bound("rule"))
    state, merges, rules = me.state(ReplayState), training.merges, training.rules
    fields = state.what_if
    if fields.rule == "ban" and merges:
        if fields.step != state.place.step:  # the player moved: offer the merge that comes next there
            fields.step, fields.merge = state.place.step, state.place.step + 1
        fields.merge = min(max(fields.merge, 1), len(merges))
        _typed(f"Merge to leave out, 1 to {len(merges):,}", "merge", least=1)
        show(one_merge(training.tokenizer, fields.merge - 1), key="what_if.banned")
    elif fields.rule == "line":
        _typed("The line", "line", placeholder="the cat in the hat")
        _typed("How often to add it", "times", least=1)
        st.caption("The line is added after the corpus as a separate text, so no chunk of the corpus changes.")
    elif fields.rule == "pattern":
        st.selectbox("Split pattern", [*PATTERNS, CUSTOM], **_bound("pattern"))
        if fields.pattern == CUSTOM:
            _typed("Your split pattern, a regular expression", "custom")
        else:
            st.caption(plain(PATTERNS[fields.pattern].summary))
    elif fields.rule == "tie":
        st.selectbox(
            "If two pairs are equally frequent", list(TIES), format_func=lambda key: TIES[key].label, **_bound("tie")
        )
        ties = sum(merge.tied > 1 for merge in merges)
        st.caption(f"Now: {TIES[rules.tie].label}. {ties:,} of {len(merges):,} merges were ties.")
    elif fields.rule == "rarest":
        st.caption(
            "This rule is for learning, not for real tokenizers. Every merge looks at all pairs, so the limit is "
            f"{RAREST_LIMIT:,} bytes of distinct chunks. This corpus has {len(training.counts.data):,}."
        )


def _asked(training: Training, fields: WhatIfFields) -> _Question:
    """What the fields ask for."""
    merges, rules = training.merges, training.rules
    if fields.rule == "ban":
        if not merges:
            fault = SettingError(
                "This training made no merge, so there is none to leave out.", "Choose another change."
            )
            return _Question(fault=fault)
        token = training.tokenizer.vocab[merges[fields.merge - 1].id]
        change = TrainingChange(rules=replace(rules, ban=[*rules.ban, token]))
        return _Question(change, f"without merge {fields.merge:,}")
    if fields.rule == "line":
        if not fields.line:
            return _Question()
        if len(fields.line.encode("utf-8", "replace")) * fields.times > LINE_LIMIT:
            fault = SettingError(
                f"The added lines can have {LINE_LIMIT:,} bytes in all.", "Use a shorter line, or add it fewer times."
            )
            return _Question(fault=fault)
        change = TrainingChange(line=fields.line, times=fields.times)
        return _Question(change, f"with the line added {times(fields.times)}")
    if fields.rule == "pattern":
        return _asked_pattern(training, fields)
    if fields.rule == "tie":
        change = TrainingChange(rules=replace(rules, tie=fields.tie))
        return _Question(change, f"with ties to {TIES[fields.tie].goes_to}")
    if len(training.counts.data) > RAREST_LIMIT:
        fault = SettingError(
            "This corpus is too long for the rarest pair to win.", "Train on a shorter corpus, or change another rule."
        )
        return _Question(fault=fault)
    return _Question(TrainingChange(rules=replace(rules, prefer="rarest")), "with the rarest pair winning")


def _asked_pattern(training: Training, fields: WhatIfFields) -> _Question:
    """The part of `_asked` for another split pattern."""
    pattern, custom = fields.pattern, fields.pattern == CUSTOM
    if custom:
        pattern = fields.custom
        try:
            check_pattern(pattern)
        except TokvizError as fault:
            return _Question(fault=fault)
    if texts_of(training) is None:
        missing = SettingError(
            "The texts of this training are not here, only the counts of their chunks.",
            "Train on the texts themselves to use another pattern, or change another rule.",
        )
        return _Question(fault=missing)
    return _Question(TrainingChange(pattern=pattern), f"split by {'a pattern of your own' if custom else pattern}")


def _begin(me: Visitor, training: Training, of: str | None, name: str) -> None:
    change, rule, fault = _asked(training, as_shown(me.state(ReplayState)).what_if)
    if fault or change is None:
        raise fault or SettingError("The line is empty.", "Type a line.")
    name = f"{name}, {rule}"

    def take(me: Visitor, new: Training) -> None:
        own = size(new.seams) if new.kept is training.kept else size(new)
        me.state(ReplayState).result = WhatIfResult(of, rule, new, own + size(new.tokenizer))

    stop = threading.Event()
    steps = told(train_with_change(training, change, name, stop.is_set))
    again = Work(PLACE, of, steps, take, [training], stop, needs_kernels=False)
    state = me.state(ReplayState)
    before, state.result = state.result, None
    try:
        work.start(me, again)
    except TokvizError:
        state.result = before
        raise
    again.done_soon()


def _answer(me: Visitor, tried: WhatIfResult, before: Tokenizer) -> None:
    after = tried.training.tokenizer
    parting = me.cache.get(("parting", before, after), lambda: parting_of(before, after))
    show(*parted(before, after, parting, rule=tried.rule), key="what_if.parted")
    if parting.only_before or parting.only_after:
        table = partial(alone, before, after, parting, tried.rule)
        csv_button("CSV of these tokens", table, "what-if", "what_if.csv")


def alone(before: Tokenizer, after: Tokenizer, parting: Parting, rule: str) -> Table:
    """A table of the tokens that only one history has: which history, merge from 1, text as a Python literal, bytes.

    rule: the name of the second history. bytes: in hexadecimal.

    >>> from tokviz import train
    >>> tok = train("aaabdaaabac", 259).tokenizer
    >>> alone(tok, tok.truncated(258), parting_of(tok, tok.truncated(258)), "shorter").rows
    [('original', 3, "'aaab'", '61 61 61 62')]
    """
    rows = [
        (whose, (tok.rank_of(token) or 0) + 1, literal(token), token.hex(" ").upper())
        for whose, tok, tokens in (("original", before, parting.only_before), (rule, after, parting.only_after))
        for token in tokens
    ]
    return Table(["only", "merge", "text", "bytes"], rows)


def _your_text(me: Visitor, before: Tokenizer, tried: WhatIfResult) -> None:
    """Draw the visitor's text under both tokenizers, and how its number of tokens changes."""
    typed = me.state(ReplayState).text
    try:
        after, text = tried.training.tokenizer, typed or me.text
        both = me.cache.get(("compared", (before, after), text, "text"), lambda: compare(text, [before, after]))
    except TokvizError as fault:  # a pattern that cannot cut this text
        say(fault)
    else:
        one, other = both.encodings
        whose = "Your text" if typed else "The text from Tokens"
        st.subheader(plain(finding(whose, len(one), len(other), len(both.regions))), anchor=False)
        mine = me.own(tried.of)
        taken = {own.series for own in me.trained} if mine else {OWN_SERIES[0]}
        free = next((series for series in OWN_SERIES if series not in taken), OWN_SERIES[-1])
        left, right = st.columns(2)
        with left:
            series = mine.series if mine else OWN_SERIES[0]
            token_view(view_data(one, name="Original", series=series, most=IN_VIEW), key="what_if.before")
        with right:
            data = view_data(other, name=capital(tried.rule), series=free, most=IN_VIEW)
            token_view(data, key="what_if.after")
    st.caption(
        "This is your own text from the player above."
        if typed
        else "This is the text from the Tokens page. To see another one, type it under “Your own text” above."
    )


def _offer(me: Visitor, tried: WhatIfResult, corpus_name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Keep it and replay it",
            disabled=not me.room,
            on_click=pressed,
            args=(me, "what_if.keep", _keep, me, tried, corpus_name),
            key="what_if.keep",
        )
        if not me.room:
            st.caption(f"{NO_ROOM} Remove one on the Train page to make room.")
    say_trouble(me, "what_if.keep")


def finding(whose: str, before: int, after: int, places: int) -> str:
    """How a text changes, in a sentence. before, after: tokens. places: regions split in another way.

    >>> finding("Your text", 12, 14, 3)
    'Your text takes 14 tokens instead of 12; 3 places of it are split in another way'
    """
    if not places:
        return f"{whose} stays as it is: {count_of(before, 'token')}, split in the same places"
    where = f"{count_of(places, 'place')} of it {'is' if places == 1 else 'are'} split in another way"
    if before == after:
        return f"{whose} takes {count_of(before, 'token')} as before, but {where}"
    return f"{whose} takes {count_of(after, 'token')} instead of {before:,}; {where}"


def _keep(me: Visitor, tried: WhatIfResult, corpus_name: str) -> None:
    me.add(tried.training.tokenizer.name, tried.training.tokenizer, tried.training, corpus_name=corpus_name)
    me.state(ReplayState).result = None
