"""What use is counted in: the corpus of a training, the text of the Tokens page, a bundled sample, or a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from tokviz.base.errors import TokvizError
from tokviz.base.text import Text, clean
from tokviz.catalog.samples import sample, samples
from tokviz.split.specials import Reading, allowed_special, cut_specials
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.training.train import Training
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand
from tokviz.ui.frame.uploads import repairs, uploader
from tokviz.ui.frame.widgets import bind
from tokviz.ui.server.visitor import FIRST_TEXT, OPENS_WITH, Visitor
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.vocabulary.use import TokenUse, use_in_text, use_in_training

PIECE = 4_000_000  # bytes that are encoded at once, so that a large file needs little memory
SAMPLE = "sample."  # before the key of a sample, in the name of a place


class Place(NamedTuple):
    """What use can be counted in. name: in the middle of a sentence. text: None for a corpus, or without a file."""

    name: str
    text: str | None


@dataclass(frozen=True, eq=False)
class CountedUse:
    """The use of the tokens of a tokenizer, and what it was counted in.

    name: of what it was counted in, in the middle of a sentence. text: None for the corpus of a training. training:
    None for a text. n_bytes: of what was counted. fault: why nothing could be counted; `use` then has only zeros.
    """

    name: str
    use: TokenUse
    text: str | None
    training: Training | None
    n_bytes: int
    fault: TokvizError | None = None


def counted_use(me: Visitor, shown: ShownTokenizer) -> CountedUse:
    """The use of the tokens of a tokenizer in what the visitor chose, from their cache.

    The first call for a file of many megabytes takes seconds. Call it in a page or in a thread of a socket.
    """
    place, training, tokenizer = _chosen(me, shown), own_training(me, shown), shown.tokenizer
    if place.text is None and training:
        use = me.cache.get(("use", training), lambda: use_in_training(training))
        return CountedUse(place.name, use, None, training, use.n_bytes)
    text = place.text or ""
    made = partial(_count, tokenizer, text, me.specials)
    found, fault = me.cache.get(("use", tokenizer, text, me.specials), made)
    return CountedUse(place.name, found, text, None, found.n_bytes, fault)


def stamp(me: Visitor, shown: ShownTokenizer) -> str:
    """What changes when use is counted in something else, without counting it."""
    place = _chosen(me, shown)
    return f"{place.name} {hash(place.text)} {me.specials}"


def shown_of(me: Visitor) -> ShownTokenizer:
    """The tokenizer that the page looks into."""
    return next(shown for shown in at_hand(me) if shown.key == me.state(VocabularyState).of)


def own_training(me: Visitor, shown: ShownTokenizer) -> Training | None:
    """The training of a tokenizer of the visitor's own, if it is here."""
    mine = me.own(shown.key)
    return mine.training if mine else None


def places(me: Visitor, shown: ShownTokenizer) -> dict[str, Place]:
    """What use can be counted in. "" is what is usual, and comes first: the corpus, else the visitor's text.

    The text that a visitor begins with is short, so a story takes its place.
    """
    mine, file = me.own(shown.key), me.state(VocabularyState).use_file
    there = {
        "text": Place("your text", me.text),
        **{SAMPLE + one.key: Place(f"“{one.title}”", one.text) for one in samples()},
        "file": Place(f"“{file.name}”", file.text) if file else Place("a file…", None),
    }
    if mine and mine.training:
        return {"": Place(f"the corpus “{mine.corpus_name}”" if mine.corpus_name else "the corpus", None), **there}
    return {"": there.pop(f"{SAMPLE}story" if is_as_it_began(me) else "text"), **there}


def _chosen(me: Visitor, shown: ShownTokenizer) -> Place:
    """What use is counted in: what is usual as long as no file is here."""
    there, chosen = places(me, shown), me.state(VocabularyState).use_in
    return there[""] if chosen not in there or there[chosen].text is None else there[chosen]


def is_as_it_began(me: Visitor) -> bool:
    """Whether the text is still one that every visitor begins with."""
    return me.text in (FIRST_TEXT, sample(OPENS_WITH).text)


def choose_text(me: Visitor, shown: ShownTokenizer) -> None:
    """Draw the choice of what use is counted in, and the uploader if it is a file."""
    there, state = places(me, shown), me.state(VocabularyState)
    state.use_in = state.use_in if state.use_in in there else ""
    st.selectbox(
        "Use is counted in",
        list(there),
        format_func=lambda place: there[place].name,
        width=440,
        **bind("vocabulary.use", "use_in", VocabularyState),
    )
    upload(me)


def upload(me: Visitor) -> None:
    """Draw the uploader of the page's file and what was uploaded, if use is counted in a file."""
    state = me.state(VocabularyState)
    if state.use_in != "file":
        return
    uploader(state.use_uploads, "A text file in UTF-8", "vocabulary.use", partial(_take, state))
    if state.use_file:
        remarks = filter(None, [state.use_file.name, repairs(state.use_file)])
        st.caption(plain(f"In use: {', '.join(remarks)}."))


def _take(state: VocabularyState, texts: Sequence[Text]) -> None:
    if texts:  # the uploader takes several files; the last is counted
        state.use_file = texts[-1]


def _count(tokenizer: AnyTokenizer, text: str, reading: Reading) -> tuple[TokenUse, TokvizError | None]:
    """The use in a text. If it cannot be encoded, as where the split pattern does not cover it: the error."""
    merges = len(tokenizer.merge_ids)
    try:
        return use_in_text(encodings_of(tokenizer, text, reading), merges), None
    except TokvizError as fault:
        return TokenUse(np.zeros(256 + merges, np.int64), np.zeros(256 + merges, np.int64)), fault.without_frames()


def encodings_of(tokenizer: AnyTokenizer, text: str, reading: Reading) -> Iterator[Encoding]:
    """The text in encoded pieces, special tokens read as the visitor has them read.

    InputError if the text is too long for a peer, which reads it as a whole.
    """
    if not tokenizer.has_merges:
        tokenizer.check_size(text)
    if not tokenizer.has_merges or len(text) < PIECE:
        yield tokenizer.explain(text, allowed_special(reading))
        return
    specials = tokenizer.special_tokens if reading == "special" else {}
    for stretch, is_special in cut_specials(clean(text), specials, tokenizer.added_tokens):
        if is_special:
            yield tokenizer.explain(stretch, "all")
        else:
            yield from tokenizer.explain_in_pieces(stretch, PIECE)
