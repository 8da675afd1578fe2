"""The states of the page Class."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("class.opened", "/class"),)
