"""Runs the code of the packages that peers are made for: it reads their files, cuts and normalizes texts, decodes ids.

A file can make a package take any time and any memory. In a notebook that is the business of the person who opened the
file, so the library runs the package in its own process. The app runs this file as a program:

    python -P formats/peer_packages.py PARENT MEGABYTES SECONDS ANSWER_MB BOUNDS

PARENT is the id of the process that started it, with which it ends. It takes at most MEGABYTES of memory more than at
its start (on Linux), and at most SECONDS and GRACE_S for a request (not on Windows). No answer has more than ANSWER_MB,
except that to a file, whose vocabulary may be as large as BOUNDS, in JSON, says. The process that started it,
tokviz/ui/server/peer_process.py, stops it sooner.

Requests come on stdin, one after the other, and answers go to stdout. A message is the size of its header as uint32,
the header in JSON, and the parts whose sizes the header tells: files, texts in UTF-8, numbers as int32. A tokenizer has
a key. The program forgets those that were not used for a while: if it does not know a key, it says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import itertools
import json
import os
import signal
import sys
import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import tokenizers

from tokviz.base import bounds
from tokviz.base.errors import FormatError

if TYPE_CHECKING:  # the program imports no more than it needs
    from tokviz.tokenizer.peers import Package

TOKENIZER_JSON, SENTENCE_PIECE = "tokenizer.json", "SentencePiece"
WORD_PIECE, WORD_PIECE_LOWER = "WordPiece", "WordPiece in small letters"
INSTALL = "Install it with: pip install -U sentencepiece"
OPEN = 16  # tokenizers that the program keeps open
GRACE_S = 5.0  # after which the program ends itself, if it was not stopped
OUT_OF_MEMORY = 77  # how the program ends where Python finds no memory; a package aborts
NICE = 5  # the priority of the program: what all visitors wait for comes first
TEXT_MB = 8  # of a text that a package makes; a million characters take four at most
PARENT_DEATH_SIGNAL = 1  # Linux: sys/prctl.h, PR_SET_PDEATHSIG

# ids, first character and the one after the last, number of the word: as in a `PackageCut` of tokviz/tokenizer/peers.py
PackageCut = tuple[Sequence[int], Sequence[tuple[int, int]], Sequence[int | None]]
Facts = dict[str, Any]  # what a package says of a file, as JSON can hold it
Reader = Callable[[str, str, bytes], tuple[Facts, "Package"]]  # `opened`, or what asks another process to do the same
Message = tuple[dict[str, Any], list[bytes]]
T = TypeVar("T")


def opened(how: str, name: str, data: bytes) -> tuple[Facts, Package]:
    """Read a file in this process. Returns what the package says of it, and the tokenizer.

    how: TOKENIZER_JSON, WORD_PIECE (a token a line), WORD_PIECE_LOWER (for texts without capitals and accents) or
        SENTENCE_PIECE.
    name: of the file, for errors.

    FormatError if the package cannot read it, or is not installed.

    >>> facts, package = opened(WORD_PIECE, "vocab.txt", b"[UNK]\\nhug\\n##s")
    >>> facts["kind"], package.cut("hugs hug", False)
    ('WordPiece', ([1, 2, 1], [(0, 3), (3, 4), (5, 8)], [0, 0, 1]))
    """
    if how == SENTENCE_PIECE:
        return _sentence_piece(name, data)
    if how == TOKENIZER_JSON:
        return _tokenizer_json(name, data)
    return _word_piece(name, data, lowercase=how == WORD_PIECE_LOWER)


# -- tokenizers --


class Tokenizers:
    """Wraps a tokenizer of the package `tokenizers`."""

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.turn = threading.Lock()  # how special tokens are read is a setting of the tokenizer

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the tokenizer alone: the lock stays here."""
        return Tokenizers, (self.tokenizer,)

    def cut(self, text: str, specials: bool) -> PackageCut:
        def encode() -> Any:
            with self.turn:
                self.tokenizer.encode_special_tokens = not specials
                # A batch leaves Python to other threads meanwhile; an expression of the file may take minutes.
                return self.tokenizer.encode_batch([text], add_special_tokens=False)[0]

        found = _asked(encode, "tokenizers cannot encode this text")
        return found.ids, found.offsets, found.word_ids

    def normalized(self, text: str) -> str:
        normalizer = self.tokenizer.normalizer
        if normalizer is None:
            return text
        found: str = _asked(lambda: normalizer.normalize_str(text), "tokenizers cannot normalize this text")
        return found

    def decode(self, ids: list[int]) -> str:
        found: str = _asked(lambda: self.tokenizer.decode(ids, skip_special_tokens=False), "tokenizers cannot decode")
        return found


