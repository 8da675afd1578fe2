r"""Cuts a text into the chunks of a split pattern, before any merge.

A *chunk* is a match of the split pattern. No merge crosses the end of a chunk, so ' cat' and ' cat.' share the chunk
' cat'. A pattern is a name ("none", "gpt2", "cl100k", "o200k") or a regular expression in the syntax of the `regex`
package.

The named patterns are tiktoken's, word for word, and use tiktoken's Unicode classes: which characters are letters
differs between versions of Unicode, and tiktoken's version is not Python's. So each character is first mapped to a
representative of its class. The pattern cuts the mapped text at the same offsets, since it cannot tell two characters
of a class apart.

Patterns run as automata (see `tokviz.split.automaton`), which cut where the `regex` package does and are many times
faster. The `regex` package itself runs the custom patterns for which that cannot be proven.
"""

from __future__ import annotations

import functools
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from tokviz.base import bounds
from tokviz.base.arguments import check_copies, shown
from tokviz.base.byte_characters import characters_of
from tokviz.base.errors import InputError, PatternError
from tokviz.base.text import clean, utf8_widths
from tokviz.base.wording import count_of, listed, meant
from tokviz.kernels import plain_serves
from tokviz.kernels.base import CPUS
from tokviz.kernels.counting import ALL_COUNTED, ChunkCounter
from tokviz.kernels.plain import character_ends
from tokviz.kernels.splitting import chunk_ends
from tokviz.split.automaton import Automaton, of_custom, of_named
from tokviz.split.pipeline import Stage, stages_of

BUDGET_SECONDS = 10.0  # CPU time of this thread for all matches in one text, and as much again for each MB
MOST_SECONDS = 20.0  # the same for the longest texts, unless the caller allows more
CAPTURES_LIMIT = 2_000_000  # characters of a text times groups that repeat; `regex` takes up to 70 bytes for each
BATCH = 20_000  # chunks that are found before the caller gets control again
LOOK_SECONDS = 0.1  # after which the caller gets control again, even if no chunk was found
# A match that runs away goes on when its caller has left. More matches than cores would only slow down everything else.
_MATCHING = threading.Semaphore(max(CPUS, 2))
_REPEATS = re.compile(r"\)(?:\s|#.*)*[*+{]|\(\?(?:R|&|P>|[-+]?\d)")  # what may match many times in one match
_NAME = re.compile(r"\w[\w -]+(?:\.\d[\w -]*)*")  # as gpt-3.5-turbo is written
ANY = r"[\s\S]+"  # the pattern "none" as a regular expression
_POSSESSIVE = "Repeats inside repeats, such as (a+)+, do that. Make the inner one possessive: (a++)+."


@dataclass(frozen=True, slots=True)
class Pattern:
    """Describes a named split pattern: its regular expression, where that comes from, and one line on what it does."""

    name: str
    regex: str
    source: str
    summary: str


