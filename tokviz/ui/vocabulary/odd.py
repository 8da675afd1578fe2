"""Odd tokens of one vocabulary: candidates for tokens that models hardly ever see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from tokviz.base.blocks import Button, Cell, Chip, Group, Line, Merge, Quiet, Table
from tokviz.base.errors import TokvizError
from tokviz.base.sentences import Strong
from tokviz.base.wording import capital, count_of, merge_number, printable, times, visible
from tokviz.tokenizer.ids import ordinary_ids
from tokviz.ui.frame import tables
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.say import plain, say
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.frame.widgets import bind
from tokviz.ui.kit.blocks import Press
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.shown import show
from tokviz.ui.vocabulary.odd_kinds import WHY, kinds_of, odd_of, odd_table, residues_of, unreachable_of, unused_of
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState
from tokviz.ui.vocabulary.use import CountedUse, choose_text, counted_use, shown_of
from tokviz.vocabulary.odd import KINDS, OddKind

ROWS = 3  # tokens on a card
FORMS = 4  # tokens in a row of duplicates
SHARES = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5)  # that a residue may keep
IN_A_TEXT = ("unused", "residues")  # the kinds that depend on a text


def odd(me: Visitor) -> None:
    """Draw the part."""
    shown = shown_of(me)
    _choose(me, shown)
    with st.spinner("The text of each token is encoded."):
        said = counted_use(me, shown)
        kinds = [kind for kind in kinds_of(shown.tokenizer) if kind != "pairs"]
        if said.fault:
            say(said.fault)
            kinds = [kind for kind in kinds if kind not in IN_A_TEXT]
        cards = [_card(me, shown, said, kind) for kind in kinds]
    state = me.state(VocabularyState)
    lists: dict[str, tuple[str, str]] = {kind: (shown.key, kind) for kind in KINDS}
    st.caption("These are candidates. Only the weights of a model could show that it does not know a token.")
    show(
        Group(cards, across=3, framed=True),
        key="vocabulary.odd",
        leads=True,
        on_press=lambda press: follow(state, lists, press),
    )
    _tables(me, shown)


def _choose(me: Visitor, shown: ShownTokenizer) -> None:
    """Draw what use is counted in, and the limits of a residue."""
    use, limits = st.columns([5, 7])
    with use:
        choose_text(me, shown)
    if not shown.tokenizer.has_merges:
        return
    limit = limits.expander("What counts as mostly absorbed", key="vocabulary.odd.limits")
    with limit:
        bound_field("Times made, at least", "vocabulary.residue_made", "residue_made", VocabularyState, least=1)
        st.selectbox(
            "Share that remains, at most",
            SHARES,
            format_func=_in_hundred,
            **bind("vocabulary.residue_share", "residue_share", VocabularyState),
        )


def follow(state: VocabularyState, lists: Mapping[str, tuple[str, str]], press: Press) -> None:
    """Go where a press on a card leads: to the list of its tokens, and there to the card of one.

    lists: key of a card -> the key of the tokenizer, and that of the set of tokens.
    """
    of, odd = lists[press.name]
    state.show(of, ListChoice(odd=odd, token=press.value))


def _card(me: Visitor, shown: ShownTokenizer, said: CountedUse, kind: OddKind) -> Group:
    make = {
        "unused": _unused,
        "residues": _residues,
        "unreachable": _unreachable,
        "incomplete": _incomplete,
        "longest": _longest,
        "duplicates": _duplicates,
    }[kind]
    try:
        title, words, tokens = make(me, shown, said)
    except TokvizError as fault:  # such as a split pattern of one's own that does not cover the text of a token
        return card(kind, f"It is not known which tokens are {KINDS[kind].title}", str(fault), [])
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
    ids, n = unused_of(me, shown), len(ordinary_ids(shown.tokenizer))
    title = f"{len(ids):,} of {count_of(n, 'token')} {_is(len(ids))} never used in {said.name}"
    if not shown.tokenizer.has_merges:
        words = "They are nowhere in it."
    else:
        words = "They are made nowhere in it, not even on the way to a longer token. Those learned first stand first."
    return title, words, _rows_by_birth(shown, ids)


def _residues(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    found, state = residues_of(me, shown), me.state(VocabularyState)
    title = f"{count_of(len(found), 'token')} {_is(len(found))} mostly absorbed in {said.name}"
    words = (
        f"Such tokens are made {times(state.residue_made)} or more, and at most {_in_hundred(state.residue_share)} of "
        "these remain: longer tokens took the others. A model seldom sees these residues (arXiv 2602.04706)."
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
            f"{pairs.given_back:,} of {count_of(pairs.count, 'pair')} that make a text come back when it is encoded. "
            "Hardly any text has those that mix scripts (arXiv 2410.23684)."
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
        "Long tokens are often traces of one source that repeats itself. A model that did not read it never saw them."
    )
    return title, words, [token_row(shown, id, count_of(n, "byte")) for id, n in zip(ids[:ROWS], sizes, strict=False)]


def _duplicates(me: Visitor, shown: ShownTokenizer, said: CountedUse) -> _Content:
    vocab, groups = shown.tokenizer.vocab, odd_of(me, shown).duplicates
    n = sum(map(len, groups))
    title = f"{count_of(n, 'token')} differ from others only in case or spaces"
    words = f"They form {count_of(len(groups), 'group')}. A model may know the rare forms less than the common one."
    if not shown.tokenizer.has_merges and any(len({vocab[id] for id in group}) < len(group) for group in groups):
        title = f"{count_of(n, 'token')} are equal to others, or differ from them only in case or spaces"
        words += " Tokens of the same bytes may stand at the start of a word and inside it."
    rows = [(group[0], [Chip(vocab[id]) for id in group[:FORMS]], f"{len(group):,} forms") for group in groups[:ROWS]]
    return title, words, rows


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _in_hundred(share: float) -> str:
    """A share without decimals: all in `SHARES` are whole."""
    return f"{100 * share:.0f}\u00a0%"


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


def _tables(me: Visitor, shown: ShownTokenizer) -> None:
    """Draw a table of all tokens of a kind, to save."""
    kinds = kinds_of(shown.tokenizer)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.selectbox(
            "All of a kind, as a table",
            kinds,
            format_func=lambda kind: capital(KINDS[kind].title),
            key="vocabulary.odd.kind",
            width=360,
        )
        key = "vocabulary.odd.csv"
        tables.csv_button("Save CSV", lambda: odd_table(me, shown, kind), f"odd-{kind}", key)
    definition = KINDS[kind]
    source = f" Source: {definition.source}." if definition.source else ""
    st.caption(plain(definition.definition + source))
