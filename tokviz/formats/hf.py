"""Reads and writes Hugging Face's tokenizer.json: one JSON object with all parts of a tokenizer.

Beside it lies tokenizer_config.json, with which `AutoTokenizer` of transformers finds it. That says nothing more of
the ids, and is not read.

    model            byte-level BPE; with byte_fallback, and without ByteLevel, SentencePiece's BPE (see
                     `tokviz.formats.characters`)
    normalizer       normal forms, Lowercase, Strip, Prepend, Replace (see `tokviz.formats.hf_normalizer`)
    pre_tokenizer    ByteLevel, and before it steps that make a pipeline (see `tokviz.formats.hf_split`); around
                     SentencePiece's BPE Metaspace, or none that cuts
    added_tokens     special tokens if they have "special": true, else added tokens; those that are "normalized" are
                     cut out of the normalized text

tokviz refuses by name whatever else would give other ids. Truncation, padding and dropout decide no id of a whole text,
so they are left aside. A post-processor puts tokens around a text; tokviz encodes the text alone, as
`encode(text, add_special_tokens=False)` of tokenizers does. tokenizers cuts special and added tokens out of a text, so
its ids are those of `encode(text, allowed_special="all")`; with encode_special_tokens it cuts only added tokens, as
`encode_ordinary` does.

Tokens of byte-level BPE are written as in `tokviz.formats.bytelevel`. Source: huggingface/tokenizers, in
tokenizers/src: tokenizer/serialization.rs, tokenizer/added_vocabulary.rs, models/bpe/serialization.rs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tokviz.base.arguments import shown, some
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.bpe_model import NEVER_IN_UTF8, looked_up_specials, pairs_in, tokenizer_of_model
from tokviz.formats.bytelevel import OVERWRITTEN, all_cuts, ids_in, written_tokens
from tokviz.formats.characters import pieces_of, tokenizer_of_merges
from tokviz.formats.hf_normalizer import apart, around_bytes, around_characters, around_of, normalizer_of
from tokviz.formats.hf_split import pre_tokenizer_of
from tokviz.formats.parts import NO_RECORD, UNPAIRED_CUT, FilePart, Format, Given, Losses, ranks_of
from tokviz.formats.tokenizer_json import ASIDE, left_aside, read_peer
from tokviz.split.cutting import PATTERNS
from tokviz.split.normalizing import Normalizer
from tokviz.tokenizer.tokenizer import Tokenizer

LOSES: Losses = {
    **NO_RECORD,
    "pattern": (
        "A pattern of your own keeps its expression, but each program has its own Unicode classes: the newest "
        "characters may be cut otherwise. A known expression gets its name when it is read."
    ),
}

# What each part of the file may be. Whatever is not here is refused by name.
_READ = {*ASIDE, "version", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder", "model"}
_MODEL: Mapping[str, tuple[Any, ...]] = {"continuing_subword_prefix": (None, ""), "end_of_word_suffix": (None, "")}
_MODEL_READ = {"type", "vocab", "merges", "ignore_merges", "unk_token", "fuse_unk", "byte_fallback", "dropout"}
_AROUND = ("ByteLevel", "TemplateProcessing", "RobertaProcessing", "BertProcessing")


def _is_tokenizer(file: InputFile) -> bool:
    return file.is_json and isinstance(file.json, dict) and isinstance(file.json.get("model"), dict)


def read(file: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in a tokenizer.json. FormatError names what is wrong, or what tokviz does not honour.

    >>> from tokviz.formats import dump, load
    >>> load(dump(Tokenizer("a", [(32, 97)], pattern="cl100k"), "hf")).pattern
    'cl100k'
    """
    model = file.json["model"]
    _check(file.json, {}, _READ, file)
    if model.get("type", "BPE") != "BPE":
        raise FormatError(
            f"{file.name} is a tokenizer of the type {shown(model['type'])}.", "tokviz reads byte-level BPE."
        )
    _check(model, _MODEL, _MODEL_READ, file)
    of_characters = model.get("byte_fallback") or _has_marks(file)
    by_bytes = not of_characters or _is_byte_level(file.json.get("pre_tokenizer"))
    _check_around(file, by_bytes)
    ids = ids_in(model.get("vocab"), file)
    merges = pairs_in(model.get("merges"), file)
    specials, added, late, *wide = _cut_first(file.json.get("added_tokens") or [], ids, file)
    steps, space, pattern, taken_off = around_bytes(file) if by_bytes else around_characters(file)
    # Without steps, one search finds tokens that never overlap, and may be beside words, as two searches do.
    after = late if steps or wide[-1] or not apart({**specials, **added}, late) else frozenset[str]()
    normalizer, unknown = Normalizer(steps, after, space, taken_off, *wide), _unknown(model, ids, file)
    if by_bytes:
        made = tokenizer_of_model(
            given.name_for(file),
            ids,
            merges,
            specials,
            added,
            file,
            pattern=pattern,
            looks_up=model.get("ignore_merges", False) is not False,
            way_out="List them as added_tokens if they are special.",
            **unknown,
        ).with_normalizer(normalizer)
    else:
        if model.get("ignore_merges"):
            what = f"{file.name} has ignore_merges and byte_fallback."
            raise FormatError(what, "tokviz reads files with one of them.")
        pieces = {piece: id for piece, id in ids.items() if piece not in specials and piece not in added}
        rest, fallback = (specials, added, normalizer, file), bool(model.get("byte_fallback"))
        more = {"pattern": pattern, "byte_fallback": fallback, **unknown}
        made = tokenizer_of_merges(given.name_for(file), pieces, merges, *rest, **more)
    if given.say and (aside := left_aside(file)):
        given.say(f"{aside}, with all merges.")
    if given.say and by_bytes and made.spare:
        given.say(f"{file.name} has tokens that no text becomes: {some([made.vocab[id] for id in made.spare])}.")
    return made


