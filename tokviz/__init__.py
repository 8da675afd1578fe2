"""tokviz shows how byte-pair encoding works: train a tokenizer, watch its merges, and compare it with those of others.

>>> import tokviz
>>> training = tokviz.train("the cat in the hat sat on the mat. the cat and the hat.", vocab_size=266, pattern="none")
>>> training.tokenizer.encode("the cat in the hat")
[265, 105, 263, 104, 256]

`__init__.pyi` lists what is here. Each name is imported when it is first asked for, and so is each module of a package,
such as `tokviz.catalog.packages`.
"""

import sys
from pkgutil import iter_modules
from types import ModuleType

from lazy_loader import attach, attach_stub

from tokviz.base.drawn import drawn_by


class _Library(ModuleType):
    """Lets each package, once it is imported, import its modules by their names."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and hasattr(value, "__path__"):
            modules = [found.name for found in iter_modules(value.__path__)]
            value.__getattr__ = attach(value.__name__, modules)[0]  # type: ignore[method-assign]
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Library
drawn_by(
    "tokviz.notebook",
    "tokviz.formats.tokviz",
    "tokviz.corpus.counts_file",
    "tokviz.offline.pages",
    "tokviz.offline.ruler",
)

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
__version__ = "0.2.0.dev0"
