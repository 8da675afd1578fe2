"""Bounds of the library that hold during one test."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tokviz.base import bounds


def bounded(monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
    """Set some of the bounds until the test ends."""
    monkeypatch.setattr(bounds, "_now", replace(bounds.now(), **fields))
