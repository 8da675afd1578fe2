"""A text that is edited: its seams, kept by patches, are those of the whole text encoded afresh."""

from __future__ import annotations

import random
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from string import ascii_letters

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.base.errors import InputError, SpecialTokenError
from tokviz.base.text import clean
from tokviz.split.specials import READINGS, Reading, Specials, allowed_special
from tokviz.tokenizer.encoding import OPEN, SPLIT, WHOLE, Encoding
from tokviz.tokenizer.live_text import LiveText, SeamChange
from tokviz.tokenizer.tokenizer import Tokenizer

BITS = [
    "a", "the ", " word", "Ab", "\n", "\n\n", " ", "  ", "\t", "/", "!", "!\n", "\r", "\r\n", "//\n/", "\n/x", " \n ",
    "\n  \n", "की", "é", "🎉", "👩‍👩‍👧", "12345", "'s", "\u3000", "\x1c", "\u2028", "\u0085", "\xa0", "x\u200d", "\0",
    "\ud83d", "\udc4d", "\ud83d\n", "\n\udc4d", "ſ", "日本",
]  # fmt: skip
CUSTOM = r"\w+\n*|[^\w\n]+|\n+"


def trained(pattern: str) -> Tokenizer:
    corpus = "the word\n\n the  word/\n/ 12345 की 🎉\n!\n!\n  x\n\t日本日本 word the" * 3
    return tokviz.train(corpus, 340, pattern=pattern, special_tokens=["<|e|>"], name=pattern).tokenizer


TOKENIZERS = {
    **{name: tokviz.reference(name) for name in ("gpt2", "cl100k_base", "o200k_base")},
    **{f"trained {pattern}": trained(pattern) for pattern in ("gpt2", "cl100k", "o200k", "none")},
    "custom": trained(CUSTOM),
}


class Mirror:
    """What a browser has: it knows only what the changes tell it."""

    def __init__(self, tokenizers: list[Tokenizer]) -> None:
        self.seams = [np.empty(0, np.int32) for _ in tokenizers]
        self.ids: list[dict[int, int]] = [{} for _ in tokenizers]
        self.whole: list[dict[int, int | None]] = [{} for _ in tokenizers]

    def hear(self, i: int, change: SeamChange) -> None:
        start, stop, seams = change.start, change.stop, change.seams
        self.seams[i] = np.concatenate([self.seams[i][:start], seams, self.seams[i][stop:]])
        assert not change.ids.keys() & self.ids[i].keys(), "an id is told once"
        self.ids[i] |= change.ids
        longer = len(seams) - (stop - start)
        kept = {at: id for at, id in self.whole[i].items() if at < start}
        moved = {at + longer: id for at, id in self.whole[i].items() if at >= stop}
        self.whole[i] = kept | moved | change.whole


def edit(chance: random.Random, size: int, bits: list[str] = BITS) -> tuple[int, int, str]:
    start = chance.randint(0, size)
    stop = min(size, start + chance.choice([0, 0, 0, 1, 1, 2, 7, 40]))
    return start, stop, "".join(chance.choices(bits, k=chance.choice([0, 1, 1, 1, 2, 30])))


def patched(units: bytes, start: int, stop: int, insert: str) -> tuple[bytes, str]:
    """The text after an edit, in UTF-16, and as tokenizers see it."""
    units = units[: 2 * start] + insert.encode("utf-16-le", "surrogatepass") + units[2 * stop :]
    return units, clean(units.decode("utf-16-le", "surrogatepass"))


