"""Write numbers and tokens as people read them, in a sentence or in a cell of a table."""

from __future__ import annotations

NONE = "–"  # shown if there is no figure


def count_of(n: int, what: str) -> str:
    """A count and its noun, which is in the plural unless n is 1.

    >>> count_of(1, "byte"), count_of(2_000, "byte"), count_of(0, "token")
    ('1 byte', '2,000 bytes', '0 tokens')
    """
    return f"{n:,} {plural(n, what)}"


def plural(n: int, what: str) -> str:
    """The noun alone, in the plural unless n is 1.

    >>> plural(1, "word"), plural(3, "word")
    ('word', 'words')
    """
    return what if n == 1 else f"{what}s"


def times(n: int) -> str:
    """The words for how often something happens.

    >>> times(1), times(2), times(1_000)
    ('once', '2 times', '1,000 times')
    """
    return "once" if n == 1 else f"{n:,} times"


def rate(value: float | None) -> str:
    """A ratio with two decimals; a dash for None, when there is nothing to divide by.

    >>> rate(4 / 3), rate(None)
    ('1.33', '–')
    """
    return NONE if value is None else f"{value:,.2f}"


def percent(share: float) -> str:
    """A share (1 is the whole) as a percentage. A share too small for two decimals is not shown as 0.

    >>> percent(0.125), percent(12.5), percent(0.00001), percent(0)
    ('12.50 %', '1,250.00 %', '< 0.01 %', '0.00 %')
    """
    return "< 0.01 %" if 0 < share < 0.0001 else f"{100 * share:,.2f} %"


def visible(token: bytes) -> str:
    """A token as text with visible white space, or its bytes in hexadecimal if it is not valid UTF-8.

    >>> visible(b" the"), visible(b"\\n\\t"), visible("é".encode()[:1])
    ('·the', '↵→', 'C3')
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return token.hex(" ").upper()
    return text.replace(" ", "·").replace("\n", "↵").replace("\t", "→").replace("\r", "␍")
