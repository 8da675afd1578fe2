"""`python -m tests.benchmarks [library|frames]`: both, or one of them."""

import sys

from tests.benchmarks import frames, library

for name, part in {"library": library, "frames": frames}.items():
    if name in (sys.argv[1:] or ["library", "frames"]):
        print(name)
        part.main()
