"""The library as a package: what its wheel holds, and that it works where no Streamlit and no checkout is.

A wheel is built and installed into a new virtual environment, without a network. That environment sees only the
packages that the library declares, and what they in turn need: they are linked from the environment of the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import tokviz

ROOT = Path(__file__).parents[1]
DOCUMENTS = "\n".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/cli.md", "docs/library.md"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PIP = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--quiet")
FROM_MODELS = ("index.toml", "LICENSE-tiktoken", "README.md")

Run = Callable[[str], list[str]]


def lines(name: str) -> set[Requirement]:
    """The requirements in a file, without those it includes from another."""
    text = (ROOT / name).read_text("utf-8")
    return {Requirement(line) for line in text.splitlines() if line and not line.startswith(("#", "-r "))}


def test_requirements_txt_is_the_library_and_the_app() -> None:
    declared = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["app"]]
    assert lines("requirements.txt") == {Requirement(line) for line in declared}


def test_the_build_backend_is_there_for_the_tests() -> None:
    assert {Requirement(line) for line in PROJECT["build-system"]["requires"]} <= lines("requirements-dev.txt")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a checkout that is in use: with a saved tokenizer, and with compiled code beside the source."""
    checkout, out = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, checkout)
    for name in ("tokviz", "models", "pages"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__", "saved"))
    for litter in ("models/saved/mine.json", "models/saved/mine.tiktoken.gz", "tokviz/kernels/__pycache__/base.nbi"):
        (checkout / litter).parent.mkdir(exist_ok=True)
        (checkout / litter).touch()
    subprocess.run(
        [*PIP, "wheel", ".", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", out],
        cwd=checkout,
        check=True,
    )
    (built,) = out.iterdir()
    return built


def test_the_wheel_holds_the_library_with_its_data_and_nothing_else(wheel: Path) -> None:
    source = [path for path in (ROOT / "tokviz").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    vocabularies = [*(ROOT / "models").glob("*.gz"), *(ROOT / "models" / name for name in FROM_MODELS)]
    wanted = {path.relative_to(ROOT).as_posix() for path in source if not path.name.startswith(".")}
    wanted |= {f"tokviz/models/{path.name}" for path in vocabularies}
    info = f"tokviz_bpe-{tokviz.__version__}.dist-info"
    wanted |= {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    wanted |= {f"{info}/licenses/{name}" for name in ("LICENSE", "models/LICENSE-tiktoken")}
    assert set(zipfile.ZipFile(wheel).namelist()) == wanted


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


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run code where the wheel is installed, from an empty folder and without a network; the lines that it prints."""
    place, empty = tmp_path_factory.mktemp("installed"), tmp_path_factory.mktemp("empty")
    venv.create(place, symlinks=os.name != "nt")
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    for package in needed(PROJECT["project"]["dependencies"]).values():
        link(package, site)
    # pip looks nothing up here, so it also says whether what is linked is all that the wheel asks for
    subprocess.run([*PIP, "--python", python, "install", "--no-index", wheel], check=True)
    lend_compiled_code(site / "tokviz" / "kernels")

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
for found in pkgutil.walk_packages(tokviz.__path__, "tokviz."):
    if not found.name.startswith("tokviz.ui"):
        importlib.import_module(found.name)
absent = ("streamlit", "starlette", "pandas", "altair", "pages", "app")
print([name for name in absent if importlib.util.find_spec(name)])
print(tokviz.__version__, importlib.metadata.version("tokviz-bpe"))
print(importlib.resources.files("tokviz").joinpath("py.typed").is_file())
print(pathlib.Path(sys.prefix) in pathlib.Path(tokviz.__file__).parents)
print(tokviz.catalog.saved.folder().relative_to(pathlib.Path.home()).as_posix())
"""
    version = tokviz.__version__
    assert run(code) == ["[]", f"{version} {version}", "True", "True", ".tokviz"]


def test_the_example_of_the_readme_gives_the_values_in_its_comments(run: Run) -> None:
    library = (ROOT / "README.md").read_text("utf-8").partition("\n## The library\n")[2]
    example = re.findall(r"```python\n(.*?)```", library, re.DOTALL)[0]
    claim = re.compile(r"^(?P<code>\S.*?)  # (?P<value>\[[\d, ]+\]).*$", re.MULTILINE)
    values = [found["value"] for found in claim.finditer(example)]
    assert len(values) == example.count("# [") > 0
    assert run(claim.sub(r"print(\g<code>)", example)) == values


def test_the_command_comes_with_it(run: Run) -> None:
    code = """
import importlib.metadata
(command,) = importlib.metadata.entry_points(group="console_scripts", name="tokviz")
for arguments in (["show", "text.txt", "--tokenizer", "gpt2"], ["app"]):
    sys.argv = ["tokviz", *arguments]
    sys.stderr = sys.stdout
    open("text.txt", "w").write("Hello, world!")
    try:
        command.load()()
    except SystemExit as left:
        print(left.code)
"""
    shown, good, fault, bad = run(code)
    assert (shown, good, bad) == ("Hello│,│ world│!", "0", "1")
    assert fault.startswith("Error: There is no checkout of tokviz here")


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
