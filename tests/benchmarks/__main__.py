"""`python -m tests.benchmarks [PART] [what it takes]`, where PART is one of those below; without it, all of PARTS."""

import importlib
import sys

PARTS = (
    "library",
    "frames",
    "start",
    "typing",
    "writing",
    "files",
    "short",
    "vocabulary",
)
# They take many minutes, or much memory.
WHEN_NAMED = ("class", "counts-file", "hostile-visitor", "limits", "patterns", "scaling")
MODULES = {
    "counts-file": "counts_file",
    "class": "whole_class",
    "hostile-visitor": "hostile_visitor",
}  # where a part's name is none that a module can have

asked = [word for word in sys.argv[1:] if word in PARTS + WHEN_NAMED] or PARTS
sys.argv[1:] = [word for word in sys.argv[1:] if word not in asked]
for name in asked:
    print(name, flush=True)
    importlib.import_module(f"tests.benchmarks.{MODULES.get(name, name)}").main()
