"""tokviz shows how byte-pair encoding works: train a tokenizer, watch its merges, and compare it with those of others.

>>> import tokviz
>>> training = tokviz.train("the cat in the hat sat on the mat. the cat and the hat.", vocab_size=266, pattern="none")
>>> training.tokenizer.encode("the cat in the hat")
[265, 105, 263, 104, 256]

`__init__.pyi` lists what is here. Each name is imported when it is first asked for.
"""

from lazy_loader import attach_stub

from tokviz.base.drawn import drawn_by

drawn_by("tokviz.notebook", "tokviz.formats.tokviz", "tokviz.corpus.counts_file")

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
__version__ = "0.2.0.dev0"
