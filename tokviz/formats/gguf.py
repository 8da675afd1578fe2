"""Reads the BPE tokenizer in the metadata of a GGUF file, as llama.cpp does. tokviz writes no such files.

    tokenizer.ggml.model        "gpt2" is byte-level BPE, "llama" SentencePiece's by scores, "gemma4" by merges; others
                                are refused by their names
    tokenizer.ggml.tokens       the tokens, in the order of their ids
    tokenizer.ggml.merges       "left right", in the order of the ranks
    tokenizer.ggml.scores       of the tokens, for "llama"
    tokenizer.ggml.token_type   what each token is: ordinary, special, added, unused; not in every file
    tokenizer.ggml.pre          the name of the split pattern; `tokviz/data/gguf_patterns.toml` has those that we know

Tokens of byte-level BPE are written as in `tokviz.formats.bytelevel`, those of the others as in
`tokviz.formats.characters`. Unused ids, which only fill up a table, are left out.
Source: ggml-org/llama.cpp, src/llama-vocab.cpp.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tokviz.base.arguments import shown
from tokviz.base.data import DATA
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.bpe_model import pairs_in, tokenizer_of_model
from tokviz.formats.bytelevel import no_merge_makes
from tokviz.formats.characters import AS_SPACE, SPACE, in_order, tokenizer_of_merges, tokenizer_of_pieces
from tokviz.formats.gguf_metadata import MAGIC, metadata
from tokviz.formats.parts import (
    NO_RECORD,
    PASS_PATTERN,
    FilePart,
    Format,
    Given,
    UnsaidError,
    check_lengths,
    leftover_specials,
)
from tokviz.split.normalizing import Normalizer, Step
from tokviz.split.pipeline import Stage, written
from tokviz.tokenizer.tokenizer import Tokenizer

_KEY = "tokenizer.ggml."
_KINDS = {"bert": "WordPiece", "t5": "Unigram", "rwkv": "RWKV", "plamo2": "PLaMo-2"}
_ORDINARY, _SPECIAL, _ADDED, _UNUSED, _BYTE = (0, 1), (2, 3), 4, 5, 6  # kinds of tokens
_BY_LINES = r"[^\n]+|\n+"  # how "gemma4" cuts a text
_NAMED_IDS = ("bos_token_id", "eos_token_id")


class Split(NamedTuple):
    """Says what a name in tokenizer.ggml.pre means. looks_up: are whole chunks looked up? None if that is not known.
    why: what tokviz cannot do, if the pattern is None; "" if it does not know the name."""

    pattern: str | None
    looks_up: bool | None
    why: str = ""


@functools.cache
def splits() -> Mapping[str, Split]:
    """Return what each name of a split pattern means, if we know it.

    >>> splits()["gpt-2"]
    Split(pattern='gpt2', looks_up=False, why='')
    """
    rows = tomllib.loads((DATA / "gguf_patterns.toml").read_text("utf-8"))["row"]
    return {
        name: Split(
            written(map(Stage, row["stages"])) if "stages" in row else row.get("pattern"),
            row.get("looks_up"),
            row.get("why", ""),
        )
        for row in rows
        for name in row["names"]
    }


def read(file: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in a GGUF file. FormatError names what is wrong, missing, or not honoured."""
    found = metadata(file.data, file.name, (_KEY, "split.", "general.name"))
    said = {key.removeprefix(_KEY): value for key, value in found.items()}
    _check_kind(said, file)
    tokens = _texts(said, "tokens", file)
    kinds = _kinds(said, len(tokens), file)
    for key in _NAMED_IDS:
        if key in said and not is_id(said[key], len(tokens)):
            raise file.damaged(f"{key} is {shown(said[key])}, which no token has")
    ids: dict[str, int] = {}
    for id, token in enumerate(tokens):
        if (kinds is None or kinds[id] != _UNUSED) and ids.setdefault(token, id) != id:
            raise file.damaged(f"the token {shown(token)} has the ids {ids[token]} and {id}")
    if said["model"] != "gpt2":
        return _of_pieces(said, tokens, kinds, file, given)
    merges = pairs_in(_texts(said, "merges", file), file)
    added: dict[str, int] = {}
    if kinds is None:
        made = {left + right for left, right in merges}
        leftovers = no_merge_makes(ids, [ids[token] for token in made if token in ids])
    else:
        leftovers = {token: id for token, id in ids.items() if kinds[id] in _SPECIAL}
        added = {token: id for token, id in ids.items() if kinds[id] == _ADDED}
        given = given.or_else(special_tokens="all")
    specials = leftover_specials(leftovers, given, file, ids)
    named = said.get("pre")
    split = splits().get(named if isinstance(named, str) else "", Split(None, None))
    given = given.or_else(pattern=split.pattern)
    if given.pattern is None and named is not None:
        why = split.why or "tokviz does not know"
        what = f"{file.name} names its split pattern {shown(named)}, which {why}."
        raise UnsaidError(what, PASS_PATTERN, "pattern")
    return tokenizer_of_model(
        given.name_for(file),
        ids,
        merges,
        specials,
        added,
        file,
        pattern=given.need_pattern(file),
        looks_up=split.looks_up,
        way_out="Choose a file that says what each token is.",
    )


