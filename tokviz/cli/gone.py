"""Says what to use instead of what only earlier versions had on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

_TO_ARRAYS = (
    "encode no longer writes arrays of ids. Export the tokenizer with `tokviz convert`, which proves the files, and "
    "encode with the package that they are for."
)
_BUDGET = "`tokviz count PATH... -t NAME --budget N` exits with 1 if a file has more than N tokens."
# A command, or a command and an option of it -> what a call of it prints.
GONE = {
    "waste": "The command waste is gone. `tokviz app` has its table on the page Compare.",
    "check": f"The command check is gone. {_BUDGET}",
    "count --baseline": f"count no longer writes baselines. {_BUDGET}",
    "encode --out": _TO_ARRAYS,
    "encode --format": _TO_ARRAYS,
    "encode --threads": _TO_ARRAYS,
    "encode --force": _TO_ARRAYS,
    "train --most-chunks": "The option --most-chunks is gone: rare chunks are no longer pruned. Leave it out.",
}


def gone(call: Sequence[str]) -> str | None:
    """Find the sentence for what is gone in a call: a command, and what follows it. None if all of it exists.

    >>> gone(["count", "a.txt", "--baseline=b.json"])[:33], gone(["count", "--", "--baseline"])
    ('count no longer writes baselines.', None)
    """
    command, *words = call
    options = (word.partition("=")[0] for word in takewhile(lambda word: word != "--", words))
    return next((GONE[key] for key in (command, *(f"{command} {one}" for one in options)) if key in GONE), None)
