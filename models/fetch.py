"""Rebuild the bundled vocabularies from packages that carry them: python models/fetch.py [--from pypi|npm]

tokviz does not need this script to run: the three files are beside it. With it, anybody can make them again and check
that nothing was slipped in. A vocabulary is accepted only if its sha256 is the one in index.toml, which is the one that
tiktoken itself pins, so the packages need not be trusted. Even so, each is pinned to one version and one hash, none is
unpacked to disk, and nothing in them is run.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIGGEST = 8_000_000  # bytes of one unpacked vocabulary; the largest, o200k_base, has 3.6 million
PATIENCE = 600  # seconds that one download may take
WAYS_OUT = "Repair that, or use the other registry: --from pypi or --from npm."
TIKTOKEN_CACHE = "llama_index/core/_static/tiktoken_cache"  # a file there is named by the SHA-1 of its address


class FetchError(Exception):
    """A vocabulary could not be downloaded, or is not the expected one."""


@dataclass(frozen=True, slots=True)
class Package:
    """One file of a registry: its name, version and sha256, and the path of each vocabulary in it."""

    name: str
    version: str
    sha256: str
    members: dict[str, str]


ROUTES = {
    "pypi": (
        Package(
            "mlx-whisper",
            "0.4.3",
            "6b82b6597a994643a3e5496c7bc229a672e5ca308458455bfe276e76ae024489",
            {"r50k_base": "mlx_whisper/assets/gpt2.tiktoken"},
        ),
        Package(
            "llama-index-core",
            "0.14.25",
            "caa7d9c5ac9b13dc33400cf8d5e92e689b6d1e4497eb9bfa50d6f52ca2eb22a1",
            {
                "cl100k_base": f"{TIKTOKEN_CACHE}/9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
                "o200k_base": f"{TIKTOKEN_CACHE}/fb374d419588a4632f3f557e76b4b70aebbca790",
            },
        ),
    ),
    "npm": (
        Package(
            "gpt-tokenizer",
            "4.0.0",
            "e50075c9a98389fbe59bf6b42d8d50b49c1cbd7aec6c205bfc28847ee0eeb20a",
            {name: f"package/data/{name}.tiktoken" for name in ("r50k_base", "cl100k_base", "o200k_base")},
        ),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Rebuild the bundled vocabularies and check them.")
    parser.add_argument("--from", dest="route", choices=ROUTES, default="pypi", help="which registry to ask")
    parser.add_argument("--to", type=Path, default=HERE, help="folder to write to (default: beside this script)")
    options = parser.parse_args()
    try:
        fetch(options.route, options.to)
    except FetchError as fault:
        sys.exit(f"fetch: {fault}")


def fetch(route: str, folder: Path) -> None:
    """Download the packages of a route and write their vocabularies to `folder`; FetchError if any is not right."""
    pins = _pins()
    vocabularies: dict[str, bytes] = {}
    for package in ROUTES[route]:
        archive = _pypi(package) if route == "pypi" else _npm(package)
        _check(f"{package.name} {package.version}", archive, package.sha256)
        for name, member in package.members.items():
            raw = _member(package, archive, member)
            _check(f"{name}, from {package.name}", raw, pins[name])
            vocabularies[name] = raw
    # They are written only after all checks, so a failure leaves all old files as they were.
    for name, raw in vocabularies.items():
        size = _write(folder / f"{name}.tiktoken.gz", raw)
        print(f"{name}: {len(raw):,} bytes, sha256 as pinned, {size:,} bytes gzipped")


def _pins() -> dict[str, str]:
    """Name of a vocabulary -> sha256, from index.toml."""
    tables = tomllib.loads((HERE / "index.toml").read_text(encoding="utf-8")).values()
    return {table["file"].removesuffix(".tiktoken.gz"): table["sha256"] for table in tables}


def _pypi(package: Package) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        # With a hash in the requirement pip checks the wheel too. A wheel, unlike a source package, runs nothing.
        wish = Path(folder, "wish.txt")
        wish.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n", "utf-8")
        wheels = Path(folder, "wheels")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        _run([*pip, "--require-hashes", "--dest", str(wheels), "--requirement", str(wish)], folder)
        return _only_file(package, wheels, ".whl")


def _npm(package: Package) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        npm = [shutil.which("npm") or "npm", "pack", "--loglevel=error", "--ignore-scripts"]
        _run([*npm, f"{package.name}@{package.version}"], folder)
        return _only_file(package, Path(folder), ".tgz")


def _run(command: list[str], folder: str) -> None:
    try:
        # The command consists only of the constants above.
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=PATIENCE)  # noqa: S603
    except FileNotFoundError:
        raise FetchError(f"{command[0]} is not installed. {WAYS_OUT}") from None
    except subprocess.TimeoutExpired:
        raise FetchError(f"no answer within {PATIENCE} seconds. {WAYS_OUT}") from None
    except subprocess.CalledProcessError as fault:
        said = "\n".join((fault.stderr or fault.stdout).strip().splitlines()[-8:])
        raise FetchError(f"the download failed. {WAYS_OUT}\n{said}") from None


def _only_file(package: Package, folder: Path, suffix: str) -> bytes:
    files = sorted(folder.glob(f"*{suffix}"))
    if len(files) != 1:
        raise FetchError(f"expected one {suffix} file from {package.name}, and got {len(files)}.")
    return files[0].read_bytes()


def _member(package: Package, archive: bytes, member: str) -> bytes:
    """One file of a wheel or npm package, read in memory and never beyond BIGGEST bytes."""
    try:
        if archive.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(archive)) as wheel, wheel.open(member) as file:
                raw = file.read(BIGGEST + 1)
        else:
            with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tarball:
                found = tarball.extractfile(member)
                if found is None:
                    raise KeyError(member)
                raw = found.read(BIGGEST + 1)
    except (KeyError, zipfile.BadZipFile, tarfile.TarError, OSError, EOFError) as fault:
        raise FetchError(f"{member} cannot be read from {package.name} {package.version}: {fault}") from None
    if len(raw) > BIGGEST:
        raise FetchError(f"{member} in {package.name} is larger than {BIGGEST:,} bytes.")
    return raw


def _check(what: str, data: bytes, pinned: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != pinned:
        raise FetchError(f"{what}: its sha256 is {found}, not {pinned}. Nothing was written.")


def _write(path: Path, raw: bytes) -> int:
    """Write `raw` to `path`, gzipped, whole or not at all. Returns the size. The file contains no name and no time."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(raw)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(packed.getvalue())
        Path(draft).chmod(0o644)  # mkstemp lets only the owner read
        Path(draft).replace(path)
    except OSError as fault:
        Path(draft).unlink(missing_ok=True)
        raise FetchError(f"{path} cannot be written: {fault}") from None
    return len(packed.getvalue())


if __name__ == "__main__":
    main()
