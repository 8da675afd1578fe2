"""`python -m tests.benchmarks [library [sizes in MB]|counting|large|frames|typing]`: those named, or most of them."""

import importlib
import sys

asked = [name for name in sys.argv[1:] if not name.isdigit()] or ["library", "counting", "frames", "typing"]
for name in asked:
    print(name, flush=True)
    importlib.import_module(f"tests.benchmarks.{name}").main()
