"""“Is my sample enough?” under AppTest: it is drawn, told, kept, cancelled, refused, and goes with its tokenizer."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, field, me, notes, train, upload
from tests.waiting import PATIENCE_S, run_until
from tokviz import sample_size
from tokviz.sample_size import BootstrapProgress, bootstrap
from tokviz.samples import sample
from tokviz.ui import charts
from tokviz.ui.frame.say import plain
from tokviz.ui.train import enough
from tokviz.ui.train.state import Resampled, TrainState
from tokviz.ui.visitors.budget import shrink
from tokviz.ui.visitors.holdings import Lost
from tokviz.ui.visitors.visitor import Visitor

__all__ = ["app"]

TEXTS = [f"the cat number {n} sat on mat {n % 7}, <b>not</b> on **{n % 5}** of them\n" for n in range(40)]


def draw(app: AppTest, n: int = 10) -> AppTest:
    field(app, "number_input", "train.resamples").set_value(n).run()
    field(app, "button", "train.resample").click().run()
    return run_until(app, lambda app: not any(b.key == "resamples.cancel" for b in app.button))


def words(app: AppTest) -> str:
    return "\n".join(element.value for kind in ("markdown", "caption", "subheader") for element in app.get(kind))


def merges(app: AppTest) -> pd.DataFrame:
    """The table of merges."""
    return next(table.value for table in app.dataframe if "highest there" in table.value)


def test_it_is_drawn_and_kept_and_goes_with_its_tokenizer(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    at(app, "train")
    assert "Is my sample enough?" not in words(app), "there is no training yet"
    upload(app, *((f"{n}.txt", text.encode()) for n, text in enumerate(TEXTS)))
    train(app)
    (mine,) = me(app).trained
    assert mine.training is not None
    assert "A resample is drawn at random from the 40 texts of the corpus" in words(app)
    draw(app)
    expected = bootstrap(mine.training, 10)
    assert expected.finding() in words(app) and plain(charts.overlap_found(expected)) in words(app)
    assert merges(app)["resamples"].tolist() == expected.found.tolist()
    at(app, "replay")
    at(app, "train")
    field(app, "toggle", "train.unstable").set_value(True).run()
    assert merges(app)["resamples"].tolist() == expected.found[~expected.stable].tolist() != []

    # under way it shows how far it is, and can be cancelled; what was drawn before stays
    def slowly(training: object, resamples: int) -> Iterator[BootstrapProgress]:
        while True:
            yield BootstrapProgress("resample", 3, resamples)
            time.sleep(0.01)

    monkeypatch.setattr(enough, "bootstrap_steps", slowly)
    field(app, "button", "train.resample").click().run()
    run_until(app, lambda app: "Training on resamples: 3 of 10" in words(app).replace("\\", ""))
    assert field(app, "button", "train.resample").disabled
    field(app, "button", "resamples.cancel").click().run()
    run_until(app, lambda app: "Cancelled." in notes(app))
    assert expected.finding() in words(app)

    # a tokenizer that is dropped takes its result along, and ends work on it
    field(app, "button", "train.resample").click().run()
    under_way = me(app).works["resamples"]
    me(app).drop(mine.key)
    assert not me(app).state(TrainState).resampled
    assert under_way.done.wait(PATIENCE_S) and not under_way.ended_badly
    assert not any(isinstance(key, tuple) and mine.training in key for key in me(app).cache.contents())
    assert "Is my sample enough?" not in words(app.run())


def test_what_cannot_be_drawn_from_says_why(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = tokviz.train(tokviz.count_chunks("to be or not to be"), 260)
    me(app).add("of counts", counts.tokenizer, counts)
    assert "made from chunk counts" in notes(at(app, "train"))
    assert not any(b.key == "train.resample" for b in app.button)
    short = tokviz.train("ab", 257)
    me(app).add("short", short.tokenizer, short)
    app.run()
    assert notes(app) == ""
    draw(app)
    assert "The corpus is too short" in notes(app)
    none = tokviz.train(sample("story").text, 300, pattern="none")
    me(app).add("none", none.tokenizer, none)
    assert "up to 100 blocks of characters" in words(app.run())
    assert "too short" not in notes(app), "that was said of another tokenizer"
    draw(app)
    assert "chunks longer than a block are cut" in words(app)
    monkeypatch.setattr(sample_size, "MERGES_LIMIT", 20)
    assert "made 44 merges, and resamples are compared for 1 to 20" in notes(app.run())


def test_a_result_is_not_kept_for_a_tokenizer_that_was_dropped() -> None:
    person, training, here = Visitor(), tokviz.train(sample("story").text, 300), ["mine1"]
    steps = sample_size.bootstrap_steps(training, 10)
    under_way = enough.ResamplingWork("x", steps, lambda: bool(here), about="mine1")
    assert [*under_way.slices()] and under_way.progress and under_way.progress.result
    here.clear()
    under_way.finish(person)
    assert not person.state(TrainState).resampled and under_way.progress is None


def test_without_room_it_goes_before_the_training_and_that_is_said(app: AppTest) -> None:
    person: Visitor = me(app)
    training = tokviz.train(sample("story").text, 400)
    mine = person.add("x", training.tokenizer, training)
    found = bootstrap(training, 10)
    without = person.weigh()
    person.state(TrainState).resampled = {mine.key: Resampled("x", found)}
    assert person.weigh() > without
    shrink(person, without)
    assert not person.state(TrainState).resampled and mine.training is training
    assert person.lost == [Lost("resamples", "x")]
    assert "The resamples of “x” are gone" in notes(at(app, "train"))
