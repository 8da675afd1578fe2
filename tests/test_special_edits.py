"""Special tokens changed by hand: whatever the list lets through, a tokenizer takes, and the rest has a way out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import hostile_tokenizers
from tokviz import Tokenizer
from tokviz.base.errors import SpecialTokenError
from tokviz.tokenizer.special_edits import (
    HIGHEST_ID,
    SpecialRow,
    faults,
    parsed,
    rows_of,
    special_tokens_in,
)

HUG = Tokenizer("hug", [(117, 103), (104, 256)], special_tokens={"<|a|>": 300, "<|b|>": 258})
typed = st.builds(
    SpecialRow,
    st.sampled_from(["<|a|>", "<|b|>", "a", " ", "é", ""]) | st.text(max_size=3),
    st.integers(250, 275).map(str)
    | st.sampled_from(["", " 260 ", "1,000", "-1", "x", "1e3", "٣", str(HIGHEST_ID + 1)]),
)


@given(tok=hostile_tokenizers(), rows=st.lists(typed, max_size=5))
def test_a_list_is_faultless_exactly_if_a_tokenizer_takes_it(tok: Tokenizer, rows: list[SpecialRow]) -> None:
    found = faults(tok, rows)
    assert len(found) == len(rows)
    if not any(found):
        changed = tok.with_special_tokens(special_tokens_in(rows))
        assert sorted(rows_of(changed)) == sorted(SpecialRow(text, str(parsed(id))) for text, id in rows)
    elif all(parsed(row.id) is not None for row in rows) and len({row.text for row in rows}) == len(rows):
        with pytest.raises(SpecialTokenError):
            tok.with_special_tokens(special_tokens_in(rows))


@given(tok=hostile_tokenizers(), rows=st.lists(typed, max_size=5))
def test_the_next_free_id_that_a_fault_names_is_free(tok: Tokenizer, rows: list[SpecialRow]) -> None:
    for number, fault in enumerate(faults(tok, rows)):
        said = re.search(r"The next free id is ([\d,]+)\.$", fault)
        if said:
            mended = [*rows[:number], SpecialRow(rows[number].text, said[1]), *rows[number + 1 :]]
            assert faults(tok, mended)[number] == ""


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            SpecialRow("<s>", "257"),
            "The id 257 is taken by the token “hug”, which merge 2 makes. The next free id is 259.",
        ),
        (SpecialRow("<s>", "97"), "The id 97 is taken by the token of the byte 61. The next free id is 259."),
        (SpecialRow("<s>", "258"), "The id 258 is taken by the special token “<|b|>”. The next free id is 259."),
        (SpecialRow("<s>", "12a"), "“12a” is no id. An id is a whole number from 0 on. The next free id is 259."),
        (SpecialRow("", "259"), "A special token needs a text. Write one, or remove the line."),
        (SpecialRow("<|a|>", "259"), "“<|a|>” is there twice. Remove one of the lines."),
        (SpecialRow("x" * 99, "259"), ""),
        (SpecialRow("hug", "259"), ""),
    ],
)
def test_each_fault_names_what_is_in_the_way(row: SpecialRow, said: str) -> None:
    free = [SpecialRow("<|b|>", "258"), SpecialRow("<|a|>", "300")]
    assert faults(HUG, [*rows_of(HUG), row]) == ["", "", said] and rows_of(HUG) == free


@pytest.mark.right
def test_a_comma_stands_between_thousands_alone() -> None:
    said = ["1,024", "1,000,000", "1,2", "12,34", ",100", "1,,000", "100,"]
    assert [parsed(one) for one in said] == [1_024, 1_000_000, None, None, None, None, None]
