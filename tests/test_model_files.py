"""`tokviz.load`: files and folders of every format, what is asked for where they do not say it, and what is no file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tiktoken

import tokviz
from tests.formats_cases import HUG, in_gguf, in_tekken, split_by, with_fields
from tests.peers_cases import file_of
from tokviz import Tokenizer
from tokviz.base.errors import FormatError
from tokviz.formats import FORMATS, WRITTEN, dump
from tokviz.formats.parts import UnsaidError
from tokviz.split.cutting import PATTERNS

OURS = {**{key: dump(HUG, key) for key in WRITTEN if key != "tiktoken"}, "gguf": in_gguf(HUG), "tekken": in_tekken(HUG)}
OURS["tiktoken"] = dump(HUG.with_special_tokens({}), "tiktoken")


def put(folder: Path, files: Mapping[str, bytes]) -> Path:
    """Write files, and give the path of the only one, or of their folder."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / next(iter(files)) if len(files) == 1 else folder


@pytest.mark.right
@pytest.mark.parametrize("key", OURS)
def test_a_file_or_folder_of_each_format_opens(key: str, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"pattern": "gpt2", "special_tokens": HUG.special_tokens}
    path = put(tmp_path, OURS[key])
    tok = tokviz.load(path, **(asked if FORMATS[key].asks else {}))
    assert isinstance(tok, Tokenizer)
    specials = {"<|a|>": 0, "<|b|>": 1} if key == "tekken" else HUG.special_tokens
    assert tok.special_tokens == specials
    first = 2 if key == "tekken" else 0
    assert tok.encode("a hug<|b|>", "all") == [97 + first, 32 + first, 257 + first, specials["<|b|>"]] or key == "gpt2"
    assert tok.decode(tok.encode("a hug<|b|>", "all")) == "a hug<|b|>"
    assert tokviz.load(tmp_path, **(asked if FORMATS[key].asks else {})).vocab == tok.vocab
    assert tokviz.load(str(path), **(asked if FORMATS[key].asks else {}), name="other").name == "other"


def test_a_rank_file_has_no_special_tokens_unless_they_are_said(tmp_path: Path) -> None:
    ranks = {**{bytes([byte]): byte for byte in range(256)}, b"th": 256, b"the": 257}
    data = dump(Tokenizer.from_ranks("x", ranks, pattern="gpt2", special_tokens={}), "tiktoken")["x.tiktoken"]
    path = put(tmp_path, {"x.tiktoken": data})
    expression = PATTERNS["gpt2"].regex
    theirs = tiktoken.Encoding("x", pat_str=expression, mergeable_ranks=ranks, special_tokens={"<|e|>": 300})
    for specials in ({}, {"<|e|>": 300}):
        tok = tokviz.load(path, "gpt2", specials)
        assert tok.special_tokens == specials
        assert tok.encode_ordinary("the theme<|e|>") == theirs.encode_ordinary("the theme<|e|>")
    assert tok.encode("the<|e|>", "all") == theirs.encode("the<|e|>", allowed_special="all")


def test_that_a_rank_file_got_no_special_tokens_is_said(tmp_path: Path) -> None:
    path, said = put(tmp_path, OURS["tiktoken"]), list[str]()
    with pytest.warns(
        UserWarning, match="does not say which special tokens there are, so this tokenizer has"
    ) as warned:
        assert not tokviz.load(path, "gpt2").special_tokens
    assert warned[0].filename == __file__ and len(warned) == 1, "it is about the line that called tokviz"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokviz.load(path, "gpt2", say=said.append)
        assert said == [str(warned[0].message)]
        for specials in ({}, {"<|e|>": 300}):
            assert tokviz.load(path, "gpt2", specials, say=said.append).special_tokens == specials
        for key in OURS.keys() - {"tiktoken"}:
            (tmp_path / key).mkdir()
            given = {"pattern": "gpt2"} if key in ("gpt2", "vocab-merges") else {}
            specials = "all" if given else ()
            tokviz.load(put(tmp_path / key, OURS[key]), special_tokens=specials, say=said.append, **given)
    assert [one for one in said if "special tokens" in one] == said[:1]


@pytest.mark.right
@pytest.mark.parametrize(
    ("files", "field"),
    [
        (OURS["tiktoken"], "pattern"),
        (dump(HUG.with_special_tokens({}), "gpt2"), "pattern"),
        (in_gguf(HUG, tokenizer_pre=None), "pattern"),
        (in_gguf(HUG, tokenizer_pre="none of ours"), "pattern"),
        (OURS["gpt2"], "special_tokens"),
        (OURS["vocab-merges"], "special_tokens"),
        (in_gguf(HUG.with_special_tokens({"<|a|>": 258}), token_types=None), "special_tokens"),
    ],
    ids=["tiktoken", "GPT-2", "GGUF", "GGUF, unknown name", "GPT-2, specials", "plain JSON", "GGUF, specials"],
)
def test_what_a_file_does_not_say_is_asked_for(files: dict[str, bytes], field: str, tmp_path: Path) -> None:
    with pytest.raises(UnsaidError) as caught:
        tokviz.load(put(tmp_path, files))
    assert caught.value.field == field and f"ass {field}=" in caught.value.way_out
    assert "none, gpt2, cl100k, o200k" in caught.value.way_out or '"all"' in caught.value.way_out
    assert tokviz.load(put(tmp_path, files), pattern="gpt2", special_tokens="all" if field != "pattern" else ())


def test_what_a_file_says_is_not_overruled(tmp_path: Path) -> None:
    path = put(tmp_path, with_fields(pre_tokenizer=split_by(r"\s+|\S+")))
    with pytest.raises(FormatError, match="says its split pattern itself"):
        tokviz.load(path, "gpt2")
    with pytest.raises(FormatError, match="says its special tokens itself"):
        tokviz.load(path, special_tokens={"<s>": 400})
    name, data = file_of("WordPiece")
    with pytest.raises(FormatError, match="says its split pattern itself"):
        tokviz.load(put(tmp_path, {name: data}), "gpt2")
