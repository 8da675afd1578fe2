"""What the server prepares when it starts, so that no visitor waits for it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import itertools
import logging
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from streamlit import config
from streamlit.runtime.scriptrunner import ScriptRunner

from tokviz import kernels, rehearsal
from tokviz.base import files
from tokviz.catalog import references, samples, saved
from tokviz.ui.frame.shell import PAGES
from tokviz.ui.frame.tokenizers import reference_table, reference_witness
from tokviz.ui.server import line, pages
from tokviz.ui.server.visitor import OPENS_WITH
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.vocabulary.state import VocabularyState

_log = logging.getLogger(__name__)

# After which a thread lets another one run Python. Whatever answers a key needs several turns, each of which it waits
# for while pages are drawn: with Python's own five milliseconds, one key in twenty takes 30 ms longer.
SWITCH_S = 0.0005
GARBAGE_S = 10.0  # from one collection of garbage to the next
GIVEN_BACK = 6  # collections, from one time to the next that memory is given back
ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h


def prepare() -> None:
    """Prepare the first page, compile the kernels, then load the modules of all pages; in the background. Call it once.

    What a killed server left half written is removed first. SettingError if Streamlit has no place for what is ours.
    The page comes first. It needs no compiled kernel, so they are compiled in a process of their own meanwhile.
    """
    pages.whole_page()
    sys.setswitchinterval(SWITCH_S)
    _share_memory()
    _unlock_settings()
    _start_runs_beside()
    line.given()  # the event loop would start its threads with the first key
    files.sweep(saved.folder())
    files.sweep_scratch()
    kernels.warm([_encode, rehearsal.training], rehearsal.__name__)
    threading.Thread(target=_run, name="pages", daemon=True).start()


def _run() -> None:
    """Load what is needed, then collect garbage every few seconds, for as long as the server runs.

    Streamlit would collect it after every run of a page; `postScriptGC` in .streamlit/config.toml turns that off. With
    thirty visitors it takes 20 ms, in which no socket is answered, and a class makes twenty such runs a second.
    """
    try:
        _load()
    except Exception:  # what is not prepared is made when it is asked for, but garbage has to be collected all the same
        _log.exception("the server prepared only a part")
    for round in itertools.count():
        gc.collect()
        if round % GIVEN_BACK == 0:
            _give_back()
        time.sleep(GARBAGE_S)


def _share_memory() -> None:
    """Have all threads take memory from one place. glibc gives each thread its own otherwise, and every page runs in a
    thread of its own: what they leave behind takes 50 MB after one visitor. The interpreter's lock is there anyway."""
    with contextlib.suppress(AttributeError, OSError):  # another library of C has no such call
        ctypes.CDLL(None).mallopt(ARENA_MAX, 1)


def _start_runs_beside() -> None:
    """Have a thread of its own start the thread of each run of a page.

    The event loop does so otherwise, and waits until that thread has its first turn. While many threads want a turn,
    that was most of the time in which it answered nobody.
    """
    start, starting = ScriptRunner.start, ThreadPoolExecutor(1, "runs")
    starting.submit(int)  # its own thread begins now

    def begin(runner: ScriptRunner) -> None:
        try:
            start(runner)
        except Exception:  # as where the system has no more threads: nobody else would hear of it
            _log.exception("a run of a page did not begin")

    def start_beside(runner: ScriptRunner) -> None:
        starting.submit(begin, runner)

    ScriptRunner.start = start_beside  # type: ignore[assignment, method-assign]


def _unlock_settings() -> None:
    """Have nobody wait to read a setting of Streamlit. They are complete, and nothing changes them as the server runs.

    Each run asks for hundreds, and so does the event loop. Whoever holds their lock as another thread gets its turn
    keeps all of these waiting: seconds, where a hundred pages run.
    """
    config.get_config_options()
    config._config_lock = contextlib.nullcontext(config._config_lock)  # type: ignore[assignment]


def _give_back() -> None:
    """Give the system the memory that was let go: 80 MB after the start. glibc keeps it otherwise."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another library of C has no such call, Windows none
        ctypes.CDLL(None).malloc_trim(0)


def _encode() -> None:
    """Have compiled encoders for the tokenizers that the Tokens page opens with: their tables take a while to make."""
    rehearsal.encoding()
    for name in TokensState().chosen:
        references.reference(name).encode_ordinary(samples.sample(OPENS_WITH).text)


def _load() -> None:
    """Load what the first page needs, the modules of all pages, and the first list of tokens. Then freeze all objects.

    The garbage collector walks all objects for a tenth of a second, nearly all of it spent on modules and kernels, and
    no socket is answered meanwhile. It does not walk frozen objects. They are frozen only once, because later this
    would also freeze garbage that visitors have left.
    """
    for name in TokensState().chosen:
        reference_witness(name)
    kernels.ready.wait()  # the first page needs the processor more than the other pages do
    for page in PAGES:
        importlib.import_module(f"tokviz.ui.{page.folder}.page")
    reference_table(VocabularyState().of).text_ranks  # noqa: B018 (it is computed at the first use)
    gc.collect()
    gc.freeze()
