"""Replay's what-if: train again with one rule changed, and see where the two histories part."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import streamlit as st

from tokviz.base.blocks import Block, Group, Line, Quiet, Tokens
from tokviz.base.errors import SettingError, TokvizError
from tokviz.base.wording import capital, count_of, times
from tokviz.comparison.comparison import compare
from tokviz.split.cutting import CUSTOM, PATTERNS, check_pattern
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.learning import RAREST_LIMIT
from tokviz.training.rules import TIES
from tokviz.training.train import Training
from tokviz.training.what_if import LINE_LIMIT, TrainingChange, parting_of, texts_of, train_with_change
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.progress import ended, progress
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.training import told
from tokviz.ui.frame.widgets import Bound, bind, take_shown
from tokviz.ui.replay.parted import one_merge, parted
from tokviz.ui.replay.state import ReplayState, WhatIfFields, WhatIfResult
from tokviz.ui.server import work
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import NO_ROOM, Visitor
from tokviz.ui.server.work import Work
from tokviz.ui.tokenview.shown import show

PLACE = "what if"
IN_VIEW = 4_000  # bytes of the text drawn under each tokenizer; all are counted
RULES = {
    "ban": "leave one merge out",
    "line": "add a line to the corpus",
    "pattern": "split the corpus by another pattern",
    "tie": "decide between equal counts by another rule",
    "rarest": "merge the rarest pair, not the most frequent",
}


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
        fields = me.state(ReplayState).what_if
        rule = ""
        try:
            rule = asked(training, fields)[1]
        except TokvizError as fault:
            if fields.rule != "line" or fields.line:
                say(fault)
        st.button(
            "**Train again**",
            disabled=not rule or running,
            on_click=pressed,
            args=(me, PLACE, _begin, me, training, of, name),
            key="what_if.train",
        )
        say_trouble(me, PLACE)
    result = me.state(ReplayState).result
    tried = result if result and result.of == of and not running else None
    with answer:
        if last and running:
            progress(me, last)
        elif last and last.ended_badly:
            ended(last, "Nothing has changed. Train again, or change another rule.")
            st.button("Close", on_click=work.forget, args=(me, PLACE), key="what_if.close")
        elif tried is None:
            st.caption("tokviz trains again with this change, and shows here the first merge that differs.")
        if tried and rule not in ("", tried.rule):
            st.caption(plain(f"This is the result {tried.rule}. Train again to see it {rule}."))
    if tried:
        _answer(me, tried, training.tokenizer)
        _offer(me, tried, corpus_name)


def _bound(field: str) -> Bound:
    return bind(f"what_if.{field}", f"what_if.{field}", ReplayState)


def _typed(label: str, field: str, **how: Any) -> None:
    bound_field(label, f"what_if.{field}", f"what_if.{field}", ReplayState, **how)


def _ask(me: Visitor, training: Training) -> None:
    """Draw the fields."""
    st.selectbox("What to change", list(RULES), format_func=lambda key: RULES[key], **_bound("rule"))
    state, merges = me.state(ReplayState), training.merges
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
    elif fields.rule == "pattern":
        st.selectbox("Split pattern", [*PATTERNS, CUSTOM], **_bound("pattern"))
        if fields.pattern == CUSTOM:
            _typed("Your split pattern, a regular expression", "custom")
        else:
            st.caption(plain(PATTERNS[fields.pattern].summary))
    elif fields.rule == "tie":
        label = "If two pairs are equally frequent"
        st.selectbox(label, list(TIES), format_func=lambda key: TIES[key].label, **_bound("tie"))
        ties = sum(merge.tied > 1 for merge in merges)
        st.caption(f"Now: {TIES[training.rules.tie].label}. {ties:,} of {len(merges):,} merges were ties.")


def asked(training: Training, fields: WhatIfFields) -> tuple[TrainingChange, str]:
    """What the fields ask for, as a change and in words. Raises a TokvizError that says what is wrong with them.

    >>> from tokviz import train
    >>> asked(train("aaabdaaabac", 259), WhatIfFields("line", line="abba", times=2))
    (TrainingChange(rules=None, pattern=None, line='abba', times=2), 'with the line added 2 times')
    """
    merges, rules = training.merges, training.rules
    if fields.rule == "ban":
        if not merges:
            raise SettingError("This training made no merge, so there is none to leave out.", "Choose another change.")
        if not 1 <= fields.merge <= len(merges):  # typed just before the press: no run has corrected it
            raise SettingError(f"This training has {count_of(len(merges), 'merge')}.", f"Choose 1 to {len(merges):,}.")
        token = training.tokenizer.vocab[merges[fields.merge - 1].id]
        return TrainingChange(rules=replace(rules, ban=[*rules.ban, token])), f"without merge {fields.merge:,}"
    if fields.rule == "line":
        if not fields.line:
            raise SettingError("The line is empty.", "Type a line.")
        if len(fields.line.encode("utf-8", "replace")) * fields.times > LINE_LIMIT:
            most = f"The added lines can have {LINE_LIMIT:,} bytes in all."
            raise SettingError(most, "Use a shorter line, or add it fewer times.")
        return TrainingChange(line=fields.line, times=fields.times), f"with the line added {times(fields.times)}"
    if fields.rule == "pattern":
        own = fields.pattern == CUSTOM
        pattern = fields.custom if own else fields.pattern
        check_pattern(pattern)
        if texts_of(training) is None:
            raise SettingError(
                "The texts of this training are not here, only the counts of their chunks.",
                "Train on the texts themselves to use another pattern, or change another rule.",
            )
        return TrainingChange(pattern=pattern), f"split by {'a pattern of your own' if own else pattern}"
    if fields.rule == "tie":
        return TrainingChange(rules=replace(rules, tie=fields.tie)), f"with ties to {TIES[fields.tie].goes_to}"
    if len(training.counts.data) > RAREST_LIMIT:
        raise SettingError(
            f"This corpus is too long for the rarest pair to win: {RAREST_LIMIT:,} bytes of chunks are the limit.",
            "Train on a shorter corpus, or change another rule.",
        )
    return TrainingChange(rules=replace(rules, prefer="rarest")), "with the rarest pair winning"


def _begin(me: Visitor, training: Training, of: str | None, name: str) -> None:
    state = me.state(ReplayState)
    take_shown(state)
    change, rule = asked(training, state.what_if)

    def take(me: Visitor, new: Training) -> None:
        own = size(new.seams) if new.kept is training.kept else size(new)
        me.state(ReplayState).result = WhatIfResult(of, rule, new, own + size(new.tokenizer))

    stop = threading.Event()
    steps = told(train_with_change(training, change, f"{name}, {rule}", stop.is_set))
    again = Work(PLACE, of, steps, take, [training], stop, needs_kernels=False)
    work.start(me, again)
    again.done_soon()


def _answer(me: Visitor, tried: WhatIfResult, before: Tokenizer) -> None:
    """Draw where the histories part, and the visitor's text under both tokenizers."""
    after = tried.training.tokenizer
    parting = me.cache.get(("parting", before, after), lambda: parting_of(before, after))
    show(*parted(before, after, parting, rule=tried.rule), key="what_if.parted")
    try:
        show(*_your_text(me, tried, before), key="what_if.text")
    except TokvizError as fault:  # a pattern that cannot cut this text
        say(fault)


