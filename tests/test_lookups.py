"""Tokens that no pair of tokens makes: looked up as tiktoken does, whole at every step, and kept in files."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest
import tiktoken
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.formats_cases import theirs
from tokviz import WHOLE, Tokenizer, kernels
from tokviz.base.errors import FormatError, SpecialTokenError
from tokviz.base.text import clean
from tokviz.comparison.comparison import Difference, compare, compare_in_pieces
from tokviz.comparison.proof import proof
from tokviz.comparison.reason_sentences import sentence
from tokviz.comparison.reasons import Reason, reasons_at
from tokviz.comparison.same import same
from tokviz.formats import dump, load
from tokviz.formats.witness import EVERYTHING, witness
from tokviz.split.cutting import PATTERNS
from tokviz.vocabulary.card import card_at
from tokviz.vocabulary.family import Family

BYTES = {bytes([byte]): byte for byte in range(256)}
SPECIALS = {"<s>": 999}
# Merged alone, "abcd" becomes "a", "bc", "d". "ddd" is made of "dd", which ranks above it, and "dddd" of "ddd".
SMALL = BYTES | {b"bc": 256, b"ab": 257, b"abcd": 258, b"ddd": 259, b"dd": 260, b"dddd": 261}


def of_ranks(ids: Mapping[bytes, int], pattern: str = "none") -> Tokenizer:
    return Tokenizer.from_ranks("ranks", ids, pattern=pattern, special_tokens=SPECIALS)


def judge(tok: Tokenizer, ids: Mapping[bytes, int]) -> tiktoken.Encoding:
    """tiktoken with these ranks; not `witness`, which has them from the tokenizer."""
    regex = PATTERNS[tok.pattern].regex if tok.pattern in PATTERNS else tok.pattern
    return tiktoken.Encoding(
        tok.name, pat_str=regex or EVERYTHING, mergeable_ranks=dict(ids), special_tokens=dict(tok.special_tokens)
    )


@st.composite
def rank_files(draw: st.DrawFn) -> tuple[dict[bytes, int], str, str]:
    """Tokens in an order in which no merges could have made them; a pattern, and a text of their letters."""
    letters = draw(st.sampled_from(["ab", "abc", "ab é", "ab.: "]))
    texts = st.text(letters, min_size=2, max_size=6)
    tokens = st.one_of(texts.map(str.encode), texts.map(lambda text: text.encode()[1:]))
    drawn = draw(st.lists(tokens.filter(lambda token: len(token) > 1), min_size=1, max_size=25, unique=True))
    ids = BYTES | {token: 256 + i + (i > 3) for i, token in enumerate(drawn)}
    pieces = st.sampled_from([*letters, "<s>", " ", *(token.decode("utf-8", "ignore") for token in drawn)])
    return ids, draw(st.sampled_from([*PATTERNS, r"\w+|\W+"])), "".join(draw(st.lists(pieces, max_size=20)))


@given(rank_files(), st.integers(0, 25))
@example((SMALL, "gpt2", "abcd ddddd xabcd <s>"), 3)
def test_every_token_is_tiktokens_at_every_step(drawn: tuple[dict[bytes, int], str, str], k: int) -> None:
    ids, pattern, text = drawn
    tok = of_ranks(ids, pattern)
    expected = judge(tok, ids).encode(text, allowed_special="all")
    assert tok.encode(text, "all") == expected
    assert tok.encode_array(text).tolist() == tok.encode_ordinary(text) == judge(tok, ids).encode_ordinary(text)
    encoding = tok.explain(text, "all")
    assert encoding.ids.tolist() == tok.explain_ids(expected).ids.tolist() == expected
    assert tok.decode(expected) == text
    for i, token in enumerate(encoding.tokens()):
        assert token.special == (token.id == 999)
        looked_up = token.data in tok.lookups and not token.special
        assert (token.start in encoding.whole) == (looked_up or token.special)
        for node in encoding.tree(i).walk():  # merges of rising ranks make all others
            assert tok.vocab[node.id] == encoding.data[node.start : node.end]
            assert not node.parts or tok.merges[node.rank] == tuple(part.id for part in node.parts)
            assert all(part.rank is None or part.rank < node.rank for part in node.parts)
    pieces = list(tok.explain_in_pieces(text, 5))
    assert [id for piece in pieces for id in piece.ids.tolist()] == tok.encode_ordinary(text)

    k = min(k, len(tok.merge_ids))
    shorter = tok.truncated(256 + k)
    assert shorter.explain(text, "all") == encoding.at(k)
    assert shorter.encode(text, "all") == encoding.at(k).ids.tolist()
    assert shorter.decode(shorter.encode(text, "all")) == text
    assert shorter.lookups == tok.lookups and set(tok.lookups.values()) <= shorter.vocab.keys()
    assert shorter.n_vocab == max(shorter.vocab) + 1

    looking_up = tok._vocabulary.table.with_lookups
    data = clean(text).encode()
    ends = np.array([len(data)] if data else [], np.int64)
    for give in ("seams", "ids"):
        ours, plain = (getattr(encoder, give) for encoder in (looking_up._encoder, looking_up._plain_encoder))
        assert ours(data, ends).tolist() == plain(data, ends).tolist()


@given(rank_files(), st.integers(0, 24))
def test_files_keep_them_and_other_programs_read_them(drawn: tuple[dict[bytes, int], str, str], k: int) -> None:
    ids, pattern, text = drawn
    tok = of_ranks(ids, pattern)
    assume(tok.lookups and pattern in PATTERNS)
    for format in ("tokviz", "tiktoken", "hf"):
        asked = {"pattern": pattern, "special_tokens": SPECIALS} if format == "tiktoken" else {}
        files = dump(tok, format)
        loaded = load(files, name=tok.name, **asked)
        assert same(tok, loaded).equal and dump(loaded, format) == files
        assert (loaded.lookups, loaded.merges, loaded.vocab) == (tok.lookups, tok.merges, tok.vocab)
        if format == "hf":
            assert theirs(files).encode(text).ids == tok.encode(text, "all")
    for format in ("minbpe", "gpt2", "vocab-merges"):
        with pytest.raises(FormatError, match=r"256, 257, and so on|token that no pair of tokens makes"):
            dump(tok, format)

    shorter = tok.truncated(256 + min(k, len(tok.merge_ids) - 1))
    loaded = load(dump(shorter, "tokviz"))
    assert same(shorter, loaded).equal
    assert loaded.explain(text, "all") == shorter.explain(text, "all")
    assert witness(shorter) is None
    for format in ("tiktoken", "hf"):
        with pytest.raises(FormatError, match="was cut shorter"):
            dump(shorter, format)


def test_they_are_remembered_when_all_else_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a text so long that two threads share it, and with a memory that is soon full."""
    monkeypatch.setattr(kernels.encoding, "MOST_BYTES", 1 << 14)
    chance = random.Random(5)
    tok = of_ranks(SMALL, "gpt2")
    words = ["abcd", "ddd", " ", "\n", "xabcd", "ddddd"]
    text = "".join(chance.choice([*words, f"{chance.random()}"]) for _ in range(60_000))
    assert len(text) > kernels.encoding.WORTH_A_THREAD
    assert tok.encode(text) == judge(tok, SMALL).encode(text)