def _tokenizer_json(name: str, data: bytes) -> tuple[Facts, Package]:
    tokenizer = _asked(lambda: tokenizers.Tokenizer.from_buffer(data), "tokenizers cannot read it")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if isinstance(tokenizer.model, tokenizers.models.BPE):
        tokenizer.model.dropout = None  # it leaves merges out by chance, for the training of a model
    tokenizer.post_processor = None  # it puts tokens around a text, and takes spaces off the places of tokens
    return _facts(name, tokenizer), Tokenizers(tokenizer)


def _word_piece(name: str, data: bytes, lowercase: bool) -> tuple[Facts, Package]:
    """Make BERT's tokenizer from its list of tokens.

    Source: google-research/bert, tokenization.py; `tokenizers` has the same as BertNormalizer and BertPreTokenizer.
    """
    ids = {token: id for id, token in enumerate(data.decode().split("\n") if data else ())}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    tokenizer.add_special_tokens([token for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if token in ids])
    return _facts(name, tokenizer), Tokenizers(tokenizer)


def _facts(name: str, tokenizer: tokenizers.Tokenizer) -> Facts:
    """Collect the facts. kind: of its model. vocab: id -> token, in the order of the ids. added: of each added token
    (id, text, is it special?). byte_level, spaces: whether its parts write bytes as printable characters, and spaces as
    "▁"."""
    _check_number(name, tokenizer.get_vocab_size())
    ids = tokenizer.get_vocab()
    around = f"{tokenizer.pre_tokenizer!r} {tokenizer.decoder!r} {tokenizer.normalizer!r}"
    added = tokenizer.get_added_tokens_decoder()
    return {
        "kind": type(tokenizer.model).__name__,
        "vocab": {ids[token]: token for token in sorted(ids, key=ids.__getitem__)},
        "added": [(id, token.content, token.special) for id, token in added.items()],
        "byte_level": "ByteLevel(" in around,
        "spaces": "▁" in around,
    }


def _check_number(name: str, n_tokens: int) -> None:
    most = bounds.now().file_tokens
    if n_tokens > most:
        raise FormatError(
            f"{name} has {n_tokens:,} tokens, and {most:,} are the limit.", "Choose a smaller vocabulary."
        )


def _asked(question: Callable[[], T], what: str) -> T:
    """Ask the package; FormatError if it fails. Its errors have no common class, and a Rust panic is no Exception."""
    try:
        return question()
    except MemoryError:
        raise
    except BaseException as fault:
        if not isinstance(fault, Exception) and type(fault).__name__ != "PanicException":
            raise
        raise FormatError(f"{what}: {str(fault)[:200]}.") from None


# -- sentencepiece --


class SentencePiece:
    """Wraps a model of the package `sentencepiece`. It has no special tokens that a text could contain."""

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    def cut(self, text: str, specials: bool) -> PackageCut:
        found = self.processor.encode_as_offset_mapping(text)
        return found["ids"], found["offsets"], [0] * len(found["ids"])

    def normalized(self, text: str) -> str:
        return str(self.processor.normalize(text))

    def decode(self, ids: list[int]) -> str:
        return str(self.processor.decode(ids))


def _sentence_piece(name: str, data: bytes) -> tuple[Facts, Package]:
    """Read a model.

    Its facts are kind; vocab, id -> text; bytes, the ids of pieces that are a byte; and unknown, an id.
    """
    try:
        package = importlib.import_module("sentencepiece")
    except ImportError:
        raise FormatError(f"{name} is a SentencePiece model, for which sentencepiece is needed.", INSTALL) from None
    if not hasattr(package.SentencePieceProcessor, "encode_as_offset_mapping"):
        raise FormatError(f"{name} needs sentencepiece 0.2.3 or later; an older one is installed.", INSTALL)
    try:
        model = package.SentencePieceProcessor(model_proto=data)
        ids = range(min(model.piece_size(), bounds.now().file_tokens + 1))
        vocab = {id: model.id_to_piece(id) for id in ids}
    except (RuntimeError, ValueError) as theirs:
        why = str(theirs)[:200].strip()
        raise FormatError(f"{name} is no SentencePiece model that can be read: {why}.") from None
    _check_number(name, model.piece_size())
    are_bytes = [id for id in ids if model.is_byte(id)]
    facts = {"kind": _kind(model), "vocab": vocab, "bytes": are_bytes, "unknown": model.unk_id()}
    return facts, SentencePiece(model)


def _kind(model: Any) -> str:
    """Find the kind of a model, which the package shows only by what it can do: Unigram alone lists the n best
    encodings, and the scores of BPE are ranks."""
    try:
        model.nbest_encode_as_ids("", 2)
    except RuntimeError:
        ranks = all(model.get_score(id).is_integer() for id in range(model.piece_size()))
        return "SentencePiece BPE" if ranks else "SentencePiece of words or characters"
    return "SentencePiece Unigram"


