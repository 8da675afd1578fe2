"""The corpus that is written on Train: it is trained, kept for the visitor, and made a tokenizer of theirs."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

import pytest

import tokviz
from tests.asking import ask
from tests.bounded import bounded
from tokviz import kernels
from tokviz.base.errors import InputError, PatternError, SettingError, TokvizError
from tokviz.ui.server import limits
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.registry import VISITORS, mark
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.train import written as module
from tokviz.ui.train.questions import LIVE_LIMIT, said_of, training_data
from tokviz.ui.train.state import OPENS_WITH, TrainState, Written

SETTINGS: dict[str, Any] = {
    "pattern": "gpt2",
    "custom": "",
    "vocab_size": 280,
    "special": "",
    "tie": "first",
    "min_count": 2,
}


@pytest.fixture
def me() -> Visitor:
    kernels.wait(60)
    return Visitor()


def written(me: Visitor) -> Written:
    return me.state(TrainState).written


def train(me: Visitor, text: str, view: str = "v1", step: int | None = None, **settings: Any) -> Any:
    return ask(me, "train.written", view=view, text=text, settings=SETTINGS | settings, step=step)


def keep(me: Visitor, text: str, view: str = "v1", replay: bool = False, **settings: Any) -> str:
    said = ask(me, "train.keep", view=view, text=text, settings=SETTINGS | settings, replay=replay)
    return str(said["name"])


@pytest.mark.parametrize("text", [OPENS_WITH, "", "half \ud83c", "नमस्ते 🎉 <b>" * 3])
def test_what_is_written_is_trained_and_kept_for_the_visitor(me: Visitor, text: str) -> None:
    said = train(me, text, step=3, special="low\n\nslow", tie="hf", vocab_size=262)
    fresh = tokviz.train(text, 262, min_count=2, special_tokens=["low", "slow"], tie="hf")
    whole = {str(at): id for at, id in fresh.window(0, 999).whole.items()}
    assert said == training_data(fresh) | {"whole": whole, "said": said_of(fresh, written(me).text, 262)}
    assert (written(me).text, written(me).has_text("v1")) == (text.replace("\ud83c", "\ufffd"), True)
    assert written(me).step == 3 and me.active
    assert written(me).settings.special == ""  # these the page keeps, and not a browser that may be late
    ask(me, "train.step", view="v1", step=1)
    assert written(me).step == 1


WRONG = [
    ({"pattern": "custom", "custom": "(a"}, "does not compile"),
    ({"pattern": "custom", "custom": ""}, "is empty"),
    ({"pattern": "custom", "custom": r"\w+"}, "does not cover"),
    ({"special": "a\na"}, "named twice"),
    ({"special": "a" * 3_000}, "3,000 characters, and 2,000 are the limit"),
    ({"vocab_size": 255}, "out of range"),
    ({"vocab_size": 10**9}, "out of range"),
    ({"min_count": 0}, "least pair count"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_a_wrong_setting_is_told_and_the_text_stays(me: Visitor, wrong: dict[str, Any], said: str) -> None:
    for act in (train, keep):
        with pytest.raises(TokvizError, match=said):
            act(me, "a few words", **wrong)
    assert written(me).text == "a few words"


def test_a_pattern_that_runs_away_is_told(me: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OWN_PATTERN_S", 0.2)
    bounded(monkeypatch, match_seconds=1.0)  # of the match that goes on by itself
    with pytest.raises(PatternError, match="more than a second"):
        train(me, "a" * 60_000 + "!", pattern="custom", custom=r"(?:a+)+$|[\s\S]")


def test_a_text_that_is_too_long_is_not_kept(me: Visitor) -> None:
    with pytest.raises(InputError, match="200,000 characters"):
        train(me, "x" * (limits.WRITTEN_UNITS + 1))
    assert written(me).text == OPENS_WITH
    assert limits.WRITTEN_UNITS > LIVE_LIMIT


@pytest.mark.right
def test_a_training_is_kept_once_as_a_tokenizer_with_the_size_that_it_has(me: Visitor) -> None:
    text = "strawberry strawberry raspberry blueberry berry"
    said = train(me, text)["said"]
    assert (said["name"], said["ended"]) == ("Written 265", "You asked for 280: no other pair occurs twice.")
    assert keep(me, text) == "Written 265"
    (mine,) = me.trained
    assert (mine.tokenizer.vocab_size, mine.name, mine.tokenizer.name) == (265, "Written 265", "Written 265")
    assert mine.training is not None and mine.corpus_name == "Written corpus"
    assert mine.tokenizer.merges == tokviz.train(text, 280, min_count=2).tokenizer.merges
    me.plays = "gpt2"
    assert keep(me, text, replay=True) == "Written 265"
    assert me.trained == [mine] and me.plays == mine.key
    for n in range(4):
        assert keep(me, text + " berry" * (n + 1), vocab_size=265) == f"Written 265 ({n + 2})"
    with pytest.raises(SettingError, match="Remove one"):
        keep(me, "low low", replay=True)
    me.drop(mine.key)
    keep(me, text, replay=True)
    assert me.trained[-1].key == me.plays != mine.key
    with pytest.raises(InputError, match="There is no merge to keep yet"):
        keep(me, "")


@pytest.mark.right
def test_what_is_written_over_a_corpus_from_another_tab_can_be_taken_back(me: Visitor) -> None:
    one, other = (partial(train, me, view=view) for view in ("v1", "v2"))
    one(OPENS_WITH)
    other(OPENS_WITH)
    other(f"long {OPENS_WITH}")
    other(f"long and longer {OPENS_WITH}")
    assert written(me).own_texts == [], "what one sees, one may write over"
    assert keep(me, OPENS_WITH) == "Written 275"  # a tab keeps what it shows
    assert written(me).text == f"long and longer {OPENS_WITH}"
    one(f"x{OPENS_WITH}")
    assert (written(me).text, written(me).own_texts) == (f"x{OPENS_WITH}", [f"long and longer {OPENS_WITH}"])
    written(me).back()
    assert written(me).text == f"long and longer {OPENS_WITH}"


def test_a_page_from_before_starting_over_cannot_bring_its_text_back() -> None:
    key = new_key()
    train(VISITORS.of(key), "mine", mark(key) + "old")
    VISITORS.start_over(key)
    with pytest.raises(InputError, match="started over"):
        train(VISITORS.of(new_key()), "my old secret", mark(key) + "old")


@pytest.mark.parametrize("setting", [{"pattern": "custom", "custom": "x" * 1_001}, {"special": "x" * 1_001}])
def test_a_setting_that_no_link_can_say_is_not_left_out_of_one(me: Visitor, setting: dict[str, str]) -> None:
    with pytest.raises(InputError, match="A link carries at most 1,000 characters of a split pattern"):
        ask(me, "train.link", view="v1", text="low", settings=SETTINGS | setting, step=None)


def test_settings_have_the_fields_of_the_page(me: Visitor) -> None:
    assert asdict(written(me).settings) == SETTINGS | {"sample": "story"}