_TIKTOKEN = "tiktoken 0.14, tiktoken_ext/openai_public.py"
_GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
_CL100K = (
    r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"""
    r"""|\s*[\r\n]|\s+(?!\S)|\s"""
)
_O200K = "|".join(
    [
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    ]
)

CUSTOM = "custom"  # in a list of patterns to choose from: a pattern of the reader's own
HOW_TO_WRITE = r"Write it as for Python's package regex. If it leaves characters out, add |[\s\S] at its end."
PATTERNS: Mapping[str, Pattern] = {
    p.name: p
    for p in (
        Pattern("none", "", "", "No cut at all: a merge may join anything."),
        Pattern(
            "gpt2", _GPT2, _TIKTOKEN, "Words with the space before them, numbers, punctuation, and endings such as 's."
        ),
        Pattern("cl100k", _CL100K, _TIKTOKEN, "As gpt2, but numbers in threes and line ends kept with punctuation."),
        Pattern(
            "o200k",
            _O200K,
            _TIKTOKEN,
            "As cl100k, but a capital after a small letter begins a new chunk, and a word keeps its 's.",
        ),
    )
}
DEFAULT = "gpt2"
_ASKED_FOR = {  # names of patterns, and of tokenizers and models that have them -> that of the pattern
    **{name: name for name in PATTERNS},
    **dict.fromkeys(("r50k_base", "p50k_base", "gpt-3"), "gpt2"),
    **dict.fromkeys(("cl100k_base", "gpt-4", "gpt-3.5", "gpt-3.5-turbo"), "cl100k"),
    **dict.fromkeys(("o200k_base", "o200k_harmony", "gpt-4o", "gpt-4.1", "gpt-5", "gpt-oss", "o1", "o3"), "o200k"),
}


def check_pattern(pattern: str, *, read: bool = False) -> str:
    r"""Return the pattern itself. Raises PatternError if it is no string, or neither a name nor a regular expression.

    read: whether it was read from a file. Otherwise letters alone are taken for a name that a person knows: as an
        expression they would cut no text but themselves.

    >>> check_pattern("gpt2")
    'gpt2'
    >>> check_pattern(r"\w+|\W+")
    '\\w+|\\W+'
    >>> check_pattern("(a")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.PatternError: The split pattern does not compile: missing ) at position 2. Correct it there...
    >>> check_pattern("gpt4")
    Traceback (most recent call last):
        ...
    tokviz.base.errors.PatternError: There is no split pattern 'gpt4'. Did you mean cl100k? Choose one of: none,...
    """
    if not isinstance(pattern, str):
        raise PatternError(
            f"A split pattern is a string, not {type(pattern).__name__}.",
            f"Pass a regular expression, or one of these names: {', '.join(PATTERNS)}.",
        )
    if pattern not in PATTERNS:
        if clean(pattern) != pattern:
            raise PatternError(
                f"The split pattern {pattern[:80]!a} contains half a character.", "Use whole characters, or an escape."
            )
        for stage in stages_of(pattern):
            _automaton_of(stage)
        if not stages_of(pattern):
            _compiled(pattern)
        for expression in () if read else [stage.expression for stage in stages_of(pattern)] or [pattern]:
            if expression not in PATTERNS:
                check_no_name(expression)
    return pattern


def check_no_name(pattern: str, offset: int | None = None) -> None:
    """Raise PatternError if this pattern, which is none of PATTERNS, is written as a name. offset: of the error."""
    if _NAME.fullmatch(pattern):
        way_out = f"{meant(pattern, _ASKED_FOR)} Choose one of: {', '.join(PATTERNS)}, or write a regular expression."
        raise PatternError(f"There is no split pattern {shown(pattern)}.", way_out.lstrip(), offset=offset)


def cut(text: str, pattern: str, seconds: float | None = None) -> NDArray[np.int64]:
    r"""Find the byte offset in UTF-8 at which each chunk of a text ends: int64. The last is the length of the text.

    The text must not contain lone surrogates (see `tokviz.base.text.clean`). PatternError, with the byte offset, if a
    custom pattern does not cover the text or takes too long.
    seconds: CPU time that all matches of a custom pattern may take together; None means BUDGET_SECONDS and as much
    again for each MB, up to MOST_SECONDS. The time of an automaton is not limited: it only depends on the length.

    >>> data, start = "Don't stop: naïve ideas!", 0
    >>> [data.encode()[i:j].decode() for i, j in zip([0, *cut(data, "gpt2")], cut(data, "gpt2"))]
    ['Don', "'t", ' stop', ':', ' naïve', ' ideas', '!']
    >>> cut("naïve", "none")
    array([6])
    """
    return cut_data(text.encode(), pattern, seconds)


def cut_data(data: bytes, pattern: str, seconds: float | None = None) -> NDArray[np.int64]:
    """Do what `cut` does, for the UTF-8 bytes of a text."""
    ends = _ends_by_automaton(data, pattern)
    if ends is not None:
        return ends
    if stages := stages_of(pattern):
        return _cut_in_stages(data, stages)
    text = data.decode()
    to_bytes = byte_offsets(text)
    found = matches_in(text, pattern, to_bytes, seconds)  # raises at a gap
    return to_bytes[[match.end() for match in found]] if text else np.empty(0, np.int64)


def chunks_of(data: bytes, pattern: str) -> NDArray[np.int64] | Automaton:
    """Return where each chunk of a text in UTF-8 ends, or the automaton that finds that while the text is encoded.

    The automaton may fail (see `tokviz.kernels.encoding.NoChunk`), and `cut_data` then says what is wrong.
    """
    automaton = None if plain_serves() else automaton_of(pattern)
    return cut_data(data, pattern) if automaton is None else automaton


def cut_each(texts: Sequence[bytes], pattern: str) -> NDArray[np.int64]:
    """Cut many texts, each by itself: int64, where each chunk ends in the texts put end to end. Errors as in `cut`.

    >>> cut_each([b"don't", b" stop "], "gpt2").tolist()
    [3, 5, 10, 11]
    """
    automaton = None if plain_serves() else automaton_of(pattern)
    stops = np.cumsum([*map(len, texts)], dtype=np.int64)
    if automaton is not None and len(texts):
        counter = ChunkCounter(int(stops[-1]))
        counter.feed(b"".join(texts), stops, np.full(len(texts), -1), True)
        if counter.count(automaton.symbols, automaton.table, int(stops[-1]) + 1) == ALL_COUNTED:
            lengths = np.diff(counter.ends[: counter.n_chunks], prepend=0)
            return lengths[counter.order[: counter.n_order]].cumsum()
    ends = [cut_data(text, pattern) + stop - len(text) for text, stop in zip(texts, stops.tolist(), strict=True)]
    return np.concatenate([np.empty(0, np.int64), *ends])


def cut_in_batches(text: str, pattern: str) -> Iterator[NDArray[np.int64]]:
    """Do what `cut` does, BATCH chunks at a time, so that the caller can stop in the middle of a long text.

    A custom pattern gives a batch every LOOK_SECONDS, which is empty while one match takes longer.
    """
    if not text:
        return
    ends = _ends_by_automaton(text.encode(), pattern)
    if ends is None:
        yield from cut_by_regex(text, pattern)
    else:
        yield from (ends[i : i + BATCH] for i in range(0, len(ends), BATCH))


def cut_in_pieces(text: str, pattern: str, size: int, start: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Cut a long text into pieces of whole chunks: (first byte of the piece, the ends of its chunks in the text).

    size: bytes that each piece has at least, but for the last. start: the first piece begins with the chunk that
    contains this byte. InputError at a chunk of more than `chunk_mb` of the bounds.
    """
    first = 0
    held: list[NDArray[np.int64]] = []
    for ends in cut_in_batches(text, pattern):
        if first <= start and not held:
            begins = ends[ends <= start]
            if any(stage.of_bytes for stage in stages_of(pattern)):
                begins = np.intersect1d(begins, byte_offsets(text))  # no piece begins inside a character
            first = max([first, *begins[-1:].tolist()])
            ends = ends[ends > first]
        if len(ends):
            held.append(ends)
            if ends[-1] - first >= size:
                yield first, _short_enough(first, np.concatenate(held))
                first, held = int(ends[-1]), []
    if held:
        yield first, _short_enough(first, np.concatenate(held))


