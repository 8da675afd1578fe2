"""How often tokens are made and how often they remain, against the merge trees of a text."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz import Tokenizer
from tokviz.vocabulary.use import TokenUse, use_in_text, use_in_training


def by_trees(tok: Tokenizer, text: str) -> tuple[Counter[int], Counter[int]]:
    """Id -> how often it was made and how often it remains, by a walk through the tree of every token."""
    encoding = tok.explain(text, set(tok.special_tokens))
    made = Counter(node.id for i in range(len(encoding)) for node in encoding.tree(i).walk() if node.id is not None)
    return made, Counter(encoding.ids.tolist())


def by_id(tok: Tokenizer, use: TokenUse) -> tuple[Counter[int], Counter[int]]:
    ids = [*tok.alphabet.tolist(), *tok.merge_ids.tolist()]
    made = Counter(dict(zip(ids, use.made.tolist(), strict=True))) + Counter(use.whole)
    return made, Counter(dict(zip(ids, use.remain.tolist(), strict=True))) + Counter(use.whole)


@given(st.text("ab c\n", max_size=60), st.integers(0, 12), st.sampled_from(["none", "gpt2"]))
def test_the_use_in_the_corpus_is_that_of_its_trees(corpus: str, merges: int, pattern: str) -> None:
    text = corpus + "<s>" + corpus
    training = tokviz.train(text, vocab_size=256 + merges, pattern=pattern, special_tokens=["<s>"])
    tok = training.tokenizer
    use = use_in_training(training)
    assert by_id(tok, use) == by_trees(tok, text)
    again = use_in_text(tok.explain_in_pieces(text, 7), len(tok.merge_ids))
    whole = use_in_text([tok.explain(text, {"<s>"})], len(tok.merge_ids))
    assert by_id(tok, whole) == by_trees(tok, text)
    assert again.n_bytes == use.n_bytes == len(text)
    assert [record.replaced for record in training.merges] == use.made[256:].tolist()


def test_the_use_of_a_reference_tokenizer_in_a_text() -> None:
    tok, text = tokviz.reference("cl100k_base"), "naïve parrots 🦜 and <|endoftext|> 1234567"
    assert by_id(tok, use_in_text([tok.explain(text, {"<|endoftext|>"})], len(tok.merge_ids))) == by_trees(tok, text)
