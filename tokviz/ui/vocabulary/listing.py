"""What the token list shows, as data for the browser: a search, its sentence, its bars, and rows of its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tokviz.base.blocks import Table
from tokviz.base.errors import InputError, TokvizError
from tokviz.base.wording import count_of, percent, visible, vocabulary_size
from tokviz.catalog.references import reference_name
from tokviz.ui.frame import tables
from tokviz.ui.frame.tokenizers import ShownTokenizer, reference_table
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.state import ListChoice
from tokviz.ui.vocabulary.token_sets import token_set
from tokviz.ui.vocabulary.use import counted_use
from tokviz.vocabulary.search import Filters, Mask, Places, capped, in_order, passing, search
from tokviz.vocabulary.table import KINDS, LONGEST, NO_LETTERS, NOT_UTF8, TokenTable, token_table
from tokviz.vocabulary.use import Counts

SCRIPTS = 8  # that have a bar of their own
OTHERS = "other scripts"
SEARCH_LIMIT = 500  # characters


@dataclass(eq=False)
class Listing:
    """What was listed last on one connection.

    found: which tokens. places: theirs in the table, in the order of the list. counted_in: the name of what use is
    counted in. fault: why nothing could be counted, or "". odd: what the tokens of the set are to which the list is
    limited, "" without one.
    """

    choice: ListChoice
    table: TokenTable
    counts: Counts
    found: Mask
    places: Places
    counted_in: str
    fault: str
    odd: str


def table_of(me: Visitor, shown: ShownTokenizer) -> TokenTable:
    """The table of a tokenizer's tokens. All visitors share those of the reference tokenizers."""
    tokenizer = shown.tokenizer
    name = reference_name(tokenizer) if shown.own is None else None
    return reference_table(name) if name else me.cache.get(("tokens", tokenizer), lambda: token_table(tokenizer))


def listing(me: Visitor, shown: ShownTokenizer, choice: ListChoice) -> Listing:
    """List what the visitor chose. Raises InputError if the search cannot be read."""
    if len(choice.search) > SEARCH_LIMIT:
        raise InputError(f"A search can have {SEARCH_LIMIT:,} characters.", "Shorten it.")
    table, use = table_of(me, shown), counted_use(me, shown)
    counts: Counts = me.cache.get(("counts", shown.tokenizer, use.use), lambda: table.use(use.use))
    chosen = token_set(me, shown, choice.odd)
    filters = Filters(
        kind=choice.kind or None,
        length=choice.length or None,
        scripts=scripts_named(table, choice.script) if choice.script else None,
        use=choice.use,
        ids=chosen.ids if chosen else None,
    )
    found = search(table, choice.search, choice.by, passing(table, filters, counts))
    return Listing(
        replace(choice, token=None),
        table,
        counts,
        found,
        in_order(table, found, counts, choice.sort, choice.down),
        counted_in=use.name,
        fault=str(use.fault or ""),
        odd=chosen.title if chosen else "",
    )


def scripts_with_bars(table: TokenTable) -> list[str]:
    """The scripts that have a bar: those of most tokens, then what is no text, then all others."""
    common = [name for name in table.script_names if name != NOT_UTF8][:SCRIPTS]
    bars = common + [NOT_UTF8] * (NOT_UTF8 in table.script_names)
    return bars + [OTHERS] * (len(bars) < len(table.script_names))


def scripts_named(table: TokenTable, bar: str) -> list[str]:
    """The scripts that a bar, or the list of all scripts, calls so."""
    return [name for name in table.script_names if name not in scripts_with_bars(table)] if bar == OTHERS else [bar]


def told(shown: ShownTokenizer, listed: Listing, token: int | None) -> dict[str, Any]:
    """The answer to a search: how many tokens it found, in a sentence, the bars, and where the pinned token is.

    token: the id of the pinned one, None for none.
    """
    table, found = listed.table, listed.found
    place = None if token is None else table.place_of(token)
    at = np.flatnonzero(listed.places == (-1 if place is None else place))
    bars = scripts_with_bars(table)
    return {
        "listed": len(listed.places),
        "at": int(at[0]) if len(at) else None,
        "said": sentence(listed),
        "most": int(listed.counts[listed.places].max(initial=0)),
        "lengths": _by_length(table, found),
        "scripts": _by_script(table, found, bars),
        "odd": listed.odd,
        "none": _nothing(shown, listed) if not len(listed.places) else None,
        "fault": listed.fault,
    }


def frame(table: TokenTable) -> dict[str, Any]:
    """What does not change with the search: all tokens by length, script and kind, and what is to be seen in that."""
    everything, bars = np.ones(len(table), np.bool_), scripts_with_bars(table)
    lengths, scripts = _by_length(table, everything), _by_script(table, everything, bars)
    return {
        "lengths": lengths,
        "length_title": f"Of all tokens, {length_finding(lengths)}",
        "scripts": [{"name": name, "n": n} for name, n in zip(bars, scripts, strict=True)],
        "script_title": f"Of all tokens, {script_finding(table)}",
        "all_scripts": list(table.script_names),
        "kinds": [kind for number, kind in enumerate(KINDS) if (table.kinds == number).any()],
    }


