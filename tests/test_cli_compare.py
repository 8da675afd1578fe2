"""`tokviz compare`: the figures and disagreements are those of the library, and each reason has its sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given

import tokviz
from tests.command_line import call, good
from tests.strategies import wild_texts
from tokviz.comparison.comparison import Difference
from tokviz.comparison.reason_sentences import sentence
from tokviz.comparison.reasons import Cause, Reason, ReasonKind

TEXT = "In 2008 there were naïve tokens\n日本語 \x1b[31m<|endoftext|>"
NAMES = ("gpt2", "cl100k_base")
CHOSEN = ("-t", NAMES[0], "-t", NAMES[1])


def test_the_table_and_the_first_disagreements() -> None:
    lines = good("compare", *CHOSEN, "-n", 2, stdin="In 2008 there were naïve tokens, 日本語").splitlines()
    both = [tokviz.reference(name).encode("In 2008 there were naïve tokens, 日本語") for name in NAMES]
    assert lines[0] == "tokens  bytes per token  tokenizer"
    assert [line.split()[::2] for line in lines[1:3]] == [
        [str(len(ids)), name] for ids, name in zip(both, NAMES, strict=True)
    ]
    assert lines[3:] == [
        "",
        "They disagree in 4 places. The first 2:",
        "",
        "line 1, bytes 2 to 7",
        "  gpt2         “·2008”",
        "  cl100k_base  “·” “200” “8”",
        "  cl100k_base cuts “·2008” of gpt2: its split pattern (cl100k) cuts there.",
        "  cl100k_base cuts “·2008” of gpt2: it has no such token.",
        "",
        "line 1, bytes 18 to 25",
        "  gpt2         “·naïve”",
        "  cl100k_base  “·naï” “ve”",
        "  cl100k_base cuts “·naïve” of gpt2: it has no such token.",
    ]


def test_json_is_the_comparison_of_the_library(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(TEXT.encode())
    said = json.loads(good("compare", file, *CHOSEN, "-n", 1000, "--json"))
    compared = tokviz.compare(TEXT, [tokviz.reference(name) for name in NAMES])
    assert said["bytes"] == len(TEXT.encode()) and said["disagreements"] == len(compared.regions) > 3
    assert [(one["name"], one["tokens"], one["bytes_per_token"]) for one in said["tokenizers"]] == [
        (name, len(encoding), len(encoding.data) / len(encoding))
        for name, encoding in zip(NAMES, compared.encodings, strict=True)
    ]
    assert [(one["start"], one["end"]) for one in said["first"]] == compared.regions
    for one in said["first"]:
        assert all(
            "".join(tokens) == TEXT.encode()[one["start"] : one["end"]].hex() for tokens in one["tokens"].values()
        )
        found = compared.differences(one["start"], one["end"])
        assert [(cut["start"], cut["end"], cut["cuts"]) for cut in one["differences"]] == [
            (cut.start, cut.end, [*cut.cuts]) for cut in found
        ]
        kinds = [[reason.kind for reason in cut.reasons] for cut in found]
        assert [[reason["kind"] for reason in cut["reasons"]] for cut in one["differences"]] == kinds


@given(wild_texts)
def test_no_text_gets_a_control_character_on_the_terminal(text: str) -> None:
    shown = good("compare", *CHOSEN, stdin=text.encode("utf-8", "replace"))
    assert shown.replace("\n", "").isprintable()


@pytest.mark.parametrize("kind", get_args(ReasonKind))
def test_each_kind_of_reason_has_a_sentence(kind: ReasonKind) -> None:
    by = Cause(at=0, pattern=r"\S+|\s+", rank=5, token=b"\x1b<s>", parts=(b"th", b"e\x1b"))
    found = Difference(0, 1, 0, 3, (1,), ())
    said = sentence(Reason(kind, b" th\xff", by), found, ["one\x1b", "two"], tokviz.reference("gpt2"))
    assert said.startswith("two cuts “20 74 68 FF” of one␛: ") and said.endswith(".") and said.isprintable()


def test_special_tokens_are_read_only_when_asked_to() -> None:
    plain = json.loads(good("compare", *CHOSEN, "--json", stdin="a<|endoftext|>"))
    special = json.loads(good("compare", *CHOSEN, "--special", "--json", stdin="a<|endoftext|>"))
    assert [one["tokens"] for one in special["tokenizers"]] == [2, 2]
    assert all(one["tokens"] > 2 for one in plain["tokenizers"])


def test_it_says_when_they_agree() -> None:
    for text in ("", "the cat"):
        assert "agree on every boundary" in good("compare", *CHOSEN, stdin=text)
    lines = good("compare", *CHOSEN, "-n", 0, stdin=TEXT).splitlines()
    assert len(lines) == 5 and lines[-1].startswith("They disagree in") and lines[-1].endswith("places.")


def test_one_tokenizer_is_a_wrong_call() -> None:
    assert call("compare", "-t", "gpt2", stdin="a").exit_code == 2
    assert call("compare", "-t", "gpt2", "-t", "gpt2", stdin="a").exit_code == 2
