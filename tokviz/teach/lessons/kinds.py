"""Trains small tokenizers of other kinds by the package `tokenizers`, when a lesson first asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from tokviz.base.errors import UnknownNameError
from tokviz.base.once import once_each
from tokviz.formats import open_files
from tokviz.tokenizer.peers import AnyTokenizer

UNKNOWN = "[UNK]"
QUIET: Mapping[str, Any] = {"special_tokens": [UNKNOWN], "show_progress": False}


@once_each(16)
def trained_kind(kind: str, text: str, vocab_size: int) -> AnyTokenizer:
    """Train a tokenizer of this kind on the lines of a text. Raises UnknownNameError if there is no such kind.

    >>> trained_kind("WordPiece", "the cat in the hat", 20)
    <Peer 'WordPiece': WordPiece, 19 tokens>
    """
    if kind not in KINDS:
        raise UnknownNameError(f"There is no kind “{kind}”.", f"Choose one of: {', '.join(KINDS)}.")
    file = KINDS[kind](text.splitlines(), vocab_size)
    return open_files({"tokenizer.json": file.encode()}, name=kind)


@once_each(8)
def unigram_scores(text: str, vocab_size: int) -> dict[str, float]:
    """Train a Unigram on the lines of a text; return its tokens, each with the logarithm of its probability.

    >>> all(score <= 0 for score in unigram_scores("the cat in the hat", 20).values())
    True
    """
    rows = json.loads(_unigram(text.splitlines(), vocab_size))["model"]["vocab"]
    return {token: score for token, score in rows if token != UNKNOWN}


def _word_piece(lines: list[str], vocab_size: int) -> str:
    tok = tokenizers.Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.decoder = decoders.WordPiece()
    # The trainer gives the inner letters of words their ids in an order that changes from start to start, and settles
    # ties by ids. Tokens that are given keep their order.
    words = [word for line in lines for word, _ in tok.pre_tokenizer.pre_tokenize_str(line)]
    inner = [f"##{letter}" for letter in sorted({letter for word in words for letter in word[1:]})]
    given = {**QUIET, "special_tokens": [UNKNOWN, *inner]}
    tok.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=vocab_size, **given))
    fields = json.loads(tok.to_str())
    fields["added_tokens"] = fields["added_tokens"][:1]
    return json.dumps(fields)


def _unigram(lines: list[str], vocab_size: int) -> str:
    tok = tokenizers.Tokenizer(models.Unigram())
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    tok.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=vocab_size, unk_token=UNKNOWN, **QUIET)
    tok.train_from_iterator(lines, trainer)
    fields = json.loads(tok.to_str())
    rows = fields["model"]["vocab"]
    # Letters that were not learned get the least scores, in steps of 0.0001, in an order that changes from start to
    # start. So does the order of tokens with equal scores.
    least = min(score for _, score in rows)
    added = [row for row in rows if len(row[0]) == 1 and row[1] < least + 0.0001 * len(rows)]
    for row, letter in zip(added, sorted(letter for letter, _ in added), strict=True):
        row[0] = letter
    rows.sort(key=lambda row: (-round(row[1], 9), row[0]))
    return json.dumps(fields)


def _sentence_piece(lines: list[str], vocab_size: int) -> str:
    """Train BPE as SentencePiece does for Llama 2: over characters, with bytes for those that are not known."""
    tok = tokenizers.Tokenizer(models.BPE(unk_token=UNKNOWN, byte_fallback=True))
    tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tok.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tok.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tok.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=vocab_size - 256, **QUIET))
    fields = json.loads(tok.to_str())
    fields["pre_tokenizer"] = None
    vocab = fields["model"]["vocab"]
    vocab |= {f"<0x{byte:02X}>": len(vocab) + byte for byte in range(256)}
    return json.dumps(fields)


KINDS: Mapping[str, Callable[[list[str], int], str]] = {
    "WordPiece": _word_piece,
    "Unigram": _unigram,
    "SentencePiece BPE": _sentence_piece,
}
