"""`tokviz replay`, `tokviz lesson` and `tokviz site`: write pages that open without a server, in any browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokviz.base import bounds
from tokviz.base.errors import SettingError, UnknownNameError
from tokviz.base.files import in_words
from tokviz.base.wording import printable
from tokviz.catalog.model_files import is_tokenizer
from tokviz.catalog.samples import sample
from tokviz.cli.inputs import STDIN, Repair, path_name, read_input, texts_in, tokenizer_named
from tokviz.cli.outputs import Force, check_output, write_output
from tokviz.cli.texts import corpus_files
from tokviz.offline.lesson import chapter_file
from tokviz.offline.replay import Playing, replay_page
from tokviz.offline.site import INDEX
from tokviz.offline.site import site as make_site
from tokviz.teach.lessons.course import course
from tokviz.training.train import train

Output = Annotated[Path, typer.Option("--output", "-o", metavar="PAGE", help="The HTML file to write.")]


def replay(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS|MODEL",
            help="A text to train on, a folder of texts, or a tokenizer by its name or file.",
        ),
    ],
    output: Output,
    vocab_size: Annotated[
        int,
        typer.Option(
            "--vocab-size", metavar="N", min=256, max=bounds.now().vocabulary, help="Tokens to train on a corpus."
        ),
    ] = 512,
    text: Annotated[
        Path | None, typer.Option("--text", metavar="FILE", help="Play the merges of a tokenizer on this text.")
    ] = None,
    repair: Repair = False,
    force: Force = False,
) -> None:
    """Write a page that plays merges one by one: those of a training, or of a tokenizer on a text.

    It opens without a network, in any browser. Without --text, a tokenizer plays on a tongue-twister.
    """
    check_output(output, force)
    path = Path(source)
    if not _is_corpus(path):
        shown = _on_text(source, text, repair)
    elif text is None:
        files = corpus_files([path], output, None, repair)
        name = path_name(path)
        training = train(texts_in(files, repair), vocab_size, name=Path(name).stem)
        shown = Playing("yours", training.tokenizer, training, name)
    else:
        raise SettingError(f"{path.name} is a corpus, and --text is for a tokenizer.", "Leave out one of them.")
    _write(output, force, replay_page(shown).html)


def _is_corpus(path: Path) -> bool:
    return path == STDIN or (path.exists() and not is_tokenizer(path))


def _on_text(name: str, text: Path | None, repair: bool) -> Playing:
    """Find the tokenizer of this name, with the text on which its merges play."""
    tok = tokenizer_named(name)
    if not tok.has_merges:
        raise SettingError(f"{tok.name} has no merges that could play.", "Name a tokenizer by byte-pair encoding.")
    played = sample("tongue").text if text is None else read_input(text, repair).text
    return Playing("yours", tok, None, text.name if text else sample("tongue").title, played)


def lesson(
    number: Annotated[int, typer.Argument(metavar="N", help="The number of the lesson.")],
    output: Output,
    force: Force = False,
) -> None:
    """Write a lesson of the course as a page that opens without a network, in any browser."""
    check_output(output, force)
    chapters = course().chapters
    if not 0 < number <= len(chapters):
        raise UnknownNameError(f"There is no lesson {number}.", f"There are lessons 1 to {len(chapters)}.")
    _write(output, force, chapter_file(chapters[number - 1].steps[0].id, [])["file"])


def site(
    folder: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write, which is made if need be.")],
    force: Force = False,
) -> None:
    """Write a site of replays and lessons, with an index, which any host of files serves."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = next(folder.iterdir(), None) is None
    except OSError as fault:
        raise SettingError(f"{folder} cannot be written: {in_words(fault)[0]}.", "Name another folder.") from None
    if not (force or is_empty):
        raise SettingError(f"{folder} is not empty.", "Name another folder, or write into it with --force.")
    sizes = []
    for name, page in make_site():
        sizes.append(len(page.encode()))
        write_output(folder / name, force, page.encode())
    typer.echo(f"{printable(str(folder))}: {len(sizes)} pages, {sum(sizes):,} bytes. Open {INDEX} in it.", err=True)


def _write(output: Path, force: bool, page: str) -> None:
    data = page.encode()
    write_output(output, force, data)
    typer.echo(f"{printable(str(output))}: {len(data):,} bytes. It opens in any browser.", err=True)
