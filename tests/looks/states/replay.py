"""The states of the page Replay."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("replay.opened", "/replay"),)