def rows(listed: Listing, start: int, count: int) -> dict[str, Any]:
    """Some rows of the list, as columns."""
    places = listed.places[start : start + count]
    table = listed.table
    return {
        "ids": table.ids[places].tolist(),
        "ranks": table.ranks[places].tolist(),
        "uses": listed.counts[places].tolist(),
        "special": [KINDS[kind] == "special" for kind in table.kinds[places].tolist()],
        "tokens": [table.token(place).hex() for place in places.tolist()],
    }


def as_csv(listed: Listing) -> str:
    """All that is listed as CSV. A token is written as pages name it, and in hexadecimal."""
    table, places = listed.table, listed.places
    tokens = [table.token(place) for place in places.tolist()]
    columns = {
        "id": table.ids[places].tolist(),
        "rank": [None if rank < 0 else rank for rank in table.ranks[places].tolist()],
        "token": [visible(token) for token in tokens],
        "bytes": [token.hex(" ").upper() for token in tokens],
        "length": table.lengths[places].tolist(),
        "kind": [KINDS[kind] for kind in table.kinds[places].tolist()],
        "script": [table.script_names[script] for script in table.scripts[places].tolist()],
        f"use in {listed.counted_in}": listed.counts[places].tolist(),
    }
    return tables.as_csv(Table([*columns], [*zip(*columns.values(), strict=True)]))


def sentence(listed: Listing) -> tuple[str, str]:
    """What is listed, in a sentence of two parts: how many tokens, and what they have in common."""
    choice, n, table = listed.choice, len(listed.places), listed.table
    special = int(np.count_nonzero(table.kinds == KINDS.index("special")))
    one = n == 1
    common = []
    if choice.search:
        hold, match = ("holds", "matches") if one else ("hold", "match")
        common.append(
            {
                "text": f"{hold} “{choice.search}” in any case",
                "bytes": f"{hold} these bytes",
                "id": "has one of these ids" if one else "have one of these ids",
                "pattern": f"{match} the pattern",
            }[choice.by]
        )
    if choice.kind or choice.length or choice.script or choice.use != "any":
        common.append("passes the filters" if one else "pass the filters")
    if listed.odd:
        common.append(f"{'is' if one else 'are'} {listed.odd}")
    if not common:
        return vocabulary_size(len(table) - special, special), ""
    return f"{n:,} of {len(table) - special:,} tokens", " and ".join(common)


def length_finding(lengths: Sequence[int]) -> str:
    """What the bars by length show: the length of most tokens.

    >>> length_finding([256, 0, 900, 800, 10])
    '3 bytes is the most common length'
    """
    return f"{count_of(int(np.argmax(lengths)) + 1, 'byte')} is the most common length"


def script_finding(table: TokenTable) -> str:
    """What the tokens by script show: the share of the script of most of them."""
    name = table.script_names[0]
    share = percent(np.count_nonzero(table.scripts == 0) / max(1, len(table)))
    return f"{share} have no letters" if name == NO_LETTERS else f"{share} are {name}"


def _by_length(table: TokenTable, found: Any) -> list[int]:
    return list(np.bincount(capped(table.lengths[found]), minlength=LONGEST + 1)[1:].tolist())


def _by_script(table: TokenTable, found: Any, bars: Sequence[str]) -> list[int]:
    often = np.bincount(table.scripts[found], minlength=len(table.script_names))
    counts = dict(zip(table.script_names, often.tolist(), strict=True))
    named = [counts[bar] for bar in bars if bar != OTHERS]
    return named + [int(often.sum()) - sum(named)] * (OTHERS in bars)


def _nothing(shown: ShownTokenizer, listed: Listing) -> dict[str, Any]:
    """What to say if nothing is listed. After a search for a text alone: its tokens too, in hexadecimal."""
    choice = listed.choice
    tokens: list[str] = []
    if choice.search and choice == ListChoice(search=choice.search, sort=choice.sort, down=choice.down):
        with suppress(TokvizError):
            encoding = shown.tokenizer.explain(choice.search)
            spans = pairwise([0, *encoding.ends.tolist()])
            tokens = [
                encoding.data[start:end].hex() for start, end in spans if encoding.whole.get(start, 0) is not None
            ]
    if not tokens:
        searched = {"bytes": "holds these bytes", "id": "has one of these ids", "pattern": "matches the pattern"}
        said = searched.get(choice.by, f"holds “{choice.search}”") if choice.search else ""
        if replace(choice, search="", by="text", sort="id", down=False) != ListChoice():
            said = f"{said} and passes the filters" if said else "passes the filters"
            said = f"{said}. Remove a filter"
        return {"said": f"No token {said}.", "tokens": []}
    said = (
        f"No token holds “{choice.search}”. The search looks for letters, not meanings: paste an emoji itself, or "
        f"choose a Kind. As a text, this is {count_of(len(tokens), 'token')}:"
    )
    return {"said": said, "tokens": tokens}
