"""Kernels that are being compiled, and never ready: what has to be there by then must do without them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest

from tokviz import kernels, rehearsal
from tokviz.kernels import base, warming


def _called(*_: object) -> NoReturn:
    raise AssertionError("a kernel was called, which would wait for the compiler")


def never_ready(patch: pytest.MonkeyPatch) -> None:
    """Let kernels be compiled, for ever. To call one is an error."""
    for event in ("begun", "encoding", "ready"):
        patch.setattr(warming, event, threading.Event())
    patch.setattr(kernels, "ready", warming.ready)
    patch.setattr(kernels, "warm", lambda *_: None)
    warming.begun.set()
    assert rehearsal.STAGES, "so that the modules of all kernels are imported"
    compiled = {id(one) for one in base._kernels}
    for module in [module for name, module in sys.modules.items() if name.startswith("tokviz.")]:
        for name in [name for name, value in vars(module).items() if id(value) in compiled]:
            patch.setattr(module, name, _called)


@contextmanager
def compiling() -> Iterator[None]:
    """Within this block, and in all threads, kernels are being compiled: see `never_ready`."""
    with pytest.MonkeyPatch.context() as patch:
        never_ready(patch)
        yield
