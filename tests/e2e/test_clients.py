"""Several visitors at once, without browsers: each gets the right answers, and none sees what is another's."""

from __future__ import annotations

import asyncio

import pytest

from tests.benchmarks.clients import in_thread
from tests.e2e.browser import Server
from tests.load.group import Group
from tests.load.live import for_so_long
from tests.load.person import Heard
from tests.waiting import PATIENCE_S

DONE = {"a key on Tokens", "a run of /compare", "a question on Replay", "a key in a corpus", "a question on Learn"}


@pytest.mark.long
def test_six_visitors_at_once_get_their_own_answers(server: Server) -> None:
    heard, patience = Heard(), for_so_long(PATIENCE_S)

    def going() -> bool:
        return not (heard.times.keys() >= DONE and heard.checked >= 10) and not heard.errors and patience()

    async def use() -> None:
        group = Group(server.url, 6, heard, ["type", "compare", "replay", "write", "learn", "type"])
        group.prepare()
        await group.use(going)

    in_thread(lambda: asyncio.run(use()))
    assert not heard.errors
    assert not heard.crossings
    assert heard.times.keys() >= DONE
    assert heard.checked >= 10
