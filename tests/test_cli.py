"""The command line: how it starts and ends, `tokviz app`, and what all commands share."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import tokviz
from tests.command_line import PROGRAM, ROOT, WAIT, call, good, start
from tokviz.base.wording import printable
from tokviz.cli import main, page
from tokviz.cli.gone import GONE
from tokviz.cli.inputs import tokenizer_named
from tokviz.cli.terminal import PIPE_CLOSED, table


@pytest.fixture(autouse=True)
def own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "saved"))


def test_the_library_imports_without_the_command_line_and_that_without_the_app() -> None:
    code = """
import sys, tokviz
print({"typer", "rich", "pyarrow", "distributed"} & {*sys.modules})
import tokviz.cli
print({"streamlit", "starlette", "pandas"} & {*sys.modules})
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert run.stdout.splitlines() == ["set()", "set()"]


def test_version() -> None:
    assert good("--version") == f"{tokviz.__version__}\n"


COMMANDS = ["train", "count-chunks", "encode", "decode", "show", "count", "compare", "convert", "same"]
COMMANDS += ["replay", "lesson", "site", "app"]


@pytest.mark.right
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_whole_in_80_columns(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No sentence is cut off, and no line of a paragraph ends before the next word would not fit."""
    monkeypatch.setenv("COLUMNS", "80")
    said = good(*command.split(), "--help").partition("\n")[2]
    assert command or all(name in said for name in COMMANDS)
    assert all(len(line) <= 80 for line in said.splitlines()) and not {"...", "│", "<list", "<bool"} & {*said.split()}
    paragraphs = re.split("Arguments:|Options:", said)[0].strip("\n").split("\n\n")
    for line, after in (pair for paragraph in paragraphs for pair in pairwise(paragraph.splitlines())):
        assert len(line) + len(f" {after.split()[0]}") > 76


@pytest.mark.right
@pytest.mark.parametrize(
    ("words", "completed"), [("tokviz encode -t cl100", ["cl100k_base"]), ("tokviz train --vocab", ["--vocab-size"])]
)
def test_a_shell_completes_options_and_names(words: str, completed: list[str]) -> None:
    environment = {"_TOKVIZ_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    run = subprocess.run(PROGRAM, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True)
    assert run.stdout.split() == completed


@pytest.mark.right
@pytest.mark.skipif(sys.platform == "win32", reason="the shells are those of Linux and macOS")
def test_completion_can_be_installed(tmp_path: Path) -> None:
    environment = os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    run = subprocess.run(
        [*PROGRAM, "--install-completion", "bash"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "bash_completions/tokviz.sh" in (tmp_path / ".bashrc").read_text()
    assert "_TOKVIZ_COMPLETE" in (tmp_path / ".bash_completions" / "tokviz.sh").read_text()


def test_a_wrong_call_is_2() -> None:
    for arguments in (["nonsense"], ["encode"], ["train", "a.txt"], ["encode", "-t", "gpt2", "--nonsense"]):
        result = call(*arguments)
        assert result.exit_code == 2 and result.stdout == "" and result.stderr


@pytest.mark.parametrize("what", GONE)
def test_what_is_gone_is_2_and_says_what_serves_instead(what: str) -> None:
    command, *options = what.split()
    for arguments in ([command, "a.txt", *options, "7"], [command, *(f"{option}=7" for option in options)]):
        result = call(*arguments)
        assert result.exit_code == 2 and result.stdout == "" and result.stderr == f"Error: {GONE[what]}\n"
    assert f" {what} " not in good("--help")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["encode", "-t", "gpt2", "nowhere.txt"], "nowhere.txt cannot be read: No such file or directory."),
        (["show", "-t", "gpt2", "."], ". cannot be read: it is a folder."),
        (["encode", "-t", "gpt-17"], "There is no tokenizer and no file 'gpt-17'. Did you mean gpt-"),
        (["encode", "-t", "./gpt2"], "gpt2 cannot be read"),
        (["encode", "-t", "a\x1b[31m"], "no file 'a\\x1b[31m'"),
        (["encode", "-t", "gpt2", "a\x1b[31m"], "a␛[31m cannot be read"),
    ],
    ids=str,
)
def test_an_error_is_one_line_with_its_way_out(arguments: list[str], said: str) -> None:
    result = call(*arguments, stdin="text")
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.startswith("Error: ") and said in result.stderr and result.stderr.count("\n") == 1


def test_a_tokenizer_is_found_by_name_by_model_in_the_library_or_in_a_file(tmp_path: Path) -> None:
    tok = tokviz.train("the cat in the hat", vocab_size=260).tokenizer
    tok.save(tmp_path / "mine.json")
    tokviz.catalog.saved.save(tok, "saved one")
    assert tokenizer_named("cl100k_base") is tokviz.reference("cl100k_base")
    assert tokenizer_named("davinci") is tokviz.reference("r50k_base")
    assert tokenizer_named(str(tmp_path / "mine.json")).merges == tok.merges
    assert tokenizer_named("saved one").merges == tok.merges


def test_bytes_that_are_not_utf8_are_refused_or_repaired() -> None:
    refused = call("encode", "-t", "gpt2", stdin=b"caf\xe9")
    assert refused.exit_code == 1
    assert "Standard input is not UTF-8: byte 3" in refused.stderr and "--repair" in refused.stderr
    repaired = call("encode", "-t", "gpt2", "--repair", stdin=b"caf\xe9")
    assert repaired.exit_code == 0 and "1 fault became U+FFFD" in repaired.stderr
    assert repaired.stdout.split() == [*map(str, tokviz.reference("gpt2").encode("caf\ufffd"))]


def test_a_byte_order_mark_is_left_out_and_said() -> None:
    result = call("encode", "-t", "gpt2", stdin=b"\xef\xbb\xbfhi")
    assert result.stdout == "5303\n" and "its byte order mark was left out" in result.stderr


def test_printable_leaves_no_control_character() -> None:
    everything = "".join(map(chr, range(0x3000))) + "\ufeff\ud800\udc80\U000e0041"
    assert printable(everything).isprintable()
    assert printable("a\nb", keep="\n") == "a\nb"


def test_a_table_holds_wide_characters() -> None:
    assert table(["n", "x"], [["1", "日本"], ["10", "a\nb"]]).split("\n") == [" n  x", " 1  日本", "10  a␊b"]
    assert table(["日本", "x"], [["1", "a"]]).split("\n") == ["日本  x", "   1  a"]


# -- as a program --


@pytest.mark.skipif(sys.platform == "win32", reason="Windows reports a closed pipe in another way")
@pytest.mark.parametrize(("command", "written"), [("encode", b"1065 1105 "), ("decode", b"-----")])
def test_a_reader_that_leaves_early_causes_no_traceback(command: str, written: bytes) -> None:
    program = start(command, "-t", "gpt2")
    assert program.stdin and program.stdout and program.stderr
    program.stdin.write(b"12 " * 100_000)  # what it writes is more than a pipe holds
    program.stdin.close()
    assert program.stdout.read(len(written)) == written
    program.stdout.close()
    assert program.wait(WAIT) == PIPE_CLOSED
    assert program.stderr.read() == b""


@pytest.mark.right
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    ("arguments", "ends", "output", "why"),
    [
        ("encode -t gpt2", 1, "/dev/full", "the disk is full"),
        ("same gpt2 gpt2", 2, "&-", "it is closed"),
        ("count --help", 1, "/dev/full", "the disk is full"),
    ],
)
def test_output_that_cannot_be_written_is_an_error(arguments: str, ends: int, output: str, why: str) -> None:
    call_of = f"echo hello | {shlex.join(PROGRAM)} {arguments} >{output}"
    run = subprocess.run(["sh", "-c", call_of], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == ends and run.stderr == f"Error: Standard output cannot be written: {why}.\n"


@pytest.mark.right
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT that a test can send")
@pytest.mark.parametrize("module", ["typer", "regex"])
def test_ctrl_c_while_modules_are_imported(module: str, tmp_path: Path) -> None:
    """Ctrl+C comes when a certain module is looked for."""
    code = f"""
import os, signal, sys
class Presses:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Presses())
from tokviz.__main__ import main
main()
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 130 and run.stdout == run.stderr == ""