def _of_pieces(
    said: Mapping[str, Any], tokens: Sequence[str], kinds: Sequence[int] | None, file: InputFile, given: Given
) -> Tokenizer:
    """Make the tokenizer of pieces with scores ("llama") or merges ("gemma4").

    llama.cpp puts a space before the text, and behind each token that it cuts out. It makes a token of any kind by
    merges: FormatError if it could so make one that is not read here.
    """
    for field in ("pattern", "special_tokens"):
        given.must_not(field, file)
    if kinds is None:
        raise file.damaged("it does not say what each token is")
    sorts = dict(zip(tokens, kinds, strict=True))
    ids = {token: id for id, token in enumerate(tokens) if kinds[id] != _UNUSED}
    specials = {token: id for token, id in ids.items() if sorts[token] in _SPECIAL}
    added = {token: id for token, id in ids.items() if sorts[token] == _ADDED}
    pieces = {token: id for token, id in ids.items() if token not in specials and token not in added}
    prefix = said.get("add_space_prefix", said["model"] == "llama") is True
    phi = "phi3" in str(said.get("general.name")).lower().replace("-", "")  # so llama.cpp knows which strip
    behind = {*specials, *added}.difference(("<unk>", "<s>", "<|endoftext|>")) if phi else ()
    steps = *[Step("prepend", by=" ")] * prefix, AS_SPACE
    normalizer = Normalizer(steps, taken_off=int(prefix), behind=frozenset(behind))
    rest = specials, added, normalizer, file
    used, other = ("merges", "scores") if said["model"] == "gemma4" else ("scores", "merges")
    if given.say and isinstance(said.get(other), list) and len({*map(str, said[other])}) > 1:
        given.say(
            f"{file.name} has {other} too, which may say otherwise: llama.cpp goes by the {used}, and so it is here."
        )
    if said["model"] == "gemma4":
        merges = pairs_in(_texts(said, "merges", file), file)
        return tokenizer_of_merges(given.name_for(file), pieces, merges, *rest, pattern=_BY_LINES)
    scores = said.get("scores")
    if not isinstance(scores, list) or len(scores) != len(tokens) or not all(score == score for score in scores):
        raise file.damaged("it has no score for each token")
    check_lengths(sorts.keys() - pieces.keys(), file.name, "Choose a file with shorter special tokens.")
    for token in sorts.keys() - pieces.keys():
        if (token not in added or SPACE in token) and any(
            token[:at] in sorts and token[at:] in sorts for at in range(1, len(token))
        ):
            raise FormatError(
                f"{file.name} has the token {shown(token)}, which llama.cpp also makes of others.",
                "tokviz reads files whose special tokens no others make.",
            )
    ordinary = {token: scores[id] for token, id in pieces.items() if len(token) > 1 and sorts[token] != _BYTE}
    return tokenizer_of_pieces(given.name_for(file), pieces, in_order(ordinary, file), None, *rest)


def _check_kind(said: Mapping[str, Any], file: InputFile) -> None:
    """Raise FormatError if the tokenizer is no BPE, or changes a text before it cuts it."""
    kind = said.get("model")
    number = said.get("split.no")
    if kind is None and number and is_id(number):
        raise FormatError(
            f"{file.name} is part {number + 1} of a model that was split, and the tokenizer is in part 1.",
            "Choose the part with 00001 in its name.",
        )
    if kind is None:
        raise FormatError(f"{file.name} has no tokenizer in its metadata.", "Choose a whole model, or its vocabulary.")
    if kind not in ("gpt2", "llama", "gemma4"):
        known = f" ({_KINDS[kind]})" if isinstance(kind, str) and kind in _KINDS else ""
        raise FormatError(
            f"{file.name} has a tokenizer of the kind {shown(kind)}{known}.",
            "tokviz reads BPE, which GGUF calls gpt2, llama or gemma4.",
        )
    changes = [key for key, value in said.items() if key.startswith("normalizer.") and value]
    if changes:
        raise FormatError(
            f"{file.name} has {shown(changes[0])}, which tokviz does not honour.",
            "Its ids would be others. Choose a tokenizer of plain byte-level BPE.",
        )


def _texts(said: Mapping[str, Any], key: str, file: InputFile) -> list[str]:
    values = said.get(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise file.damaged(f"it has no list of {key}")
    return values


def _kinds(said: Mapping[str, Any], n_tokens: int, file: InputFile) -> list[int] | None:
    """Read what kind each token is; None if the file does not say it."""
    kinds = said.get("token_type")
    if kinds is None:
        return None
    if not isinstance(kinds, list) or len(kinds) != n_tokens:
        raise file.damaged(f"it does not say what each of the {n_tokens:,} tokens is")
    for id, kind in enumerate(kinds):
        if kind not in (*_ORDINARY, *_SPECIAL, _ADDED, _UNUSED) and (kind != _BYTE or said["model"] == "gpt2"):
            raise FormatError(
                f"{file.name} has a token of the kind {shown(kind)} with the id {id}, which tokviz does not honour.",
                "tokviz reads byte-level BPE without a fallback to bytes.",
            )
    return kinds


GGUF = Format(
    "gguf",
    "GGUF: the tokenizer of a model",
    {"model": FilePart(("NAME.gguf",), lambda file: file.head.startswith(MAGIC))},
    read,
    asks=("pattern", "special_tokens"),
    loses={
        **NO_RECORD,
        "pattern": "The file names its pattern. It is asked for where tokviz does not know the name.",
        "special_tokens": "They are asked for where the file does not say what each token is.",
    },
)
