"""The what-if of Replay under AppTest: each rule trains again, its result is told and kept, bad input loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import (
    SHORT,
    app,
    at,
    blocks,
    button,
    components,
    field,
    me,
    notes,
    train,
    type_in,
    type_on_tokens,
    typed_in,
    upload,
    what_if_on_replay,
    words,
)
from tests.strategies import Setting, settings_of_training
from tests.waiting import run_until
from tokviz.base.blocks import Line, Merge, Table
from tokviz.catalog.samples import sample
from tokviz.offline.data import data_of
from tokviz.training.train import Progress
from tokviz.training.what_if import parting_of
from tokviz.ui.frame.say import plain
from tokviz.ui.replay import what_if
from tokviz.ui.replay.parted import OTHER, SAME, parted
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server.sizes import size
from tokviz.ui.server.visitor import FIRST_TEXT, SAMPLE

__all__ = ["app"]


@pytest.fixture
def asking(app: AppTest) -> AppTest:
    """The Replay page, which has the what-if."""
    return what_if_on_replay(app)


def ask(app: AppTest, rule: str) -> AppTest:
    return field(app, "selectbox", "what_if.rule").set_value(rule).run()


def train_again(app: AppTest) -> AppTest:
    field(app, "button", "what_if.train").click().run()
    return run_until(app, lambda app: not any(b.key == "what if.cancel" for b in app.button))


def drawn(app: AppTest) -> list[Any]:
    """What the what-if's result shows: a headline, and what follows it."""
    found = [data["blocks"] for data in components(app, "blocks")]
    return next([*blocks] for blocks in found if blocks[0].get("tone") == "title")


def compared(app: AppTest) -> dict[str, str]:
    """The text under both tokenizers."""
    (group,) = blocks(app, "group")[-1:]
    return {tokens["label"]: tokens["encoding"]["text"] for tokens in group["blocks"]}


def rule_of(app: AppTest) -> str:
    result = app.session_state["tokviz.visitor"].state(ReplayState).result
    assert result
    return str(result.rule)


def go(app: AppTest, step: int) -> AppTest:
    """What the player's script tells when it has come to rest at a step."""
    (player,) = components(app, "replay")
    place = {**player["place"], "step": step}
    app.session_state["replay.player"] = {"place": {"id": player["id"], "stamp": place["stamp"], "place": place}}
    return app.run()


@given(settings_of_training(max_merges=15), settings_of_training(max_merges=15))
def test_the_rows_are_the_merges_around_the_parting(one: Setting, other: Setting) -> None:
    before, after = one.train().tokenizer, other.train().tokenizer
    parting = parting_of(before, after)
    title, *rest = parted(before, after, parting, rule="changed")
    if parting.step is None:
        assert not rest and isinstance(title, Line) and title.cells[0].startswith("Changed: nothing changes")
        return
    table = rest[0]
    assert isinstance(table, Table)
    rows = {n: (one, other) for n, one, _, other, _ in table.rows}
    for side, tok in enumerate((before, after)):
        merges = {n: row[side] for n, row in rows.items() if isinstance(row[side], Merge)}
        made = {n: merge.left + merge.right for n, merge in merges.items()}
        assert made == {n: tok.vocab[int(id)] for n, id in enumerate(tok.merge_ids, 1) if n in rows}
    longest = max(len(before.merges), len(after.merges))
    assert list(rows) == list(range(max(parting.step - SAME, 0) + 1, min(parting.step + OTHER, longest) + 1))
    (marked,) = table.marked
    assert [*rows][marked] == parting.step + 1
    for one, other in [*rows.values()][:marked]:  # the figures may differ already
        assert one == other


def test_a_banned_merge_on_the_sample(asking: AppTest) -> None:
    app = asking
    type_in(app, "what_if.merge", "3")
    title, table, *_ = drawn(train_again(app))
    assert words(title) == "Without merge 3: the first 2 merges stay the same; merge 3 is the first that differs"
    banned = bytes.fromhex(table["rows"][2][1]["left"] + table["rows"][2][1]["right"])
    after = tokviz.train(sample("tongue").text, 288, ban=[banned])
    counts = [row[4][0] if isinstance(row[4], list) else row[4] for row in table["rows"]]
    assert counts == [merge.count for merge in after.merges[:8]]
    texts = compared(app)
    assert list(texts) == ["Original", "Without merge 3"]
    assert set(texts.values()) == {FIRST_TEXT}
    assert any(words(line).startswith("The text from Tokens ") for line in blocks(app, "line"))


def test_it_follows_the_player_and_the_own_text_and_says_which_rule_made_it(asking: AppTest) -> None:
    app = go(asking, 5)
    assert typed_in(app, "what_if.merge") == "6", "the merge that comes next"
    type_in(app, "what_if.merge", "3")
    state: ReplayState = app.session_state["tokviz.visitor"].state(ReplayState)
    state.text = "my <b>own</b> feather"
    train_again(app)
    assert typed_in(app, "what_if.merge") == "3", "until the player moves"
    assert set(compared(app).values()) == {state.text}
    app = go(app, 6)
    assert typed_in(app, "what_if.merge") == "7"
    assert words(drawn(app)[0]).startswith("Without merge 3: ")
    said = plain("This is the result without merge 3. Train again to see it without merge 7.")
    assert said in [caption.value for caption in app.caption]


