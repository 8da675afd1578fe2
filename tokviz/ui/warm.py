"""What the server prepares when it starts, so that no visitor waits for it."""

from __future__ import annotations

import gc
import importlib
import threading

from tokviz import catalog, kernels, training
from tokviz.ui.frame.shell import PAGES


def prepare() -> None:
    """Compile the kernels in the background, then load the modules of all pages. Call it once."""
    kernels.warm(_rehearse)
    threading.Thread(target=_load_pages, name="pages", daemon=True).start()


def _rehearse() -> None:
    """Call everything that a page may call: each tie rule and a ban, candidates, a window, both ways to encode, a long
    chunk, and a corpus with so many distinct chunks that two threads count it."""
    text = "the cat in the hat, the naïve cat " * 20
    for tie in training.TIES:
        trained = training.train([text, "and the hat"], 300, tie=tie, ban=[b"cat"], min_count=2)  # type: ignore[arg-type]
    training.train(" ".join(map(str, range(100_000))), 300)
    trained.candidates(3)
    trained.window(0, 10)
    for tokenizer in (trained.tokenizer, catalog.reference("gpt2")):
        tokenizer.encode(text)
        tokenizer.merged(b"ab" * 100)


def _load_pages() -> None:
    """Load the modules of all pages, and tell the garbage collector that what is there now stays for good.

    Streamlit has the collector walk all objects after every run of a page, and nobody's keys are answered meanwhile: a
    tenth of a second, nearly all of it spent on modules and kernels. Frozen objects are not walked again. This happens
    once: later it would also freeze what visitors have already left behind.
    """
    kernels.ready.wait()  # the first page needs the kernels more than it needs the other pages
    for page in PAGES:
        importlib.import_module(f"tokviz.ui.{page.path}.page")
    gc.collect()
    gc.freeze()
