"""What tokviz has copied from tiktoken is what the installed tiktoken still says.

Patterns, special tokens, hashes and Unicode classes are read again from tiktoken itself, offline, so that an
upgrade cannot drift unseen. And the copies do what they are for: they cut every text where tiktoken cuts it.
"""

from __future__ import annotations

import gzip
import hashlib
import itertools
import json
import random
import runpy
import sys
import tomllib
from base64 import b64decode
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tiktoken_ext.openai_public as openai_public

from tokviz.catalog.references import references
from tokviz.split import cutting

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
INDEX: dict[str, dict[str, Any]] = tomllib.loads((MODELS / "index.toml").read_text(encoding="utf-8"))
TABLE = json.loads((ROOT / "tokviz" / "data" / "unicode_classes.json").read_text(encoding="utf-8"))
NAMED = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}  # our pattern: tiktoken's encoding
SEPARATOR = "\0between two texts\0"


def definition(name: str) -> dict[str, Any]:
    """What tiktoken's constructor of `name` says, and the sha256 of each file it would load; nothing is loaded."""
    hashes: dict[str, str] = {}

    def one_file(url: str, expected_hash: str) -> dict[bytes, int]:
        hashes["ranks"] = expected_hash
        return {}

    def two_files(vocab_bpe_hash: str, encoder_json_hash: str, **_: str) -> dict[bytes, int]:
        hashes.update(merges=vocab_bpe_hash, ids=encoder_json_hash)
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", one_file)
        patch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", two_files)
        return {**openai_public.ENCODING_CONSTRUCTORS[name](), "hashes": hashes}


def unpacked(name: str) -> bytes:
    return gzip.decompress((MODELS / INDEX[name]["file"]).read_bytes())


def ranks(name: str) -> dict[bytes, int]:
    pairs = (line.split() for line in unpacked(name).splitlines())
    return {b64decode(token): int(rank) for token, rank in pairs}


def one_name_an_id(special_tokens: dict[str, int]) -> dict[str, int]:
    """Without <|reserved_200018|>: that id is <|endofprompt|>, and here an id is one token."""
    return {text: id for text, id in special_tokens.items() if text != "<|reserved_200018|>"}


@pytest.mark.parametrize("name", INDEX)
def test_index_says_what_tiktoken_says(name: str) -> None:
    row, theirs = INDEX[name], definition(name)
    assert hashlib.sha256(unpacked(name)).hexdigest() == row["sha256"]
    assert references()[name].special_tokens == one_name_an_id(theirs["special_tokens"])
    assert cutting.PATTERNS[row["pattern"]].regex == theirs["pat_str"]
    assert row["n_vocab"] == theirs.get("explicit_n_vocab", row["n_vocab"])
    assert row["n_vocab"] == 1 + max([*ranks(name).values(), *references()[name].special_tokens.values()])
    if name != "gpt2":  # tiktoken builds that one from two other files: see test_formats_gpt2
        assert row["sha256"] == theirs["hashes"]["ranks"]


def test_unicode_classes_are_tiktokens() -> None:
    again = runpy.run_path(str(MODELS / "unicode_classes.py"))["read_classes"]()
    assert again | {"tiktoken": TABLE["tiktoken"]} == TABLE  # the version may move as long as the classes do not


NEIGHBOURS = ("", "a", "A", " ", "1", "\n", "'")
CONTEXTS = tuple(itertools.product(NEIGHBOURS, NEIGHBOURS))
SURROGATES = {*range(0xD800, 0xE000)}
CASE_PAIRS = "sdmtlverSDMTLVER'ſKﬀﬁﬆıİŉ’ʼ"  # the letters of 's and its kin, and what case folding brings near
SPACES = " \n\r\t\v\f\x1c\x1f\x85\xa0\u1680\u2003\u2028\u3000\u200b\ufeff"


@pytest.mark.parametrize("pattern", NAMED)
def test_cuts_are_tiktokens_on_random_texts_and_at_the_edges_of_every_class(pattern: str) -> None:
    assert_same_cuts(pattern, random_texts(700, seed=20))
    choose = random.Random(21)
    starts = [start for start, _ in TABLE["runs"]]
    edges = {*starts, *(start - 1 for start in starts if start), 0xD7FF, 0xE000, sys.maxunicode} - SURROGATES
    assert_same_cuts(pattern, [chr(point).join(choose.choice(CONTEXTS)) for point in sorted(edges)])


@pytest.mark.long
@pytest.mark.parametrize("pattern", NAMED)
def test_cuts_are_tiktokens_on_every_code_point_between_neighbours(pattern: str) -> None:
    """All 1,112,064 characters, with a neighbour on one side at most: it takes some ten minutes."""
    points = sorted({*range(sys.maxunicode + 1)} - SURROGATES)
    for start in range(0, len(points), 50_000):
        for context in CONTEXTS:
            if not all(context):
                assert_same_cuts(pattern, [chr(point).join(context) for point in points[start : start + 50_000]])


def random_texts(n: int, seed: int) -> Iterator[str]:
    """Texts of 1 to 24 characters, each from a few of: the classes, hard ASCII, case folding, white space."""
    choose = random.Random(seed)
    pools: list[Any] = [CASE_PAIRS, SPACES, " \n\r\t'/1aA.ſ"]
    classes: list[list[str]] = [[] for _ in TABLE["classes"]]
    for (start, index), (end, _) in itertools.pairwise([*TABLE["runs"], [sys.maxunicode + 1, 0]]):
        classes[index] += [chr(point) for point in range(start, end) if point not in SURROGATES]
    pools += classes
    for _ in range(n):
        some = choose.choices(pools, k=choose.randint(1, 4))
        yield "".join(choose.choice(choose.choice(some)) for _ in range(choose.randint(1, 24)))


def assert_same_cuts(pattern: str, texts: Iterable[str]) -> None:
    texts = list(texts)
    regex = definition(NAMED[pattern])["pat_str"]
    for text, theirs in zip(texts, tiktokens_chunks(regex, texts), strict=True):
        ends = cutting.cut(text, pattern).tolist()
        assert ends == list(itertools.accumulate(map(len, theirs))), f"{text!a}: tiktoken cuts {theirs}"


def tiktokens_chunks(regex: str, texts: list[str]) -> Iterator[list[bytes]]:
    """The chunks that tiktoken cuts, which it never shows.

    It takes a chunk that is a token as it is. So in a vocabulary that holds every substring of the texts each
    chunk, whatever it is, comes back as one token. A special token parts the texts, for each is cut by itself.
    """
    pieces = set()
    for text in texts:
        pieces |= {text[i:j].encode() for i, j in itertools.combinations(range(len(text) + 1), 2)}
    vocabulary = [bytes([byte]) for byte in range(256)]
    vocabulary += sorted(piece for piece in pieces if len(piece) > 1)
    end = len(vocabulary)
    witness = tiktoken.Encoding(
        "witness",
        pat_str=regex,
        mergeable_ranks={token: rank for rank, token in enumerate(vocabulary)},
        special_tokens={SEPARATOR: end},
    )
    chunks: list[bytes] = []
    for rank in witness.encode("".join(text + SEPARATOR for text in texts), allowed_special="all"):
        if rank != end:
            chunks.append(vocabulary[rank])
        else:
            yield chunks
            chunks = []
