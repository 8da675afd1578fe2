"""Odd tokens of one vocabulary: candidates for tokens that models hardly ever see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from tokviz.base.blocks import Button, Cell, Chip, Group, Line, Merge, Quiet, Table
from tokviz.base.errors import TokvizError
from tokviz.base.sentences import Strong
from tokviz.base.wording import count_of, merge_number, printable, times, visible
from tokviz.tokenizer.ids import ordinary_ids
from tokviz.ui.frame.say import say
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.shown import show
from tokviz.ui.vocabulary.odd_kinds import odd_ids, odd_of, residues_of, unreachable_of
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.ui.vocabulary.use import CountedUse, choose_text, counted_use, shown_of
from tokviz.vocabulary.odd import LEAST_MADE, MOST_SHARE, TITLES, OddKind

ROWS = 3  # tokens on a card
FORMS = 4  # tokens in a row of duplicates
WITHOUT_MERGES: tuple[OddKind, ...] = ("unused", "longest", "duplicates")  # the kinds that a peer can have
IN_A_TEXT = ("unused", "residues")  # those that depend on a text
WHY = {
    "split": "the split pattern cuts it",
    "merges": "the merges make others",
    "added": "an added token hides it",
    "normalizer": "a normalizer changes it",
}


def odd(me: Visitor) -> None:
    """Draw the part."""
    shown = shown_of(me)
    choose_text(me, shown)
    with st.spinner("The text of each token is encoded."):
        said = counted_use(me, shown)
        if said.fault:
            say(said.fault)
        there = tuple(TITLES) if shown.tokenizer.has_merges else WITHOUT_MERGES
        kinds = [kind for kind in there if not (said.fault and kind in IN_A_TEXT)]
        cards = [_card(me, shown, said, kind) for kind in kinds]
    state = me.state(VocabularyState)
    lists: dict[str, tuple[str, str]] = {kind: (shown.key, kind) for kind in kinds}
    st.caption("These are candidates. Only the weights of a model could show that it does not know a token.")
    show(
        Group(cards, across=3, framed=True),
        key="vocabulary.odd",
        leads=True,
        on_press=lambda press: follow(state, lists, press),
    )


def follow(state: VocabularyState, lists: Mapping[str, tuple[str, str]], press: Press) -> None:
    """Go where a press on a card leads: to the list of its tokens, and there to the card of one.

    lists: key of a card -> the key of the tokenizer, and that of the set of tokens.
    """
    of, odd = lists[press.name]
    state.show(of, ListChoice(odd=odd, token=press.value))


def _card(me: Visitor, shown: ShownTokenizer, said: CountedUse, kind: OddKind) -> Group:
    try:
        title, words, tokens = _CARDS[kind](me, shown, said)
    except TokvizError as fault:  # such as a split pattern of one's own that does not cover the text of a token
        return card(kind, f"It is not known which tokens are {TITLES[kind]}", str(fault), [])
    none = "None. A longer text may have some." if kind == "residues" else ""
    return card(kind, title, words, tokens, none)


Row = tuple[int, Cell, Cell]  # the id of a token, what is drawn of it, and the words behind that
_Content = tuple[str, str, Sequence[Row]]


def card(key: str, title: str, words: str, rows: Sequence[Row], none: str = "", level: int = 2) -> Group:
    """Some tokens of a kind, which lead to their cards, and a button to all. none: the words if there are none."""
    tokens = Table([], [[Button(key, id, drawn), told] for id, drawn, told in rows], title)
    parts = [tokens, Button(key, None, "Show all", f"Show all: {title}")] if rows else [Line([none], "quiet")]
    said = [Line([words], "quiet")] if words else []
    return Group([Line([title], "title", level), *said, *parts], across=1)


def _unused(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    if not said.n_bytes:
        return f"No token is used in {said.name}", "It is empty. Choose another one, or type a text on Tokens.", []
    ids, n = odd_ids("unused", me, shown), len(ordinary_ids(shown.tokenizer))
    title = f"{len(ids):,} of {count_of(n, 'token')} {_is(len(ids))} never used in {said.name}"
    if not shown.tokenizer.has_merges:
        words = "They are nowhere in it."
    else:
        words = "They are made nowhere in it, not even on the way to a longer token. Those learned first come first."
    return title, words, _rows_by_birth(shown, ids)


def _residues(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    found = residues_of(me, shown)
    title = f"{count_of(len(found), 'token')} {_is(len(found))} mostly absorbed in {said.name}"
    words = (
        f"Such a token is made {times(LEAST_MADE)} or more, and remains in at most {100 * MOST_SHARE:.0f}\u00a0% of "
        "these places: elsewhere longer tokens absorbed it. A model seldom sees these residues (arXiv 2602.04706)."
    )
    rows = [
        token_row(shown, one.id, Quiet(f"{one.made:,} made,"), Strong(f"{one.remain:,} remain")) for one in found[:ROWS]
    ]
    return title, words, rows


def _unreachable(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    found = unreachable_of(me, shown)
    if not found:
        return "No token with a text of its own is unreachable", "Encoding the text of each gives the token again.", []
    title = f"{count_of(len(found), 'token')} {_is(len(found))} unreachable"
    words = (
        "Encoding the text of such a token gives others: the split pattern cuts it, or the merges join it differently."
    )
    return title, words, [token_row(shown, one.id, WHY[one.why]) for one in found[:ROWS]]


def _incomplete(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    vocab, ids = shown.tokenizer.vocab, odd_of(me, shown).incomplete
    title = f"{count_of(len(ids), 'token')} {_is(len(ids))} incomplete UTF-8"
    alone = sum(len(vocab[id]) == 1 for id in ids)
    among = "all are single bytes" if alone == len(ids) else f"{count_of(alone, 'single byte')} among them"
    words = f"They begin or end inside a character; {among}. "
    try:
        pairs = odd_of(me, shown).pairs
    except TokvizError as fault:
        return title, f"{words}It is not known which pairs of them come back: {fault}", _rows_by_birth(shown, ids)
    if pairs.given_back is None:
        words += f"{count_of(pairs.count, 'pair')} of them make a text."
    else:
        words += (
            f"Of {count_of(pairs.count, 'pair')} that make a text, {pairs.given_back:,} come back when that text is "
            "encoded. Pairs that mix scripts occur in hardly any text (arXiv 2410.23684)."
        )
    rows = [
        (left, Merge(vocab[left], vocab[right], made=False), printable(visible(vocab[left] + vocab[right])))
        for left, right in pairs.varied(ROWS)
    ]
    return title, words, rows or _rows_by_birth(shown, ids)


def _longest(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    vocab, ids = shown.tokenizer.vocab, odd_of(me, shown).longest
    sizes = [len(vocab[id]) for id in ids]
    title = f"The longest token has {count_of(sizes[0], 'byte')}" if ids else "There are no tokens"
    words = (
        "Long tokens are often traces of one source that repeats itself. A model that was not trained on that source "
        "never saw them."
    )
    return title, words, [token_row(shown, id, count_of(n, "byte")) for id, n in zip(ids[:ROWS], sizes, strict=False)]


def _duplicates(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    vocab, groups = shown.tokenizer.vocab, odd_of(me, shown).duplicates
    n = sum(map(len, groups))
    title = f"{count_of(n, 'token')} differ from others only in case or spaces"
    words = f"They form {count_of(len(groups), 'group')}. A model may know the rare forms less than the common one."
    if not shown.tokenizer.has_merges and any(len({vocab[id] for id in group}) < len(group) for group in groups):
        title = f"{count_of(n, 'token')} are equal to others, or differ from them only in case or spaces"
        words += " Two tokens can have the same bytes: one begins words, the other is inside them."
    rows = [(group[0], [Chip(vocab[id]) for id in group[:FORMS]], f"{len(group):,} forms") for group in groups[:ROWS]]
    return title, words, rows


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def token_row(shown: ShownTokenizer, id: int, *words: Cell) -> Row:
    """The row of a token on a card."""
    return id, Chip(shown.tokenizer.vocab[id]), words


def _rows_by_birth(shown: ShownTokenizer, ids: Sequence[int]) -> list[Row]:
    return [token_row(shown, id, _born(shown, id)) for id in ids[:ROWS]]


def _born(shown: ShownTokenizer, id: int) -> str:
    """Which merge makes a token."""
    merge_ids = shown.tokenizer.merge_ids
    rank = (merge_ids == id).argmax() if len(merge_ids) else 0
    if len(merge_ids) and merge_ids[rank] == id:
        return merge_number(int(rank))
    return f"id {id:,}"


_CARDS: Mapping[OddKind, Callable[[Visitor, ShownTokenizer, CountedUse], _Content]] = {
    "unused": _unused,
    "residues": _residues,
    "unreachable": _unreachable,
    "incomplete": _incomplete,
    "longest": _longest,
    "duplicates": _duplicates,
}
