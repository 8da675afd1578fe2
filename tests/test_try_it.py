"""What one can try on Replay besides the what-if: guesses, the corpus again, others' merge lists, a file of it."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import (
    SHORT,
    app,
    at,
    blocks,
    choose_on_replay,
    components,
    me,
    notes,
    open_files,
    train,
    type_on_tokens,
    upload,
)
from tests.strategies import Setting, settings_of_training
from tests.waiting import run_until
from tokviz import formats
from tokviz.catalog.samples import sample
from tokviz.formats.tokviz import dump, loads
from tokviz.offline.replay import OWN_TEXT_LIMIT, Playing, merge_columns, replay_page, window_data
from tokviz.teach.misconceptions import offer
from tokviz.training.record import training_record
from tokviz.ui.library.record import record_rows
from tokviz.ui.replay.playing import playing
from tokviz.ui.replay.predict import OPTIONS, answered, asked, judged
from tokviz.ui.replay.state import ReplayPlace, ReplayState
from tokviz.ui.server.visitor import Visitor
from tokviz.vocabulary.fired import fired

__all__ = ["app"]


# -- predict, then reveal --


@given(settings_of_training(max_merges=15), st.data())
def test_a_guess_is_judged_by_a_plain_recount(setting: Setting, data: st.DataObject) -> None:
    training = setting.train()
    k = data.draw(st.integers(0, len(training.merges) - 1)) if training.merges else 0
    if not training.merges:
        return
    counts = {(left, right): count for left, right, count, *_ in setting.naive_candidates(k)}
    leading = setting.naive_candidates(k)[0]
    offered = offer(training, k, OPTIONS)
    options = [*offered]
    guess = data.draw(st.integers(0, len(options) - 1))
    answer = judged(training, k, offered, guess)
    winner, verdict, why = (answer[part] for part in ("winner", "verdict", "why"))
    assert options[winner] == leading[:2]
    assert answer["counts"] == [counts.get(pair, 0) for pair in options]
    assert (verdict == "Right.") == (guess == winner)
    assert ("tie rule" in verdict) == (guess != winner and answer["counts"][guess] == leading[2])
    assert ("pairs tie at" in str(why)) == (training.merges[k].tied > 1)
    vocab = training.tokenizer.vocab
    assert {"token": vocab[leading[0]].hex()} in why and {"token": vocab[leading[1]].hex()} in why


def test_the_order_of_the_options_says_nothing_of_the_winner() -> None:
    training = tokviz.train(sample("story").text, 656)
    places = Counter()
    for k, merge in enumerate(training.merges):
        places[[*offer(training, k, OPTIONS)].index((merge.left, merge.right))] += 1
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


def test_a_guess_that_is_no_pair_counts_as_none_and_where_no_merge_is_left_there_is_no_question() -> None:
    me = Visitor()
    shown = playing(me, None)
    assert shown
    for step, guess in ((32, 0), (99, 0), (-1, 0)):
        told = answered(me, shown, step, guess)
        assert (told["options"], told["answer"], told["score"]) == ([], None, "")
    for step, guess in enumerate((-1, OPTIONS)):
        told = answered(me, shown, step, guess)
        assert (told["answer"]["guess"], told["score"]) == (None, "")


# -- the corpus again --


def bring(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    app.get("file_uploader")[0].set_value([(name, data, "text/plain") for name, data in files]).run()
    run_until(app, lambda app: not any(b.key == "corpus.cancel" for b in app.button))
    assert not app.exception
    return app


def opened(app: AppTest, training: tokviz.Training) -> AppTest:
    """Replay, with a model file open that holds this training's tokenizer."""
    open_files(app, ("m.json", dump(training.tokenizer)))
    return at(app, "replay")


def test_the_very_files_bring_windows_and_what_ifs_back(app: AppTest) -> None:
    files = [("a.txt", SHORT.encode()), ("b.txt", b"caf\xe9, repaired")]
    texts = [tokviz.read_text(data, name, repair=True) for name, data in files]
    opened(app, tokviz.train(texts, 270))
    assert "is not here" in notes(app) and not blocks(app, "merge")
    other = ("a.txt", SHORT.encode() + b"!")
    bring(app, other, files[1])
    assert texts[0].sha256 in notes(app) and tokviz.read_text(other[1]).sha256 in notes(app)
    assert not blocks(app, "merge")
    bring(app, *reversed(files))
    assert notes(app) == ""
    assert components(app, "replay")[0]["can_predict"]
    assert components(app, "replay")[0]["window"]["text"] == "".join(text.text for text in texts)


def test_a_removed_file_is_no_fault_and_an_unreadable_one_is_told_of(app: AppTest) -> None:
    texts = [("a.txt", SHORT.encode()), ("b.txt", SHORT.encode() * 2)]
    opened(app, tokviz.train([tokviz.read_text(data, name) for name, data in texts], 270))
    asking_for_it = notes(app)
    bring(app, texts[0], ("b.txt", b""))
    assert "b.txt is empty" in notes(app) and "trained on 2 texts, but you gave 1" in notes(app)
    bring(app)
    assert notes(app) == asking_for_it
    bring(app, *texts)
    assert notes(app) == "" and components(app, "replay")[0]["window"]["text"] == SHORT * 3


