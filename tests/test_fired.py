"""The merges that fire in a text are those of the whole list that change it, each where the list says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import Setting, settings_of_training, wild_texts
from tokviz.catalog.samples import sample, samples
from tokviz.vocabulary.fired import fired, only_fired

OTHERS = ["gpt2", "cl100k_base", "o200k_base"]


@given(settings_of_training(max_merges=25))
def test_over_its_own_corpus_it_is_the_history(setting: Setting) -> None:
    training = setting.train()
    found = fired(training.window(0, training.n_bytes))
    vocab = training.tokenizer.vocab
    assert [(f.rank, f.left, f.right, f.id, f.times, f.tokens_after) for f in found] == [
        (m.rank, vocab[m.left], vocab[m.right], m.id, m.replaced, m.tokens_after) for m in training.merges
    ]


@settings(max_examples=max(60, settings().max_examples))
@given(st.sampled_from(OTHERS), st.one_of(wild_texts, st.sampled_from([row.text for row in samples()])))
def test_each_is_of_their_list_and_after_the_last_stands_the_encoding(name: str, text: str) -> None:
    tok = tokviz.reference(name)
    encoding = tok.explain(text)
    found = fired(encoding)
    assert [f.rank for f in found] == sorted({f.rank for f in found})
    for f in found:
        left, right = tok.merges[f.rank]
        assert (tok.vocab[left], tok.vocab[right], int(tok.merge_ids[f.rank])) == (f.left, f.right, f.id)
    left = len(encoding.data) - sum(f.times for f in found)
    assert left == len(tok.encode_ordinary(text))
    assert not found or left == found[-1].tokens_after


def test_at_each_step_the_renumbered_text_is_the_text_cut_to_as_many_merges() -> None:
    encoding = tokviz.reference("cl100k_base").explain(sample("mixed").text[:2_000])
    compact, found = only_fired(encoding), fired(encoding)
    for k, f in enumerate(found):
        assert compact.at(k).ids.tolist() == encoding.at(f.rank).ids.tolist()
        assert len(compact.at(k + 1)) == f.tokens_after
    assert compact.ids.tolist() == encoding.ids.tolist()


def test_special_tokens_and_nothing_at_all() -> None:
    tok = tokviz.reference("gpt2")
    assert fired(tok.explain("")) == [] and len(only_fired(tok.explain("")).merge_ids) == 0
    encoding = tok.explain("<|endoftext|>the", allowed_special="all")
    assert [f.times for f in fired(encoding)] == [1, 1]
    assert only_fired(encoding).ids.tolist() == encoding.ids.tolist() == [50256, 1169]
    assert np.array_equal(only_fired(encoding).seams >= tokviz.OPEN, encoding.seams >= tokviz.OPEN)
