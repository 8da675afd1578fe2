"""Any value for any argument of a public function is served, or refused with an error of ours."""

from __future__ import annotations

import math
import os
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tokviz
from tokviz.base.errors import TokvizError

CAT = "the cat in the hat"
TRAINING = tokviz.train(CAT, 260)
TOK = TRAINING.tokenizer
ENCODING = TOK.explain(CAT)
COMPARED = tokviz.compare(CAT, [TOK, TOK.truncated(258)])
TRAIN = {
    "corpus": CAT,
    "vocab_size": 260,
    "pattern": "gpt2",
    "special_tokens": (),
    "tie": "first",
    "min_count": 1,
    "ban": (),
    "prefer": "frequent",
    "name": "x",
}
SPECIALS = {"allowed_special": (), "disallowed_special": ()}
MADE = {
    "name": "x",
    "merges": [(97, 98)],
    "pattern": "gpt2",
    "special_tokens": {},
    "alphabet": [*range(256)],
    "merge_ids": [256],
}
RANKS = {bytes([byte]): byte for byte in range(256)}

WRONG: list[Callable[[], Any]] = [
    *(lambda value=value: value for value in (None, True, -1, 0, 2**31, 2**63, 2**70, -(2**70), 10**5_000)),
    *(lambda value=value: value for value in (1.5, math.nan, math.inf, 1j, np.int64(3), np.float64(3), np.bool_(True))),
    *(lambda value=value: value for value in ("", "x", "\0", "\ud800", "x" * 100_000, "(", "x{1000000000}")),
    *(lambda value=value: value for value in (b"x", bytearray(b"x"), memoryview(b"x"), Path("a\0b"))),
    *(lambda value=value: value for value in ([], [1.5], [None], ["\ud800"], [b"x"], ["x", 5], [10**5_000])),
    *(lambda value=value: value for value in ({}, {"x": 1}, {"x": 2**70}, {1: 2}, {"a": -1}, {1, 2}, {"a": None})),
    *(lambda value=value: value for value in (object(), int, [TOK], TOK, ENCODING, TRAINING, range(1_000))),
    *(lambda value=value: np.array(value) for value in ([1.5], [[1, 2]], ["x"], [1])),
    *(lambda value=value: iter(value) for value in ([1, 2], ["x"], [b"x"], [])),
]


def load_ranks(**given: Any) -> object:
    """Load a file that says neither its pattern nor its special tokens."""
    Path("x.tiktoken").write_bytes(b"".join(b"%b %d\n" % (b64encode(token), id) for token, id in RANKS.items()))
    return tokviz.load("x.tiktoken", **given)


CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "train": (tokviz.train, TRAIN),
    "train_steps": (lambda **given: [*tokviz.train_steps(**given)], {"cancel": None, **TRAIN}),
    "count_chunks": (
        tokviz.count_chunks,
        {"corpus": CAT, "pattern": "gpt2", "special_tokens": (), "shard": 0},
    ),
    "load": (tokviz.load, {"path": "x"}),
    "load what does not say everything": (load_ranks, {"pattern": "gpt2", "special_tokens": (), "name": "x"}),
    "load_counts": (tokviz.load_counts, {"path": "x"}),
    "save counts": (tokviz.count_chunks(CAT).save, {"path": "y.npz"}),
    "reference": (tokviz.reference, {"name": "gpt2"}),
    "read_text": (tokviz.read_text, {"data": b"x", "name": "x", "repair": False}),
    "compare": (tokviz.compare, {"text": CAT, "tokenizers": [TOK], "allowed_special": ()}),
    "Tokenizer": (tokviz.Tokenizer, {**MADE, "history": None, "made_from": None}),
    "from_ranks": (tokviz.Tokenizer.from_ranks, {"name": "x", "ids": RANKS, "pattern": "gpt2", "special_tokens": {}}),
    "encode": (TOK.encode, dict(text=CAT, **SPECIALS)),
    "encode_ordinary": (TOK.encode_ordinary, {"text": CAT}),
    "encode_array": (TOK.encode_array, {"text": CAT}),
    "explain": (TOK.explain, dict(text=CAT, **SPECIALS)),
    "explain_in_pieces": (lambda **given: [*TOK.explain_in_pieces(**given)], {"text": CAT, "size": 10, "start": 0}),
    "decode": (TOK.decode, {"ids": [97]}),
    "decode_bytes": (TOK.decode_bytes, {"ids": [97]}),
    "explain_ids": (TOK.explain_ids, {"ids": [97]}),
    "truncated": (TOK.truncated, {"vocab_size": 257}),
    "with_special_tokens": (TOK.with_special_tokens, {"special_tokens": {}}),
    "renamed": (TOK.renamed, {"name": "x"}),
    "rank_of": (TOK.rank_of, {"token": b"th"}),
    "rank_of_pair": (TOK.rank_of_pair, {"left": b"t", "right": b"h"}),
    "merged": (TOK.merged, {"data": b"the"}),
    "save": (TOK.save, {"path": "y.json"}),
    "at": (ENCODING.at, {"k": 1}),
    "tree": (ENCODING.tree, {"i": 1}),
    "joined_at": (ENCODING.joined_at, {"at": 1}),
    "part": (ENCODING.part, {"start": 0, "length": 3}),
    "window": (TRAINING.window, {"start": 0, "length": 3}),
    "candidates": (TRAINING.candidates, {"k": 1, "n": 3}),
    "tokens_at": (TRAINING.tokens_at, {"k": 1}),
    "reasons": (COMPARED.reasons, {"at": 4, "a": 0, "b": 1}),
}


@pytest.mark.parametrize("name", CALLS)
def test_any_value_is_served_or_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, given = CALLS[name]
    for argument in given:
        for wrong in WRONG:
            try:
                call(**{**given, argument: wrong()})
            except TokvizError as fault:
                said = fault
            else:
                continue
            assert isinstance(said, ValueError) and 0 < len(str(said)) < 1_000, argument


def test_a_pipe_is_not_written_over(tmp_path: Path) -> None:
    """A file that takes the place of a device breaks the machine for everybody."""
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(TokvizError, match=r"pipe\.json cannot be written: it is a device or a pipe"):
        TOK.save(tmp_path / "pipe.json")
    assert (tmp_path / "pipe.json").is_fifo()


def test_a_device_is_no_corpus() -> None:
    with pytest.raises(TokvizError, match=r"zero cannot be read: it is no file, and may never end\. Name a file\.$"):
        tokviz.train(Path("/dev/zero"))


@pytest.mark.parametrize("name", ["gpt-4o", "GPT 4", "llama3"])
def test_the_name_of_a_tokenizer_is_no_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TokvizError) as caught:
        tokviz.load(name)
    assert str(caught.value).endswith(f"It is the name of a tokenizer: pass it to tokviz.reference({name!r}).")
    TOK.save(name)
    assert tokviz.load(name).vocab == TOK.vocab, "a file of this name is one"
