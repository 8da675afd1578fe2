"""Files that were dropped: which belong together, what format they have, and what has to be said beside them."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tokviz.base.errors import FormatError, SettingError, TokvizError
from tokviz.base.json_files import LARGE, InputFile
from tokviz.base.wording import count_of, listed, vocabulary_size
from tokviz.catalog.references import reference, references
from tokviz.formats import FORMATS, Format, load, open_files, recognise, unknown
from tokviz.formats.bundled import Packaged, Reference, known_by
from tokviz.formats.parts import GivenSpecials, UnsaidError
from tokviz.split.cutting import CUSTOM
from tokviz.tokenizer.peers import AnyTokenizer, size_in_words
from tokviz.tokenizer.special_edits import parsed, read_rows
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.ui.server import peer_process
from tokviz.ui.server.line import resting
from tokviz.ui.server.sizes import size

MOST_SPECIALS = 2_000  # special tokens of a reference tokenizer, which a file can lack
_turn = threading.Lock()  # of those who read large files
MANY = 20  # tokens that no merge makes; more are seldom special tokens

Specials = Literal["all", "none", "list"]


@dataclass
class Answers:
    """What the visitor says beside the files. None: nothing yet.

    pattern: a name of PATTERNS, or CUSTOM for the regular expression `custom`. specials: "all" tokens that no merge
    makes, "none", or those in `special_list`, one per line.
    """

    pattern: str | None = None
    custom: str = ""
    specials: Specials | None = None
    special_list: str = ""


@dataclass(eq=False)
class Found:
    """The files of one tokenizer. tokenizer: None as long as something has to be said beside them.
    holds: how large its vocabulary is, in words.

    asks: what has to be said, "pattern" or "special_tokens" or both -> why. leftovers: the tokens that no merge makes,
    which may be special; None if the files contain no special token. known: the vocabulary with the same tokens, which
    says what these files do not; None if there is none. aside: sentences on what is left aside, of the files or beside
    them.
    """

    key: str
    files: Mapping[str, bytes]
    format: Format
    tokenizer: AnyTokenizer | None
    holds: str
    asks: Mapping[str, str] = field(default_factory=dict)
    leftovers: tuple[str, ...] | None = None
    known: Reference | Packaged | None = None
    aside: list[str] = field(default_factory=list)
    answers: Answers = field(default_factory=Answers)
    _read: tuple[Answers, Tokenizer] | None = None

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that the files and what was read of them take."""
        return size(dict(self.files), self.tokenizer)

    @property
    def names(self) -> str:
        """The names of the files."""
        return listed([*self.files])

    def told(self) -> tuple[str, str]:
        """What the files are, and what is to know about them."""
        size = sum(map(len, self.files.values()))
        kind = (self.tokenizer.kind if self.tokenizer else "") or self.format.name
        what = f"{self.names} can be opened: {kind}, {self.holds}, {count_of(size, 'byte')}."
        told = [self._lost(), self._known(), *self.aside, self._asked()]
        return what, " ".join(filter(None, told))

    def _lost(self) -> str:
        if self.tokenizer and not self.tokenizer.has_merges:
            unseen = "Its own package encodes text with it, so tokviz has no merges to show."
            return " ".join([unseen, *(self.tokenizer.why or ())])
        if "history" not in self.format.loses:
            return "Nothing is lost."
        have = "The file has" if len(self.files) == 1 else "The files have"
        unnamed = "" if self.known and self.tokenizer else " and no name, so the tokenizer is named after the file"
        return f"{have} no record of a training{unnamed}."

    def _known(self) -> str:
        if not self.known:
            return ""
        same = f"The tokens are those of {self.known.title}, "
        return f"{same}so its split pattern and its special tokens {'are filled in' if self.asks else 'are used'}."

    def _asked(self) -> str:
        if not self.asks or self.known:
            return ""
        unmade = len(self.leftovers or ())
        doubt = f" No merge makes {count_of(unmade, 'token')}: are the files of one tokenizer?" if unmade > MANY else ""
        return f"{' '.join(self.asks.values())} Choose below.{doubt}"

    def read(self) -> AnyTokenizer | None:
        """The tokenizer, with the visitor's answers; None while one is missing. FormatError if they do not fit."""
        if self.tokenizer:
            return self.tokenizer
        said = self.answers
        pattern = said.custom if said.pattern == CUSTOM else said.pattern
        answers = {"pattern": pattern, "special_tokens": said.specials}
        if not all(answers[field] for field in self.asks):
            return None
        if self._read is None or self._read[0] != said:  # a large file takes a second, and the page runs at each press
            self._read = replace(said), self._load(pattern if "pattern" in self.asks else None)
        return self._read[1]

    def _load(self, pattern: str | None) -> Tokenizer:
        try:
            with _reading(self.files):
                return load(self.files, pattern=pattern, special_tokens=self._special_tokens())
        except UnsaidError as fault:
            raise FormatError(fault.what, "If they are special tokens, list all of them.") from None

    def _special_tokens(self) -> GivenSpecials | None:
        said = self.answers
        if "special_tokens" not in self.asks:
            return None
        if said.specials == "all":
            return "all"
        written = "" if said.specials == "none" else said.special_list
        if self.leftovers is None:
            return _with_ids(written)
        return [line for line in written.splitlines() if line.strip()]


