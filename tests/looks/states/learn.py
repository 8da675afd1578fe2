"""The states of the page Learn."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("learn.opened", "/learn"),)