def test_what_was_trained_on_counts_keeps_its_ledger_and_its_corpus_is_not_at_hand(app: AppTest) -> None:
    counts = tokviz.count_chunks(SHORT, shard=0) + tokviz.count_chunks(SHORT, shard=1)
    training = tokviz.train(counts, 270)
    opened(app, training)
    assert "corpus of “trained” is not here. It was trained on chunk counts of 2 shards, 234 bytes." in notes(app)
    (player,) = components(app, "replay")
    assert player["columns"] == merge_columns(training.merges)["columns"]
    assert player["tokens_before"] == counts.n_tokens
    assert not app.get("file_uploader") and not blocks(app, "merge") and not app.exception
    loaded = loads(dump(training.tokenizer))
    name, corpus = record_rows(loaded, training_record(loaded))[0]
    assert (name.text, corpus) == ("Corpus", "chunk counts of 2 shards, 234 bytes")


def test_a_sample_is_here_already(app: AppTest) -> None:
    row = sample("tongue")
    opened(app, tokviz.train(tokviz.read_text(row.text.encode(), row.title), 270))
    next(b for b in app.button if b.label == "**Use it from here**").click().run()
    assert components(app, "replay")[0]["can_predict"]


def test_one_that_does_not_know_its_corpus_asks_for_none(app: AppTest) -> None:
    model = json.loads(dump(tokviz.train(tokviz.count_chunks(SHORT), 270).tokenizer))
    del model["made_from"]["counted"]
    open_files(app, ("m.json", json.dumps(model).encode()))
    at(app, "replay")
    assert "Its file does not name its texts." in notes(app)
    assert not app.get("file_uploader")


# -- others' merge lists --


def test_of_a_merge_list_only_what_fires_is_sent(app: AppTest) -> None:
    text = "unforgettable <b>naïve</b> नमस्ते"
    type_on_tokens(app, text)
    choose_on_replay(at(app, "replay"), "gpt2")
    assert not app.exception and notes(app) == ""
    (player,) = components(app, "replay")
    found = fired(tokviz.reference("gpt2").explain(text))
    assert player["others"] and player["window"]["text"] == text
    assert (player["tokens_before"], player["n_bytes"]) == (len(text.encode()), len(text.encode()))
    seams = np.frombuffer(base64.b64decode(player["window"]["seams"]), "<i4")
    assert sorted(set(seams[(seams >= 0) & (seams < tokviz.OPEN)].tolist())) == list(range(len(found)))
    assert len(player["columns"]["rank"]) < 8 * len(found) + 8
    assert not blocks(app, "merge") and not player["can_predict"]


def test_what_plays_is_chosen_beside_what_was_trained(app: AppTest) -> None:
    choose_on_replay(at(app, "replay"), "o200k_base")
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    train(app)
    assert components(at(app, "replay"), "replay")[0]["title"] == "shells 275"
    choose_on_replay(app, "sample")
    assert components(app, "replay")[0]["title"] == sample("tongue").title
    assert me(app).current == "mine1", "it stays the one that the other pages tell of"
    next(b for b in at(app, "train").button if b.label.startswith("**Replay the merges**")).click().run()
    assert components(at(app, "replay"), "replay")[0]["title"] == "shells 275"


def test_an_opened_file_without_a_record_plays_as_a_merge_list(app: AppTest) -> None:
    type_on_tokens(app, SHORT)
    training = tokviz.train(SHORT, 270)
    open_files(app, *formats.dump(training.tokenizer, "hf").items())
    assert not at(app, "replay").exception and notes(app) == ""
    (player,) = components(app, "replay")
    assert (player["others"], player["corpus_name"], player["window"]["text"]) == (True, "Your text", SHORT)
    assert (player["tokens_before"], player["n_bytes"]) == (len(SHORT), len(SHORT))
    assert player["columns"]["id"] == merge_columns(training.merges)["columns"]["id"]


@pytest.mark.parametrize("text", ["", "a", "\r\n\0", "<|endoftext|>"])
def test_a_text_in_which_nothing_or_little_fires(app: AppTest, text: str) -> None:
    type_on_tokens(app, text)
    choose_on_replay(at(app, "replay"), "gpt2")
    assert not app.exception and notes(app) == ""
    assert components(app, "replay")[0]["window"]["text"] == text


# -- take it along --


@pytest.mark.parametrize("name", ["plain", "...", "</script><b>x", "a/b"])
def test_the_file_holds_the_place_in_view_and_the_own_text(name: str) -> None:
    training = tokviz.train(SHORT, 280, name=name)
    shown = Playing("mine1", training.tokenizer, training, "<i>shells</i>")
    state = ReplayState(ReplayPlace("mine1", 7, 10, 500), text="sea </script> नमस्ते" + "x" * OWN_TEXT_LIMIT)
    document = replay_page(shown, asdict(state.place), state.text).html
    assert "</script><b>" not in document and "<i>shells" not in document
    (element,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', document, re.S)
    data = json.loads(element)
    assert data["live"] is False and data["place"]["step"] == 7
    assert data["window"] == window_data(training.window(10, 500))
    assert OWN_TEXT_LIMIT - 400 < len(data["text"]["text"].encode()) <= OWN_TEXT_LIMIT + 400
    assert data["columns"] == merge_columns(training.merges)["columns"]