def _unknown(model: Mapping[str, Any], ids: Mapping[str, int], file: InputFile) -> dict[str, Any]:
    """Read what becomes of what no token has, as a MergeTable takes it."""
    token = model.get("unk_token")
    if token is None:
        return {"unknown": None, "fuses": True}
    if not isinstance(token, str) or token not in ids:
        raise FormatError(f"{file.name} has unk_token {shown(token)}, which is no token.", "Leave it out.")
    return {"unknown": ids[token], "fuses": model.get("fuse_unk") is True}


def _check(
    fields: dict[str, Any], allowed: Mapping[str, tuple[Any, ...]], known: Iterable[str], file: InputFile
) -> None:
    """Raise FormatError at the first field that might change the ids.

    allowed: field -> its values that change nothing.
    known: fields that may have any value here.
    """
    for field, value in fields.items():
        if field in known or (field in allowed and value in allowed[field]):
            continue
        kind = value.get("type", value) if isinstance(value, dict) else value
        raise FormatError(
            f"{file.name} has {field:.80} {shown(kind)}, which tokviz does not honour.",
            "Its ids would be others. Choose a tokenizer of plain byte-level BPE.",
        )


def _is_byte_level(pre_tokenizer: Any) -> bool:
    return '"ByteLevel"' in json.dumps(pre_tokenizer)


def _has_marks(file: InputFile) -> bool:
    """Tell whether a file puts "▁" in the place of a space."""
    around = [file.json.get("normalizer"), file.json.get("pre_tokenizer")]
    return '"▁"' in json.dumps(around, ensure_ascii=False)


def _check_around(file: InputFile, by_bytes: bool = True) -> None:
    """Raise FormatError if a post-processor is none of _AROUND, or the decoder of byte-level BPE is not ByteLevel.

    by_bytes: whether the file is of byte-level BPE. The decoder of SentencePiece's BPE is checked where it is read.
    """
    decoder, after = file.json.get("decoder"), file.json.get("post_processor")
    steps = after.get("processors") if isinstance(after, dict) and after.get("type") == "Sequence" else [after]
    processors = [("the post-processor", step, _AROUND) for step in (steps if isinstance(steps, list) else [steps])]
    decoders = [("the decoder", decoder, ("ByteLevel",))] if by_bytes else []
    for field, step, allowed in [*decoders, *processors]:
        kind = step.get("type") if isinstance(step, dict) else step
        if step is not None and kind not in allowed:
            raise FormatError(
                f"{file.name} has {field:.80} {shown(kind)}, which tokviz does not honour.",
                "tokviz reads byte-level BPE.",
            )


