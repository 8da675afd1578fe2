"""`tokviz encode`, `decode` and `show`: the ids are those of the library, and no text can harm the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style

import tokviz
from tests.colours import contrast
from tests.command_line import call, good
from tests.strategies import wild_texts
from tokviz.cli import tokens as cli_tokens
from tokviz.cli.colours import paints
from tokviz.cli.terminal import PIPE_CLOSED
from tokviz.cli.tokens import SEAM, drawn
from tokviz.tokenizer.hues import hues, palette

HOSTILE = [
    "plain text, nothing else",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m \x08\x7f\x00",
    "right \u202eto left\u202c \u2066isolated\u2069 \u200bzero \ufeff width \u2028 line",
    "👨‍👩‍👧 🇮🇳 🙂",
    "नमस्ते दुनिया",
    "a\r\nb\rc\n\n\n\td",
    "2008│2009 ⟨F0⟩ \\x1b",
    "e\u0301 \u0301 zalgo h\u0321\u0322\u0323\u0324",
    "\ue000 \U000e0041 \ufdd0",
    "",
]


def test_encode_and_decode_are_those_of_the_library() -> None:
    for text in HOSTILE:
        ids = good("encode", "-t", "gpt2", stdin=text.encode())
        assert [*map(int, ids.split())] == tokviz.reference("gpt2").encode_ordinary(text)
        result = call("decode", "-t", "gpt2", stdin=ids)
        assert result.exit_code == 0 and result.stdout_bytes == text.encode()


def test_encode_reads_special_tokens_only_when_asked_to() -> None:
    tok, text = tokviz.reference("gpt2"), "one<|endoftext|>two"
    assert [*map(int, good("encode", "-t", "gpt2", stdin=text).split())] == tok.encode_ordinary(text)
    with_special = [*map(int, good("encode", "-t", "gpt2", "--special", stdin=text).split())]
    assert with_special == tok.encode(text, allowed_special="all") and 50256 in with_special


def test_json_of_encode_decode_and_show(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("hi 🜁", "utf-8")
    ids = tokviz.reference("gpt2").encode("hi 🜁")
    assert json.loads(good("encode", file, "-t", "gpt2", "--json")) == {"tokenizer": "gpt2", "ids": ids}
    shown = json.loads(good("show", file, "-t", "gpt2", "--json"))["tokens"]
    assert [token["id"] for token in shown] == ids
    assert shown[0] == {"id": 5303, "text": "hi", "hex": "6869", "start": 0, "end": 2}
    assert shown[-1]["text"] is None and "".join(token["hex"] for token in shown) == "hi 🜁".encode().hex()
    read = json.loads(good("decode", "-t", "gpt2", "--json", stdin=json.dumps(ids)))
    assert read == {"tokenizer": "gpt2", "text": "hi 🜁", "hex": "hi 🜁".encode().hex()}
    half = json.loads(good("decode", "-t", "gpt2", "--json", stdin=str(ids[-1])))
    assert half["text"] is None and half["hex"] == shown[-1]["hex"]


def test_decode_reads_more_ids_than_a_page_does_and_names_a_wrong_one() -> None:
    ids = "64, " * 101_000
    assert good("decode", "-t", "gpt2", stdin=ids) == "a" * 101_000
    wrong = call("decode", "-t", "gpt2", stdin=f"{ids} six")
    assert wrong.exit_code == 1 and "“six”, number 101,001" in wrong.stderr
    unknown = call("decode", "-t", "gpt2", stdin="64 99999999")
    assert unknown.exit_code == 1 and "No token has the id 99999999" in unknown.stderr and unknown.stdout == ""


def test_decode_to_a_terminal_shows_what_the_terminal_could_obey(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = tokviz.reference("gpt2").encode("a\x1b[31m\tb\n🜁")[:-1]
    monkeypatch.setattr("tokviz.cli.tokens.is_terminal", lambda: True)
    assert good("decode", "-t", "gpt2", stdin=" ".join(map(str, ids))) == "a␛[31m\tb\n⟨F0 9F 9C⟩\n"


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_show_marks_every_seam_and_prints_no_control_character(text: str) -> None:
    shown = good("show", "-t", "cl100k_base", stdin=text.encode())
    assert shown.replace("\n", "").isprintable()
    assert shown.endswith("\n") or not text
    tokens = tokviz.reference("cl100k_base").explain(text).tokens()
    assert shown.count(SEAM) == max(len(tokens) - 1, 0)
    assert [part.rstrip("\n") for part in shown.split(SEAM)] == [
        drawn(token.data).rstrip("\n") for token in tokens
    ] or not tokens


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_in_colour_only_colours_are_escape_sequences(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    shown = good("show", "-t", "gpt2", stdin=text.encode())
    colour = re.compile(r"\x1b\[(?:0|[34]8;[25];[\d;]+)m")
    assert colour.search(shown) or not text
    bare = colour.sub("", shown)
    assert bare.replace("\n", "").isprintable()
    tokens = tokviz.reference("gpt2").explain(text).tokens()
    assert bare.rstrip("\n") == "".join(drawn(token.data) for token in tokens).rstrip("\n")
    for line in shown.split("\n"):  # no colour runs over the end of a line
        assert line == "" or line.endswith("\x1b[0m")


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "xterm"}, {"TERM": "dumb"}], ids=str)
def test_without_enough_colours_the_seams_are_marked(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLORTERM", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    assert good("show", "-t", "gpt2", stdin="one two") == f"one{SEAM} two\n"


@pytest.mark.right
@pytest.mark.parametrize("text", ["It's 2008, naïve \u65e5\u672c\u8a9e!\n\n" * 50, "a\nb\n", "", "  \n"], ids=len)
def test_what_is_shown_in_pieces_is_what_is_shown_at_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for colours, options in (("1", []), ("", []), ("", ["--json"])):
        monkeypatch.setenv("FORCE_COLOR", colours)
        shown = []
        for at_once in (10**9, 7):
            monkeypatch.setattr(cli_tokens, "AT_ONCE", at_once)
            shown.append(good("show", "-t", "gpt2", *options, stdin=text.encode()))
        assert shown[0] == shown[1]


@pytest.mark.right
def test_a_reader_that_leaves_early_has_the_rest_not_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def pieces(tok: tokviz.Tokenizer, *arguments: Any, real: Any = tokviz.Tokenizer.explain_in_pieces) -> Iterator[Any]:
        for piece in real(tok, *arguments):
            made.append(piece.start)
            yield piece

    def leave(text: str, end: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(tokviz.Tokenizer, "explain_in_pieces", pieces)
    monkeypatch.setattr(cli_tokens, "print_out", leave)
    assert call("show", "-t", "gpt2", stdin="the cat sat on the mat. " * 100_000).exit_code == PIPE_CLOSED
    assert made == [0]


@given(wild_texts)
def test_neighbours_on_a_line_differ_in_hue(text: str) -> None:
    encoding = tokviz.reference("gpt2").explain(text)
    chosen, tokens = hues(encoding), encoding.tokens()
    assert len(chosen) == len(tokens)
    for i in range(1, len(tokens)):
        if b"\n" not in tokens[i - 1].data:
            assert chosen[i] not in palette()["clashes"][chosen[i - 1]]


@pytest.mark.parametrize("system", [ColorSystem.EIGHT_BIT, ColorSystem.TRUECOLOR], ids=lambda system: system.name)
def test_hues_that_may_be_neighbours_differ_in_each_system_of_colours(system: ColorSystem) -> None:
    console = Console(force_terminal=True, color_system="256" if system == ColorSystem.EIGHT_BIT else "truecolor")
    assert paints(console)
    grounds, inks = [], []
    for hue in palette()["light"]["tokens"]:
        style = Style(color=hue["text"], bgcolor=hue["background"])
        assert style.color and style.bgcolor
        grounds.append(style.bgcolor.downgrade(system).get_truecolor())
        inks.append(style.color.downgrade(system).get_truecolor())
    assert len(set(grounds)) == 7
    assert all(
        contrast(f"rgb{tuple(ground)}", f"rgb{tuple(ink)}") > 7 for ground, ink in zip(grounds, inks, strict=True)
    )
