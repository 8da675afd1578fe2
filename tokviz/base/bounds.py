"""Says how much a pattern, a vocabulary and a file may take before the library refuses it with a sentence.

The bounds below only stop what would fill the memory of a machine. A program that serves others sets lower ones when it
starts, as the app does with the limits of its visitors:

    bounds.use(Bounds(pattern_characters=10_000, model_file_mb=256))

MB is 1,000,000 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """Holds the limits of what the library accepts.

    pattern_characters: int, of a split pattern that is no name.
    match_seconds: float, seconds of CPU time of the process that one match of an own pattern may take.
    chunk_mb: float, of one chunk where a text is encoded piece by piece; that needs 80 times as much memory.
    chunks_mb: float, of the distinct chunks of texts that are trained on; that needs 25 times as much memory. Counts
        that were made before have no bound.
    vocabulary: int, tokens of a vocabulary that is trained.
    file_tokens: int, tokens in a file of another program, special tokens among them; names in the JSON of any file.
    vocabulary_mb: float, of the bytes of all its tokens; 30 merges that each double a token make more.
    exported_mb: float, of the same in formats that spell each token out; to write them takes 12 times as much memory.
    specials: int, special tokens of one tokenizer.
    model_file_mb: float, of a file of a tokenizer.
    unfolded_mb: float, of the memory that the JSON of a file may take, by a careful guess.
    saved_files: int, in the folder of saved tokenizers.
    saved_mb: float, of all these files together.
    looked_up: int, characters of a text to train on that is looked up as the name of a file, to warn of it.
    """

    pattern_characters: int = 1_000_000
    match_seconds: float = 5.0
    chunk_mb: float = 1_000
    chunks_mb: float = 10_000
    vocabulary: int = 100_000_000
    file_tokens: int = 100_000_000
    vocabulary_mb: float = 2_000
    exported_mb: float = 2_000
    specials: int = 1_000_000
    model_file_mb: float = 4_000
    unfolded_mb: float = 16_000
    saved_files: int = 100_000
    saved_mb: float = 100_000
    looked_up: int = 1_000


_now = Bounds()


def now() -> Bounds:
    """Return the bounds of this process: those of `use`, else the wide ones.

    >>> isinstance(now(), Bounds)
    True
    """
    return _now


def use(bounds: Bounds) -> None:
    """Set the bounds of this process, for all its threads."""
    global _now
    _now = bounds
