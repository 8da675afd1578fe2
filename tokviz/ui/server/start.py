"""What the server says on the terminal when it starts, and what it does as long as it runs."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import segno
import streamlit as st
import typer
from streamlit.web.server.server_util import get_url

from tokviz.base.wording import count_of
from tokviz.ui.server import limits
from tokviz.ui.server.faults import log_without_messages
from tokviz.ui.server.headers import frames
from tokviz.ui.server.hub import hub
from tokviz.ui.server.line import LINE
from tokviz.ui.server.machine import listens_to_others, local_addresses
from tokviz.ui.server.peer_process import WORKER
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import said_shared, shared

REPORT_S = 60.0  # from one line of the log on what there is to do to the next, if it has changed

_log = logging.getLogger("tokviz.server")


@asynccontextmanager
async def running(_: st.App) -> AsyncIterator[None]:
    """The life of the server. Streamlit's own welcome is switched off, because it asks another site for the address."""
    address = str(st.get_option("server.address") or "")
    others = listens_to_others()
    own = get_url("localhost" if others else address)
    typer.echo(f"\n  tokviz is at {own}")
    if others:
        reached = local_addresses() if address in ("", "0.0.0.0", "::") else [address]  # noqa: S104 (it is only compared)
        if not reached:
            typer.echo("  Others cannot open it: this machine is not connected to a network")
        else:
            typer.echo(f"  Others open {' or '.join(map(get_url, reached))}")
            show_class(f"{get_url(reached[0])}/class")
    if frames():
        typer.echo(f"  Pages of {' and of '.join(frames())} may show it in a frame (TOKVIZ_FRAMES)")
    if not st.get_option("server.headless"):  # the port takes connections already, and they wait for the server
        threading.Thread(target=webbrowser.open, args=(own,), daemon=True).start()
    if start_notes():
        typer.secho("\n  " + "\n  ".join(start_notes()), fg="yellow", bold=True)
    typer.echo()
    log_without_messages()
    if shared():
        _show_log()
    threading.Thread(target=_report, name="report", daemon=True).start()
    with _ending():
        yield


def show_class(address: str) -> None:
    """Print the address at which a class meets, and its QR code where a person may point a phone at it."""
    typer.echo(f"  A class meets at {address}")
    if sys.stdout.isatty() and str(sys.stdout.encoding).lower().startswith("utf"):
        drawn = io.StringIO()
        segno.make(address, error="m", micro=False).terminal(drawn, compact=True)
        for line in drawn.getvalue().splitlines():  # its colours are written out, so light themes do not invert it
            typer.secho(f"  {line}", fg="bright_white", bg="black")


@contextmanager
def _ending() -> Iterator[None]:
    """Stop the packages of peers as soon as the server is told to end: it waits for all that sockets wait for."""
    before: dict[int, Any] = {}

    def end(told: int, _: FrameType | None) -> None:
        WORKER.end()
        signal.signal(told, before[told])
        signal.raise_signal(told)

    if threading.current_thread() is threading.main_thread():  # only there can a signal be heard
        for told in (signal.SIGINT, signal.SIGTERM):
            before[told] = signal.signal(told, end)
    try:
        yield
    finally:
        WORKER.end()


def _report() -> None:
    """Log how much the server has to do, as long as it runs: numbers, and no text, name or key of a visitor."""
    told = ""
    while True:
        time.sleep(REPORT_S)
        if told != (told := figures()):
            _log.info("%s%s", told, memory())


def figures() -> str:
    """What there is now: visitors, what is kept for them, work, connections and rooms."""
    here, away, kept = VISITORS.counted()
    return ", ".join(
        [
            f"{count_of(here, 'visitor')} here and {away:,} away",
            f"{kept // limits.MB:,} MB kept for them",
            f"{count_of(len(LINE), 'piece')} of work",
            count_of(VISITORS.sockets, "connection"),
            count_of(hub().rooms.n_open, "open room"),
        ]
    )


def memory() -> str:
    """The memory of the whole process, where the system tells it, in words to be added; else ""."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return f", {pages * os.sysconf('SC_PAGE_SIZE') // limits.MB:,} MB in all"
    return ""


def start_notes() -> list[str]:
    """Say what the person who starts the server must know."""
    if not listens_to_others() or said_shared() is not None:
        return []
    return [
        "WARNING: other machines can reach this server, and nothing says that this is meant.",
        "So its library of saved tokenizers can be read, but not changed. Start it with",
        "  TOKVIZ_SHARED=1  if this is right, as for a class;",
        "  TOKVIZ_SHARED=0  if everybody who can reach it may save, rename and delete tokenizers;",
        "  --server.address 127.0.0.1  if only you use it.",
    ]


def _show_log() -> None:
    """Print what is logged on the terminal. On a machine of one's own, only warnings are printed, by Python itself."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
    log = logging.getLogger("tokviz")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
