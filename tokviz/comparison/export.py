"""Proves an export: the package that a format is for loads the files, and encodes probes to the same ids.

The *judge* is that package. It runs in a process of its own, and has nothing but the files and the snippet that people
get beside them (see `tokviz.formats.snippets`). The *probes* are texts: the one at hand, the lines of the samples, and
texts made to be hard. If the judge is not installed, hangs or dies, the verdict says so: nothing is proved.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import re
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tokviz.base.arguments import shown
from tokviz.base.errors import FormatError, InputError, TokvizError
from tokviz.base.files import in_words, scratch_folder
from tokviz.base.progress import WorkProgress, result_of
from tokviz.base.text import clean
from tokviz.catalog.samples import samples
from tokviz.comparison import judge
from tokviz.comparison.proof import differs_at
from tokviz.formats.snippets import snippet
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.tokenizer import Tokenizer

GENERATED = 1_000  # probes that are made
TEXT_CHARACTERS = 1_000_000  # of the text at hand
LIMIT_S = 120.0  # seconds that a proof may take; packages of others can hang on a pattern
SPARE_S = 5  # seconds beyond that after which a judge ends by itself, if it was not stopped
LOOK_S = 0.02  # how often the answers of the judge are read
LONGEST = 1_000  # bytes of a token of which probes are made: it may be in many of them
REPORT = 50  # probes from one report of progress to the next
FAULT_CHARACTERS = 300  # of what a judge says when it fails

# What generated probes are made of, beside special tokens and tokens of the vocabulary.
_HARD = (
    (" ", "  ", "\t", "\n", "\r\n", "\r", "\n\n", " \n ", *"\u00a0\u2003\u3000\u2028\x0b\x85\u200b"),
    ("0", "7", "42", "123", "1234567", "3.14", "1,000", "½", "²", "Ⅷ", "٣٤٥", "१२३", "\uff11\uff12"),
    ("'s", "'S", "'ll", "'LL", "'re", "'ſ", "don't", "I'M", "we've", "''", "'", "’s"),
    ("the", " cat", "The", "HELLO", "camelCase", "snake_case", "aaaa", "x", "Straße", "naïve", "e\u0301", "ǅ", "ʰ"),
    ("привет", "Ελλάδα", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "你好", "日本語", "カタカナ", "안녕", "Việt", "ﷺ"),
    ("👍", "👍🏽", "👩‍👩‍👧", "🇳🇵", "1️⃣", "☃", "\ufe0f", "\u200d"),
    ("!", "?!", "...", "//", "###", "<|", "|>", "{}", '"', "\\", "\\n", "$1", "http://x.y/?q=1", "f(x)->y;", "\r\n/"),
    ("\x00", "\x07", "\x7f", "\ufeff", "\ufffd", "\U0010ffff", "\ue000"),
)


@dataclass(frozen=True, slots=True)
class Unequal:
    """Describes a probe that the judge encodes to other ids.

    probe: its number, from 1. byte: where the first token begins that differs. ours, theirs: all its ids.
    """

    probe: int
    byte: int
    text: str
    ours: tuple[int, ...]
    theirs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Records what a proof found.

    equal: True if all ids are equal, False if one is not, None if the judge gave no answer; `why` says why not.
    judge: the package and its version.
    files: name -> sha256 of each file that the judge was given.
    probes, n_bytes, n_ids: how many texts, bytes of them in UTF-8, and ids were compared.
    left_out: how many probes the split pattern does not cover, so that tokviz has no ids for them.
    unequal: the first probe that is unequal.
    """

    judge: str
    equal: bool | None
    files: Mapping[str, str]
    probes: int = 0
    n_bytes: int = 0
    n_ids: int = 0
    left_out: int = 0
    unequal: Unequal | None = None
    why: str = ""


Proving = WorkProgress[Verdict]  # stage: "encode" while tokviz encodes the probes, then "judge"


