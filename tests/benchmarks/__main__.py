"""Measures one part of tokviz after the other: `python -m tests.benchmarks [PART ...] [what the part takes]`."""

import importlib
import sys
from types import ModuleType

PARTS = (
    "library",
    "frames",
    "start",
    "typing",
    "selecting",
    "writing",
    "files",
    "short",
    "vocabulary",
)
# They take many minutes, or much memory.
WHEN_NAMED = (
    "at-rest",
    "bytes",
    "class",
    "counts-file",
    "first-start",
    "foreign",
    "hostile-visitor",
    "limits",
    "patterns",
    "scaling",
)
MODULES = {
    "at-rest": "at_rest",
    "counts-file": "counts_file",
    "first-start": "first_start",
    "class": "whole_class",
    "hostile-visitor": "hostile_visitor",
}  # where a part's name is none that a module can have

ALL = PARTS + WHEN_NAMED


def asked(words: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The parts that are asked for, and what is left for them. Help, and a word that is no part, end the program."""
    n_parts = next((n for n, word in enumerate(words) if word not in ALL), len(words))
    parts, rest = tuple(words[:n_parts]), words[n_parts:]
    help_is_wanted = not {"-h", "--help"}.isdisjoint(rest)
    if help_is_wanted and not parts:
        print(f"{__doc__}\n\nThe parts are {', '.join(PARTS)}.\nOnly when they are named: {', '.join(WHEN_NAMED)}.")
        sys.exit()
    if rest and not parts:
        print(f"There is no part {rest[0]!r}. The parts are {', '.join(ALL)}.", file=sys.stderr)
        sys.exit(2)
    if help_is_wanted and not (len(parts) == 1 and hasattr(module(parts[0]), "argparse")):  # which gives its own
        for part in parts:
            print(f"{part}: {module(part).__doc__}")
        sys.exit()
    return parts or PARTS, rest


def module(part: str) -> ModuleType:
    """The module that measures this part."""
    return importlib.import_module(f"tests.benchmarks.{MODULES.get(part, part)}")


if __name__ == "__main__":
    parts, sys.argv[1:] = asked(sys.argv[1:])
    for name in parts:
        print(name, flush=True)
        module(name).main()