def found_in(files: Mapping[str, bytes], drop: int) -> tuple[list[Found], list[TokvizError]]:
    """The tokenizers in these files, and an error for each file or set of files that cannot be opened.

    drop: the number of the drop, for their keys. Beside a tokenizer, what else lies in its folder is no fault.
    """
    found: list[Found] = []
    faults: list[TokvizError] = []
    others: list[InputFile] = []
    with _reading(files):
        for number, (key, together) in enumerate(_sets(files, faults, others)):
            try:
                found.append(_found(f"file{drop}.{number}", FORMATS[key], together))
            except TokvizError as fault:
                faults.append(fault.without_frames())
    if found and others:
        found[0].aside.append(f"Left aside: {listed([file.name for file in others])}.")
    return found, faults if found else [*faults, *map(unknown, others)]


@contextlib.contextmanager
def _reading(files: Mapping[str, bytes]) -> Iterator[None]:
    """Read files in here. Large ones are read one after the other, because of the memory that they take; meanwhile the
    pages of others are drawn."""
    if sum(map(len, files.values())) < LARGE:
        yield
    else:
        with resting(), _turn:
            yield


def _sets(
    files: Mapping[str, bytes], faults: list[TokvizError], others: list[InputFile]
) -> Iterable[tuple[str, dict[str, bytes]]]:
    """The format of each set of files that belong together, and the files. Those of no format go into `others`."""
    sets: dict[tuple[str, str], dict[str, bytes]] = {}
    for name, data in files.items():
        file = InputFile(name, data)
        try:
            recognised = recognise(file)
        except FormatError as fault:
            faults.append(fault.without_frames())
            continue
        if recognised is None:
            others.append(file)
            continue
        key, _ = recognised
        several = len(FORMATS[key].parts) > 1  # in the other formats each file is a tokenizer
        sets.setdefault((key, "" if several else name), {})[name] = data
    if ("hf", "tokenizer.json") in sets:  # which says what GPT-2's two files beside it say, and more
        others += [InputFile(name, data) for name, data in sets.pop(("gpt2", ""), {}).items()]
    return [(key, together) for (key, _), together in sets.items()]


def _found(key: str, format: Format, files: Mapping[str, bytes]) -> Found:
    unsaid: dict[str, UnsaidError] = {}
    tried: dict[str, Any] = {}
    aside: list[str] = []
    while True:  # what is asked for is answered somehow, until nothing is asked for any more
        try:
            opened = open_files(files, reader=peer_process.opened, say=aside.append, **tried)
            break
        except UnsaidError as fault:
            unsaid[fault.field] = fault.without_frames()
            tried[fault.field] = "none" if fault.field == "pattern" else {} if fault.leftovers is None else "all"
    known = _known_as(files, opened) if format.asks and opened.has_merges else None
    if not unsaid:
        return Found(key, files, format, opened, size_in_words(opened), known=known, aside=aside)
    leftovers = unsaid["special_tokens"].leftovers if "special_tokens" in unsaid else None
    asks = {name: fault.what for name, fault in unsaid.items()}
    holds = vocabulary_size(len(opened.vocab))  # which of them are special is asked
    found = Found(key, files, format, None, holds, asks, leftovers, known, aside)
    if known:
        said, specials = found.answers, known.special_tokens or {}
        said.pattern, said.specials = known.pattern, "list" if leftovers is None else "all"
        if leftovers is None:
            said.special_list = "\n".join(f"{text} {id}" for text, id in specials.items())
    return found


def _known_as(files: Mapping[str, bytes], tried: Tokenizer) -> Reference | Packaged | None:
    """Find the vocabulary with this file, or the reference tokenizer with these ordinary tokens."""
    for data in files.values():
        if row := known_by(hashlib.sha256(data).hexdigest()):
            return row
    tokens = _ordinary(tried)
    for name, row in references().items():
        is_as_large = row.n_vocab - MOST_SPECIALS <= tried.n_vocab <= row.n_vocab
        if is_as_large and tokens == _ordinary(reference(name)):  # the file of another size is not read
            return row
    return None


def _ordinary(tokenizer: Tokenizer) -> dict[int, bytes]:
    return {id: token for id, token in tokenizer.vocab.items() if id not in tokenizer.cut_ids}


def _with_ids(written: str) -> dict[str, int]:
    """Special tokens from lines of a text, a space and an id. SettingError names the first line that is none.

    >>> _with_ids("<|endoftext|> 50256")
    {'<|endoftext|>': 50256}
    """
    found: dict[str, int] = {}
    for number, (text, typed) in enumerate(read_rows(written), 1):
        id = parsed(typed)
        if id is None:
            raise SettingError(
                f"Line {number} of the special tokens is not a text and its id.",
                "Write <|endoftext|> 50256, for example.",
            )
        if text in found:
            raise SettingError(f"The special token {text!r} is named twice.", "Leave one of them out.")
        found[text] = id
    return found
