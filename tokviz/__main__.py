"""`python -m tokviz` and `tokviz`: the command line."""

import os
import signal
import sys
from typing import Any


def main() -> None:
    """Run the command line. Ctrl+C while it is imported ends the program, as it does later.

    Without the packages that only commands need, it says how to install them.
    """

    def end(*_: Any) -> None:
        os._exit(130)

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
    try:
        from tokviz import cli
    except ModuleNotFoundError as lacking:
        if (lacking.name or "tokviz").startswith("tokviz"):
            raise
        extra = "app" if sys.argv[1:2] == ["app"] else "cli"
        install = f'python -m pip install "tokviz-bpe[{extra}]"'
        sys.exit(f"Error: The command line needs {lacking.name}. Install it with: {install}")
    signal.signal(signal.SIGINT, before)
    cli.main()


if __name__ == "__main__":
    main()