def _your_text(me: Visitor, tried: WhatIfResult, before: Tokenizer) -> list[Block]:
    typed, after = me.state(ReplayState).text, tried.training.tokenizer
    text = typed or me.text
    both = me.cache.get(("compared", (before, after), text, "text"), lambda: compare(text, [before, after]))
    one, other = both.encodings
    found = finding("Your text" if typed else "The text from Tokens", len(one), len(other), len(both.regions))
    cut = [Quiet(f"the first {IN_VIEW:,} bytes are drawn")] if len(one.data) > IN_VIEW else []
    drawn = [
        Tokens(encoding.part(0, IN_VIEW), name, [f"{name}: {count_of(len(encoding), 'token')}", *cut])
        for name, encoding in (("Original", one), (capital(tried.rule), other))
    ]
    return [Line([found], "title", level=2), Group(drawn)]


def finding(whose: str, before: int, after: int, places: int) -> str:
    """How a text changes, in a sentence. before, after: tokens. places: regions split in another way.

    >>> finding("Your text", 12, 14, 3)
    'Your text takes 14 tokens instead of 12; 3 places of it are split in another way'
    """
    if not places:
        return f"{whose} stays as it is: {count_of(before, 'token')}, split in the same places"
    where = f"{count_of(places, 'place')} of it {'is' if places == 1 else 'are'} split in another way"
    takes = f"{count_of(after, 'token')} {f'instead of {before:,}' if before != after else 'as before'}"
    return f"{whose} takes {takes}; {where}"


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


def _keep(me: Visitor, tried: WhatIfResult, corpus_name: str) -> None:
    me.add(tried.training.tokenizer.name, tried.training.tokenizer, tried.training, corpus_name=corpus_name)
    me.state(ReplayState).result = None
