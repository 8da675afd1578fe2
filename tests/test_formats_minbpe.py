"""minbpe's files: minbpe reads what we write as it is meant, and we read models of other hands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.formats_cases import drawn_tokenizers
from tests.strategies import hostile_tokenizers
from tokviz import Tokenizer
from tokviz.base.errors import FormatError
from tokviz.formats import dump, load, patterns


def read_as_minbpe(data: bytes) -> tuple[str, dict[str, int], dict[tuple[int, int], int]]:
    """What minbpe's `load` makes of a model file: pattern, special tokens, merges."""
    head, pattern, n_specials, *rest = re.split(r"\r\n|\r|\n", data.decode())
    assert head.strip() == "minbpe v1"
    specials = dict(line.strip().split() for line in rest[: int(n_specials)])
    pairs = [tuple(map(int, line.split())) for line in rest[int(n_specials) : -1]]
    assert rest[-1] == ""
    return pattern.strip(), {t: int(id) for t, id in specials.items()}, {pair: 256 + i for i, pair in enumerate(pairs)}


@given(tok=st.one_of(drawn_tokenizers, hostile_tokenizers(plain_ids=True)))
def test_minbpe_reads_what_is_meant_or_it_is_refused(tok: Tokenizer) -> None:
    plain = tok.alphabet.tolist() == [*range(256)] and tok.merge_ids.tolist() == [*range(256, tok.vocab_size)]
    kept = tok.pattern in tokviz.split.cutting.PATTERNS or not re.search(r"^\s|[\n\r]|\s$", tok.pattern)
    if not plain or not kept or any(re.search(r"\s", token) for token in tok.special_tokens):
        with pytest.raises(FormatError):
            dump(tok, "minbpe")
        return
    (model, vocab) = dump(tok, "minbpe").values()
    pattern, specials, merges = read_as_minbpe(model)
    assert pattern == patterns.expression_of(tok.pattern)
    assert specials == tok.special_tokens
    assert merges == dict(zip(tok.merges, tok.merge_ids.tolist(), strict=True))
    assert vocab.decode().count("\n") == len(tok.vocab)


def test_minbpes_list_of_tokens_is_its_own() -> None:
    tok = Tokenizer("x", [(10, 0xC3), (0xC3, 0xA9), (257, 257)], special_tokens={"<é>": 300})
    lines = dump(tok, "minbpe")["x.vocab"].decode().split("\n")
    assert lines[0] == r"[\u0000] 0"
    assert lines[97] == "[a] 97"
    assert lines[0xC3] == "[\ufffd] 195"
    assert lines[256:] == [
        "[\\u000a][\ufffd] -> [\\u000a\ufffd] 256",
        "[\ufffd][\ufffd] -> [é] 257",
        "[é][é] -> [éé] 258",
        "[<é>] 300",
        "",
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"minbpe v2\n\n0\n", "is text, and no tokenizer that tokviz knows"),
        (b"minbpe v1x\n\n0\n", "line 1"),
        (b"minbpe v1", "line 3"),
        (b"minbpe v1\n\n2\n<s> 300\n", "line 4.*line 3 announces 2"),
        (b"minbpe v1\n\n1\n<s> -1\n", "line 4"),
        (b"minbpe v1\n\n2\n<s> 300\n<s> 301\n", "line 5 names the special token '<s>' again"),
        (b"minbpe v1\n\n0\n97 98 99\n", "line 4"),
        (b"minbpe v1\n\n0\n97 98\n97 98\n", "1 and 2 make the same token"),
        (b"minbpe v1\n(a\n0\n", "does not compile"),
        (b"minbpe v1\n\xff\n0\n", "byte 10 is not UTF-8"),
    ],
)
def test_damage_to_a_model_of_minbpe_is_named(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        load({"x.model": data})
    assert str(caught.value).startswith("x.model")


def test_models_of_minbpe_by_other_hands() -> None:
    for data in (
        b"bpe v1\n\n0\n97 98\n",
        b"\xef\xbb\xbfminbpe v1\r\n\r\n0\r\n97 98\r\n",
        b"minbpe v1\n\n0\n97 98",
        b"minbpe v1\n\n0\n97 98\n\n\n",
    ):
        assert load({"x.model": data}).merges == ((97, 98),)
    spaced = load({"x.model": b"minbpe v1\n a |[\\s\\S]\n1\n<a b> 300\n"})
    assert (spaced.pattern, dict(spaced.special_tokens)) == (r" a |[\s\S]", {"<a b>": 300})
