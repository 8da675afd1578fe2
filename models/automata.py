"""Compile the named split patterns: python models/automata.py

They are stored in tokviz/data/automata.json, so that nobody waits for the compiler. A test compiles them again and
compares. Run this script when a pattern, a class of characters or the compiler has changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tokviz.split.automaton import AUTOMATA, compile_named
from tokviz.split.cutting import ANY, PATTERNS

if __name__ == "__main__":
    automata = compile_named({name: pattern.regex or ANY for name, pattern in PATTERNS.items()})
    AUTOMATA.write_text(automata, encoding="utf-8", newline="\n")
    print(f"{AUTOMATA.name}: {AUTOMATA.stat().st_size:,} bytes")
