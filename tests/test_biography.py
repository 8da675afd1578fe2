"""The biography of every token, against a naive replay that notes each birth and each absorption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz import Tokenizer
from tokviz.base.errors import UnknownIdError
from tokviz.split.cutting import cut
from tokviz.vocabulary.biography import birth, children, merge_tree
from tokviz.vocabulary.family import Family
from tokviz.vocabulary.occurrences import Place, in_text, in_training
from tokviz.vocabulary.use import use_in_training

Token = tuple[int, int, int]  # id, first byte, end
Lives = dict[int, dict[tuple[int, int], int | None]]  # id -> (first byte, end) -> the rank that took it, or None


class Replay:
    """Chunks whose tokens are merged one by one. lives: what became of every token that ever stood in them."""

    def __init__(self) -> None:
        self.lives: Lives = {}

    def born(self, id: int, start: int, end: int) -> Token:
        self.lives.setdefault(id, {})[start, end] = None
        return id, start, end

    def joined(self, left: Token, right: Token, rank: int, id: int) -> Token:
        for old, start, end in (left, right):
            self.lives[old][start, end] = rank
        return self.born(id, left[1], right[2])

    def figures(self, id: int) -> tuple[int, int, Counter[int]]:
        takers = [*self.lives.get(id, {}).values()]
        return len(takers), takers.count(None), Counter(rank for rank in takers if rank is not None)

    def places(self, id: int, *, remaining: bool) -> list[Place]:
        here = sorted(self.lives.get(id, {}).items())
        return [Place(*span, rank) for span, rank in here if (rank is None) == remaining]


def chunks_of(text: str, pattern: str) -> list[bytes]:
    return [text.encode()[start:end] for start, end in pairwise([0, *cut(text, pattern).tolist()])]


def pieces_of(text: str, special: str, pattern: str) -> Iterator[tuple[int, bytes, bool]]:
    """First byte, bytes, is it special: of every chunk and special token."""
    at = 0
    for number, stretch in enumerate(text.split(special) if special else [text]):
        if number:
            yield at, special.encode(), True
            at += len(special.encode())
        for chunk in chunks_of(stretch, pattern):
            yield at, chunk, False
            at += len(chunk)


def replayed(tok: Tokenizer, text: str, special: str = "") -> Replay:
    """Every merge in turn over all chunks, from left to right."""
    replay, chunks = Replay(), []
    for at, data, is_special in pieces_of(text, special, tok.pattern):
        if is_special:
            replay.born(tok.special_tokens[special], at, at + len(data))
        else:
            chunks.append([replay.born(byte, at + i, at + i + 1) for i, byte in enumerate(data)])
    for rank, pair in enumerate(tok.merges):
        for chunk in chunks:
            i = 0
            while i + 1 < len(chunk):
                if (chunk[i][0], chunk[i + 1][0]) == pair:
                    chunk[i : i + 2] = [replay.joined(chunk[i], chunk[i + 1], rank, 256 + rank)]
                i += 1
    return replay


def check_tree(tok: Tokenizer, id: int, pairs: dict[int, tuple[int, int]]) -> None:
    """The merge tree has the pair of every merge, down to the bytes; and the figures of the birth follow from it."""
    tree, told = merge_tree(tok, id), birth(tok, id)
    assert tree.data == tok.vocab[id]
    nodes = [*tree.tree(0).walk()]
    assert nodes[0].id == id and nodes[0].end == len(tree.data)
    made = [node for node in nodes if node.rank is not None]
    assert all(tuple(part.id for part in node.parts) == pairs[node.id or 0] for node in made)
    assert (told is None) == (id not in pairs)
    if told:
        assert ((told.left, told.right), told.rank) == (pairs[id], made[0].rank)
        assert (told.merges, told.different) == (len(made), len({node.rank for node in made}))


def check_family(tok: Tokenizer, family: Family, id: int, use: object, replay: Replay) -> None:
    """The tokens that absorbed it are those that have it in their pair; each took as many as the replay says."""
    wholes = [rank for rank, pair in enumerate(tok.merges) if id in pair]
    found, total = children(family, id, use, first=1, n=3)  # type: ignore[arg-type]
    assert total == len(wholes) and [child.rank for child in found] == wholes[1:4]
    half = len(tok.merges) // 2
    some, n = children(family, id, None, merges=half)
    assert [child.rank for child in some] == [rank for rank in wholes if rank < half][:12]
    assert n == sum(rank < half for rank in wholes)
    assert all(one.rank < half and not one.took for child in some for one in child.children)
    takers = replay.figures(id)[2]
    assert [child.took for child in found] == [takers[child.rank] for child in found]
    for child in found:
        parents = (id, child.other) if child.leads else (child.other, id)
        assert tok.merges[child.rank] == parents and tok.merge_ids[child.rank] == child.id
        theirs = [rank for rank, pair in enumerate(tok.merges) if child.id in pair]
        assert child.n_children == len(theirs) and [one.rank for one in child.children] == theirs[:3]
        assert [one.took for one in child.children] == [replay.figures(child.id)[2][rank] for rank in theirs[:3]]


@given(st.text("ab c\né", max_size=50), st.integers(0, 14), st.sampled_from(["none", "gpt2"]), st.integers(0, 5))
def test_a_training_tells_the_life_of_each_token_as_a_naive_replay(
    corpus: str, merges: int, pattern: str, first: int
) -> None:
    text = f"{corpus}<s>{corpus[:20]}"
    training = tokviz.train(text, vocab_size=256 + merges, pattern=pattern, special_tokens=["<s>"])
    tok, replay = training.tokenizer, replayed(training.tokenizer, text, "<s>")
    family, use = Family(tok), use_in_training(training)
    pairs = {256 + rank: pair for rank, pair in enumerate(tok.merges)}
    encoding = tok.explain(text, {"<s>"})
    for id in [*b"ab \xa9<", *range(256, 257 + len(tok.merges))]:
        in_corpus, in_same_text = in_training(training, id), in_text(tok, id, [encoding])
        fate = in_corpus.fate()
        assert (fate.made, fate.remain, Counter(dict(fate.absorbers))) == replay.figures(id)
        assert in_same_text.fate() == fate
        for remaining in (True, False):
            places = replay.places(id, remaining=remaining)
            for found in (in_corpus, in_same_text):
                assert found.places(remaining=remaining) == (places, len(places))
                some = found.places(remaining=remaining, first=first, n=2)
                assert some == (places[first : first + 2], len(places))
            assert all(text.encode()[place.start : place.end] == tok.vocab[id] for place in places)
        check_tree(tok, id, pairs)
        check_family(tok, family, id, use, replay)
        told = birth(tok, id)
        if told:
            record = training.merges[told.rank]
            assert (told.count, told.replaced, told.tied) == (record.count, fate.made, record.tied)


def test_tokens_that_no_pair_makes() -> None:
    ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"xyz": 257}
    tok = Tokenizer.from_ranks("whole", ids, pattern="gpt2", special_tokens={"<s>": 258, "!": 259})
    encoding = tok.explain("xyz<s>xyz!ab xyz!", "all")
    for id, made in {257: 2, 258: 1, 259: 2, ord("x"): 1, ord("!"): 0, ord("<"): 0, 256: 1}.items():
        found = in_text(tok, id, [encoding])
        assert found.fate().made == made
        assert (birth(tok, id) is None) == (id != 256)
        tree = merge_tree(tok, id)
        assert tree.ids.tolist() == [id] and bool(tree.tree(0).parts) == (id == 256)
    assert in_text(tok, 257, [encoding]).places(remaining=True)[0] == [Place(0, 3, None), Place(6, 9, None)]
    assert not in_text(tok, 257, [encoding]).places(remaining=False)[0]
    assert in_text(tok, 99_999, [encoding]).fate().made == 0
    with pytest.raises(UnknownIdError):
        birth(tok, 99_999)
