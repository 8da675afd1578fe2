"""The kinds of tasks, each over a view of its own: what it takes for right, and its hints."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tokviz.base.blocks import Field, Tokens
from tokviz.base.sentences import plain
from tokviz.offline.data import data_of
from tokviz.teach.lessons import trained
from tokviz.teach.lessons.course import course
from tokviz.teach.lessons.shown import Fact, LessonError, Shown
from tokviz.teach.lessons.tasks import TASKS
from tokviz.teach.lessons.views import VIEWS


def shown(**facts: Fact) -> Shown:
    return Shown(facts, [])


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        ("1,024", "done", "Right. It has 3.50 bytes."),
        (" 1024.0 ", "done", "Right."),
        (1024, "done", "Right."),
        ("2,000", "not yet", "These are bytes."),
        ("1000", "not yet", "1,000 is a little too low. Look twice."),
        ("600", "not yet", "600 is too low. Look twice."),
        ("12", "not yet", "12 is far too low. Look twice."),
        ("1025.5", "not yet", "1,025.5 is a little too high."),
        ("99999", "not yet", "99,999 is far too high."),
        ("-3", "not yet", "-3 is far too low."),
        ("1,02", "not done", "in figures"),
        ("one", "not done", "in figures"),
        ("٣", "not done", "in figures"),
        ("", "not done", "in figures"),
    ],
)
def test_a_number_is_judged_by_how_far_off_it_is(answer: Any, state: str, said: str) -> None:
    task = TASKS["number"](
        shown(tokens=1024, bytes=2000, rate=3.5),
        of="tokens",
        because="It has {rate} bytes.",
        misread={"bytes": "These are bytes."},
        low="Look twice.",
    )
    judged = task.judge(answer)
    assert judged.state == state
    assert said in plain(judged.says)


def test_a_number_that_is_not_whole_needs_two_decimals() -> None:
    task = TASKS["number"](shown(rate=26 / 7), of="rate")
    assert [task.judge(answer).state for answer in ("3.71", "3.7143", "3.7", "4")] == ["done", "done", *["not yet"] * 2]


@pytest.mark.right
def test_after_the_pair_was_chosen_nothing_says_that_the_next_merge_is_hidden() -> None:
    step = course().step("training-loop-2")
    shown = step.show()
    task = step.make_task(shown)
    assert shown and shown.blocks[0].hidden and task and step.task
    judged = task.judge(step.task.says["right"])
    assert judged.shown
    (player,) = judged.shown.blocks
    assert not player.hidden and len(player.merges) == player.step  # later ones are not sent for it


@pytest.mark.right
def test_a_hint_of_a_comparison_says_which_row_has_to_need_how_many_tokens() -> None:
    step = course().step("oddities-3")
    task = step.make_task(step.show())
    assert task
    said = plain(task.judge("We drink tea in the morning.").says)
    assert said.startswith("o200k_base: 7 tokens. GPT-2: 7 tokens, and it has to be 21 or more.")


def test_a_number_must_be_a_fact_and_cannot_be_mistaken_for_itself() -> None:
    with pytest.raises(LessonError, match="The fact “name” is no number"):
        TASKS["number"](shown(name="x", a=1, b=1), of="name")
    with pytest.raises(LessonError, match="are both 1"):
        TASKS["number"](shown(a=1, b=1), of="a", misread={"b": ""})


def live(word: str, text: str = "") -> Shown:
    kind = {"vocab_size": 300, "min_count": 2, "word": word}
    return replace(
        VIEWS["live-training"].show(text=text, **kind), typing=True, again=partial(VIEWS["live-training"].show, **kind)
    )


def test_no_smaller_corpus_makes_the_word_a_token() -> None:
    task = TASKS["write-text"](live("ab"), when="word_tokens == 1 and bytes <= smallest")
    shorter = ("".join(letters) for size in range(1, 4) for letters in itertools.product("abc", repeat=size))
    assert all(task.judge(text).state == "not yet" for text in shorter)
    assert task.judge("abab").state == "done"


@pytest.mark.parametrize("text", ["the hat.", "at that cat", "n the mat. the cat and", "😀 at"])
def test_choosing_the_lowest_rank_each_time_encodes_as_the_tokenizer_does(text: str) -> None:
    kind = {"corpus": "the cat in the hat sat on the mat. the cat and the hat.", "vocab_size": 266, "text": text}
    view = VIEWS["encode-steps"]
    shown = replace(view.show(**kind), again=partial(view.show, **kind))
    task = TASKS["next-merge"](shown)
    answer: list[int] = []
    while (judged := task.judge(answer)).state != "done":
        options = judged.data["options"]
        states = [task.judge([*answer, i]) for i in range(len(options))]
        right = [i for i, state in enumerate(states) if state.state != "not yet"]
        assert len(right) == 1
        answer.append(right[0])
    assert judged.shown
    (drawn,) = (block for block in judged.shown.blocks if isinstance(block, Tokens))
    tokens = [token.data for token in drawn.encoding.tokens()]
    tokenizer = shown.about.tokenizer
    assert tokens == [tokenizer.vocab[id] for id in tokenizer.encode(text)]


def walk(blocks: Iterable[Any]) -> Iterator[Any]:
    """Yield blocks and what is in them."""
    for block in blocks:
        yield block
        yield from walk(getattr(block, "blocks", ()))


HOSTILE = ["", " ", "\n\n", "a", "<b>hi</b>\u202e", "नमस्ते 👨\u200d👩\u200d👧", "\ud83d", "x" * 100, "a\0b\r\n"]


@pytest.mark.parametrize(
    ("view", "field"), [("glitch", "born"), ("live-training", "text"), ("pairs", "text"), ("ties", "text")]
)
def test_a_corpus_that_is_typed_is_not_kept_and_names_no_sample(
    view: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = next(step for step in course().steps.values() if step.view and step.view.name == view)
    step.show()  # what the lesson file has is kept from now on
    made: list[str] = []
    monkeypatch.setattr(trained, "lesson_corpus", made.append)  # what is kept is made with it
    shown = step.show(changed={field: "sample:story"})
    assert shown and "sample:story" in [each.value for each in walk(shown.blocks) if isinstance(each, Field)]
    assert shown.facts.get("bytes", len("sample:story")) == len("sample:story")
    assert not made


@pytest.mark.parametrize("view", [name for name, view in VIEWS.items() if "text" in view.inputs])
def test_a_view_shows_whatever_is_typed(view: str) -> None:
    step = next(step for step in course().steps.values() if step.view and step.view.name == view)
    for text in HOSTILE:
        shown = step.show(changed={"text": text})
        assert shown
        assert json.dumps(data_of(shown.blocks), ensure_ascii=False).encode()  # so there is no half character in it
