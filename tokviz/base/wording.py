"""Writes numbers and tokens as people read them, in a sentence, in a chart or in a cell of a table.

A figure is rounded here and nowhere else, so it reads the same everywhere.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from tokviz.base.text import whole_text

NONE = "–"  # shown if there is no figure
NAME_LENGTH = 80  # characters of a name that a person gave, on a page
LITERAL_BYTES = 40  # of a token in a line of several
MARKS = 4  # on one letter of a name; more would be drawn over the lines above it
_LONE_BYTES = re.compile("[\udc80-\udcff]+")  # how surrogateescape writes bytes that are not UTF-8
_JOINERS = "\u200c\u200d"  # inside words of some scripts, and inside emoji


def count_of(n: int, what: str) -> str:
    """Write a count and its noun, which is in the plural unless n is 1.

    >>> count_of(1, "byte"), count_of(2_000, "byte"), count_of(0, "token")
    ('1 byte', '2,000 bytes', '0 tokens')
    """
    return f"{n:,} {plural(n, what)}"


def plural(n: int, what: str) -> str:
    """Write the noun alone, in the plural unless n is 1.

    >>> plural(1, "word"), plural(3, "word")
    ('word', 'words')
    """
    return what if n == 1 else f"{what}s"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Write names as a list in a sentence. last: the word before the last of them.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed([])
    ('a', 'a, b and c', '')
    """
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def meant(name: object, names: Mapping[str, str] | Iterable[str]) -> str:
    """Ask whether another name was meant; "" if none is like this one.

    names: those that there are, and what to say in place of each, if that is not the name itself.

    >>> meant("GPT4", ["gpt2", "gpt-4", "gpt-4o"]), meant("gtp2", ["gpt2"]), meant("poem", ["gpt2"])
    ('Did you mean gpt-4?', 'Did you mean gpt2?', '')
    """
    found = dict.fromkeys(names[one] if isinstance(names, Mapping) else one for one in alike(name, names))
    return f"Did you mean {listed([*found], 'or')}?" if found else ""


def alike(name: object, names: Iterable[str]) -> list[str]:
    """Find the names that are most like this one, at most three; only one if that differs in no letter or digit.

    >>> alike("token", ["tokens", "train"]), alike("GPT4", ["gpt-4", "gpt-4o"])
    (['tokens'], ['gpt-4'])
    """
    spelled = {_letters(one): one for one in [*names][::-1]}  # the first of those that differ in no letter
    letters = _letters(name) if isinstance(name, str) else ""
    near = [letters] if letters in spelled else difflib.get_close_matches(letters, spelled, n=3, cutoff=0.7)
    return [spelled[one] for one in near]


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def vocabulary_size(tokens: int, special: int = 0, added: int = 0) -> str:
    """Say how large a vocabulary is: its tokens, then those that are cut out of a text first, if it has any.

    >>> vocabulary_size(199_998, 2), vocabulary_size(1_024), vocabulary_size(32_000, 3, 1)
    ('199,998 tokens, 2 special', '1,024 tokens', '32,000 tokens, 3 special, 1 added')
    """
    cut_first = [f"{n:,} {kind}" for n, kind in ((special, "special"), (added, "added")) if n]
    return ", ".join([count_of(tokens, "token"), *cut_first])


def merge_number(rank: int, of: int | None = None) -> str:
    """Name a merge for readers, who count from 1, as `mergeNumber` of `words.js` does. of: how many there are.

    >>> merge_number(101_574, 199_742), merge_number(0)
    ('merge 101,575 of 199,742', 'merge 1')
    """
    return f"merge {rank + 1:,}" + ("" if of is None else f" of {of:,}")


def capital(words: str) -> str:
    """Write words as the beginning of a sentence or a title.

    >>> capital("without merge 4"), capital("")
    ('Without merge 4', '')
    """
    return words[:1].upper() + words[1:]


def free_name(name: str, taken: Container[str]) -> str:
    """Return the name, with a number behind it if it is taken.

    >>> free_name("story", []), free_name("story", ["story", "story (2)"])
    ('story', 'story (3)')
    """
    free, n = name, 2
    while free in taken:
        free, n = f"{name} ({n})", n + 1
    return free


def tidy_name(name: str) -> str:
    """Make a name that a person gave fit for a sentence on a page: on one line, not longer than NAME_LENGTH, without
    characters that reverse the words behind it, and with few marks on a letter. "no name" if no file could have it.

    >>> tidy_name("\u202eexe.\u202c\\n mine "), tidy_name("/.."), len(tidy_name("x" * 1_000))
    ('exe. mine', 'no name', 80)
    """
    seen, marks = [], 0
    for character in name[: 50 * NAME_LENGTH]:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks <= MARKS and (character.isprintable() or character.isspace() or character in _JOINERS):
            seen.append(character)
    line = " ".join("".join(seen).split())
    if not line.strip(' ./\\:*?"<>|'):
        return "no name"
    return line if len(line) <= NAME_LENGTH else f"{line[: NAME_LENGTH - 1].rstrip()}…"


