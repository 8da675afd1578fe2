"""A tokenizer.json of any kind, and a WordPiece vocabulary, as peers that the package `tokenizers` encodes for."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import tokenizers

from tokviz.base.errors import FormatError
from tokviz.base.json_files import File
from tokviz.formats.bytelevel import BYTES
from tokviz.formats.parts import Given
from tokviz.tokenizer.peers import Cut, Peer

MOST_IDS = 1 << 24  # figures count the tokens of each id in an array
T = TypeVar("T")

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class Package:
    """A tokenizer of the package `tokenizers`."""

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.turn = threading.Lock()  # how special tokens are read is a setting of the tokenizer

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the tokenizer alone: the lock stays here."""
        return Package, (self.tokenizer,)

    def cut(self, text: str, specials: bool) -> Cut:
        def encode() -> Any:
            with self.turn:
                self.tokenizer.encode_special_tokens = not specials
                # A batch leaves Python to other threads meanwhile; an expression of the file may take minutes.
                return self.tokenizer.encode_batch([text], add_special_tokens=False)[0]

        found = _asked(encode, "tokenizers cannot encode this text")
        return Cut(found.ids, found.offsets, found.word_ids)

    def normalized(self, text: str) -> str:
        normalizer = self.tokenizer.normalizer
        if normalizer is None:
            return text
        found: str = _asked(lambda: normalizer.normalize_str(text), "tokenizers cannot normalize this text")
        return found

    def decode(self, ids: list[int]) -> str:
        found: str = _asked(lambda: self.tokenizer.decode(ids, skip_special_tokens=False), "tokenizers cannot decode")
        return found


def read_peer(file: File, given: Given, refused: FormatError) -> Peer:
    """The peer in a tokenizer.json. FormatError says why tokviz refused it, if `tokenizers` does too."""
    try:
        tokenizer = _asked(lambda: tokenizers.Tokenizer.from_buffer(file.data), "tokenizers cannot read it")
    except FormatError as theirs:
        raise FormatError(refused.what, f"{theirs.what} Choose a file that is whole.") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if isinstance(tokenizer.model, tokenizers.models.BPE):
        tokenizer.model.dropout = None  # it leaves merges out by chance, for the training of a model
    tokenizer.post_processor = None  # it puts tokens around a text, and takes spaces off the places of tokens
    return _peer(tokenizer, file.json["model"], file, given.name_for(file))


def read_word_piece(file: File, name: str, lowercase: bool) -> Peer:
    """BERT's WordPiece from its vocabulary, a token a line. lowercase: is it a model without capitals and accents?

    Source: google-research/bert, tokenization.py; `tokenizers` has the same as BertNormalizer and BertPreTokenizer.
    """
    ids = {token: id for id, token in enumerate(file.lines)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    tokenizer.add_special_tokens([token for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if token in ids])
    return _peer(tokenizer, json.loads(tokenizer.to_str())["model"], file, name)


def _peer(tokenizer: tokenizers.Tokenizer, model: dict[str, Any], file: File, name: str) -> Peer:
    """The peer of a tokenizer. model: as its tokenizer.json describes it."""
    kind = type(tokenizer.model).__name__
    around = f"{tokenizer.pre_tokenizer!r} {tokenizer.decoder!r} {tokenizer.normalizer!r}"
    byte_level = "ByteLevel(" in around
    byte_fallback = bool(model.get("byte_fallback"))
    # WordPiece marks what goes on in a word, older kinds of BPE where it ends
    prefix, suffix = model.get("continuing_subword_prefix") or "", model.get("end_of_word_suffix") or ""
    added = tokenizer.get_added_tokens_decoder()
    vocab = {id: token for token, id in tokenizer.get_vocab(with_added_tokens=True).items()}
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
        return (token.replace("▁", " ") if "▁" in around else token).encode()

    # it is no special token; Unigram names its id, the other kinds its text
    unknown = model.get("unk_id")
    if unknown is None and isinstance(text := model.get("unk_token"), str):
        unknown = tokenizer.token_to_id(text)
    if kind == "BPE" and byte_level:
        kind = "byte-level BPE"
    return Peer(
        name,
        f"{kind} with byte fallback" if byte_fallback else kind,
        {id: stands_for(id, token) for id, token in sorted(vocab.items())},
        {token.content: id for id, token in added.items() if token.special and id != unknown},
        frozenset(id for id, token in vocab.items() if prefix and not token.startswith(prefix)),
        hashlib.sha256(file.data).hexdigest(),
        Package(tokenizer),
        unknown,
    )


def _asked(question: Callable[[], T], what: str) -> T:
    """The answer of the package. Its errors have no common class, and a panic of its Rust code is no Exception."""
    try:
        return question()
    except BaseException as fault:
        if not isinstance(fault, Exception) and type(fault).__name__ != "PanicException":
            raise
        raise FormatError(f"{what}: {str(fault)[:200]}.") from None
