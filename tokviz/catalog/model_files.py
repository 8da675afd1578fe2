"""Reads the files of a tokenizer of any kind from the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path

from tokviz.base.arguments import path_of
from tokviz.base.errors import FormatError
from tokviz.base.files import open_file
from tokviz.base.json_files import HEAD, NAME, InputFile, check_size, data_of
from tokviz.base.wording import listed
from tokviz.catalog.references import is_name, is_of_family
from tokviz.formats import USUAL_NAMES, open_files, recognise
from tokviz.formats.gguf_metadata import MAGIC, head_of
from tokviz.formats.parts import GivenSpecials
from tokviz.tokenizer.peers import AnyTokenizer


def load(
    path: str | PathLike[str],
    pattern: str | None = None,
    special_tokens: GivenSpecials = (),
    *,
    name: str | None = None,
    say: Callable[[str], object] | None = None,
) -> AnyTokenizer:
    """Open the tokenizer in a file, or in the files of a folder. Their content says which of the formats they have.

    path: of the file or folder.
    pattern: how texts are split, a name or a regular expression; needed exactly if the file does not say it.
    special_tokens: those that the file does not say, text -> id; where it has the ids, the texts are enough, and "all"
        means all tokens that no merge makes. () means none but the file's own, with a warning if it can have none.
    name: of the tokenizer; by default that in the file, or else that of the file.
    say: called with a sentence on what of the file, or of the folder, is left aside, and in place of a warning.

    Returns a Tokenizer, or a Peer where only a package of others can honour the whole file. Raises InputError if the
    path is no path; FormatError if there is no tokenizer that can be read, and its child UnsaidError if the file does
    not say what is needed; PatternError or SpecialTokenError if the pattern or a special token is wrong.

    >>> import tempfile, tokviz
    >>> tok = tokviz.train("aaabdaaabac", vocab_size=259).tokenizer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tok.save(folder + "/wikipedia.json")
    ...     tokviz.load(folder + "/wikipedia.json").history[0].count
    4
    """
    at = path_of(path)
    if isinstance(path, str) and (is_name(path) or is_of_family(path)) and not at.exists():
        way_out = f"It is the name of a tokenizer: pass it to tokviz.reference({path!r})."
        raise FormatError(f"There is no file {path}.", way_out)
    files = {file.name: data for file, data in files_at([at], say).items()}
    return open_files(files, name=name, pattern=pattern, special_tokens=special_tokens, say=say)


def files_at(paths: Sequence[Path], say: Callable[[str], object] | None = None) -> dict[Path, bytes]:
    """Read files, and those of the tokenizer in a folder: the path of each -> its bytes. say: as in `load`.

    From a folder, this reads its tokenizer.json, or else all files that are in a format. FormatError if one cannot be
    read, if a folder has none, or if something else came in the place of one.
    """
    found: dict[Path, bytes] = {}
    for path in paths:
        try:
            if not path.is_dir():
                found[path] = _data(path)
                continue
            inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        except OSError as fault:
            name = (path.name or str(path))[:NAME]
            raise FormatError(f"{name} cannot be read: {fault.strerror}.", "Check who may read it.") from None
        whole = path / "tokenizer.json"
        files = {whole: _data(whole)} if whole in inside else _recognised_in(path, inside)
        rest = [file.name for file in inside if file not in files]
        if rest and say:
            read = listed([file.name for file in files])
            say(f"Of the folder {path.name}, {read} is read. Left aside: {listed(rest)}.")
        found |= files
    return found


def is_tokenizer(path: Path) -> bool:
    """Tell whether a file or folder has the form of a tokenizer, and is no text: any JSON, and all that is in a format.

    FormatError if the file cannot be read, or is damaged.

    >>> from tokviz.catalog.samples import SAMPLES
    >>> is_tokenizer(SAMPLES / "story.txt")
    False
    """
    if path.is_dir():
        return any(is_tokenizer(file) for file in path.iterdir() if file.name in USUAL_NAMES)
    head = InputFile(path.name, _head(path))
    return head.is_json or recognise(head) is not None


def _recognised_in(folder: Path, inside: Sequence[Path]) -> dict[Path, bytes]:
    """Read the files of a folder that are in a format, the others no further than it takes to see that."""
    parts: dict[tuple[str, str], dict[Path, bytes]] = {}
    faults: dict[Path, FormatError] = {}
    size = 0
    for path in inside:
        try:
            head = InputFile(path.name, _head(path))
            if not head.is_json and not recognise(head):  # it may have gigabytes
                continue
            data = _data(path)
            size += len(data)
            check_size(size, f"What can be read in the folder {folder.name}")
            if part := recognise(InputFile(path.name, data)):
                parts.setdefault(part, {})[path] = data
        except FormatError as fault:
            faults[path] = fault.without_frames()
    for path, found in faults.items():
        if not parts or path.name in USUAL_NAMES:
            raise found
    if not parts:
        there = f"no tokenizer in the folder {folder.name}, but {listed([path.name for path in inside])}"
        what = there if inside else f"no file in the folder {folder.name}"
        raise FormatError(f"There is {what}.", "Name the files of a tokenizer.")
    taken: dict[Path, bytes] = {}
    for files in parts.values():  # of several that may be the same part, those with its name
        taken |= {path: data for path, data in files.items() if path.name in USUAL_NAMES} or files
    return taken


def _head(path: Path) -> bytes:
    with suppress(OSError), open_file(path) as file:
        return file.read(HEAD)
    return data_of(path)  # which says why it cannot be read


def _data(path: Path) -> bytes:
    return head_of(path) if _head(path).startswith(MAGIC) else data_of(path)
