"""Chunk counts on the Train page: files are joined and trained on, the result opens on Replay, and faults are said."""

from __future__ import annotations

from itertools import islice, permutations

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, button, components, field, me, notes, open_files, train, upload
from tokviz import counts_file, limits
from tokviz.formats.tokviz import dump, load
from tokviz.training_record import training_record
from tokviz.ui.library.record import record_rows
from tokviz.ui.train.state import TrainState

__all__ = ["app"]

TEXTS = ["She sells sea shells. ", "<e>By the sea shore. ", "<script>alert(1)</script> *sea* shells"]


def file(shard: int, pattern: str = "cl100k") -> tuple[str, bytes]:
    counts = tokviz.count_chunks(TEXTS[shard], pattern, ["<e>"], shard=shard)
    return f"<b>{shard}.counts", b"".join(counts_file.dump(counts))


def at_counts(app: AppTest) -> AppTest:
    field(at(app, "train"), "button_group", "train.way").set_value("counts").run()
    return app


def test_counts_are_joined_and_the_training_opens_like_any_other(app: AppTest) -> None:
    at_counts(app)
    assert button(app, "**Train**").disabled and not notes(app)
    upload(app, *map(file, (2, 0, 1)))
    assert components(app, "trained")[0]["corpus"] == "on the distinct chunks of the corpus “<b>0.counts and 2 more”"
    assert app.text_input[0].value == "cl100k" and app.text_input[0].disabled
    app.number_input[0].set_value(270).run()
    train(app)
    whole = tokviz.train(TEXTS, 270, pattern="cl100k", special_tokens=["<e>"])
    training = me(app).tokenizers[-1].training
    assert training.merges == whole.merges and training.kept_bytes == 0
    assert me(app).tokenizers[-1].name == "<b>0 270"
    button(app, "**Replay the merges**").click().run()
    (player,) = components(at(app, "replay"), "replay")
    assert (player["tokens_before"], player["n_bytes"]) == (whole.tokens_at(0), whole.n_bytes)
    assert player["reach"] == 0 and player["can_predict"] and not player["window"]["text"]
    assert not app.exception


def test_a_saved_model_says_that_it_was_trained_on_counts_and_takes_them_again(app: AppTest) -> None:
    files = [file(0), file(1)]
    training = tokviz.train(counts_file.load(files[0][1]) + counts_file.load(files[1][1]), 270)
    saved = dump(training.tokenizer)
    assert load(saved).made_from["counted"] == {"shards": 2, "bytes": 43}
    open_files(app, ("mine.json", saved))
    record = record_rows(load(saved), training_record(load(saved)))
    assert record[0].name == "Corpus" and record[0].value[0].text == "chunk counts of 2 shards, 43 bytes"
    me(app).plays = me(app).tokenizers[-1].key
    assert "was trained on are not here. They are of 2 shards with 43 bytes." in notes(at(app, "replay"))
    upload(app, files[1])
    assert "It was trained on chunk counts of 2 shards, 43 bytes, and these are of 1 shard, 21 bytes." in notes(app)
    (without,) = components(app, "replay")
    upload(app, *files)
    assert components(app, "replay")[0]["id"] != without["id"], "else the browser goes on showing another text"
    again = me(app).tokenizers[-1].training
    assert again.merges == training.merges and again.candidates(3) == training.candidates(3)
    assert "not here" not in notes(app) and field(app, "selectbox", "what_if.rule").value == "ban"


def test_files_that_cannot_be_trained_on_are_refused_and_named(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    at_counts(app)
    for files, says in (
        ([file(0), ("cut.counts", file(1)[1][:-1])], "cut.counts is damaged"),
        ([file(0), ("again.counts", file(0)[1])], "Shard 0 is in <b>0.counts and in again.counts."),
        ([file(0), file(1, "gpt2")], "were made with different patterns"),
        ([("text.txt", b"She sells"), file(0), ("none", b"")], "text.txt holds no chunk counts"),
        ([("text.txt", b"She sells"), file(0), ("none", b"")], "none holds no chunk counts"),
        ([("empty.counts", b"".join(counts_file.dump(tokviz.count_chunks(""))))], "There are no chunks in"),
    ):
        upload(app, *files)
        assert says in notes(app)
        assert me(app).state(TrainState).counted is None and button(app, "**Train**").disabled
        assert "Remove or replace the files that are named above." in [caption.value for caption in app.caption]
    monkeypatch.setattr(limits, "CHUNKS_MB", 0)
    upload(app, file(0))
    assert "0 MB are the limit" in notes(app) and "tokviz train *.counts" in notes(app)
    field(app, "button_group", "train.way").set_value("upload").run()
    upload(app, file(0))
    assert "holds chunk counts, not text. Choose Counts on Train" in notes(app)


def test_too_many_distinct_chunks_are_better_counted(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(map("".join, islice(permutations("abcdefghij"), 200_000))).encode()
    monkeypatch.setattr(limits, "CHUNKS_MB", 1)
    upload(at(app, "train"), ("hex.txt", text))
    assert "The distinct chunks of this corpus may have" in notes(app) and "tokviz count-chunks" in notes(app)


def test_counts_that_memory_has_no_room_for_are_dropped_and_missed(app: AppTest) -> None:
    upload(at_counts(app), file(0))
    assert not button(app, "**Train**").disabled
    (holding,) = [one for one in me(app).holdings() if one.lost and one.lost.kind == "corpus"]
    holding.let_go()
    app.run()
    assert button(app, "**Train**").disabled and me(app).state(TrainState).counted is None
