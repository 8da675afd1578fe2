"""How much the server keeps of all visitors: what goes where there is too much, of whom, and who is told."""

from __future__ import annotations

import gc
import weakref
from contextlib import ExitStack

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import app, at, button, notes
from tests.test_visitors import TOKENIZER, Clock, clock, people
from tokviz.base.errors import SettingError
from tokviz.ui.frame.training import told
from tokviz.ui.server.registry import MB, PRESENT_S, Visitors
from tokviz.ui.server.start import start_notes
from tokviz.ui.server.visitor import Visitor, shared, why_read_only
from tokviz.ui.server.work import Work

__all__ = ["app", "clock", "people"]


def corpus(size: int, name: str = "corpus.txt") -> tokviz.Text:
    return tokviz.read_text(b"x" * size, name=name)


def fill(people: Visitors, name: str, size: int = 3 * MB, *, cached: int = 0) -> Visitor:
    """Somebody who did something here, and keeps so many bytes."""
    person = people.of(name)
    person.active, person.corpus = True, [corpus(size)]
    if cached:
        person.cache.get("computed", lambda: bytes(cached))
    people.keep_limits(person)
    return person


# -- one visitor --


def test_over_ones_limit_the_cache_goes_and_nothing_else(people: Visitors) -> None:
    person = fill(people, "a", 3 * MB)
    for n in range(4):
        person.cache.get(n, lambda: bytes(400_000))
    people.keep_limits(person)
    assert [n in person.cache for n in range(4)] == [False, False, True, True], "what was used least recently"
    person.text = "t" * 3 * MB
    people.keep_limits(person)
    assert person.cache.n_bytes == 0 and person.corpus and len(person.text) == 3 * MB


def test_what_would_be_too_much_is_refused_with_the_way_out(people: Visitors) -> None:
    person = fill(people, "a", 3 * MB)
    person.cache.get("computed", lambda: bytes(800_000))
    assert people.why_no_room(person, 100_000) == "" and "computed" in person.cache
    assert people.why_no_room(person, 500_000) == "" and person.cache.n_bytes == 0, "the cache makes room"
    assert "You can keep 4 MB on this server" in (why := people.why_no_room(person, MB)) and "Remove what" in why
    mine = person.add("mine", TOKENIZER, tokviz.train("ab" * MB, vocab_size=300, pattern="none"))
    assert people.why_no_room(person, 0) and person.corpus and mine.training, "still nothing goes"


# -- all together --


def test_of_those_who_are_away_the_caches_go_first_and_then_all_of_who_left_first(
    people: Visitors, clock: Clock
) -> None:
    people.limit_each = people.limit
    first, second = (fill(people, name, 2 * MB, cached=900_000) for name in ("first", "second"))
    clock.s = PRESENT_S + 1
    here = fill(people, "here", 3 * MB, cached=900_000)
    assert all("computed" in one.cache for one in (first, second, here)), "10 MB are just enough"
    assert people.why_no_room(here, 900_000) == "" and first.cache.n_bytes == 0 and "computed" in second.cache
    fill(people, "more", 2 * MB)
    assert second.cache.n_bytes == 0 and people.counted()[2] > 9 * MB, "nobody is forgotten without need"
    fill(people, "most", 2 * MB)
    assert people.find("second") is second and people.find("first") is None and here.corpus


def test_nothing_goes_of_who_is_present_connected_or_at_work(people: Visitors, clock: Clock) -> None:
    people.limit_each = people.limit
    with people.connected("open", ""):
        opened, works = fill(people, "open"), fill(people, "works")
        work = Work("train", None, told(iter(())))
        works.works = {"train": work}
        clock.s = PRESENT_S + 1
        here = fill(people, "here")
        assert "others who are here use it" in people.why_no_room(here, 2 * MB)
        assert [people.find(name) for name in ("open", "works", "here")] == [opened, works, here]
        work.done.set()
        clock.s += PRESENT_S + 1
        here = people.of("here")
        assert people.why_no_room(here, 2 * MB) == "" and people.find("works") is None and here.corpus


