"""One measurement in a process of its own: `python -m tests.benchmarks.one WHAT WHO FILE NUMBER PATTERN` prints JSON.

WHAT is train, count or encode, NUMBER a vocabulary size. Each one has done the same on another text before, trainers on
half a megabyte of made-up words, so that no clock runs while code is loaded and threads are started. Only the packages
that are measured are imported.
"""

from __future__ import annotations

import gc
import hashlib
import json
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.benchmarks.memory import peak_memory

SMALL = "The cat in the hat, the naïve cat. 12345 " * 50
WORDS = " ".join("".join(chr(97 + i // 26**k % 26) for k in range(4)) for i in range(0, 26**4, 4))
ENCODING = "cl100k_base"
READ_FILES = ("gigabpe", "tokviz from its file")  # they are given no text, which would count in their peak memory
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def pattern_for(peer: str, name: str) -> str:
    """A named pattern as the peer has to be given it: `tokenizers` reads {1,3}+ as any number."""
    from tokviz.split.cutting import PATTERNS

    if name == "gpt2":
        return GPT2
    return PATTERNS[name].regex.replace("{1,3}+", "{1,3}") if peer == "tokenizers" else PATTERNS[name].regex


def trainer(who: str, pattern: str) -> Callable[[str, str, int], Any]:
    """(text, the file it stands in, vocabulary size) -> what was trained."""
    if who.startswith("tokviz"):
        import tokviz

        if who == "tokviz from its file":
            return lambda text, file, size: tokviz.train(Path(file), size, pattern=pattern)
        tie: Any = who.partition(" ")[2] or "first"
        return lambda text, file, size: tokviz.train(text, size, pattern=pattern, tie=tie)
    if who == "rustbpe":
        import rustbpe

        regex = pattern_for(who, pattern)

        def run(text: str, file: str, size: int) -> Any:
            tokenizer = rustbpe.Tokenizer()
            tokenizer.train_from_iterator([text], size, pattern=regex)
            return tokenizer

        return run
    if who == "gigabpe":
        import gigabpe

        return lambda text, file, size: gigabpe.train_bpe([file], size, pretokenizer="bytelevel")
    if who == "naive":
        return lambda text, file, size: naive(text, size)
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    split = tokenizers.Regex(pattern_for(who, pattern))

    def hugging_face(text: str, file: str, size: int) -> Any:
        tokenizer = tokenizers.Tokenizer(models.BPE())
        if pattern == "gpt2":
            tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
        else:
            tokenizer.pre_tokenizer = pre_tokenizers.Sequence(  # type: ignore[assignment]
                [pre_tokenizers.Split(split, "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
            )
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        how = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False, min_frequency=0)
        tokenizer.train_from_iterator([text], how)
        return tokenizer

    return hugging_face


def naive(text: str, size: int) -> list[tuple[int, int]]:
    """As the textbooks have it, in plain Python: count, join the winner, and again."""
    ids, merges = list(text.encode()), []
    for new in range(256, size):
        counts: dict[tuple[int, int], int] = {}
        for pair in pairwise(ids):
            counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=counts.__getitem__)
        merges.append(best)
        joined, i = [], 0
        while i < len(ids):
            if i + 1 < len(ids) and (ids[i], ids[i + 1]) == best:
                joined.append(new)
                i += 2
            else:
                joined.append(ids[i])
                i += 1
        ids = joined
    return merges


def tokens_of(who: str, trained: Any) -> list[bytes]:
    """The tokens in the order they were learned, for comparison."""
    if who.startswith("tokviz"):
        return [trained.tokenizer.vocab[merge.id] for merge in trained.merges]
    if who == "rustbpe":
        return [bytes(token) for token, _ in sorted(trained.get_mergeable_ranks(), key=lambda row: row[1])][256:]
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    byte_of = {chr(byte): byte for byte in shown} | {chr(0x100 + i): byte for i, byte in enumerate(hidden)}
    if who == "gigabpe":
        pairs = trained[1]
    elif who == "tokenizers":
        pairs = json.loads(trained.to_str())["model"]["merges"]
    else:
        vocab = [bytes([byte]) for byte in range(256)]
        for left, right in trained:
            vocab.append(vocab[left] + vocab[right])
        return vocab[256:]
    return [bytes(byte_of[c] for part in pair for c in part) for pair in pairs]


def encoder(who: str) -> Callable[[str], Any]:
    if who in ("tokviz", "tokviz explain", "tiktoken"):
        import tokviz
        from tokviz.formats.witness import witness

        tok = tokviz.reference(ENCODING)
        if who == "tiktoken":
            judge = witness(tok)
            if judge is None:
                raise SystemExit("tiktoken cannot judge this tokenizer")
            return lambda text: judge.encode_to_numpy(text, disallowed_special=())
        return tok.encode_array if who == "tokviz" else lambda text: tok.explain(text).ids
    if who == "quicktok":
        import quicktok

        return quicktok.get_encoding(ENCODING).encode_ordinary  # type: ignore[no-any-return]
    import splintr

    return splintr.Tokenizer.from_pretrained(ENCODING).encode  # type: ignore[no-any-return]


def counter(who: str, pattern: str) -> Callable[[str], Any]:
    if who == "tokviz":
        import tokviz

        return lambda text: tokviz.count_chunks(text, pattern)
    from collections import Counter

    import regex

    compiled = regex.compile(GPT2)
    return lambda text: Counter(compiled.findall(text))


def main() -> None:
    what, who, file, number, pattern = sys.argv[1:]
    text = "" if who in READ_FILES else Path(file).read_bytes().decode()
    times, digest = [], ""

    def timed(call: Callable[[], Any]) -> Any:
        gc.collect()  # what imports left behind would be swept up in the midst of whoever makes Python objects first
        begun = time.perf_counter()
        made = call()
        times.append(time.perf_counter() - begun)
        return made

    if what == "train":
        train = trainer(who, pattern)
        before = SMALL if who == "naive" else WORDS
        small = Path(file).with_name("small.txt")
        small.write_text(before, encoding="utf-8")
        train(before, str(small), 280 if who == "naive" else 2_000)
        trained = timed(lambda: train(text, file, int(number)))
        peak = peak_memory()
        digest = hashlib.sha256(b"\0".join(tokens_of(who, trained))).hexdigest()
    elif what == "count":
        count = counter(who, pattern)
        count(WORDS)
        counted = timed(lambda: count(text))
        peak = peak_memory()
        digest = str(len(counted))
    else:
        import numpy as np

        encode = encoder(who)
        encode(SMALL)
        ids = timed(lambda: encode(text))  # no chunk was met before
        for _ in range(3):
            timed(lambda: encode(text))
        peak = peak_memory()
        digest = hashlib.sha256(np.asarray(ids, np.int32).tobytes()).hexdigest()
        short = text[5_000:5_200]
        begun = time.perf_counter()
        for _ in range(1_000):
            encode(short)
        times.append((time.perf_counter() - begun) / 1_000)
    print(json.dumps({"times": times, "peak": peak, "digest": digest}))


if __name__ == "__main__":
    main()
