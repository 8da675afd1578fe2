"""The same tokenizer or not: certificates hold on random texts, and tiktoken confirms the differences."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests import naive, strategies
from tokviz import Sameness, Tokenizer, same
from tokviz.base.errors import PatternError
from tokviz.split.cut_alike import compare_cuts
from tokviz.split.cutting import ANY, PATTERNS, cut
from tokviz.split.specials import Reading, allowed_special

GPT2, CL100K, O200K = (PATTERNS[name].regex for name in ("gpt2", "cl100k", "o200k"))
# (pattern, one of its clauses, what to write instead)
CLAUSES = [
    (CL100K, r"\p{N}{1,3}+", r"\p{N}{1,2}+"),
    (CL100K, r"'(?i:[sdmt]|ll|ve|re)|", ""),
    (CL100K, r"(?i:", r"(?:"),
    (CL100K, r"[^\r\n\p{L}\p{N}]?+\p{L}++", r" ?\p{L}++"),
    (CL100K, r"|\s+(?!\S)|\s", r"|\s+"),
    (CL100K, r"\s*[\r\n]|", ""),
    (GPT2, r"'(?:[sdmt]|ll|ve|re)|", ""),
    (GPT2, r" ?\p{N}++", r"\p{N}++"),
    (O200K, r"\p{N}{1,3}", r"\p{N}"),
    (O200K, r"[\r\n/]*", r"[\r\n]*"),
    (O200K, r"|\s+(?!\S)|\s+", r"|\s+"),
]
# the same pattern, written in two ways
REWRITTEN = [
    (CL100K, r"(?!\S)|\s", r"(?!\S)|\s+"),
    (GPT2, r"(?!\S)|\s", r"(?!\S)|\s{1,3}"),
    (GPT2, r"(?:[sdmt]|ll|ve|re)", r"(?:s|d|m|t|ll|[vr]e)"),
    (O200K, r"\s*[\r\n]+", r"\s*[\r\n]"),
]
SPECIALS = {"<|end|>": 5_000, "<|a b|>": 5_001}
PIECES = [*strategies.CONTRACTIONS, *strategies.NUMBERS, *strategies.SPACES, *strategies.SCRIPTS, *strategies.SYMBOLS]
PIECES += [*strategies.WORDS, *"abc 123\n'/é", *SPECIALS]


def random_texts(choose: random.Random, n: int, *tokenizers: Tokenizer) -> Iterator[str]:
    tokens = sorted({token for tok in tokenizers for token in tok.vocab.values()})
    texts = [token.decode() for token in tokens if token.decode("utf-8", "ignore").encode() == token]
    for _ in range(n):
        pool = choose.choice([PIECES, texts or PIECES])
        yield "".join(choose.choice(pool) for _ in range(choose.randint(1, 8)))


def ids_of(tok: Tokenizer, text: str, reading: Reading) -> tuple[int, ...] | None:
    try:
        return tuple(tok.encode(text, allowed_special(reading), disallowed_special=()))
    except PatternError:
        return None


def differ(a: Tokenizer, b: Tokenizer, text: str) -> bool:
    return any(ids_of(a, text, reading) != ids_of(b, text, reading) for reading in ("special", "text"))


def witness(tok: Tokenizer) -> tuple[tiktoken.Encoding, dict[int, int]] | None:
    """tiktoken's encoder for this tokenizer, and its ids -> ours; None where tiktoken cannot do what it does.

    tiktoken numbers tokens in the order of merges. It joins by bytes, and takes a chunk that is a token at once.
    """
    ids = [*tok.alphabet.tolist(), *tok.merge_ids.tolist()]
    ranks = {tok.vocab[id]: number for number, id in enumerate(ids)}
    by_bytes = Tokenizer.from_ranks("by bytes", ranks, pattern="none", special_tokens={})
    number_of = {id: number for number, id in enumerate(ids)} | {-1: -1}
    if tuple((number_of[left], number_of[right]) for left, right in tok.merges) != by_bytes.merges:
        return None
    if any(tok.merged(token) != [token] for token in ranks):
        return None
    specials = {text: len(ids) + number for number, text in enumerate(tok.special_tokens)}
    pattern = PATTERNS[tok.pattern].regex or ANY if tok.pattern in PATTERNS else tok.pattern
    theirs = tiktoken.Encoding("witness", pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
    ids += [tok.special_tokens[text] for text in specials]
    return theirs, dict(enumerate(ids))


def by_naive(tok: Tokenizer, text: str, reading: Reading) -> tuple[int, ...]:
    """The ids by the naive encoder, one merge after the other over all chunks."""
    specials = tuple(tok.special_tokens) if reading == "special" else ()
    made, found = tok.alphabet.tolist() + tok.merge_ids.tolist(), []
    number_of = {id: number for number, id in enumerate(made)}
    merges = [(number_of[left], number_of[right]) for left, right in tok.merges]
    for stretch, special in strategies.cut_naively(text, specials):
        ends = [0, *cut(stretch, tok.pattern).tolist()]
        chunks = [stretch.encode()[start:end] for start, end in pairwise(ends)]
        found += [tok.special_tokens[stretch]] if special else [made[n] for n in naive.encode(chunks, merges)]
    return tuple(found)


def check(a: Tokenizer, b: Tokenizer, texts: int) -> tuple[Sameness, bool]:
    """What `same` says of the two, after every claim in it has been checked; and did tiktoken confirm a text?"""
    found, turned, confirmed = same(a, b), same(b, a), False
    assert (found.equal is True) == bool(found.certificate) == (not found.searched)
    assert found.certificate == turned.certificate
    if found.equal:
        assert a.vocab == b.vocab
        assert not [text for text in random_texts(random.Random(3), texts, a, b) if differ(a, b, text)]
    if found.difference is not None and found.difference.text is None:
        (ids, _) = found.difference.ids
        assert ids is not None
        assert a.vocab.get(ids[0]) != b.vocab.get(ids[0])
    elif found.difference is not None:
        text, reading = found.difference.text, found.difference.reading
        assert text is not None
        assert found.difference.ids == (ids_of(a, text, reading), ids_of(b, text, reading))
        assert found.difference.ids[0] != found.difference.ids[1]
        for start in range(len(text)):  # no character can be left out
            less = text[:start] + text[start + 1 :]
            assert not less or not differ(a, b, less)
        both = [witness(tok) for tok in (a, b)]
        for tok, theirs, ids in zip((a, b), both, found.difference.ids, strict=True):
            if theirs:
                encoding, id_of = theirs
                allowed = set(tok.special_tokens) if reading == "special" else set()
                numbers = encoding.encode(text, allowed_special=allowed, disallowed_special=())
                assert tuple(id_of[number] for number in numbers) == ids
            if not tok.by_bytes or (-1, -1) not in tok.merges:
                assert by_naive(tok, text, reading) == ids
        confirmed = all(both)
    return found, confirmed


def trained(choose: random.Random, pattern: str) -> Tokenizer:
    corpus = ["".join(choose.choice(PIECES) for _ in range(200)) for _ in range(2)]
    return tokviz.train(corpus, vocab_size=256 + choose.randint(5, 120), pattern=pattern).tokenizer


def rebuilt(tok: Tokenizer, rank_file: bool, **changed) -> Tokenizer:
    """The same tokenizer made anew, from pairs or from the bytes of its tokens, with some parts changed."""
    parts = {
        key: getattr(tok, key) for key in ("merges", "merge_ids", "alphabet", "pattern", "special_tokens")
    } | changed
    made = Tokenizer("made", parts.pop("merges"), **parts)
    if not rank_file:
        return made
    specials = set(made.special_tokens.values())
    ids = {token: id for id, token in made.vocab.items() if id not in specials}
    return Tokenizer.from_ranks("made", ids, pattern=made.pattern, special_tokens=made.special_tokens)


def with_one_merge_changed(tok: Tokenizer, choose: random.Random, rank_file: bool) -> Tokenizer:
    merges, ids = list(tok.merges), tok.merge_ids.tolist()
    place = choose.randrange(len(merges))
    used = {part for pair in merges for part in pair}
    if choose.random() < 0.5:
        place = choose.choice([i for i in range(len(merges)) if ids[i] not in used])
        del merges[place], ids[place]
    else:  # as early as its parts are made, or one earlier
        first = 1 + max((ids.index(part) for part in merges[place] if part in ids), default=-1)
        to = choose.choice([first, max(first, place - 1)])
        merges.insert(to, merges.pop(place))
        if not rank_file:
            ids.insert(to, ids.pop(place))  # else the order of the ids is the order of the merges
        else:
            moved = dict(zip([*ids[:to], ids[place], *ids[to:place], *ids[place + 1 :]], ids, strict=True))
            merges = [(moved.get(left, left), moved.get(right, right)) for left, right in merges]
    return rebuilt(tok, rank_file, merges=merges, merge_ids=ids)


def with_two_ids_swapped(tok: Tokenizer, choose: random.Random, rank_file: bool) -> Tokenizer:
    merges, ids, alphabet = list(tok.merges), tok.merge_ids.tolist(), tok.alphabet.tolist()
    one, other = choose.sample(ids + alphabet[97:99], 2)
    swap = {one: other, other: one}
    merges = [(swap.get(left, left), swap.get(right, right)) for left, right in merges]
    ids, alphabet = [swap.get(id, id) for id in ids], [swap.get(id, id) for id in alphabet]
    return rebuilt(tok, rank_file, merges=merges, merge_ids=ids, alphabet=alphabet)


def with_one_special_changed(tok: Tokenizer, choose: random.Random, rank_file: bool) -> Tokenizer:
    specials = dict(tok.special_tokens)
    change = choose.choice(["more", "less", "another id"])
    if change == "more":
        specials[choose.choice(["<|new|>", "a", " ", "é!", "the"])] = 6_000
    elif change == "less":
        del specials["<|end|>"]
    else:
        specials["<|end|>"] = 6_000
    return rebuilt(tok, rank_file, special_tokens=specials)


def pair_that_differs_in_one(choose: random.Random) -> tuple[Tokenizer, Tokenizer, str]:
    what = choose.choice(["merge", "id", "special token", "pattern"])
    pattern, clause, instead = choose.choice(CLAUSES)
    rank_file = choose.random() < 0.5
    tok = trained(choose, choose.choice([pattern, "none"])).with_special_tokens(SPECIALS)
    tok = rebuilt(tok, rank_file, pattern=pattern)
    if what == "merge":
        other = with_one_merge_changed(tok, choose, rank_file)
    elif what == "id":
        other = with_two_ids_swapped(tok, choose, rank_file)
    elif what == "special token":
        other = with_one_special_changed(tok, choose, rank_file)
    else:
        other = rebuilt(tok, rank_file, pattern=pattern.replace(clause, instead))
    return tok, other, what


def check_pairs(n: int, texts: int) -> None:
    outcomes, confirmed = {True: 0, False: 0, None: 0}, 0
    for seed in range(n):
        a, b, what = pair_that_differs_in_one(random.Random(seed))
        found, by_tiktoken = check(a, b, texts)
        outcomes[found.equal] += 1
        confirmed += by_tiktoken
        assert by_tiktoken or found.difference is None or found.difference.text is None, (seed, found)
        if what in ("id", "special token"):
            assert found.equal is False, (seed, what)
        if found.difference is not None:  # in a rank file, another order means other ids
            assert found.difference.kind in {what, "id" if what == "merge" and b.by_bytes else what}, (seed, found)
    assert outcomes[False] > n // 2
    assert confirmed > n // 4


def test_pairs_that_differ_in_one_thing() -> None:
    check_pairs(8, 100)


@pytest.mark.long
def test_a_thousand_pairs_that_differ_in_one_thing() -> None:
    check_pairs(1_000, 10_000)


@given(st.integers(0, 10**9), st.booleans(), st.booleans())
def test_a_tokenizer_is_certified_against_itself_made_anew(seed: int, one: bool, other: bool) -> None:
    choose = random.Random(seed)
    tok = trained(choose, choose.choice(strategies.PATTERNS)).with_special_tokens(SPECIALS)
    found, _ = check(rebuilt(tok, one), rebuilt(tok, other), 50)
    assert found.equal


def test_cuts_differ_exactly_on_the_texts_named() -> None:
    texts = [*random_texts(random.Random(4), 200)]
    for pattern, clause, instead in CLAUSES:
        other = pattern.replace(clause, instead)
        found = compare_cuts(pattern, other)
        assert found is not None and found.complete and found.texts
        for text in found.texts:
            assert cut(text, pattern).tolist() != cut(text, other).tolist()
        for text in (text for text in texts if len(text) < len(found.texts[0])):
            assert cut(text, pattern).tolist() == cut(text, other).tolist()


@pytest.mark.parametrize(("pattern", "clause", "instead"), REWRITTEN)
def test_a_pattern_written_in_another_way_is_certified(pattern: str, clause: str, instead: str) -> None:
    choose = random.Random(5)
    a = rebuilt(trained(choose, "none"), False, pattern=pattern)
    b = rebuilt(a, False, pattern=pattern.replace(clause, instead))
    assert a.pattern != b.pattern
    found, _ = check(a, b, 500)
    assert found.equal
    assert "pairs of states" in found.certificate[-1]


def test_a_cut_that_only_few_tokens_reach_across_is_found() -> None:
    """Both cut a tab, a space and a letter differently, but the only merge needs an apostrophe after the space."""
    a, b = (Tokenizer("x", [(39, 115)], pattern=pattern) for pattern in (O200K, O200K.replace(r"|\s+(?!\S)", "")))
    found = same(a, b).difference
    assert found is not None
    assert found.text is not None
    assert (found.kind, len(found.text), found.text[2:]) == ("pattern", 4, "'s")


def test_patterns_without_an_automaton_are_certified_only_when_equal() -> None:
    looks_back = r"(?<=a)b|[\s\S]"
    a, b, c = (Tokenizer("x", [(97, 98)], pattern=pattern) for pattern in (looks_back, r"(?<=a)b|(?s:.)", "none"))
    assert same(a, a.renamed("y")).equal
    assert same(a, b).equal is None
    assert "No automaton" in same(a, b).searched[0]
    found = same(a, c).difference
    assert found is not None
    assert (found.kind, found.text) == ("pattern", "ab")


def test_what_never_happens_is_no_difference_but_not_certified() -> None:
    # b and c always merge first, so neither bcd nor abcd is ever made
    merges = [(98, 99), (99, 100), (97, 98), (98, 257)]
    from_ab, from_a = (Tokenizer("x", [*merges, pair], pattern="none") for pair in [(258, 257), (97, 259)])
    found = same(from_ab, from_a)
    assert found.equal is None
    assert len(found.searched) == 3
    # without abcd every text has the same ids, but one id cannot be decoded
    difference = same(from_ab, from_ab.truncated(260)).difference
    assert difference is not None
    assert (difference.kind, difference.text, difference.ids) == ("merge", None, ((260,), (260,)))


def test_the_order_of_merges_that_never_compete_is_not_certified() -> None:
    one, other = Tokenizer("x", [(97, 98), (99, 100)]), Tokenizer("y", [(99, 100), (97, 98)], merge_ids=[257, 256])
    assert same(one, other).equal is None
    competing = Tokenizer("x", [(97, 98), (98, 99)]), Tokenizer("y", [(98, 99), (97, 98)], merge_ids=[257, 256])
    found = same(*competing).difference
    assert found is not None
    assert (found.kind, found.text) == ("merge", "abc")


def test_tokens_of_thousands_of_bytes_are_told_apart() -> None:
    """Few texts are tried for them, and their names in a sentence are short."""
    tok = Tokenizer("x", [(97, 97), *((id, id) for id in range(256, 268))], pattern="none")
    found = same(tok, tok.truncated(268)).difference
    assert found is not None
    assert (found.kind, found.text) == ("merge", "a" * 2**13)
    assert len(found.why) < 500
