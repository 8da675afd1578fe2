"""A tokenizer from a file knows its corpus by the sums, and gets its whole training back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tokviz
from tokviz.base.errors import FormatError, InputError
from tokviz.corpus import reading
from tokviz.formats.tokviz import dump, loads
from tokviz.training.again import refuse_other_texts, train_again

CAT = tokviz.read_text(b"the cat in the hat<s>sat on the mat. the cat and the hat.", "cat.txt")
HAT = tokviz.read_text(b"a hat", "hat.txt")


def saved(training: tokviz.Training, **changed: Any) -> tokviz.Tokenizer:
    """Through a file and back, with parts of what it tells of its origin changed."""
    model = json.loads(dump(training.tokenizer))
    model["made_from"] |= changed
    return loads(json.dumps(model).encode())


def again(tokenizer: tokviz.Tokenizer, *texts: tokviz.Text) -> tokviz.Training:
    *_, last = train_again(tokenizer, texts)
    assert last.training is not None
    return last.training


def test_the_same_texts_bring_the_training_back() -> None:
    first = tokviz.train([CAT, HAT], 270, special_tokens=["<s>"], tie="lowest", min_count=2, ban=[b"he"])
    tok = saved(first)
    assert [row.name for row in tok.origin.named] == ["cat.txt", "hat.txt"]
    back = again(tok, CAT, HAT)
    assert back.merges == first.merges == tok.history
    assert np.array_equal(back.seams, first.seams)
    assert back.window(5, 20) == first.window(5, 20)
    assert (back.stopped, back.rules) == ("min_count", first.rules)
    assert back.candidates(3) == first.candidates(3)


def test_a_truncated_one_has_its_first_merges_and_its_own_special_ids() -> None:
    first = tokviz.train([CAT], 270, special_tokens=["<s>"])
    back = again(first.tokenizer.truncated(260), CAT)
    assert back.merges == first.merges[:4]
    assert back.tokenizer.special_tokens == first.tokenizer.special_tokens


def test_another_text_is_refused_with_both_sums() -> None:
    tok = saved(tokviz.train([CAT], 260))
    other = tokviz.read_text(CAT.text.replace("cat", "bat").encode(), "cat.txt")
    with pytest.raises(InputError) as refused:
        refuse_other_texts(tok, [other])
    assert CAT.sha256 in str(refused.value) and other.sha256 in str(refused.value)
    with pytest.raises(InputError, match=r"hat\.txt has sha256"):
        train_again(saved(tokviz.train([CAT, HAT], 260)), [HAT, CAT])
    with pytest.raises(InputError, match="trained on 1 text, but you gave 2"):
        train_again(tok, [CAT, HAT])


def test_of_very_many_texts_one_sum_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "TEXTS_NAMED", 1)
    first = tokviz.train([CAT, HAT], 260)
    assert again(saved(first), CAT, HAT).merges == first.merges
    with pytest.raises(InputError, match="2 texts has sha256"):
        train_again(saved(first), [HAT, CAT])


def test_one_that_says_nothing_of_its_texts_takes_none() -> None:
    with pytest.raises(InputError, match="does not say which texts"):
        train_again(tokviz.reference("gpt2"), [CAT])
    with pytest.raises(InputError, match="does not say which texts"):
        train_again(saved(tokviz.train(tokviz.count_chunks("cat"), 258)), [CAT])


@pytest.mark.right
@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (None, "does not tell the settings"),
        ({"tie": None}, "does not tell the settings"),
        ({"vocab_size": 2**40}, "The vocabulary size 1,099,511,627,776 is out of"),
        ({"special_tokens": [""]}, "empty"),
    ],
)
def test_settings_that_are_missing_or_wrong_are_said(settings: Any, says: str) -> None:
    first = tokviz.train([CAT], 260)
    whole = (first.tokenizer.made_from or {})["settings"]
    changed = whole | settings if settings else settings
    with pytest.raises(FormatError, match=says):
        train_again(first.tokenizer._with(made_from={**(first.tokenizer.made_from or {}), "settings": changed}), [CAT])


def test_settings_that_lead_to_other_merges_are_said() -> None:
    first = tokviz.train([CAT], 260)
    settings = (first.tokenizer.made_from or {})["settings"] | {"ban": [b"th".hex(), b"he".hex()]}
    with pytest.raises(FormatError, match="does not give the merges"):
        again(saved(first, settings=settings), CAT)
