"""Tokenizers of others: the same ids as their own packages, and an encoding that keeps the rules of all encodings."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import sys
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokviz
from tests.peers_cases import FILES, SPECIALS, file_of, peer
from tests.strategies import wild_texts
from tokviz import OPEN, SPLIT, WHOLE, TokvizError
from tokviz.base.errors import FormatError, InputError, SettingError, SpecialTokenError, UnknownIdError
from tokviz.base.text import clean, read_text
from tokviz.comparison.comparison import compare_in_pieces
from tokviz.cost.figures import facts_of, tally
from tokviz.formats import load, open_files
from tokviz.split.specials import Reading, allowed_special
from tokviz.tokenizer.live_text import LiveText
from tokviz.tokenizer.peers import WHOLE_LIMIT, Peer
from tokviz.ui.compare.counted_file import FileCounts
from tokviz.vocabulary.card import card_at

texts = st.one_of(
    wild_texts, st.lists(st.sampled_from([*SPECIALS, "▁", "##", "The cat", "\n"]) | wild_texts).map("".join)
)


@cache
def package(kind: str) -> Any:
    """The package's own reading of the file; for tokenizers twice, with special tokens as such and as text."""
    name, data = file_of(kind)
    if name.endswith(".model"):
        return importlib.import_module("sentencepiece").SentencePieceProcessor(model_proto=data)
    as_such, as_text = (tokenizers.Tokenizer.from_str(data.decode()) for _ in range(2))
    as_text.encode_special_tokens = True
    for one in (as_such, as_text):
        one.no_truncation()
        one.no_padding()
    return as_such, as_text


def ids_of(kind: str, text: str, specials: bool) -> list[int]:
    theirs = package(kind)
    if isinstance(theirs, tuple):
        return theirs[not specials].encode(text, add_special_tokens=False).ids
    return theirs.encode(text)


@pytest.mark.parametrize("kind", FILES)
@given(texts, st.booleans())
@example("", False)
@example("  The ﬁrst ½, naïve ÅÅ [CLS] 👍🏽你好  [SEP]\u0301<|e|>", True)
def test_a_peer_has_the_ids_of_its_package_and_a_legal_encoding(kind: str, text: str, specials: bool) -> None:
    tok, text = peer(kind), clean(text)
    allowed = "all" if specials else ()
    ids = ids_of(kind, text, specials)
    assert tok.encode(text, allowed, ()) == ids
    encoding = tok.explain(text, allowed)
    seams = encoding.seams
    assert len(encoding) == len(ids)

    # one span after the other covers the text; all of them are named, and nothing inside them was merged
    assert encoding.data == text.encode()
    starts = np.flatnonzero(seams >= OPEN).tolist()
    assert starts == sorted(encoding.whole) and starts[:1] == [0][: len(text)]
    assert set(seams.tolist()) <= {WHOLE, OPEN, SPLIT} and seams[:1].tolist() == [SPLIT][: len(text)]
    assert encoding.at(0) == encoding and encoding.special_ids == tok.special_ids

    # the tokens are all ids in order, but for those without bytes; no two gaps meet
    spans = [encoding.whole[start] for start in starts]
    rest = iter(ids)
    assert all(id in rest for id in spans if id is not None)
    assert sorted([*encoding.bare, *(id for id in spans if id is not None)]) == sorted(ids)
    assert not any(a is b is None for a, b in itertools.pairwise(spans))
    if b"".join(tok.vocab[id] for id in ids) == encoding.data:
        assert not encoding.bare
        assert all(token.data == tok.vocab[token.id] for token in encoding.tokens() if token.id is not None)

    theirs = package(kind)
    back = theirs[0].decode(ids, skip_special_tokens=False) if isinstance(theirs, tuple) else theirs.decode(ids)
    assert tok.decode(ids) == back and tok.decode_bytes(ids) == back.encode()
    (piece,) = tok.explain_in_pieces(text, 1)
    assert piece == tok.explain(text)


