"""Says what a file is that people take for another one: a pointer, a web page, an answer of a server, a configuration.

It is recognised by how it begins, and JSON by the names in it. None of them is how a tokenizer's file begins.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tokviz.base.json_files import InputFile, is_id
from tokviz.base.text import wide_encoding

QUOTED = 200  # characters of what a server answers
BESIDE = "Choose tokenizer.json, which usually lies in the same folder."  # for what lies there too
_AGAIN = "Download it again; log in first if the server asks for that."
_UNPACK = "Unpack it first."


class OtherFile(NamedTuple):
    """Say what a file is: `what` ends the sentence "NAME is ..."."""

    what: str
    way_out: str


# How a file begins -> what it is, and the way out. Of text, white space before it does not count.
_BEGINS = {
    rb"PK\x03\x04[\s\S]*data\.pkl|[\s\S]{4}\0{4}\{\"": ("the weights of a model, and no tokenizer", BESIDE),
    rb"PK\x03\x04": ("a zip archive", _UNPACK),
    rb"\x1f\x8b": ("compressed by gzip", _UNPACK),
    rb"BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|[\s\S]{257}ustar": ("compressed, or an archive", _UNPACK),
    rb"%PDF": ("a PDF, and no tokenizer", BESIDE),
    rb"\x89PNG|\xff\xd8\xff|GIF8": ("a picture, and no tokenizer", BESIDE),
    rb"\x80[\2-\5][}\]c(\x8a\x95]": ("a pickle of Python, which can run any program", BESIDE),
    rb"lmgg|fmgg|tjgg|algg": ("a model in the format that came before GGUF", "Convert it with llama.cpp."),
    rb"\s*version https://git-lfs\.": ("a pointer of git-lfs, and not the file itself", "Run: git lfs pull"),
    rb"\s*# xet version": ("a pointer of git-xet, and not the file itself", "Clone again, with git-xet installed."),
    rb"[./]*(\.git)?/annex/objects/": ("a pointer of git-annex, and not the file itself", "Run: git annex get"),
    rb"outs:\s+- ": ("a pointer of DVC, and not the file itself", "Run: dvc pull"),
    rb"(\.\./)+\S+\s*\Z": ("the text of a symbolic link, and not the file itself", "Copy the file that it names."),
    rb"\s*<(!doctype html|html|head|body|script)\b": ("a web page", "Download the file itself, not its page."),
    rb"\s*<(\?xml|error)\b": ("XML, as some servers answer", _AGAIN),
    rb"\s*((entry|repository|revision|file|page) )?not found\b|40[134]\b|access (to|denied)\b|unauthorized|forbidden"
    rb"|invalid (username|credentials)|too many requests|internal server error|bad gateway": (
        "an answer of a server",
        _AGAIN,
    ),
    rb"\s*\Z": ("empty", "Download it again, or choose another file."),
}
_HEADS = [(re.compile(begin, re.IGNORECASE), OtherFile(*said)) for begin, said in _BEGINS.items()]
_SAID = re.compile(rb"\s*<[\s\S]*?<(?:title|message)\b[^>]*>([^<]*)<", re.IGNORECASE)
_ANSWERS = ("error", "errors", "message", "detail", "msg")
_SETTINGS = {
    *("model_type", "architectures", "transformers_version", "tokenizer_class", "bos_token", "eos_token", "unk_token"),
    *("weight_map", "norm_eps", "rms_norm_eps", "chat_template", "do_sample", "processor_class", "_class_name"),
}


def other_file(file: InputFile) -> OtherFile | None:
    """Say what a file is that is no tokenizer, whatever its name is; None if it may be one. FormatError as `file.json`.

    >>> other_file(InputFile("tokenizer.json", b'{"error": "Not found"}')).what
    'an answer of a server, “Not found”'
    """
    return by_head(file.head) or (_of_json(file.json) if file.is_json else None)


def by_head(head: bytes) -> OtherFile | None:
    """Say the same of the first bytes of a file.

    >>> by_head(b"version https://git-lfs.github.com/spec/v1").what
    'a pointer of git-lfs, and not the file itself'
    """
    found = next((other for begin, other in _HEADS if begin.match(head)), None)
    if found is None and (wide := wide_encoding(head)):
        return OtherFile(f"not UTF-8: it {wide}", "Save it as UTF-8.")
    said = _SAID.match(head)
    return found._replace(what=found.what + _quoted(said[1].decode("utf-8", "replace"))) if found and said else found


def _of_json(fields: Any) -> OtherFile | None:
    """Say what JSON is. A vocabulary can have all these names, but its values are ids."""
    said = {name: value for name, value in fields.items() if not is_id(value)} if isinstance(fields, dict) else {}
    for answer in (said[name] for name in _ANSWERS if name in said):
        return OtherFile(f"an answer of a server{_quoted(answer) if isinstance(answer, str) else ''}", _AGAIN)
    return OtherFile("a configuration, and no tokenizer", BESIDE) if _SETTINGS & said.keys() else None


def _quoted(words: str) -> str:
    return f", “{' '.join(words.split())[:QUOTED].rstrip('.')}”"
