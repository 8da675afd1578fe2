"""Normalizers change a text as `tokenizers` does, and all that is made of the changed text says where it comes from."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, normalizers

from tests.formats_cases import hard_texts, theirs
from tests.test_live_text import check_edits, edits
from tests.test_pipeline import BYTE_LEVEL, DEEPSEEK, split_at
from tokviz import Tokenizer, compare, same, train
from tokviz.base.errors import FormatError, InputError, SpecialTokenError, TokvizError
from tokviz.catalog.samples import sample
from tokviz.comparison.comparison import compare_in_pieces
from tokviz.comparison.export import probes, prove
from tokviz.formats import WRITTEN, dump, load
from tokviz.split.normalizing import Normalizer, Step
from tokviz.tokenizer.encoding import OPEN, SPLIT, WHOLE
from tokviz.tokenizer.live_text import LiveText
from tokviz.vocabulary.texts import unreachable

TRAINED = train(sample("story").text + " the    ca\u0301t " * 9, 400).tokenizer
CHARACTERS = (
    "aAbEı é1.\t\n\u3000\x1c\u0301\u0316\u0323\u0327ﬁ①İΣς각\u1100\u1161\u11a8▁Ａ"
    "\u1abf\u09c7\u09be\u0958\u212bẞ𝅗𝅥😀\u200d"
)
EXPRESSIONS = (" {2,}", "a+", "[a-c]b", r"\s+", r"\p{N}{1,3}", "é|e")
NEW = ("", "▁", " ", "xyz", "\u0301")
MADE = {
    "lowercase": lambda step: normalizers.Lowercase(),
    "strip left": lambda step: normalizers.Strip(left=True, right=False),
    "strip right": lambda step: normalizers.Strip(left=False, right=True),
    "prepend": lambda step: normalizers.Prepend(step.by),
    "replace": lambda step: normalizers.Replace(step.what, step.by),
    "match": lambda step: normalizers.Replace(Regex(step.what), step.by),
    **{form: lambda step: getattr(normalizers, step.kind)() for form in ("NFC", "NFD", "NFKC", "NFKD")},
}


def step_of(choose: random.Random) -> Step:
    kind: Any = choose.choice([*MADE])
    if kind == "prepend":
        return Step(kind, by=choose.choice(NEW[1:]))
    if kind == "replace":
        return Step(kind, choose.choice([" ", "a", "▁", "ab", "e\u0301"]), choose.choice(NEW))
    return Step(kind, choose.choice(EXPRESSIONS), choose.choice(NEW)) if kind == "match" else Step(kind)


def text_of(choose: random.Random) -> str:
    return "".join(choose.choices([*CHARACTERS, "ab", "  ", "<a>", "<b>", " <é>"], k=choose.randint(0, 12)))


def assert_changed_alike(choose: random.Random, text: str) -> None:
    steps = tuple(step_of(choose) for _ in range(choose.randint(1, 4)))
    expected = normalizers.Sequence([MADE[step.kind](step) for step in steps]).normalize_str(text)
    try:
        found, typed = Normalizer(steps).changed(text)
    except InputError:
        assert len(expected.encode()) > 16 * len(text.encode())
        return
    assert found == expected == Normalizer(steps).changed(text, aligned=False)[0], steps
    if typed is None:
        assert found == text
        return
    assert len(typed) == len(found.encode()) and (np.diff(typed) >= 0).all()
    assert not len(typed) or 0 <= typed[0] <= typed[-1] <= len(text.encode())


@pytest.mark.longer
@given(st.randoms(use_true_random=False), st.text(CHARACTERS, max_size=10) | st.sampled_from(hard_texts(300)))
def test_every_normalizer_changes_a_text_as_tokenizers_does(choose: random.Random, text: str) -> None:
    assert_changed_alike(choose, text)


SPLITS = [
    [BYTE_LEVEL | {"use_regex": True}],
    [BYTE_LEVEL],
    [BYTE_LEVEL | {"use_regex": True, "add_prefix_space": True}],
    [split_at("Regex", r"\s+(?!\S)|\s+", "MergedWithNext"), BYTE_LEVEL],
    [*(split_at("Regex", expression) for expression in DEEPSEEK), BYTE_LEVEL],
    [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL | {"use_regex": True}],
]


def file_of(choose: random.Random) -> dict[str, bytes]:
    """A tokenizer.json with a normalizer, a pipeline, and special and added tokens of both kinds of search."""
    fields = json.loads(dump(TRAINED, "hf")["tokenizer.json"])
    made = theirs({"tokenizer.json": json.dumps(fields).encode()})
    steps = [step_of(choose) for _ in range(choose.randint(0, 3))]
    made.normalizer = normalizers.Sequence([MADE[step.kind](step) for step in steps])
    fields["normalizer"] = json.loads(made.to_str())["normalizer"]
    fields["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": choose.choice(SPLITS)}
    plain = {"single_word": False, "lstrip": False, "rstrip": False}
    texts = choose.sample(["<a>", "<b>", " <é>", "a<", "\u0301", "ﬁ", "ab!", "   ", "<a><b>"], choose.randint(0, 4))
    # their search for an empty text panics, and of two that are written alike it takes one by chance
    texts = [
        *{made.normalizer.normalize_str(text): text for text in texts if made.normalizer.normalize_str(text)}.values()
    ]
    fields["added_tokens"] = [
        {
            "id": 400 + number,
            "content": text,
            **plain,
            "normalized": choose.random() < 0.5,
            "special": choose.random() < 0.5,
        }
        for number, text in enumerate(texts)
    ]
    return {"tokenizer.json": json.dumps(fields).encode()}


def assert_the_same_ids(choose: random.Random) -> None:
    files = file_of(choose)
    tok, judge = load(files), theirs(files)
    for text in (text_of(choose), text_of(choose)):
        for reading in ("all", ()):
            judge.encode_special_tokens = reading == ()
            try:
                ids = tok.encode(text, reading, ())
            except InputError:
                continue
            assert ids == judge.encode(text).ids, (files, text, reading)
            found = tok.explain(text, reading)
            assert found.ids.tolist() == ids
            laid = found.over(text.encode())
            assert laid.data == text.encode() and sorted([*laid.ids[laid.ids >= 0].tolist(), *laid.bare]) == sorted(ids)


@pytest.mark.longer
@given(st.randoms(use_true_random=False))
def test_files_with_normalizers_give_the_ids_of_tokenizers(choose: random.Random) -> None:
    assert_the_same_ids(choose)


# -- what is made of a changed text --

QWEN = TRAINED.with_normalizer(Normalizer((Step("NFC"),)))
LLAMA = TRAINED.with_special_tokens({"<s>": 900}).with_normalizer(
    Normalizer((Step("prepend", by=" "), Step("replace", "\u2581", " ")), taken_off=1)
)
CLAUDE = TRAINED.with_normalizer(Normalizer((Step("strip left"), Step("NFKC"), Step("lowercase")), space="each"))
ALL = (QWEN, LLAMA, CLAUDE)


def test_an_encoding_has_the_changed_text_and_says_where_it_comes_from() -> None:
    found = QWEN.explain("cafe\u0301 e")
    assert (found.data.decode(), QWEN.decode(found.ids)) == ("café e", "café e")
    assert found.typed is not None and found.typed.tolist() == [0, 1, 2, 3, 3, 6, 7]
    assert found.changes("cafe\u0301 e".encode()) == [(3, "e\u0301".encode(), "é".encode())]
    assert QWEN.explain("café e").typed is None and QWEN.explain("café e") == TRAINED.explain("café e")
    assert LLAMA.decode(LLAMA.encode("the cat")) == "the cat"
    assert LLAMA.explain("the\u2581cat").data == b" the cat"
    assert (CLAUDE.explain("  ﬁ  A").data, CLAUDE.explain(" \t").data) == (b" fi  a", b"")


@given(st.sampled_from(ALL), st.text(CHARACTERS + "<>s", max_size=16), st.integers(1, 12), st.integers(0, 12))
def test_each_way_to_encode_gives_the_same(tok: Tokenizer, text: str, size: int, start: int) -> None:
    found = tok.explain(text, "all")
    assert found.ids.tolist() == tok.encode(text, "all")
    plain = tok.explain(text)
    assert tok.encode_array(text).tolist() == tok.encode_ordinary(text) == plain.ids.tolist()
    pieces = [*tok.explain_in_pieces(text, size, start)]
    if pieces:
        first = pieces[0].start
        assert b"".join(piece.data for piece in pieces) == plain.data[first:]
        assert [id for piece in pieces for id in piece.ids.tolist()] == plain.part(first, len(plain.data)).ids.tolist()
        if plain.typed is not None:
            assert np.concatenate([piece.typed for piece in pieces]).tolist() == plain.typed[first:].tolist()
    assert tok.decode(plain.ids) == plain.data.decode().removeprefix(" " if tok is LLAMA else "")


@given(st.text(CHARACTERS, min_size=1, max_size=16))
def test_tokens_are_laid_over_the_typed_text_with_a_reason_at_each_boundary(text: str) -> None:
    compared = compare(text, [TRAINED, *ALL])
    (pieces,) = compare_in_pieces(text, [TRAINED, *ALL], 1_000)
    for one, other, tok in zip(compared.encodings, pieces.encodings, compared.tokenizers, strict=True):
        assert one.data == text.encode() and one == other
        made = one.seams.copy()
        assert made[0] == SPLIT and ((made >= 0) | (made == WHOLE)).all()
        assert sorted([*one.ids[one.ids >= 0].tolist(), *one.bare]) == sorted(tok.encode(text))
    for a in range(4):
        for b in range(4):
            counted = {kind: places.tolist() for kind, places in compared.reason_places(a, b).items()} if a != b else {}
            cuts = (compared.encodings[b].seams >= OPEN) & (compared.encodings[a].seams < OPEN)
            for at in np.flatnonzero(cuts).tolist() if a != b else ():
                kinds = {reason.kind for reason in compared.reasons(at, a, b)}
                assert kinds == {kind for kind, places in counted.items() if at in places} != set()


@given(st.sampled_from(ALL), edits())
def test_live_text_is_the_text_encoded_afresh(tok: Tokenizer, edits: list[tuple[int, int, str]]) -> None:
    check_edits(tok, "special", edits, "e\u0301", "ﬁ", " ", "A", "<s>", "the", "\u2581")


def test_a_text_may_not_grow_without_end() -> None:
    grows = TRAINED.with_normalizer(Normalizer((Step("replace", "a", "a" * 1_000),) * 3))
    with pytest.raises(InputError, match=r"more than 17,000 bytes of this text, and 16 times as many"):
        grows.encode("a" * 1_000)
    live = LiveText([grows])
    (change,) = live.patch(0, 0, "b" + "a" * 1_000)
    assert change.error is not None and (change.seams == SPLIT).all() and len(change.seams) == 1_001


@pytest.mark.parametrize("tok", ALL, ids=["Qwen", "Llama", "Claude"])
def test_files_keep_a_normalizer_or_refuse_it(tok: Tokenizer) -> None:
    (data,) = dump(tok, "tokviz").values()
    assert json.loads(data)["version"] == 3
    again = load({"x.json": data})
    assert (again.normalizer, again.merges, again.special_tokens) == (tok.normalizer, tok.merges, tok.special_tokens)
    for format in {*WRITTEN} - {"tokviz", "hf"}:
        with pytest.raises(
            FormatError, match=r"has a normalizer, which changes a text .*Choose one of .*: tokviz, hf\."
        ):
            dump(tok, format)


def test_the_export_to_hugging_face_is_proven() -> None:
    files = dump(CLAUDE, "hf")
    assert load(files).normalizer == CLAUDE.normalizer
    texts = ["  ﬁ  A", "e\u0301", *probes(CLAUDE, "", generated=200)]
    assert prove(CLAUDE, "hf", files, texts).equal


@pytest.mark.parametrize(
    ("normalizer", "says"),
    [
        (Normalizer((Step("match", "(a"),)), "does not compile"),
        (Normalizer((Step("match", "a*"),)), "may match nothing"),
        (Normalizer((Step("replace"),)), "replaces an empty text"),
        (Normalizer((Step("prepend", by="a" * 1_001),)), "at most 1,000"),
        (Normalizer((Step("NFC"),) * 51), "51 steps"),
        (Normalizer((Step("nfc"),)), "no step"),  # type: ignore[arg-type]
        (Normalizer(after=frozenset(["<s>"])), "no special or added token"),
        ("NFC", "The normalizer is 'NFC'"),
    ],
)
def test_what_is_no_normalizer_is_named(normalizer: Any, says: str) -> None:
    with pytest.raises(TokvizError, match=says):
        TRAINED.with_normalizer(normalizer)


def test_two_tokenizers_that_differ_in_their_normalizers_are_not_the_same() -> None:
    assert same(QWEN, QWEN.renamed("copy")).equal
    assert "Both have the same normalizer: NFC." in same(QWEN, QWEN.renamed("copy")).certificate
    for other in (TRAINED, LLAMA, CLAUDE):
        found = same(QWEN, other).difference
        assert found and found.text and found.kind == "normalizer"


def test_a_refused_special_token_is_found_where_it_is_cut_out() -> None:
    tok = TRAINED.with_special_tokens({"<A>": 900}).with_normalizer(
        Normalizer((Step("lowercase"),), frozenset(["<A>"]))
    )
    assert tok.encode("<a> <A>", "all").count(900) == 2
    with pytest.raises(SpecialTokenError, match="special token '<a>' at byte 0"):
        tok.encode("<a>")


@pytest.mark.parametrize("after", [frozenset(), frozenset(["<a>"])])
def test_a_special_token_that_is_not_cut_out_beside_a_word_is_not_refused_there(after: frozenset[str]) -> None:
    normalizer = Normalizer(after=after, alone=frozenset(["<a>"]))
    tok = TRAINED.with_special_tokens({"<a>": 900}).with_normalizer(normalizer)
    assert tok.encode("x<a>y") == TRAINED.encode("x<a>y") == tok.encode("x<a>y", "all")
    with pytest.raises(SpecialTokenError, match="special token '<a>' at byte 6"):
        tok.encode("x<a>y <a> z")


def test_a_token_that_a_normalizer_changes_is_unreachable() -> None:
    decomposed = train("e\u0301 " * 9, 259, pattern="none").tokenizer
    found = {one.id: one.why for one in unreachable(decomposed.with_normalizer(Normalizer((Step("NFC"),))))}
    assert "normalizer" in found.values() and "normalizer" not in {one.why for one in unreachable(decomposed)}


def test_many_marks_on_one_character_are_refused() -> None:
    tok = Tokenizer("x", []).with_normalizer(Normalizer((Step("NFC"),)))
    with pytest.raises(InputError, match="has 500 marks in a row"):
        tok.explain("a" + "\u0300\u0316" * 250)
