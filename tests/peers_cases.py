"""A tokenizer of each kind that a peer can be, as the file that its own package writes after a training."""

from __future__ import annotations

import functools
import io
import json
from typing import Any

import sentencepiece
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

from tokviz.catalog.samples import sample
from tokviz.formats import open_files
from tokviz.tokenizer.peers import Peer

SPECIALS = ["[UNK]", "[CLS]", "[SEP]", "<|e|>"]
LINES = [*sample("story").text.splitlines(), *sample("mixed").text.splitlines()]
QUIET: dict[str, Any] = {"special_tokens": SPECIALS, "show_progress": False}


def _trained(tokenizer: tokenizers.Tokenizer, trainer: Any) -> bytes:
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer.to_str().encode()


def word_piece() -> bytes:
    """As BERT's, with all that a file can ask for beside: tokens around the text, truncation, padding."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=8)
    return _trained(tokenizer, trainers.WordPieceTrainer(vocab_size=400, **QUIET))


def unigram() -> bytes:
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    spaces = normalizers.Replace(tokenizers.Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return _trained(tokenizer, trainers.UnigramTrainer(vocab_size=300, unk_token="[UNK]", **QUIET))


def byte_fallback() -> bytes:
    """As Llama 2's: a "▁" before the text and for each space, and bytes for unknown characters; but behind a normalizer
    that tokviz does not know."""
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]", byte_fallback=True, fuse_unk=True))
    marks = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), *marks])
    rest = [decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), *rest])
    fields = json.loads(_trained(tokenizer, trainers.BpeTrainer(vocab_size=400, limit_alphabet=60, **QUIET)))
    vocab = fields["model"]["vocab"]
    vocab |= {f"<0x{byte:02X}>": len(vocab) + byte for byte in range(256)}
    return json.dumps(fields).encode()


def behind_normalizer() -> bytes:
    """Byte-level BPE of the text in NFKC and without accents, which tokviz does not know how to take off."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.StripAccents()])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return _trained(tokenizer, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, **QUIET))


def words() -> bytes:
    tokenizer = tokenizers.Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return _trained(tokenizer, trainers.WordLevelTrainer(vocab_size=300, **QUIET))


def sentence_piece(kind: str, **settings: Any) -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=model, model_type=kind, vocab_size=500, minloglevel=2, **settings
    )
    return model.getvalue()


FILES = {
    "WordPiece": ("word_piece.json", word_piece),
    "Unigram": ("unigram.json", unigram),
    "BPE with byte fallback": ("llama.json", byte_fallback),
    "byte-level BPE": ("claude.json", behind_normalizer),
    "WordLevel": ("words.json", words),
    "SentencePiece BPE with byte fallback": (
        "spiece.model",
        # which tokviz does not know beside a table
        lambda: sentence_piece(
            "bpe", byte_fallback=True, normalization_rule_name="nfkc", user_defined_symbols=["<|e|>"]
        ),
    ),
    "SentencePiece Unigram": ("unigram.model", lambda: sentence_piece("unigram", user_defined_symbols=["<|e|>"])),
}


@functools.cache
def file_of(kind: str) -> tuple[str, bytes]:
    """The name and the bytes of a file of this kind."""
    name, make = FILES[kind]
    return name, make()


@functools.cache
def peer(kind: str) -> Peer:
    found = open_files(dict([file_of(kind)]))
    assert isinstance(found, Peer)
    return found
