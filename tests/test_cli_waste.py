"""`tokviz waste`: its figures are those of the library, and nothing of a text is read as markup or obeyed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokviz
from tests.command_line import call, good
from tests.peers_cases import file_of
from tests.test_cli_count import write
from tokviz.next_merges import best_merges, merges_in_turn
from tokviz.rewrites import measured
from tokviz.text import read_text
from tokviz.waste import waste

IDS = [f"550e8400-e29b-41d4-a716-44665544000{digit}" for digit in range(6)]
DATA = json.dumps([{"id": id, "at": "vegalite vegalite"} for id in IDS], indent=4)
FILES = {"a.json": DATA, "b.md": "The licence of all of these files is known.\n" * 6 + "vegalite\n", "c/d.txt": "hello"}
GPT2 = tokviz.reference("gpt2")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, FILES)


def test_json_has_the_figures_of_the_library() -> None:
    said = json.loads(good("waste", ".", "-t", "gpt2", "--json", "--top", 5))
    texts = [read_text(text.encode(), name) for name, text in FILES.items()]
    report = waste(texts, GPT2)
    counts = tokviz.count_chunks(texts, "gpt2")
    assert said["tokens"] == report.tokens == sum(len(GPT2.encode(text)) for text in FILES.values())
    assert said["bytes"] == report.n_bytes and said["over_one"] == report.over_one
    assert [(row["group"], row["tokens"], row["over_average"], row["over_one"]) for row in said["groups"]] == [
        (cost.group.key, cost.tokens, cost.over_average, cost.over_one) for cost in report.groups
    ]
    assert {"hexadecimal", "boilerplate", "space"} <= {row["group"] for row in said["groups"]}
    assert [(bytes.fromhex(row["chunk"]), row["tokens"], row["times"]) for row in said["chunks"]] == [
        (cost.data, cost.tokens, cost.times) for cost in report.leading[:5]
    ]
    assert all("".join(row["pieces"]) == row["chunk"] for row in said["chunks"])
    merges = {"each_alone": best_merges(counts, GPT2, 5), "in_turn": merges_in_turn(counts, GPT2, 5)}
    assert {
        key: [(bytes.fromhex(row["left"]), bytes.fromhex(row["right"]), row["saved"]) for row in rows]
        for key, rows in said["next_merges"].items()
        if key != "fault"
    } == {key: [(one.left, one.right, one.saved) for one in found] for key, found in merges.items()}
    first = measured(DATA, GPT2, "a.json").saving[0]
    of_first = {"rewrite": first.key, "saved": first.saved, "files": 1, "lossless": first.lossless}
    assert said["rewrites"][0] == {**of_first, "losses": [first.loss]} and first.loss
    assert [row["path"] for row in said["files"]] == [one.name for one in report.files] and not said["skipped"]
    assert [bytes.fromhex(row["line"]) for row in said["lines"]] == [line.data for line in report.lines] != []


def test_the_report_for_people() -> None:
    text = good("waste", ".", "-t", "gpt2", "--top", 2)
    headings = ["What is dear", "Chunks of many tokens", "Repeated lines", "The next merges", "Rewrites"]
    blocks = text.split("\n\n")
    assert [block.split(".")[0] for block in blocks[1:]] == [*headings, "The dearest files"]
    assert blocks[0].startswith("gpt2: ") and "bytes in 3 files" in blocks[0]
    assert all(len(block.splitlines()) == 4 for block in blocks[2:] if not block.startswith("Repeated"))
    assert any("Hexadecimal: “-” “" in line for line in blocks[1].splitlines())
    assert "JSON without white space. Lossless." in text
    report = good("waste", ".", "-t", "gpt2", "--markdown")
    assert [line.removeprefix("#### ") for line in report.splitlines() if line.startswith("#### ")] == [
        *headings,
        "The dearest files",
    ]


def test_no_text_is_obeyed_or_read_as_markup(tmp_path: Path) -> None:
    hostile = "<b>|`x`\x1b[31m @me " * 6
    write(tmp_path, {"e|`<i>.txt": f"{hostile}\n" * 6})
    for way in ([], ["--markdown"], ["--json"]):
        assert "\x1b" not in good("waste", "e|`<i>.txt", "c", "-t", "gpt2", *way)
    lines = good("waste", "e|`<i>.txt", "c", "-t", "gpt2", "--markdown").splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert all(row.count("|") == row.count(" | ") + 2 for row in rows)  # those between cells, and at both ends
    assert not any("<b>" in part or "@me" in part for line in lines for part in line.split("`")[::2])


def test_what_cannot_be_read_or_measured_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"f.txt": b"caf\xe9", "letters.json": ""})
    tokviz.Tokenizer("letters", [], pattern="[a-z]+").save(tmp_path / "letters.json")
    result = call("waste", "c", "f.txt", "-t", "gpt2")
    assert result.exit_code == 0 and "f.txt: is not UTF-8" in result.stderr
    result = call("waste", "c", "b.md", "-t", "letters.json")
    assert result.exit_code == 1 and "5 tokens for 5 bytes in 1 file" in result.stdout
    assert "b.md: The split pattern does not cover the text" in result.stderr
    assert call("waste", "c", "-t", "gpt2", "--json", "--markdown").exit_code == 2
    assert "There is no file" in call("waste", "nowhere", "-t", "gpt2").stderr
    assert call("waste", "c", "-t", "gpt2", "--top", 0).exit_code == 2
    assert good("waste", "-t", "gpt2", stdin="hello").startswith("gpt2: 1 token for 5 bytes in 1 file")
    monkeypatch.setattr(tokviz.cli.waste, "MOST_BYTES", 5)
    assert json.loads(good("waste", ".", "-t", "gpt2", "--json"))["not_measured"] == ["a.json", "b.md", "letters.json"]
    assert "bytes are left out." in good("waste", "b.md", "-t", "gpt2")


def test_a_tokenizer_of_others_has_costs_but_no_next_merges(tmp_path: Path) -> None:
    name, data = file_of("WordPiece")
    write(tmp_path, {f"x/{name}": data})
    text = good("waste", "b.md", "-t", f"x/{name}")
    assert "The next merges. The merges of a tokenizer of the kind WordPiece are not known.\nNone." in text
    said = json.loads(good("waste", "b.md", "-t", f"x/{name}", "--json"))
    assert said["next_merges"]["in_turn"] == [] and "WordPiece" in said["next_merges"]["fault"]
    assert said["tokens"] > 50