def _short_enough(first: int, ends: NDArray[np.int64]) -> NDArray[np.int64]:
    sizes = np.diff(ends, prepend=first)
    if sizes.max() > bounds.now().chunk_mb * bounds.MB:
        raise InputError(
            f"The chunk that ends at byte {ends[sizes.argmax()]:,} has more than {bounds.now().chunk_mb:,} MB.",
            "Use a text with shorter words and fewer spaces in a row, or a split pattern that cuts it.",
        )
    return ends


def _ends_by_automaton(data: bytes, pattern: str) -> NDArray[np.int64] | None:
    """Find where the chunks end; None if the pattern has no automaton, or if that left a gap. `regex` then says where.

    In plain Python only the named patterns run as automata: others might go back and read the same bytes for ever.
    """
    in_python = plain_serves()
    automaton = automaton_of(pattern) if not in_python or pattern in PATTERNS else None
    if automaton is None:
        return None
    if in_python:
        text = data.decode()
        symbols = automaton.symbols[np.frombuffer(text.encode("utf-32-le"), np.uint32)]
        ends = byte_offsets(text)[character_ends(symbols.tolist(), automaton.table.tolist())]
    else:
        buffer = np.frombuffer(data, np.uint8)
        ends = chunk_ends(buffer, np.array([len(data)]), automaton.symbols, automaton.table)
    return ends if not data or (len(ends) and ends[-1] == len(data)) else None


