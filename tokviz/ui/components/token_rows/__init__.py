"""Cards side by side, each with rows of one or two tokens and a few words. A press on a row tells its token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tokviz.ui.components import component, heard

MOST_BYTES = 1_000  # of a token that are sent to the browser

_component = component("token_rows", "token_view/tokens.css", "token_rows/token_rows.css")


class TokenRow(NamedTuple):
    """A row: a token, or several with a plus between them, and words on the right.

    strong: the last of the words, which stand out: "45,023 → " and "376". id: comes back with a press; None if the row
    cannot be pressed. sum: whether there is a plus between tokens. ids: of the tokens, in a row that cannot be pressed:
    each that has one then leads to its biography.
    """

    tokens: Sequence[bytes]
    words: str = ""
    strong: str = ""
    id: int | None = None
    sum: bool = True
    ids: Sequence[int | None] = ()


class RowGroup(NamedTuple):
    """Rows under a heading, which can be empty. none: said where there are no rows."""

    heading: str
    rows: Sequence[TokenRow]
    none: str = ""


class Card(NamedTuple):
    """A card. Cards of one grid should have equally many groups, because these stand in line.

    key: comes back with a press. title: "" for none. words: below the title. button: the label of the button at its
    foot; "" for none. framed: whether it has a border.
    """

    key: str
    title: str
    words: str = ""
    groups: Sequence[RowGroup] = ()
    button: str = ""
    framed: bool = True


class RowPress(NamedTuple):
    """What was pressed: the key of the card, and the id of a row; None for the button of the card."""

    card: str
    id: int | None = None


def token_rows(
    cards: Sequence[Card],
    *,
    key: str,
    across: int = 3,
    level: int = 3,
    called: str = "",
    on_asked_change: Callable[[], None] | None = None,
) -> None:
    """Draw the cards in a grid, at most `across` in a row, and fewer where there is less room.

    level: of the headings: 3 if the cards stand under a heading of level 2, and 2 if they stand under the page's title.
    called: what links call the tokenizer whose tokens have `ids`, from `name_of` in ui/frame/links.py.
    on_asked_change: called after a press; `row_press` reads what was pressed. It may be None if nothing can be pressed.
    """
    _component(
        key=key, data=cards_data(cards, across, level, called), on_asked_change=on_asked_change or (lambda: None)
    )


def row_press(value: Any) -> RowPress | None:
    """What was pressed, from the component's value in the session; None if nothing was.

    >>> row_press({"asked": {"card": "longest", "id": 17}})
    RowPress(card='longest', id=17)
    """
    return heard(value, "asked", RowPress)


def cards_data(cards: Sequence[Card], across: int, level: int = 3, called: str = "") -> dict[str, Any]:
    """What the browser gets, tokens as hex."""
    return {
        "across": across,
        "level": level,
        "called": called,
        "cards": [
            {
                **card._asdict(),
                "groups": [
                    {"heading": group.heading, "none": group.none, "rows": [*map(_drawn, group.rows)]}
                    for group in card.groups
                ],
            }
            for card in cards
        ],
    }


def _drawn(row: TokenRow) -> dict[str, Any]:
    return {**row._asdict(), "tokens": [{"hex": token[:MOST_BYTES].hex(), "bytes": len(token)} for token in row.tokens]}
