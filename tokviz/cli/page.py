"""`tokviz app`: starts the app."""

from __future__ import annotations

import importlib.util
import os
import runpy
import signal
import socket
import sys
from typing import Annotated, Any

import typer

from tokviz.base.data import APP, INSTALLED
from tokviz.base.errors import SettingError
from tokviz.base.files import in_words

INSTALL = "python -m pip install " + ('"tokviz-bpe[app]"' if INSTALLED else f"-r {APP / 'requirements.txt'}")
ALL = "0.0.0.0"  # noqa: S104 (all addresses of this machine, which is what --shared is for)


def start(
    context: typer.Context,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port. Without it, 8501 or the next that is free.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen at. Without it, this machine only.")] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="For a class: others can open it, and nobody can change saved tokenizers.")
    ] = False,
    open_it: Annotated[
        bool | None, typer.Option("--open/--no-open", help="Open it in a browser, or not.", show_default=False)
    ] = None,
) -> None:
    """Start the app, which says its address, and opens in your browser where there is one. Ctrl+C ends it.

    Options of `streamlit run` may follow, such as --theme.base dark.
    """
    if importlib.util.find_spec("streamlit") is None:
        raise SettingError("What the app needs is not installed.", f"Install it with: {INSTALL}")
    if shared:
        os.environ["TOKVIZ_SHARED"] = "1"
        host = host or ALL
    if port is not None or host is not None:
        check_port(host or "127.0.0.1", port)
    options = {"address": host, "port": port, "headless": open_it if open_it is None else str(not open_it).lower()}
    given = [f"--server.{name}={value}" for name, value in options.items() if value is not None]
    signal.signal(signal.SIGINT, _end)
    # As `python -m streamlit` does, in this process: to stop it is to stop the server.
    sys.argv = ["streamlit", "run", str(APP / "app.py"), *given, *context.args]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _end(*_: Any) -> None:
    """End after Ctrl+C without a word. The server has closed its connections by then, and Python would go through all
    objects once more, for seconds."""
    os._exit(130)


def check_port(host: str, port: int | None) -> None:
    """Raise SettingError if no server can listen at this address and port; None for any port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as tried:
            if os.name != "nt":  # where a server that just ended may still hold the port, which is no harm
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as fault:
        place = host if port is None else f"{host}, port {port}"
        raise SettingError(
            f"The app cannot listen at {place}: {in_words(fault)[0]}.",
            "Stop what uses it, or choose another one with --port or --host.",
        ) from None
