"""The report of `tokviz waste`: as text, as Markdown, or as JSON. Text and Markdown have the same lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from tokviz.cli import markdown, terminal
from tokviz.cli.texts import Skipped
from tokviz.next_merges import NextMerge
from tokviz.reason_sentences import quoted
from tokviz.rewrites import MOST_BYTES, Rewrite
from tokviz.waste import ChunkCost, WasteReport
from tokviz.wording import count_of, percent, printable, rate, visible

CHUNKS_OF_GROUP = 4  # chunks that are shown of each group
SHOWN = 60  # characters of a chunk, a line or a token


class NextMerges(NamedTuple):
    """The next merges, each on its own and each after those before it. fault: why none are known, or ""."""

    alone: list[NextMerge]
    in_turn: list[NextMerge]
    fault: str


class FileRewrites(NamedTuple):
    """The rewrites of a file that save tokens; None if the file is too long to be measured."""

    name: str
    saving: tuple[Rewrite, ...] | None


class Waste(NamedTuple):
    """All that the command found out. tokenizer: as it was named."""

    tokenizer: str
    report: WasteReport
    merges: NextMerges
    rewrites: list[FileRewrites]


class RewriteSum(NamedTuple):
    """A rewrite in all files in which it saves tokens. losses: what it loses in any of them; none if it is lossless."""

    key: str
    name: str
    saved: int
    files: int
    losses: tuple[str, ...]


class Row(NamedTuple):
    """A row of a list: figures, and then words of ours, a name, or tokens."""

    figures: Sequence[str]
    words: str = ""
    name: str = ""
    tokens: Sequence[bytes] = ()


class List(NamedTuple):
    """A list with a heading, a sentence on what it shows, and the titles of its columns."""

    heading: str
    sentence: str
    columns: Sequence[str]
    rows: list[Row]


def as_text(waste: Waste, top: int) -> str:
    """The report for a terminal."""
    parts = [_summary(printable(waste.tokenizer), waste.report)]
    for one in _lists(waste, top):
        rows = [[*row.figures, _in_terminal(row)] for row in one.rows]
        parts.append(f"{one.heading}. {one.sentence}\n" + (terminal.table(one.columns, rows) if rows else "None."))
    return "\n\n".join(parts)


def as_markdown(waste: Waste, top: int) -> str:
    """The report as Markdown. Names and tokens are in code, so nothing of them is read as markup."""
    parts = ["### Waste report", _summary(markdown.code(waste.tokenizer), waste.report)]
    for one in _lists(waste, top):
        rows = [[*row.figures, _in_markdown(row)] for row in one.rows]
        table = "\n".join(markdown.table(one.columns, rows, len(one.columns) - 1)) if rows else "None."
        parts += [f"#### {one.heading}", one.sentence, table]
    return "\n\n".join(parts)


def _in_terminal(row: Row) -> str:
    tokens = " ".join(quoted(token) if len(visible(token)) <= SHOWN else _cut(token) for token in row.tokens)
    return f"{row.words}{printable(row.name)}{tokens}"


def _cut(token: bytes) -> str:
    return f"“{printable(visible(token)[:SHOWN])}…”"


def _in_markdown(row: Row) -> str:
    name = markdown.code(row.name) if row.name else ""
    return f"{row.words}{name}{' '.join(markdown.code(visible(token)) for token in row.tokens)}"


def _summary(name: str, report: WasteReport) -> str:
    size = f"{count_of(report.n_bytes, 'byte')} in {count_of(len(report.files), 'file')}"
    average = f", {rate(report.bytes_per_token)} bytes per token" if report.tokens else ""
    over = f"{count_of(report.over_one, 'token')}, {_share(report.over_one, report)}"
    return (
        f"{name}: {count_of(report.tokens, 'token')} for {size}{average}.\n"
        f"Beyond one token for each chunk: {over}. No merges can save more than these."
    )


def _share(tokens: int, report: WasteReport) -> str:
    """A share of all tokens; with a plain space, which a terminal knows."""
    return percent(tokens / report.tokens if report.tokens else 0).replace("\u00a0", " ")


def _signed(tokens: int) -> str:
    return f"{tokens:+,}" if tokens else "0"


def _lists(waste: Waste, top: int) -> list[List]:
    report = waste.report
    found = [_groups(report), _chunks(report, top)]
    if report.lines:
        found.append(_lines(report, top))
    found += [_merges(waste, top), _rewrites(waste, top)]
    return found if len(report.files) < 2 else [*found, _files(report, top)]


def _groups(report: WasteReport) -> List:
    rows = [
        Row(
            [
                f"{cost.tokens:,}",
                _share(cost.tokens, report),
                rate(cost.bytes_per_token),
                _signed(cost.over_average),
                f"{cost.over_one:,}",
            ],
            words=f"{cost.group.title}: ",
            tokens=[chunk.data for chunk in cost.leading[:CHUNKS_OF_GROUP]],
        )
        for cost in report.groups
    ]
    columns = [
        "tokens",
        "share",
        "bytes per token",
        "over average",
        "over one",
        "content, and the chunks that cost most",
    ]
    return List("What is dear", "Over average: tokens beyond what so many bytes cost here on average.", columns, rows)


def _chunks(report: WasteReport, top: int) -> List:
    rows = [
        Row(
            [f"{cost.over_one:,}", f"{cost.times:,}", f"{cost.tokens:,}"],
            words=f"{cost.group.title}: ",
            tokens=cost.pieces or [cost.data],
        )
        for cost in report.leading[:top]
    ]
    sentence = "Over one: tokens at all places of a chunk beyond one for each."
    return List("Chunks of many tokens", sentence, ["over one", "times", "tokens", "chunk, token by token"], rows)


def _lines(report: WasteReport, top: int) -> List:
    rows = [
        Row([f"{line.total:,}", f"{line.times:,}", f"{line.tokens:,}"], tokens=[line.data])
        for line in report.lines[:top]
    ]
    sentence = "In all: tokens at all places, if each line is encoded by itself."
    return List("Repeated lines", sentence, ["in all", "times", "tokens", "line"], rows)


def _merges(waste: Waste, top: int) -> List:
    merges = waste.merges.in_turn[:top]
    in_all = accumulate(merge.saved for merge in merges)
    rows = [
        Row([f"{merge.saved:,}", f"{so_far:,}"], tokens=[merge.left, merge.right])
        for merge, so_far in zip(merges, in_all, strict=True)
    ]
    what = "What one more merge would save, exactly; each comes after those before it."
    return List("The next merges", waste.merges.fault or what, ["saves", "in all", "joins"], rows)


def _rewrites(waste: Waste, top: int) -> List:
    rows = [
        Row(
            [f"{one.saved:,}", _share(one.saved, waste.report), f"{one.files:,}"],
            words=f"{one.name}. {f'Lost: {one.losses[0]}' if one.losses else 'Lossless.'}",
        )
        for one in sums_of(waste.rewrites)[:top]
    ]
    sentence = "Measured by encoding again. Most of them exclude each other, so they do not add up."
    if _not_measured(waste):
        sentence += f" Files of more than {MOST_BYTES:,} bytes are left out."
    return List("Rewrites", sentence, ["saves", "of all tokens", "files", "rewrite"], rows)


def _not_measured(waste: Waste) -> list[str]:
    return [one.name for one in waste.rewrites if one.saving is None]


def _files(report: WasteReport, top: int) -> List:
    rows = [
        Row([_signed(one.over_average), f"{one.tokens:,}", rate(one.bytes_per_token)], name=one.name)
        for one in report.files[:top]
    ]
    sentence = "Over average: tokens beyond what so many bytes cost in all files on average."
    return List("The dearest files", sentence, ["over average", "tokens", "bytes per token", "file"], rows)


def sums_of(rewrites: Sequence[FileRewrites]) -> list[RewriteSum]:
    """Each rewrite over all files in which it saves tokens, the largest saving first."""
    of_kind: dict[str, list[Rewrite]] = {}
    for one in rewrites:
        for rewrite in one.saving or ():
            of_kind.setdefault(rewrite.key, []).append(rewrite)
    sums = [
        RewriteSum(
            key,
            found[0].name,
            sum(rewrite.saved for rewrite in found),
            len(found),
            tuple(dict.fromkeys(rewrite.loss for rewrite in found if rewrite.loss)),
        )
        for key, found in of_kind.items()
    ]
    return sorted(sums, key=lambda one: -one.saved)


def as_json(waste: Waste, skipped: Sequence[Skipped], top: int) -> dict[str, Any]:
    """The report for programs. The bytes of chunks, lines and tokens are in hexadecimal."""
    report = waste.report
    return {
        "tokenizer": waste.tokenizer,
        "tokens": report.tokens,
        "bytes": report.n_bytes,
        "over_one": report.over_one,
        "groups": [
            {
                "group": cost.group.key,
                "tokens": cost.tokens,
                "bytes": cost.n_bytes,
                "over_average": cost.over_average,
                "over_one": cost.over_one,
                "chunks": [_chunk(chunk) for chunk in cost.leading[:top]],
            }
            for cost in report.groups
        ],
        "chunks": [_chunk(chunk) for chunk in report.leading[:top]],
        "lines": [{"line": line.data.hex(), "tokens": line.tokens, "times": line.times} for line in report.lines[:top]],
        "files": [
            {
                "path": one.name,
                "tokens": one.tokens,
                "bytes": one.n_bytes,
                "over_average": one.over_average,
                "over_one": one.over_one,
            }
            for one in report.files
        ],
        "next_merges": {
            "each_alone": [_merge(merge) for merge in waste.merges.alone[:top]],
            "in_turn": [_merge(merge) for merge in waste.merges.in_turn[:top]],
            "fault": waste.merges.fault,
        },
        "rewrites": [
            {
                "rewrite": one.key,
                "saved": one.saved,
                "files": one.files,
                "lossless": not one.losses,
                "losses": [*one.losses],
            }
            for one in sums_of(waste.rewrites)[:top]
        ],
        "not_measured": _not_measured(waste),
        "skipped": [{"path": one.path, "reason": one.why, "not_utf8": one.not_utf8} for one in skipped],
    }


def _chunk(cost: ChunkCost) -> dict[str, Any]:
    return {
        "chunk": cost.data.hex(),
        "group": cost.group.key,
        "tokens": cost.tokens,
        "times": cost.times,
        "over_one": cost.over_one,
        "pieces": [piece.hex() for piece in cost.pieces],
    }


def _merge(merge: NextMerge) -> dict[str, Any]:
    return {"left": merge.left.hex(), "right": merge.right.hex(), "saved": merge.saved}
