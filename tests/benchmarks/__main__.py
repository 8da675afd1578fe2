"""`python -m tests.benchmarks [library [sizes in MB]|frames]`: both, or one of them."""

import importlib
import sys

asked = [name for name in sys.argv[1:] if not name.isdigit()] or ["library", "frames"]
for name in asked:
    print(name, flush=True)
    importlib.import_module(f"tests.benchmarks.{name}").main()
