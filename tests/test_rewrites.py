"""Rewrites: the lossless ones parse to the same data, the savings are those of tiktoken, and nothing hostile breaks."""

from __future__ import annotations

import csv
import functools
import io
import json
import sys
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tests.oracles import witness
from tests.strategies import wild_texts
from tokviz import rewrites
from tokviz.errors import InputError, UnknownNameError
from tokviz.rewrites import KINDS, Refused, Rewrite, Rewrites, data_formats, each, measured, rewritten
from tokviz.text import clean

TOK = tokviz.reference("gpt2")
JUDGE = witness("gpt2")

# -- JSON in all its spellings --

white = st.sampled_from(["", "", " ", "\n", "\r\n  ", "\t", "\n    "])
numbers = st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
pieces = st.one_of(
    st.characters(exclude_categories=["Cs"]).map(lambda c: json.dumps(c, ensure_ascii=False)[1:-1]),
    st.integers(0, 0xFFFF).map(lambda code: f"\\u{code:04x}"),
    st.sampled_from(
        ["\\/", "\\\\", '\\"', "\\n", "\\ud83d\\uDC4D", "\\\\u00e9", ",", ": ", "[ {", "  ", "  # ", "\\t"]
    ),
)
# Words that YAML 1.1 or 1.2 does not read as strings unless they are quoted.
TRAPS = [
    "no",
    "1e5",
    "0o17",
    "09",
    "1_000",
    "12:30",
    "2020-01-01",
    "~",
    "<<",
    "=",
    "- a",
    "a: b",
    "null",
    ".inf",
    "",
    "1.0",
]
strings = st.one_of(st.sampled_from(TRAPS), st.lists(pieces, max_size=6).map("".join)).map(lambda inner: f'"{inner}"')
leaves = st.one_of(numbers, strings, st.sampled_from(["true", "false", "null", "1.0", "-0", "1E400", "9" * 5000]))