def probes(tokenizer: Tokenizer, text: str = "", *, generated: int = GENERATED, seed: int = 14) -> list[str]:
    """Make the texts to try an export on: `text`, the lines of the samples, and generated ones. Always the same.

    Generated texts have white space, digits, scripts, emoji, control characters, special and added tokens and parts of
    them, and tokens of the tokenizer's own, so that its merges are used.

    >>> made = probes(Tokenizer("bytes", [], special_tokens={"<|end|>": 256}), "a text")
    >>> made[0], len(made) > 1_000, any("<|end|>" in probe for probe in made), made == [*dict.fromkeys(made)]
    ('a text', True, True, True)
    """
    choose = random.Random(seed)  # noqa: S311 (the same texts every time)
    specials = sorted(tokenizer.cut_tokens)
    halves = [special[: len(special) // 2] for special in specials] + [special[1:] for special in specials]
    ids = tokenizer.merge_ids.tolist()
    some = (tokenizer.vocab[id] for id in choose.sample(ids, min(len(ids), 5_000)))
    words = [token.decode("utf-8", "ignore") for token in some if len(token) <= LONGEST]
    pools = [*_HARD, *(pool for pool in (words, words, specials + halves) if pool)]
    lines = [line for sample in samples() for line in sample.text.split("\n")]
    found = dict.fromkeys([clean(text[:TEXT_CHARACTERS]), *lines])
    wanted = len(found) + generated
    while len(found) < wanted:
        found["".join(choose.choice(choose.choice(pools)) for _ in range(choose.randint(1, 12)))] = None
    return [*found]


def sums_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the sha256 of each file, in hexadecimal.

    >>> sums_of({"empty": b""})["empty"][:8]
    'e3b0c442'
    """
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def prove(
    tokenizer: Tokenizer, format: str, files: Mapping[str, bytes], texts: Sequence[str], *, limit_s: float = LIMIT_S
) -> Verdict:
    """Judge files that `tokviz.formats.dump(tokenizer, format)` made. It takes a second or more.

    texts: the probes. limit_s: seconds after which the judge is stopped.

    >>> from tokviz.formats import dump
    >>> hug = Tokenizer("hug", [(117, 103), (104, 256)])
    >>> found = prove(hug, "tiktoken", dump(hug, "tiktoken"), ["a hug", "hugs"])
    >>> found.equal, found.probes, found.n_ids
    (True, 2, 5)
    """
    return result_of(prove_steps(tokenizer, format, files, texts, limit_s=limit_s))


def prove_steps(
    tokenizer: Tokenizer, format: str, files: Mapping[str, bytes], texts: Sequence[str], *, limit_s: float = LIMIT_S
) -> Generator[Proving, None, None]:
    """Do as `prove`, in steps. To cancel, close the generator: this stops the judge and deletes its folder."""
    until = time.monotonic() + limit_s
    for name in files:
        if name in ("", ".", "..") or re.search(r"[/\\\0]", name):
            raise InputError(f"The file name {shown(name)} leads to another folder.", "Pass plain names of files.")
    sums = sums_of(files)
    try:
        lines = snippet(tokenizer, format, files)
    except FormatError as fault:
        yield Proving("judge", 0, 0, Verdict("", None, sums, why=fault.what))
        return
    encodings: list[Encoding] = []
    encoded: list[str] = []
    for number, text in enumerate(texts):
        if number % REPORT == 0:
            yield Proving("encode", number, len(texts))
        with contextlib.suppress(TokvizError):  # the split pattern does not cover the text
            encodings.append(tokenizer.explain(text, allowed_special="all"))
            encoded.append(text)
        if time.monotonic() > until:
            why = f"To encode the probes takes more than {limit_s:,.0f} seconds with this split pattern."
            yield Proving("encode", number, len(texts), Verdict("", None, sums, why=why))
            return
    left_out = len(texts) - len(encodings)
    case = _Case(lines.package, encoded, encodings, Verdict(lines.package, None, sums, left_out=left_out))
    if not encodings:
        yield Proving("judge", 0, 0, case.failed("The split pattern covers none of the probes."))
        return
    try:
        with scratch_folder() as folder:
            (folder / "files").mkdir()
            for name, data in files.items():
                (folder / "files" / name).write_bytes(data)
            del files  # which may be large, and the judge has them
            (folder / "snippet.py").write_text(lines.code, "utf-8")
            (folder / "probes.json").write_text(json.dumps([*map(clean, encoded)]), "utf-8")
            yield from _judged(folder, case, limit_s, until)
    except OSError as fault:
        why = f"{case.package} could not be given the files in a temporary folder: {in_words(fault)[0]}."
        yield Proving("judge", 0, 0, case.failed(why))


@dataclass(slots=True)
class _Case:
    """Holds the package that judges, the probes with our encodings, and the verdict on all that was compared so far."""

    package: str
    texts: Sequence[str]
    encodings: Sequence[Encoding]
    so_far: Verdict
    loaded: bool = False

    def failed(self, why: str) -> Verdict:
        """Return the verdict for a judge that gives no further answer."""
        return replace(self.so_far, why=why)

    def take(self, answer: Any) -> Verdict | None:
        """Read one answer of the judge; return a verdict if it settles the case."""
        match answer:
            case {"version": str(version)}:
                self.so_far = replace(self.so_far, judge=f"{self.package} {version}".strip())
            case {"loaded": True}:
                self.loaded = True
            case {"absent": True}:
                return self.failed(f"{self.package} is not installed.")
            case {"fault": str(fault)}:
                how = f"failed at probe {self.so_far.probes + 1:,}" if self.loaded else "cannot load the files"
                words = " ".join(fault.split())[:FAULT_CHARACTERS].rstrip(".")
                return self.failed(f"{self.so_far.judge} {how}: {words}.")
            case [*ids]:
                return self._compared(ids)
        return None

    def _compared(self, theirs: list[int]) -> Verdict | None:
        old, encoding = self.so_far, self.encodings[self.so_far.probes]
        n_bytes, n_ids = old.n_bytes + len(encoding.data), old.n_ids + len(encoding)
        self.so_far = replace(old, probes=old.probes + 1, n_bytes=n_bytes, n_ids=n_ids)
        byte = differs_at(encoding, np.array(theirs, np.int64))
        if byte is not None:
            byte = int(encoding.typed[byte]) if encoding.typed is not None and byte < len(encoding.data) else byte
            ours = tuple(encoding.ids[encoding.ids >= 0].tolist())
            unequal = Unequal(self.so_far.probes, byte, clean(self.texts[old.probes]), ours, tuple(theirs))
            return replace(self.so_far, equal=False, unequal=unequal)
        return replace(self.so_far, equal=True) if self.so_far.probes == len(self.encodings) else None


def _judged(folder: Path, case: _Case, limit_s: float, until: float) -> Iterator[Proving]:
    """Let the judge answer, and compare each answer when it comes."""
    answers = folder / "answers.jsonl"
    answers.touch()
    call = [sys.executable, "-P", judge.__file__, str(folder), case.package, str(limit_s + SPARE_S)]
    if case.package == "tokviz":
        call.append(str(Path(judge.__file__).parents[2]))  # so that the judge is this tokviz, from a checkout too
    null = subprocess.DEVNULL
    process = subprocess.Popen(call, stdin=null, stdout=null, stderr=null)  # noqa: S603 (no text of people is in it)
    try:
        with answers.open(encoding="utf-8") as lines:
            held = ""
            while True:
                ended = process.poll() is not None  # asked before reading, so that no answer is missed
                *whole, held = (held + lines.read()).split("\n")
                verdict = next(filter(None, (case.take(json.loads(line)) for line in whole)), None)
                if ended:
                    why = f"{case.so_far.judge} ended without an answer ({process.poll()})."
                    verdict = verdict or case.failed(why)
                if time.monotonic() > until:
                    why = f"{case.so_far.judge} had not answered all probes after {limit_s:,.0f} seconds."
                    verdict = verdict or case.failed(why)
                yield Proving("judge", case.so_far.probes, len(case.encodings), verdict)
                if verdict:
                    return
                time.sleep(LOOK_S)
    finally:
        process.kill()
        process.wait()
