"""The recipes for schedulers in docs/cli.md: run here, they train the tokenizer of the whole corpus.

The shell and make call a `tokviz` that only notes what it was asked for; the test then does that in its own process.
Ray and Spark are played by a few lines that send everything through pickle, as they do.
"""

from __future__ import annotations

import functools
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import tokviz
from tests.command_line import ROOT, good

TEXTS = ["the cat in the hat, ", "and the hat sat ", "on the mat, the cat"]
DOCUMENT = (ROOT / "docs" / "cli.md").read_text("utf-8")
SECTION = DOCUMENT.partition("## A corpus that no machine holds\n")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", SECTION, re.DOTALL)


def recipe(language: str, word: str = "") -> str:
    """The block of that section in this language that has this word in it."""
    (found,) = [block for kind, block in BLOCKS if kind == language and word in block]
    return found


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with shards and a `tokviz` that writes down its arguments."""
    for folder in ("corpus", "counts", "bin"):
        (tmp_path / folder).mkdir()
    for shard, text in enumerate(TEXTS):
        (tmp_path / "corpus" / f"{shard}.txt").write_text(text)
    noted = tmp_path / "bin" / "tokviz"
    noted.write_text('#!/bin/sh\nprintf "%s\\t" "$@" >> bin/asked\nprintf "\\n" >> bin/asked\n')
    noted.chmod(0o755)
    monkeypatch.setenv("PATH", str(noted.parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def do_what_was_asked() -> None:
    for line in Path("bin/asked").read_text().splitlines():
        good(*line.removesuffix("\t").split("\t"))


def assert_trained_on_all(training: tokviz.Training | None = None) -> None:
    whole = tokviz.train(TEXTS, 32_768)
    merges = training.merges if training else tokviz.load("mine.json").history
    assert tuple(merges or ()) == tuple(whole.merges) != ()


def test_in_a_shell_and_with_slurm() -> None:
    if not shutil.which("bash"):
        pytest.skip("needs bash")
    for shard in range(len(TEXTS)):
        environment = {"SLURM_ARRAY_TASK_ID": str(shard), "PATH": os.environ["PATH"]}
        subprocess.run(["bash", "-c", recipe("bash")], check=True, env=environment)
    do_what_was_asked()
    Path("bin/asked").unlink()
    counting, training = recipe("").split("\n")[:2], recipe("").split("\n")[2]
    assert counting[1].split("  ")[0] == counting[0].split("  ")[0].replace("0", "1")
    subprocess.run(["bash", "-c", training], check=True)
    do_what_was_asked()
    assert_trained_on_all()


def test_with_make() -> None:
    if not shutil.which("make"):
        pytest.skip("needs make")
    Path("Makefile").write_text(recipe("make"))
    subprocess.run(["make", "mine.json"], check=True, stdout=subprocess.DEVNULL)
    do_what_was_asked()
    assert_trained_on_all()


def sent(thing):
    return pickle.loads(pickle.dumps(thing))


def test_with_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    def remote(function):
        return SimpleNamespace(remote=lambda *given, **named: sent(function(*sent(given), **sent(named))))

    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(remote=remote, get=sent))
    exec(recipe("python", "ray"), {})
    assert_trained_on_all(tokviz.train(tokviz.load_counts("corpus.npz"), 32_768))


def test_with_spark() -> None:
    class Spark(list):
        def parallelize(self, things):
            return Spark(map(sent, things))

        def map(self, function):
            return Spark(sent(function(thing)) for thing in self)

        def treeReduce(self, function):
            return functools.reduce(function, reversed(self))

    exec(recipe("python", "sc."), {"sc": Spark()})
    assert_trained_on_all(tokviz.train(tokviz.load_counts("corpus.npz"), 32_768))
