"""The states of the page Train."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("train.opened", "/train"),)
