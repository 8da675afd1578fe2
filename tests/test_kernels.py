"""The kernels at their edges: thresholds, tallies and memories made so small that they run over all the time, with the
compiler and without it."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests import naive
from tests.strategies import Setting, settings_of_training, wild_texts
from tests.test_training import CAT, assert_equals_naive, figures
from tests.waiting import PATIENCE_S
from tokviz import kernels
from tokviz.base.text import clean
from tokviz.corpus import counting
from tokviz.kernels import PlainEncoder, collecting, encoding, learning, warming
from tokviz.split.cutting import cut

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", params=[1, 40])
def tight(request: pytest.FixtureRequest):
    """The first threshold so high, and each next one so near it, that the pairs are collected again and again; a tally
    of few counts; walks in steps of a few places; arrays that are too small at first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "FIRST_THRESHOLD", request.param)
        patch.setattr(learning, "LOWER", 2)
        patch.setattr(learning, "HISTOGRAM", 3)
        patch.setattr(collecting, "SKETCH", 4)
        patch.setattr(learning, "WORTH_A_THREAD", 9)
        patch.setattr(counting, "CPUS", 3)
        for module in (learning, collecting):
            patch.setattr(module, "SLICE_PLACES", 5)
            patch.setattr(module, "ROOM", 2)
        yield


@settings(max_examples=100)
@given(setting=settings_of_training())
def test_learning_is_exact_whatever_the_thresholds(tight, setting: Setting) -> None:
    assert_equals_naive(setting)


def test_arrays_grow() -> None:
    """More pairs and places than the arrays begin with: 3,000 random bytes over an alphabet that makes few repeat."""
    choose = random.Random(5)
    text = "".join(map(chr, choose.choices(range(0x20, 0x250), k=6_000)))
    setting = Setting((text,), 15, "none")
    assert figures(setting.train()) == setting.naive[0]
    run = Setting(("ab" * 9_000 + "a" * 9_000,), 12, "none")
    assert figures(run.train()) == run.naive[0]


