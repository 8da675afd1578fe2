"""What the server remembers of a visitor, for how long, and what goes first when there is too much."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.ui.frame.widgets import TabState
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.train.state import TrainState
from tokviz.ui.visitors import registry
from tokviz.ui.visitors.cookie import KEPT_S, new_key
from tokviz.ui.visitors.holdings import Lost
from tokviz.ui.visitors.registry import MB, PRESENT_S, Visitors
from tokviz.ui.visitors.visitor import OWN_SERIES, Visitor, shared
from tokviz.ui.work.training import TrainingWork

ROOT = Path(__file__).parents[1]
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


def corpus(name: str, size: int = MB) -> tokviz.Text:
    return tokviz.read_text(b"x" * size, name=name)


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


def test_the_way_back_leads_to_the_latest_text_first() -> None:
    person = Visitor()
    person.type("first", "here")
    person.lend("sample")
    person.type("sample, changed", "here")
    person.lend("another sample")
    person.back()
    assert person.text == "sample, changed"
    person.back()
    assert (person.text, person.own_texts) == ("first", ["sample, changed"])


def test_a_colour_is_kept_until_its_tokenizer_is_dropped() -> None:
    person = Visitor()
    mine = [person.add(f"no. {n}", TOKENIZER) for n in range(len(OWN_SERIES))]
    assert [one.series for one in mine] == ["yours", "other1", "other2", "other3", "other4"]
    person.drop(mine[1].key)
    assert [one.series for one in person.trained] == ["yours", "other2", "other3", "other4"]
    again = person.add("again", TOKENIZER)
    assert again.series == "other1" and person.trained[-1] is again
    assert len({one.key for one in [*mine, again]}) == len(mine) + 1, "a key is never given twice"


def test_the_sixth_tokenizer_is_refused_with_the_way_out() -> None:
    person = Visitor()
    for n in range(len(OWN_SERIES)):
        assert person.room == len(OWN_SERIES) - n
        person.add(f"no. {n}", TOKENIZER)
    assert person.room == 0
    with pytest.raises(tokviz.TokvizError, match="Remove one"):
        person.add("one more", TOKENIZER)
    assert len(person.trained) == len(OWN_SERIES)


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


def test_two_tabs_that_add_at_once_get_two_colours() -> None:
    person = Visitor()
    start = threading.Barrier(len(OWN_SERIES))

    def add() -> None:
        start.wait()
        person.add("x", TOKENIZER)

    threads = [threading.Thread(target=add) for _ in OWN_SERIES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {mine.series for mine in person.trained} == set(OWN_SERIES)
    assert len({mine.key for mine in person.trained}) == len(OWN_SERIES)


# -- how long --


def test_tabs_share_a_visitor_and_others_do_not(people: Visitors) -> None:
    person = people.of("a")
    person.text = "typed"
    assert people.of("a") is person
    assert people.of("b").text != "typed"


def test_a_visitor_is_kept_for_two_hours_after_the_last_time(people: Visitors, clock: Clock) -> None:
    person = people.of("a")
    clock.s = KEPT_S - 1
    assert people.of("a") is person
    clock.s += KEPT_S
    assert people.of("a") is person
    clock.s += KEPT_S + 1
    assert people.of("a") is not person
    clock.s += KEPT_S + 1
    people.of("b")
    assert len(people) == 1, "who is gone takes no room"


def test_starting_over_drops_state_and_key(people: Visitors, clock: Clock) -> None:
    people.of("old").text = "secret"
    people.start_over("old")
    new = people.current("old")
    assert new != "old" and people.current(new) == new
    assert people.of("old").text != "secret"
    assert people.of("old") is people.of(new), "a tab that is still open goes on, and loses nothing at the next load"
    people.start_over("old")
    newer = people.current("old")
    assert newer not in ("old", new) and people.current(new) == newer
    clock.s += KEPT_S + 1
    people.of("other")
    assert people.current("old") == "old", "in the end nothing is left of it"
    assert len(people) == 1


def test_starting_over_stops_work_and_never_gives_a_key_again(people: Visitors) -> None:
    person = people.of("old")
    first = person.add("mine", TOKENIZER)
    under_way = TrainingWork("mine", "corpus", iter(()))
    person.works = {under_way.place: under_way}
    people.start_over("old")
    assert under_way.stop.is_set(), "it would hold up the next visitor's"
    assert people.of("old").add("mine", TOKENIZER).key != first.key, "another tab may still name the first"


def test_a_training_that_waits_to_be_kept_is_missed(people: Visitors) -> None:
    person = people.of("a")
    waiting = TrainingWork("mine", "corpus", iter(()))
    waiting.training = tokviz.train("ab" * 2 * MB, vocab_size=300, pattern="none")
    waiting.done.set()
    person.works = {waiting.place: waiting}
    people.keep_limits(person)
    assert person.works == {} and person.lost == [Lost("training", "mine")]


# -- how much --


def test_corpora_go_first_and_typed_text_last(people: Visitors) -> None:
    person = people.of("a")
    opening = person.text
    person.text = "t" * 3 * MB
    mine = person.add("mine", TOKENIZER, tokviz.train("ab" * MB, vocab_size=300, pattern="none"), corpus_name="big.txt")
    person.corpus = [corpus("one.txt"), corpus("two.txt")]

    people.keep_limits(person)
    assert person.lost == [Lost("corpus", "one.txt"), Lost("corpus", "two.txt"), Lost("training", "mine")]
    assert person.corpus == [] and mine.training is None
    assert person.trained == [mine] and len(person.text) == 3 * MB, "the tokenizer and the text are still here"

    people.limit_each = person.weight - 1
    people.keep_limits(person)
    assert person.lost[-1] == Lost("tokenizer", "mine") and person.trained == [] and person.current is None
    assert len(person.text) == 3 * MB

    person.own_texts = ["o" * MB, "p" * MB]
    people.limit_each = person.weigh() - 1
    people.keep_limits(person)
    assert person.own_texts == ["p" * MB] and len(person.text) == 3 * MB, "the oldest of those put aside"

    people.limit_each = 2 * MB
    people.keep_limits(person)
    assert person.lost[-3:] == [Lost("text", "")] * 3 and person.text == opening and person.own_texts == []


def test_what_can_be_computed_again_goes_before_all_else_and_is_not_missed(people: Visitors) -> None:
    person = people.of("a")
    person.corpus = [corpus("one.txt", 3 * MB)]
    person.cache.get("the encoding of a text", lambda: bytes(2 * MB))
    people.keep_limits(person)
    assert (len(person.cache), person.lost) == (0, []) and person.corpus


def test_only_as_much_goes_as_must(people: Visitors) -> None:
    person = people.of("a")
    person.corpus = [corpus(f"{n}.txt") for n in range(5)]
    people.keep_limits(person)
    assert [text.name for text in person.corpus] == ["2.txt", "3.txt", "4.txt"], "the oldest goes first"
    assert person.weight <= people.limit_each
    people.keep_limits(person)
    assert len(person.corpus) == 3


def fill(people: Visitors, name: str, size: int = 3 * MB) -> Visitor:
    person = people.of(name)
    person.corpus = [corpus(f"{name}.txt", size)]
    people.keep_limits(person)
    return person


def kept(people: Visitors) -> set[str]:
    return {name for name, person in people._visitors.items() if person.corpus}


def test_who_was_seen_longest_ago_makes_room_for_the_others(people: Visitors) -> None:
    for name in "abc":
        fill(people, name)
    people.of("a")
    fill(people, "d")
    assert kept(people) == {"a", "c", "d"}


def test_who_types_over_a_socket_is_seen_too(people: Visitors) -> None:
    for name in "abc":
        fill(people, name)
    assert people.find("a")
    fill(people, "d")
    assert kept(people) == {"a", "c", "d"}


def test_what_absent_visitors_keep_goes_before_anything_of_those_present(people: Visitors, clock: Clock) -> None:
    away = fill(people, "away")
    away.text = "t" * 2 * MB
    mine = away.add("mine", TOKENIZER)
    people.keep_limits(away)
    clock.s = PRESENT_S + 1
    for name in "ab":
        fill(people, name)
    fill(people, "c", 4 * MB - 1_000)
    assert (away.corpus, away.trained, len(away.text)) == ([], [], 2 * MB), "typed text goes last of all"
    assert away.lost == [Lost("corpus", "away.txt"), Lost("tokenizer", mine.name)]
    assert people.of("b").corpus and people.of("c").corpus and not people.of("a").corpus


def test_an_upload_takes_nothing_from_those_who_are_present(clock: Clock) -> None:
    people = Visitors(limit=10 * MB, limit_each=10 * MB, now=clock)
    gone = people.of("gone")
    gone.corpus = [corpus("gone.txt", 3 * MB)]
    people.keep_limits(gone)
    clock.s += PRESENT_S + 1
    there = fill(people, "there")
    there.cache.get("computed", lambda: bytes(2 * MB))
    people.keep_limits(there)
    here = people.of("here")
    assert people.why_no_room(here, 6 * MB) == "", "what the absent keep goes, and what can be computed again"
    assert (gone.corpus, len(there.cache)) == ([], 0) and there.corpus and not there.lost
    assert "others who are here use it" in people.why_no_room(here, 7 * MB + MB // 2)
    assert "You can keep 6 MB" in Visitors(20 * MB, 6 * MB).why_no_room(here, 7 * MB)
    assert there.corpus


def test_a_page_weighs_its_own_visitor_and_no_other(people: Visitors, monkeypatch: pytest.MonkeyPatch) -> None:
    everyone = [fill(people, str(n), 1_000) for n in range(30)]
    weighed: list[Visitor] = []
    weigh = Visitor.weigh
    monkeypatch.setattr(Visitor, "weigh", lambda person: weighed.append(person) or weigh(person))
    people.keep_limits(everyone[7])
    assert set(map(id, weighed)) == {id(everyone[7])}


def test_what_an_open_tab_shows_costs_the_visitor_nothing_else(people: Visitors) -> None:
    person = people.of("a")
    person.text = "t" * MB
    tab = TabState(data=bytes(5 * MB))
    person.tabs = [weakref.ref(tab)]
    people.keep_limits(person)
    assert person.weight > people.limit_each and len(person.text) == MB and person.lost == []


def test_what_went_is_told_once(people: Visitors) -> None:
    person = fill(people, "a", 5 * MB)
    assert person.take_lost(["tokenizer"]) == []
    assert person.take_lost(["corpus", "file"]) == [Lost("corpus", "a.txt")]
    assert person.take_lost(["corpus", "file"]) == []


def test_weight_follows_what_is_held() -> None:
    person = Visitor()
    empty = person.weigh()
    person.corpus = [corpus("x")]
    assert person.weigh() - empty == pytest.approx(MB, rel=0.01)
    training = tokviz.train("to be or not to be " * 20_000, vocab_size=270)
    person.corpus = []
    person.add("x", training.tokenizer, training)
    assert person.weigh() - empty > training.kept_bytes


def test_a_text_weighs_what_it_takes() -> None:
    person = Visitor()
    person.text = "x" * MB
    plain = person.weigh()
    person.text = "x" * (MB - 1) + "🦜"
    assert person.weigh() - plain == pytest.approx(3 * MB, rel=0.01)


def test_weighing_computes_nothing() -> None:
    training = tokviz.train("to be or not to be " * 2_000, vocab_size=270)
    person = Visitor()
    person.add("x", training.tokenizer, training)
    before = {id(thing): set(vars(thing)) for thing in (training.counts, training.kept, training.tokenizer)}
    person.weigh()
    assert before == {id(thing): set(vars(thing)) for thing in (training.counts, training.kept, training.tokenizer)}


def test_limits_are_smaller_where_many_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKVIZ_SHARED", raising=False)
    assert not shared()
    monkeypatch.setenv("TOKVIZ_SHARED", "1")
    assert shared()
    assert registry.SHARED_VISITOR_LIMIT < registry.SERVER_LIMIT


# -- widgets --


TWO_PAGES = """
import streamlit as st
from tokviz.ui.frame.widgets import bind
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.train.state import TrainState
from tokviz.ui.visitors.registry import start_over, visitor