def times(n: int) -> str:
    """Say how often something happens.

    >>> times(1), times(2), times(1_000)
    ('once', '2 times', '1,000 times')
    """
    return "once" if n == 1 else f"{n:,} times"


def rounded(value: float, decimals: int) -> str:
    """Round a number to these decimals. All figures are rounded here, and in `rounded` of `words.js` in the same way.

    A half is rounded up. The shortest decimal that denotes the float decides what a half is, as in browsers.

    >>> rounded(33 / 8, 2), rounded(2.675, 2), rounded(1234.5, 0)
    ('4.13', '2.68', '1,235')
    """
    figure = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{figure if figure else abs(figure):,f}"  # zero has no sign


def rate(value: float | None) -> str:
    """Write a ratio with two decimals; a dash for None, when there is nothing to divide by.

    >>> rate(4 / 3), rate(None)
    ('1.33', '–')
    """
    return NONE if value is None else rounded(value, 2)


def factor(value: float) -> str:
    """Say how many times as much something is, with one decimal, or with none from 100 on.

    >>> f"{factor(7.26)} times as much", f"{factor(1500)} times as much"
    ('7.3 times as much', '1,500 times as much')
    """
    return rounded(value, 1 if value < 99.95 else 0)


def percent(share: float) -> str:
    """Write a share (1 is the whole) as a percentage with one decimal, or with two below 1 %.

    Only nothing is 0 %, and only all of it is 100 %.

    >>> [percent(share).replace("\u00a0", " ") for share in (2 / 9, 0.00125, 0.00001, 0.9999, 1, 0)]
    ['22.2 %', '0.13 %', 'less than 0.01 %', 'more than 99.9 %', '100 %', '0 %']
    """
    in_hundred = 100 * share
    if in_hundred in (0, 100):
        words = f"{in_hundred:.0f}"
    elif 0 < in_hundred < 0.005:
        words = "less than 0.01"
    elif 99.95 <= in_hundred < 100:
        words = "more than 99.9"
    else:
        words = rounded(in_hundred, 2 if in_hundred < 0.995 else 1)
    return f"{words}\u00a0%"


def visible(token: bytes) -> str:
    """Write a token as text with visible white space, or its bytes in hexadecimal if it is not valid UTF-8.

    >>> visible(b" the"), visible(b"\\n\\t"), visible("é".encode()[:1])
    ('·the', '↵→', 'C3')
    """
    text = whole_text(token)
    if text is None:
        return token.hex(" ").upper()
    return text.replace(" ", "·").replace("\n", "↵").replace("\t", "→").replace("\r", "␍")


def literal(token: bytes) -> str:
    """Write a token as a Python literal, for a table: of a string, or of bytes if it is not valid UTF-8.

    >>> print(literal(b" the"), literal(b"\\n"), literal(b"\\xc3"))
    ' the' '\\n' b'\\xc3'
    """
    text = whole_text(token)
    return repr(token if text is None else text)


def counted(tokens: Sequence[bytes], n: int, what: str) -> str:
    """Say how many things there are, and list the tokens of the first of them, in a line.

    >>> counted([b" the", b"\\xc3"], 9, "token"), counted([], 0, "token")
    ("9 tokens: ' the', b'\\\\xc3', …", '0 tokens')
    """
    first = [literal(token[:LITERAL_BYTES]) for token in tokens] + ["…"] * (n > len(tokens))
    return f"{count_of(n, what)}: {', '.join(first)}" if first else count_of(n, what)


def printable(text: str, keep: str = "") -> str:
    r"""Write a text with a visible form of every character that a terminal could obey, or not show.

    keep: characters that stay as they are. Bytes that are not UTF-8, which `surrogateescape` decodes, become their
    hexadecimal digits.

    >>> print(printable("a\x1b[31m\n\u202e" + b"\xf0\x9f".decode("utf-8", "surrogateescape")))
    a␛[31m␊⟨U+202E⟩⟨F0 9F⟩
    """
    if text.isprintable():
        return text
    text = _LONE_BYTES.sub(lambda found: f"⟨{found[0].encode('utf-8', 'surrogateescape').hex(' ').upper()}⟩", text)
    return "".join(c if c.isprintable() or c in keep else _symbol(c) for c in text)


def _symbol(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # the Unicode block of pictures for control characters
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def drawn_token(token: bytes) -> str:
    """Write a token as it is drawn between others. Only its line ends, with a sign before each, and spaces remain.

    >>> drawn_token(b"a\\t\\x1b\\r\\n"), drawn_token(b" \\xf0\\x9f"), drawn_token("ि".encode())
    ('a→␛␍↵\\n', ' ⟨F0 9F⟩', '◌ि')
    """
    text = token.decode("utf-8", "surrogateescape").replace("\t", "→").replace("\n", "↵\n")
    if unicodedata.category(text[0]).startswith("M"):  # it would join the token before it
        text = f"◌{text}"
    return printable(text, keep="\n")
