"""Makes peers of a tokenizer.json of any kind or a WordPiece vocabulary; the package `tokenizers` encodes for them."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from tokviz.base.byte_characters import BYTES
from tokviz.base.errors import FormatError, InputError
from tokviz.base.json_files import InputFile
from tokviz.base.wording import listed
from tokviz.formats.parts import Given
from tokviz.formats.peer_packages import TOKENIZER_JSON, WORD_PIECE, WORD_PIECE_LOWER, Facts, Reader, opened
from tokviz.tokenizer.peers import Package, Peer

ASIDE = ("truncation", "padding")
MOST_IDS = 1 << 24  # figures count the tokens of each id in an array

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def read_peer(file: InputFile, given: Given, refused: FormatError, reader: Reader) -> Peer:
    """Read the peer in a tokenizer.json. FormatError says why `tokenizers` refuses it too and, of BPE, why tokviz did.

    reader: reads the file with the package, here or elsewhere, where its time and memory may be limited.
    """
    aside, large = left_aside(file), ("vocab", "merges")  # which are not kept while the package reads the file
    model = {field: value for field, value in file.__dict__.pop("json")["model"].items() if field not in large}
    try:
        found = reader(TOKENIZER_JSON, file.name, file.data)
    except (FormatError, InputError) as theirs:
        way_out = theirs.way_out or "Choose a file that is whole."
        if model.get("type", "BPE") != "BPE":
            raise FormatError(f"{file.name}: {theirs.what}", way_out) from None
        raise FormatError(refused.what, f"{theirs.what} {way_out}") from None
    if given.say and aside:
        given.say(f"{aside}.")
    return _peer(found, model, file, given.name_for(file))


def left_aside(file: InputFile) -> str:
    """Say what of a tokenizer.json decides no id of a whole text; "" if it has nothing of the kind. No full stop."""
    aside = [field for field in ASIDE if file.json.get(field)] + ["dropout"] * bool(file.json["model"].get("dropout"))
    return f"{file.name} has {listed(aside)}, left aside here: texts are encoded whole" if aside else ""


def read_word_piece(file: InputFile, name: str, lowercase: bool, reader: Reader = opened) -> Peer:
    """Read BERT's WordPiece from its vocabulary, a token a line.

    lowercase: whether it is a model without capitals and accents.
    reader: as in `read_peer`.
    """
    found = reader(WORD_PIECE_LOWER if lowercase else WORD_PIECE, file.name, "\n".join(file.lines).encode())
    return _peer(found, {"continuing_subword_prefix": "##", "unk_token": "[UNK]"}, file, name)


def _peer(found: tuple[Facts, Package], model: dict[str, Any], file: InputFile, name: str) -> Peer:
    """Make the peer of a tokenizer. model: as its tokenizer.json describes it."""
    facts, package = found
    kind, byte_level, spaces = facts["kind"], facts["byte_level"], facts["spaces"]
    byte_fallback = bool(model.get("byte_fallback"))
    # WordPiece marks what goes on in a word, older kinds of BPE where it ends
    prefix, suffix = model.get("continuing_subword_prefix") or "", model.get("end_of_word_suffix") or ""
    added = {id: (text, special) for id, text, special in facts["added"]}
    vocab: dict[int, str] = facts["vocab"]
    if not vocab:
        raise FormatError(f"{file.name} has no tokens.", "Choose a file with a vocabulary.")
    if max(vocab) >= MOST_IDS:
        raise FormatError(
            f"{file.name} gives a token the id {max(vocab):,}.", f"Choose a file whose ids are below {MOST_IDS:,}."
        )

    def stands_for(id: int, token: str) -> bytes:
        if id in added:
            return token.encode()
        if byte_level and set(token) <= BYTES.keys():
            return bytes(BYTES[character] for character in token)
        if byte_fallback and (byte := _BYTE.fullmatch(token)):
            return bytes.fromhex(byte[1])
        token = token.removeprefix(prefix).removesuffix(suffix)
        return (token.replace("▁", " ") if spaces else token).encode()

    # it is no special token; Unigram names its id, the other kinds its text
    unknown = model.get("unk_id")
    if unknown is None and isinstance(text := model.get("unk_token"), str):
        unknown = next((id for id, token in vocab.items() if token == text), None)
    if kind == "BPE" and byte_level:
        kind = "byte-level BPE"
    return Peer(
        name,
        f"{kind} with byte fallback" if byte_fallback else kind,
        {id: stands_for(id, token) for id, token in vocab.items()},
        {text: id for id, (text, special) in added.items() if special and id != unknown},
        frozenset(id for id, token in vocab.items() if prefix and not token.startswith(prefix)),
        hashlib.sha256(file.data).hexdigest(),
        package,
        unknown,
        {text: id for id, (text, special) in added.items() if not special},
    )