@pytest.mark.right
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT that a test can send")
def test_ctrl_c_while_it_waits_for_input() -> None:
    """Also where the shell has set SIGINT aside for this process, as for one in the background."""
    mine, its = os.openpty()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        program = start("show", "-t", "gpt2", stdin=its)
    finally:
        signal.signal(signal.SIGINT, before)
    assert program.stdout and program.stderr
    assert program.stderr.readline().startswith(b"Type a text, and end it with Ctrl-D")
    program.send_signal(signal.SIGINT)
    assert program.wait(WAIT) == 130
    assert program.stdout.read() == b"" and b"Traceback" not in program.stderr.read()
    os.close(mine)
    os.close(its)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT that a test can send")
def test_ctrl_c_ends_with_130_and_without_a_traceback(tmp_path: Path) -> None:
    """A training under way prints merges; the signal then comes while it makes more."""
    corpus, model = tmp_path / "corpus.txt", tmp_path / "model.json"
    corpus.write_text(" ".join(f"{number * 7919:b}" for number in range(50_000)), "utf-8")
    program = start("train", corpus, "-o", model, "--vocab-size", 900_000, "--pattern", r"[\s\S]{1,2000}", "-v")
    assert program.stdout and program.stderr
    assert program.stdout.readline().split()[:1] == [b"merge"]
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=WAIT)
    assert program.returncode == 130
    assert b"Traceback" not in said and not model.exists() and [*tmp_path.iterdir()] == [corpus]


