"""A SentencePiece .model file as a peer that the package `sentencepiece` encodes for. The package is optional."""

from __future__ import annotations

import hashlib
import importlib
from typing import Any

from tokviz.base.errors import FormatError
from tokviz.base.json_files import File
from tokviz.formats.parts import Format, Given, Part
from tokviz.tokenizer.peers import Cut, Peer

INSTALL = "Install it with: pip install -U sentencepiece"


class Package:
    """A model of the package `sentencepiece`. It has no special tokens that a text could contain."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    def cut(self, text: str, specials: bool) -> Cut:
        found = self.processor.encode_as_offset_mapping(text)
        return Cut(found["ids"], found["offsets"], [0] * len(found["ids"]))

    def normalized(self, text: str) -> str:
        return str(self.processor.normalize(text))

    def decode(self, ids: list[int]) -> str:
        return str(self.processor.decode(ids))


def _is_model(file: File) -> bool:
    """Does it begin with a piece, whose first field is its text?"""
    return file.data[:1] == b"\n" and file.data[2:3] == b"\n" and not file.data[:4].isspace()


def read_peer(file: File, given: Given, _: FormatError) -> Peer:
    """The peer in a .model file. FormatError if `sentencepiece` is not installed, or cannot read it."""
    try:
        package = importlib.import_module("sentencepiece")
    except ImportError:
        raise FormatError(
            f"{file.name} is a SentencePiece model, for which sentencepiece is needed.", INSTALL
        ) from None
    if not hasattr(package.SentencePieceProcessor, "encode_as_offset_mapping"):
        raise FormatError(f"{file.name} needs sentencepiece 0.2.3 or later; an older one is installed.", INSTALL)
    try:
        model = package.SentencePieceProcessor(model_proto=file.data)
        size = model.piece_size()
        pieces = [model.id_to_piece(id) for id in range(size)]
    except (RuntimeError, ValueError) as theirs:
        why = str(theirs)[:200].strip()
        raise FormatError(
            f"{file.name} is no SentencePiece model that can be read: {why}.", "Choose another file."
        ) from None
    vocab = {
        id: bytes.fromhex(piece[3:5]) if model.is_byte(id) else piece.replace("▁", " ").encode("utf-8", "replace")
        for id, piece in enumerate(pieces)
    }
    kind = _kind(model)
    fallback = any(model.is_byte(id) for id in range(min(size, 1_000)))
    return Peer(
        given.name_for(file),
        f"{kind} with byte fallback" if fallback else kind,
        vocab,
        {},
        frozenset(),
        hashlib.sha256(file.data).hexdigest(),
        Package(model),
        model.unk_id(),
    )


def _kind(model: Any) -> str:
    """The kind of a model, which the package shows only by what it can do: Unigram alone lists the n best encodings,
    and the scores of BPE are ranks."""
    try:
        model.nbest_encode_as_ids("", 2)
    except RuntimeError:
        ranks = all(model.get_score(id).is_integer() for id in range(model.piece_size()))
        return "SentencePiece BPE" if ranks else "SentencePiece of words or characters"
    return "SentencePiece Unigram"


SENTENCE_PIECE = Format(
    "sentencepiece", "SentencePiece", {"model": Part(("SentencePiece's NAME.model",), _is_model)}, None, peer=read_peer
)
