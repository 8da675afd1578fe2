"""`tokviz count-chunks` and `tokviz train` on its files: the model is the one that a training on the texts makes."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path

import pytest

import tokviz
from tests.command_line import call, good

TEXTS = ["the cat in the hat, the cat", "sat on the mät. " * 3, "", "and the hat sat too, too<s>"]


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"shard{number}.txt" for number in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_text(text, "utf-8")
    return paths


def counted(shards: list[Path], *how: object) -> list[Path]:
    """The files of counts of these shards."""
    for number, shard in enumerate(shards):
        assert good("count-chunks", shard, "--shard", number, "-o", shard.with_suffix(".npz"), *how) == ""
    return [shard.with_suffix(".npz") for shard in shards]


def test_a_training_on_counts_equals_one_on_the_texts(shards: list[Path], tmp_path: Path) -> None:
    how = ("--vocab-size", 280, "--tie", "hf")
    paths = counted(shards, "--special-token", "<s>", "--pattern", "cl100k")
    good("train", *reversed(paths), "-o", tmp_path / "apart.json", *how)
    good("train", *shards, "-o", tmp_path / "whole.json", *how, "--special-token", "<s>", "--pattern", "cl100k")
    some = call("train", *paths[:2], *paths[3:], "-o", tmp_path / "some.json").stderr
    assert some.startswith("Note: the shards have numbers from 0 to 3, and 1 number of these is missing.\n")
    apart, whole = tokviz.load(tmp_path / "apart.json"), tokviz.load(tmp_path / "whole.json")
    assert tokviz.same(apart, whole).equal is True
    assert apart.history == whole.history and apart.special_tokens == whole.special_tokens


def test_a_shard_of_several_files_and_of_standard_input(shards: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "both.npz"
    said = call("count-chunks", *shards[:2], "-o", out, "--shard", 5)
    assert (
        said.stderr == f"{out}: {len(tokviz.load_counts(out)):,} distinct chunks from 78 bytes.\n" and not said.stdout
    )
    assert list(tokviz.load_counts(out)) == list(tokviz.count_chunks(TEXTS[:2]))
    told = json.loads(good("count-chunks", "-", "-o", tmp_path / "in.npz", "--json", stdin="aé a"))
    assert told == {"file": str(tmp_path / "in.npz"), "shard": None, "bytes": 5, "chunks": 2}
    assert tokviz.load_counts(tmp_path / "in.npz").shards == {}
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps({'body': text})}\n" for text in TEXTS))
    good("count-chunks", rows, "--column", "body", "-o", tmp_path / "rows.npz", "--shard", 1)
    assert list(tokviz.load_counts(tmp_path / "rows.npz")) == list(tokviz.count_chunks(TEXTS))


def test_how_a_file_was_counted_is_shown(shards: list[Path], tmp_path: Path) -> None:
    first, *_ = counted(shards, "--special-token", "<s>")
    told = json.loads(good("count-chunks", "--show", first))
    assert (told["pattern"], told["special_tokens"], told["special_counts"]) == ("gpt2", ["<s>"], [0])
    assert (told["shards"], told["chunks"]) == ([[0, 27]], len(tokviz.load_counts(first)))
    refused = call("count-chunks", "--show", shards[0])
    assert refused.exit_code == 1 and "shard0.txt holds no chunk counts" in refused.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_nothing_of_a_pipe_is_lost_when_it_is_asked_whether_it_holds_counts(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command in ("train", "count-chunks"):
        writer = threading.Thread(target=pipe.write_text, args=("the cat in the hat",))
        writer.start()
        good(command, pipe, "-o", tmp_path / command)
        writer.join()
    assert tokviz.load(tmp_path / "train").made_from["texts"][0]["bytes"] == 18
    assert tokviz.load_counts(tmp_path / "count-chunks").n_bytes == 18


def test_files_that_do_not_go_together_are_named(shards: list[Path], tmp_path: Path) -> None:
    paths = counted(shards)
    good("count-chunks", shards[0], "-o", tmp_path / "late.npz", "--shard", 2)
    good("count-chunks", shards[0], "-o", tmp_path / "cl100k.npz", "--shard", 9, "--pattern", "cl100k")
    (tmp_path / "half.npz").write_bytes(paths[0].read_bytes()[:-1])
    good("count-chunks", shards[0], "-o", tmp_path / "none.npz")
    (tmp_path / "old.counts").write_bytes(b'{"format": "tokviz counts", "version": 1}\n')
    for files, says in (
        ([*paths, tmp_path / "late.npz"], r"Shard 2 is in .*shard2\.npz and in .*late\.npz"),
        ([paths[0], tmp_path / "cl100k.npz"], r"shard0\.npz and .*cl100k\.npz were made with different patterns"),
        ([paths[0], shards[1]], r"shard1\.txt holds no chunk counts"),
        ([paths[1], tmp_path / "half.npz"], r"half\.npz is damaged"),
        ([paths[1], tmp_path / "none.npz"], r"none\.npz does not say which shard it is"),
        ([tmp_path / "none.npz", paths[1]], r"none\.npz does not say which shard it is"),
        ([paths[1], tmp_path / "old.counts"], r"old\.counts cannot be read: it is of tokviz 0\.1\.0\. Count again"),
        ([*paths, "--pattern", "o200k"], "made with the pattern 'gpt2', not 'o200k'"),
        ([*paths, "--special-token", "<s>"], "with other special tokens"),
        ([*paths, "--dask", "local"], "--dask counts texts, and these are chunk counts"),
    ):
        refused = call("train", *files, "-o", tmp_path / "mine.json")
        assert refused.exit_code == 1 and re.search(says, refused.stderr), refused.stderr
    assert not (tmp_path / "mine.json").exists()


def test_what_is_wrong_with_a_shard_is_said_and_nothing_is_written(shards: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "mine.npz"
    out.write_text("precious")
    refused = call("count-chunks", shards[0], "-o", out, "--shard", 1)
    assert refused.exit_code == 1 and "--force" in refused.stderr and out.read_text() == "precious"
    assert call("count-chunks", shards[0], "-o", out, "--shard", -1, "--force").exit_code == 2
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"caf\xe9")
    assert "latin.txt is not UTF-8: byte 3" in call("count-chunks", latin, "-o", out, "--force").stderr
    (counts,) = counted(shards[:1])
    assert "shard0.npz holds chunk counts already" in call("count-chunks", counts, "-o", out, "--force").stderr
    assert out.read_text() == "precious"
    good("count-chunks", latin, "-o", out, "--force", "--repair")
    assert b"".join(chunk for chunk, _ in tokviz.load_counts(out)) == "caf\ufffd".encode()
