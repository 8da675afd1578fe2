"""GGUF: what the gguf package writes is read, other kinds of tokenizer are refused by name, and damage by its byte."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import assume, given
from tokenizers import Regex, pre_tokenizers

from tests.command_line import good
from tests.formats_cases import HUG, drawn_tokenizers, hard_texts, in_gguf
from tests.strategies import wild_texts
from tests.test_formats import encoded
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, SpecialTokenError
from tokviz.formats import gguf, load, open_files
from tokviz.formats.characters import BYTE_TOKENS
from tokviz.formats.gguf_metadata import head_of, metadata
from tokviz.split.cutting import check_pattern, cut
from tokviz.split.pipeline import stages_of

LISTED = HUG.with_special_tokens({"<|a|>": 258, "<|b|>": 259})  # without gaps between ids, so no token is unused


@given(tok=drawn_tokenizers, text=wild_texts)
def test_a_file_of_the_gguf_package_is_read(tok: Tokenizer, text: str) -> None:
    assume(tok.merges and tok.n_vocab < 600)  # the package writes no empty list
    try:
        files = in_gguf(tok)
    except FormatError:  # a special token that is written like another token
        assume(False)
    loaded = load(files, pattern=tok.pattern)
    assert (loaded.name, loaded.merges, loaded.vocab) == ("x", tok.merges, tok.vocab)
    assert loaded.special_tokens == tok.special_tokens
    assert encoded(loaded, text) == encoded(tok, text)


def test_names_of_patterns_that_are_known() -> None:
    assert load(in_gguf(HUG)).pattern == "gpt2"
    assert load(in_gguf(HUG, tokenizer_pre="qwen2")).encode("hug2008") == [257, 50, 48, 48, 56]
    assert all(split.pattern is None or check_pattern(split.pattern) for split in gguf.splits().values())
    assert load(in_gguf(HUG), pattern="none").pattern == "none"  # whoever says it decides
    with pytest.raises(FormatError, match=r"'tiny_aya', which cuts numbers in threes from their end.* Pass pattern="):
        load(in_gguf(HUG, tokenizer_pre="tiny_aya"))
    with pytest.raises(
        FormatError, match=r"x\.gguf names its split pattern 'x', which tokviz does not know.* Pass patt"
    ):
        load(in_gguf(HUG, tokenizer_pre="x"))
    with pytest.raises(FormatError, match=r"x\.gguf does not say with which pattern"):
        load(in_gguf(HUG, tokenizer_pre=None))


@pytest.mark.parametrize("name", ["deepseek-v3", "smollm", "falcon", "bloom"])
def test_names_of_pipelines_cut_as_their_expressions_one_after_the_other(name: str) -> None:
    pattern = gguf.splits()[name].pattern or ""
    gpt2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"  # as llama.cpp writes it
    expressions = [gpt2 if stage.expression == "gpt2" else stage.expression for stage in stages_of(pattern)]
    splits = [pre_tokenizers.Split(Regex(expression), "isolated") for expression in expressions]
    loaded = load(in_gguf(HUG, tokenizer_pre=name))
    for text in hard_texts(100):
        ends = [len(text[:end].encode()) for _, (_, end) in pre_tokenizers.Sequence(splits).pre_tokenize_str(text)]
        assert cut(text, loaded.pattern).tolist() == ends, text


PIECES = [*BYTE_TOKENS, "\u2581", *"abc", "é", "ab", "\u2581ab", "bc", "\u2581\u2581", "abc", "<s>", "<sep>"]
KINDS = [6] * 256 + [1] * 10 + [3, 4]


@pytest.mark.parametrize("prefix", [True, False])
def test_pieces_with_scores_give_the_ids_of_sentencepiece(prefix: bool) -> None:
    """llama.cpp merges as SentencePiece does, and puts a space behind each token that it cuts out too."""
    more = {"token_scores": [-float(id) for id in range(len(PIECES))], "add_space_prefix": prefix}
    files = in_gguf(HUG, tokenizer_model="llama", token_list=PIECES, token_types=KINDS, token_merges=None, **more)
    tok, space = load(files), "\u2581" * prefix
    id_of = PIECES.index
    assert tok.encode("abc") == ([id_of("\u2581ab"), id_of("c")] if prefix else [id_of("abc")])
    assert tok.encode(" a<sep>b<s>", "all") == [
        *([id_of("\u2581\u2581"), id_of("a")] if prefix else [id_of("\u2581"), id_of("a")]),
        *(id_of(piece) for piece in ("<sep>", *space, "b", "<s>")),
    ]
    assert tok.encode("ü", "all")[-2:] == [id_of("<0xC3>"), id_of("<0xBC>")]
    assert tok.decode(tok.encode("é ab")) == "é ab"


def test_merges_beside_scores_are_said() -> None:
    more = {"token_scores": [-float(id) for id in range(len(PIECES))], "token_merges": ["b c", "a b"]}
    said: list[str] = []
    files = in_gguf(HUG, tokenizer_model="llama", token_list=PIECES, token_types=KINDS, **more)
    tok = open_files(files, say=said.append)
    assert tok.encode("abc") == [PIECES.index("\u2581ab"), PIECES.index("c")]
    assert said == ["x.gguf has merges too, which may say otherwise: llama.cpp goes by the scores, and so it is here."]


def test_special_tokens_of_phi_3_take_the_white_space_behind_them_along() -> None:
    more = {"token_scores": [-float(id) for id in range(len(PIECES))], "token_merges": None, "name": "Phi-3 mini"}
    kinds = [*KINDS[:-2], 3, 3]
    tok = load(in_gguf(HUG, tokenizer_model="llama", token_list=PIECES, token_types=kinds, **more))
    end, begin = PIECES.index("<sep>"), PIECES.index("<s>")
    assert tok.encode("<sep> \n<sep>", "all") == [end, end] and len(tok.encode("<s> ", "all")) == 2
    assert tok.encode("<s> ", "all")[0] == begin


def test_a_special_token_that_others_make_is_named() -> None:
    tokens = [*PIECES[:-2], "ab\u2581", "<sep>"]
    more = {"token_scores": [-float(id) for id in range(len(tokens))], "token_merges": None}
    with pytest.raises(FormatError, match=r"the token 'ab▁', which llama\.cpp also makes"):
        load(in_gguf(HUG, tokenizer_model="llama", token_list=tokens, token_types=KINDS, **more))


def test_special_tokens_are_asked_for_where_the_file_does_not_say_what_tokens_are() -> None:
    assert load(in_gguf(LISTED)).special_tokens == LISTED.special_tokens
    files = in_gguf(LISTED, token_types=None)
    with pytest.raises(FormatError, match=r"no merge makes: '<\|a\|>', '<\|b\|>'.*special_tokens="):
        load(files)
    assert load(files, special_tokens="all").special_tokens == LISTED.special_tokens
    with pytest.raises(SpecialTokenError, match=r"'<\|c\|>' of x\.gguf is not in it"):
        load(in_gguf(LISTED), special_tokens=["<|c|>"])


def test_look_ups_of_a_converted_rank_file_are_read() -> None:
    """Llama 3's vocabulary is so in GGUF: merges are all ways to cut each token, and whole chunks are looked up."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"bcd": 257}
    tok = Tokenizer.from_ranks("x", ranks, pattern="none", special_tokens={})
    assert tok.lookups
    loaded = load(in_gguf(tok, tokenizer_pre="llama-bpe"))
    assert loaded.lookups == tok.lookups and loaded.encode("bcd") == [257]
    loaded = load(in_gguf(tok, tokenizer_pre="gpt-2"))
    assert loaded.encode("bcd") == [98, 99, 100] and loaded.decode([257]) == "bcd"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"tokenizer_model": "llama"}, "equal scores"),
        ({"tokenizer_model": "llama", "token_scores": None}, "no score for each token"),
        ({"tokenizer_model": "llama", "token_scores": [-float(i) for i in range(260)]}, "has no token <0x00>"),
        ({"tokenizer_model": "bert"}, r"of the kind 'bert' \(WordPiece\)"),
        ({"tokenizer_model": "other"}, "of the kind 'other'"),
        ({"token_types": [1] * 259 + [6]}, "kind 6 with the id 259"),
        ({"token_types": [1] * 5}, "what each of the 260 tokens is"),
        ({"token_list": None, "token_types": None}, "no list of tokens"),
        ({"token_merges": None}, "no list of merges"),
        ({"token_merges": ["u g", "h  ug"]}, "merge 2 is no pair"),
        ({"token_list": ["a", "a"], "token_types": [1, 1]}, "'a' has the ids 0 and 1"),
        ({"bos_token_id": 5_000}, "bos_token_id is 5000"),
    ],
)
def test_what_is_wrong_is_named(more: dict, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        load(in_gguf(LISTED, **more))
    assert str(caught.value).startswith("x.gguf")


BEGINNING = b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1)  # and one value, whose name has one letter


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"GGUF", "at byte 4 it should have 4 bytes more"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1 of GGUF"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "at byte 24 it should have 8 bytes more"),
        (BEGINNING + b"a" + struct.pack("<IIQ", 9, 0, 2**62), "bytes more"),  # the gguf package never ends on it
        (BEGINNING + b"a" + struct.pack("<I", 99), "unknown kind 99"),
        (BEGINNING + b"a" + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 1_000, "nests arrays too deeply"),
        (BEGINNING + b"\xff", "byte 32 is not UTF-8"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + struct.pack("<QcIB", 1, b"a", 0, 1) * 2, "names 'a' again"),
    ],
)
def test_damage_is_named_by_its_byte(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        load({"x.gguf": data})
    assert str(caught.value).startswith("x.gguf")


def test_big_endian_files_are_read() -> None:
    data = b"GGUF" + struct.pack(">IQQ", 3, 0, 2)
    data += struct.pack(">QcIi", 1, b"a", 5, -7) + struct.pack(">QcIIQ3h", 1, b"b", 9, 3, 3, 1, 2, -3)
    assert metadata(data, "x", "") == {"a": -7, "b": [1, 2, -3]}


def test_the_command_line_reads_only_the_metadata(tmp_path: Path) -> None:
    path = tmp_path / "large.gguf"
    path.write_bytes(in_gguf(HUG)["x.gguf"])
    assert len(head_of(path)) < path.stat().st_size
    with path.open("ab") as file:
        file.truncate(3_000_000_000)  # zeros take no room on the disk
    assert json.loads(good("encode", "-t", path, "--json", stdin="hug"))["ids"] == [257]
