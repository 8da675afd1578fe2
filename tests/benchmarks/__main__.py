"""`python -m tests.benchmarks [library|frames|typing]`: all, or some of them."""

import sys

from tests.benchmarks import frames, library, typing

for name, part in {"library": library, "frames": frames, "typing": typing}.items():
    if name in (sys.argv[1:] or ["library", "frames", "typing"]):
        print(name)
        part.main()
