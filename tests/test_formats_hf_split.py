"""Split patterns in tokenizer.json: `tokenizers` cuts where we do, and what it may read otherwise is refused."""

from __future__ import annotations

import itertools
import json
import sys

import pytest
from tokenizers import Regex, pre_tokenizers

import tokviz
from tests.formats_cases import hard_texts, split_by, theirs, with_fields
from tests.test_contract import TABLE
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, PatternError
from tokviz.formats import dump, hf_split, load, patterns

AROUND = ["{}", "a{}", "{}a", " {}", "'{} ", "1{}\n", "A{}a"]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k"])
def test_named_patterns_cut_alike_at_the_edges_of_every_class(pattern: str) -> None:
    starts = {start for start, _ in TABLE["runs"]}
    points = sorted({*starts, *(start - 1 for start in starts if start), *range(0x80, 0x3000, 7)})
    for around in AROUND:
        assert_cut_alike(pattern, [around.format(chr(p)) for p in points if not 0xD800 <= p < 0xE000])


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k"])
@pytest.mark.parametrize("around", AROUND)
def test_named_patterns_cut_every_character_alike(pattern: str, around: str) -> None:
    """All code points, new ones too: tokenizers has the Unicode classes of tiktoken."""
    points = [point for point in range(sys.maxunicode + 1) if not 0xD800 <= point < 0xE000]
    for start in range(0, len(points), 100_000):
        assert_cut_alike(pattern, [around.format(chr(point)) for point in points[start : start + 100_000]])


def assert_cut_alike(pattern: str, texts: list[str]) -> None:
    step = theirs(dump(Tokenizer("x", [], pattern=pattern), "hf")).pre_tokenizer
    text = "\n;\n".join(texts)  # chunks do not go on from there
    ends = itertools.accumulate(len(piece) for piece, _ in step.pre_tokenize_str(text))  # its characters are bytes
    assert [*ends] == tokviz.split.cutting.cut(text, pattern).tolist()


@pytest.mark.parametrize("expression", [e for e, name in patterns.SPELLINGS.items() if name != "cl100k"])
def test_known_expressions_get_their_names(expression: str) -> None:
    loaded = load(with_fields(pre_tokenizer=split_by(expression)))
    assert loaded.pattern == patterns.named(expression) == load(dump(loaded, "hf")).pattern
    assert_same_cuts(with_fields(pre_tokenizer=split_by(expression)), loaded.pattern)


def assert_same_cuts(files: dict[str, bytes], pattern: str) -> None:
    step = theirs(files).pre_tokenizer
    for text in [*hard_texts(300), "\n ", "a\n \n", " \r\n\t", "1234567 \n"]:
        cuts, at = [], 0
        for piece, _ in step.pre_tokenize_str(text):
            at += len(piece)
            cuts.append(at)
        assert tokviz.split.cutting.cut(text, pattern).tolist() == cuts, text


REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
OWN = [
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + REST,  # Llama 3
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + REST,  # Qwen 2
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    r"\p{L}+|\P{L}",
    r" ?[a-z]+|[^a-z]",
    r"\d{2}|\D+|\d",
    r"(?:ab|a)?.|\n",
    r"\.\.|[\s\S]",
    r"\p{Lu}?\p{Ll}++|[\s\S]",
    "é|[\\s\\S]",
]


@pytest.mark.parametrize("expression", OWN)
def test_expressions_that_mean_the_same_are_kept(expression: str) -> None:
    files = with_fields(pre_tokenizer=split_by(expression))
    loaded = load(files)
    assert loaded.pattern == expression
    assert_same_cuts(files, expression)
    assert json.loads(dump(loaded, "hf")["tokenizer.json"])["pre_tokenizer"] == split_by(expression)


@pytest.mark.parametrize(
    "expression",
    [
        r"\w+|\W+",
        r"\p{N}{1,3}+|\P{N}",
        r"a$|[\s\S]",
        r"\ba|[\s\S]",
        r"[a&&b]|[\s\S]",
        r"(?i:ss)|[\s\S]",
        r"a+?|[\s\S]",
        r"(a)\1|[\s\S]",
        r"a*",
        r"(?#x)a|[\s\S]",
        r"\xe9|[\s\S]",
        r"\p{Greek}|[\s\S]",
        patterns.expression_of("cl100k"),
    ],
)
def test_expressions_that_may_mean_something_else_are_refused(expression: str) -> None:
    assert not hf_split.means_the_same(expression)
    with pytest.raises(FormatError, match="may read otherwise"):
        load(with_fields(pre_tokenizer=split_by(expression)))
    if expression != patterns.expression_of("cl100k"):
        with pytest.raises(FormatError, match="may read otherwise"):
            dump(Tokenizer("x", [], pattern=expression), "hf")


def test_a_pattern_with_half_a_character_is_refused() -> None:
    with pytest.raises(PatternError, match="contains half a character"):
        Tokenizer("x", [], pattern="\ud800|[\\s\\S]")


def test_numbers_in_threes_are_any_number_in_oniguruma() -> None:
    """That is why the + is left out where cl100k is written, and why an expression with it is refused."""
    step = pre_tokenizers.Split(Regex(r"\p{N}{1,3}+"), "isolated")
    assert len(step.pre_tokenize_str("1234567")) == 1
