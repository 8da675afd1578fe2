"""`tokviz convert`: writes a tokenizer in another file format, and has the package that the format is for try it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokviz import formats
from tokviz.base.errors import FormatError, SettingError
from tokviz.base.json_files import read_json
from tokviz.base.wording import count_of, printable
from tokviz.catalog.model_files import files_at
from tokviz.catalog.references import references
from tokviz.cli.inputs import Json, checked_pattern, note, tokenizer_named
from tokviz.cli.outputs import Force, check_output, write_output
from tokviz.cli.terminal import print_json
from tokviz.formats.parts import UnsaidError, fields_of
from tokviz.tokenizer.peers import with_merges
from tokviz.tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tokviz.comparison.export import Verdict


def convert(
    model: Annotated[
        list[str],
        typer.Argument(metavar="MODEL", help="The name of a tokenizer, its file, all its files, or their folder."),
    ],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"The format: {', '.join(formats.WRITTEN)}.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="PATH", help="The file to write; a folder if the format has several files."
        ),
    ],
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="What to call the tokenizer.")] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            "--pattern",
            metavar="P",
            callback=checked_pattern,
            help="How a text is cut into chunks, if MODEL does not say: a name or a regex.",
        ),
    ] = None,
    special_tokens: Annotated[
        str | None,
        typer.Option(
            "--special-tokens",
            metavar="TOKENS",
            help="Its special tokens, if MODEL does not say: JSON of texts and ids, all, none, or a tokenizer.",
        ),
    ] = None,
    proof: Annotated[
        bool, typer.Option("--proof/--no-proof", help="Let the package that the format is for try the files.")
    ] = True,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a tokenizer in another file format.

    Refuses a tokenizer that the format cannot hold exactly, and says why. Says what else the format does not keep, and
    writes the files. Then the package that the format is for loads them, and encodes more than a thousand texts; the
    exit code is 1 if one id differs.
    """
    from tokviz.comparison.export import probes, prove  # here, so that no other command waits for it

    if to not in formats.WRITTEN:
        raise typer.BadParameter(f"There is no format {to!r} to write. Choose one of: {', '.join(formats.WRITTEN)}.")
    tok = _read(model, name, pattern, special_tokens)
    written = formats.dump(tok, to)
    if len(formats.FORMATS[to].parts) == 1 and not output.is_dir():  # then what lies beside it goes into a folder alone
        written = dict([*written.items()][:1])
    places = _places(output, written, force)
    lost = {field: what for field, what in formats.FORMATS[to].loses.items() if field in fields_of(tok)}
    if lost and not as_json:
        typer.echo(f"The format {to} does not keep everything:", err=True)
        for field, what in lost.items():
            typer.echo(f"  {field}: {what}", err=True)
    for place, data in places.items():
        write_output(place, force, data)
    found = prove(tok, to, {place.name: place.read_bytes() for place in places}, probes(tok)) if proof else None
    if as_json:
        sizes = [{"path": str(place), "bytes": len(data)} for place, data in places.items()]
        verdict = None if found is None else asdict(found)
        print_json({"tokenizer": tok.name, "format": to, "files": sizes, "lost": lost, "proof": verdict})
    else:
        for place, data in places.items():
            typer.echo(f"{printable(str(place))}: {count_of(len(data), 'byte')}.", err=True)
        if found is not None:
            typer.echo(printable(_said(found)), err=True)
    if found is not None and found.equal is False:
        raise typer.Exit(1)


def _said(found: Verdict) -> str:
    """Say the verdict in a sentence or two."""
    if found.equal is None:
        return f"Not proven: {found.why}"
    if found.unequal is None:
        return f"Proven: {found.judge} gives the same {found.n_ids:,} ids for {count_of(found.probes, 'text')}."
    ours, theirs = (" ".join(map(str, ids)) for ids in (found.unequal.ours, found.unequal.theirs))
    place = f"from byte {found.unequal.byte:,} of the text {found.unequal.text!r}"
    return f"Unequal: {found.judge} gives other ids {place}. tokviz: {ours}. {found.judge}: {theirs}."


def _read(model: list[str], name: str | None, pattern: str | None, special_tokens: str | None) -> Tokenizer:
    """Read the tokenizer that is to be converted."""
    paths = [*map(Path, model)]
    is_name = model[0] in references() or (not paths[0].exists() and paths[0].name == model[0])
    if len(model) == 1 and is_name:
        if pattern is not None or special_tokens is not None:
            said = f"{model[0]} has its own pattern and special tokens. Leave out --pattern and --special-tokens."
            raise typer.BadParameter(said)
        tok = with_merges(tokenizer_named(model[0]))
        return tok if name is None else tok.renamed(name)
    specials = None if special_tokens is None else _specials(special_tokens)
    files = {path.as_posix(): data for path, data in files_at(paths, note).items()}
    try:
        return with_merges(formats.open_files(files, name=name, pattern=pattern, special_tokens=specials, say=note))
    except UnsaidError as fault:
        option = f"--{fault.field.replace('_', '-')}"
        raise FormatError(fault.what, fault.way_out.replace(f"{fault.field}=", option)) from None


def _specials(said: str) -> Mapping[str, int] | Collection[str]:
    """Read special tokens as a call has them: all, none, a JSON object of ids, a JSON list of texts, or the name of a
    tokenizer that has them.

    BadParameter if it is something else.

    >>> _specials('{"<|endoftext|>": 50256}'), _specials('["<s>"]'), _specials("none")
    ({'<|endoftext|>': 50256}, ['<s>'], {})
    """
    if said in ("all", "none"):
        return "all" if said == "all" else {}
    if not said.startswith(("{", "[")):
        return tokenizer_named(said).special_tokens
    try:
        value: Any = read_json(said)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) or (isinstance(value, list) and all(isinstance(token, str) for token in value)):
        return value
    raise typer.BadParameter(
        f"The special tokens {said!r} cannot be read. "
        """Write them as {"TEXT": ID, ...} or ["TEXT", ...], or say all, none or the name of a tokenizer.""",
    )


def _places(output: Path, written: Mapping[str, bytes], force: bool) -> dict[Path, bytes]:
    """Find where each file goes, and make the folder, but no file. SettingError as in `check_output`."""
    if len(written) == 1 and not output.is_dir():
        places = dict(zip([output], written.values(), strict=True))
    else:
        if output.exists() and not output.is_dir():
            raise SettingError(f"{output} is a file, but the format has several files.", "Name a folder.")
        if not output.is_dir():
            check_output(output, force)
            output.mkdir()
        places = {output / name: data for name, data in written.items()}
    for place in places:
        check_output(place, force)
    return places
