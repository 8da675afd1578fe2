"""All states that are drawn, page by page."""

from __future__ import annotations

from tests.looks.states import class_, compare, learn, library, replay, tokens, train, vocabulary

STATES = {
    state.name: state
    for page in (tokens, train, replay, compare, vocabulary, library, learn, class_)
    for state in page.STATES
}