def test_a_token_stands_where_its_characters_came_from() -> None:
    def spans(kind: str, text: str) -> list[tuple[str, str | None]]:
        tok = peer(kind)
        return [
            (
                token.data.decode(errors="backslashreplace"),
                None if token.id is None else tok.vocab[token.id].decode(errors="backslashreplace"),
            )
            for token in tok.explain(text).tokens()
        ]

    assert spans("WordPiece", " The  Hat") == [(" ", None), ("The", "the"), ("  ", None), *spans("WordPiece", "Hat")]
    assert peer("WordPiece").normalized("The hat") == "the hat"
    assert peer("WordPiece").normalized("the hat") is None
    assert peer("WordPiece").normalized("the [CLS]", specials=True) is None
    # one token a byte, and the "▁" before the text has none
    encoding = peer("BPE with byte fallback").explain("☃")
    assert [token.data for token in encoding.tokens()] == [b"\xe2", b"\x98", b"\x83"]
    assert [peer("BPE with byte fallback").vocab[id] for id in encoding.bare] == [b" "]
    encoding = peer("SentencePiece BPE with byte fallback").explain("☃")
    assert [token.data for token in encoding.tokens()] == [b"\xe2", b"\x98", b"\x83"]
    assert len(encoding.bare) == 1
    # of the parts of one character the first has it
    encoding = peer("byte-level BPE").explain("½")
    assert peer("byte-level BPE").normalized("½") == "1⁄2"
    assert len(encoding.tokens()) == 1 and len(encoding.bare) == len(encoding) - 1 > 0
    assert [token.data for token in peer("byte-level BPE").explain("a 👍").tokens()][-1] == b"\x8d"


def test_words_and_gaps_are_chunks_and_special_tokens_too() -> None:
    tok = peer("WordPiece")
    encoding = tok.explain("unbelievable hat[SEP]", "all")
    assert [token.special for token in encoding.tokens()][-1] and tok.encode("[SEP]", "all") == [2]
    chunks = [token.chunk for token in encoding.tokens()]
    assert chunks.count(0) > 1 and sorted(set(chunks)) == [*range(4)]


@pytest.mark.parametrize("kind", FILES)
def test_what_a_peer_is(kind: str) -> None:
    tok = peer(kind)
    name, data = file_of(kind)
    assert (tok.kind, tok.name) == (kind, name.rpartition(".")[0])
    assert tok.n_vocab == max(tok.vocab) + 1 and not len(tok.merge_ids)
    assert open_files({name: data}, name="other").name == tok.renamed("other").name == "other"
    if name.endswith(".json"):
        assert set(tok.special_tokens) == set(SPECIALS) - ({"[UNK]"} if kind != "byte-level BPE" else set())
    with pytest.raises(FormatError):
        load({name: data})
    with pytest.raises(FormatError):
        open_files({name: data}, pattern="gpt2", special_tokens={})


def test_special_tokens_are_read_all_or_none() -> None:
    tok = peer("WordPiece")
    assert tok.encode("[SEP]", {"[SEP]", "of another"}) == [2]
    assert tok.encode("the", {"[SEP]"}) == tok.encode("the")
    with pytest.raises(SettingError, match="all special tokens of a text as such, or none"):
        tok.encode("[SEP][CLS]", {"[SEP]"}, ())
    with pytest.raises(SpecialTokenError, match=r"'\[SEP\]' at byte 2"):
        tok.encode("a [SEP]")
    with pytest.raises(UnknownIdError, match=r"No token has the id 99999 \(position 1\)"):
        tok.decode([5, 99_999])
    with pytest.raises(UnknownIdError):
        tok.explain_ids([99_999])
    with pytest.raises(InputError, match="as a whole"):
        next(tok.explain_in_pieces("a" * (WHOLE_LIMIT + 1), 1))


@pytest.mark.parametrize("kind", ["WordPiece", "Unigram", "SentencePiece Unigram"])
@given(st.data())
def test_a_damaged_file_is_refused_or_read(kind: str, data: st.DataObject) -> None:
    name, whole = file_of(kind)
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(st.sampled_from([whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]]))
    try:
        found = open_files({name: damaged})
    except TokvizError:
        return
    assert isinstance(found, Peer)
    with contextlib.suppress(TokvizError):
        found.explain("The hat.")


