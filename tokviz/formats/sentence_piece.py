"""Reads SentencePiece's .model files: BPE as a tokenizer, other kinds as peers of the package.

The file is a message of protocol buffers. Its pieces have scores. Of all neighbours that together are a piece, those
with the highest score merge first; of equal scores, the leftmost. The normalizer changes spaces, and before that
what is in its table, such as that of "nmt_nfkc". User-defined pieces are added tokens; unknown and control pieces are
special tokens, though the package never reads them in a text. The package `sentencepiece` is optional.

Source: google/sentencepiece, src/sentencepiece_model.proto, src/bpe_model.cc and src/normalizer.cc.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Iterator
from math import isnan
from typing import Any

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.formats import peer_packages
from tokviz.formats.characters import AS_SPACE, BYTES_OF, SPACE, in_order, tokenizer_of_pieces
from tokviz.formats.parts import FilePart, Format, Given
from tokviz.formats.peer_packages import Reader
from tokviz.split.normalizing import Normalizer, Space, Step
from tokviz.tokenizer.peers import Peer
from tokviz.tokenizer.tokenizer import Tokenizer

_PIECES, _TRAINING, _NORMALIZER = 1, 2, 3  # fields of the message
_TEXT, _SCORE, _KIND = 1, 2, 3  # of a piece
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _BYTE = 1, 2, 3, 4, 6  # kinds of pieces
_MODEL_TYPE, _AS_SUFFIX, _BYTE_FALLBACK, _BPE = 3, 24, 35, 2  # of the training
_CHARSMAP, _DUMMY_PREFIX, _FEWER_SPACES, _ESCAPES = 2, 3, 4, 5  # of the normalizer


def _is_model(file: InputFile) -> bool:
    """Tell whether a file begins with a piece, whose first field is its text."""
    return file.data[:1] == b"\n" and file.data[2:3] == b"\n" and not file.data[:4].isspace()


def read(file: InputFile, given: Given) -> Tokenizer:
    """Read the tokenizer in a .model file of BPE with byte fallback. FormatError names what tokviz does not honour."""
    around: dict[int, Any] = {}  # what is beside the pieces, of which a file can have millions
    for key, part in _fields(file.data, file):
        if key != _PIECES:
            around.setdefault(key, part)
    training, changes = (dict(_fields(around.get(key, b""), file)) for key in (_TRAINING, _NORMALIZER))
    if training.get(_MODEL_TYPE) != _BPE or training.get(_AS_SUFFIX):
        raise _refused(file, "is not BPE, or has marks of spaces behind words")
    table = changes.get(_CHARSMAP, b"")
    if not isinstance(table, bytes) or not changes.get(_ESCAPES, 1):
        raise _refused(file, "has spaces without marks")
    ids: dict[str, int] = {}
    scores: dict[str, float] = {}
    cut_first: dict[int, dict[str, int]] = {_UNKNOWN: {}, _CONTROL: {}, _USER_DEFINED: {}}
    for id, part in enumerate(part for key, part in _fields(file.data, file) if key == _PIECES):
        piece: dict[int, Any] = {_TEXT: b"", _SCORE: 0.0, _KIND: _NORMAL} | dict(_fields(part, file))
        kind, text = piece[_KIND], piece[_TEXT]
        if not isinstance(text, bytes) or not isinstance(piece[_SCORE], float) or isnan(piece[_SCORE]):
            raise file.damaged(f"piece {id + 1:,} has no text and score")
        text = text.decode("utf-8", "replace")
        if kind not in (_NORMAL, _BYTE, *cut_first) or (kind == _BYTE) != (text in BYTES_OF):
            raise _refused(file, f"has a piece of another kind, {shown(text)}")
        if kind == _USER_DEFINED:  # searched where spaces are marks already, so one with a space is never found
            kind, text = (_NORMAL, text) if " " in text else (kind, text.replace(SPACE, " "))
        if cut_first.get(kind, ids).setdefault(text, id) != id or not text:
            raise file.damaged(f"the piece {shown(text)} is in it twice")
        if kind == _NORMAL and len(text) > 1 and " " not in text:
            scores[text] = piece[_SCORE]
    prefix, fewer = bool(changes.get(_DUMMY_PREFIX, 1)), bool(changes.get(_FEWER_SPACES, 1))
    if (fewer and not prefix) or ((fewer or table) and cut_first[_USER_DEFINED]) or (table and prefix > fewer):
        raise _refused(file, "changes a text in a way that tokviz does not know")
    steps = (Step("prepend", by=" "), Step("match", " {2,}", " "), Step("match", r"[ ▁]+(?![\s\S])")) if fewer else ()
    space: Space = "always" if prefix and not fewer else ""
    by_table = (Step("table", base64.b64encode(table).decode()),) if table else ()
    normalizer = Normalizer((*by_table, *steps, AS_SPACE), frozenset(cut_first[_USER_DEFINED]), space, int(prefix))
    specials = {**cut_first[_UNKNOWN], **cut_first[_CONTROL]}
    rest = specials, cut_first[_USER_DEFINED], normalizer, file
    more: dict[str, Any] = {"unknown": next(iter(cut_first[_UNKNOWN].values()), None), "fuses": True}
    more |= {"byte_fallback": bool(training.get(_BYTE_FALLBACK))}
    return tokenizer_of_pieces(given.name_for(file), ids, in_order(scores, file), None, *rest, **more)


def _refused(file: InputFile, what: str) -> FormatError:
    return FormatError(f"{file.name} {what}.", "Open it with tokviz.formats.open_files, which runs its own package.")


def _fields(data: Any, file: InputFile) -> Iterator[tuple[int, Any]]:
    """Read the fields of a message of protocol buffers: (number, value). FormatError if it is none, or breaks off."""
    try:
        yield from _read_fields(data)
    except (IndexError, TypeError, struct.error):
        raise file.damaged("its message breaks off") from None


def _read_fields(data: bytes) -> Iterator[tuple[int, Any]]:
    at = 0

    def number() -> int:
        nonlocal at
        found = shift = 0
        while True:
            byte = data[at]
            at += 1
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift > 63:
                return found

    while at < len(data):
        key = number()
        match key & 7:
            case 0:
                yield key >> 3, number()
            case 2:
                size = number()
                if at + size > len(data):
                    raise IndexError
                at += size
                yield key >> 3, data[at - size : at]
            case 5:
                at += 4
                yield key >> 3, struct.unpack("<f", data[at - 4 : at])[0]
            case 1:
                at += 8
                yield key >> 3, data[at - 8 : at]
            case _:
                raise IndexError


def read_peer(file: InputFile, given: Given, _: FormatError, reader: Reader) -> Peer:
    """Read the peer in a .model file. FormatError if `sentencepiece` is not installed, or cannot read it.

    reader: reads the file with the package, here or elsewhere.
    """
    try:
        facts, package = reader(peer_packages.SENTENCE_PIECE, file.name, file.data)
    except FormatError as theirs:
        raise FormatError(theirs.what, theirs.way_out or "Choose another file.") from None
    are_bytes = frozenset(facts["bytes"])
    vocab = {
        id: bytes.fromhex(piece[3:5]) if id in are_bytes else piece.replace("▁", " ").encode("utf-8", "replace")
        for id, piece in facts["vocab"].items()
    }
    fallback = min(are_bytes, default=1_000) < 1_000
    return Peer(
        given.name_for(file),
        f"{facts['kind']} with byte fallback" if fallback else facts["kind"],
        vocab,
        {},
        frozenset(),
        hashlib.sha256(file.data).hexdigest(),
        package,
        facts["unknown"],
    )


SENTENCE_PIECE = Format(
    "sentencepiece",
    "SentencePiece",
    {"model": FilePart(("SentencePiece's NAME.model",), _is_model)},
    read,
    peer=read_peer,
)