def _cut_first(
    added: Any, ids: Mapping[str, int], file: InputFile
) -> tuple[dict[str, int], dict[str, int], frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    """Read the special and the added tokens, text -> id, and a Normalizer's `after`, `before`, `behind` and `alone`.

    FormatError if tokenizers finds one in a way that tokviz does not know.
    """
    if not isinstance(added, list):
        raise file.damaged("added_tokens is no list")
    specials: dict[str, int] = {}
    others: dict[str, int] = {}
    flagged: dict[str, set[str]] = {"normalized": set(), "lstrip": set(), "rstrip": set(), "single_word": set()}
    next_id, highest = len(ids), max(ids.values(), default=-1)
    for number, token in enumerate(added, 1):
        match token:
            case {"id": id, "content": str(text)} if is_id(id) and text and text not in specials and text not in others:
                pass
            case _:
                raise file.damaged(f"added token {number:,} has no id and text of its own")
        special = token.get("special", False)
        for field, default in {"special": False, **dict.fromkeys(flagged, False), "normalized": not special}.items():
            value = token.get(field, default)
            if not isinstance(value, bool):
                raise file.damaged(f"{field} of the added token {shown(text)} is {shown(value)}")
            if value and field in flagged:
                flagged[field].add(text)
        # tokenizers takes the id from the vocabulary, or else the next free one; it ignores the one in this list
        theirs = ids.get(text, next_id)
        if id != theirs or (text not in ids and highest >= len(ids)):
            raise FormatError(
                f"{file.name} gives the added token {shown(text)} the id {id}, but tokenizers may give it {theirs}.",
                "Put it in the vocabulary with its id.",
            )
        next_id += text not in ids
        (specials if special else others)[text] = id
    late, before, behind, alone = map(frozenset, flagged.values())
    if (before or behind) and (spaced := [text for text in (*specials, *others) if text.strip() != text]):
        raise FormatError(
            f"{file.name} has added tokens that take white space along, and {shown(spaced[0])}, which ends with some.",
            "tokviz reads files with one of them.",
        )
    return specials, others, late, before, behind, alone


def write(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Write the two files. FormatError says what they cannot hold.

    >>> json.loads(write(Tokenizer("a", [(32, 97)]))["tokenizer.json"])["model"]["merges"]
    [['Ġ', 'a']]
    """
    if tokenizer.in_characters:
        return _written(tokenizer, *pieces_of(tokenizer), **around_of(tokenizer))
    tokens, looks_up = written_tokens(tokenizer), bool(tokenizer.lookups)
    if looks_up and looked_up_specials(tokenizer.cut_tokens):
        what = f"tokenizers would look up {some(looked_up_specials(tokenizer.cut_tokens))} in texts."
        raise FormatError(what, 'Choose the format "tokviz".')
    if tokenizer.lacks == {"unknown": None, "fuses": False} and any(b not in NEVER_IN_UTF8 for b in tokenizer.lacked):
        what = f"tokenizers merges what is around a byte that no token has; {tokenizer.name} does not."
        raise FormatError(what, 'Choose the format "tokviz".')
    merges = all_cuts(ranks_of(tokenizer)) if looks_up else [[tokens[a], tokens[b]] for a, b in tokenizer.merges]
    normalizer = tokenizer.normalizer or Normalizer()
    around = {
        "normalizer": normalizer_of(normalizer.steps),
        "pre_tokenizer": pre_tokenizer_of(tokenizer.pattern, normalizer.space),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    }
    return _written(tokenizer, tokens, merges, looks_up, **around)


def _written(
    tokenizer: Tokenizer, tokens: Mapping[int, str], merges: list[list[str]], looks_up: bool = False, **around: Any
) -> dict[str, bytes]:
    """Write the file.

    tokens, merges: as the file has them.
    looks_up: its ignore_merges.
    around: its normalizer, pre_tokenizer and decoder.
    """
    normalizer = tokenizer.normalizer or Normalizer()
    cut_first = sorted(tokenizer.cut_tokens.items(), key=lambda item: item[1])
    fields = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": id,
                "content": text,
                "single_word": text in normalizer.alone,
                "lstrip": text in normalizer.before,
                "rstrip": text in normalizer.behind,
                "normalized": text in normalizer.after,
                "special": text in tokenizer.special_tokens,
            }
            for text, id in cut_first
        ],
        "normalizer": around["normalizer"],
        "pre_tokenizer": around["pre_tokenizer"],
        "post_processor": None,
        "decoder": around["decoder"],
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None if tokenizer.unknown is None else tokens[tokenizer.unknown],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": tokenizer.unknown is not None and tokenizer.lacks.get("fuses", False),
            "byte_fallback": tokenizer.in_characters and not tokenizer.lacked,
            "ignore_merges": looks_up,
            "vocab": {token: id for id, token in tokens.items()},
            "merges": merges,
        },
    }
    specials = tokenizer.special_tokens.keys() - {unknown := fields["model"]["unk_token"]}
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_prefix_space": normalizer.space == "each",  # else transformers before 5 takes it off ByteLevel
        "clean_up_tokenization_spaces": False,
        "unk_token": unknown,
        "additional_special_tokens": [text for text, _ in cut_first if text in specials],
    }
    files = {"tokenizer.json": fields, "tokenizer_config.json": config}
    return {name: json.dumps(file, ensure_ascii=False, indent=2).encode() for name, file in files.items()}


HF = Format(
    "hf",
    "Hugging Face: tokenizer.json",
    {"tokenizer": FilePart(("tokenizer.json",), _is_tokenizer)},
    read,
    write,
    read_peer,
    loses=LOSES,
    refuses=(
        OVERWRITTEN,
        UNPAIRED_CUT,
        "a pattern with signs that tokenizers may read otherwise, such as \\w, $ or {1,3}+",
    ),
    remarks=lambda tokenizer: [] if tokenizer.pattern in PATTERNS else [LOSES["pattern"]],
)
