"""Split patterns in files: how they are spelled, and that a known spelling cuts as the named pattern does."""

from __future__ import annotations

import itertools
import random

import regex

import tokviz
from tests.formats_cases import split_by, with_fields
from tests.oracles import BYTE_OF
from tokviz.base.byte_characters import BYTES
from tokviz.formats import load, patterns
from tokviz.split.automaton import representatives
from tokviz.split.pipeline import stages_of


def test_known_expressions_cut_where_the_named_pattern_does() -> None:
    """Checked on all texts of up to three characters, one for each class, and on longer ones at random."""
    map_to = representatives()
    characters = " \n\r'sS1aA.é\u0301ʰſ/l"
    texts = ["".join(some) for n in range(1, 4) for some in itertools.product(characters, repeat=n)]
    choose = random.Random(3)
    texts += ["".join(choose.choices(characters + "ltvedrm\t", k=choose.randint(5, 20))) for _ in range(5_000)]
    for expression, name in patterns.SPELLINGS.items():
        compiled = regex.compile(expression)
        for text in texts if expression != tokviz.split.cutting.PATTERNS[name].regex else ():
            mapped = "".join(chr(map_to[ord(c)]) for c in text)
            theirs = [match.end() for match in compiled.finditer(mapped)]
            ends = tokviz.split.cutting.cut(mapped, name)
            assert len(ends) == len(theirs), (name, expression, text)
            assert [len(mapped[:end].encode()) for end in theirs] == ends.tolist(), (name, expression, text)


def test_bytes_are_written_as_gpt2_writes_them() -> None:
    assert BYTE_OF.items() <= BYTES.items()  # those that UTF-8 uses
    assert sorted(BYTES.values()) == [*range(256)]


def test_an_expression_that_reads_like_a_name_is_an_expression() -> None:
    """To minbpe and to tokenizers "gpt2" is a regular expression that matches these four letters."""
    assert load({"x.model": b"minbpe v1\ngpt2\n0\n"}).pattern == "(?:gpt2)"
    (stage,) = stages_of(load(with_fields(pre_tokenizer=split_by("none"))).pattern)
    assert stage.expression == "(?:none)"


def test_the_older_expression_of_cl100k_is_another_pattern() -> None:
    """It is Llama 3's and minbpe's. tiktoken's own has `\\s++$` before the line ends since."""
    older = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    older += r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    assert patterns.named(older) == older
    assert [tokviz.split.cutting.cut("a\n ", pattern).tolist() for pattern in (older, "cl100k")] == [[1, 2, 3], [1, 3]]
