"""`python -m tests.benchmarks [PART] [what it takes]`, where PART is one of those below; without it, most of them."""

import importlib
import sys

PARTS = (
    "library",
    "counting",
    "frames",
    "counts",
    "start",
    "typing",
    "writing",
    "files",
    "sample",
    "vocabulary",
    "waste",
    "class",
    "hostile-visitor",
    "large",
    "limits",
)
MODULES = {
    "class": "whole_class",
    "hostile-visitor": "hostile_visitor",
}  # where a part's name is none that a module can have

asked = [word for word in sys.argv[1:] if word in PARTS] or PARTS[:-3]
sys.argv[1:] = [word for word in sys.argv[1:] if word not in PARTS]
for name in asked:
    print(name, flush=True)
    importlib.import_module(f"tests.benchmarks.{MODULES.get(name, name)}").main()