def test_visitors_without_a_cookie_count_as_long_as_their_session_keeps_them(people: Visitors) -> None:
    nobody = Visitor(corpus=[corpus(3 * MB)])
    people.keep_limits(nobody)
    people.limit = 4 * MB
    assert people.why_no_room(people.of("a"), 2 * MB)
    gone = weakref.ref(nobody)
    del nobody
    gc.collect()
    assert gone() is None and people.why_no_room(people.of("a"), 2 * MB) == ""


def test_who_did_nothing_goes_first_and_then_who_is_away_of_the_largest_address(clock: Clock) -> None:
    """520 page loads from one address, each with a cookie of its own, threw out everybody who was away."""
    people = Visitors(limit=MB, limit_each=MB, now=clock, most=20)
    class_of_ten = [people.of(f"class {n}", "192.0.2.1") for n in range(10)]
    for person in class_of_ten:
        person.active = True
    for n in range(100):
        people.of(f"idle {n}", "192.0.2.2")
    for n in range(100):
        people.of(f"busy {n}", "192.0.2.2").active = True
    people.of("last", "192.0.2.2")
    assert [people.find(f"class {n}") for n in range(10)] == class_of_ten and people.counted()[1] == 20


def test_pages_that_are_open_and_rest_throw_nobody_out(clock: Clock) -> None:
    people = Visitors(limit=MB, limit_each=MB, now=clock, most=20)
    away = [fill(people, f"away {n}", 1_000) for n in range(20)]
    with ExitStack() as open_pages:
        for n in range(100):
            open_pages.enter_context(people.connected(f"idle {n}", "192.0.2.2"))
            people.of(f"idle {n}", "192.0.2.2")
        assert [people.find(f"away {n}") for n in range(20)] == away


def test_who_comes_back_and_lost_something_is_told_so(people: Visitors) -> None:
    worked, _ = fill(people, "worked"), people.of("looked")
    people.most = 0
    people.keep_limits(worked)
    people.most = 2
    assert people.of("worked").let_go and not people.of("looked").let_go
    assert people.of("worked").let_go, "until a page has said so"


def test_the_page_says_it_until_it_is_left(app: AppTest) -> None:
    me = app.session_state["tokviz.visitor"]
    me.let_go = True
    said = "Your work was removed while you were away. The server had no more room for it."
    assert said in notes(app.run()) and said in notes(app.run())
    assert said not in notes(at(app, "compare")) and said not in notes(at(app, "tokens"))


def test_who_typed_or_pressed_something_has_done_something(app: AppTest) -> None:
    typed = Visitor()
    typed.type("so it goes", "here")
    assert typed.active and not Visitor().active
    app = at(app, "train")
    app.session_state["tokviz.visitor"].active = False
    button(app, "Start over").click().run()
    assert app.session_state["tokviz.visitor"].active


# -- who shares a server --


@pytest.mark.parametrize(
    ("said", "address", "many"),
    [
        (None, "127.0.0.1", False),
        (None, "localhost", False),
        (None, "::1", False),
        (None, "0.0.0.0", True),
        (None, "192.0.2.14", True),
        (None, None, True),  # all addresses
        ("", "0.0.0.0", True),
        ("0", "0.0.0.0", False),
        ("1", "127.0.0.1", True),
        *((word, "127.0.0.1", True) for word in ("true", "yes", "on", "TRUE")),
        *((word, "0.0.0.0", False) for word in ("false", "no", "off", "No")),
    ],
)
@pytest.mark.right
def test_a_server_that_others_can_reach_is_shared_until_it_is_told_differently(
    monkeypatch: pytest.MonkeyPatch, said: str | None, address: str | None, many: bool
) -> None:
    monkeypatch.setattr(st, "get_option", {"server.address": address}.get)
    monkeypatch.delenv("TOKVIZ_SHARED", raising=False)
    if said is not None:
        monkeypatch.setenv("TOKVIZ_SHARED", said)
    assert shared() == many == bool(why_read_only())
    assert ("TOKVIZ_SHARED=0" in why_read_only()) == (many and not said)
    assert start_notes() == [] if said or not many else "TOKVIZ_SHARED=0" in "".join(start_notes())


@pytest.mark.right
def test_another_word_than_yes_or_no_ends_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """`true` was read as no, which opened the library to everybody."""
    monkeypatch.setenv("TOKVIZ_SHARED", "maybe")
    with pytest.raises(SettingError, match=r"TOKVIZ_SHARED is 'maybe'\. Set it to 1 "):
        shared()
