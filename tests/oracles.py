"""The judges: tiktoken's reference encoders, and three other people's trainers. None of tokviz is used here."""

from __future__ import annotations

import functools

import rustbpe
import tiktoken
from tiktoken import _educational
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from tests.test_contract import definition, ranks

REFERENCES = {"gpt2": "gpt2", "cl100k_base": "cl100k", "o200k_base": "o200k"}  # encoding -> its pattern's name


@functools.cache
def witness(name: str) -> tiktoken.Encoding:
    """tiktoken's encoder, from the bundled ranks and tiktoken's own pattern and special tokens."""
    theirs = definition(name)
    return tiktoken.Encoding(
        name, pat_str=theirs["pat_str"], mergeable_ranks=ranks(name), special_tokens=theirs["special_tokens"]
    )


def pattern_of(name: str) -> str:
    """tiktoken's regex for a pattern that we know by name, and one that matches everything for "none"."""
    encoding = {pattern: encoding for encoding, pattern in REFERENCES.items()}
    return "(?s:.+)" if name == "none" else definition(encoding[name])["pat_str"]


def train_educational(text: str, merges: int, pattern: str) -> list[bytes]:
    """Tokens in the order learned, by tiktoken's teaching code. It fails where no pair is left."""
    learned = _educational.bpe_train(text, 256 + merges, pattern_of(pattern), visualise=None)
    return list(learned)[256:]


def train_rustbpe(texts: list[str], merges: int, pattern: str) -> list[bytes]:
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter(texts), 256 + merges, pattern=pattern_of(pattern))
    return [bytes(token) for token, _ in tokenizer.get_mergeable_ranks()][256:]


def train_hf(text: str, merges: int, pattern: str, min_count: int = 0) -> list[bytes]:
    """By the Hugging Face trainer. It takes `{1,3}+` for "any number", so the possessive + is left out."""
    steps = [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    if pattern != "none":
        regex = pattern_of(pattern).replace("{1,3}+", "{1,3}")
        steps.insert(0, pre_tokenizers.Split(Regex(regex), "isolated"))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    trainer = trainers.BpeTrainer(
        vocab_size=256 + merges,
        min_frequency=min_count,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    learned = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])[256:]
    return [bytes(BYTE_OF[character] for character in token) for token, _ in learned]


def _byte_of() -> dict[str, int]:
    """The character that byte-level files write for a byte, and back: read off the package itself."""
    points = [*range(0x800), *range(0x800, 0xD800, 0x800), *range(0xE000, 0x110000, 0x800)]  # every byte of UTF-8
    text = "".join(map(chr, points))
    pieces = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    return dict(zip("".join(piece for piece, _ in pieces), text.encode(), strict=True))


BYTE_OF = _byte_of()
