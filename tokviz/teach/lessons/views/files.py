"""Shows a tokenizer as files: the first lines of each, its size, and what the format loses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokviz.base.once import once_each
from tokviz.base.wording import printable
from tokviz.formats import FORMATS, dump
from tokviz.formats.bytelevel import BYTES
from tokviz.teach.lessons.shown import Fact, Input, LessonError, Shown, yes_or_no
from tokviz.teach.lessons.trained import lesson_tokenizer, lesson_training, title_of

LINE_LENGTH = 88  # characters of a line that are shown


@once_each(16)
def _files(name: str, corpus: str, vocab_size: int, pattern: str, specials: tuple[str, ...], format: str) -> Any:
    if not corpus:
        return dump(lesson_tokenizer(name), format)
    learned = lesson_training(corpus, vocab_size, pattern).tokenizer.renamed(name)
    return dump(learned.with_special_tokens({token: learned.n_vocab + i for i, token in enumerate(specials)}), format)


def show(
    *,
    tokenizer: str = "mine",
    corpus: str = "",
    vocab_size: int = 256,
    pattern: str = "gpt2",
    special_tokens: Sequence[str] = (),
    formats: Sequence[str],
    format: Input[str] = "",
    file: str = "",
    lines: int = 6,
    begin: str = "",
    spelled: str = "",
    losses: bool = True,
) -> Shown:
    """Show the files of a tokenizer.

    tokenizer: a name, or with `corpus` the name for what is trained.
    formats, format: the keys of all formats, and of the one that is shown.
    file, lines: only the file with this name, and how many of its lines.
    begin: facts are about the lines that begin with it.
    spelled: a token as GPT-2's files write it, whose bytes are a fact.
    losses: whether what is lost is shown.

    Facts: of the format that is shown, `bytes` and `lines` of its (first) file, and `such`, how many lines have the
    beginning; of each format `FORMAT_loses_FIELD`, "yes" or "no"; and `spelled`.

    >>> facts = show(corpus="aab aab ab", vocab_size=258, pattern="none", formats=["minbpe"], spelled="Ġt").facts
    >>> facts["lines"], facts["minbpe_loses_history"], facts["minbpe_loses_pattern"], facts["spelled"]
    (5, 'yes', 'yes', '20 74')
    """
    chosen = format if format in formats else formats[0]
    made = _files(tokenizer, corpus, vocab_size, pattern, tuple(special_tokens), chosen)
    shown = {name: data for name, data in made.items() if file in ("", name)}
    if not shown:
        raise LessonError(f"The format {chosen} has no file {file}.", f"It has {', '.join(made)}.")
    texts = {name: data.decode() for name, data in shown.items()}
    first = next(iter(texts.values()))
    facts: dict[str, Fact] = {
        "bytes": len(next(iter(shown.values()))),
        "lines": first.count("\n"),
        "spelled": " ".join(f"{BYTES[character]:02X}" for character in spelled),
    }
    if begin:
        facts["such"] = sum(line.startswith(begin) for line in first.split("\n"))
    for key in formats:
        for field in ("name", "pattern", "special_tokens", "history", "made_from", "merges"):
            facts[f"{key.replace('-', '_')}_loses_{field}"] = yes_or_no(field in FORMATS[key].loses)
    data = {
        "name": title_of(tokenizer),
        "formats": [{"key": key, "title": FORMATS[key].title} for key in formats],
        "format": chosen,
        "files": [_file(name, text, len(shown[name]), lines) for name, text in texts.items()],
        "loses": list(FORMATS[chosen].loses.values()) if losses else None,
    }
    return Shown("files", data, facts, made)


def _file(name: str, text: str, size: int, lines: int) -> dict[str, Any]:
    all_lines = text.removesuffix("\n").split("\n")
    cut = [line if len(line) <= LINE_LENGTH else f"{line[:LINE_LENGTH]}…" for line in all_lines[:lines]]
    return {
        "name": name,
        "bytes": size,
        "lines": [printable(line) for line in cut],
        "more": max(0, len(all_lines) - lines),
    }
