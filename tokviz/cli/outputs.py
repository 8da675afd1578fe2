"""Writes the files of commands: new ones, or those that may be replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokviz.base import files
from tokviz.base.errors import SettingError

Force = Annotated[bool, typer.Option("--force", help="Replace what exists.")]


def check_output(output: Path, force: bool) -> None:
    """Refuse before the work what would be refused after it: SettingError if a file cannot be written there."""
    if output.is_dir() or not output.name:
        raise SettingError(f"{output} is a folder.", "Name a file, such as model.json.")
    if not output.parent.is_dir():
        raise SettingError(f"There is no folder {output.parent}.", "Make it, or choose another one.")
    if not force and (output.exists() or output.is_symlink()):
        raise _exists(output)


def write_output(output: Path, force: bool, data: bytes) -> None:
    """Write a file, whole or not at all. SettingError if there is one already and `force` is false."""
    if force:
        files.write(output, data)
    elif not files.create(output, data):
        raise _exists(output)


def _exists(output: Path) -> SettingError:
    return SettingError(f"{output} exists.", "Choose another name, or replace it with --force.")
