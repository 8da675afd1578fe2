"""What the server remembers of a visitor, for how long, and what starting over does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from

import tokviz
from tests.peers_cases import peer
from tokviz.ui.frame.training import told
from tokviz.ui.server.limits import KEPT_SECONDS
from tokviz.ui.server.registry import MB, Visitors, mark
from tokviz.ui.server.visitor import OWN_SERIES, Visitor
from tokviz.ui.server.work import Work
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.train.state import TrainState

TOKENIZER = tokviz.Tokenizer("hug", merges=[(117, 103), (104, 256)], pattern="none")


class Clock:
    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(clock: Clock) -> Visitors:
    return Visitors(limit=10 * MB, limit_each=4 * MB, now=clock)


# -- one visitor --


def test_a_new_visitor_has_the_sample_to_look_at() -> None:
    person = Visitor()
    assert person.text and person.own_texts == []
    assert person.trained == [] and person.current is None and person.room == len(OWN_SERIES)
    settings = person.state(TrainState).settings
    assert settings.vocab_size == 1024 and settings.tie == "first" and settings.min_count == 1


@given(lists(sampled_from(["type", "lend", "back"])))
def test_no_text_that_was_typed_is_ever_lost(done: list[str]) -> None:
    person = Visitor()
    typed: list[str] = []
    for number, what in enumerate(done):
        if what == "type":
            if person.text in typed:  # what one writes over is one's own doing
                typed.remove(person.text)
            person.type(f"{person.text[:20]} and {number}", "here")
            typed.append(person.text)
        elif what == "lend":
            person.lend(f"sample {number % 2}")
        else:
            person.back()
        assert sorted({person.text, *person.own_texts} & set(typed)) == sorted(typed)
    seen = {person.text}
    for _ in [*person.own_texts, person.text]:
        person.back()
        seen.add(person.text)
    assert seen.issuperset(typed), "and each can be gone back to"


def test_a_colour_is_kept_until_its_tokenizer_is_dropped() -> None:
    person = Visitor()
    mine = [person.add(f"no. {n}", TOKENIZER) for n in range(len(OWN_SERIES))]
    assert [one.series for one in mine] == ["yours", "other1", "other2", "other3", "other4"]
    person.drop(mine[1].key)
    assert [one.series for one in person.trained] == ["yours", "other2", "other3", "other4"]
    again = person.add("again", TOKENIZER)
    assert again.series == "other1" and person.trained[-1] is again
    assert len({one.key for one in [*mine, again]}) == len(mine) + 1, "a key is never given twice"


def test_dropping_keeps_what_is_shown_in_step() -> None:
    person = Visitor()
    first, second = person.add("a", TOKENIZER), person.add("b", TOKENIZER)
    state = person.state(TokensState)
    state.chosen = ["gpt2", first.key, second.key]
    assert person.current == second.key and person.own(second.key) is second
    person.drop(second.key)
    assert person.current == first.key and state.chosen == ["gpt2", first.key] and person.own(second.key) is None
    person.drop(first.key)
    assert person.current is None and state.chosen == ["gpt2"]


# -- how long --


def test_a_visitor_is_kept_for_two_hours_after_the_last_time(people: Visitors, clock: Clock) -> None:
    person = people.of("a")
    clock.s = KEPT_SECONDS - 1
    assert people.of("a") is person
    clock.s += KEPT_SECONDS
    assert people.of("a") is person
    clock.s += KEPT_SECONDS + 1
    people.of("b")
    assert people.find("a") is None and people.counted() == (0, 1, 0), "who is gone takes no room"


def test_who_has_a_page_open_is_kept_however_long_it_rests(people: Visitors, clock: Clock) -> None:
    """A teacher who trains before lunch, and comes back to the open page three hours later."""
    with people.connected("a", ""):
        person = people.of("a")
        clock.s = 3 * KEPT_SECONDS
        people.of("b")
        assert people.of("a") is person
    clock.s += KEPT_SECONDS - 1
    people.of("c")
    assert people.find("a") is person, "the time begins when the last page is closed"


def test_after_starting_over_the_old_key_leads_nowhere(people: Visitors) -> None:
    people.of("old").text = "secret"
    view = mark("old") + "the text area"
    assert not people.has_left(view) and people.current("old") == "old"
    people.start_over("old")
    assert people.find("old") is None and people.counted() == (0, 0, 0)
    assert people.of("old").text != "secret" and people.of("old") is not people.of("old"), "nothing is kept under it"
    assert people.has_started_over("old") and people.has_left(view)
    new, thief = people.current("old"), people.current("old")
    assert len({"old", new, thief}) == 3, "each load of a page with it gets a key that nobody else has"
    people.of(new).text = "typed after that"
    assert people.of(new).text == "typed after that" and not people.has_left(mark(new) + "x")


def test_starting_over_stops_work(people: Visitors) -> None:
    person = people.of("old")
    under_way = Work("train", None, told(iter(())))
    person.works = {under_way.place: under_way}
    people.start_over("old")
    assert under_way.stop.is_set(), "it would hold up that of others"


# -- how many --


def test_those_away_for_longest_go_first_and_who_is_connected_never(people: Visitors, clock: Clock) -> None:
    people.most = 3
    with people.connected("b", ""):
        first = {}
        for key in "abcd":
            first[key] = people.of(key)
            first[key].active = True
        clock.s = 60
        people.find("a")  # a socket of theirs was used
        people.most = 2
        people.keep_limits(first["d"])
        assert [people.find(key) is first.get(key) for key in "abc"] == [True, True, False], "c was away for longest"


@pytest.mark.right
def test_no_two_tokenizers_of_a_visitor_have_one_name() -> None:
    person = Visitor()
    for _ in range(2):
        person.add("shells", TOKENIZER)
    words = person.add_peer("shells", peer("WordPiece"))
    assert [one.name for one in person.trained] == ["shells", "shells (2)"] and words.name == "shells (3)"
    assert person.free_name("shells", person.trained[0]) == "shells", "its own name is not taken by another"


@pytest.mark.right
def test_what_is_typed_over_a_text_from_another_tab_can_be_taken_back() -> None:
    person = Visitor()
    person.type("long", "one")
    person.type("longer", "one")
    assert person.own_texts == [], "what one sees, one may write over"
    person.type("x", "other")
    assert person.own_texts == ["longer"]
    person.back()
    assert person.text == "longer"
