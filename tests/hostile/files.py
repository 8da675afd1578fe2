"""Files of tokenizers that ask for more than they give: a few bytes that make gigabytes, and a great many small things.

Each of `HOSTILE` is what a visitor drops on Library, and what they do with the tokenizer in it.
"""

from __future__ import annotations

import io
import json
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from tests.greedy_files import GREEDY
from tokviz.base.byte_characters import CHARACTERS

DOUBLINGS = 22
BYTES = {character: id for id, character in enumerate(CHARACTERS)}
ADDED = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def as_json(fields: Any) -> bytes:
    """This as JSON, as short as it can be."""
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def byte_level(n_tokens: int = 0, n_added: int = 0, added_of: int = 0, doublings: int = 0) -> bytes:
    """Write a tokenizer.json of byte-level BPE: with many tokens, with many added tokens, or with tokens that double.

    added_of: letters of each added token.
    """
    tokens = [*BYTES, *(f"{number:06d}" for number in range(n_tokens)), *("a" * 2**n for n in range(1, doublings + 1))]
    added = [
        {"id": len(tokens) + number, "content": f"<{number}{'x' * added_of}>", **ADDED} for number in range(n_added)
    ]
    model = {
        "type": "BPE",
        "vocab": {token: id for id, token in enumerate(tokens)},
        "merges": [["a" * 2**n] * 2 for n in range(doublings)],
    }
    split = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return as_json({"added_tokens": added, "pre_tokenizer": split, "model": model})


def words(n_tokens: int) -> bytes:
    """Write a tokenizer.json of whole words."""
    vocab = {f"w{number}": number for number in range(n_tokens)}
    return as_json({"model": {"type": "WordLevel", "vocab": vocab, "unk_token": "w0"}})


def like_gemma() -> bytes:
    """A tokenizer.json with the figures of Gemma's: 256,000 tokens, 580,000 merges, 6,400 added tokens, 33 MB."""
    pieces = [f"<0x{byte:02X}>" for byte in range(256)] + [chr(0x4E00 + n) for n in range(20_000)]
    merges, vocab = [], {piece: id for id, piece in enumerate(pieces)}
    for n in range(580_000):
        left, right = pieces[256 + n % 20_000], pieces[256 + (n * 7 + n // 20_000) % 20_000]
        if len(vocab) < 256_000 and left + right not in vocab:
            vocab[left + right] = len(vocab)
        if left + right in vocab:
            merges.append([left, right])
    added = [{"id": len(vocab) + n, "content": f"<unused{n}>", **ADDED} for n in range(6_400)]
    space = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    model = {"type": "BPE", "vocab": vocab, "merges": merges, "byte_fallback": True, "unk_token": "<0x00>"}
    return json.dumps(
        {"added_tokens": added, "normalizer": space, "model": model}, ensure_ascii=False, indent=2
    ).encode()


def doubling(merges: int = DOUBLINGS) -> bytes:
    """A model file of ours in which each merge doubles a token."""
    pairs = [[97, 97], *([256 + n, 256 + n] for n in range(merges - 1))]
    return as_json(
        {
            "format": "tokviz",
            "version": 1,
            "name": "doubling",
            "pattern": "none",
            "special_tokens": {},
            "merges": pairs,
        }
    )


def own_pattern() -> bytes:
    """A harmless model file with a split pattern of its own."""
    model = json.loads(doubling(1))
    return as_json(model | {"name": "own", "pattern": r"\w+|[^\w]"})


def sentence_piece_rule(letters: int) -> bytes:
    """Write a .model file whose normalizer replaces each `a` by many letters."""
    with tempfile.TemporaryDirectory() as folder:
        rules, model = Path(folder, "rules.tsv"), io.BytesIO()
        rules.write_text("61\t" + " ".join(["62"] * letters) + "\n")
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["x y z"] * 3),
            model_writer=model,
            vocab_size=8,
            model_type="char",
            hard_vocab_limit=False,
            normalization_rule_tsv=str(rules),
            minloglevel=2,
        )
    return model.getvalue()


def sentence_pieces(n_pieces: int) -> bytes:
    """Write a .model file with this number of pieces."""
    model = sentencepiece_model_pb2.ModelProto()
    model.trainer_spec.unk_id = 0
    model.pieces.add(piece="<unk>", score=0, type=2)
    for number in range(n_pieces):
        model.pieces.add(piece=f"z{number}", score=-1, type=1)
    model.normalizer_spec.name = "identity"
    return bytes(model.SerializeToString())


def tekken(**sizes: int) -> bytes:
    """A tekken.json that says how many tokens it has."""
    config = {"pattern": "a", "default_vocab_size": 0, "default_num_special_tokens": 0} | sizes
    return as_json({"config": config, "vocab": []})


def gguf(n_values: int, items: int, count: int, rest: bytes = b"") -> bytes:
    """A GGUF file with an array of tokens that says it has `count` items of the kind `items`."""
    name = b"tokenizer.ggml.tokens"
    head = b"GGUF" + struct.pack("<IQQQ", 3, 0, n_values, len(name)) + name
    return head + struct.pack("<IIQ", 9, items, count) + rest


