"""The parts of Replay that one can try: each is what it says it is, and bad input is said and loses nothing."""

from __future__ import annotations

import base64
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, button, components, notes, train, type_on_tokens, upload
from tests.strategies import Setting, settings_of_training
from tests.waiting import run_until
from tokviz.formats.tokviz import dump
from tokviz.merges_in_text import fired
from tokviz.rules import Rules
from tokviz.samples import sample
from tokviz.training import Progress
from tokviz.ui.components.replay import merge_columns, window_data
from tokviz.ui.components.what_if import OTHER, SAME, parted_data
from tokviz.ui.frame.say import plain
from tokviz.ui.replay import what_if
from tokviz.ui.replay.playing import OWN_TEXT_LIMIT, Playing, playing
from tokviz.ui.replay.predict import OPTIONS, answered, asked, judged, question
from tokviz.ui.replay.state import ReplayPlace, ReplayState, WhatIfResult
from tokviz.ui.replay.take_along import replay_file
from tokviz.ui.replay.what_if import finding
from tokviz.ui.visitors.budget import shrink
from tokviz.ui.visitors.holdings import Lost
from tokviz.ui.visitors.visitor import Visitor
from tokviz.what_if import parting_of

__all__ = ["app"]

SHORT = "She sells sea shells by the sea shore. " * 3


def field(app: AppTest, kind: str, key: str) -> Any:
    return next(element for element in app.get(kind) if element.key == key)


@pytest.fixture
def asking(app: AppTest) -> AppTest:
    """The Replay page, which has the what-if."""
    return at(app, "replay")


def ask(app: AppTest, rule: str) -> AppTest:
    return field(app, "selectbox", "what_if.rule").set_value(rule).run()


def train_again(app: AppTest) -> AppTest:
    field(app, "button", "what_if.train").click().run()
    return run_until(app, lambda app: not any(b.key == "what if.cancel" for b in app.button))


def drawn(app: AppTest) -> dict[str, Any]:
    """What the what-if's result shows."""
    (data,) = [data for data in components(app, "what_if") if "headline" in data]
    return data


def rule_of(app: AppTest) -> str:
    result = app.session_state["tokviz.visitor"].state(ReplayState).result
    assert result
    return str(result.rule)


# -- what if --


@given(settings_of_training(max_merges=15), settings_of_training(max_merges=15))
def test_the_rows_are_the_merges_around_the_parting(one: Setting, other: Setting) -> None:
    before, after = one.train().tokenizer, other.train().tokenizer
    parting = parting_of(before, after)
    data = parted_data(before, after, parting, rule="changed")
    rows = {row["merge"]: row for row in data["rows"]}
    for tok, side in ((before, "before"), (after, "after")):
        shown = {n: bytes.fromhex(row[side]["left"] + row[side]["right"]) for n, row in rows.items() if row[side]}
        assert shown == {n: tok.vocab[int(id)] for n, id in enumerate(tok.merge_ids, 1) if n in rows}
    if parting.step is None:
        assert not rows and "Changed: nothing changes" in data["headline"]
        return
    longest = max(len(before.merges), len(after.merges))
    assert list(rows) == list(range(max(parting.step - SAME, 0) + 1, min(parting.step + OTHER, longest) + 1))
    assert [n for n, row in rows.items() if row["parts"]] == [parting.step + 1]
    for row in rows.values():
        if row["same"]:  # the figures may differ already
            assert [row["before"][part] for part in ("left", "right")] == [row["after"][p] for p in ("left", "right")]


def test_a_banned_merge_on_the_sample(asking: AppTest) -> None:
    app = asking
    field(app, "number_input", "what_if.merge").set_value(3).run()
    data = drawn(train_again(app))
    assert data["headline"] == "Without merge 3: the first 2 merges stay the same; merge 3 is the first that differs"
    banned = bytes.fromhex(data["rows"][2]["before"]["left"] + data["rows"][2]["before"]["right"])
    after = tokviz.train(sample("tongue").text, 288, ban=[banned])
    assert [row["after"]["count"] for row in data["rows"]] == [merge.count for merge in after.merges[:8]]
    views = {view["name"]: view for view in components(app, "token_view")}
    assert list(views) == ["Original", "Without merge 3"]
    assert {view["text"] for view in views.values()} == {sample("mixed").text}


