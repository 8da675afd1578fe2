"""`tokviz encode --out`: many files to arrays of ids in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tokviz.bulk import KINDS, Kind, Progress, Report, Source, encode_files
from tokviz.cli.inputs import STDIN
from tokviz.cli.terminal import print_json, progress_bar
from tokviz.cli.texts import files_named, name_skipped, whole_path
from tokviz.errors import InputError, SettingError
from tokviz.tokenizer import Tokenizer
from tokviz.wording import count_of, printable

Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="Write an array of ids for each file into this folder.")
]
KindOfOutput = Annotated[Kind, typer.Option("--format", help=f"What is written with --out: {' or '.join(KINDS)}.")]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, metavar="N", help="With --out: encode in N threads, not on all cores.")
]


def encode_to_folder(
    paths: Sequence[Path],
    folder: Path,
    tokenizer: Tokenizer,
    kind: Kind,
    special: bool,
    repair: bool,
    force: bool,
    threads: int | None,
    as_json: bool,
) -> None:
    """Encode files to a folder, draw the progress, and say what was done. The exit code is 1 if one cannot be read."""
    steps = encode_files(
        sources_in(paths, folder),
        folder,
        tokenizer,
        kind=kind,
        special=special,
        repair=repair,
        replace=force,
        threads=threads,
    )
    try:
        report = _draw_progress(steps)
    except SettingError as fault:
        if fault.way_out.endswith("replace what is there."):
            raise SettingError(fault.what, f"{fault.way_out} The option --force does the latter.") from None
        raise
    except KeyboardInterrupt:
        typer.echo("Interrupted. Run the same command again: it encodes only what is not finished.", err=True)
        raise
    if as_json:
        print_json(_as_json(report))
    else:
        _say(report, folder)
        name_skipped(report.skipped)
    if not all(one.not_utf8 for one in report.skipped):
        raise typer.Exit(1)


def sources_in(paths: Sequence[Path], folder: Path) -> Iterator[Source]:
    """The files that these paths name, each once, but not those in the folder of the outputs.

    The name of an output is that of the file, or its path inside the folder that was named. InputError if a path does
    not exist, or is standard input. SettingError if all that it names is in the folder of the outputs.
    """
    if not paths or STDIN in paths:
        raise InputError(
            "Standard input cannot be encoded to a folder: it has no name, and cannot be read again.",
            "Write it to a file first, and name that.",
        )
    seen: set[Path] = set()
    outputs = folder.resolve()  # links may lead there as well
    for path in paths:
        base = whole_path(path) if path.is_dir() else whole_path(path).parent
        real = base.resolve()
        if real.is_relative_to(outputs):
            raise SettingError(
                f"{path} is in {folder}, the folder for the outputs.", "Choose a folder for them that has no texts."
            )
        for whole, shown in files_named([path]):
            name = whole.relative_to(base)
            if whole not in seen and not (real / name).is_relative_to(outputs):
                seen.add(whole)
                yield Source(whole, shown, name.as_posix())


def _draw_progress(steps: Iterator[Progress]) -> Report:
    with progress_bar("{task.fields[rate]}") as bar:
        task = bar.add_task("Encoding", total=None, rate="")
        for step in steps:
            seconds = bar.tasks[task].elapsed or 0
            rate = f"{step.tokens / seconds:,.0f} tokens a second" if seconds > 1 else ""
            bar.update(task, completed=step.done, total=step.of, rate=rate)
            if step.report is not None:
                report = step.report
    return report


def _say(report: Report, folder: Path) -> None:
    n_tokens, n_bytes = _sums(report)
    said = "nothing is left to encode"
    if report.encoded:
        per_second = f"{n_tokens / report.seconds:,.0f} tokens and {n_bytes / report.seconds / 1e6:,.1f} MB a second"
        said = (
            f"{count_of(len(report.encoded), 'file')} encoded to {count_of(n_tokens, 'token')} "
            f"in {report.seconds:,.1f} seconds, {per_second}"
        )
    if report.finished:
        said += f"; {count_of(len(report.finished), 'file')} finished before"
    typer.echo(f"{printable(str(folder))}: {said}.", err=True)


def _sums(report: Report) -> tuple[int, int]:
    """The tokens that a run made, and the bytes that it read."""
    return sum(row.tokens for row in report.encoded), sum(row.bytes for row in report.encoded)


def _as_json(report: Report) -> dict[str, object]:
    n_tokens, n_bytes = _sums(report)
    return {
        "encoded": [asdict(row) for row in report.encoded],
        "finished": [asdict(row) for row in report.finished],
        "skipped": [{"path": one.path, "reason": one.why, "not_utf8": one.not_utf8} for one in report.skipped],
        "tokens": n_tokens,
        "bytes": n_bytes,
        "seconds": round(report.seconds, 3),
    }
