"""Texts to measure on, put together from what Python itself brings along."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from pydoc_data.topics import topics


def english_and_code(size: int) -> str:
    """About `size` characters: Python's own manual pages, then its standard library."""
    text = "\n".join(topics[name] for name in sorted(topics))
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        if len(text) >= size:
            break
        text += path.read_text(encoding="utf-8", errors="replace")
    return text[:size]
