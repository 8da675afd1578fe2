"""What commands read: files and pipes that are named, up to a size, and nothing that never ends."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import tokviz
from tests.command_line import call, good
from tokviz.base.errors import InputError
from tokviz.cli import inputs, texts
from tokviz.cli.inputs import STDIN, read_bytes

resource = pytest.importorskip("resource")
READERS = ["count -t gpt2", "show -t gpt2", "encode -t gpt2", "decode -t gpt2", "compare -t gpt2 -t cl100k_base"]
TRAINERS = ["train -o model.json --vocab-size 257", "count-chunks -o 0.npz"]
MEMORY = 3_000_000_000  # bytes that a test here may take
linux = pytest.mark.skipif(sys.platform != "linux", reason="the devices and files are those of Linux")


@pytest.fixture(autouse=True)
def bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, and a MemoryError for a test that reads without an end."""
    monkeypatch.chdir(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@linux
@pytest.mark.right
@pytest.mark.parametrize("command", [*READERS, *TRAINERS, f"{TRAINERS[0]} --column text"])
def test_a_device_is_refused(command: str) -> None:
    Path("link.jsonl").symlink_to("/dev/zero")
    result = call(*command.split(), "link.jsonl")
    assert result.exit_code == 1
    assert "cannot be read: it is no file, and may never end. Name a file." in result.stderr


@linux
@pytest.mark.right
@pytest.mark.parametrize("name", ["large.txt", "/proc/self/pagemap"])
@pytest.mark.parametrize("command", READERS[:2])
def test_a_file_without_an_end_is_refused(command: str, name: str) -> None:
    with Path("large.txt").open("wb") as large:
        large.truncate(1 << 40)  # it has no bytes on the disk
    result = call(*command.split(), name)
    assert result.exit_code == 1 and "it has" in result.stderr and "bytes" in result.stderr


@linux
@pytest.mark.right
def test_the_log_of_the_kernel_is_not_waited_for() -> None:
    """Who may not read it is told so."""
    result = call("count", "-t", "gpt2", "/proc/kmsg")
    assert result.exit_code in (0, 1) and isinstance(result.exception, SystemExit | None)


@linux
@pytest.mark.right
def test_standard_input_may_be_the_empty_device_but_none_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/null").open() as empty, Path("/dev/zero").open() as endless:
        monkeypatch.setattr(sys, "stdin", empty)
        assert read_bytes(STDIN) == b""
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(
            InputError, match=r"^Standard input cannot be read: it is no file, and may never end\. Name a file\.$"
        ):
            read_bytes(STDIN)


@linux
@pytest.mark.parametrize("command", ["count -t gpt2 --json", "encode -t gpt2", *TRAINERS])
def test_a_pipe_that_is_named_is_read_once_and_whole(command: str) -> None:
    """As by `<(zcat text.gz)` of a shell, which gives the name of a pipe."""
    text = "the cat sat on the mat. " * 6_000
    ids = tokviz.reference("gpt2").encode(text)
    end, begin = os.pipe()

    def write() -> None:
        with os.fdopen(begin, "w") as file:
            file.write(text)

    threading.Thread(target=write).start()
    result = call(*command.split(), f"/dev/fd/{end}")
    os.close(end)
    if command.startswith("encode"):
        assert [*map(int, result.stdout.split())] == ids
    else:
        assert f'"tokens": {{"gpt2": {len(ids)}}}' in result.stdout or f"{len(text):,} bytes" in result.stderr


def test_a_text_of_the_largest_size_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (inputs, texts):
        monkeypatch.setattr(module, "MOST", 10)
    file = Path("a.txt")
    file.write_text("0123456789")
    assert good("encode", file, "-t", "gpt2") == good("encode", "-t", "gpt2", stdin="0123456789")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0123456789x")))
    with pytest.raises(InputError, match=r"^Standard input cannot be read: it has more than 10 bytes\. Name a file\.$"):
        read_bytes(STDIN)
    file.write_text("0123456789x")
    said = "it has 11 bytes, and 10 are the limit"
    assert said in call("encode", file, "-t", "gpt2").stderr and said in call("count", file, "-t", "gpt2").stderr
