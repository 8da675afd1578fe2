"""What is handed out cannot be changed: tokenizers are shared by every page and every thread."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import tokviz
from tokviz import Tokenizer
from tokviz.catalog import references, samples
from tokviz.formats.tokviz import dump, loads

CAT = "the cat in the hat sat on the mat. the cat and the hat."
TRAINED = tokviz.train(CAT, 260, special_tokens=["<s>"]).tokenizer
MAKERS: dict[str, Callable[[], Tokenizer]] = {
    "reference": lambda: tokviz.reference("gpt2"),
    "renamed": lambda: tokviz.reference("gpt2").renamed("x"),
    "truncated": lambda: tokviz.reference("gpt2").truncated(300),
    "trained": lambda: TRAINED,
    "loaded": lambda: loads(dump(TRAINED)),
    "copied": lambda: copy.deepcopy(TRAINED),
    "pickled": lambda: pickle.loads(pickle.dumps(TRAINED)),
}
CHANGES: list[Callable[[Tokenizer], object]] = [
    lambda tok: tok.special_tokens.__setitem__("<x>", 999),
    lambda tok: tok.special_tokens.clear(),
    lambda tok: tok.vocab.__setitem__(0, b"x"),
    lambda tok: tok.merges.__setitem__(0, (0, 0)),
    lambda tok: tok.merge_ids.__setitem__(0, 7),
    lambda tok: tok.alphabet.__setitem__(0, 7),
    lambda tok: setattr(tok, "name", "y"),
    lambda tok: setattr(tok, "merge_ids", None),
]


@pytest.mark.parametrize("maker", MAKERS)
def test_a_tokenizer_cannot_be_changed(maker: str) -> None:
    tok = MAKERS[maker]()
    before = (tok.name, dict(tok.special_tokens), dict(tok.vocab), tok.merge_ids.tolist(), tok.alphabet.tolist())
    for change in CHANGES:
        with pytest.raises((TypeError, ValueError, AttributeError)):
            change(tok)
    after = (tok.name, dict(tok.special_tokens), dict(tok.vocab), tok.merge_ids.tolist(), tok.alphabet.tolist())
    assert before == after


def test_what_a_tokenizer_was_made_of_can_be_changed_afterwards() -> None:
    alphabet, ids, specials = np.arange(256, dtype=np.int32), np.array([256], np.int32), {"<s>": 300}
    made_from = {"settings": {"ban": ["61"]}, "texts": [{"name": "a", "bytes": 1, "sha256": "0" * 64}]}
    tok = Tokenizer("own", [(97, 98)], alphabet=alphabet, merge_ids=ids, special_tokens=specials, made_from=made_from)
    alphabet[0], ids[0], specials["<t>"] = 255, 99, 301
    made_from["settings"]["ban"].append("62")
    made_from["texts"][0]["name"] = "b"
    assert (tok.alphabet[0], tok.merge_ids[0], dict(tok.special_tokens)) == (0, 256, {"<s>": 300})
    assert tok.made_from == {"settings": {"ban": ["61"]}, "texts": [{"name": "a", "bytes": 1, "sha256": "0" * 64}]}


def test_made_from_cannot_be_changed_at_any_depth() -> None:
    before = json.dumps(TRAINED.made_from)
    for thing, calls in (
        (TRAINED.made_from, "update pop setdefault __ior__ clear __delitem__ popitem __setitem__"),
        (TRAINED.made_from["settings"]["ban"], "append extend __iadd__ insert reverse sort pop clear __setitem__"),
        (TRAINED.made_from["texts"][0], "__setitem__"),
    ):
        for call in calls.split():
            with pytest.raises(TypeError, match="read-only"):
                getattr(thing, call)("texts", None)
    assert json.dumps(TRAINED.made_from) == before


def test_a_copy_of_made_from_can_be_changed() -> None:
    mine = copy.deepcopy(TRAINED.made_from)
    mine["texts"][0]["name"] = "other"
    assert mine != TRAINED.made_from and type(mine["texts"]) is list


def test_records_of_a_training_cannot_be_changed() -> None:
    history = TRAINED.history
    for table in (history.table, history[:2].table, pickle.loads(pickle.dumps(history)).table):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 9
    with pytest.raises(TypeError):
        history[0] = history[1]  # type: ignore[index]


def test_catalogs_and_samples_cannot_be_changed() -> None:
    for table in (tokviz.references(), references.models()):
        before = list(table)
        with pytest.raises(TypeError):
            table[before[0]] = None  # type: ignore[index]
        assert list(table) == before
    entry = tokviz.references()["gpt2"]
    with pytest.raises(TypeError):
        entry.special_tokens["<x>"] = 1  # type: ignore[index]
    for record in (
        entry,
        references.model("gpt-4o"),
        samples.sample("story"),
        samples.parallel()[0],
        samples.examples()[0],
    ):
        field = dataclasses.fields(record)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field, None)
    assert all(type(found) is tuple for found in (samples.samples(), samples.parallel(), samples.examples()))
    assert type(samples.parallel()[0].sentences) is tuple


def test_tokenizers_made_from_one_share_its_merges() -> None:
    tok = tokviz.reference("gpt2")
    tok.encode("warm")
    same, short = tok.renamed("x").with_special_tokens({"<x>": 60_000}), tok.truncated(1_000)
    assert same._vocabulary is tok._vocabulary
    assert short._vocabulary.table is tok._vocabulary.table
    assert np.shares_memory(short.merge_ids, tok.merge_ids)
    assert short.rank_of(tok.vocab[int(tok.merge_ids[2_000])]) is None
    assert short.with_special_tokens({"<x>": int(tok.merge_ids[2_000])}).n_vocab  # the id is free after the cut
