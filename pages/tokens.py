"""Tokens, the home page: type or paste text, and see it under one or several tokenizers."""

import secrets

import numpy as np
import streamlit as st

from tokviz.catalog import models
from tokviz.encoding import SPLIT, Encoding
from tokviz.errors import PatternError
from tokviz.samples import examples, sample
from tokviz.text import clean
from tokviz.ui import links, shell
from tokviz.ui.chat import chat
from tokviz.ui.components.workbench import Block, WorkbenchRequest, workbench, workbench_data, workbench_request
from tokviz.ui.from_ids import from_ids
from tokviz.ui.live import SERVER
from tokviz.ui.livetext import beginning, first_refused
from tokviz.ui.numbers import numbers
from tokviz.ui.shelf import open_one
from tokviz.ui.state import OPENS_WITH, READINGS, Reading, Visitor, kept_in_session, visitor, widget_value
from tokviz.ui.tokenizers import Shown, allowed_special, badge, by_model, choose, encoded

WORKBENCH = "tokens.workbench"

shell.enter()
me = visitor()
arrived = links.arrived(me, "tokens")
if arrived and arrived.keys:
    me.chosen = arrived.keys
with shell.head_beside("Tokens", "Type or paste text. The tokens follow as you type."):
    chosen = choose(me, "tokens.chosen", "chosen")
    with st.popover("More tokenizers", key="tokens.more"), st.container(width=440):
        by_model(me, "tokens.by_model")
        open_one(me, "tokens")
links.say_faults()


def change_text(me: Visitor, ask: WorkbenchRequest, view: str) -> None:
    """Do what was asked for. A sample takes the place of the visitor's own text, which is kept for the way back."""
    if ask.text or ask.what == "typed":
        me.type(clean(ask.text), view)
    example = next((one for one in examples() if ask.what == "example" and one.title == ask.name), None)
    if example:
        me.lend(example.text)
    elif ask.what == "clear":
        me.lend("")
    elif ask.what == "back":
        me.back()
    elif ask.what == "specials":
        me.specials = next((reading for reading in READINGS if reading == ask.name), me.specials)
    elif ask.what == "model" and (not ask.name or ask.name in models()):
        me.model = ask.name


def block(shown: Shown, text: str, reading: Reading) -> Block:
    """One tokenizer's block; where its split pattern cannot cut the text, that is said and the bytes stand alone."""
    try:
        encoding = encoded(shown.tokenizer, text, reading)
    except PatternError as error:
        data = text.encode()
        alone = Encoding(data, np.full(len(data), SPLIT, np.int32), shown.tokenizer.alphabet)
        return Block(shown.key, shown.name, shown.series, alone, None, str(error))
    said = badge(shown.tokenizer, text, reading) if text else None
    refused = first_refused(shown.tokenizer, text) if reading == "refuse" else None
    return Block(shown.key, shown.name, shown.series, encoding, said, refused=refused)


kept = kept_in_session(WORKBENCH)
if not kept:
    kept.update(view=secrets.token_hex(8), stamp=0, text=None, shown=None)
ask = workbench_request(widget_value(WORKBENCH))
if ask:
    change_text(me, ask, kept["view"])

# The browser has what it typed last, or else what it was given last. Only another text is news to it. What is kept
# changes in one go, at the end: a run can be broken off for the next one anywhere before.
typed = me.typed_in(kept["view"])
news = me.text != (kept["text"] if typed is None else typed)
reading, model = me.specials, me.model
shown_now = (*((shown.key, shown.name) for shown in chosen), reading, model)
if news or (ask and ask.what == "typed") or kept["shown"] != shown_now:
    stamp, text = kept["stamp"] + news, me.text
    if news:
        me.type(text, "")
    here = beginning(text)
    blocks = [block(shown, here, reading) for shown in chosen]
    counted = [
        (shown.tokenizer, None if drawn.error else encoded(shown.tokenizer, here, reading))
        for shown, drawn in zip(chosen, blocks, strict=True)
    ]
    data = workbench_data(
        here,
        blocks,
        view=kept["view"],
        stamp=stamp,
        opening=text == sample(OPENS_WITH).text and not me.own_texts,
        server=SERVER,
        examples=examples(),
        example=next((one.title for one in examples() if one.text == text), None),
        back=len(me.own_texts),
        specials=reading,
        numbers=numbers(here, counted, model, allowed_special(reading)),
        length=None if here is text else len(text),
        link=links.begun(text, chosen),
        opened=links.opened(chosen),
    )
    kept.update(stamp=stamp, text=text if news else kept["text"], shown=shown_now, data=data)
workbench(kept["data"], key=WORKBENCH)

# These stand below the workbench, which stays as it is when they run again.
with st.expander("From ids to text", key="tokens.ids", on_change="rerun") as ids:
    if ids.open:
        from_ids(me)
with st.expander("A conversation in tokens", key="tokens.chat", on_change="rerun") as conversation:
    if conversation.open:
        chat(me)
