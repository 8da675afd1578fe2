"""tiktoken as the judge: it agrees where it should, and where ids are wrong it says from which byte on."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import TIES
from tokviz import SPLIT, Encoding, Tokenizer
from tokviz.base.errors import InputError
from tokviz.comparison.proof import Proof, proof
from tokviz.formats.witness import witness
from tokviz.ui.frame.tokenizers import reference_witness

SAMPLES = sorted((Path(tokviz.__file__).parent / "data" / "samples").glob("*.txt"))
REFERENCES = list(tokviz.references())
HARD = [
    "",
    "a<|endoftext|>b <|endofprompt|>",
    "half a character: \ud83d, a pair: \ud83d\udc4d",
    "\u0558's \u01c5ABCd  \n\n x\u0301\u200d👩‍👩‍👧 1234567 \r\n\t ",
    "x" * 3_000 + " " * 3_000,
]


@given(
    st.text("aab c'é\n1", max_size=200),
    st.sampled_from(["none", "gpt2", "cl100k", "o200k"]),
    st.sampled_from(TIES),
    st.text("aab c'é\n1👍<s>", max_size=200),
)
def test_tiktoken_agrees_with_every_trained_tokenizer(corpus: str, pattern: str, tie: str, text: str) -> None:
    training = tokviz.train(corpus, vocab_size=300, pattern=pattern, tie=tie, special_tokens=["<s>"])
    tok = training.tokenizer
    assert proof(tok, text, tok.explain(text)) == Proof(True)
    assert proof(tok, text, tok.explain(text, allowed_special="all")) == Proof(True)


def test_merges_that_no_training_learns_are_found_out() -> None:
    """'abc' is never reached pair by pair, as 'bc' comes first; tiktoken goes by bytes and makes it of a and bc."""
    tok = Tokenizer("doctored", [(98, 99), (97, 98), (257, 99)], pattern="none")
    assert proof(tok, "so be it", tok.explain("so be it")) == Proof(True)
    assert proof(tok, "é, bc, abc", tok.explain("é, bc, abc")) == Proof(False, 8)


class Stub:
    """In tiktoken's place: gives the ids it is told to, or fails as it is told to."""

    def __init__(self, answer: list[int] | BaseException) -> None:
        self.answer = answer

    def encode(self, text: str, **_: object) -> list[int]:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class PanicException(BaseException):
    """As tiktoken's own, which is no Exception either."""


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ([97, 98, 99], Proof(True)),
        ([97, 98], Proof(False, 2)),
        ([97, 98, 99, 100], Proof(False, 3)),
        ([], Proof(False, 0)),
        (ValueError("Regex error while tokenizing"), Proof(None)),
        (PanicException("stack overflow"), Proof(None)),
    ],
)
def test_verdicts(answer: list[int] | BaseException, verdict: Proof) -> None:
    tok = Tokenizer("bytes", [], pattern="none")
    assert proof(tok, "abc", tok.explain("abc"), Stub(answer)) == verdict


def test_other_faults_are_not_hidden() -> None:
    tok = Tokenizer("bytes", [], pattern="none")
    for fault in (KeyboardInterrupt(), MemoryError()):
        with pytest.raises(type(fault)):
            proof(tok, "abc", tok.explain("abc"), Stub(fault))


def test_a_million_spaces_break_nothing() -> None:
    """tiktoken's regex engine gives up on them. Encoding them here takes seconds, and the proof needs only the text."""
    text = " " * 1_000_000 + "x"
    encoding = Encoding(text.encode(), np.full(len(text), SPLIT))
    assert proof(tokviz.reference("gpt2"), text, encoding, reference_witness("gpt2")) == Proof(None)


def test_what_tiktoken_cannot_stand_for() -> None:
    custom = Tokenizer("custom", [(97, 98)], pattern=r"\w+|\W+")
    falling = Tokenizer("falling", [(97, 98), (99, 100)], merge_ids=[300, 299])
    for tok in (custom, falling):
        assert witness(tok) is None
        assert proof(tok, "abcd", tok.explain("abcd")) == Proof(None)


def test_a_tokenizer_known_to_have_no_witness_is_not_given_another_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokviz.comparison.proof.witness", lambda tok: pytest.fail("built again"))
    tok = Tokenizer("ab", [(97, 98)], pattern="none")
    assert proof(tok, "abcd", tok.explain("abcd"), None) == Proof(None)


def test_ids_with_gaps_and_another_alphabet() -> None:
    tok = Tokenizer(
        "specials first", [(3 + 97, 3 + 98)], alphabet=range(3, 259), merge_ids=[400], special_tokens={"<s>": 0}
    )
    text = "a cab<s>"
    assert tok.encode(text, allowed_special="all")[-2:] == [400, 0]
    assert proof(tok, text, tok.explain(text)) == Proof(True)
    assert proof(tok, text, tok.explain(text, allowed_special="all")) == Proof(True)


@settings(max_examples=max(60, settings().max_examples))
@given(
    st.text() | st.sampled_from([*HARD, *(path.read_text("utf-8") for path in SAMPLES)]), st.sampled_from(REFERENCES)
)
def test_ids_tokens_and_bytes_are_those_of_tiktoken_on_any_text(text: str, name: str) -> None:
    tok = tokviz.reference(name)
    for encoding in (tok.explain(text), tok.explain(text, allowed_special="all")):
        assert tok.decode_bytes(encoding.ids.tolist()) == encoding.data
        tokens = list(zip(encoding.ids.tolist(), np.diff(encoding.ends, prepend=0).tolist(), strict=True))
        assert [len(tok.vocab[id]) for id, _ in tokens] == [length for _, length in tokens]
        assert proof(tok, text, encoding, reference_witness(name)) == Proof(True)


def test_a_forged_encoding_is_found_out() -> None:
    tok = Tokenizer("ab", [(97, 98)], pattern="none")
    fine = tok.explain("cab ab")

    def found(seams: list[int], whole: dict[int, int | None]) -> Proof:
        return proof(
            tok, "cab ab", Encoding(fine.data, np.array(seams, np.int32), fine.alphabet, fine.merge_ids, whole)
        )

    split, none, opened = int(SPLIT), 0, int(tokviz.OPEN)
    assert found(fine.seams.tolist(), {}) == Proof(True)
    assert found([split, opened, none, opened, opened, opened], {}) == Proof(False, 4)  # other tokens, same bytes
    for id in (97, 999, None):  # an id of other bytes, one that no token has, bytes of no token
        assert found(fine.seams.tolist(), {0: id}) == Proof(False, 0)


def test_the_encoding_of_another_text_is_refused() -> None:
    tok = tokviz.reference("gpt2")
    with pytest.raises(InputError, match="another text"):
        proof(tok, "this", tok.explain("that"))


def test_the_witness_of_a_reference_is_made_once_and_that_of_another_tokenizer_is_not_kept() -> None:
    assert reference_witness("gpt2") is reference_witness("gpt2")
    tok = Tokenizer("short-lived", [(97, 98)], pattern="none")
    made = witness(tok)
    assert proof(tok, "a cab", tok.explain("a cab"), made) == Proof(True)
    gone = weakref.ref(tok)
    del tok
    gc.collect()
    assert gone() is None


def test_the_library_itself_does_not_need_tiktoken() -> None:
    code = "import sys, tokviz; tokviz.reference('gpt2').encode('a'); sys.exit('tiktoken' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1]).returncode == 0
