"""Ids to text: whatever is encoded comes back as the same tokens, and what is no id is named with its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.oracles import witness
from tests.strategies import wild_texts
from tokviz.base.errors import InputError, UnknownIdError
from tokviz.base.text import clean
from tokviz.tokenizer.ids import LIMIT, explain_written, read_ids

GPT2, CL100K = tokviz.reference("gpt2"), tokviz.reference("cl100k_base")
SMALL = tokviz.train("the cat in the hat sat on the mat", 270, special_tokens=["<|e|>"]).tokenizer
ids = st.lists(st.sampled_from(sorted(CL100K.vocab)), max_size=20)


@given(wild_texts)
def test_the_ids_of_a_text_are_its_tokens(text: str) -> None:
    for tokenizer in (GPT2, CL100K, SMALL):
        encoding = tokenizer.explain(text, allowed_special="all")
        back = tokenizer.explain_ids(encoding.ids.tolist())
        assert back.data == clean(text).encode()
        assert [(t.id, t.start, t.end) for t in back.tokens()] == [(t.id, t.start, t.end) for t in encoding.tokens()]
        assert [t.rank for t in back.tokens()] == [t.rank for t in encoding.tokens()]
        assert [t.special for t in back.tokens()] == [t.special for t in encoding.tokens()]


@given(ids)
def test_any_ids_are_their_own_tokens_and_bytes(ids: list[int]) -> None:
    encoding = CL100K.explain_ids(ids)
    assert encoding.ids.tolist() == ids
    assert [token.data for token in encoding.tokens()] == [CL100K.vocab[id] for id in ids]
    assert encoding.data == witness("cl100k_base").decode_bytes(ids)


def test_ids_are_read_however_they_are_written() -> None:
    for written in ("[9906,11,1917,0]", "9906 11\t1917\n0", "(9906; 11)\r\n[[1917]] 0,", "9906,,11 1917 0"):
        assert explain_written(CL100K, written).data == b"Hello, world!"
    for written in ("", "  \n", "[ , ]"):
        assert len(explain_written(CL100K, written)) == 0


@given(st.lists(st.integers(0, 10**9)), st.sampled_from([", ", ",", " ", "\n", "\r\n", "\t"]))
def test_a_list_comes_back_with_its_places(numbers: list[int], between: str) -> None:
    text = between.join(map(str, numbers))
    read = read_ids(text)
    assert [one.id for one in read] == numbers
    lines = text.split("\n")
    for number, one in enumerate(read, 1):
        assert one.number == number
        assert lines[one.line - 1][one.column - 1 :].startswith(str(one.id))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1, 2, x", "“x”, number 3 (line 1, character 7), is no id."),
        ("1\n 2\n  -3", "“-3”, number 3 (line 3, character 3), is no id."),
        ("1.5", "“1.5”, number 1"),
        ("٣", "“٣”, number 1"),
        ("9" * 50, f"“{'9' * 20}…”, number 1"),
        ("<b>1</b>", "“<b>1</b>”, number 1"),
    ],
)
def test_what_is_no_id_is_named_with_its_place(written: str, said: str) -> None:
    with pytest.raises(InputError) as fault:
        explain_written(CL100K, written)
    assert str(fault.value).startswith(said)


@pytest.mark.parametrize(("id", "gap"), [(100256, True), (100261, True), (100277, False), (9999999999, False)])
def test_an_unknown_id_is_named_with_its_place(id: int, gap: bool) -> None:
    with pytest.raises(UnknownIdError) as fault:
        explain_written(CL100K, f"1 2\n3 {id}")
    assert str(fault.value).startswith(f"No token has the id {id}, number 4 (line 2, character 3).")
    assert ("with gaps" in str(fault.value)) == gap
    assert (fault.value.id, fault.value.position) == (id, 3)


def test_too_many_are_refused() -> None:
    with pytest.raises(InputError, match="more than 100,000 ids"):
        read_ids("1 " * (LIMIT + 1))
