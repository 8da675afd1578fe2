"""What several tests of the file formats share: tokenizers, texts that are hard to cut, and files tokenizer.json."""

from __future__ import annotations

import json
import random
import unicodedata
from typing import Any

import tokenizers
from hypothesis import strategies as st

from tests.strategies import hostile_tokenizers, settings_of_training
from tokviz import Tokenizer
from tokviz.formats import dump

CAT = "the cat in the hat sat on the mat. the cat and the hat."
HUG = Tokenizer("hug", [(117, 103), (104, 256)], special_tokens={"<|a|>": 300, "<|b|>": 301})

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


def theirs(files: dict[str, bytes]) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_str(files["tokenizer.json"].decode())


def split_by(expression: str, **more: object) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated", "invert": False, **more}
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {"type": "Sequence", "pretokenizers": [split, last]}


def with_fields(**fields: object) -> dict[str, bytes]:
    return {"tokenizer.json": json.dumps({**json.loads(dump(HUG, "hf")["tokenizer.json"]), **fields}).encode()}