def cut_by_regex(text: str, pattern: str, offset: int = 0, seconds: float | None = None) -> Iterator[NDArray[np.int64]]:
    """Do what `cut_in_batches` does, with the `regex` package and for custom patterns only.

    offset: bytes that come before this text; an error adds them to the offset that it names. seconds: as in `cut`.
    """
    if stages_of(pattern):
        yield cut_data(text.encode(), pattern, seconds)
        return
    to_bytes = byte_offsets(text) + offset
    for found in match_in_batches(text, pattern, to_bytes, seconds):
        yield to_bytes[[end for end, _ in found]] - offset


def match_in_batches(
    text: str, pattern: str, to_bytes: NDArray[np.int64], seconds: float | None = None
) -> Iterator[list[tuple[int, str | None]]]:
    """Yield the matches of a regular expression as `matches_in` finds them, a batch every LOOK_SECONDS at the latest.

    For each match: the character at which it ends, and the name of the group that matched last. Nothing can stop a
    match of the `regex` package before its timeout. So the matches are made in a thread of their own, and a batch is
    empty while one takes longer. If the caller stops, it does not wait for the last match: that ends by itself, and
    does not hold the interpreter's lock meanwhile.
    """
    matches = matches_in(text, pattern, to_bytes, seconds)

    def batch() -> list[tuple[int, str | None]]:
        found: list[tuple[int, str | None]] = []
        until = time.monotonic() + LOOK_SECONDS
        with _MATCHING:
            for match in matches:
                found.append((match.end(), match.lastgroup))
                if len(found) == BATCH or time.monotonic() > until:
                    break
        return found

    pool = ThreadPoolExecutor(1, "split")
    try:
        while True:
            coming = pool.submit(batch)
            while not wait([coming], LOOK_SECONDS).done:
                yield []
            found = coming.result()
            if not found:
                return
            yield found
    finally:
        pool.shutdown(wait=False)


def automaton_of(pattern: str) -> Automaton | None:
    r"""Return the automaton that cuts exactly as this pattern does, or None if only the `regex` package can.

    >>> automaton_of(r"\w+|\W+") is None, automaton_of(r"(?<=a)b|[\s\S]") is None
    (False, True)
    """
    if pattern in PATTERNS:
        return of_named(pattern)
    if stages_of(pattern):
        return None
    _compiled(pattern)
    found = of_custom(pattern)
    return found if isinstance(found, Automaton) else None


def is_quick(pattern: str) -> bool:
    """Tell whether automata alone cut by this pattern, so that a text takes time in proportion to its length.

    An expression of one's own may take seconds for a few characters. A pipeline has automata for all its stages.
    """
    return pattern in PATTERNS or bool(stages_of(pattern))


def has_automaton(expression: str) -> bool:
    """Tell whether an automaton can match an expression that may leave characters out, as in a pipeline."""
    return isinstance(of_custom(expression, skips=True), Automaton)


def covers(expression: str) -> bool:
    r"""Tell whether the matches of a stage leave no character out, whatever the text. PatternError as `check_pattern`.

    >>> covers("gpt2"), covers(r"\d+|\D"), covers(r"\d+")
    (True, True, False)
    """
    return _automaton_of(Stage(expression)).gaps is None


def _automaton_of(stage: Stage) -> Automaton:
    """Return the automaton of a stage. PatternError if it has none."""
    if stage.expression in PATTERNS:
        return of_named(stage.expression)
    try:
        _compiled(stage.expression)
    except PatternError as fault:
        raise PatternError(f"Of the pipeline's stage {stage.expression[:80]!r}: {fault.what}", fault.way_out) from None
    found = of_custom(stage.expression, skips=True)
    if isinstance(found, Automaton):
        return found
    raise PatternError(
        f"The stage {stage.expression[:80]!r} of the pipeline has {found}, which only the package regex can match.",
        "Write an expression without it.",
    )


