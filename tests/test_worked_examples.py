"""The worked examples that many accounts of BPE print, each brought to its true value.

`data/worked_examples.json` holds true values of well-known worked examples, computed with a naive trainer (the pair
seen first wins a tie, every adjacent window counts) and with tiktoken 0.14.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import tokviz
from tests import naive
from tokviz.split.cutting import cut

TRUE = json.loads((Path(__file__).parent / "data" / "worked_examples.json").read_text(encoding="utf-8"))


TRAINED = ["wikipedia", "aab", "train10", "demo_class", "demo_regex"]


def trained(key: str, size: int | None = None, tie: str = "first") -> tokviz.Training:
    example = TRUE[key]
    corpus = example["text"] if "text" in example else example["corpus"]
    return tokviz.train(corpus, size or example["vocab_size"], pattern=example.get("pattern", "none"), tie=tie)


def test_no_example_is_left_out() -> None:
    """Each is looked at below; a new one in the file has to be too."""
    others = {"hat_pairs", "hat_merge_th", "exercise1", "exercise3", "regex_chunks", "vocab", "tiktoken"}
    of_cost = {"cost_prompt_tokens", "exercise2_tokens"}  # see test_cost
    assert set(TRUE) == {"tie", "note", *TRAINED, *others, *of_cost}


def test_trainings() -> None:
    for key in TRAINED:
        example, tok = TRUE[key], trained(key).tokenizer
        encodings = example["encode"] if "encode" in example else {example["text"]: example["ids"]}
        assert {text: tok.encode(text) for text in encodings} == encodings
    assert [trained("aab").tokens_at(k) for k in range(3)] == TRUE["aab"]["trace_lengths"]
    ten = trained("train10")
    learned = [(merge.left, merge.right, merge.id, merge.count, merge.tokens_after) for merge in ten.merges]
    said = TRUE["train10"]["merges"]
    assert learned == [(*merge["pair"], merge["id"], merge["count"], merge["tokens_after"]) for merge in said]
    assert [ten.tokenizer.vocab[merge.id].decode() for merge in ten.merges] == [merge["bytes"] for merge in said]
    for size, n in TRUE["exercise1"]["tokens"].items():
        assert len(trained("exercise1", int(size)).tokenizer.encode(TRUE["exercise1"]["test"])) == n


def test_wikipedia() -> None:
    """The ids alone would not tell: under another tie rule they are the same, from other tokens."""
    for tie, tokens in (("first", "tokens_first"), ("lowest", "tokens_minpair")):
        training = trained("wikipedia", tie=tie)
        learned = [training.tokenizer.vocab[merge.id].decode() for merge in training.merges]
        assert learned == TRUE["wikipedia"][tokens]
        assert training.tokenizer.encode(TRUE["wikipedia"]["text"]) == TRUE["wikipedia"]["ids"]


def test_the_pairs_of_the_hat() -> None:
    text, example = TRUE["hat_pairs"]["text"], TRUE["hat_merge_th"]
    training = tokviz.train(text, 257, pattern="none")
    found = training.candidates(0, n=5)
    assert [[chr(pair.left), chr(pair.right), pair.count] for pair in found] == TRUE["hat_pairs"]["top5"]
    assert training.tokenizer.encode(text) == example["ids"] and len(example["ids"]) == example["len"]


def test_chunks_of_two_patterns() -> None:
    example = TRUE["regex_chunks"]
    for pattern, chunks in ((TRUE["demo_regex"]["pattern"], "seed_pattern"), ("gpt2", "gpt2_pattern")):
        ends = cut(example["text"], pattern).tolist()
        assert [example["text"][start:end] for start, end in pairwise([0, *ends])] == example[chunks]


def test_one_pass_in_learned_order_is_no_bug() -> None:
    """Going through the merges once, in order, is the same as taking the lowest rank there is again and again."""
    example = TRUE["exercise3"]
    merges, ids = [(left, right) for left, right, _ in example["merges"]], [id for *_, id in example["merges"]]
    tok = tokviz.Tokenizer("the", merges, pattern="none", merge_ids=ids)
    for text in ("the cat", " the cat"):
        assert tok.encode(text) == example[text]
        once = list(text.encode())
        for pair, id in zip(merges, ids, strict=True):
            once = naive.merge(once, pair, id)
        assert (once == tok.encode(text)) is example["buggy_equals_fixed"]


def test_the_references() -> None:
    for example, ids in TRUE["tiktoken"].items():
        name, text = example.split("|", 1)
        assert tokviz.reference(name).encode(text) == ids and tokviz.reference(name).decode(ids) == text
    for name, values in TRUE["vocab"].items():
        tok = tokviz.reference(name)
        figures = tok.vocab_size, len(tok.special_tokens), tok.n_vocab
        assert figures == (values["mergeable"], values["special"], values["n_vocab"])
        assert [id for id in range(tok.n_vocab) if id not in tok.vocab] == values.get("unused", [])
