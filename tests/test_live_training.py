"""Training on a corpus that is being edited: what `train` gives, rebuilt from what changed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

import tokviz
from tests.bounded import bounded
from tests.ladder import Ladder
from tokviz.base.errors import PatternError, SettingError, TokvizError
from tokviz.catalog.samples import sample
from tokviz.tokenizer.live_text import EditedText
from tokviz.training.live import SPECIALS_LENGTH, LiveSettings, LiveTraining, trained
from tokviz.ui.train.socket import answer

T = TypeVar("T")
PIECES = [
    *"aaabcde  \n",
    "low",
    "lower",
    " the",
    "é",
    "🎉",
    "\ud83c",
    "\udf89",
    "नमस्ते",
    "<s>",
    "</s>",
    "'s",
    "12",
    "\r\n",
]
PATTERNS = ["gpt2", "gpt2", "none", "cl100k", "o200k", r"\w+|\W", r"(?<=a)b|[\s\S]{1,5}", "(a", r"\w+"]
SPECIALS = [(), (), (), ("<s>",), ("<s>", "</s>"), ("a", "é"), ("",), ("🎉", "🎉")]


def edit(text: EditedText, draw: random.Random) -> None:
    """Type, delete, replace or paste somewhere."""
    start = draw.randint(0, len(text))
    stop = start if draw.random() < 0.6 else min(len(text), start + draw.choice([1, 1, 2, 5, 40]))
    pieces = draw.choice([0, 1, 1, 1, 2, 30]) if stop > start else draw.choice([1, 1, 1, 3, 40])
    text.replace(start, stop, "".join(draw.choices(PIECES, k=pieces)))


def settings(draw: random.Random) -> LiveSettings:
    return LiveSettings(
        256 + draw.choice([0, 1, 5, 24, 24, 1000, 100_000]),
        draw.choice(PATTERNS),
        draw.choice(["first", "first", "lowest", "hf"]),
        draw.choice([1, 1, 2, 2, 5]),
        draw.choice(SPECIALS),
    )


def result(training: Callable[..., T], *arguments: Any, **named: Any) -> T | str:
    """What a training gives; the message if it raises a TokvizError."""
    try:
        return training(*arguments, **named)
    except TokvizError as fault:
        return str(fault)


def live_training_equals_train(seed: int, edits: int) -> None:
    draw = random.Random(seed)
    text, chosen = EditedText(), LiveSettings(280)
    live, shown = LiveTraining(), Ladder()
    for v in range(edits):
        if draw.random() < 0.2:
            chosen = settings(draw)
        else:
            edit(text, draw)
        change, fresh = result(live.train, text.text, chosen), result(tokviz.train, text.text, **chosen._asdict())
        if isinstance(fresh, str) or isinstance(change, str):
            assert change == fresh
            continue
        before = {row.token: rank for rank, row in enumerate(shown.rows)}
        header = shown.apply(answer(v, len(text), change))
        assert (header["v"], header["length"]) == (v, len(text))
        shown.equals(fresh)
        now = {fresh.tokenizer.vocab[merge.id]: merge.rank for merge in fresh.merges}
        marks = [before[token] - rank if token in before else None for token, rank in now.items()]
        assert shown.marks == marks
        assert shown.gone == [(rank, token) for token, rank in before.items() if token not in now]


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_it_equals_train_and_the_changes_rebuild_it(seed: int) -> None:
    live_training_equals_train(seed, 40)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(300))
def test_after_many_edits_it_equals_train_and_the_changes_rebuild_it(seed: int) -> None:
    live_training_equals_train(1_000 + seed, 100)


def test_an_answer_has_only_what_changed() -> None:
    text = sample("story").text[:5_000]
    live, chosen = LiveTraining(), LiveSettings(1_256)
    whole = answer(1, 5_000, live.train(text, chosen))
    same = live.train(text, chosen)
    assert (len(same.rows), len(same.runs), len(same.gone), same.edit) == (0, 0, 0, (len(text.encode()), 0, 0))
    a_letter = live.train(text + "e", chosen)
    assert len(answer(2, 5_001, a_letter)) < len(whole) / 3


def test_a_pattern_that_runs_away_and_too_many_special_tokens_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, match_seconds=1.0)  # of the match that goes on by itself
    with pytest.raises(PatternError, match="more than a second"):
        trained("a" * 60_000 + "!", LiveSettings(pattern=r"(?:a+)+$|[\s\S]"), 0.2)
    with pytest.raises(SettingError, match="2,001 characters"):
        trained("a", LiveSettings(special_tokens=("a" * 1_000, "b" * (SPECIALS_LENGTH - 999))))
