"""`tokviz app`: starts the app from a checkout."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import typer

import tokviz
from tokviz.base.errors import SettingError

INSTALL = "python -m pip install -r requirements.txt"


def start(context: typer.Context) -> None:
    """Start the app in your browser. Options of `streamlit run` may follow, such as --server.port 9000."""
    root = checkout()
    if importlib.util.find_spec("streamlit") is None:
        raise SettingError("Streamlit, which draws the app, is not installed.", f"Run `{INSTALL}` in {root}.")
    call = [sys.executable, "-m", "streamlit", "run", "app.py", *context.args]
    server = subprocess.Popen(call, cwd=root)  # noqa: S603 (the person at the terminal typed the arguments)
    try:
        code = server.wait()
    except KeyboardInterrupt:  # the server got it too, and says goodbye itself
        server.wait()
        raise
    raise typer.Exit(code)


def checkout() -> Path:
    """Find the checkout that this package is in, or that the command was called in. SettingError if there is none."""
    for root in (Path(tokviz.__file__).parents[1], Path.cwd()):
        if (root / "app.py").is_file() and (root / "tokviz" / "ui").is_dir():
            return root
    raise SettingError(
        "There is no checkout of tokviz here, and the app runs only from one.",
        "Go to the folder of your checkout, which contains app.py, and call `tokviz app` there.",
    )