@pytest.mark.parametrize("rule", ["tie", "rarest", "pattern", "line"])
def test_each_other_rule_trains_again_on_the_visitors_corpus(app: AppTest, rule: str) -> None:
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    type_in(app, "train.settings.vocab_size", "270")
    train(app)
    ask(what_if_on_replay(app), rule)
    if rule == "line":
        assert field(app, "button", "what_if.train").disabled
        type_in(app, "what_if.line", "<script>shells</script>")
    how = {
        "tie": {"tie": "lowest"},
        "rarest": {"prefer": "rarest"},
        "pattern": {"pattern": "none"},
        "line": {},
    }[rule]
    texts = [SHORT, "<script>shells</script>\n" * 10] if rule == "line" else [SHORT]
    train_again(app)
    assert not app.exception
    before, after = tokviz.train(SHORT, 270).tokenizer, tokviz.train(texts, 270, **how).tokenizer  # type: ignore[arg-type]
    assert drawn(app) == data_of(parted(before, after, parting_of(before, after), rule=rule_of(app)))


def test_the_result_outlives_the_page_and_belongs_to_its_tokenizer(asking: AppTest) -> None:
    app = train_again(asking)
    before = drawn(app)
    at(app, "compare")
    assert drawn(what_if_on_replay(app)) == before
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    train(app)
    what_if_on_replay(app)
    assert not blocks(app, "table")


def test_it_can_be_kept_and_then_it_plays(asking: AppTest) -> None:
    app = train_again(asking)
    field(app, "button", "what_if.keep").click().run()
    assert not app.exception
    (player,) = components(app, "replay")
    assert "without merge 1" in player["title"]
    assert player["window"]["text"] == sample("tongue").text


def test_a_pattern_that_cannot_cut_the_visitors_text_is_said(app: AppTest) -> None:
    type_on_tokens(app, "one-two")
    upload(at(app, "train"), ("words.txt", b"one two three one two"))
    train(app)
    ask(what_if_on_replay(app), "pattern")
    field(app, "selectbox", "what_if.pattern").set_value("custom").run()
    type_in(app, "what_if.custom", "(a")
    assert "does not compile" in notes(app)
    assert field(app, "button", "what_if.train").disabled
    type_in(app, "what_if.custom", r"\w+| ")
    train_again(app)
    assert "does not cover the text" in notes(app)
    assert not app.exception


def test_what_cannot_be_trained_is_said_before_the_click(asking: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(asking, "line")
    type_in(asking, "what_if.line", "x" * 20)
    type_in(asking, "what_if.times", "60000")
    assert "1,000,000 bytes in all" in notes(asking)
    assert field(asking, "button", "what_if.train").disabled
    monkeypatch.setattr(what_if, "RAREST_LIMIT", 50)
    ask(asking, "rarest")
    assert "too long for the rarest pair" in notes(asking)
    assert field(asking, "button", "what_if.train").disabled


@pytest.mark.right
def test_a_long_one_can_be_cancelled_and_says_nothing_under_another_tokenizer(
    asking: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(training: object, change: object, name: str, cancel: Callable[[], bool]) -> Iterator[Progress]:
        while not cancel():
            yield Progress("merge", 7, 32)

    app, person = asking, asking.session_state["tokviz.visitor"]
    other = tokviz.train("so it goes, so it was", 262)
    monkeypatch.setattr(what_if, "train_with_change", slowly)
    field(app, "button", "what_if.train").click().run()
    run_until(app, lambda app: plain("Training: merge 7 of 32") in [heading.value for heading in app.subheader])
    mine = person.add("other", other.tokenizer, other)
    person.plays = mine.key
    app.run()
    assert not field(app, "button", "what_if.train").disabled
    assert not any(button.key == "what if.cancel" for button in app.button)
    person.plays = SAMPLE
    field(app.run(), "button", "what if.cancel").click().run()
    run_until(app, lambda app: "Cancelled. Nothing has changed" in notes(app))
    assert not blocks(app, "table")
    person.plays = mine.key
    assert "Cancelled." not in notes(app.run())
    person.plays = SAMPLE
    button(app.run(), "Close").click().run()
    assert "Cancelled." not in notes(app)


def test_a_what_if_counts_only_what_it_does_not_share(app: AppTest) -> None:
    training = tokviz.train("so it goes, so it was. " * 50_000, 262)
    me(app).add("mine", training.tokenizer, training)
    what_if_on_replay(app)
    before = me(app).n_bytes
    field(app, "button", "what_if.train").click().run()
    run_until(app, lambda app: me(app).state(ReplayState).result is not None)
    assert before < me(app).n_bytes < before + size(training) // 2, "the seams are new, the corpus is not"