def fuzz(chance: random.Random, names: list[str], edits: int) -> None:
    tokenizers = [TOKENIZERS[name] for name in names]
    text, mirror, units = LiveText(tokenizers), Mirror(tokenizers), b""
    for _ in range(edits):
        start, stop, insert = edit(chance, len(units) // 2)
        changes = text.patch(start, stop, insert)
        units, whole = patched(units, start, stop, insert)
        assert text.text == whole
        for i, (name, tokenizer, change) in enumerate(zip(names, tokenizers, changes, strict=True)):
            expected = tokenizer.explain(whole)
            assert change.error is None and change.whole == {}
            mirror.hear(i, change)
            assert mirror.seams[i].tolist() == expected.seams.tolist(), (name, whole)
            merged = expected.ranks[expected.ranks >= 0].tolist()
            assert [mirror.ids[i][rank] for rank in merged] == [int(tokenizer.merge_ids[rank]) for rank in merged]
        assert [side.encoding.ids.tolist() for side in text.sides] == [
            tokenizer.encode_ordinary(whole) for tokenizer in tokenizers
        ]


@pytest.mark.longer
@settings(max_examples=max(10, settings().max_examples // 3))
@given(st.integers(0, 10**9))
def test_random_edits_leave_the_seams_of_the_whole_text(seed: int) -> None:
    fuzz(random.Random(seed), list(TOKENIZERS), 40)


# -- special tokens --


def with_specials(pattern: str, *specials: str) -> Tokenizer:
    tokenizer = TOKENIZERS[f"trained {pattern}"]
    return tokenizer.with_special_tokens({token: 1_000 + i for i, token in enumerate(specials)})


SPECIAL = {
    "cl100k_base": TOKENIZERS["cl100k_base"],
    "o200k_base": TOKENIZERS["o200k_base"],
    "of one byte": with_specials("o200k", "x", "a", "ab", "<"),
    "in one another": with_specials("gpt2", "<s>", "<s><e>", "s", "><", "🎉"),
    "half a character": with_specials("gpt2", "\ufffd", "🎉"),
    "with a line end": with_specials("cl100k", "\n", "<s>\n", "\n\n<e>", "s\nthe"),
    "of white space": with_specials("gpt2", "  ", " ", "\t/", "/"),
    "of every letter": with_specials("gpt2", *ascii_letters),
    "without chunks": with_specials("none", "<s>", "the"),
}
SPECIAL_BITS = [
    "<|endoftext|>", "<|endofprompt|>", "<|endof", "text|>", "<", "|>", "\n<", "\n\n<|endoftext|>", "\n\n", "\n", " ",
    "  ", "a", "ab", "x", "s", "e>", "<s>", "<e>", "><", "<s><e>", "the", " word", "/", "\t", "!\n", "🎉",
    "\ud83c", "\udf89", "\n  \n", "\r\n", "é",
]  # fmt: skip


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[int, int, str]]:
    """Edits one after the other, as places in hundredths of the text that there is then, so that they can be shrunk."""
    place, length = st.integers(0, 100), st.sampled_from([0, 0, 0, 1, 1, 2, 5, 20])
    insert = st.lists(st.sampled_from(SPECIAL_BITS), max_size=6).map("".join)
    return draw(st.lists(st.tuples(place, length, insert), max_size=12))


def check_edits(tok: Tokenizer, reading: Reading, edits: list[tuple[int, int, str]], *pool: str) -> None:
    """Type the edits, each with one of the pool behind it. The changes alone tell what a fresh encoding has."""
    text, mirror, units = LiveText([tok], reading), Mirror([tok]), b""
    for number, (place, length, insert) in enumerate(edits):
        size = len(units) // 2
        start = place * size // 100
        stop = min(size, start + length)
        insert += pool[number % len(pool)] if pool else ""
        (change,) = text.patch(start, stop, insert)
        mirror.hear(0, change)
        units, whole = patched(units, start, stop, insert)
        expected = tok.explain(whole, allowed_special(reading))
        assert mirror.seams[0].tolist() == expected.seams.tolist()
        assert mirror.whole[0] == expected.whole
        assert text.sides[0].encoding == expected
        assert set(change.special_ids) == tok.special_ids.intersection(change.whole.values())
        assert set(change.added_ids) == tok.added_ids.intersection(change.whole.values())
        assert (change.changed is None) == (expected.typed is None)
        cut = [token for token in tok.explain(whole, "all").tokens() if token.special and reading == "refuse"]
        assert change.refused == ((cut[0].data.decode(), cut[0].start) if cut else None)
        with pytest.raises(SpecialTokenError) if cut else nullcontext() as fault:
            tok.encode(whole, disallowed_special="all" if reading == "refuse" else ())
        assert fault is None or (fault.value.token, fault.value.offset) == change.refused


@pytest.mark.longer
@settings(max_examples=max(250, settings().max_examples))
@example("half a character", "special", [(0, 0, "\n\n\udf89"), (0, 0, "")])  # before which no chunk ends
@example("with a line end", "special", [(0, 0, "s\nthe end"), (100, 0, "x")])  # across the beginning of a line
@example("in one another", "special", [(0, 0, "one <s> two"), (50, 1, "e")])
@given(st.sampled_from([*SPECIAL]), st.sampled_from(READINGS), edits())
def test_special_tokens_stand_where_a_fresh_encoding_has_them(
    name: str, reading: Reading, edits: list[tuple[int, int, str]]
) -> None:
    check_edits(SPECIAL[name], reading, edits)


class Pieces(Tokenizer):
    """Another model: its tokens are two bytes at most, none of them made by a merge. An id says where in its chunk the
    token stands, and no token covers a space."""

    def explain(self, text: str, *specials: Specials) -> Encoding:
        encoding = super().explain(text, *specials)
        seams, whole = encoding.seams.copy(), {**encoding.whole}
        starts = np.append(np.flatnonzero(seams == SPLIT), len(seams)).tolist()
        for start, end in pairwise(starts):
            if start in whole:
                continue
            seams[start + 1 : end] = OPEN
            for at in range(start, end, 2):
                piece = encoding.data[at : min(at + 2, end)]
                seams[at + 1 : min(at + 2, end)] = WHOLE
                whole[at] = None if piece == b" " else at - start << 16 | int.from_bytes(piece, "big")
        return replace(encoding, seams=seams, whole=whole)


@example("gpt2", "text", [(0, 0, "abcd"), (0, 0, "xy")])  # what is behind the edit has the same bytes and another id
@given(st.sampled_from(["gpt2", CUSTOM]), st.sampled_from(READINGS), edits())
def test_tokens_that_no_merge_made_are_told_with_every_change(
    pattern: str, reading: Reading, edits: list[tuple[int, int, str]]
) -> None:
    specials = {"<|endoftext|>": 2**30, "the": 2**30 + 1}
    check_edits(Pieces("pieces", [], pattern=pattern, special_tokens=specials), reading, edits)


def test_a_patch_in_a_long_text_tells_of_its_own_line_at_most() -> None:
    text = LiveText([TOKENIZERS["cl100k_base"]])
    text.patch(0, 0, "One line of the text.\n" * 1_000)
    (change,) = text.patch(11_000, 11_000, "x")
    assert len(change.seams) <= 23


def test_a_pattern_that_cannot_cut_a_text_is_said_and_forgotten_when_it_can() -> None:
    tokenizer = tokviz.train("one two", 258, pattern=r"\w+| ").tokenizer
    text = LiveText([tokenizer])
    (change,) = text.patch(0, 0, "one-two")
    assert change.error is not None and "does not cover" in change.error.what and len(change.seams) == 7
    (change,) = text.patch(3, 4, " ")
    assert change.error is None
    assert text.sides[0].encoding.seams.tolist() == tokenizer.explain("one two").seams.tolist()


@pytest.mark.parametrize("place", [(-1, 0), (3, 2), (0, 9)])
def test_places_that_are_not_there_are_refused(place: tuple[int, int]) -> None:
    text = LiveText([TOKENIZERS["gpt2"]])
    text.patch(0, 0, "abc")
    with pytest.raises(InputError, match="no units"):
        text.patch(*place, "x")
    assert text.text == "abc"


@pytest.mark.right
def test_a_text_may_begin_with_half_a_character() -> None:
    tok = tokviz.reference("gpt2")
    live = LiveText([tok])
    live.start_with("a\ud83c")
    assert live.sides[0].encoding.seams.tolist() == tok.explain("a\ufffd").seams.tolist()
    live.patch(2, 2, "\udf89")
    assert live.text == "a🎉"