def test_room_that_was_made_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A merge of more places than there are ids, where pairs and table are just large enough for its new pairs."""
    choose = random.Random(3)
    text = "ab" * 500 + "".join(choose.choices("abcdefghijklmnopqrst", k=900))
    n_pairs = len(set(itertools.pairwise(text.encode())))
    assert 256 < n_pairs <= 512  # so the table begins with room for 1,024
    asked_for: list[int] = []
    make_room = learning.Learner._make_room

    def noted(self: learning.Learner, n_places: int) -> None:
        asked_for.append(len(self.merges))
        assert len(set(asked_for)) == len(asked_for), "room for this merge was made before"
        make_room(self, n_places)

    monkeypatch.setattr(learning.Learner, "_make_room", noted)
    monkeypatch.setattr(learning, "ROOM", 2)
    just = (1024 - n_pairs) // 2  # the most ids whose new pairs fit
    for ids in range(just - 2, just + 3):
        asked_for.clear()
        tokviz.train(text, ids, pattern="none")
        assert asked_for


def test_counts_beyond_32_bits() -> None:
    count, one = 2**31, tokviz.count_chunks("abab aba", "gpt2")
    many = tokviz.ChunkCounts(
        one.data, one.ends, one.counts * count, one.firsts, one.pattern, (), (), one.n_bytes * count
    )
    few, lots = tokviz.train(one, 260), tokviz.train(many, 260)
    assert [(m.left, m.right) for m in lots.merges] == [(m.left, m.right) for m in few.merges]
    assert [m.count for m in lots.merges] == [m.count * count for m in few.merges]
    assert [m.tied for m in lots.merges] == [m.tied for m in few.merges]
    assert np.array_equal(lots.seams, few.seams)


def test_a_memory_that_forgets_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tok = tokviz.train(CAT, 280).tokenizer
    words = [f" {a}{b}{CAT[i % 40 : i % 40 + 9]}" for i, a in enumerate("thecaron") for b in "the mat hat"]
    text = "".join(words * 3)
    chunks = [text.encode()[i:j] for i, j in zip([0, *cut(text, "gpt2")], cut(text, "gpt2"), strict=False)]
    expected = naive.encode(chunks, tok.merges)
    assert tok.encode(text) == expected
    monkeypatch.setattr(encoding, "MOST_CHUNKS", 3)
    monkeypatch.setattr(encoding, "MOST_BYTES", 20)
    monkeypatch.setattr(encoding, "FIRST_ROWS", 4)
    monkeypatch.setattr(encoding, "FIRST_BYTES", 300)
    monkeypatch.setattr(encoding, "SLICE", 7)
    small = tok.truncated(tok.vocab_size)
    for _ in range(3):
        assert small.encode(text) == expected
        assert small.explain(text).ids.tolist() == expected


# The last pattern has no automaton, so the ends of its chunks are known before the text is parted.
@settings(max_examples=max(100, settings().max_examples))
@given(
    pattern=st.sampled_from(["none", "gpt2", "cl100k", "o200k", r"\w+|\W", r"(?<=a)b|[\s\S]"]),
    text=wild_texts,
    n=st.integers(1, 8),
)
def test_any_number_of_threads_encodes_as_one(pattern: str, text: str, n: int) -> None:
    tok, text = tokviz.Tokenizer("t", TRAINED.merges, pattern=pattern), text + CAT
    expected = tok.explain_chunks(clean(text).encode(), cut(clean(text), pattern))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"SHORT": 0, "WORTH_A_THREAD": 1, "CPUS": 8, "SLICE": 3}.items():
            patch.setattr(encoding, name, value)
        fresh = tok.truncated(tok.vocab_size)
        assert fresh.encode_array(text, n).tolist() == expected.ids.tolist()
        assert fresh.explain(text).seams.tolist() == expected.seams.tolist()
        assert fresh.encode_array(text).tolist() == fresh.encode_ordinary(text) == expected.ids.tolist()


def test_long_chunks_are_merged_as_short_ones() -> None:
    merges = tokviz.train("aaab aab abab baaa aabb", 290, pattern="none").tokenizer.merges
    tok, choose = tokviz.Tokenizer("long", merges, pattern="none"), random.Random(5)
    for size in (62, 63, 64, 65, 66, 255, 256, 257, 2_000):
        for text in ("a" * size, "ab" * (size // 2), "".join(choose.choices("ab ", k=size))):
            assert tok.encode(text) == naive.encode([text.encode()], merges)


def test_one_tokenizer_serves_many_threads() -> None:
    tok = tokviz.reference("gpt2").renamed("shared").truncated(40_000)
    texts = [Path(encoding.__file__).read_text(), CAT * 50, "naïve 日本 " * 300, "x" * 5_000]
    expected = [tok.truncated(40_000).encode(text) for text in texts]
    wrong: list[int] = []

    def work(i: int) -> None:
        for _ in range(20):
            if tok.encode_array(texts[i]).tolist() != expected[i] or tok.explain(texts[i]).ids.tolist() != expected[i]:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_short_text_waits_for_no_long_one() -> None:
    tok = tokviz.train(CAT, 280, pattern="none").tokenizer
    encoder = tok._vocabulary.encoder
    tok.encode("x" * encoding.SHORT + "x")
    assert isinstance(encoder, encoding.Encoder) and encoder._others
    with encoder._others[0]._lock:  # as held while a long text is encoded
        assert tok.decode(tok.encode(CAT)) == CAT


# Plain Python, which serves while the kernels are compiled


def test_the_stages_run_one_after_the_other_even_where_one_fails(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    for name in ("begun", "encoding", "ready"):
        monkeypatch.setattr(warming, name, threading.Event())
    assert kernels.wait(0), "where nothing is compiled ahead, nobody waits"
    monkeypatch.setattr(warming, "code_is_kept", lambda: False)
    go_on, seen = threading.Event(), []

    def stage() -> None:
        assert go_on.wait(PATIENCE_S)
        seen.append((kernels.plain_serves(), warming.encoding.is_set()))
        if len(seen) == 2:
            raise RuntimeError("a kernel that does not compile")

    thread = kernels.warm([stage, stage], "tests.no_such_module")
    assert kernels.plain_serves() and not kernels.wait(0)
    go_on.set()
    thread.join()
    assert seen == [(False, False), (False, True)]
    assert not kernels.plain_serves() and kernels.wait(0)


REFERENCE, TRAINED = tokviz.reference("gpt2"), tokviz.train([CAT, "naïve 👍👍 aaaa"], 290).tokenizer
TOKENIZERS = {
    "ranks": REFERENCE,
    "shorter": REFERENCE.truncated(500),
    "pairs": TRAINED,
    "no pattern": tokviz.Tokenizer("t", TRAINED.merges, pattern="none"),
    "cl100k": tokviz.Tokenizer("t", TRAINED.merges, pattern="cl100k"),
    "o200k": tokviz.Tokenizer("t", TRAINED.merges, pattern="o200k"),
    "custom": tokviz.Tokenizer("t", TRAINED.merges, pattern=r"\w+|\W"),
}


@settings(max_examples=max(100, settings().max_examples))
@given(name=st.sampled_from([*TOKENIZERS]), text=wild_texts)
def test_plain_python_gives_what_the_kernels_give(name: str, text: str) -> None:
    tok, text = TOKENIZERS[name], text + CAT[:60]
    expected = tok.explain(text)
    with pytest.MonkeyPatch.context() as patch:
        for event in ("begun", "encoding"):
            patch.setattr(warming, event, threading.Event())
        warming.begun.set()
        assert isinstance(tok._vocabulary.encoder, PlainEncoder)
        assert tok.explain(text).seams.tolist() == expected.seams.tolist()
        assert tok.encode_array(text).tolist() == expected.ids.tolist()
    assert tok.encode_array(text).tolist() == expected.ids.tolist()
    assert "_plain_encoder" not in vars(tok._vocabulary), "it is let go"


def test_every_kernel_is_plain_python_without_the_compiler_and_a_rehearsal_calls_it() -> None:
    """So a reader can step through it; and nobody waits for the compiler of a kernel that no rehearsal called."""
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_THE_COMPILER]
    run = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


WITHOUT_THE_COMPILER = """
import sys, threading
from tokviz import rehearsal
from tokviz.corpus import counters, counting, stretches
from tokviz.kernels import base, collecting, encoding, learning
called = set()
def note(frame, event, _):
    called.add(frame.f_code)
