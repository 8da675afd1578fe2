"""How much the server keeps of all visitors: what counts, what goes first when there is too much, and who is told."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
import streamlit as st

import tokviz
from tests.test_visitors import TOKENIZER, Clock, clock, people
from tests.test_visitors_memory import prose, trained
from tokviz.base.errors import SettingError
from tokviz.tokenizer.live_text import LiveText
from tokviz.ui.frame.training import TrainingWork
from tokviz.ui.frame.widgets import TabState
from tokviz.ui.server.budget import shrink
from tokviz.ui.server.holdings import Lost
from tokviz.ui.server.registry import MB, PRESENT_S, Visitors
from tokviz.ui.server.start import start_notes
from tokviz.ui.server.visitor import Visitor, shared, why_read_only

__all__ = ["clock", "people"]


def corpus(name: str, size: int = MB) -> tokviz.Text:
    return tokviz.read_text(b"x" * size, name=name)


# -- what goes first --


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

    people.limit_each = person.held - 1
    people.keep_limits(person)
    assert person.lost[-1] == Lost("tokenizer", "mine") and person.trained == [] and person.current is None
    assert len(person.text) == 3 * MB

    person.own_texts = ["o" * MB, "p" * MB]
    person.weigh()
    people.limit_each = person.held - 1
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


def test_letting_go_of_many_files_weighs_everything_only_a_few_times(
    people: Visitors, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, weighed, weigh = people.of("a"), [], Visitor.weigh
    person.corpus = [corpus(f"{n}.txt", 10_000) for n in range(600)]
    monkeypatch.setattr(Visitor, "weigh", lambda person: weighed.append(person) or weigh(person))
    people.keep_limits(person)
    assert 380 < len(person.corpus) < 400 and len(weighed) < 10


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


def test_a_training_that_waits_to_be_kept_is_missed(people: Visitors) -> None:
    person = people.of("a")
    waiting = TrainingWork("mine", "corpus", iter(()))
    waiting.training = tokviz.train("ab" * 2 * MB, vocab_size=300, pattern="none")
    waiting.done.set()
    person.works = {waiting.place: waiting}
    people.keep_limits(person)
    assert person.works == {} and person.lost == [Lost("unkept", "mine")]


# -- what counts --


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


def test_what_a_tab_keeps_counts_until_its_session_ends() -> None:
    person = Visitor()
    before = person.weigh()
    session = {"tokviz.workbench": TabState(data=prose(MB, 1))}
    person.tabs = [weakref.ref(session["tokviz.workbench"])]
    assert person.weigh() - before == pytest.approx(MB, rel=0.05)
    session.clear()
    gc.collect()
    assert person.weigh() == before


# -- the limits --


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


def test_shrinking_ends_when_nothing_is_freed() -> None:
    """All that is kept is in use elsewhere as well: by a live text, by a tab and by work under way."""
    person = Visitor()
    done = trained(1)
    person.add("mine", done.tokenizer, done)
    person.corpus = [tokviz.read_text(bytes(MB), "corpus.txt")]
    person.text = "t" * MB
    live = LiveText([done.tokenizer])
    live.start_with(person.text)
    person.live_texts.add(live)
    tab = TabState(text=person.text, training=done, corpus=person.corpus[0])
    person.tabs = [weakref.ref(tab)]
    for n in range(50):
        person.cache.get(n, lambda: done)
    shrunk = threading.Thread(target=shrink, args=(person, 1_000), daemon=True)
    shrunk.start()
    shrunk.join(20)
    assert not shrunk.is_alive()
    assert not person.trained and not person.corpus and len(person.cache) == 0
    assert [lost.kind for lost in person.lost] == ["corpus", "training", "tokenizer", "text"]
    assert person.weight == person.weigh() > 3 * MB


def test_the_cache_goes_by_halves() -> None:
    person = Visitor()
    for n in range(64):
        person.cache.get(n, lambda: bytes(100_000))
    shrink(person, 4 * MB)
    assert len(person.cache) == 32 and 63 in person.cache and 31 not in person.cache


def test_visitors_without_a_cookie_count_among_all() -> None:
    """Their session keeps them. They make room, and room is made for them, like everybody else."""
    clock = [0.0]
    people = Visitors(limit=5 * MB, limit_each=4 * MB, now=lambda: clock[0])
    nobody = Visitor()
    nobody.corpus = [tokviz.read_text(bytes(3 * MB), "corpus.txt")]
    people.keep_limits(nobody)
    clock[0] = 1
    known = people.of("known")
    known.corpus = [tokviz.read_text(bytes(3 * MB), "corpus.txt")]
    people.keep_limits(known)
    assert not nobody.corpus and nobody.lost == [Lost("corpus", "corpus.txt")] and known.corpus
    nobody.corpus = [tokviz.read_text(bytes(5 * MB), "large.txt")]
    people.keep_limits(nobody)
    assert not nobody.corpus and known.corpus, "the limit of each holds for them too"
    nobody.corpus = [tokviz.read_text(bytes(3 * MB), "again.txt")]
    clock[0] = 2
    people.keep_limits(nobody)
    assert nobody.corpus and not known.corpus
    gone = weakref.ref(nobody)
    del nobody
    gc.collect()
    assert gone() is None and len(people) == 1, "nothing but the session keeps them"
