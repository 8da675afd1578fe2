"""The Train page under AppTest: corpora, settings and the result; bad input is said, nothing is lost."""

from __future__ import annotations

from itertools import islice, permutations
from pathlib import Path

import pytest
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest

import tokviz
from tests.bounded import bounded
from tests.pages import (
    SHORT,
    app,
    at,
    button,
    components,
    field,
    me,
    notes,
    open_files,
    take_sample,
    train,
    type_in,
    typed_in,
    upload,
)
from tests.waiting import run_until
from tokviz.base.errors import SettingError
from tokviz.catalog import saved as library
from tokviz.formats.tokviz import dump, loads
from tokviz.ui.frame.say import plain
from tokviz.ui.frame.training import told
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import FIRST_TEXT
from tokviz.ui.train.corpus import Corpus
from tokviz.ui.train.page import training_work
from tokviz.ui.train.state import OPENS_WITH, TrainState
from tokviz.ui.train.trained import what_it_does

__all__ = ["app"]


SIZE, CUSTOM, SPECIAL = (f"train.settings.{name}" for name in ("vocab_size", "custom", "special"))


def results(app: AppTest) -> list[str]:
    """What is shown of trainings, by the names of these parts."""
    return [data["label"] for data in components(app, "blocks") if data["label"]]


def captions(app: AppTest) -> str:
    return "\n".join(element.value for element in app.caption)


def marked(app: AppTest) -> str:
    return "".join(element.value for element in app.markdown)


def test_a_file_that_is_not_utf8_is_named_with_the_byte_and_can_be_repaired(app: AppTest) -> None:
    upload(at(app, "train"), ("good.txt", b"good"), ("menu.txt", b"caf\xe9 au lait"))
    assert "menu.txt is not UTF-8: byte 3 (line 1) is E9" in notes(app)
    assert "good" in marked(app)
    app.checkbox[0].check().run()
    assert notes(app) == ""
    assert "menu" in marked(app)
    assert "unreadable bytes replaced in 1 place" in marked(app)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "x.txt is empty."), (b"caf\xe9 au lait", "It may be Latin-1"), (b"\x89PNG\0\0", "looks like a binary file")],
)
def test_training_waits_for_a_corpus_that_the_visitor_chose(app: AppTest, data: bytes, said: str) -> None:
    at(app, "train")
    assert button(app, "**Train**").disabled, "nothing is uploaded yet"
    field(app, "button_group", "train.way").set_value("sample").run()
    assert not button(app, "**Train**").disabled
    field(app, "button_group", "train.way").set_value("upload").run()
    upload(app, ("x.txt", data))
    assert said in notes(app)
    assert button(app, "**Train**").disabled, "whoever tries a file does not want the sample"
    upload(app, ("good.txt", b"good"), ("x.txt", data))
    assert said in notes(app) and plain("good.txt") in marked(app)
    assert not button(app, "**Train**").disabled
    upload(app, ("x.txt", data))
    assert f"In use: **{plain('good.txt')}**" in marked(app), "what is trained on is said"


