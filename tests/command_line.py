"""Calling the command line: inside the process of the tests, or as a program of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

from typer.testing import CliRunner, Result

from tests.waiting import PATIENCE_S
from tokviz.cli import app

ROOT = Path(__file__).parents[1]
PROGRAM = (sys.executable, "-m", "tokviz")
WAIT = PATIENCE_S


def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
    """Call a command. `stdout` and `stderr` of the result are apart. A bug in a command fails the test."""
    result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def good(*arguments: object, stdin: str | bytes | None = None) -> str:
    """Call a command that ends well; what it prints."""
    result = call(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def in_line(result: Result) -> str:
    """What a refused call says, without the box that is drawn around it."""
    return " ".join(result.stderr.replace("│", " ").split())


def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    """Start a command as a program of its own, with pipes at all ends.

    It heeds Ctrl+C even where this process does not, as one that a shell has put into the background: a child inherits
    that, and Python then leaves it so.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    heed = None if sys.platform == "win32" else partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)], cwd=ROOT, env=environment, preexec_fn=heed, **{**pipes, **options}
    )