# -- the program --


def send(stream: IO[bytes], header: dict[str, Any], parts: Iterable[bytes] = ()) -> None:
    """Write a message."""
    parts = [*parts]
    head = json.dumps({**header, "sizes": [*map(len, parts)]}).encode()
    stream.write(len(head).to_bytes(4, "little") + head)
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: IO[bytes]) -> Message | None:
    """Read a message. None where the stream ends, or breaks off."""
    if len(size := stream.read(4)) < 4 or len(head := stream.read(n := int.from_bytes(size, "little"))) < n:
        return None
    header = json.loads(head)
    parts = [stream.read(size) for size in header["sizes"]]
    return (header, parts) if [*map(len, parts)] == header["sizes"] else None


def packed(vocab: Mapping[int, str]) -> list[bytes]:
    """Write a vocabulary as parts of a message: the ids, where each token ends in the text of all, and this text.

    >>> unpacked(packed({1: "hug", 2: "s"}))
    {1: 'hug', 2: 's'}
    """
    ends = itertools.accumulate(map(len, vocab.values()))
    text = "".join(vocab.values()).encode("utf-8", "surrogatepass")
    if len(text) > bounds.now().vocabulary_mb * bounds.MB:
        what = f"The tokens have {len(text):,} bytes, and {bounds.now().vocabulary_mb:g} MB are the limit."
        raise FormatError(what, "Choose a vocabulary of shorter tokens.")
    return [array("q", vocab).tobytes(), array("q", ends).tobytes(), text]


def unpacked(parts: Sequence[bytes]) -> dict[int, str]:
    """Read the vocabulary in the parts that `packed` made."""
    (ids, ends), text = (array("q", part) for part in parts[:2]), parts[2].decode("utf-8", "surrogatepass")
    places = itertools.pairwise(itertools.chain([0], ends))
    return {id: text[start:end] for id, (start, end) in zip(ids, places, strict=True)}


def main(parent: int, megabytes: int, seconds: float, answer_mb: int, allowed: str) -> None:
    """Answer requests until there are no more, or the parent is gone."""
    bounds.use(bounds.Bounds(**json.loads(allowed)))
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a package prints is no answer
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICE)
    _end_with(parent)
    _limit_memory(megabytes)
    send(answers, {"ready": True})
    there: dict[str, Package] = {}  # the last one is the one used last
    while request := receive(questions):
        _limit_time(seconds + GRACE_S)
        try:
            header, parts = _answer(there, *request)
            do, size = request[0]["do"], sum(map(len, parts))
            if do == "cut" and size > answer_mb * bounds.MB:
                raise FormatError(f"The tokens of this text take more than {answer_mb} MB.", "Choose a shorter text.")
            if do not in ("cut", "read") and size > TEXT_MB * bounds.MB:
                raise FormatError(f"The text that it makes has more than {TEXT_MB} MB.", "Choose a shorter text.")
        except FormatError as fault:
            header, parts = {"fault": [fault.what, fault.way_out]}, []
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        send(answers, header, parts)
        del request, parts
        _limit_time(0)


def _answer(there: dict[str, Package], asked: dict[str, Any], parts: list[bytes]) -> Message:
    """Answer a request.

    asked: do, "read", "cut", "normalized" or "decode"; key, of the tokenizer; and what these need beside the parts.
    """
    key = asked["key"]
    if asked["do"] == "read":
        facts, there[key] = opened(asked["how"], asked["name"], parts[0])
        while len(there) > OPEN:
            del there[next(iter(there))]
        return ({"facts": facts}, packed(facts.pop("vocab"))) if asked["facts"] else ({}, [])
    if key not in there:
        return {"unknown": True}, []
    package = there[key] = there.pop(key)
    if asked["do"] == "cut":
        ids, places, words = package.cut(parts[0].decode(), asked["specials"])
        numbers = ids, itertools.chain.from_iterable(places), (-1 if word is None else word for word in words)
        return {}, [array("i", one).tobytes() for one in numbers]
    if asked["do"] == "normalized":
        return {}, [package.normalized(parts[0].decode()).encode()]
    return {}, [package.decode(array("i", parts[0]).tolist()).encode("utf-8", "replace")]


def _end_with(parent: int) -> None:
    """End when the parent ends, also while a package computes. On macOS `_limit_time` has to do; on Windows the end of
    stdin, after the answer."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before
            sys.exit()


def _limit_memory(megabytes: int) -> None:
    """Limit the memory to this many megabytes beside what the process has now. Only Linux offers that."""
    try:
        import resource  # not on Windows

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError):
        return
    most = pages * resource.getpagesize() + megabytes * 1_000_000
    with contextlib.suppress(OSError, ValueError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _limit_time(seconds: float) -> None:
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, seconds)  # the system then ends the process, in code of C too


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