def test_an_upload_without_room_is_refused(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    big = b"so it goes. " * 100_000
    monkeypatch.setattr(VISITORS, "limit_each", 1_000_000)
    upload(at(app, "train"), ("big.txt", big))
    assert "big.txt cannot be kept. You can keep 1 MB on this server" in notes(app)
    assert button(app, "**Train**").disabled and "big" not in marked(app)
    monkeypatch.setattr(VISITORS, "limit_each", 10_000_000)
    upload(app, ("big.txt", big))
    assert plain("big.txt") in marked(app) and notes(app) == ""
    monkeypatch.setattr(VISITORS, "limit_each", 1_000_000)
    VISITORS.keep_limits(me(app))
    assert me(app).corpus, "nothing of a visitor goes while they are here"
    button(app, "**Train**").click().run()
    run_until(app, lambda app: me(app).works["train"].over)
    assert "cannot be kept. You can keep 1 MB" in notes(app.run()) and "Keep it" in str(app.button)


@pytest.mark.right
@pytest.mark.parametrize(("page", "words"), [("train", "valid UTF-8"), ("library", "is empty")])
def test_a_file_that_comes_with_the_first_run_of_a_session_is_taken(
    app: AppTest, page: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a restart of the server, where the page goes on in a new session. It calls no callback in that run."""
    at(app, page)
    monkeypatch.setattr(SessionState, "_call_callbacks", lambda *_, **__: None)
    upload(app, ("corpus.txt", b"the cat" if page == "train" else b""))
    assert words in notes(app) + "".join(text.value for text in app.markdown)


def test_a_vocabulary_size_below_256_is_refused_before_the_click(app: AppTest) -> None:
    type_in(at(app, "train"), SIZE, "200")
    assert "The vocabulary size 200 is out of range." in notes(app)
    assert button(app, "**Train**").disabled


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(a", "does not compile: missing )"),
        (r"\w+", "does not cover the text: it skips bytes 3 to 4"),
        (r"\W+", "does not cover the text: it skips bytes 0 to 3"),
    ],
)
def test_a_bad_pattern_is_said_once_and_the_settings_stay(app: AppTest, pattern: str, said: str) -> None:
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    app.selectbox[0].set_value("custom").run()
    assert button(app, "**Train**").disabled and notes(app) == "", "nothing is wrong before a letter is typed"
    type_in(app, CUSTOM, pattern)
    assert button(app, "**Train**").disabled
    assert notes(app).count(said) == 1
    assert typed_in(app, SIZE) == "1,024", "the rest of the page is there"
    assert typed_in(app, CUSTOM) == pattern
    assert "shells" in marked(app)


def test_a_pattern_that_runs_away_is_stopped(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, match_seconds=0.2)
    upload(at(app, "train"), ("a.txt", b"a" * 40 + b"!"))
    app.selectbox[0].set_value("custom").run()
    type_in(app, CUSTOM, r"(a|aa)+$|[\s\S]")
    assert "runs away" in notes(app) and button(app, "**Train**").disabled
    type_in(app, CUSTOM, r"\w+|\W")
    assert "runs away" not in notes(app), "an error of another pattern is not shown"


def test_a_loaded_tokenizer_says_what_its_training_did() -> None:
    training = tokviz.train([SHORT, "<|end|>" * 9 + SHORT], 262, special_tokens=["<|end|>"])
    kept, loaded = training.tokenizer, loads(dump(training.tokenizer))
    assert what_it_does(loaded, None) == what_it_does(kept, training)


def test_more_merges_than_the_corpus_has(app: AppTest) -> None:
    upload(at(app, "train"), ("shells.txt", b"sea shells"))
    train(app)
    assert "8 merges, 264 tokens. You asked for 1,024, but no pair is left, because each chunk" in notes(app)
    assert "ask for 264 tokens" in notes(app)


def test_a_doubled_special_token_is_refused(app: AppTest) -> None:
    type_in(at(app, "train"), SPECIAL, "<|a|>\n<|a|>")
    assert "The special token '<|a|>' is named twice." in notes(app)
    assert button(app, "**Train**").disabled


def test_a_model_file_opens_with_its_history(app: AppTest) -> None:
    open_files(app, ("m.json", dump(tokviz.train(SHORT, 280, name="mine").tokenizer)))
    at(app, "train")
    assert results(app) == ["mine", "Tokens of mine"]
    at(app, "replay")  # its corpus is not here: the merges play over the text in hand
    assert components(app, "replay")[0]["window"]["text"] == FIRST_TEXT


@pytest.mark.parametrize(("name", "saved"), [("../../a/b", "a b"), ("...", None), ("my model", "my model")])
def test_a_name_is_cleaned_to_a_plain_file_name(app: AppTest, tmp_path: Path, name: str, saved: str | None) -> None:
    upload(at(app, "train"), ("shells.txt", SHORT.encode()))
    train(app)
    type_in(app, f"train.name.{me(app).current}", name)
    button(app, "Save").click().run()
    assert library.names() == ([saved] if saved else [])
    assert saved is None or f"Saved as **{saved}**." in captions(app)
    assert saved is not None or "has nothing in it that a file name can hold" in notes(app)


def test_the_sixth_tokenizer_waits_for_room(app: AppTest) -> None:
    take_sample(at(app, "train"))
    for _ in range(5):
        train(app)
    assert button(app, "**Train**").disabled
    button(app, "Remove").click().run()
    assert button(app, "**Train**").disabled, "the question comes first"
    me = app.session_state["tokviz.visitor"]
    me.drop(me.current)
    app.run()
    assert not button(app, "**Train**").disabled


def test_in_a_class_nothing_is_saved(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKVIZ_SHARED", "1")
    take_sample(at(app, "train"))
    train(app)
    assert any(b.label.startswith("**Replay the merges**") for b in app.button)
    assert "Save" not in {b.label for b in app.button}


def test_a_corpus_is_written(app: AppTest) -> None:
    field(at(app, "train"), "button_group", "train.way").set_value("write").run()
    (data,) = components(app, "live_training")
    assert data["text"] == OPENS_WITH and data["settings"]["vocab_size"] == 280 and data["step"] is None
    assert not [b for b in app.button if b.label == "**Train**"], "it is trained as it is written"
    written = me(app).state(TrainState).written
    written.type("low lower", data["view"])
    assert components(app.run(), "live_training") == [data], "the browser has what was typed in it"
    written.type("new newer", "another tab")
    (news,) = components(app.run(), "live_training")
    assert (news["text"], news["stamp"], news["view"]) == ("new newer", data["stamp"] + 1, data["view"])
    field(app, "button_group", "train.way").set_value("sample").run()
    assert components(app, "live_training") == []
    at(at(app, "tokens"), "train")
    field(app, "button_group", "train.way").set_value("write").run()
    assert components(app, "live_training")[0]["text"] == "new newer"
    app.query_params.update(
        {"v": "1", "write": "1", "merges": "12", "step": "4", "special": "<s>", "text": "of a link"}
    )
    (linked,) = components(app.run(), "live_training")
    assert (linked["text"], linked["step"], linked["settings"]["vocab_size"]) == ("of a link", 4, 268)
    assert linked["settings"]["special"] == "<s>" and linked["view"] != data["view"] and not app.query_params


def test_chunk_counts_are_no_text(app: AppTest, tmp_path: Path) -> None:
    tokviz.count_chunks("She sells sea shells.").save(tmp_path / "0.npz")
    upload(at(app, "train"), ("0.npz", (tmp_path / "0.npz").read_bytes()))
    assert "0.npz holds chunk counts, not text. Train on it in a terminal" in notes(app)


def test_too_many_distinct_chunks_are_better_counted(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(map("".join, islice(permutations("abcdefghij"), 200_000))).encode()
    bounded(monkeypatch, chunks_mb=1)
    upload(at(app, "train"), ("hex.txt", text))
    assert "The distinct chunks of this corpus may have" in notes(app) and "tokviz count-chunks" in notes(app)


@pytest.mark.right
def test_a_corpus_that_a_link_replaced_can_be_brought_back(app: AppTest) -> None:
    at(app, "train")
    link = {"v": "1", "write": "1", "text": "of a link"}
    app.query_params.update(link)
    app.run()
    assert not [one for one in app.button if one.label == "Back to my text before"], (
        "nothing of the visitor's was replaced"
    )
    me(app).state(TrainState).written.type("my own", components(app, "live_training")[0]["view"])
    app.query_params.update({**link, "text": "of another"})
    assert components(app.run(), "live_training")[0]["text"] == "of another"
    button(app, "Back to my text before").click().run()
    assert components(app, "live_training")[0]["text"] == "my own"
    assert not [one for one in app.button if one.label == "Back to my text before"]


def test_a_tokenizer_of_a_sample_has_a_short_name(app: AppTest) -> None:
    take_sample(at(app, "train"), "tongue")
    train(train(app))
    (first, second) = app.session_state["tokviz.visitor"].trained
    size = first.tokenizer.vocab_size
    assert [first.name, second.name] == [f"Tongue {size:,}", f"Tongue {size:,} (2)"]
    assert first.tokenizer.name == first.name and first.training.tokenizer is first.tokenizer


@pytest.mark.right
def test_a_training_that_ends_early_is_named_by_its_size_and_says_why(app: AppTest) -> None:
    take_sample(at(app, "train"), "tongue")
    train(app)
    (mine,) = app.session_state["tokviz.visitor"].trained
    made = len(mine.training.merges)
    assert mine.training.stopped == "no_pairs" and made < 768
    assert mine.name.endswith(
        f" {256 + made:,}"
    ) and f"{made:,} merges, {256 + made:,} tokens. You asked for 1,024" in notes(app)


def test_a_training_for_which_there_was_no_room_can_be_kept_later(app: AppTest) -> None:
    at(app, "train")
    me = app.session_state["tokviz.visitor"]
    done = training_work(Corpus("story", "late", []), told(iter(())))
    done.result = tokviz.train("to be or not to be", 260)
    done.error = SettingError("There is no colour for another.", "Remove one to make room.")
    done.done.set()
    me.works = {done.place: done}
    for number in range(me.room):
        me.add(f"no. {number}", done.result.tokenizer)
    assert "there was no room for it" in notes(app.run())
    me.drop(me.trained[0].key)
    button(app.run(), "Keep it").click().run()
    assert [mine.name for mine in me.trained][-1] == "late 260" and done.result is None


def test_a_file_that_is_named_by_its_ending_alone_gives_its_tokenizer_that_name(app: AppTest) -> None:
    train(upload(at(app, "train"), (".txt", SHORT.encode())))
    assert me(app).trained[0].name == f".txt {me(app).trained[0].tokenizer.vocab_size:,}"


def test_a_link_on_another_page_offers_the_way_back(app: AppTest) -> None:
    at(app, "train").query_params.update({"v": "1", "write": "1", "back": "tokens"})
    assert [link.proto.label for link in app.run().get("page_link")] == ["‹ Back to Tokens"]


def test_a_number_of_thousands_of_figures_is_as_one_that_fits_the_field(app: AppTest) -> None:
    type_in(at(app, "train"), SIZE, "9" * 5_000)
    assert "The vocabulary size 999,999,999 is out of range." in notes(app) and not app.exception


def test_long_texts_that_were_typed_count_as_kept(app: AppTest) -> None:
    state, mine = me(app).state(TrainState), "x" * 1_000_000
    before = me(app).n_bytes
    state.names["mine1"] = state.settings.custom = state.written.settings.special = mine
    assert me(app).n_bytes >= before + 3 * len(mine)
