"""Holds the kinds of views that lessons can name, each in a module of its own.

In each, `typing` says whether the learner can change the text, and `own` has the learner's own tokenizers.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tokviz.teach.lessons.shown import VIEWS

__all__ = ["VIEWS"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