def test_it_follows_the_player_and_the_own_text_and_says_which_rule_made_it(asking: AppTest) -> None:
    app = go(asking, 5)
    assert field(app, "number_input", "what_if.merge").value == 6, "the merge that comes next"
    field(app, "number_input", "what_if.merge").set_value(3).run()
    state: ReplayState = app.session_state["tokviz.visitor"].state(ReplayState)
    state.text = "my <b>own</b> feather"
    train_again(app)
    assert field(app, "number_input", "what_if.merge").value == 3, "until the player moves"
    assert {view["text"] for view in components(app, "token_view")} == {state.text}
    app = go(app, 6)
    assert field(app, "number_input", "what_if.merge").value == 7
    assert drawn(app)["headline"].startswith("Without merge 3: ")
    said = plain("This is the result without merge 3. Train again to see it without merge 7.")
    assert said in [caption.value for caption in app.caption]


@pytest.mark.parametrize("rule", ["tie", "rarest", "pattern", "line"])
def test_each_other_rule_trains_again_on_the_visitors_corpus(app: AppTest, rule: str) -> None:
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    app.number_input[0].set_value(270).run()
    train(app)
    ask(at(app, "replay"), rule)
    if rule == "line":
        assert field(app, "button", "what_if.train").disabled
        field(app, "text_input", "what_if.line").set_value("<script>shells</script>").run()
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
    expected = parted_data(before, after, parting_of(before, after), rule=rule_of(app))
    assert drawn(app) == expected


def test_the_result_outlives_the_page_and_belongs_to_its_tokenizer(asking: AppTest) -> None:
    app = train_again(asking)
    before = drawn(app)
    at(app, "compare")
    assert drawn(at(app, "replay")) == before
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    train(app)
    at(app, "replay")
    assert not [data for data in components(app, "what_if") if "headline" in data]


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
    ask(at(app, "replay"), "pattern")
    field(app, "selectbox", "what_if.pattern").set_value("custom").run()
    field(app, "text_input", "what_if.custom").set_value("(a").run()
    assert "does not compile" in notes(app)
    assert field(app, "button", "what_if.train").disabled
    field(app, "text_input", "what_if.custom").set_value(r"\w+| ").run()
    train_again(app)
    assert "does not cover the text" in notes(app)
    assert not app.exception


def test_too_much_text_to_add_is_said_before_the_click(asking: AppTest) -> None:
    ask(asking, "line")
    field(asking, "text_input", "what_if.line").set_value("x" * 20).run()
    field(asking, "number_input", "what_if.times").set_value(60_000).run()
    assert "1,000,000 bytes in all" in notes(asking)
    assert field(asking, "button", "what_if.train").disabled


def test_too_long_a_corpus_for_the_rarest_pair_is_said_before_the_click(
    asking: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(what_if, "RAREST_LIMIT", 50)
    ask(asking, "rarest")
    assert "too long for the rarest pair" in notes(asking)
    assert field(asking, "button", "what_if.train").disabled


def test_a_long_one_shows_its_progress_and_can_be_cancelled(asking: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(training: object, change: object, name: str, cancel: Callable[[], bool]) -> Iterator[Progress]:
        yield Progress("merge", 7, 32)
        while not cancel():
            time.sleep(0.01)
        yield from tokviz.train_steps("aaa", 300, cancel=cancel)

    monkeypatch.setattr(what_if, "train_with_change", slowly)
    app = asking
    field(app, "button", "what_if.train").click().run()
    run_until(app, lambda app: plain("Training: merge 7 of 32") in [heading.value for heading in app.subheader])
    field(app, "button", "what if.cancel").click().run()
    run_until(app, lambda app: "Cancelled" in notes(app))
    assert "Nothing has changed" in notes(app)
    assert not [data for data in components(app, "what_if") if "headline" in data]


def test_a_what_if_is_the_first_to_go_and_shares_what_it_can() -> None:
    person = Visitor()
    text = "x" * 2_000_000
    training = tokviz.train(text, 260)
    mine = person.add("x", training.tokenizer, training)
    alone = person.weigh()
    *_, last = what_if.train_with_change(training, what_if.TrainingChange(rules=Rules(ban=[b"xx"])), "x", None)
    assert last.training
    person.state(ReplayState).result = WhatIfResult(mine.key, "without merge 1", last.training)
    assert person.weigh() < alone + len(text) + 4 * len(training.counts.data)  # the seams are new, the corpus is not
    shrink(person, alone)
    assert person.state(ReplayState).result is None and mine.training is training
    assert person.lost == [Lost("what-if", "without merge 1")]


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 9))
def test_the_finding_says_what_the_figures_say(before: int, after: int, places: int) -> None:
    said = finding(before, after, places)
    assert ("instead of" in said) == (before != after and places > 0)
    assert ("stays as it is" in said) == (places == 0)


# -- predict, then reveal --


