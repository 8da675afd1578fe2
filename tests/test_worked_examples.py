"""The worked examples that many accounts of BPE print, each brought to its true value.

`data/worked_examples.json` holds true values of well-known worked examples, computed with a naive trainer (the pair
seen first wins a tie, every adjacent window counts) and with tiktoken 0.14.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import tokviz
from tokviz.split.cutting import cut

TRUE = json.loads((Path(__file__).parent / "data" / "worked_examples.json").read_text(encoding="utf-8"))


def tokens_learned(training: tokviz.Training) -> list[str]:
    return [training.tokenizer.vocab[merge.id].decode() for merge in training.merges]


def test_no_example_is_left_out() -> None:
    """Each has its test below; a new one in the file needs one too."""
    sizes = {"vocab", "tiktoken"}
    trained = {"wikipedia", "aab", "hat_pairs", "hat_merge_th", "train10", "exercise1", "demo_class", "demo_regex"}
    others = {"regex_chunks", "exercise3", "cost_prompt_tokens", "exercise2_tokens"}
    assert set(TRUE) == {"tie", "note"} | sizes | trained | others


def test_wikipedia() -> None:
    """The ids alone would not tell: under another tie rule they are the same, from other tokens."""
    example = TRUE["wikipedia"]
    for tie, tokens in (("first", "tokens_first"), ("lowest", "tokens_minpair")):
        training = tokviz.train(example["text"], example["vocab_size"], pattern="none", tie=tie)
        assert tokens_learned(training) == example[tokens]
        assert training.tokenizer.encode(example["text"]) == example["ids"]


def test_aab() -> None:
    example = TRUE["aab"]
    training = tokviz.train(example["text"], example["vocab_size"], pattern="none")
    assert training.tokenizer.encode(example["text"]) == example["ids"]
    assert [training.tokens_at(k) for k in range(3)] == example["trace_lengths"]
    encoding = training.tokenizer.explain(example["text"])
    assert encoding.tokens_at.tolist() == example["trace_lengths"]


def test_top_pairs_of_the_hat() -> None:
    example = TRUE["hat_pairs"]
    found = tokviz.train(example["text"], 256, pattern="none").candidates(0, n=5)
    assert [[chr(pair.left), chr(pair.right), pair.count] for pair in found] == example["top5"]


def test_one_merge_of_the_hat() -> None:
    example = TRUE["hat_merge_th"]
    tok = tokviz.Tokenizer("th", [(ord("t"), ord("h"))], pattern="none")
    ids = tok.encode(TRUE["hat_pairs"]["text"])
    assert ids == example["ids"]
    assert len(ids) == example["len"]
    assert tokviz.train(TRUE["hat_pairs"]["text"], 257, pattern="none").tokenizer.merges == tok.merges


def test_ten_merges() -> None:
    example = TRUE["train10"]
    training = tokviz.train(example["text"], example["vocab_size"], pattern="none")
    assert [
        {
            "pair": [merge.left, merge.right],
            "id": merge.id,
            "bytes": training.tokenizer.vocab[merge.id].decode(),
            "count": merge.count,
            "tokens_after": merge.tokens_after,
        }
        for merge in training.merges
    ] == example["merges"]
    for text, ids in example["encode"].items():
        assert training.tokenizer.encode(text) == ids


def test_vocabularies_of_two_sizes() -> None:
    example = TRUE["exercise1"]
    for size, n in example["tokens"].items():
        tok = tokviz.train(example["corpus"], int(size), pattern="none").tokenizer
        assert len(tok.encode(example["test"])) == n


@pytest.mark.parametrize("demo", ["demo_class", "demo_regex"])
def test_demos(demo: str) -> None:
    example = TRUE[demo]
    tok = tokviz.train(example["corpus"], example["vocab_size"], pattern=example.get("pattern", "none")).tokenizer
    for text, ids in example["encode"].items():
        assert tok.encode(text) == ids


def test_chunks_of_two_patterns() -> None:
    example = TRUE["regex_chunks"]
    for pattern, chunks in ((TRUE["demo_regex"]["pattern"], "seed_pattern"), ("gpt2", "gpt2_pattern")):
        ends = cut(example["text"], pattern).tolist()
        assert [example["text"][start:end] for start, end in pairwise([0, *ends])] == example[chunks]


def test_one_pass_in_learned_order_is_no_bug() -> None:
    """Going through the merges once, in order, is the same as taking the lowest rank there is again and again."""
    example = TRUE["exercise3"]
    merges = [(left, right) for left, right, _ in example["merges"]]
    ids = [id for *_, id in example["merges"]]
    tok = tokviz.Tokenizer("the", merges, pattern="none", merge_ids=ids)
    for text in ("the cat", " the cat"):
        assert tok.encode(text) == example[text]
        once = list(text.encode())
        for pair, id in zip(merges, ids, strict=True):
            i = 0
            while i < len(once) - 1:
                if (once[i], once[i + 1]) == pair:
                    once[i : i + 2] = [id]
                i += 1
        assert (once == tok.encode(text)) is example["buggy_equals_fixed"]


@pytest.mark.parametrize("example", TRUE["tiktoken"])
def test_ids_of_the_references(example: str) -> None:
    name, text = example.split("|", 1)
    tok = tokviz.reference(name)
    assert tok.encode(text) == TRUE["tiktoken"][example]
    assert tok.decode(TRUE["tiktoken"][example]) == text


@pytest.mark.parametrize("name", TRUE["vocab"])
def test_sizes_of_the_references(name: str) -> None:
    values, tok = TRUE["vocab"][name], tokviz.reference(name)
    assert tok.vocab_size == values["mergeable"]
    assert len(tok.special_tokens) == values["special"]
    assert tok.n_vocab == values["n_vocab"]
    assert [id for id in range(tok.n_vocab) if id not in tok.vocab] == values.get("unused", [])
