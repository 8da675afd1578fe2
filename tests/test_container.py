"""The container: the form of its files, and each of its steps in an empty environment, as there may be no Docker."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import urllib.request
import venv
from pathlib import Path

import pytest
import yaml

from tests.e2e.browser import eventually

ROOT = Path(__file__).parents[1]
Step = tuple[str, str]  # what is done, with what


def steps() -> list[Step]:
    """The lines of the Dockerfile."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text("utf-8"))
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_the_container_is_locked() -> None:
    said = dict(steps())  # the last of each
    assert not re.match(r"root|0(:|$)", said["USER"]) and "HEALTHCHECK" in said
    assert all("-slim" in given for word, given in steps() if word == "FROM")
    service = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]["tokviz"]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    assert [volume.partition(":")[2] for volume in service["volumes"]] == [said["VOLUME"]] == ["/data"]
    assert service["environment"]["TOKVIZ_SHARED"] == "${TOKVIZ_SHARED:-1}"


def test_the_image_gets_what_it_copies_and_nothing_saved() -> None:
    given = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    asked = {name for word, rest in steps() if word == "COPY" and "--from" not in rest for name in rest.split()[:-1]}
    assert {name.removesuffix("/config.toml") for name in given} == asked
    assert "\nmodels/saved\n" in (ROOT / ".dockerignore").read_text("utf-8")


def healthy(check: list[str], env: dict[str, str]) -> bool:
    return subprocess.run(check, env=env, stderr=subprocess.DEVNULL).returncode == 0


@pytest.mark.long
def test_each_step_in_an_empty_environment(tmp_path: Path) -> None:
    """Its folders are below a temporary one, its Python is a new environment, and its port is a free one."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def here(words: str) -> str:
        for folder in ("/opt/", "/data", "/tmp/kernels", "/src"):
            words = re.sub(rf"(?<![\w.])(?={re.escape(folder)})", str(tmp_path), words)
        return words.replace("8501", str(port)).replace("0.0.0.0", "127.0.0.1")

    venv.create(tmp_path / "python", symlinks=True, with_pip=True)
    env = {"PATH": f"{tmp_path / 'python' / 'bin'}:/usr/bin:/bin"}
    env |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    env.setdefault("PIP_CONFIG_FILE", str(Path.home() / ".config/pip/pip.conf"))
    for folder in ("opt", "tmp"):
        (tmp_path / folder).mkdir()
    ready, health, there = [], [], tmp_path
    for word, given in steps():
        if word == "FROM":
            there = tmp_path
            shutil.rmtree(tmp_path / "src", ignore_errors=True)  # the image begins without what it was built from
        elif word == "WORKDIR":
            there = Path(here(given))
            there.mkdir()
        elif word == "COPY" and "--from" not in given:
            *sources, to = given.split()
            for source in sources:
                target = there / (source if to == "./" else to)
                if (ROOT / source).is_dir():
                    skip = shutil.ignore_patterns("__pycache__", "saved", "secrets.toml")
                    shutil.copytree(ROOT / source, target, ignore=skip)
                else:
                    shutil.copy(ROOT / source, target)
        elif word == "RUN":
            subprocess.run(["sh", "-ec", here(given)], cwd=there, env=env, check=True)
        elif word == "ENV":
            for setting in shlex.split(given):
                name, _, value = setting.partition("=")
                env[name] = here(value).replace("$PATH", env["PATH"])
        elif word == "CMD":
            ready = [here(part) for part in json.loads(given)]
        elif word == "HEALTHCHECK":
            health = [here(part) for part in json.loads(given.partition(" CMD ")[2])]
    compiled = len([*(tmp_path / "opt/kernels").rglob("*.nbc")])
    env["HOME"] = str(tmp_path / "tmp")
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "opt").rglob("*")}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(ready, cwd=tmp_path / "tmp", env=env, stdout=log, stderr=subprocess.STDOUT)
    try:
        eventually(lambda: server.poll() is not None or healthy(health, env), True)
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Accept": "text/html"})
        with urllib.request.urlopen(asked, timeout=30) as page:
            assert b"tokviz/watch.js" in page.read()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    again = [tmp_path / "opt/tokviz/bin/python", "-m", "tokviz.rehearsal"]
    subprocess.run(again, cwd=tmp_path / "tmp", env=env, check=True, stdout=subprocess.DEVNULL)
    assert len([*(tmp_path / "tmp/kernels").rglob("*.nbc")]) == compiled, "what is in the image is not compiled again"
    now = {path: path.stat().st_mtime_ns for path in (tmp_path / "opt").rglob("*")}
    assert now == written, "only the volume and /tmp are written to"
