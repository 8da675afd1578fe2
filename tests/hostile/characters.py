"""Hostile texts for whoever draws characters, measures them or compares them."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterator

from tests.hostile.families import THERE, family


@family
def directions() -> Iterator[str]:
    """Characters that turn the direction of a text, alone, left open, closed twice, and deep."""
    for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)):
        yield f"a{chr(code)}b<c>"
    yield from (
        "\u202e" * 100 + "a", "\u2067" * 130 + "a" + "\u2069" * 130, "\u2069\u202c" * 20 + "a",
        "user\u202e // end\u2066// x\u2069", "abc אבג def", "شبكة عصبية.txt", "(א) [ב] {ג}",
        "א\u202da\u202cב 123 ابج 456", "<b>שלום</b>", "\u200fא" * 40, "مرحبا" * 30,
    )  # fmt: skip


@family
def unseen() -> Iterator[str]:
    """Characters without a width, and all sorts of white space."""
    unseen = "\u00ad\u034f\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u2060\u2061\u2064\u206a"
    yield from (
        f"a{one}b" for one in unseen + "\u206f\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\ufffc\U000e0001\U000e0041\U000e0100"
    )
    spaces = "\t\v\f \x85\u00a0\u1680\u2000\u2003\u2007\u2009\u200a\u2028\u2029\u202f\u205f\u2800\u3000"
    yield from (f"{one}a{one * 3}b" for one in spaces)
    yield from ("", " ", "   ", "\u200b", "\ufeff", "\u3164", "\n", "\t", "a\u200b" * 100, " " * 500, "\u00a0" * 200)


@family
def controls() -> Iterator[str]:
    """Each control character, what a terminal does with some of them, and noncharacters."""
    for code in (*range(0x20), *range(0x7F, 0xA0)):
        yield f"x{chr(code)}y"
    yield from (
        "\x1b[31mred\x1b[0m", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]8;;" + THERE + "\x1b\\a\x1b]8;;\x1b\\",
        "\x1b[6n", "\x1bc", "\x9b31m", "\x1b]52;c;YQ==\x07", "\x1bP+q\x1b\\", "\x08\x08\x08a", "a\rb", "a\r\nb",
        "a\n\rb", "\x07" * 9, "\x0e\x0f", "^[[A",
    )  # fmt: skip
    for code in (
        0xFDD0,
        0xFDEF,
        0xFFFE,
        0xFFFF,
        0x1FFFE,
        0x10FFFF,
        0xE000,
        0xF8FF,
        0xF0000,
        0x10FFFD,
        0x0378,
        0x2FE0,
        0xFFFD,
    ):
        yield f"a{chr(code)}b"


@family
def halves() -> Iterator[str]:
    """Halves of a character, as JavaScript can hold them. They become U+FFFD in Python."""
    yield from (
        "\ud800", "\udfff", "a\ud83db", "\udc4d\ud83d", "\ud83d\ud83d\udc4d", "\udc4d\udc4d", "<b>\ud800</b>",
        "\udb40x\udc00",
    )  # fmt: skip


@family
def stacks() -> Iterator[str]:
    """Marks on marks."""
    marks = [chr(code) for code in range(0x300, 0x370)]
    rng = random.Random(1)
    for height in (1, 5, 30, 300):
        yield "".join(letter + "".join(rng.choices(marks, k=height)) for letter in "zal")
    yield from (
        "\u0301", "\u0301\u0301a", " \u0338 \u20e0", "a\u20dd\u20de\u20e3", "\u0e01" + "\u0e49" * 60,
        "\u0ba8\u0bc0" * 20,
    )  # fmt: skip
    yield from (
        "क" + "\u094d\u0937" * 30, "\u0f40" + "\u0fb5" * 40, "ཧཱུྃ" * 20, "ک\u0670\u0651" * 20, "\u1100" * 40,
        "각\u11a8\u11a8",
    )  # fmt: skip


@family
def clusters() -> Iterator[str]:
    """Emoji of many parts, and other characters that are wide, tall or many code points."""
    people = "\u200d".join("👨👩👧👦")
    yield from (
        people, people * 10, "\u200d".join("👩" * 100), "👍🏽", "🏽🏽🏽", "🏳️\u200d🌈", "🇳🇵", "🇳", "🇳🇵🇳", "🇦" * 51, "1️⃣",
        "#️⃣", "☺︎☺️", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "🏴" + "\U000e0061" * 60,
        "\u200d\u200d", "👩\u200d", "\ufe0f" * 20, "👩🏽\u200d❤️\u200d💋\u200d👨🏿", "﷽" * 5, "𒐫𒈙⸻꧅", "꧁꧂", "ﷺ", "㍿",
        "𝕳𝖊𝖑𝖑𝖔", "ℌ𝔢𝔩𝔩𝔬", "Ⓗⓔⓛⓛⓞ", "uʍop", "🄷", "𓀐𓂸", "ஔௌ", "ဩြော်",
    )  # fmt: skip


@family
def equals() -> Iterator[str]:
    """Characters that another form, case or look makes equal to others."""
    for text in (
        "é",
        "Å",
        "ﬁ",
        "ſ",
        "ß",
        "İ",
        "ı",
        "K",
        "Ω",
        "ΐ",
        "각",
        "②",
        "Ⅳ",
        "ｱ",
        "ﾞ",
        "½",
        "ǆ",
        "ŉ",
        "ﷺ",
        "ﬃ",
        "ς",
        "\u212b",
        "\u0344",
    ):
        forms = dict.fromkeys(unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC", "NFKD"))
        yield from dict.fromkeys((text, *forms, text.upper(), text.casefold()))
    yield from ("раураl", "аdmin", "Ꭰ", "l1I|", "0OО", "rn m", "\u0391\u0410A", "ⅼ", "e\u0301e\u0301", "Straße STRASSE")


@family
def long_words() -> Iterator[str]:
    """Words in which no line can break, and scripts without spaces."""
    yield from (
        "x" * 1_000, "漢" * 400, "สวัสดี" * 60, "ក្រុង" * 60, "မြန်မာ" * 60, "नमस्ते" * 80, "Donaudampfschifffahrt" * 20,
        "_" * 400, "-" * 400, "a/" * 200, "a\u00a0" * 200, "W" * 300, "ﷲ" * 200, "0" * 500, "👍" * 300, "a.b" * 150,
        "\u2060a" * 200, "iiii" * 200, "AVAVAV" * 60,
    )  # fmt: skip


@family
def soup() -> Iterator[str]:
    """Anything of Unicode, drawn by lot."""
    rng = random.Random(17)
    planes = ((0x20, 0x7F), (0x80, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x20000), (0xE0000, 0xE01F0))
    for _ in range(60):
        yield "".join(chr(rng.randrange(*rng.choice(planes))) for _ in range(rng.randint(1, 40)))
