"""A baseline: what is in its file, what is left out, and how a damaged one is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.command_line import call, good
from tests.test_cli_check import FILE, GPT2, N_OLD, OLD, check, repository
from tests.test_cli_count import write
from tokviz.cli import baseline as baselines
from tokviz.cli.baseline import Baseline
from tokviz.same import fingerprint

__all__ = ["repository"]  # the fixture, which every test here uses


def test_a_baseline_has_a_line_for_each_file_and_is_always_the_same() -> None:
    good("count", "prompts", "-t", "gpt2", "-t", "davinci", "--baseline", FILE, "--budget", 40, "--budget", "b.md=+5%")
    lines = Path(FILE).read_text("utf-8").splitlines()
    assert '  "prompts/b.md": {"davinci": 1, "gpt2": 1},' in lines and '  "b.md": "+5%"' in lines
    assert baselines.read(Path(FILE)) == Baseline(
        ("prompts",),
        {"gpt2": fingerprint(GPT2), "davinci": fingerprint(tokviz.reference("r50k_base"))},
        {"*": 40, "b.md": "+5%"},
        {"prompts/b.md": {"gpt2": 1, "davinci": 1}, "prompts/system.md": {"gpt2": N_OLD, "davinci": N_OLD}},
    )
    before = Path(FILE).read_bytes()
    good("count", "prompts", "-t", "davinci", "-t", "gpt2", "--baseline", FILE)  # the budgets are kept
    assert Path(FILE).read_bytes() == before
    good("check", "--update")
    assert Path(FILE).read_bytes() == before
    write(Path(), {"prompts/c.md": "new"})
    good("check", "--update")
    assert len(set(Path(FILE).read_bytes().splitlines()) - set(before.splitlines())) == 1


# names as the system gives them: bytes that are not UTF-8 are lone surrogates
names = st.one_of(st.binary(max_size=8), st.text(max_size=8).map(str.encode)).map(os.fsdecode)


@given(
    st.dictionaries(names, st.dictionaries(names, st.integers(0, 10**9), max_size=2), max_size=3),
    st.lists(names, min_size=1, max_size=3),
)
def test_any_names_survive_in_a_baseline(files: dict[str, dict[str, int]], paths: list[str]) -> None:
    kept = Baseline(tuple(paths), dict.fromkeys(paths, "ab"), {"*.md": 3}, files)
    assert baselines.load(baselines.dump(kept), "x") == kept


def test_paths_and_tokenizers_are_relative_to_the_folder_of_the_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    tokviz.train(OLD, 270).tokenizer.save("mine.json")
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    good("count", "../prompts", "-t", "../mine.json", "--baseline", f"../{FILE}")
    kept = baselines.read(Path("..", FILE))
    assert kept.paths == ("prompts",) and [*kept.tokenizers] == ["./mine.json"]
    assert check("--baseline", f"../{FILE}")[0] == 0
    refused = call("count", "../prompts", "-t", "gpt2", "--baseline", FILE)
    assert refused.exit_code == 1 and "is outside of" in refused.stderr and not Path(FILE).exists()


def test_the_baseline_itself_is_not_counted() -> None:
    good("count", Path.cwd(), "-t", "gpt2", "--baseline", f"prompts/../{FILE}")
    good("check", "--update")
    assert [*baselines.read(Path(FILE)).files] == ["prompts/b.md", "prompts/system.md"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "is no baseline, or is damaged"),
        (b"[]", "is no baseline"),
        (b'{"format": "tokviz baseline", "version": 2}', "has version 2"),
        (b'{"format": "tokviz baseline", "version": 1, "paths": []}', "'paths' is no list"),
        (b'{"format": "tokviz baseline", "version": 1, "paths": ["a"], "tokenizers": {"a": 1}}', "'tokenizers' does"),
        (baselines.dump(Baseline(("a",), {})), "'tokenizers' does not have"),
        (baselines.dump(Baseline(("a",), {"gpt2": ""}, {"*": "5%"})), "'budgets' does not have"),
        (baselines.dump(Baseline(("a",), {"gpt2": ""}, {"!a": 5})), "'budgets' does not have"),
        (baselines.dump(Baseline(("a",), {"gpt2": ""}, {}, {"a": {"gpt2": -1}})), "the tokens of 'a' are no numbers"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_damaged_baseline_is_an_error_and_stays(data: bytes, said: str) -> None:
    Path(FILE).write_bytes(data)
    for arguments, ends in (["check"], 2), (["count", "prompts", "-t", "gpt2", "--baseline", FILE], 1):
        result = call(*arguments)
        assert result.exit_code == ends and result.stdout == "" and said in result.stderr
    assert Path(FILE).read_bytes() == data


@pytest.mark.parametrize("name", ["./\0", "./\ud800", "./prompts/b.md", "nowhere"])
def test_a_tokenizer_of_a_baseline_that_cannot_be_opened_is_an_error(name: str) -> None:
    Path(FILE).write_bytes(baselines.dump(Baseline(("prompts",), {name: "ab"})))
    result = call("check")
    assert result.exit_code == 2 and result.stdout == "" and result.stderr.startswith("Error: ")


@pytest.mark.parametrize(
    ("arguments", "said", "ends"),
    [
        (["check"], "There is no baseline tokviz-baseline.json. `tokviz count PATH... -t NAME --baseline", 2),
        (["count", "-", "-t", "gpt2", "--baseline", FILE], "A baseline holds files, but - is standard input.", 1),
        (["count", "prompts", "-t", "gpt2", "--budget", "5"], "A budget is kept in a baseline", 2),
        *(
            (["count", "prompts", "-t", "gpt2", "--baseline", FILE, "--budget", budget], "cannot be read", 1)
            for budget in ("many", "5%", "-5", "=5", "!a.md=5", "#a=5", "a.md=", "a=5.5")
        ),
    ],
    ids=str,
)
def test_a_wrong_call_says_what_is_wrong(arguments: list[str], said: str, ends: int) -> None:
    result = call(*arguments, stdin="text")
    assert result.exit_code == ends and said in result.stderr and not Path(FILE).exists()