def test_no_chance_and_no_runaway_expression() -> None:
    words = {"type": "WordLevel", "vocab": {"a": 0, "[UNK]": 1}, "unk_token": "[UNK]"}
    bpe = {"type": "BPE", "dropout": 0.5, "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}
    found = open_files({"chance.json": json.dumps({"model": bpe}).encode()})
    assert {tuple(found.encode("ab" * 9)) for _ in range(9)} == {(2,) * 9}
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    replaced = {"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": "b"}
    for field in ({"pre_tokenizer": split}, {"normalizer": replaced}):
        away = open_files({"away.json": json.dumps({"model": words, **field}).encode()})
        assert isinstance(away, Peer)
        with pytest.raises(FormatError, match="tokenizers cannot"):
            away.explain("a" * 40 + "!")
        assert not LiveText([away]).is_quick  # never where other visitors would wait for it
        if "normalizer" in field:
            with pytest.raises(FormatError, match="tokenizers cannot normalize"):
                away.normalized("a" * 40 + "!")


@pytest.mark.right
def test_what_the_package_misses_leads_where_tokviz_reads_no_such_model() -> None:
    name, data = file_of("WordPiece")
    fields = json.loads(data)
    assert fields["normalizer"]
    del fields["model"]["unk_token"]
    with pytest.raises(FormatError) as refused:
        open_files({name: json.dumps(fields).encode()})
    assert refused.value.what.startswith(f"{name}: tokenizers cannot read it: ")
    assert "missing field `unk_token`" in refused.value.what and "honour" not in str(refused.value)


def test_odd_vocabularies() -> None:
    words = {"type": "WordLevel", "vocab": {"a": 1 << 24, "[UNK]": 0}, "unk_token": "[UNK]"}
    with pytest.raises(FormatError, match="has no tokens"):
        open_files({"none.json": b'{"model": {"type": "BPE", "vocab": {}, "merges": []}}'})
    with pytest.raises(FormatError, match="the id 16,777,216"):
        open_files({"high.json": json.dumps({"model": words}).encode()})
    pieces = {"type": "Unigram", "vocab": [["", 0], ["a", -1]], "unk_id": 1}
    encoding = open_files({"empty.json": json.dumps({"model": pieces}).encode()}).explain_ids([0, 1, 0])
    assert (len(encoding), encoding.data, encoding.bare) == (3, b" a ", (0, 0))


@pytest.mark.right
@pytest.mark.parametrize("kind", FILES)
@given(st.data())
def test_ids_have_one_text(kind: str, data: st.DataObject) -> None:
    """It is that of `decode`, whichever ids follow each other, and all tokens are in it or have no bytes of it."""
    tok = peer(kind)
    ids = data.draw(st.lists(st.sampled_from([*tok.vocab]), max_size=12))
    found = tok.explain_ids(ids)
    assert found.data.decode("utf-8", "replace") == tok.decode(ids)
    assert found.data == tok.decode_bytes(ids)
    placed = [id for id in found.ids.tolist() if id >= 0]
    rest = iter(ids)
    assert all(id in rest for id in placed) and sorted([*placed, *found.bare]) == sorted(ids)


@pytest.mark.right
def test_the_tokens_of_ids_lie_where_decoding_wrote_them() -> None:
    def spans(kind: str, text: str) -> list[bytes]:
        tok = peer(kind)
        return [token.data for token in tok.explain_ids(tok.encode(text)).tokens() if token.id is not None]

    assert spans("WordPiece", "the , the") == [b"the", b",", b"the"]
    assert b"".join(spans("SentencePiece Unigram", "The cat")) == b"The cat", "no space before the text"
    tok = peer("byte-level BPE")
    half = [id for id, token in tok.vocab.items() if token == b"\xe4"]
    assert tok.decode(half) == "\ufffd" and tok.explain_ids(half).data == tok.decode_bytes(half) == b"\xe4"


def test_a_file_is_counted_under_a_peer_if_it_is_not_too_long() -> None:
    tok, text = peer("WordPiece"), "The cat sat on the mat, 1234.\n" * 200
    file = FileCounts(read_text(text.encode(), "cats.txt"))
    assert [*file.count("peer", tok, facts_of(text))] == [len(text)]
    assert file.tallies["peer"].tokens == len(tok.encode(text)) == file.density["peer"].sum()
    assert file.near("peer", tok, 1_000).data in text.encode()
    gpt2 = tokviz.reference("gpt2")
    for keys, pair in ((("peer", "gpt2"), (tok, gpt2)), (("gpt2", "peer"), (gpt2, tok))):
        assert [*file.count_reasons(keys, *pair)] == [len(text)] and keys in file.reasons
    long = FileCounts(read_text(b"a" * (WHOLE_LIMIT + 1), "long.txt"))
    assert [*long.count("peer", tok, facts_of(long.text.text))] == []
    assert "as a whole" in str(long.faults["peer"])


def test_without_a_present_sentencepiece_a_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    file = dict([file_of("SentencePiece BPE with byte fallback")])
    old = SimpleNamespace(SentencePieceProcessor=object)
    for module, what in ((None, "spiece.model is a SentencePiece model"), (old, "an older one")):
        monkeypatch.setitem(sys.modules, "sentencepiece", module)
        with pytest.raises(FormatError, match=f"{what}.*pip install -U sentencepiece"):
            open_files(file)


@pytest.mark.parametrize("kind", FILES)
@given(texts)
def test_reasons_and_figures_know_peers(kind: str, text: str) -> None:
    """A peer has a boundary inside a token of another because it is another model; the reverse is explained as ever."""
    compared = tokviz.compare(text, [tokviz.reference("gpt2"), peer(kind)])
    theirs = compared.encodings[1]
    for a, b in [(0, 1), (1, 0)]:
        found: dict[str, list[int]] = {}
        mine, other = compared.encodings[a], compared.encodings[b]
        for at in np.flatnonzero((other.seams >= OPEN) & (mine.seams < OPEN)).tolist():
            reasons = compared.reasons(at, a, b)
            assert reasons
            for reason_kind in {reason.kind for reason in reasons}:
                found.setdefault(reason_kind, []).append(at)
        assert found == {key: at.tolist() for key, at in compared.reason_places(a, b).items() if len(at)}
        assert b == 0 or found.keys() <= {"other model", "special"}
    counted = tally(theirs)
    tokens = [token for token in theirs.tokens() if token.id is not None]
    assert counted.tokens == len(theirs) == len(tokens) + len(theirs.bare) == counted.lengths.times.sum()
    assert counted.distinct == len({token.id for token in tokens}.union(theirs.bare))
    for piece in compare_in_pieces(text, compared.tokenizers, 10_000):
        assert piece.encodings == compared.encodings


def edits() -> st.SearchStrategy[list[tuple[int, int, str]]]:
    return st.lists(st.tuples(st.integers(0, 100), st.integers(0, 6), texts), max_size=5)


@pytest.mark.parametrize("kind", FILES)
@settings(max_examples=max(30, settings().max_examples // 3))
@given(st.sampled_from(["text", "special"]), edits())
def test_a_text_can_be_typed_under_a_peer(kind: str, reading: Reading, edits: list[tuple[int, int, str]]) -> None:
    text = LiveText([peer(kind), tokviz.reference("gpt2")], reading)
    for place, length, insert in edits:
        start = place * len(text) // 100
        text.patch(start, min(len(text), start + length), insert)
        tok, encoding = text.sides[0].tokenizer, text.sides[0].encoding
        assert encoding == tok.explain(text.text, allowed_special(reading))
        if encoding.data:
            card = card_at(tok, encoding, len(encoding.data) - 1)
            assert (card["merges"], card["birth"], card["steps"], card["family"]["n"]) == (0, None, None, 0)
