"""`python -m tokviz` and `tokviz`: the command line."""

import os
import signal
from typing import Any


def main() -> None:
    """Run the command line. Ctrl+C while it is imported ends the program, as it does later."""

    def end(*_: Any) -> None:
        os._exit(130)

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)
    from tokviz import cli

    signal.signal(signal.SIGINT, before)
    cli.main()


if __name__ == "__main__":
    main()
