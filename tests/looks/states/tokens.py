"""The states of the page Tokens."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("tokens.opened", "/"),)