def go(app: AppTest, step: int) -> AppTest:
    """What the player's script tells when it has come to rest at a step."""
    (player,) = components(app, "replay")
    app.session_state["replay.player"] = {"place": {**player["place"], "id": player["id"], "step": step}}
    return app.run()


@given(settings_of_training(max_merges=15), st.data())
def test_a_guess_is_judged_by_a_plain_recount(setting: Setting, data: st.DataObject) -> None:
    training = setting.train()
    k = data.draw(st.integers(0, len(training.merges)))
    options = question(training, k)
    if k == len(training.merges):
        assert options == []
        return
    leading = setting.naive_candidates(k)[:OPTIONS]
    assert sorted((o.left, o.right, o.count) for o in options) == sorted(row[:3] for row in leading)
    guess = data.draw(st.integers(0, len(options) - 1))
    answer = judged(training, k, options, guess)
    winner, verdict, why = (answer[part] for part in ("winner", "verdict", "why"))
    assert (options[winner].left, options[winner].right) == leading[0][:2]
    assert answer["counts"] == [option.count for option in options]
    assert (verdict == "Right.") == (guess == winner)
    assert ("tie rule" in verdict) == (guess != winner and options[guess].count == leading[0][2])
    assert ("occur" in why and "each" in why) == (training.merges[k].tied > 1)


def test_the_order_of_the_options_says_nothing_of_the_winner() -> None:
    training = tokviz.train(sample("story").text, 656)
    places = Counter()
    for k, merge in enumerate(training.merges):
        places[[(o.left, o.right) for o in question(training, k)].index((merge.left, merge.right))] += 1
    assert min(places[place] for place in range(OPTIONS)) > 0.12 * len(training.merges)


def test_the_browser_learns_no_count_before_the_guess_and_the_first_guess_holds() -> None:
    me = Visitor()
    shown = playing(me, None)
    assert shown and shown.training
    question_0 = asked(me, shown, 0)
    assert question_0["answer"] is None and set(question_0) == {"step", "options", "answer", "score"}
    first = shown.training.merges[0]
    right = question_0["options"].index((first.left, first.right))
    told = answered(me, shown, 0, right)
    assert (told["answer"]["verdict"], told["score"]) == ("Right.", "1 of 1 right")
    assert answered(me, shown, 0, (right + 1) % OPTIONS) == told == asked(me, shown, 0)

    options = asked(me, shown, 1)["options"]
    second = shown.training.merges[1]
    wrong = next(i for i, option in enumerate(options) if option != (second.left, second.right))
    assert answered(me, shown, 1, wrong)["score"].startswith("1 of 2 right")
    assert answered(me, shown, 2, None)["score"] == asked(me, shown, 1)["score"], "no guess, no score"
    again = answered(me, shown, 1, options.index((second.left, second.right)))
    assert (again["answer"]["guess"], again["score"][:12]) == (wrong, "1 of 2 right"), "the winner was shown before"


@pytest.mark.parametrize(("step", "guess"), [(32, 0), (99, 0), (-1, 0)])
def test_where_no_merge_is_left_there_is_no_question(step: int, guess: int) -> None:
    me = Visitor()
    shown = playing(me, None)
    assert shown
    told = answered(me, shown, step, guess)
    assert (told["options"], told["answer"], me.state(ReplayState).guesses.made) == ([], None, 0)


@pytest.mark.parametrize("guess", [-1, OPTIONS])
def test_a_guess_that_is_no_pair_counts_as_none(guess: int) -> None:
    me = Visitor()
    shown = playing(me, None)
    assert shown
    assert answered(me, shown, 0, guess)["answer"]["guess"] is None
    assert me.state(ReplayState).guesses.made == 0


# -- the corpus again --