@dataclass(frozen=True)
class Hostile:
    """What a visitor does to a server.

    make: the file, name -> bytes. said: some of the words that they are told. text: what they write under the
    tokenizer. prove: do they have its export proved? visitors: how many do so at once. opens: is the file opened?
    megabytes: what it may cost the server's own process.
    """

    make: Callable[[], dict[str, bytes]]
    said: str
    text: str = ""
    prove: bool = False
    visitors: int = 2
    opens: bool = False
    megabytes: int = 100


def one(name: str, make: Callable[..., bytes], *given: Any, **named: Any) -> Callable[[], dict[str, bytes]]:
    """Makes one file of this name."""
    return lambda: {name: make(*given, **named)}


STOPPED = "and was stopped"
HOSTILE: dict[str, Hostile] = {
    "tekken of 2,000,000,000 tokens": Hostile(
        one("tekken.json", tekken, default_vocab_size=2_000_000_000, default_num_special_tokens=2_000_000_000),
        "2,000,000,000 tokens, and 650,000 are the limit",
    ),
    "sentencepiece rule to 60,000 letters": Hostile(
        one("greedy.model", sentence_piece_rule, 60_000), STOPPED, text="a" * 20_000, opens=True
    ),
    **{
        f"tokenizer.json that {what}": Hostile(one("greedy.json", lambda data=data: data), STOPPED, text, opens=True)
        for what, (data, text) in GREEDY.items()
    },
    "tokenizer.json of 700,000 words": Hostile(one("many.json", words, 700_000), "names in its JSON"),
    "tokenizer.json of 700,000 tokens": Hostile(one("many.json", byte_level, 700_000), "names in its JSON"),
    "tokenizer.json of 200,000 added tokens": Hostile(one("many.json", byte_level, 0, 200_000), "names in its JSON"),
    "tokenizer.json with 20 added tokens of 1 MB": Hostile(
        one("long.json", byte_level, 0, 20, 1_000_000), "1,000 are the limit"
    ),
    "tokenizer.json of 22 doublings": Hostile(one("d.json", byte_level, 0, 0, 0, 22), "", prove=True, opens=True),
    "22 doubling merges, proved": Hostile(one("d.json", doubling), "", prove=True, visitors=4, opens=True),
    "22 doubling merges, shown": Hostile(one("d.json", doubling), "", text="a" * 20_000, opens=True),
    "30 doubling merges": Hostile(one("d.json", doubling, 30), "grow past"),
    "sentencepiece of 1,000,000 pieces": Hostile(one("many.model", sentence_pieces, 1_000_000), "tokens"),
    "Gemma's figures": Hostile(one("tokenizer.json", like_gemma), "", visitors=1, opens=True, megabytes=200),
    "JSON nested 10,000,000 deep": Hostile(one("deep.json", lambda: b'{"a":' + b"[" * 10_000_000), "could take"),
    "JSON with a number of 10,000,000 digits": Hostile(
        one("digits.json", lambda: b'{"model": {"type": "BPE", "vocab": {"a": ' + b"9" * 10_000_000 + b"}}}"), "digits"
    ),
    "JSON of 10,000,000 empty lists": Hostile(
        one("lists.json", lambda: b'{"a":[' + b"[]," * 10_000_000 + b"[]]}"), "could take"
    ),
    "JSON of 5,000,000 texts": Hostile(
        one("texts.json", lambda: b'{"model":{"merges":[' + b'"a",' * 5_000_000 + b'"a"]}}'), "could take"
    ),
    "GGUF of 2^40 tokens": Hostile(one("a.gguf", gguf, 1, 8, 1 << 40), "damaged"),
    "GGUF of 2^40 values": Hostile(one("a.gguf", gguf, 1 << 40, 8, 0), "damaged"),
    "GGUF of 2,000,000 empty texts": Hostile(one("a.gguf", gguf, 1, 8, 2_000_000, bytes(16_000_000)), "tokens"),
    "tiktoken with huge ids": Hostile(one("a.tiktoken", lambda: b"IQ== 99999999999999999999\n" * 10), "format"),
    "tiktoken of 1,500,000 lines": Hostile(
        one("a.tiktoken", lambda: b"".join(b"AAAA %d\n" % n for n in range(1_500_000))), "tokens are the limit"
    ),
    "minbpe of 1,000,000 special tokens": Hostile(
        one("m.model", lambda: b"minbpe v1\n\n1000000\n" + b"".join(b"%d %d\n" % (n, n) for n in range(1_000_000))),
        "tokens are the limit",
    ),
    "minbpe of 22 doublings": Hostile(
        one(
            "m.model",
            lambda: b"minbpe v1\n\n0\n97 97\n" + b"".join(b"%d %d\n" % (256 + n, 256 + n) for n in range(21)),
        ),
        "",
        prove=True,
        opens=True,
    ),
}