@st.composite
def containers(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    space = lambda: draw(white)  # noqa: E731
    if draw(st.booleans()):
        items = [f"{space()}{item}{space()}" for item in draw(st.lists(inner, max_size=4))]
        return f"[{','.join(items) or space()}]"
    pairs = draw(st.lists(st.tuples(strings, inner), max_size=4))
    return (
        "{" + (",".join(f"{space()}{key}{space()}:{space()}{value}{space()}" for key, value in pairs) or space()) + "}"
    )


spellings = containers(st.recursive(leaves, containers, max_leaves=12))
rows = st.lists(st.fixed_dictionaries({'a"b': st.text(), "é": st.text() | st.integers() | st.none()}), max_size=4)


def is_one_document(text: str) -> bool:
    return exactly(text)[0] != "lines"


def exactly(text: str) -> Any:
    """The data of JSON or JSON Lines with each number in its spelling, and all pairs of an object in their order."""

    def load(text: str) -> Any:
        return json.loads(
            text,
            object_pairs_hook=lambda pairs: ("object", pairs),
            parse_int=lambda number: ("int", number),
            parse_float=lambda number: ("float", number),
        )

    try:
        return ("document", load(text))
    except json.JSONDecodeError:
        return ("lines", [*map(load, text.split("\n"))])


def as_in_python(load: Any, text: str) -> str:
    """What a program gets, so that 1, 1.0 and True differ; or that it gets nothing, as of numbers that are too long."""
    try:
        return repr(load(text))
    except ValueError as fault:
        return type(fault).__name__


def check(text: str, found: Rewrites) -> None:
    before = len(JUDGE.encode_ordinary(text))
    for one in (*found.saving, *found.others):
        after = rewritten(text, one.key)
        assert after != text and after.startswith(one.head)
        assert (one.tokens_before, one.bytes_before) == (before, len(clean(text).encode()))
        assert one.saved == before - len(JUDGE.encode_ordinary(after)), one.name
        assert one.bytes_after == len(after.encode())
        if one.key == "csv":  # its values are as they are spelled in JSON
            assert not one.lossless
            load = functools.partial(json.loads, parse_int=str, parse_float=str)
            data = load(text) if is_one_document(text) else [*map(load, text.split("\n"))]
            names: dict[Any, str] = {None: "", True: "true", False: "false"}
            spelled = [{key: names.get(value, value) for key, value in row.items()} for row in data]
            assert [*csv.DictReader(io.StringIO(after, newline=""), strict=True)] == spelled
        if not one.lossless:
            continue
        if one.key == "yaml":
            assert as_in_python(yaml.safe_load, after) == as_in_python(json.loads, text)
        else:
            assert exactly(after) == exactly(text), one.name
    saved = [one.saved for one in (*found.saving, *found.others)]
    assert saved == sorted(saved, reverse=True)
    assert all(one.saved > 0 for one in found.saving) and all(one.saved <= 0 for one in found.others)


@given(spellings)
@settings(max_examples=40)
def test_lossless_rewrites_of_json_parse_to_the_same_data(text: str) -> None:
    found = measured(text, TOK)
    check(text, found)
    assert not [one for one in found.refused if one.name == "JSON without white space"]


@pytest.mark.long
@given(spellings)
@settings(max_examples=20_000)
def test_lossless_rewrites_parse_to_the_same_data_20_000_times(text: str) -> None:
    check(text, measured(text, TOK))


@given(st.lists(spellings.map(lambda text: " ".join(text.split("\n"))), min_size=2, max_size=4))
def test_json_lines_keep_their_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    check(text, measured(text, TOK, "rows.jsonl"))
    assert rewritten(text, "json", "rows.jsonl").count("\n") == len(lines) - 1


@given(rows, st.sampled_from([None, 2]), st.booleans())
def test_a_table_has_the_same_values_and_never_claims_to_be_lossless(
    data: list[dict[str, Any]], indent: int | None, ascii: bool
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=ascii)
    check(text, measured(text, TOK))


@given(wild_texts)
def test_savings_are_those_of_tiktoken_on_any_text(text: str) -> None:
    check(text, measured(text, TOK))


# -- what each does --

PLAIN = {
    "lf": ("a\r\nb\rc\n", "a\nb\rc\n"),
    "trailing": ("a \t\r\n  \nb  c \t", "a\r\n\nb  c"),
    "blank": ("a\n\n\n \n\nb\n\nc\r\n\r\n\t\r\n", "a\n\nb\n\nc\r\n\r\n"),
    "tabs": ("if a:\n    b\n        c\n          d", "if a:\n\tb\n\t\tc\n\t\t  d"),
    "indent-1": ("if a:\n    b\n        c\n          d", "if a:\n b\n  c\n    d"),
    "spaces": ("a:\n\tb\tc\n \td", "a:\n    b\tc\n     d"),
    "runs": ("  a   b  \n c    d", "  a b  \n c d"),
    "ascii": ("“a” – ‘b’…\u00a0c", "\"a\" - 'b'... c"),
    "nfc": ("e\u0301", "é"),
    "invisible": ("a\u200bb\u00adc👩\u200d👧", "abc👩\u200d👧"),
}


@pytest.mark.parametrize("key", PLAIN)
def test_what_a_rewrite_of_plain_text_does_and_that_it_says_what_is_lost(key: str) -> None:
    before, after = PLAIN[key]
    assert rewritten(before, key) == after
    found = [one for one in each(before, TOK) if isinstance(one, Rewrite)]
    assert [one.loss for one in found if one.key == key] != [""]
    assert rewritten(after, key) == after or key == "indent-1"


def test_what_the_rewrites_of_data_do() -> None:
    text = '[ {"id": 1, "who": "Zo\\u00eb \\u202e"},\r\n  {"id": 1e-7, "who": null} ]'
    assert rewritten(text, "json") == '[{"id":1,"who":"Zo\\u00eb \\u202e"},{"id":1e-7,"who":null}]'
    assert rewritten(text, "json-spaced") == '[{"id": 1, "who": "Zo\\u00eb \\u202e"}, {"id": 1e-7, "who": null}]'
    assert rewritten(text, "json-both") == '[{"id":1,"who":"Zoë \\u202e"},{"id":1e-7,"who":null}]'
    assert rewritten(text, "csv") == "id,who\n1,Zoë \u202e\n1e-7,\n"
    assert rewritten(text, "yaml") == "- id: 1\n  who: Zoë \u202e\n- id: 1.0e-7\n  who: null\n"
    # true, false and 50,000 for some readers of YAML
    assert rewritten('{"y": "N", "ny": "5e4"}', "yaml") == '"y": "N"\nny: "5e4"\n'
    keys = [kind.key for kind in KINDS]
    assert len(set(keys)) == len(keys)
    with pytest.raises(UnknownNameError, match="No rewrite is called 'xml'"):
        rewritten(text, "xml")


# -- what is refused --

DEEP = sys.getrecursionlimit() * 200
REFUSED = {
    "not JSON": ('{"a": 1,}', "It is not JSON: "),
    "one bad line": ('{"a": 1}\n{"a"\n{}', "It is neither JSON nor JSON Lines: Expecting ':' delimiter in line 2,"),
    "too deep": ("[" * DEEP + "]" * DEEP, "Its lists and objects are nested too deeply to be read."),
    "too deep for YAML": ("[" * 101 + "]" * 101, "More than 100 lists and objects are inside each other."),
    "NaN": ("[NaN]", "It contains NaN, which is not JSON."),
    "Infinity": ("[1,\n-Infinity]", "It contains -Infinity, which is not JSON."),
    "a key twice": ('{"a": 1, "b": 2, "a": 3}', "An object has the key 'a' more than once."),
    "lone surrogate": ('{"a": "\\ud800"}', "YAML cannot hold all of its strings and numbers exactly."),
    "exponent": ('{"a": 1e99999999999999999999}', "YAML cannot hold all of its strings and numbers exactly."),
    "long value": (json.dumps([{"a": "x" * 200_000}] * 2), "CSV cannot hold it: field larger than"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_json_is_refused_in_a_sentence(case: str) -> None:
    text, why = REFUSED[case]
    assert any(one.why.startswith(why) for one in measured(text, TOK).refused)


def test_a_new_text_that_the_tokenizer_cannot_read_is_refused() -> None:
    tok = tokviz.Tokenizer("no quotes", [], pattern="[a-z“” \r\n]+")
    found = measured("“abc”\r\n", tok)
    assert [one.key for one in found.saving] == ["lf"]
    assert [one.name for one in found.refused] == ["ASCII quotes and dashes"]
    assert "does not cover the text" in found.refused[0].why


def test_prose_in_brackets_is_not_taken_for_json() -> None:
    for text in ("[a link](b) and [c]", "{braces} and {more}", "[1] Knuth, 1984"):
        assert measured(text, TOK).refused == ()


def test_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_formats, "YAML_BYTES", 5)
    assert measured('{"a":1}', TOK).refused == (
        Refused("YAML for JSON", "It has 7 bytes, and YAML is written for up to 5."),
    )
    monkeypatch.setattr(rewrites, "MOST_BYTES", 1_000)
    with pytest.raises(InputError, match=r"^notes\.txt has 1,001 bytes, and rewrites are measured up to 1,000\."):
        measured("a" * 1_001, TOK, "notes.txt")
