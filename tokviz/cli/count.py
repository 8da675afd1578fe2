"""`tokviz count`: the tokens of files and folders under one or several tokenizers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tokviz import files
from tokviz.cli import baseline as baselines
from tokviz.cli.inputs import STDIN, Json, TokenizerNames, name_of, read_bytes, tokenizers_named, with_merges
from tokviz.cli.terminal import print_json, print_out, table
from tokviz.cli.walk import files_in
from tokviz.errors import InputError, SettingError
from tokviz.peers import AnyTokenizer, Peer
from tokviz.same import fingerprint
from tokviz.text import Text, read_text
from tokviz.wording import count_of, printable

Budgets = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        metavar="[PATTERN=]N",
        help="The most tokens a file may have; +N or +N%: how much it may grow. PATTERN is as in .gitignore.",
    ),
]
HEAD = 1 << 16  # bytes of a file that are looked at before the rest is read
HELD = 1 << 26  # bytes of texts that wait to be counted
AT_ONCE = 1 << 25  # bytes of a text that are encoded as one array; longer texts are encoded in pieces


@dataclass(frozen=True, slots=True)
class Counted:
    """A file: its bytes as text, and its tokens under each tokenizer."""

    path: str
    n_bytes: int
    tokens: dict[str, int]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not counted. not_utf8: because of what is in it, and not because it cannot be read."""

    path: str
    why: str
    not_utf8: bool


def count(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files and folders; - is standard input.", show_default=False)
    ],
    tokenizer: TokenizerNames,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="Write the counts there, for `tokviz check`.")
    ] = None,
    budget: Budgets = None,
    as_json: Json = False,
) -> None:
    """Count the tokens of files, and of all files in folders, under one or several tokenizers.

    In folders it leaves out what .gitignore names. A file that is not UTF-8 is skipped, and named at the end. The exit
    code is 1 if a file could not be read; then no baseline is written.
    """
    if budget and baseline is None:
        raise typer.BadParameter("A budget is kept in a baseline; name one.", param_hint="--budget")
    toks = tokenizers_named(tokenizer)
    counted, skipped = count_files(paths, toks, baseline)
    all_read = all(one.not_utf8 for one in skipped)
    if baseline is not None and all_read:
        _write_baseline(baseline, paths, toks, counted, baselines.budgets_in(budget or ()))
    if as_json:
        print_json(_as_json(counted, skipped, toks))
    else:
        _print_table(counted, toks)
        _name_skipped(skipped)
    if not all_read:
        raise typer.Exit(1)


def count_files(
    paths: Sequence[Path], toks: Mapping[str, AnyTokenizer], baseline: Path | None = None
) -> tuple[list[Counted], list[Skipped]]:
    """Count files, and those in folders, but not the baseline itself. InputError if a path does not exist."""
    counted: list[Counted] = []
    skipped: list[Skipped] = []
    texts: list[Text] = []
    held = 0
    for path, shown in _files(paths):
        if baseline is not None and path == _whole(baseline):
            continue
        found = _text_of(path, shown)
        if isinstance(found, Skipped):
            skipped.append(found)
            continue
        texts.append(found)
        held += found.n_bytes
        if held > HELD:
            counted += count_texts(texts, toks)
            texts, held = [], 0
    return counted + count_texts(texts, toks), skipped


def count_texts(texts: Sequence[Text], toks: Mapping[str, AnyTokenizer]) -> list[Counted]:
    """Count texts. The tokenizers take turns in as many threads as there are processors.

    Tokenizers that differ in special tokens alone, as o200k_base and o200k_harmony do, count once: special tokens are
    read as text here.
    """
    alike = {
        name: (id(tok), "") if isinstance(tok, Peer) else (id(tok.merge_ids), tok.pattern) for name, tok in toks.items()
    }
    different = {key: toks[name] for name, key in alike.items()}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = pool.map(lambda tok: [_n_tokens(tok, text.text, text.n_bytes) for text in texts], different.values())
        counts = dict(zip(different, rows, strict=True))
    return [
        Counted(text.name, text.n_bytes, {name: counts[key][number] for name, key in alike.items()})
        for number, text in enumerate(texts)
    ]


