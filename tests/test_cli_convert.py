"""`tokviz convert` and `tokviz same`: what is written is the same tokenizer, and nothing is lost without a word."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import tokviz
from tests.command_line import WAIT, call, good, in_line, start
from tokviz import Tokenizer, formats, same
from tokviz.cli.inputs import tokenizer_named
from tokviz.comparison.export import Unequal, Verdict
from tokviz.formats import FORMATS, WRITTEN

TRAINED = tokviz.train("the cat in the hat. " * 3, 262, pattern="cl100k", special_tokens=["<|end|>"], name="cat")
ASKED = ("--pattern", "cl100k", "--special-tokens")


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path / "saved"))
    TRAINED.tokenizer.save("cat.json")


def files() -> set[str]:
    return {path.as_posix() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize("format", [name for name in WRITTEN if name != "tokviz"])
def test_a_tokenizer_goes_to_each_format_and_back(format: str) -> None:
    several = len(formats.dump(TRAINED.tokenizer, format)) > 1
    output = "out" if several else "out.bin"
    there = call("convert", "cat.json", "--to", format, "-o", output, "--no-proof")
    assert there.exit_code == 0 and there.stdout == ""
    said, written = there.stderr.split(f"{output}", 1)
    assert said.startswith(f"The format {format} does not keep everything:\n  name: ")
    assert {line.strip().partition(":")[0] for line in said.splitlines()[1:]} == {*FORMATS[format].loses}
    assert written.endswith(" bytes.\n")
    special = json.dumps(dict(TRAINED.tokenizer.special_tokens))
    asked: Sequence[str] = (*ASKED, special) if FORMATS[format].asks else ()
    good("convert", output, "--to", "tokviz", "-o", "back.json", "--name", "cat again", "--no-proof", *asked)
    assert tokviz.load("back.json").name == "cat again"
    assert good("same", "cat.json", "back.json").startswith("cat.json and back.json are equal on every text.\n")
    if not asked:  # and every command takes these files as a tokenizer
        name = "./out" if several else output
        assert good("encode", "-t", name, stdin="the cat") == good("encode", "-t", "cat.json", stdin="the cat")
    else:
        refused = call("encode", "-t", f"./{output}", stdin="the cat")
        assert refused.exit_code == 1 and "`tokviz convert` asks for it" in refused.stderr


def test_a_known_name_goes_to_files_that_are_the_same_tokenizer() -> None:
    said = json.loads(good("convert", "gpt2", "--to", "gpt2", "-o", "two files", "--json"))
    assert (said["tokenizer"], said["format"]) == ("gpt2", "gpt2")
    assert [*said["lost"]] == ["name", "pattern", "special_tokens"]  # it has no history that could be lost
    assert said["proof"]["equal"] is True and said["proof"]["judge"].startswith("tokenizers ")
    assert [one["path"] for one in said["files"]] == ["two files/encoder.json", "two files/vocab.bpe"]
    assert all(Path(one["path"]).stat().st_size == one["bytes"] for one in said["files"])
    again = tokenizer_named("./two files")  # OpenAI's own files say everything
    assert isinstance(again, Tokenizer) and same(again, tokviz.reference("gpt2")).equal


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gpt2", "--to", "minbpe"], "gpt2 does not number its bytes 0 to 255, as minbpe does."),
        (["cat.json", "--to", "hf", "--pattern", "gpt2"], "cat.json says its split pattern itself. Leave yours out."),
        (["nowhere", "--to", "hf"], "There is no tokenizer and no file 'nowhere'."),
        (["nowhere.json", "cat.json", "--to", "hf"], "nowhere.json cannot be read: No such file"),
        (["./mixed", "--to", "hf"], "mixed/a.json and mixed/b.json are the same part of a tokenizer."),
        (["cat.tiktoken", "--to", "hf"], "Pass --pattern, a regular expression or one of"),
        (["cat.tiktoken", "--to", "hf", "--pattern", "gpt2"], "Pass --special-tokens with their ids"),
        (["cat.tiktoken", "--to", "hf", *ASKED, '{"<s>": 97}'], "cat.tiktoken cannot be read: "),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_by_name_and_writes_nothing(arguments: list[str], said: str) -> None:
    Path("mixed").mkdir()
    Path("mixed/a.json").write_bytes(Path("cat.json").read_bytes())
    Path("mixed/b.json").write_bytes(Path("cat.json").read_bytes())
    Path("cat.tiktoken").write_bytes(formats.dump(TRAINED.tokenizer, "tiktoken")["cat.tiktoken"])
    before = files()
    result = call("convert", *arguments, "-o", "out")
    assert result.exit_code == 1 and result.stdout == "" and said in result.stderr
    assert result.stderr.count("\n") == 1 and files() == before


@pytest.mark.right
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gpt2", "--to", "nonsense"], "There is no format 'nonsense' to write"),
        (["gpt2", "--to", "hf", "--pattern", "gpt2"], "Leave out --pattern"),
        (["cat.tiktoken", "--to", "hf", "--pattern", "("], "does not compile"),
        (["cat.tiktoken", "--to", "hf", *ASKED, "{1: 2}"], "The special tokens '{1: 2}'"),
    ],
    ids=str,
)
def test_a_wrong_call_is_2_and_writes_nothing(arguments: list[str], said: str) -> None:
    Path("cat.tiktoken").write_bytes(formats.dump(TRAINED.tokenizer, "tiktoken")["cat.tiktoken"])
    before = files()
    result = call("convert", *arguments, "-o", "out")
    assert result.exit_code == 2 and result.stdout == "" and said in in_line(result)
    assert files() == before


def test_special_tokens_are_said_in_each_way() -> None:
    Path("cat.tiktoken").write_bytes(formats.dump(TRAINED.tokenizer, "tiktoken")["cat.tiktoken"])
    of_others = dict(tokviz.reference("cl100k_base").special_tokens)
    ways = {"none": {}, "cl100k_base": of_others, '{"a\\nb": 900}': {"a\nb": 900}}
    for said, special_tokens in ways.items():
        good("convert", "cat.tiktoken", "--to", "tokviz", "-o", "new.json", "--force", *ASKED, said, "--no-proof")
        assert dict(tokviz.load("new.json").special_tokens) == special_tokens
    good("convert", "cat.json", "--to", "gpt2", "-o", "pair", "--no-proof")
    for said in ("all", '["<|end|>"]'):
        good("convert", "pair", "--to", "tokviz", "-o", "new.json", "--force", *ASKED, said, "--no-proof")
        assert tokviz.load("new.json").special_tokens == TRAINED.tokenizer.special_tokens


def test_nothing_is_overwritten_unless_asked_to() -> None:
    Path("there").mkdir()
    Path("there/tokenizer.json").write_text("mine", "utf-8")
    Path("file").write_text("mine", "utf-8")
    for output, to, said in (
        ("file", "hf", "file exists. Choose another name, or replace it with --force."),
        ("there", "hf", "there/tokenizer.json exists."),
        ("file", "gpt2", "file is a file, but the format has several files. Name a folder."),
        ("no/where", "hf", "There is no folder no."),
        ("no/where", "gpt2", "There is no folder no."),
    ):
        result = call("convert", "cat.json", "--to", to, "-o", output)
        assert result.exit_code == 1 and said in result.stderr
    assert Path("file").read_text("utf-8") == Path("there/tokenizer.json").read_text("utf-8") == "mine"
    good("convert", "cat.json", "--to", "hf", "-o", "there", "--force", "--no-proof")
    good("convert", "cat.json", "--to", "gpt2", "-o", "there", "--force", "--no-proof")
    written = {f"there/{name}" for name in ("tokenizer.json", "tokenizer_config.json", "encoder.json", "vocab.bpe")}
    assert files() == {"cat.json", "file", *written}


@pytest.mark.parametrize(
    ("verdict", "ends", "said"),
    [
        (Verdict("judge 1", None, {}, why="judge is not installed."), 0, "Not proven: judge is not installed."),
        (
            Verdict("judge 1", False, {}, unequal=Unequal(3, 2, "a \x1b[31m", (97, 256), (97, 32))),
            1,
            r"Unequal: judge 1 gives other ids from byte 2 of the text 'a \x1b[31m'. tokviz: 97 256. judge 1: 97 32.",
        ),
    ],
)
def test_what_is_not_proven_is_said(verdict: Verdict, ends: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokviz.comparison.export.prove", lambda *arguments: verdict)
    result = call("convert", "cat.json", "--to", "hf", "-o", "out.json")
    assert result.exit_code == ends and result.stderr.endswith(f" bytes.\n{said}\n")
    result = call("convert", "cat.json", "--to", "hf", "-o", "out.json", "--json", "--force")
    assert result.exit_code == ends and json.loads(result.stdout)["proof"]["equal"] is verdict.equal


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT that a test can send")
def test_ctrl_c_ends_a_proof_too() -> None:
    program = start("convert", Path("cat.json").absolute(), "--to", "hf", "-o", Path("out.json").absolute())
    assert program.stderr and program.stderr.readline().startswith(b"The format hf does not keep")
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=WAIT)
    assert program.returncode == 130 and b"Traceback" not in said


# -- tokviz same --


def test_a_difference_is_shown_with_both_rows_of_ids_and_its_reason() -> None:
    smaller = TRAINED.tokenizer.truncated(261)
    smaller.save("smaller.json")
    result = call("same", "cat.json", "smaller.json")
    found = same(TRAINED.tokenizer, smaller).difference
    assert result.exit_code == 1 and found and found.text and found.ids[0] and found.ids[1]
    lines = result.stdout.splitlines()
    assert lines[:2] == ["cat.json and smaller.json differ.", ""]
    assert lines[2] == f"text          {found.text!r} ({len(found.text.encode())} bytes)"
    assert lines[3] == f"cat.json      {' '.join(map(str, found.ids[0]))}"
    assert lines[4] == f"smaller.json  {' '.join(map(str, found.ids[1]))}"
    assert lines[5] == f"{found.kind}: {found.why}" and lines[7] == "Tried:"
    said = json.loads(call("same", "cat.json", "smaller.json", "--json").stdout)
    assert said["equal"] is False and said["certificate"] == [] and said["searched"]
    assert said["difference"] == {
        "kind": found.kind,
        "text": found.text,
        "reading": found.reading,
        "ids": [[*ids] for ids in found.ids if ids],
        "why": found.why,
    }


def test_a_difference_in_hostile_texts_is_escaped() -> None:
    Tokenizer("a", [], special_tokens={"\x1b[31m\u202e": 300}).save("a\x1b.json")
    Tokenizer("b", [], pattern="[a-z]+").save("b.json")
    result = call("same", "a\x1b.json", "b.json")
    assert result.exit_code == 1 and result.stdout.replace("\n", "").isprintable()
    assert "does not cover this text" in result.stdout
    Tokenizer("c", []).save("c.json")
    result = call("same", "a\x1b.json", "c.json")
    assert result.exit_code == 1 and result.stdout.replace("\n", "").isprintable()
    assert r"'\x1b[31m\u202e' (8 bytes, special tokens read as such)" in result.stdout


def test_neither_proof_nor_difference_has_an_exit_code_of_its_own() -> None:
    Tokenizer("a", [], pattern=r"(?<=x)y|[\s\S]").save("a.json")
    Tokenizer("b", [], pattern=r"(?<=x)(?:y)|[\s\S]").save("b.json")
    result = call("same", "a.json", "b.json")
    assert result.exit_code == 3
    assert result.stdout.startswith("No text was found on which a.json and b.json differ, and no proof that there is")
    assert "\nTried:\n  No automaton of both patterns" in result.stdout
    assert json.loads(call("same", "a.json", "b.json", "--json").stdout)["equal"] is None


def test_an_error_is_no_difference() -> None:
    Path("bad.json").write_text('{"format": "tokviz"', "utf-8")
    for arguments in (["gpt2", "nowhere"], ["gpt2", "./bad.json"], ["gpt2"]):
        result = call("same", *arguments)
        assert result.exit_code == 2 and result.stdout == "" and result.stderr