def test_what_they_count_for() -> None:
    tok = of_ranks(SMALL)
    assert dict(tok.lookups) == {b"abcd": 258, b"ddd": 259, b"dddd": 261}
    assert tok.merges == ((98, 99), (97, 98), (-1, -1), (-1, -1), (100, 100), (-1, -1))
    assert (tok.vocab_size, tok.n_vocab) == (262, 1000)
    shorter = tok.truncated(256)
    assert (shorter.vocab_size, len(shorter.vocab)) == (256, 256 + 3 + 1)
    with pytest.raises(SpecialTokenError, match="261, which an ordinary token has"):
        shorter.with_special_tokens({"<e>": 261})
    assert shorter.with_special_tokens({"<e>": 260}).renamed("e").encode("abcd") == [258]
    assert tok.merged(b"abcd") == [b"a", b"bc", b"d"] and tok.merged(b"dddd") == [b"dddd"]


def test_the_card_says_that_no_pair_makes_it() -> None:
    tok = of_ranks(SMALL, "gpt2")
    encoding = tok.explain("abcd<s>", "all")
    assert encoding.seams.tolist()[1:4] == [WHOLE, WHOLE, WHOLE]
    card = card_at(tok, encoding, 0, family=Family(tok))
    assert (card["id"], card["kind"], card["birth"], card["steps"]) == (258, "look-up", None, None)
    assert card_at(tok, encoding, 4)["kind"] == "special"
    assert proof(tok, "abcd<s>", encoding).agrees
    assert witness(tok.truncated(260)) is None