def one():
    st.text_area("Text", **bind("one.text", "text"))
    st.number_input("Size", min_value=256, max_value=5000, **bind("one.size", "settings.vocab_size", TrainState))
    st.multiselect("Shown", ["gpt2", "cl100k_base", "o200k_base"], **bind("one.chosen", "chosen", TokensState))
    st.selectbox("Ties", ["first", "lowest", "hf"], **bind("one.tie", "settings.tie", TrainState))
    st.button("Sample", on_click=lambda: setattr(visitor(), "text", "a sample"))
    st.button("Start over", on_click=start_over)

def two():
    st.text_input("Text again", **bind("two.text", "text"))

pages = [st.Page(one, url_path="one", default=True), st.Page(two, url_path="two")]
page = st.navigation(pages)
st.session_state["go"] = st.radio("Go", ["one", "two"], key="where")
{"one": one, "two": two}[st.session_state["where"]]()
"""


@pytest.fixture
def app(tmp_path: Path) -> AppTest:
    script = tmp_path / "script.py"
    script.write_text(TWO_PAGES)
    return AppTest.from_file(str(script)).run()


def go(app: AppTest, page: str) -> AppTest:
    app = app.radio(key="where").set_value(page).run()
    assert not app.exception
    return app


def test_a_bound_widget_opens_on_the_field_and_writes_to_it(app: AppTest) -> None:
    assert not app.exception
    person: Visitor = app.session_state["tokviz.visitor"]
    assert app.text_area(key="one.text").value == person.text
    assert app.number_input(key="one.size").value == 1024
    app.text_area(key="one.text").set_value("typed").run()
    app.number_input(key="one.size").set_value(512).run()
    app.multiselect(key="one.chosen").set_value(["gpt2", "o200k_base"]).run()
    app.selectbox(key="one.tie").set_value("hf").run()
    assert not app.exception
    settings, state = person.state(TrainState).settings, person.state(TokensState)
    assert (person.text, settings.vocab_size, state.chosen) == ("typed", 512, ["gpt2", "o200k_base"])
    assert settings.tie == "hf"
    app.session_state["one.chosen"].append("cl100k_base")
    assert state.chosen == ["gpt2", "o200k_base"], "the widget's list is not the visitor's"


def test_a_field_that_the_page_changes_shows_in_the_widget(app: AppTest) -> None:
    app.text_area(key="one.text").set_value("typed").run()
    app.button[0].click().run()
    assert not app.exception and app.text_area(key="one.text").value == "a sample"


def test_a_bound_widget_survives_a_visit_to_another_page(app: AppTest) -> None:
    app.text_area(key="one.text").set_value("typed").run()
    app.number_input(key="one.size").set_value(512).run()
    go(app, "two")
    assert app.text_input(key="two.text").value == "typed"
    app.text_input(key="two.text").set_value("typed there").run()
    go(app, "one")
    assert app.text_area(key="one.text").value == "typed there"
    assert app.number_input(key="one.size").value == 512


def test_starting_over_without_a_cookie(app: AppTest) -> None:
    opening = app.text_area(key="one.text").value
    app.text_area(key="one.text").set_value("typed").run()
    app.button[1].click().run()
    assert not app.exception and app.text_area(key="one.text").value == opening


def test_with_a_cookie_a_reload_and_a_second_tab_find_it_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.py"
    script.write_text(TWO_PAGES)
    key = new_key()
    monkeypatch.setattr(registry, "_key", lambda: key)

    def load() -> AppTest:
        return AppTest.from_file(str(script)).run()

    tab = load()
    tab.text_area(key="one.text").set_value("typed").run()
    tab.selectbox(key="one.tie").set_value("lowest").run()
    other = load()
    assert not other.exception
    assert other.text_area(key="one.text").value == "typed" and other.selectbox(key="one.tie").value == "lowest"
    other.text_area(key="one.text").set_value("typed in the second tab").run()
    tab.run()
    assert tab.text_area(key="one.text").value == "typed in the second tab", "the last writer wins"

    tab.button[1].click().run()
    assert not tab.exception and tab.text_area(key="one.text").value == Visitor().text
    assert other.run().text_area(key="one.text").value != "typed in the second tab"


INTERRUPTED = """
import streamlit as st
from tokviz.ui.frame.widgets import all_drawn, bind

st.text_area("Text", **bind("one.text", "text"))
if st.session_state["interrupted"]:
    st.stop()
all_drawn()
"""


def test_a_value_whose_run_was_interrupted_is_sent_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED)
    app, sent = AppTest.from_file(str(script)), []
    for interrupted in (True, True, False, False):
        app.session_state["interrupted"] = interrupted
        sent.append(app.run().text_area(key="one.text").proto.set_value)
    assert sent == [True, True, True, False], "without it, the widget opens empty and empties the text"


def test_binding_an_unknown_field_is_a_fault(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    script = tmp_path / "script.py"
    script.write_text("from tokviz.ui.frame.widgets import bind\nbind('key', 'txt')\n")
    assert AppTest.from_file(str(script)).run().exception
    assert "'Visitor' object has no attribute 'txt'" in caplog.text
