"""What git knows of an older state of files. Without git, or outside of a repository, nothing."""

from __future__ import annotations

import posixpath
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tokviz.errors import SettingError


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit, seen from a folder."""

    folder: Path
    commit: str

    def file(self, path: str) -> bytes | None:
        """The bytes that a file had; None if there was no such file. path: relative to the folder."""
        return _git(self.folder, "cat-file", "blob", f"{self.commit}:./{posixpath.normpath(path)}")

    @property
    def cut_off(self) -> bool:
        """Is this a clone without the older commits? Then the first one that it has seems to have changed all files."""
        return _git(self.folder, "rev-parse", "--is-shallow-repository") == b"true\n"


def last_change(folder: Path, name: str) -> Revision | None:
    """The commit that changed a file of the folder last; None if there is none."""
    commit = _git(folder, "--literal-pathspecs", "rev-list", "-1", "HEAD", "--", name)
    return Revision(folder, commit.decode().strip()) if commit else None


def revision(folder: Path, name: str) -> Revision:
    """The commit of this name, such as main or HEAD~3. SettingError if there is none."""
    commit = None if name.startswith("-") else _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    if not commit:
        raise SettingError(
            f"git has no revision {name!r} in {folder.absolute()}.",
            "Name a branch or a commit. A clone that is not whole lacks others (in GitHub's checkout, fetch-depth: 0).",
        )
    return Revision(folder, commit.decode().strip())


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints; None if it fails, or is not installed."""
    try:
        run = subprocess.run(  # noqa: S603 (the arguments are a list, so no shell reads them)
            ["git", *arguments],  # noqa: S607 (git of the PATH)
            cwd=folder,
            stdin=subprocess.DEVNULL,  # a clone without all files may fetch one, and must not ask for a password
            capture_output=True,
        )
    except OSError:
        return None
    return run.stdout if run.returncode == 0 else None