def matches_of_stage(text: str, expression: str) -> NDArray[np.int64]:
    r"""Find the matches of a stage's expression: int64[n, 2], the first character of each and the one after its last.

    PatternError if no automaton can match it, or if it reads a text again and again.

    >>> matches_of_stage("né 12", r"\p{N}+").tolist()
    [[3, 5]]
    """
    data, stage = text.encode(), Stage(expression)
    ends, _, gaps = _cut_by(stage, data, np.array([len(data)] if data else [], np.int64))
    spans = np.stack([np.append(0, ends)[: len(ends)], ends], axis=1)[~gaps]
    return np.searchsorted(byte_offsets(text), spans)


def left_out(data: bytes, pattern: str) -> NDArray[np.bool_]:
    r"""Tell which bytes of a text in UTF-8, or of chunks of one, a pipeline leaves out: bool, one a byte.

    No half of a character is left out by its class.

    >>> left_out(b"a b", 'stages:\nremoved "\\\\s"').tolist()
    [False, True, False]
    """
    gone = np.zeros(len(data), np.bool_)
    whole = data.decode(errors="surrogateescape").encode(errors="replace")  # each byte of a half becomes "?"
    halves = np.frombuffer(whole, np.uint8) != np.frombuffer(data, np.uint8)
    for stage in stages_of(pattern):
        if stage.behavior == "removed":
            read = data if stage.of_bytes else whole
            ends, _, gaps = _cut_by(stage, read, np.array([len(data)] if data else [], np.int64))
            left = np.repeat(gaps == stage.inverted, np.diff(ends, prepend=0))
            gone |= left if stage.of_bytes else left & ~halves
    return gone


def _cut_in_stages(data: bytes, stages: Sequence[Stage]) -> NDArray[np.int64]:
    """Cut a text with each stage of a pipeline in turn. PatternError if one reads the text again and again."""
    ends = np.array([len(data)] if data else [], np.int64)
    for stage in stages:
        if stage.expression != "none":
            ends, closes, gaps = _cut_by(stage, data, ends)
            ends = ends[np.append(stage.cuts(~gaps), True) | closes]
    return ends


