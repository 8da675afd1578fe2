"""The states of the page Library."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("library.opened", "/library"),)
