"""The wheel of this checkout, installed into a new environment without a network.

That environment sees only the packages that are asked for, and what they in turn need: they are linked from the
environment of the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LIBRARY, EXTRAS = PROJECT["dependencies"], PROJECT["optional-dependencies"]
PIP = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--quiet")

# A process with this hook ends when it looks up a name or makes a connection beyond this machine. A datagram socket
# that is connected sends nothing: tokviz asks one for its own address.
OFFLINE = """
import os, socket, sys

def refuse(event, given):
    if event == "socket.getaddrinfo":
        host = given[0]
    elif event == "socket.connect" and given[0].type == socket.SOCK_STREAM and isinstance(given[1], tuple):
        host = given[1][0]
    else:
        return
    if host not in (None, "", "localhost", "127.0.0.1", "::1", "0.0.0.0"):
        os.write(2, f"the network was asked for: {event} {given}".encode())
        os._exit(70)

sys.addaudithook(refuse)
"""


def built(folder: Path) -> Path:
    """The wheel of a checkout that is in use: with a saved tokenizer, and with compiled code beside the source."""
    checkout, out = folder / "checkout", folder / "wheel"
    checkout.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore", "app.py"):
        shutil.copy(ROOT / name, checkout)
    for name in ("tokviz", "models", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__", "saved"))
    for litter in (
        *("models/saved/mine.json", "models/saved/mine.tiktoken.gz", ".streamlit/secrets.toml"),
        *("tokviz/kernels/__pycache__/base.nbi", "pages/__pycache__/learn.pyc"),
    ):
        (checkout / litter).parent.mkdir(exist_ok=True)
        (checkout / litter).touch()
    subprocess.run(
        [*PIP, "wheel", ".", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", out],
        cwd=checkout,
        check=True,
    )
    (wheel,) = out.iterdir()
    return wheel


def installed(wheel: Path, place: Path, requirements: Iterable[str], *, extra: str = "") -> Path:
    """Install it into a new environment with these packages, which never reaches beyond this machine.

    extra: what of the wheel is asked for, such as "[app]". Returns the folder of its commands.
    """
    venv.create(place, symlinks=os.name != "nt")
    commands = place / ("Scripts" if os.name == "nt" else "bin")
    ask = [commands / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    for package in needed(requirements).values():
        link(package, site)
    # pip looks nothing up here, so it also says whether what is linked is all that the wheel asks for
    call = [*PIP, "--python", commands / "python", "install", "--no-index", f"tokviz-bpe{extra} @ {wheel.as_uri()}"]
    subprocess.run(call, check=True)
    lend_compiled_code(site / "tokviz" / "kernels")
    (site / "offline.py").write_text(OFFLINE, "utf-8")
    (site / "offline.pth").write_text("import offline\n", "utf-8")
    return commands


def needed(requirements: Iterable[str]) -> dict[str, metadata.Distribution]:
    """The installed packages that these requirements ask for, and those that they in turn need."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [*requirements]
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found[name] = metadata.distribution(name)
            waiting += found[name].requires or []
    return found


def link(package: metadata.Distribution, folder: Path) -> None:
    tops = {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}
    for top in tops:
        (folder / top).symlink_to(Path(str(package.locate_file(top))).resolve())


def lend_compiled_code(folder: Path) -> None:
    """Put the compiled code of the checkout beside the same kernels elsewhere, as compiling takes seconds.

    numba takes it if the kernels are of the same size and time. Without any there, it compiles.
    """
    kernels = ROOT / "tokviz" / "kernels"
    for source in kernels.glob("*.py"):
        shutil.copystat(source, folder / source.name)
    (folder / "__pycache__").mkdir(exist_ok=True)
    for compiled in (kernels / "__pycache__").glob("*.nb[ci]"):
        shutil.copy2(compiled, folder / "__pycache__")
