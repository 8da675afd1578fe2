"""Proof of an export: the real packages load the files, and what they do otherwise is found and named."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tokviz
from tests.command_line import WAIT
from tests.formats_cases import CAT, HUG, drawn_tokenizers
from tests.strategies import wild_texts
from tests.test_formats_tiktoken import prefix_free
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, InputError, PatternError
from tokviz.base.text import clean
from tokviz.catalog.samples import sample, samples
from tokviz.comparison import export, judge
from tokviz.comparison.export import GENERATED, Verdict, probes, prove, prove_steps
from tokviz.formats import WRITTEN, dump
from tokviz.formats.snippets import Snippet, python_text, snippet
from tokviz.split.cutting import PATTERNS


def encode_of(tok: Tokenizer, format: str, files: Mapping[str, bytes]) -> Callable[[str], list[int]]:
    """`encode` as the snippet defines it, after it has loaded the files in a folder of their own."""
    names: dict = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, data in files.items():
            Path(name).write_bytes(data)
        exec(snippet(tok, format, list(files)).code, names)
    return names["encode"]


@pytest.mark.parametrize("format", WRITTEN)
@settings(max_examples=settings().max_examples // 3)
@given(tok=drawn_tokenizers, text=wild_texts)
def test_the_snippet_of_each_format_gives_the_same_ids(format: str, tok: Tokenizer, text: str) -> None:
    try:
        encode = encode_of(tok, format, dump(tok, format))
    except FormatError:
        assume(False)
    if format == "tiktoken":  # it reads custom patterns otherwise, and special tokens that begin within one another
        assume(tok.pattern in PATTERNS and prefix_free(tok.special_tokens))
    for probe in [clean(text), *probes(tok, generated=10)[-10:]]:
        with contextlib.suppress(PatternError):
            assert list(encode(probe)) == tok.encode(probe, "all")


def trained(pattern: str) -> Tokenizer:
    specials = ["<|endoftext|>", "<é \n>", '"""']
    return tokviz.train(sample("story").text, 700, pattern=pattern, special_tokens=specials, name="probes").tokenizer


@pytest.mark.parametrize(
    ("format", "pattern", "judge"),
    [
        ("minbpe", "cl100k", "tokviz"),
        ("tiktoken", "none", "tiktoken"),
        ("hf", r"\s+(?!\S)|\S+|\s+", "tokenizers"),
    ],
)
def test_the_real_package_gives_the_same_ids_on_a_thousand_texts(format: str, pattern: str, judge: str) -> None:
    tok = trained(pattern)
    if format == "minbpe":
        tok = tok.with_special_tokens({"<|endoftext|>": 700})
    text = "the text at hand\r\n" * 20
    found = prove(tok, format, dump(tok, format), probes(tok, text))
    assert (found.equal, found.unequal, found.why, found.left_out) == (True, None, "", 0)
    assert found.judge.startswith(f"{judge} ") and found.judge[-1].isdigit()
    lines = {line for one in samples() for line in one.text.split("\n")}
    assert found.probes == 1 + len(lines) + GENERATED == 1 + len(lines) + 1_000
    assert found.n_ids > 10_000 and found.n_bytes > found.n_ids


