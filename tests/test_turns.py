"""Pages are drawn one after the other, and none waits long for another."""

from __future__ import annotations

import threading

import pytest

from tests.waiting import PATIENCE_S
from tokviz.ui.server.turns import Turns


class Another:
    """A page of another visitor. begun: set when its drawing begins. It is drawn until `end` is called."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.begun, self.over = turns, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.draw)
        self.thread.start()

    def draw(self) -> None:
        with self.turns.drawing():
            self.begun.set()
            self.over.wait(PATIENCE_S)

    def is_drawn(self) -> bool:
        return self.begun.wait(PATIENCE_S)

    def waits(self) -> bool:
        return not self.begun.wait(0.1)

    def end(self) -> None:
        self.over.set()
        self.thread.join()


def test_a_page_waits_for_the_one_that_is_drawn() -> None:
    turns = Turns(patience_s=PATIENCE_S)
    with turns.drawing():
        other = Another(turns)
        assert other.waits()
    assert other.is_drawn()
    other.end()


def test_others_are_drawn_while_a_page_only_waits() -> None:
    turns = Turns(patience_s=PATIENCE_S)
    with turns.drawing():
        with turns.waiting():
            other = Another(turns)
            assert other.is_drawn()
            other.end()
        later = Another(turns)  # now it is this page's turn again
        assert later.waits()
    assert later.is_drawn()
    later.end()


def test_a_page_that_takes_long_holds_nobody_up() -> None:
    turns = Turns(patience_s=0.05)
    with turns.drawing():
        other = Another(turns)
        assert other.is_drawn()
    other.end()


def test_a_page_that_fails_gives_its_turn_back() -> None:
    turns = Turns(patience_s=PATIENCE_S)
    with pytest.raises(ValueError, match="broken"), turns.drawing():
        raise ValueError("broken")
    other = Another(turns)
    assert other.is_drawn()
    other.end()


def test_whoever_has_no_turn_gives_none_back() -> None:
    """A callback waits before its page is drawn."""
    turns = Turns(patience_s=PATIENCE_S)
    with turns.waiting():
        pass
    first = Another(turns)
    assert first.is_drawn()
    second = Another(turns)
    assert second.waits()
    first.end()
    assert second.is_drawn()
    second.end()