def _cut_by(
    stage: Stage, data: bytes, pieces: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Find where each match and each gap of a stage ends, at which of them a piece ends, and which are gaps.

    pieces: int64, where the pieces end that the stage cuts.
    """
    if stage.of_bytes:
        text = characters_of(data)
        places = byte_offsets(text)
        ends, closes, gaps = _cut_by(stage._replace(of_bytes=False), text.encode(), places[pieces])
        return np.searchsorted(places, ends), closes, gaps
    automaton = _automaton_of(stage)
    ends = chunk_ends(np.frombuffer(data, np.uint8), pieces, automaton.symbols, automaton.table)
    if data and (not len(ends) or ends[-1] != len(data)):
        raise PatternError(
            f"The stage {stage.expression[:80]!r} of the pipeline reads the same text again and again.",
            "Make it simpler, or use a shorter text.",
        )
    closes = np.isin(ends, pieces, assume_unique=True)
    gaps = _gaps(data, ends, closes, automaton)
    one_gap = gaps[:-1] & gaps[1:]  # characters that nothing matched, side by side
    stay = np.append(~one_gap, True) | closes
    return ends[stay], closes[stay], gaps[stay]


def _gaps(data: bytes, ends: NDArray[np.int64], closes: NDArray[np.bool_], automaton: Automaton) -> NDArray[np.bool_]:
    """Tell which chunks of a stage are characters that it did not match: bool, one a chunk.

    ends: int64, where the chunks end.
    closes: bool, at which of them a piece ends.
    """
    if automaton.gaps is None:
        return np.zeros(len(ends), bool)
    leads = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    last = np.cumsum(leads)[ends - 1] - 1  # the number of the last character of each chunk
    symbols = np.append(automaton.symbols[np.frombuffer(data.decode().encode("utf-32-le"), np.uint32)], 0)
    behind = np.where(closes, 0, symbols[last + 1])
    gaps: NDArray[np.bool_] = (np.diff(last, prepend=-1) == 1) & automaton.gaps[symbols[last], behind]
    return gaps


def matches_in(text: str, pattern: str, to_bytes: NDArray[np.int64], seconds: float | None = None) -> Iterator[Any]:
    """Yield the matches of a regular expression in a text. Each must begin where the last one ended.

    to_bytes: the byte offset of each character, for errors. seconds: as in `cut`. Raises PatternError, with the byte
    offset, if the matches do not cover the text or take too long; and, before any match, if it has groups that repeat
    and the text is long: `regex` keeps each place at which such a group matched until the whole match ends.

    `regex` measures its timeout in CPU time of the whole process, other threads included. So the timeout only stops a
    single match that never ends, and the budget for all matches is measured in the time of this thread. An iterator has
    one timeout for all its matches, so each match that is not empty gets an iterator of its own.
    """
    compiled = _compiled(pattern)
    captures = compiled.groups * len(text) if _REPEATS.search(pattern) else 0
    if captures > CAPTURES_LIMIT:
        raise PatternError(
            f"The split pattern has {count_of(compiled.groups, 'group')}, some of which repeat, and this text has "
            f"{len(text):,} characters: that makes {captures:,} together, and {CAPTURES_LIMIT:,} are the limit.",
            "Write (?:...) in place of (...), which keeps nothing of what it matched, or use a shorter text.",
        )
    budget = min(BUDGET_SECONDS * (1 + len(text) / 1e6), MOST_SECONDS) if seconds is None else seconds
    begun = time.thread_time()
    reached = 0
    while True:
        matches = compiled.finditer(text, pos=reached, concurrent=True, timeout=bounds.now().match_seconds)
        try:
            match = next((match for match in matches if match.end() > match.start()), None)
        except (TimeoutError, MemoryError):  # a recursive pattern, (?R), runs out of memory first
            raise _runaway("One match took too long", reached, to_bytes, _POSSESSIVE) from None
        if time.thread_time() - begun > budget:
            why = f"All matches together took more than {budget:,.3g} seconds"
            raise _runaway(why, reached, to_bytes, "Make it simpler, or use a shorter text. Python can give more time.")
        if match is None:
            break
        start, end = match.span()
        if start != reached:
            raise _gap(pattern, text, reached, start, to_bytes)
        yield match
        reached = end
    if reached != len(text):
        raise _gap(pattern, text, reached, len(text), to_bytes)


def _gap(pattern: str, text: str, start: int, end: int, to_bytes: NDArray[np.int64]) -> PatternError:
    if end < start:  # \K or (?r) makes matches overlap or run backwards
        start, end = end, start
    first, last = int(to_bytes[start]), int(to_bytes[end])
    check_no_name(pattern, first)
    shown = text[start:end] if end - start <= 20 else text[start : start + 20] + "…"
    return PatternError(
        f"The split pattern does not cover the text: it skips bytes {first:,} to {last:,}, {shown!r}.",
        "Add |[\\s\\S] at its end, so that no text is lost.",
        offset=first,
    )


def _runaway(why: str, reached: int, to_bytes: NDArray[np.int64], way_out: str) -> PatternError:
    offset = int(to_bytes[reached])
    what = f"The split pattern runs away. {why}, and it was stopped at byte {offset:,}."
    return PatternError(what, way_out, offset=offset)


@functools.lru_cache(maxsize=16)  # the longest take some megabytes each
def _compiled(pattern: str) -> Any:
    most = bounds.now().pattern_characters
    if len(pattern) > most:
        raise PatternError(
            f"The split pattern has {len(pattern):,} characters, and {most:,} are the limit.", "Make it shorter."
        )
    check_copies(pattern, "split pattern", PatternError)
    try:
        return regex.compile(pattern, cache_pattern=False)  # `regex` itself would keep hundreds
    except regex.error as fault:
        raise PatternError(
            f"The split pattern does not compile: {fault}.",
            f"Correct it there. Patterns with a name are {listed([*PATTERNS])}.",
        ) from None
    except (RecursionError, OverflowError, MemoryError, ValueError) as fault:
        raise PatternError(f"The split pattern does not compile: {fault}.", "Make it shorter.") from None


def byte_offsets(text: str) -> NDArray[np.int64]:
    """Compute int64[characters + 1]: character offset -> byte offset in UTF-8."""
    if text.isascii():
        return np.arange(len(text) + 1)
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    return np.concatenate([[0], np.cumsum(utf8_widths(points))])
