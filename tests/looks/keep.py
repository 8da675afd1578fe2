"""The tokenizers that are saved before the first state is drawn."""

from __future__ import annotations

import os
from pathlib import Path

import tokviz
from tokviz.samples import sample

SAVED_AT = 1_768_471_200  # seconds since 1970: 15 January 2026
SHELLS, LONG_NAME = "shells", "A very long name of a tokenizer नमस्ते 👩‍👩‍👧 " * 2


def keep_tokenizers(folder: Path) -> None:
    """Save a small tokenizer, one with a long name, and a file that is damaged; all of the same day."""
    tok = tokviz.train(sample("tongue").text, 300, special_tokens=["<|end|>"], name=SHELLS).tokenizer
    for name in (SHELLS, LONG_NAME.strip()):
        tok.save(folder / f"{name}.json")
    (folder / "torn.json").write_bytes(b'{"format": "tokviz"')
    for file in folder.iterdir():
        os.utime(file, (SAVED_AT, SAVED_AT))
