"""Large files, and files that would become large: read in linear time, or refused before they take much memory."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from tests.bounded import bounded
from tests.hostile.files import gguf, tekken, words
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, SpecialTokenError, TokvizError
from tokviz.comparison.export import probes
from tokviz.formats import dump, load, open_files
from tokviz.formats.witness import witness
from tokviz.vocabulary.biography import birth

MANY = {f"<|{number}|>": 1_000 + number for number in range(30_000)} | {"<|" + "a" * n: n for n in range(300, 900)}
PAGES = Tokenizer("many", [(97, 97)], pattern="none", special_tokens=MANY)
FIELDS = b'{"format": "tokviz", "version": 1, "name": "x", "pattern": "none", "special_tokens": {}, "merges": ['
DOUBLED = [(97, 97), *((256 + n, 256 + n) for n in range(17))]  # the last token has 256 kB


def test_many_special_tokens_are_found_in_a_text() -> None:
    ids = [1_000 + number for number in range(0, 30_000, 7)] + [899, 300]
    text = PAGES.decode(ids)
    assert PAGES.encode(text, "all") == ids
    assert PAGES.explain(f"<|{text}<|aab", "all").ids.tolist() == [60, 124, *ids, 60, 124, 256, 98]
    with pytest.raises(SpecialTokenError, match=r"'<\|29999\|>' at byte 2"):
        PAGES.encode("<|<|29999|>")


@pytest.mark.parametrize("format", ["tokviz", "minbpe", "gpt2", "vocab-merges", "hf"])
def test_many_special_tokens_come_back_from_files(format: str) -> None:
    say = {"pattern": "none", "special_tokens": "all"} if format in ("gpt2", "vocab-merges") else {}
    assert load(dump(PAGES, format), **say).special_tokens == MANY


def test_the_tree_of_a_long_token_is_made_where_it_is_looked_at() -> None:
    tok = Tokenizer("doubled", DOUBLED, pattern="none")
    born = birth(tok, 273)
    assert born and (born.left, born.right, born.merges, born.different) == (272, 272, 2**18 - 1, 18)
    tree = tok.explain("a" * 2**18).tree(0)
    while tree.parts:
        tree = tree.parts[1]
    assert (tree.start, tree.id) == (2**18 - 1, 97)


@pytest.mark.parametrize(
    "data",
    [
        FIELDS + b"[]," * 1_000_000 + b"[]]}",
        FIELDS + b'{"":0},' * 500_000 + b"[]]}",
        b'{"model": {"vocab": {"":' + b'[{"":' * 500_000,
        b"minbpe v1\n\n0\n97 98" + b"\n" * 3_000_000 + b"x",
        b"AA== 0\n" * 1_200_000,
        tekken(default_vocab_size=2_000_000_000, default_num_special_tokens=2_000_000_000),
        gguf(1, 8, 1_500_000, bytes(12_000_000)),
        words(120_000),
    ],
)
def test_a_file_that_would_take_much_memory_is_refused_at_once(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, file_tokens=101_000)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"could take|are the limit"):
        open_files({"x": data})
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5 * len(data) + 100_000


def test_signs_of_json_inside_texts_take_no_memory() -> None:
    specials = {'["\\' * 300 + f"{{:,{number}": 300 + number for number in range(2_000)}
    tok = Tokenizer("signs", [], special_tokens=specials)
    assert load(dump(tok, "tokviz")).special_tokens == specials


def test_a_name_that_stands_twice_among_many_is_named() -> None:
    names = ",".join(f'"{number}": {number}' for number in range(40_000))
    with pytest.raises(FormatError, match=r"x is damaged: '39999' is in it twice"):
        open_files({"x": f'{{"model": {{"vocab": {{{names}, "39999": 1}}}}}}'.encode()})


def test_formats_that_spell_tokens_out_are_written_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    tok = Tokenizer("doubled", DOUBLED, pattern="none")
    bounded(monkeypatch, exported_mb=0.1)
    assert load(dump(tok, "tokviz")).merges == tok.merges and witness(tok) is None
    for format in ("hf", "gpt2", "vocab-merges", "minbpe"):
        with pytest.raises(FormatError, match=r"The tokens of doubled have 524,\d+ bytes, and 0\.1 MB are the limit"):
            dump(tok, format)


def test_probes_of_an_export_are_short_however_long_the_tokens_are() -> None:
    long = Tokenizer("doubled", DOUBLED, pattern="none", special_tokens={"<|e|>": 1_001})
    made = probes(long)
    assert sum(map(len, made)) < 500_000 and any("<|e|>" in probe for probe in made)
    assert any("aaaaaaaa" in probe for probe in made)


def test_too_many_special_tokens_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dump(PAGES, "tokviz")["many.json"]
    bounded(monkeypatch, specials=1_000)
    with pytest.raises(TokvizError, match=r"many\.json .*more than 1,000 special tokens, which is the limit"):
        load({"many.json": data})
    bounded(monkeypatch, specials=100_000)
    bounded(monkeypatch, vocabulary_mb=0.1)
    with pytest.raises(SpecialTokenError, match="100,000 are the limit"):
        PAGES.with_special_tokens(json.loads(data)["special_tokens"])