def test_a_terminal_without_the_characters_shows_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("né".encode())))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "argv", ["tokviz", "show", "-t", "gpt2"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    assert out.buffer.getvalue() == rb"n\u2502\xe9" + b"\n"  # type: ignore[attr-defined]


# -- tokviz app --


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize(
    ("arguments", "options", "shared"),
    [
        ([], [], None),
        (["--port", "{}", "--no-open"], ["--server.port={}", "--server.headless=true"], None),
        (["--shared", "--open"], ["--server.address=0.0.0.0", "--server.headless=false"], "1"),
        (["--shared", "--host", "127.0.0.1", "--theme.base", "dark"], ["--server.address=127.0.0.1"], "1"),
    ],
)
def test_the_app_is_started_with_what_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], options: list[str], shared: str | None
) -> None:
    port, started = str(free_port()), list[tuple[list[str], str | None]]()
    monkeypatch.setattr(
        page.runpy, "run_module", lambda *_, **__: started.append((sys.argv, os.environ.get("TOKVIZ_SHARED")))
    )
    monkeypatch.setattr(page.signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setenv("TOKVIZ_SHARED", "")
    monkeypatch.delenv("TOKVIZ_SHARED")
    assert call("app", *(one.format(port) for one in arguments)).exit_code == 0
    ((argv, said),) = started
    assert argv[:3] == ["streamlit", "run", str(ROOT / "app.py")] and said == shared
    assert {*argv[3:]} - {"--theme.base", "dark"} == {one.format(port) for one in options}
    assert ("dark" in argv) == ("dark" in arguments)


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.77", "nowhere.invalid"])
def test_where_the_app_cannot_listen_it_says_so_in_one_line(host: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = call("app", "--port", port, "--host", host)
    assert result.exit_code == 1 and result.stderr.count("\n") == 1
    assert f"cannot listen at {host}, port {port}: " in result.stderr and "--port or --host" in result.stderr


def test_an_address_that_is_not_of_this_machine_is_named_without_a_port_too() -> None:
    result = call("app", "--host", "192.0.2.77")
    assert result.exit_code == 1 and "The app cannot listen at 192.0.2.77: " in result.stderr


def test_without_streamlit_the_app_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page.importlib.util, "find_spec", lambda name: None)
    result = call("app")
    assert result.exit_code == 1 and f"pip install -r {ROOT / 'requirements.txt'}" in result.stderr
