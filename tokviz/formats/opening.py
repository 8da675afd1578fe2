"""Opening the files of any tokenizer: as a Tokenizer if tokviz can honour all of it, else as a peer."""

from __future__ import annotations

from collections.abc import Mapping

from tokviz.base.errors import FormatError
from tokviz.base.json_files import File
from tokviz.formats import load, sentence_piece, tekken, tokenizer_json
from tokviz.formats.parts import GivenSpecials
from tokviz.tokenizer.peers import AnyTokenizer

__all__ = ["FILES", "open_files"]

# what can be opened beside the formats of `tokviz.formats`
FILES = (tokenizer_json.FILES, tekken.FILES, sentence_piece.FILES)


def open_files(
    files: Mapping[str, bytes],
    *,
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: GivenSpecials | None = None,
) -> AnyTokenizer:
    """The tokenizer in files of any kind. The arguments are those of `tokviz.formats.load`, and so are the errors.

    Mistral's tekken.json gives a Tokenizer too. A file that `load` refuses gives a Peer if a package can honour it:
    `tokenizers` a tokenizer.json of any kind, `sentencepiece` a .model file. FormatError if neither can, or if
    `sentencepiece` is not installed.

    >>> open_files({"hug.model": b"minbpe v1\\n\\n0\\n117 103\\n"}).encode("hug")
    [104, 256]
    >>> words = b'{"model": {"type": "WordLevel", "vocab": {"hug": 0, "?": 1}, "unk_token": "?"}}'
    >>> open_files({"words.json": words})
    <Peer 'words': WordLevel, 2 tokens>
    """
    try:
        return load(files, name=name, pattern=pattern, special_tokens=special_tokens)
    except FormatError as refused:
        fault = refused.without_frames()  # which hold what was read of the file
        if len(files) != 1 or pattern is not None or special_tokens is not None:
            raise
        ((title, data),) = files.items()
        file = File(title, bytes(data))
        if tokenizer_json.recognised(file):
            return tokenizer_json.read(file, name, fault)
        if tekken.recognised(file):
            return tekken.read(file, name)
        if sentence_piece.recognised(file):
            return sentence_piece.read(file, name, fault)
        raise
