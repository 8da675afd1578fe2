"""Reads Mistral's Tekken: a JSON file of ranks, with the split pattern and the number of special tokens.

The special tokens come first, so the id of a rank is the rank plus their number. The file says how many ids the
vocabulary has; further ranks do not count. Source: mistralai/mistral-common,
src/mistral_common/tokens/tokenizers/tekken.py.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

from tokviz.base import bounds
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile, is_id
from tokviz.formats.parts import FilePart, Format, Given, read_from_ranks
from tokviz.formats.patterns import named
from tokviz.tokenizer.tokenizer import Tokenizer

# Older files do not name their special tokens. Source: there, Tekkenizer.DEPRECATED_SPECIAL_TOKENS.
UNNAMED = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)


def _is_tekken(file: InputFile) -> bool:
    fields = file.json if file.is_json else None
    return isinstance(fields, dict) and isinstance(fields.get("config"), dict) and isinstance(fields.get("vocab"), list)


def read(file: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in a Tekken file. FormatError names what is missing or wrong."""
    match file.json["config"]:
        case {"pattern": str(pattern), "default_vocab_size": size, "default_num_special_tokens": specials} if (
            is_id(size) and is_id(specials) and specials <= size
        ):
            if size > (most := bounds.now().file_tokens):
                what = f"{file.name} says that it has {size:,} tokens, and {most:,} are the limit."
                raise FormatError(what, "Choose a smaller vocabulary.")
        case _:
            raise file.damaged("the configuration lacks the pattern or a size")
    texts = _special_tokens(file, specials)
    ids: dict[bytes, int] = {}
    for rank, row in enumerate(file.json["vocab"][: size - specials]):
        match row:
            case {"rank": found, "token_bytes": str(written)} if found == rank:
                try:
                    token = base64.b64decode(written, validate=True)
                except (binascii.Error, ValueError):
                    raise file.damaged(f"the bytes of rank {rank:,} are not base64") from None
            case _:
                raise file.damaged(f"entry {rank:,} of the vocabulary is not rank {rank:,}")
        if token in ids or not token:
            raise file.damaged(f"the bytes of rank {rank:,} are empty, or those of another rank")
        ids[token] = specials + rank
    return read_from_ranks(given.name_for(file), ids, file, pattern=named(pattern), special_tokens=texts)


def _special_tokens(file: InputFile, n: int) -> dict[str, int]:
    """Read the special tokens, text -> id. Ids that the file does not name have the text <SPECIAL_id>."""
    rows: Any = file.json.get("special_tokens")
    if rows is None:
        rows = [{"rank": id, "token_str": text} for id, text in enumerate(UNNAMED)]
    texts = {id: f"<SPECIAL_{id}>" for id in range(n)}
    for row in rows if isinstance(rows, list) else [rows]:
        match row:
            case {"rank": id, "token_str": str(text)} if is_id(id) and id in texts:
                texts[id] = text
            case _:
                raise file.damaged("a special token has no text, or an id that is not one of theirs")
    return {text: id for id, text in texts.items()}


TEKKEN = Format("tekken", "Tekken", {"ranks": FilePart(("Mistral's tekken.json",), _is_tekken)}, read)
