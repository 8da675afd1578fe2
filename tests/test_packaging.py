"""The library as a package: what its wheel holds, and that it works where no Streamlit and no checkout is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import tokviz
from tests.installed import EXTRAS, LIBRARY, ROOT, built, installed

DOCUMENTS = "\n".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/cli.md", "docs/library.md"))
MOST_BYTES = 8_000_000
FROM_MODELS = ("index.toml", "LICENSE-tiktoken", "README.md")

Run = Callable[[str], list[str]]


def lines(name: str) -> set[Requirement]:
    """The requirements in a file, without those it includes from another."""
    text = (ROOT / name).read_text("utf-8")
    return {Requirement(line) for line in text.splitlines() if line and not line.startswith(("#", "-r "))}


def test_requirements_txt_is_what_the_app_asks_for() -> None:
    assert lines("requirements.txt") == {Requirement(line) for line in EXTRAS["app"]}


@pytest.mark.parametrize("line", [*LIBRARY, *EXTRAS["cli"]])
def test_the_app_has_what_the_library_and_the_commands_need_and_no_floor_is_above_its_own(line: str) -> None:
    floor = Requirement(line)
    (pinned,) = [one for one in map(Requirement, EXTRAS["app"]) if one.name == floor.name]
    (least,) = [one.version for one in pinned.specifier if one.operator == ">="]
    assert {one.operator for one in floor.specifier} == {">="} and floor.specifier.contains(least)


def test_the_build_backend_is_there_for_the_tests() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    assert {Requirement(line) for line in build["requires"]} <= lines("requirements-dev.txt")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_the_library_and_the_app_with_their_data_and_nothing_else(wheel: Path) -> None:
    source = [path for path in (ROOT / "tokviz").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    vocabularies = [*(ROOT / "models").glob("*.gz"), *(ROOT / "models" / name for name in FROM_MODELS)]
    wanted = {path.relative_to(ROOT).as_posix() for path in source if not path.name.startswith(".")}
    wanted |= {f"tokviz/models/{path.name}" for path in vocabularies}
    app = ["app.py", ".streamlit/config.toml", *(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py"))]
    wanted |= {f"tokviz/app/{name}" for name in app}
    info = f"tokviz_bpe-{tokviz.__version__}.dist-info"
    wanted |= {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    wanted |= {f"{info}/licenses/{name}" for name in ("LICENSE", "models/LICENSE-tiktoken")}
    held = zipfile.ZipFile(wheel)
    assert set(held.namelist()) == wanted
    assert [held.read(f"tokviz/app/{name}") for name in app] == [(ROOT / name).read_bytes() for name in app]
    assert wheel.stat().st_size < MOST_BYTES


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run code where the wheel is installed, from an empty folder and without a network; the lines that it prints."""
    empty = tmp_path_factory.mktemp("empty")
    python = installed(wheel, tmp_path_factory.mktemp("installed"), LIBRARY) / "python"

    no_network = (
        "import sys\n"
        "def refuse(event, _):\n"
        "    if event.startswith('socket.'): raise RuntimeError('the network was asked for: ' + event)\n"
        "sys.addaudithook(refuse)\n"
    )
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("TOKVIZ_", "PYTHON"))}
    environment = plain | {"HOME": str(empty), "USERPROFILE": str(empty)}

    def run(code: str) -> list[str]:
        done = subprocess.run(
            [python, "-I", "-c", no_network + code],
            cwd=empty,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_it_is_installed_whole_and_without_the_app(run: Run) -> None:
    code = """
import importlib.metadata, importlib.resources, importlib.util, pathlib, pkgutil
import tokviz, tokviz.catalog.saved
lesson = ("tokviz.teach", "tokviz.offline.lesson", "tokviz.offline.site")
for found in pkgutil.walk_packages(tokviz.__path__, "tokviz."):
    if not found.name.startswith(("tokviz.ui", "tokviz.cli", *lesson)):
        importlib.import_module(found.name)
absent = ("streamlit", "starlette", "pandas", "altair", "typer", "rich", "pages", "app")
print([name for name in absent if importlib.util.find_spec(name)])
print(tokviz.__version__, importlib.metadata.version("tokviz-bpe"))
print(importlib.resources.files("tokviz").joinpath("py.typed").is_file())
print(pathlib.Path(sys.prefix) in pathlib.Path(tokviz.__file__).parents)
print(tokviz.catalog.saved.folder() == tokviz.catalog.saved.platformdirs.user_data_path("tokviz", appauthor=False))
before = pathlib.Path.home() / ".tokviz"
before.mkdir()
print(tokviz.catalog.saved.folder() == before)
before.rmdir()
"""
    version = tokviz.__version__
    assert run(code) == ["[]", f"{version} {version}", *4 * ["True"]]


def test_the_example_of_the_readme_gives_the_values_in_its_comments(run: Run) -> None:
    library = (ROOT / "README.md").read_text("utf-8").partition("\n## The library\n")[2]
    example = re.findall(r"```python\n(.*?)```", library, re.DOTALL)[0]
    claim = re.compile(r"^(?P<code>\S.*?)  # (?P<value>\[[\d, ]+\]).*$", re.MULTILINE)
    values = [found["value"] for found in claim.finditer(example)]
    assert len(values) == example.count("# [") > 0
    assert run(claim.sub(r"print(\g<code>)", example)) == values


@pytest.mark.parametrize(("asked", "extra"), [([], "cli"), (["count", "app"], "cli"), (["app", "--shared"], "app")])
def test_the_command_without_its_packages_says_how_to_install_them(run: Run, asked: list[str], extra: str) -> None:
    code = f"""
import importlib.metadata
sys.argv = {["tokviz", *asked]}
(command,) = importlib.metadata.entry_points(group="console_scripts", name="tokviz")
try:
    command.load()()
except SystemExit as left:
    print(left.code)
"""
    (said,) = run(code)
    install = f'python -m pip install "tokviz-bpe[{extra}]"'
    assert said == f"Error: The command line needs typer. Install it with: {install}"


def test_the_vocabularies_come_with_it(run: Run) -> None:
    code = """
import pathlib, tokviz
print(tokviz.reference("gpt2").encode("no network"))
for entry in tokviz.references().values():
    assert (tokviz.catalog.references.MODELS / entry.file).is_file(), entry.file
tokviz.catalog.references.MODELS = pathlib.Path("nowhere")
try:
    tokviz.reference("o200k_base")
except tokviz.TokvizError as fault:
    print(fault)
"""
    ids, fault = run(code)
    assert ids == str(tokviz.reference("gpt2").encode("no network"))
    assert fault.endswith("No such file or directory. Install tokviz again to bring it back.")


ALONE = """
import json, os, sys, numba, numpy, tiktoken
for code in json.load(sys.stdin):
    child = os.fork()
    if not child:
        if "tcp://" in code:
            import tokviz; tokviz.count_with_dask = lambda files, **_: tokviz.count_chunks(files)
        exec(code, {})
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, code
"""


@pytest.mark.right
def test_what_the_documents_name_and_does_is_there_after_import_tokviz_alone(tmp_path: Path) -> None:
    """Each name and each block in a process of its own. Those for Ray and Spark are in test_recipes."""
    named = {*re.findall(r"\btokviz\.([a-z][\w.]*\w)", DOCUMENTS)} - {"school.example"}
    assert {name.partition(".")[0] for name in named} <= {*tokviz.__all__}
    names = [f"import tokviz; tokviz.{name}" for name in sorted(named) if "." in name]
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "0.txt").write_text("the cat in the hat")
    blocks = [
        block for block in re.findall(r"```python\n(.*?)```", DOCUMENTS, re.DOTALL) if not re.search(r"ray|sc\.", block)
    ]
    code = json.dumps([*names, *blocks])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", ALONE]
    done = subprocess.run(command, input=code, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.right
def test_numpy_is_loaded_when_it_is_asked_for() -> None:
    code = "import sys, tokviz\nassert 'numpy' not in sys.modules\n"
    code += "for name in tokviz.__all__: getattr(tokviz, name)\nprint(tokviz.same is tokviz.comparison.same.same)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True\n", done.stderr


def test_no_package_has_the_name_of_a_public_function() -> None:
    packages = {path.parent.name for path in (ROOT / "tokviz").glob("*/__init__.py")}
    functions = {name for name in tokviz.__all__ if callable(getattr(tokviz, name))}
    assert not packages & functions
