"""Which kinds of views and tasks of lessons the browser can draw."""

from __future__ import annotations

import re
from functools import cache

from tokviz.ui.components import source


@cache
def drawn(what: str) -> set[str]:
    """The kinds of "views" or of "tasks" that components/lesson has a drawing for."""
    _, _, table = source(f"lesson/{what}/{what}.js").partition("export const")
    return set(re.findall(r'["\s{]([\w-]+)"?: \w+(?:View|Task)', table))