@given(rank_files(), st.integers(0, 25))
def test_the_steps_of_a_card_end_with_the_tokens_shown(drawn: tuple[dict[bytes, int], str, str], k: int) -> None:
    ids, pattern, text = drawn
    tok = of_ranks(ids, pattern)
    encoding, size = tok.explain(text, "all"), 256 + min(k, len(tok.merge_ids))
    ends = encoding.at(size - 256).ends.tolist()
    for at in range(len(encoding.data)):
        steps = card_at(tok, encoding, at, size)["steps"]
        if steps:
            last = [steps["start"] + end for end in steps["rows"][-1]["ends"]]
            assert last == [end for end in ends if steps["start"] < end <= steps["end"]]


def reasons_of(text: str, a: Tokenizer, b: Tokenizer, at: int) -> list[Reason]:
    return reasons_at(a, a.explain(text, "all"), b, b.explain(text, "all"), at)


def test_why_a_look_up_is_not_made_here_or_is_in_the_way() -> None:
    b = of_ranks(SMALL)
    a = Tokenizer("a", [(97, 98), (99, 100), (256, 257)], pattern="none")  # ab, cd, abcd
    (reason,) = reasons_of("abcde", a, b, 1)
    assert (reason.kind, reason.token, reason.by.parts) == ("unreachable", b"abcd", (b"a", b"bc", b"d"))
    told = sentence(reason, Difference(0, 1, 0, 4, (1, 3), (reason,)), ["A", "B"], b)
    assert told == "B cuts “abcd” of A: it has the token only as a whole chunk, and makes “a” “bc” “d” here."
    c = Tokenizer("cd", [(99, 100)], pattern="none")
    taken = reasons_of("cddd", c, b, 1)
    assert [(reason.kind, reason.by.token) for reason in taken] == [("absent", None), ("other model", b"ddd")]
    text = "abcd cddd ddd ab\n" * 20
    whole = compare(text, [a, b, c])
    pieces = [*compare_in_pieces(text, [a, b, c], 30)]
    for i in range(3):
        assert [id for piece in pieces for id in piece.encodings[i].ids.tolist()] == whole.encodings[i].ids.tolist()


@pytest.mark.parametrize("changed", [{b"abcd": 262}, {b"abd": 258}, {b"dd": 258, b"abcd": 260}])
def test_a_look_up_that_is_not_the_same_is_found(changed: dict[bytes, int]) -> None:
    others = {token: id for token, id in SMALL.items() if id not in changed.values() and token not in changed}
    found = same(of_ranks(SMALL, "gpt2"), of_ranks({**others, **changed}, "gpt2")).difference
    assert found is not None and found.text is not None and len(found.text) <= 4


def test_special_tokens_that_tokenizers_would_look_up_too_are_refused() -> None:
    with pytest.raises(FormatError, match=r"would look up 'Ġx' in texts"):
        dump(of_ranks(SMALL).with_special_tokens({"<é>": 300, "Ġx": 301}), "hf")


def test_one_that_is_too_long_to_be_looked_up_is_refused() -> None:
    (data,) = dump(of_ranks(SMALL), "tiktoken").values()
    ranks = data + b"%s 300\n" % (b"YWJj" * 100)
    with pytest.raises(FormatError, match=r"^long cannot be read: A token of 300 bytes.* is made by no pair"):
        load({"long": ranks}, pattern="none", special_tokens={})