def forged(format: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """The same files with the ids of two tokens exchanged."""
    name = next(iter(files))
    if format == "tiktoken":
        lines = files[name].replace(b"dWc= 256", b"dWc= 257").replace(b"aHVn 257", b"aHVn 256")
        return {name: lines}
    content = json.loads(files[name])
    content["u"], content["s"] = content["s"], content["u"]
    return files | {name: json.dumps(content).encode()}


@pytest.mark.parametrize("format", ["tiktoken", "gpt2"])
def test_a_forged_file_is_found_out_with_the_place(format: str) -> None:
    texts = ["a cat", "é, hugs", "sun"]
    found = prove(HUG, format, forged(format, dump(HUG, format)), texts)
    assert found.equal is False and found.unequal and found.why == ""
    wrong = found.unequal
    assert texts[wrong.probe - 1] == wrong.text and found.probes == wrong.probe
    assert list(wrong.ours) == HUG.encode(wrong.text, "all") and wrong.theirs != wrong.ours
    same = [*takewhile(lambda pair: pair[0] == pair[1], zip(wrong.ours, wrong.theirs, strict=False))]
    assert wrong.byte == sum(len(HUG.vocab[id]) for id, _ in same)
    assert (wrong.probe, wrong.byte) == (2, 4 if format == "tiktoken" else 7)


def judged_by(code: str, monkeypatch: pytest.MonkeyPatch, package: str = "tiktoken", **more: float) -> Verdict:
    monkeypatch.setattr(export, "snippet", lambda *_: Snippet(package, code, ""))
    return prove(HUG, "tiktoken", dump(HUG, "tiktoken"), ["a", "hug"], **more)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os; os._exit(7)", r"ended without an answer \(7\)\.$"),
        ("def encode(text): raise ValueError('odd\\ntext')", r"failed at probe 1: ValueError: odd text\.$"),
        ("class Panic(BaseException): pass\ndef encode(text): raise Panic('!')", "failed at probe 1: Panic: !"),
        pytest.param(
            "def encode(text): return bytearray(8 << 30)",
            "failed at probe 1: MemoryError",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="Only Linux limits the memory of a process"),
        ),
        ("import nowhere", "cannot load the files: ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_judge_that_fails_leaves_a_verdict(code: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged_by(code, monkeypatch)
    assert (found.equal, found.unequal) == (None, None)
    assert re.search(why, found.why)


def test_a_judge_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import time\ndef encode(text):\n    time.sleep(600 if text == 'hug' else 0)\n    return [97]"
    found = judged_by(code, monkeypatch, limit_s=0.6)
    assert found.equal is None and "had not answered all probes after 1 seconds" in found.why


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timer that ends a process")
def test_a_judge_that_nobody_stops_ends_by_itself(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "probes.json").write_text("[]", "utf-8")
    (tmp_path / "snippet.py").write_text("while True: pass", "utf-8")
    call = [sys.executable, "-P", judge.__file__, str(tmp_path), "json", "0.1"]
    assert subprocess.run(call, timeout=WAIT).returncode == -signal.SIGALRM


def test_a_package_that_is_absent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = judged_by("import no_such_package", monkeypatch, package="no_such_package")
    assert (found.equal, found.why) == (None, "no_such_package is not installed.")


def test_a_file_that_the_package_cannot_read() -> None:
    found = prove(HUG, "hf", {"tokenizer.json": b"{"}, [CAT])
    assert found.equal is None and found.why.startswith("tokenizers 0.") and "cannot load the files" in found.why


def test_closing_the_steps_stops_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(export, "snippet", lambda *_: Snippet("tiktoken", "import time; time.sleep(600)", ""))
    monkeypatch.setattr(subprocess, "Popen", lambda *call, **how: started.append(popen(*call, **how)) or started[0])
    steps = prove_steps(HUG, "tiktoken", dump(HUG, "tiktoken"), [CAT])
    while not started:
        next(steps)
    folder = Path(started[0].args[3])
    assert folder.is_dir() and started[0].poll() is None
    steps.close()
    assert started[0].poll() is not None and not folder.exists()


def test_the_call_of_the_judge_has_no_text_of_people(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, popen = [], subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda call, **how: calls.append(call) or popen(call, **how))
    tok = Tokenizer("SECRET", HUG.merges, pattern="gpt2", special_tokens={"SECRET": 300})
    assert prove(tok, "tiktoken", dump(tok, "tiktoken"), ["SECRET text"]).equal
    assert calls and "SECRET" not in " ".join(calls[0])


def test_texts_that_the_pattern_does_not_cover_are_left_out() -> None:
    tok = Tokenizer("letters", HUG.merges, pattern=r"[a-z]+")
    found = prove(tok, "hf", dump(tok, "hf"), ["hug", "a hug", "hugs"])
    assert (found.equal, found.probes, found.left_out) == (True, 2, 1)
    nothing = prove(tok, "hf", dump(tok, "hf"), ["1", "2"])
    assert (nothing.equal, nothing.probes, nothing.left_out) == (None, 0, 2)
    assert nothing.why == "The split pattern covers none of the probes."


def test_a_pattern_that_the_files_leave_out_and_the_package_reads_otherwise() -> None:
    tok = Tokenizer("custom", HUG.merges, pattern=r"\w+|\W+")
    found = prove(tok, "gpt2", dump(tok, "gpt2"), [CAT])
    assert found.equal is None and "signs that tokenizers may read otherwise" in found.why


def test_probes_have_the_text_the_samples_and_special_tokens() -> None:
    tok = Tokenizer("hug", HUG.merges, special_tokens={"<|é|>": 300})
    found = probes(tok, "the \ud800 text")
    assert found[0] == "the \ufffd text" and found == probes(tok, "the \ud800 text")
    assert all(line in found for one in samples() for line in one.text.split("\n"))
    assert sum("<|é|>" in text for text in found) > 20 and sum("hug" in text for text in found) > 20
    assert all(text == clean(text) for text in found)


@given(st.text(st.characters(exclude_categories=())))
def test_a_literal_is_the_text(text: str) -> None:
    assert ast.literal_eval(python_text(text)) == text


@pytest.mark.right
def test_a_file_name_that_leaves_the_folder_of_the_judge_is_refused() -> None:
    for name in ("../tokenizer.json", "a/b", "..", "", "a\\b"):
        with pytest.raises(InputError, match="leads to another folder"):
            prove(HUG, "tiktoken", {name: b""}, ["hug"])