def _text_of(path: Path, shown: str) -> Text | Skipped:
    """The text of a file, which is read once. shown: its path for the reader."""
    try:
        data = _read(path)
    except OSError as fault:
        why = "the folder cannot be read" if path.is_dir() else f"it cannot be read: {fault.strerror}"
        return Skipped(shown, why, not_utf8=False)
    try:
        return read_text(data, shown)
    except InputError as fault:
        return Skipped(shown, fault.what.removeprefix(f"{shown} "), not_utf8=True)


def _read(path: Path) -> bytes:
    """The bytes of a file, or only its beginning if this is not UTF-8: the rest may be a large film."""
    if path == STDIN:
        return read_bytes(path)
    with path.open("rb") as file:
        head = file.read(HEAD)
        try:
            head.decode("utf-8")
        except UnicodeDecodeError as fault:
            if fault.reason != "unexpected end of data":
                return head
        return head + file.read()


def _n_tokens(tok: AnyTokenizer, text: str, n_bytes: int) -> int:
    if n_bytes <= AT_ONCE or isinstance(tok, Peer):
        return len(tok.encode_array(text))
    return sum(len(piece) for piece in tok.explain_in_pieces(text, AT_ONCE))


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """The whole path of each file, once, with its path for the reader. InputError if one of the paths does not exist.

    Standard input stays `-`. The whole path of a file that is named `-` is another one.
    """
    for path in paths:
        if path != STDIN and not path.exists():
            raise InputError(f"There is no file or folder {path}.", "Check the path.")
    seen: set[Path] = set()
    for path in paths:
        if path == STDIN:
            found = [(STDIN, name_of(STDIN))]
        else:
            found = [(_whole(file), file.as_posix()) for file in (files_in(path) if path.is_dir() else [path])]
        for whole, shown in found:
            if whole not in seen:
                seen.add(whole)
                yield whole, shown


def _whole(path: Path) -> Path:
    """The absolute path, without `..`."""
    return Path(os.path.normpath(path.absolute()))


def _write_baseline(
    file: Path,
    paths: Sequence[Path],
    toks: Mapping[str, AnyTokenizer],
    counted: Sequence[Counted],
    budgets: Mapping[str, baselines.Limit],
) -> None:
    """Write a baseline, or count one anew that exists: it keeps its budgets. SettingError for a path outside of it."""
    if STDIN in paths:
        raise SettingError("A baseline holds files, but - is standard input.", "Name files or folders.")
    kept = baselines.read(file).budgets if file.exists() else {}
    folder = file.parent
    names = {name: baselines.name_from(folder, name) for name in toks}
    new = baselines.Baseline(
        tuple(baselines.path_from(folder, path) for path in paths),
        {names[name]: fingerprint(with_merges(name, tok)) for name, tok in toks.items()},
        {**kept, **budgets},
        {
            baselines.path_from(folder, Path(one.path)): {names[name]: n for name, n in one.tokens.items()}
            for one in counted
        },
    )
    files.write(file, baselines.dump(new))
    typer.echo(f"{printable(str(file))}: written.", err=True)


def _totals(counted: Sequence[Counted], names: Sequence[str]) -> tuple[int, dict[str, int]]:
    tokens = {name: sum(one.tokens[name] for one in counted) for name in names}
    return sum(one.n_bytes for one in counted), tokens


def _as_json(
    counted: Sequence[Counted], skipped: Sequence[Skipped], toks: Mapping[str, AnyTokenizer]
) -> dict[str, object]:
    n_bytes, tokens = _totals(counted, [*toks])
    return {
        "files": [{"path": one.path, "bytes": one.n_bytes, "tokens": one.tokens} for one in counted],
        "total": {"files": len(counted), "bytes": n_bytes, "tokens": tokens},
        "skipped": [{"path": one.path, "reason": one.why, "not_utf8": one.not_utf8} for one in skipped],
    }


def _print_table(counted: Sequence[Counted], toks: Mapping[str, AnyTokenizer]) -> None:
    n_bytes, tokens = _totals(counted, [*toks])
    last = Counted(f"total of {count_of(len(counted), 'file')}", n_bytes, tokens)
    rows = [[*(f"{one.tokens[name]:,}" for name in toks), f"{one.n_bytes:,}", one.path] for one in (*counted, last)]
    print_out(table([*toks, "bytes", "file"], rows))


def _name_skipped(skipped: Sequence[Skipped]) -> None:
    if skipped:
        typer.echo(f"Skipped {count_of(len(skipped), 'file')}:", err=True)
        for one in skipped:
            typer.echo(f"  {printable(one.path)}: {printable(one.why)}", err=True)
