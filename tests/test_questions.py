"""Questions for a class: what is on offer, that every wrong pair is false, and that nothing tells the answer early."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests import naive
from tests.strategies import Setting, settings_of_training
from tokviz.base.errors import InputError, SettingError
from tokviz.catalog.samples import sample
from tokviz.offline.data import payload
from tokviz.teach.questions import (
    OPTION_LIMIT,
    STRIP_LENGTH,
    TITLE_LIMIT,
    WHOLE_LIMIT,
    Question,
    from_json,
    own_question,
    prediction,
    to_json,
)
from tokviz.tokenizer.encoding import OPEN


@given(settings_of_training(max_merges=12), st.integers(0, 11))
def test_a_prediction_is_that_of_a_naive_recount(setting: Setting, k: int) -> None:
    training, records = setting.train(), setting.naive[0]
    if k >= len(records) or len(setting.naive_candidates(k)) < 2:
        return
    question = prediction(training, k)
    vocab, true = setting.vocab, naive.pair_counts(setting.naive[2][k])
    counts = {(vocab[left], vocab[right]): count for (left, right), count in true.items()}
    left, right, count, *_ = records[k]
    assert 2 <= len(question.options) <= 4 and question.right is not None
    assert question.options[question.right].tokens == (vocab[left], vocab[right])
    for i, option in enumerate(question.options):
        assert option.count == counts.get(option.tokens, 0)  # type: ignore[call-overload]
        assert bool(option.wrong) == (i != question.right)
    assert f"{count:,}" in str(question.why) or f"'{count}" in str(question.why) or "once" in str(question.why)
    strip = question.strip
    assert strip is not None
    assert all(strip.data[start:end] == vocab[left] + vocab[right] for start, end in question.places)
    if len(setting.data) <= WHOLE_LIMIT:
        assert len(question.places) == records[k][3]
    back = from_json(json.loads(json.dumps(to_json(question))))
    assert (back.as_asked(), back.as_told(), back.strip) == (question.as_asked(), question.as_told(), strip)
    assert payload(back.strip) == payload(strip)  # type: ignore[arg-type]


def test_what_is_asked_does_not_depend_on_what_merges_later() -> None:
    """Two trainings that differ only from this step on ask with the same strip; their answers differ."""
    text = "the cat in the hat sat on the mat. the cat and the hat."
    first, lowest = (tokviz.train(text, 280, pattern="none", tie=tie) for tie in ("first", "lowest"))
    step = next(k for k, (one, other) in enumerate(zip(first.merges, lowest.merges, strict=True)) if one != other)
    asked = [prediction(training, step) for training in (first, lowest)]
    one, other = ({**question.as_asked(), "strip": payload(question.strip)} for question in asked)  # type: ignore[arg-type]
    assert one["strip"] == other["strip"]
    assert {str(option["tokens"]) for option in one["options"]} & {str(option["tokens"]) for option in other["options"]}
    assert asked[0].options[asked[0].right or 0].tokens != asked[1].options[asked[1].right or 0].tokens
    strip = asked[0].strip
    assert strip is not None and not ((strip.seams >= step) & (strip.seams < OPEN)).any()


def test_a_long_corpus_is_shown_where_the_pairs_are() -> None:
    training = tokviz.train(sample("story").text, 400)
    for step in range(0, 140, 20):
        strip = prediction(training, step).strip
        assert strip is not None and STRIP_LENGTH <= len(strip.data) < STRIP_LENGTH + 40
    counts = tokviz.train(tokviz.count_chunks("ab cd ab cd"), 258)
    assert prediction(counts, 0).strip is None


def test_the_right_place_says_nothing_about_the_answer() -> None:
    training = tokviz.train(sample("tongue").text, 288)
    rights = [prediction(training, step).right for step in range(32)]
    assert {*rights} == {0, 1, 2, 3}


@pytest.mark.parametrize("step", [-1, 2, 3])
def test_a_step_without_two_pairs_is_refused(step: int) -> None:
    with pytest.raises(SettingError):
        prediction(tokviz.train("abc", 258), step)


@pytest.mark.parametrize(
    ("title", "options", "right", "error", "said"),
    [
        ("", ["a", "b"], None, InputError, "The question is empty"),
        ("x" * (TITLE_LIMIT + 1), ["a", "b"], None, InputError, "301 characters"),
        ("?", ["a", " \n "], None, InputError, "Answer B is empty"),
        ("?", ["a", "x" * (OPTION_LIMIT + 1)], None, InputError, "Answer B has 121 characters"),
        ("?", ["a b", "a  b"], None, InputError, "the same"),
        ("?", ["a"], None, SettingError, "1 option"),
        ("?", [*"abcdefg"], 0, SettingError, "7 options"),
        ("?", ["a", "b"], 2, SettingError, "no option 3"),
        ("?", ["a", "b"], -1, SettingError, "no option 0"),
    ],
)
def test_a_question_of_ones_own_is_checked(
    title: str, options: Sequence[str], right: int | None, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        own_question(title, options, right)


def test_hostile_texts_stay_texts() -> None:
    question: Question = own_question("<img src=x>\ud800 ‮", ["<b>", "नमस्ते 👍🏽"], right=1)
    assert question.title == "<img src=x>\ufffd ‮"
    assert from_json(json.loads(json.dumps(to_json(question)))).as_told() == question.as_told()