sys.setprofile(note)
threading.setprofile(note)
rehearsal.MANY, encoding.FIRST_ROWS, counting.CPUS = 1_200, 64, 2
stretches.LEAST_PART = counters.LEAST_PART = 1_000
learning.HISTOGRAM = collecting.SKETCH = 64
for stage in rehearsal.STAGES:
    stage()
sys.setprofile(None)
missing = [one.__name__ for one in base._kernels if one.__code__ not in called]
assert len(base._kernels) > 40 and not missing, missing
import os
import tokviz
from tests.strategies import Setting
from tests.test_training import CAT, figures
from tokviz.corpus import reading
from tokviz.kernels import chunks, merging
from tokviz.split import cutting
assert os.environ["NUMBA_DISABLE_JIT"] == "1" and merging.make_merges.__class__.__name__ == "function"
assert not hasattr(cutting.chunk_ends, "py_func"), "this is compiled"
chunks.LONG = 5
SETTINGS = {"first": {}, "lowest": {"ban": (b"at", b"the"), "prefer": "rarest"}, "hf": {"min_count": 2}}
for tie, how in SETTINGS.items():
    for pattern, threshold in (("none", 5_000), ("gpt2", 1)):
        learning.FIRST_THRESHOLD = threshold
        setting = Setting((CAT, "aaaa aaa", "caf\\u00e9"), 25, pattern, tie=tie, **how)
        training = setting.train()
        assert figures(training) == setting.naive[0], setting
        assert training.window(0, 10**6).seams.tolist() == setting.naive_seams(), setting
        found = [(c.left, c.right, c.count, c.first) for c in training.candidates(7, 10**6)]
        assert found == setting.naive_candidates(7), setting
        assert training.tokenizer.encode(CAT) == training.tokenizer.explain(CAT).ids.tolist()
ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 260, b"bc": 300, b"abc": 301, b"bcab": 302}
tok = tokviz.Tokenizer.from_ranks("ranks", ids, pattern="none", special_tokens={})
assert tok.encode("abcbcabx") == [301, 302, 120]
text = "Don't stop: naïve ideas, 12345 of THEM'LL\\r\\n  go   on\\n\\n你好 👍👍 the cat the cat\\n" * 3
for pattern in ("gpt2", "o200k", r"(?<=a)b|[\\s\\S]"):
    reading.BLOCK, stretches.MOST_PART = 1 << 20, 1 << 20
    whole = tokviz.count_chunks([text, "", text], pattern)
    ends = cutting.cut(text, pattern).tolist()
    assert {*dict(whole)} == {text.encode()[i:j] for i, j in zip([0, *ends], ends)}
    reading.BLOCK = stretches.MOST_PART = 7
    once = tokviz.count_chunks(iter([text]), pattern)
    assert dict(once + once) == dict(whole)
