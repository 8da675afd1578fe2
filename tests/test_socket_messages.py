"""Messages of every wrong shape, size and order end in a reply or a closed socket, and trouble nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from tests.class_clients import start_server
from tests.socket_messages import GOOD, SOCKETS, Message, conversations, hold
from tokviz.ui.server.ask import QUESTIONS


@pytest.fixture(autouse=True)
def _server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_server(tmp_path, monkeypatch)


def test_every_question_of_a_page_is_among_the_messages() -> None:
    assert {message["ask"] for message in GOOD["ask"]} == QUESTIONS.keys()


@pytest.mark.parametrize("room", SOCKETS)
def test_every_conversation_ends_well(room: str) -> None:
    @given(said=conversations(room))
    def ends_well(said: list[Message]) -> None:
        hold(room, said)

    ends_well()
