"""The states of the page Compare."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("compare.opened", "/compare"),)