"""

IMPORT_AND_COMPILE = """
import copy, json, os, numba
def settings():
    return {name: copy.copy(getattr(numba.config, name)) for name in dir(numba.config) if name.isupper()}
before, environment = settings(), dict(os.environ)
import numpy as np
import tokviz
assert len(before) > 50 and settings() == before, "importing tokviz changed a setting of numba"
assert dict(os.environ) == environment, "importing tokviz changed the environment"
from tokviz.kernels import merging
merging.enter(np.zeros((2, 2), np.int64), np.zeros((0, 5), np.int64), 0, 0)
assert settings() == before and dict(os.environ) == environment
print(json.dumps([tokviz.__file__, merging.enter.stats.cache_path, sum(merging.enter.stats.cache_hits.values())]))
"""


def imported_and_compiled(root: Path, **environment: str) -> tuple[str, Path | None, int]:
    """(the package that was imported, the folder of compiled code or None, how many kernels came from it)."""
    given = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    run = subprocess.run(
        [sys.executable, "-B", "-c", IMPORT_AND_COMPILE],
        cwd=root,
        env={**given, **environment},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    package, folder, hits = json.loads(run.stdout)
    return package, Path(folder) if folder else None, hits


def test_importing_changes_no_setting_of_the_process() -> None:
    _, folder, _ = imported_and_compiled(ROOT)
    assert folder == ROOT / "tokviz" / "kernels" / "__pycache__"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="a private folder needs the user's number")
def test_where_the_code_cannot_be_written_kernels_are_kept_in_a_private_folder(tmp_path: Path) -> None:
    """In a copy of tokviz with files in place of both folders for code (root may write to any folder)."""
    out = shutil.ignore_patterns("__pycache__", "ui", "data", "samples")
    shutil.copytree(ROOT / "tokviz", tmp_path / "tokviz", ignore=out)
    (tmp_path / "tokviz" / "kernels" / "__pycache__").touch()
    (tmp_path / "cache").touch()
    private = tmp_path / "temporary" / f"tokviz-kernels-{os.getuid()}"
    private.mkdir(parents=True)
    private.chmod(0o777)
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "temporary")}
    package, folder, _ = imported_and_compiled(tmp_path, **environment)
    assert Path(package).is_relative_to(tmp_path)
    assert folder is None and not list(private.iterdir()), "code was kept where others can write"
    private.rmdir()
    _, folder, hits = imported_and_compiled(tmp_path, **environment)
    assert folder and folder.parent == private and private.stat().st_mode & 0o077 == 0
    assert list(folder.glob("merging.enter-*.nbc")) and hits == 0
    assert imported_and_compiled(tmp_path, **environment)[2] == 1, "the second process compiled again"
