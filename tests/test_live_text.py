"""A text that is edited: its seams, kept by patches, are those of the whole text encoded afresh."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from string import ascii_letters

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokviz
from tests.oracles import witness
from tokviz.base.errors import InputError, SpecialTokenError
from tokviz.base.text import clean
from tokviz.split.specials import READINGS, Reading, Specials, allowed_special, first_special
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
        ids = [encoding.ids.tolist() for _, encoding in text.standing().shown if encoding is not None]
        assert ids == [tokenizer.encode_ordinary(whole) for tokenizer in tokenizers]


def test_random_edits_leave_the_seams_of_the_whole_text() -> None:
    for seed in range(12):
        fuzz(random.Random(seed), list(TOKENIZERS), 40)


@pytest.mark.long
def test_many_random_edits_leave_the_seams_of_the_whole_text() -> None:
    for seed in range(400):
        fuzz(random.Random(1_000 + seed), list(TOKENIZERS), 150)


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


@pytest.mark.parametrize("name", SPECIAL)
@example([(0, 0, "\n\n\udf89"), (0, 0, "")])  # half of a character before which no chunk ends
@example([(0, 0, "s\nthe end"), (100, 0, "x")])  # a special token across the beginning of a line
@given(edits())
def test_special_tokens_stand_where_a_fresh_encoding_has_them(name: str, edits: list[tuple[int, int, str]]) -> None:
    tokenizer = SPECIAL[name]
    text, refusing = LiveText([tokenizer], "special"), LiveText([tokenizer], "refuse")
    mirror, units = Mirror([tokenizer]), b""
    for place, length, insert in edits:
        size = len(units) // 2
        start = place * size // 100
        stop = min(size, start + length)
        (change,) = text.patch(start, stop, insert)
        mirror.hear(0, change)
        units, whole = patched(units, start, stop, insert)
        expected = tokenizer.explain(whole, allowed_special="all")
        assert mirror.seams[0].tolist() == expected.seams.tolist()
        assert mirror.whole[0] == expected.whole
        ((_, standing),) = text.standing().shown
        assert standing == expected

        (refused,) = refusing.patch(start, stop, insert)
        assert refused.whole == {}
        assert refusing.sides[0].encoding.seams.tolist() == tokenizer.explain(whole).seams.tolist()
        assert refused.refused == first_special(whole, tokenizer.special_tokens)
        if refused.refused is None:
            tokenizer.encode(whole)
        else:
            with pytest.raises(SpecialTokenError) as fault:
                tokenizer.encode(whole)
            assert (fault.value.token, fault.value.offset) == refused.refused


@given(edits(), st.sampled_from(["gpt2", "cl100k_base", "o200k_base"]))
def test_special_tokens_have_the_ids_of_tiktoken(edits: list[tuple[int, int, str]], name: str) -> None:
    tokenizer, judge = TOKENIZERS[name], witness(name)
    text = LiveText([tokenizer], "special")
    for place, length, insert in edits:
        start = place * len(text) // 100
        text.patch(start, min(len(text), start + length), insert)
    ((_, encoding),) = text.standing().shown
    assert encoding is not None
    assert encoding.ids.tolist() == judge.encode(text.text, allowed_special="all")


def test_a_special_token_of_another_id_is_told_even_where_its_first_byte_was_not_edited() -> None:
    tokenizer = with_specials("gpt2", "<a>", "<b>")
    text, mirror = LiveText([tokenizer], "special"), Mirror([tokenizer])
    mirror.hear(0, text.patch(0, 0, "one <a> two")[0])
    assert mirror.whole == [{4: 1000}]
    mirror.hear(0, text.patch(5, 6, "b")[0])
    assert mirror.whole == [{4: 1001}]


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


@pytest.mark.parametrize("pattern", ["gpt2", CUSTOM])
@pytest.mark.parametrize("reading", READINGS)
@example([(0, 0, "abcd"), (0, 0, "xy")])  # the token behind the edit has the same bytes and seams, but another id
@given(edits())
def test_tokens_that_no_merge_made_are_told_with_every_change(
    pattern: str, reading: Reading, edits: list[tuple[int, int, str]]
) -> None:
    tokenizer = Pieces("pieces", [], pattern=pattern, special_tokens={"<|endoftext|>": 2**30, "the": 2**30 + 1})
    text, mirror = LiveText([tokenizer], reading), Mirror([tokenizer])
    for place, length, insert in edits:
        start = place * len(text) // 100
        (change,) = text.patch(start, min(len(text), start + length), insert)
        mirror.hear(0, change)
        expected = tokenizer.explain(text.text, allowed_special(reading))
        assert mirror.seams[0].tolist() == expected.seams.tolist()
        assert mirror.whole[0] == expected.whole
        assert text.standing().shown == [(tokenizer, expected)]
        assert set(change.special_ids) == tokenizer.special_ids.intersection(change.whole.values())
        assert change.refused == (first_special(text.text, tokenizer.special_tokens) if reading == "refuse" else None)


def test_a_pattern_that_cannot_cut_a_text_that_both_have_is_said() -> None:
    tokenizer = tokviz.train("one two", 258, pattern=r"\w+| ").tokenizer
    text = LiveText([tokenizer])
    text.start_with("one-two")
    assert text.standing().shown == [(tokenizer, None)]
    assert len(text.sides[0].encoding.seams) == 7
    assert text.patch(3, 4, " ")[0].error is None


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
