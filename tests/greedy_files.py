"""Files of tokenizers that make their package take any time or any memory, and the texts that make it begin."""

from __future__ import annotations

import json
from typing import Any


def _file(normalizer: dict[str, Any] | None = None, **model: Any) -> bytes:
    words = {"type": "WordLevel", "vocab": {"a": 0, "?": 1}, "unk_token": "?"} | model
    return json.dumps({"model": words, "normalizer": normalizer}).encode()


def _replaced(pattern: dict[str, str], content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


# what it does -> its file, and the text
GREEDY: dict[str, tuple[bytes, str]] = {
    "takes 5 GB": (
        _file({"type": "Sequence", "normalizers": [_replaced({"String": "a"}, "a" * 100)] * 4}),
        "The cat sat on the mat, and that was that.",
    ),
    "searches again from each letter": (_file(_replaced({"Regex": "a*[^a]"}, "b")), "a" * 60_000),
    "computes for half an hour": (
        _file(
            type="WordPiece",
            vocab={"a": 0, "##a": 1, "?": 2},
            continuing_subword_prefix="##",
            max_input_chars_per_word=1_000_000_000,
        ),
        "a" * 40_000,
    ),
}
