"""Lists the kinds of views that lessons can name, each in a module of its own; components/lesson draws them.

In each, `typing` says whether the learner can change the text, and `own` has the learner's own tokenizers.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from tokviz.teach.lessons.shown import View

VIEWS = {
    module.name.replace("_", "-"): View(import_module(f"{__name__}.{module.name}").show)
    for module in iter_modules(__path__)
}
