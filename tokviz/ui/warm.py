"""What the server prepares when it starts, so that no visitor waits for it."""

from __future__ import annotations

import gc
import importlib
import threading

from tokviz import catalog, kernels, rules, training
from tokviz.ui.frame.shell import PAGES


def prepare() -> None:
    """Compile the kernels in the background, then load the modules of all pages. Call it once."""
    kernels.warm(_rehearse)
    threading.Thread(target=_load_pages, name="pages", daemon=True).start()


def _rehearse() -> None:
    """Call everything that a page may call, so that all kernels are compiled.

    That is: each tie rule and a ban, candidates, a window, both ways to encode, a long chunk, and a corpus with so many
    distinct chunks that two threads count it.
    """
    text = "the cat in the hat, the naïve cat " * 20
    for tie in rules.TIES:
        trained = training.train([text, "and the hat"], 300, tie=tie, ban=[b"cat"], min_count=2)  # type: ignore[arg-type]
    training.train(" ".join(map(str, range(100_000))), 300)
    trained.candidates(3)
    trained.window(0, 10)
    for tokenizer in (trained.tokenizer, catalog.reference("gpt2")):
        tokenizer.encode(text)
        tokenizer.merged(b"ab" * 100)


def _load_pages() -> None:
    """Load the modules of all pages, then freeze all present objects for the garbage collector.

    Streamlit calls the collector after every run of a page. It then walks all objects for a tenth of a second, nearly
    all of it spent on modules and kernels, and no socket is answered meanwhile. It does not walk frozen objects. They
    are frozen only once, because later this would also freeze garbage that visitors have left.
    """
    kernels.ready.wait()  # the first page needs the kernels more than it needs the other pages
    for page in PAGES:
        importlib.import_module(f"tokviz.ui.{page.path}.page")
    gc.collect()
    gc.freeze()
