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
from tests.test_pipeline import BYTE_LEVEL, DEEPSEEK, split_at
from tokviz import train
from tokviz.base.errors import InputError
from tokviz.catalog.samples import sample
from tokviz.formats import dump, load
from tokviz.split.normalizing import Normalizer, Step

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
    texts = [text for text in texts if made.normalizer.normalize_str(text)]  # their search for an empty text panics
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


@given(st.randoms(use_true_random=False))
def test_files_with_normalizers_give_the_ids_of_tokenizers(choose: random.Random) -> None:
    assert_the_same_ids(choose)


@pytest.mark.long
def test_twenty_thousand_normalizers_and_pipelines_are_as_in_tokenizers() -> None:
    choose = random.Random(34)
    for _ in range(20_000):
        assert_changed_alike(choose, text_of(choose))
        assert_the_same_ids(choose)
