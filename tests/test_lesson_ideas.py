"""Every idea of the documents that the course comes from has its step, and what they print wrongly is put right."""

from __future__ import annotations

import tomllib
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tokviz
from tokviz.teach.lessons.course import course
from tokviz.teach.other_encoders import encode_with
from tokviz.tokenizer.tokenizer import Tokenizer

TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "data" / "ideas.toml").read_text("utf-8")
)
IDEAS = TABLE["idea"]


def test_every_idea_names_its_documents_and_a_step_of_the_course() -> None:
    documents = {document["key"] for document in TABLE["document"]}
    assert len(documents) == len(TABLE["document"]) == 5
    assert {key for idea in IDEAS for key in idea["in"]} == documents
    for idea in IDEAS:
        assert idea.keys() <= {"in", "says", "step", "right", "true_value", "check"}, idea
        assert idea["step"] in course().steps, f"“{idea['says']}” names the step {idea['step']}"
        assert idea["right"] == ("true_value" not in idea), idea["says"]
        assert not idea["says"].startswith("/") and idea["says"].endswith((".", "."))
    said = [idea["says"] for idea in IDEAS]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("idea", [pytest.param(idea, id=idea["says"][:50]) for idea in IDEAS if "check" in idea])
def test_the_values_in_the_table_are_the_computed_ones(idea: dict[str, Any]) -> None:
    for check in idea["check"]:
        assert computed(check) == {name: check[name] for name in computed(check)}, idea["says"]
        assert computed(check)


def computed(check: dict[str, Any]) -> dict[str, Any]:
    """The values that a row claims, computed."""
    text, found = check.get("text", ""), dict[str, Any]()
    if "models" in check:
        found["models"] = {name: tokviz.references()[name].n_vocab for name in check["models"]}
    if "bytes" in check:
        found["bytes"] = len(text.encode())
    if "pairs" in check:
        counted = Counter("".join(pair) for pair in pairwise(text))
        found["pairs"] = {pair: counted[pair] for pair in check["pairs"]}
    if "chunks" in check:
        found["chunks"] = [text.encode()[a:b].decode() for a, b in chunk_places(text)]
    tok = tokenizer_in(check)
    if tok is None:
        return found
    ids = encode_with(check.get("encoder", "rank"), tok, text).ids.tolist()
    if "tokenizer" not in check:
        assert ids == tok.encode_ordinary(text)
    pieces = [tok.vocab[id].decode(errors="replace") for id in ids]
    values: dict[str, Any] = {"ids": ids, "tokens": len(ids), "pieces": pieces} if text else {}
    if "after" in check:
        training = trained(check)
        values["after"] = [merge.tokens_after for merge in training.merges]
    return found | {name: value for name, value in values.items() if name in check}


def chunk_places(text: str) -> list[tuple[int, int]]:
    seams = tokviz.reference("gpt2").explain(text).seams
    starts = [i for i, seam in enumerate(seams.tolist()) if seam == tokviz.tokenizer.encoding.SPLIT]
    return list(pairwise([*starts, len(text.encode())]))


def trained(check: dict[str, Any]) -> tokviz.Training:
    return tokviz.train(check["corpus"], vocab_size=check["vocab_size"], pattern=check.get("pattern", "none"))


def tokenizer_in(check: dict[str, Any]) -> Tokenizer | None:
    if "tokenizer" in check:
        return tokviz.reference(check["tokenizer"])
    if "merges" in check:
        return Tokenizer("given", [(left, right) for left, right in check["merges"]], pattern="none")
    return trained(check).tokenizer if "corpus" in check else None
