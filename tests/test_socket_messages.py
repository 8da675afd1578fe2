"""Messages of every wrong shape, size and order end in a reply or a closed socket, and trouble nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from tests.class_clients import start_server
from tests.socket_messages import SOCKETS, Message, conversations, hold


@pytest.fixture(autouse=True)
def _server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_server(tmp_path, monkeypatch)


@pytest.mark.parametrize("room", SOCKETS)
def test_every_conversation_ends_well(room: str) -> None:
    @given(said=conversations(room))
    def ends_well(said: list[Message]) -> None:
        hold(room, said)

    ends_well()
