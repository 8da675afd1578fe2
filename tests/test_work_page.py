"""Work in the line of the server, as pages show it: its place, Cancel, and what is said if there is no room for it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import SHORT, app, at, blocks, button, field, me, notes, take_sample, upload, what_if_on_replay
from tests.test_measures import to
from tests.waiting import PATIENCE_S, eventually, others_at_work, run_until
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server import limits
from tokviz.ui.server.line import LINE

__all__ = ["app"]


def card(app: AppTest) -> list[str]:
    """What the progress card says, in its title and below the bar."""
    return [*(title.value for title in app.subheader), *(caption.value for caption in app.caption)]


def test_a_training_says_its_place_in_the_line_and_can_be_cancelled_there(app: AppTest) -> None:
    take_sample(at(app, "train"))
    with others_at_work(2) as ahead:
        button(app, "**Train**").click().run()
        assert "Waiting for its turn" in card(app) and "2 other pieces of work come first" in card(app)
        ahead[0].end.set()
        eventually(lambda: len(LINE) == 2)
        at(app, "tokens")
        at(app, "train")
        assert "1 other piece of work comes first" in card(app)
        button(app, "Cancel").click().run()
        run_until(app, lambda app: "Cancelled before the first merge." in notes(app))
        assert not button(app, "**Train**").disabled
        button(app, "Close").click().run()
        assert "Cancelled" not in notes(app)
    button(app, "**Train**").click().run()
    run_until(app, lambda app: len(me(app).trained) == 1)
    assert notes(app) == ""


def test_work_for_which_there_is_no_room_takes_nothing_from_what_is_there(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "JOBS", 2)
    full = "All visitors together have 2 pieces of work under way, and the server takes no more."
    take_sample(at(app, "train"))
    with others_at_work(2):
        button(app, "**Train**").click().run()
        assert full in notes(app) and not me(app).works
        assert not button(app, "**Train**").disabled, "it can be pressed again"

    me(app).add("mine", (training := tokviz.train("so it goes, so it was", 262)).tokenizer, training)
    field(what_if_on_replay(app), "button", "what_if.train").click().run()
    run_until(app, lambda app: me(app).state(ReplayState).result is not None)
    before = me(app).state(ReplayState).result
    field(app, "selectbox", "what_if.rule").set_value("tie").run()
    with others_at_work(2):
        field(app, "button", "what_if.train").click().run()
        assert full in notes(app) and me(app).state(ReplayState).result is before
        assert blocks(app, "table")

        to(at(app, "compare"), "Figures", "expensive")
        assert full in notes(app)
    button(app, "Try again").click().run()
    assert me(app).works["expensive-places"].done.wait(PATIENCE_S)
    assert full not in notes(app.run())


@pytest.mark.right
def test_the_files_of_a_missing_corpus_are_read_once_and_come_one_after_the_other(app: AppTest) -> None:
    texts = [("one.txt", SHORT.encode()), ("two.txt", b"so it goes, so it was")]
    training = tokviz.train([data.decode() for _, data in texts], 270)
    mine = me(app).add("mine", training.tokenizer)
    me(app).plays = mine.key
    upload(at(app, "replay"), texts[0])
    uploads = me(app).state(ReplayState).uploads
    assert "texts" in notes(app) and [text.name for text in uploads.texts.values()] == ["one.txt"]
    upload(app, *texts)
    run_until(app, lambda app: mine.training is not None)
    assert not uploads.texts
