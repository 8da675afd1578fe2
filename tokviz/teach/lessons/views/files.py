"""Shows a tokenizer as files: the first lines of each, its size, and what the format loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.blocks import Block, Choice, Group, Line, List, Quiet
from tokviz.base.byte_characters import BYTES
from tokviz.base.once import once_each
from tokviz.base.sentences import Code, Strong
from tokviz.base.wording import count_of, printable
from tokviz.formats import FORMATS, dump
from tokviz.teach.lessons.shown import Fact, LessonError, Shown, view, yes_or_no
from tokviz.teach.lessons.trained import lesson_tokenizer, lesson_training

LINE_LENGTH = 88  # characters of a line that are shown


@once_each(16)
def _files(name: str, corpus: str, vocab_size: int, pattern: str, specials: tuple[str, ...], format: str) -> Any:
    if not corpus:
        return dump(lesson_tokenizer(name), format)
    learned = lesson_training(corpus, vocab_size, pattern).tokenizer.renamed(name)
    return dump(learned.with_special_tokens({token: learned.n_vocab + i for i, token in enumerate(specials)}), format)


@view()
def files(
    *,
    tokenizer: str = "mine",
    corpus: str = "",
    vocab_size: int = 256,
    pattern: str = "gpt2",
    special_tokens: Sequence[str] = (),
    formats: Sequence[str],
    format: str = "",
    file: str = "",
    lines: int = 6,
    begin: str = "",
    spelled: str = "",
    losses: bool = True,
) -> Shown:
    """Show the files of a tokenizer.

    tokenizer: a name, or with `corpus` the name for what is trained.
    formats: their keys.
    format: the one that is shown until the learner chooses another; the first if it is empty.
    file, lines: only the file with this name, and how many of its lines.
    begin: facts are about the lines that begin with it.
    spelled: a token as GPT-2's files write it, whose bytes are a fact.
    losses: whether what is lost is shown.

    Facts: of this format, `bytes` and `lines` of its (first) file, and `such`, how many lines have the
    beginning; of each format `FORMAT_loses_FIELD`, "yes" or "no"; and `spelled`.

    >>> facts = files(corpus="aab aab ab", vocab_size=258, pattern="none", formats=["minbpe"], spelled="Ġt").facts
    >>> facts["lines"], facts["minbpe_loses_history"], facts["minbpe_loses_pattern"], facts["spelled"]
    (5, 'yes', 'yes', '20 74')
    """
    made = {key: _files(tokenizer, corpus, vocab_size, pattern, tuple(special_tokens), key) for key in formats}
    shown = {key: {name: data for name, data in all.items() if file in ("", name)} for key, all in made.items()}
    chosen = format or formats[0]
    if not shown[chosen]:
        raise LessonError(f"The format {chosen} has no file {file}.", f"It has {', '.join(made[chosen])}.")
    data = next(iter(shown[chosen].values()))
    first = data.decode()
    facts: dict[str, Fact] = {
        "bytes": len(data),
        "lines": first.count("\n"),
        "spelled": " ".join(f"{BYTES[character]:02X}" for character in spelled),
    }
    if begin:
        facts["such"] = sum(line.startswith(begin) for line in first.split("\n"))
    for key in formats:
        for field in ("name", "pattern", "special_tokens", "history", "made_from", "merges"):
            facts[f"{key.replace('-', '_')}_loses_{field}"] = yes_or_no(field in FORMATS[key].loses)
    drawn = [_format(shown[key], lines, list(FORMATS[key].loses.values()) if losses else None) for key in formats]
    if len(formats) == 1:
        return Shown(facts, drawn[0], made[chosen])
    options = [(key, FORMATS[key].title) for key in formats]
    return Shown(facts, [Choice("format", options, chosen, "File format", drawn)], made[chosen])


def _format(files: Mapping[str, bytes], lines: int, loses: Sequence[str] | None) -> list[Block]:
    """Draw the first lines of each file, and what the format loses."""
    blocks: list[Block] = [Group([_file(name, data, lines) for name, data in files.items()])]
    if loses is not None:
        blocks.append(List(loses, "What it loses") if loses else Line([Strong("It loses nothing.")]))
    return blocks


def _file(name: str, data: bytes, lines: int) -> Block:
    all_lines = data.decode().removesuffix("\n").split("\n")
    cut = [printable(line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]}…") for line in all_lines[:lines]]
    blocks: list[Block] = [Line([Strong(name), Quiet(count_of(len(data), "byte"))], "head")]
    blocks.append(Code("\n".join(line or "(an empty line)" for line in cut)))
    if len(all_lines) > lines:
        blocks.append(Line([f"and {count_of(len(all_lines) - lines, 'more line')}"], "quiet"))
    return Group(blocks, across=1)
