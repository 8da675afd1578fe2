"""The states of the page Vocabulary."""

from __future__ import annotations

from tests.looks.state import State

STATES = (State("vocabulary.opened", "/vocabulary"),)
