"""Tokenizer: bytes come back whole, ids mean one thing each, and what contradicts itself is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.bounded import bounded
from tests.strategies import Setting, settings_of_training, wild_texts
from tokviz import Tokenizer
from tokviz.base.errors import FormatError
from tokviz.base.text import clean
from tokviz.formats.tokviz import dump, loads

CAT = "the cat in the hat sat on the mat. the cat and the hat."
AB = [(97, 98), (256, 256)]  # ab, abab


def test_bytes_that_are_no_text_are_kept_by_decode_bytes() -> None:
    tok = Tokenizer("bytes", [])
    assert tok.decode_bytes([0xF0, 0x9F, 97]) == b"\xf0\x9fa"
    assert tok.decode([0xF0, 0x9F, 97]) == "\ufffda"
    assert tok.decode([]) == ""


# What it is made of


@given(settings_of_training(max_merges=20), wild_texts)
def test_what_it_says_follows_from_the_merges(setting: Setting, text: str) -> None:
    tok = setting.train().tokenizer
    made = [tok.vocab[id] for id in tok.merge_ids.tolist()]
    assert made == [tok.vocab[left] + tok.vocab[right] for left, right in tok.merges]
    specials = set(tok.special_tokens.values())
    assert len({token for id, token in tok.vocab.items() if id not in specials}) == tok.vocab_size == 256 + len(made)
    assert tok.n_vocab == len(tok.vocab) == tok.vocab_size + len(setting.special_tokens)
    assert {tok.vocab[id].decode() for id in specials} == set(setting.special_tokens)
    assert [tok.decode_bytes([id]) for id in tok.vocab] == [*tok.vocab.values()]
    assert [tok.rank_of(token) for token in made] == [*range(len(made))] and tok.rank_of(b"a") is None
    data = clean(text).encode()
    uncut = Tokenizer("uncut", tok.merges, pattern="none")  # as it is given, the constructor checks the merges
    assert tok.merged(data) == [token.data for token in uncut.explain(clean(text)).tokens()]


@given(settings_of_training(max_merges=20), st.permutations(range(256)), st.integers(0, 500), wild_texts)
def test_ids_are_data(setting, alphabet: list[int], gap: int, text: str) -> None:
    """The same merges under other ids, shuffled bytes and a gap, cut the same seams; only the ids differ."""
    tok = setting.train().tokenizer
    ids = dict(enumerate(alphabet)) | {256 + rank: 256 + gap + 2 * rank for rank in range(len(tok.merges))}
    other = Tokenizer(
        "other",
        [(ids[left], ids[right]) for left, right in tok.merges],
        pattern=tok.pattern,
        alphabet=alphabet,
        merge_ids=[ids[id] for id in tok.merge_ids.tolist()],
    )
    ours, theirs = tok.explain(text), other.explain(text)
    assert theirs.seams.tolist() == ours.seams.tolist()
    assert theirs.ids.tolist() == [ids[id] for id in ours.ids.tolist()]
    assert other.decode(theirs.ids) == clean(text)
    k = len(tok.merges) // 2
    assert theirs.at(k).ids.tolist() == other.truncated(256 + k).encode_ordinary(text)


def test_from_ranks_merges_whatever_meets() -> None:
    """As tiktoken does: the bytes alone decide, and the pairs are recovered from them."""
    ids = {bytes([byte]): 255 - byte for byte in range(256)} | {b"ab": 260, b"bc": 300, b"abc": 301}
    tok = Tokenizer.from_ranks("ranks", ids, pattern="none", special_tokens={"<s>": 400})
    assert tok.encode("abc") == [301]
    assert tok.encode("bc<s>", "all") == [300, 400]
    assert tok.merges == ((255 - 97, 255 - 98), (255 - 98, 255 - 99), (260, 255 - 99))
    assert (tok.vocab_size, tok.n_vocab) == (259, 401)


def test_only_its_own_pair_makes_a_merge() -> None:
    """The case where pairs and bytes part ways: 'bc' goes first, so 'ab' and 'c' never meet; 'a' and 'bc' do."""
    pairs = [(98, 99), (97, 98), (257, 99)]
    assert Tokenizer("pairs", pairs, pattern="none").encode("abc ab") == [97, 256, 32, 257]
    ids = {bytes([byte]): byte for byte in range(256)} | {b"bc": 256, b"ab": 257, b"abc": 258}
    by_bytes = Tokenizer.from_ranks("bytes", ids, pattern="none", special_tokens={})
    assert by_bytes.encode("abc ab") == [258, 32, 257]
    assert by_bytes.merges == ((98, 99), (97, 98), (97, 256))


def test_from_ranks_needs_every_byte() -> None:
    ids = {bytes([byte]): byte for byte in range(256) if byte != 0xAB}
    with pytest.raises(FormatError, match="byte AB"):
        Tokenizer.from_ranks("short", ids, pattern="none", special_tokens={})


# New ones from old ones


@given(settings_of_training(max_merges=20), st.data())
def test_truncated_is_the_tokenizer_of_a_shorter_training(setting, data: st.DataObject) -> None:
    training = setting.train()
    tok = training.tokenizer
    k = data.draw(st.integers(0, len(tok.merges)))
    short = tok.truncated(256 + k)
    trained = tokviz.train(
        setting.texts, 256 + k, pattern=setting.pattern, special_tokens=setting.special_tokens, **setting.how
    ).tokenizer
    assert short.merges == trained.merges
    assert short.history == trained.history == tok.history[:k]
    assert short.special_tokens == tok.special_tokens
    assert (short.vocab_size, short.pattern) == (256 + k, tok.pattern)
    text = "".join(setting.texts)
    assert short.encode_ordinary(text) == trained.encode_ordinary(text)
    assert tok.vocab_size == 256 + len(training.merges)
    if k < len(tok.merges):
        assert short.made_from["truncated_to"] == 256 + k


# What contradicts itself


@pytest.mark.parametrize(
    ("merges", "how", "says"),
    [
        ([(256, 97)], {}, r"Merge 1.*256.*later"),
        ([(97, 98), (257, 97)], {}, r"Merge 2.*257.*later"),
        ([(97, 300)], {}, r"Merge 1.*no token has the id 300"),
        ([(97, -1)], {}, r"Merge 1.*-1"),
        ([(97, 98), (97, 98)], {}, r"Merges 1 and 2.*b'ab'"),
        ([(97, 98), (98, 99), (256, 99), (97, 257)], {}, r"Merges 3 and 4.*b'abc'"),
        (AB, {"merge_ids": [256]}, "2 merges but 1 ids"),
        (AB, {"merge_ids": [97, 256]}, "same id"),
        (AB, {"merge_ids": [-5, 256]}, "below 0"),
        (AB, {"merge_ids": [2**31, 256]}, "out of range"),
        ([], {"alphabet": [0] * 256}, "same id"),
        ([(97, 97)] + [(256 + i, 256 + i) for i in range(40)], {}, "32,000,000 bytes at merge 24"),
    ],
)
def test_merges_that_contradict_themselves_are_refused(merges, how, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        Tokenizer("bad", merges, **how)


def test_a_history_of_other_merges_is_refused() -> None:
    history = tokviz.train(CAT, 260).merges
    with pytest.raises(FormatError, match="4 merges, but there are 2"):
        Tokenizer("bad", AB, history=history)


def test_a_history_reads_like_a_tuple_of_its_records() -> None:
    history = tokviz.train(CAT, 266, pattern="none").merges
    records = tuple(tokviz.MergeRecord(*map(int, row)) for row in history.table)
    assert history == records and records == history and hash(history) == hash(records)
    assert history != records[:-1] and history != list(records) and history != 10
    assert tuple(history) == records and [*reversed(history)] == [*records[::-1]]
    assert [history[i] for i in (0, 3, -1, -10)] == [records[i] for i in (0, 3, -1, -10)]
    assert all(type(figure) is int for figure in history[4])
    for part in (slice(2, 5), slice(None, None, -3), slice(7, 3), slice(8, 99)):
        assert history[part] == records[part] and len(history[part]) == len(records[part])
    with pytest.raises(IndexError):
        history[10]
    with pytest.raises(FormatError, match="out of range"):
        Tokenizer("bad", AB[:1], history=[records[0]._replace(count=2**63)])


def test_tokens_longer_than_a_vocabulary_may_be_end_a_training(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tokviz.train("abcd abcd", 260, pattern="none")
    would_come = whole.candidates(3)
    bounded(monkeypatch, vocabulary_mb=13e-6)
    assert tokviz.train("abcd abcd", 259, pattern="none").stopped == "size"
    training = tokviz.train("abcd abcd", 260, pattern="none")
    assert (training.stopped, training.asked, training.tokenizer.vocab[258]) == ("bytes", 4, b"abcd")
    assert training.merges == whole.merges[:3]
    assert training.window(0, 9) == whole.window(0, 9).at(3)
    assert training.candidates(3) == would_come
    assert loads(dump(training.tokenizer)).merges == training.tokenizer.merges
