"""Writing a corpus on the Train page, which is trained anew at each key: thirty people at once over their sockets."""

from __future__ import annotations

from tests.benchmarks.clients import clients
from tests.e2e.browser import serving


def main() -> None:
    with serving() as server:
        clients(server, "train")
