"""A SentencePiece .model file as a peer that the package `sentencepiece` encodes for. The package is optional."""

from __future__ import annotations

import hashlib

from tokviz.base.errors import FormatError
from tokviz.base.json_files import InputFile
from tokviz.formats import peer_packages
from tokviz.formats.parts import FilePart, Format, Given
from tokviz.formats.peer_packages import Reader
from tokviz.tokenizer.peers import Peer


def _is_model(file: InputFile) -> bool:
    """Does it begin with a piece, whose first field is its text?"""
    return file.data[:1] == b"\n" and file.data[2:3] == b"\n" and not file.data[:4].isspace()


def read_peer(file: InputFile, given: Given, _: FormatError, reader: Reader) -> Peer:
    """The peer in a .model file. FormatError if `sentencepiece` is not installed, or cannot read it.

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
    None,
    peer=read_peer,
)
