"""What several tests of the file formats share: tokenizers, texts that are hard to cut, and files tokenizer.json."""

from __future__ import annotations

import base64
import json
import random
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import tokenizers
from hypothesis import strategies as st

from tests.strategies import hostile_tokenizers, settings_of_training
from tokviz import Tokenizer
from tokviz.formats import bytelevel, dump, patterns

CAT = "the cat in the hat sat on the mat. the cat and the hat."
HUG = Tokenizer("hug", [(117, 103), (104, 256)], special_tokens={"<|a|>": 300, "<|b|>": 301})

DEEPSEEK = (  # the published one of DeepSeek V3
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"""
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
)

drawn_tokenizers = st.one_of(
    settings_of_training(max_merges=20).map(lambda setting: setting.train().tokenizer), hostile_tokenizers()
)


def hard_texts(n: int, seed: int = 5) -> list[str]:
    """Random texts of assigned characters, hard ASCII and white space."""
    choose = random.Random(seed)
    pools = [" \n\r\t'/1aA.,<|", "hug pns", "\u00a0\u2003\u0085ſKé日本👍🏽\u0301٣½ʰǅ", "abcdefghijklmnopqrstuvwxyz   "]
    assigned = [chr(i) for i in range(0x250, 0x3000) if unicodedata.category(chr(i)) not in ("Cn", "Cs")]
    texts = []
    for _ in range(n):
        pool = choose.choice([*pools, assigned])
        texts.append("".join(choose.choice(pool) for _ in range(choose.randint(0, 40))))
    return [*texts, CAT, "<|endoftext|>", "don't I'LL we'ſ 1234567 \n\n  x\r\n"]


def in_gguf(tok: Tokenizer, **more: object) -> dict[str, bytes]:
    """The tokenizer in a GGUF file, by the writer of the gguf package. more: other values; None leaves one out."""
    texts, all_ids = bytelevel.written_tokens(tok), range(tok.n_vocab)
    pairs = bytelevel.all_cuts(tok.rank_file) if tok.lookups else [(texts[a], texts[b]) for a, b in tok.merges]
    kinds = dict.fromkeys(texts, gguf.TokenType.NORMAL)
    kinds |= dict.fromkeys(tok.special_tokens.values(), gguf.TokenType.CONTROL)
    kinds |= dict.fromkeys(tok.added_tokens.values(), gguf.TokenType.USER_DEFINED)
    values = {
        "tokenizer_model": "gpt2",
        "tokenizer_pre": "gpt-2",
        "token_list": [texts.get(id, f"[PAD{id}]") for id in all_ids],
        "token_types": [kinds.get(id, gguf.TokenType.UNUSED) for id in all_ids],
        "token_scores": [0.5 for _ in all_ids],
        "token_merges": [f"{left} {right}" for left, right in pairs],
        **more,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.gguf")
        writer = gguf.GGUFWriter(path, "llama")
        for name, value in values.items():
            if value is not None:
                getattr(writer, f"add_{name}")(value)
        writer.add_tensor("x", np.zeros(8, np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return {"x.gguf": path.read_bytes()}


def in_tekken(tok: Tokenizer) -> dict[str, bytes]:
    """The tokenizer in Mistral's file, with the ids that this gives its tokens."""
    tokens = sorted(tok.rank_file, key=tok.rank_file.__getitem__)
    fields = {
        "config": {
            "pattern": patterns.expression_of(tok.pattern),
            "default_vocab_size": len(tok.special_tokens) + len(tokens),
            "default_num_special_tokens": len(tok.special_tokens),
        },
        "vocab": [{"rank": i, "token_bytes": base64.b64encode(token).decode()} for i, token in enumerate(tokens)],
        "special_tokens": [{"rank": i, "token_str": text} for i, text in enumerate(tok.special_tokens)],
    }
    return {"tekken.json": json.dumps(fields).encode()}


def theirs(files: dict[str, bytes]) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_str(files["tokenizer.json"].decode())


def split_by(expression: str, **more: object) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False, **more}
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {"type": "Sequence", "pretokenizers": [split, last]}


def with_fields(**fields: object) -> dict[str, bytes]:
    return {"tokenizer.json": json.dumps({**json.loads(dump(HUG, "hf")["tokenizer.json"]), **fields}).encode()}