def bring(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    app.get("file_uploader")[0].set_value([(name, data, "text/plain") for name, data in files]).run()
    run_until(app, lambda app: not any(b.key == "corpus.cancel" for b in app.button))
    assert not app.exception
    return app


def opened(app: AppTest, training: tokviz.Training) -> AppTest:
    """Replay, with a model file open that holds this training's tokenizer."""
    upload(at(app, "train"), ("m.json", dump(training.tokenizer)), place=1)
    return at(app, "replay")


def test_the_very_files_bring_windows_and_what_ifs_back(app: AppTest) -> None:
    files = [("a.txt", SHORT.encode()), ("b.txt", b"caf\xe9, repaired")]
    texts = [tokviz.read_text(data, name, repair=True) for name, data in files]
    opened(app, tokviz.train(texts, 270))
    assert "is not here" in notes(app) and not components(app, "what_if")
    other = ("a.txt", SHORT.encode() + b"!")
    bring(app, other, files[1])
    assert texts[0].sha256 in notes(app) and tokviz.read_text(other[1]).sha256 in notes(app)
    assert not components(app, "what_if")
    bring(app, *reversed(files))
    assert notes(app) == ""
    assert components(app, "replay")[0]["can_predict"]
    assert components(app, "replay")[0]["window"]["text"] == "".join(text.text for text in texts)


def test_a_removed_file_is_no_fault_and_an_unreadable_one_is_told_of(app: AppTest) -> None:
    texts = [("a.txt", SHORT.encode()), ("b.txt", SHORT.encode() * 2)]
    opened(app, tokviz.train([tokviz.read_text(data, name) for name, data in texts], 270))
    asking_for_it = notes(app)
    bring(app, texts[0], ("b.txt", b""))
    assert "b.txt is empty" in notes(app) and "trained on 2 texts, and 1 text came" in notes(app)
    bring(app)
    assert notes(app) == asking_for_it
    bring(app, *texts)
    assert notes(app) == "" and components(app, "replay")[0]["window"]["text"] == SHORT * 3


def test_a_sample_is_here_already(app: AppTest) -> None:
    row = sample("tongue")
    opened(app, tokviz.train(tokviz.read_text(row.text.encode(), row.title), 270))
    next(b for b in app.button if b.label == "**Use it from here**").click().run()
    assert components(app, "replay")[0]["can_predict"]


def test_one_that_does_not_know_its_corpus_asks_for_none(app: AppTest) -> None:
    opened(app, tokviz.train(tokviz.count_chunks(SHORT), 270))
    assert "is not known" in notes(app)
    assert not app.get("file_uploader")


# -- others' merge lists --


def test_of_a_merge_list_only_what_fires_is_sent(app: AppTest) -> None:
    text = "unforgettable <b>naïve</b> नमस्ते"
    type_on_tokens(app, text)
    field(at(app, "replay"), "selectbox", "replay.plays").set_value("gpt2").run()
    assert not app.exception and notes(app) == ""
    (player,) = components(app, "replay")
    found = fired(tokviz.reference("gpt2").explain(text))
    assert player["others"] and player["window"]["text"] == text
    assert (player["tokens_before"], player["n_bytes"]) == (len(text.encode()), len(text.encode()))
    seams = np.frombuffer(base64.b64decode(player["window"]["seams"]), "<i4")
    assert sorted(set(seams[(seams >= 0) & (seams < tokviz.OPEN)].tolist())) == list(range(len(found)))
    assert len(player["columns"]["rank"]) < 8 * len(found) + 8
    assert not components(app, "what_if") and not player["can_predict"] and not app.toggle


def test_what_plays_is_chosen_beside_what_was_trained(app: AppTest) -> None:
    field(at(app, "replay"), "selectbox", "replay.plays").set_value("o200k_base").run()
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    train(app)
    assert components(at(app, "replay"), "replay")[0]["title"] == "shells 1,024"
    field(app, "selectbox", "replay.plays").set_value("sample").run()
    assert components(app, "replay")[0]["title"] == sample("tongue").title
    assert components(at(app, "train"), "trained")[0]["title"] == "“shells 1,024” is ready"
    button(app, "**Replay the merges**").click().run()
    assert components(at(app, "replay"), "replay")[0]["title"] == "shells 1,024"


@pytest.mark.parametrize("text", ["", "a", "\r\n\0", "<|endoftext|>"])
def test_a_text_in_which_nothing_or_little_fires(app: AppTest, text: str) -> None:
    type_on_tokens(app, text)
    field(at(app, "replay"), "selectbox", "replay.plays").set_value("gpt2").run()
    assert not app.exception and notes(app) == ""
    assert components(app, "replay")[0]["window"]["text"] == text


# -- take it along --


@pytest.mark.parametrize("name", ["plain", "...", "</script><b>x", "a/b"])
def test_the_file_holds_the_place_in_view_and_the_own_text(name: str) -> None:
    training = tokviz.train(SHORT, 280, name=name)
    shown = Playing("mine1", training.tokenizer, training, "<i>shells</i>")
    state = ReplayState(ReplayPlace("mine1", 7, 10, 500), text="sea </script> नमस्ते" + "x" * OWN_TEXT_LIMIT)
    document = replay_file(shown, state)
    assert "</script><b>" not in document and "<i>shells" not in document
    (element,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', document, re.S)
    data = json.loads(element)
    assert data["live"] is False and data["place"]["step"] == 7
    assert data["window"] == window_data(training.window(10, 500))
    assert OWN_TEXT_LIMIT - 400 < len(data["text"]["text"].encode()) <= OWN_TEXT_LIMIT + 400
    assert data["columns"] == merge_columns(training.merges)["columns"]
