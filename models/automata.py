"""Compile the named split patterns: python models/automata.py

They are kept as data, tokviz/data/automata.json, so that nobody waits for it; a test compiles them anew and compares.
To be run again when a pattern, a class of characters or the compiler changes.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tokviz.automaton import AUTOMATA
from tokviz.split import automata_to_store

if __name__ == "__main__":
    AUTOMATA.write_text(automata_to_store(), encoding="utf-8", newline="\n")
    print(f"{AUTOMATA.name}: {AUTOMATA.stat().st_size:,} bytes")
