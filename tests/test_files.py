"""Whole files: counted in pieces as tiktoken counts them, given up when asked; a bad file leaves the rest alone."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, permutations
from pydoc_data.topics import topics
from typing import ClassVar, TypeVar

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.oracles import witness
from tests.pages import app, button, components, notes
from tests.test_measures import headings, opened, person, table
from tests.waiting import PATIENCE_S, run_until
from tokviz import file_counts
from tokviz.errors import InputError
from tokviz.file_counts import BoundaryReasons, FileCounts
from tokviz.metrics import tally
from tokviz.text import read_text
from tokviz.ui import uploads
from tokviz.ui.compare import counting, file_reasons, files
from tokviz.ui.compare.counting import Count, ReasonCount
from tokviz.ui.compare.file_reasons import finding
from tokviz.ui.compare.files import PLACE, counted, wanted
from tokviz.ui.compare.state import CompareState
from tokviz.ui.components.minimap import looked
from tokviz.ui.tokenizers import Shown
from tokviz.ui.visitors.budget import shrink
from tokviz.ui.visitors.holdings import Lost
from tokviz.ui.visitors.visitor import Visitor
from tokviz.ui.work import work

__all__ = ["app"]

W = TypeVar("W", bound=work.Work)

TEXT = "\n".join(topics[name] for name in sorted(topics))[:200_000] + "naïve 猫 👩‍👩‍👧\n" * 500
REFERENCES = [Shown(name, name, name, None) for name in ("gpt2", "cl100k_base", "o200k_base")]
OWN = Shown("mine1", "Mine", "yours", tokviz.train(TEXT[:20_000], 600, pattern=r"\S+\s?|\s").tokenizer)


def file(text: str = TEXT, name: str = "manual.txt") -> FileCounts:
    return FileCounts(read_text(text.encode(), name))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_counts, "PIECE", 60_000)


def count(*todo: tuple[FileCounts, list[Shown]]) -> Count:
    return finished(Count(todo, place=PLACE))


def finished(one: W) -> W:
    """What a thread does with it, done here."""
    for _ in one.slices():
        pass
    return one


def done(me: Visitor, one: work.Work) -> None:
    """Done in its thread."""
    work.start(me, one)
    assert one.done.wait(PATIENCE_S)
    assert not one.failed


def test_figures_of_a_file_are_those_of_encoding_it_with_tiktoken() -> None:
    one = file()
    count((one, [*REFERENCES, OWN]))
    for shown in REFERENCES:
        ids = witness(shown.key).encode(TEXT, disallowed_special=())
        found = one.tallies[shown.key]
        assert found.tokens == len(ids)
        assert found.by_id.tolist() == np.bincount(ids).tolist()
        assert found.bytes == len(TEXT.encode())
    for shown in (*REFERENCES, OWN):
        at_once = tally(shown.tokenizer.explain(TEXT))
        found = one.tallies[shown.key]
        for name in ("tokens", "bytes", "characters", "words", "split"):
            assert getattr(found, name) == getattr(at_once, name)
        assert found.tokens_at.tolist() == at_once.tokens_at.tolist()
        assert one.density[shown.key].sum() == found.tokens


def test_density_counts_the_tokens_that_begin_in_each_stretch() -> None:
    one = file("the cat sat on the mat. " * 40 + "0123456789" * 60)
    count((one, REFERENCES[:1]))
    ends = tokviz.reference("gpt2").explain(one.text.text).ends
    starts = [0, *ends.tolist()[:-1]]
    expected = np.bincount(
        [at * file_counts.STRETCHES // one.text.n_bytes for at in starts], minlength=file_counts.STRETCHES
    )
    assert one.density["gpt2"].tolist() == expected.tolist()


@pytest.mark.parametrize("place", [0, 150_000, 199_999])
def test_a_look_into_a_file_is_a_piece_of_its_whole_encoding(place: int) -> None:
    one = file()
    for shown in (REFERENCES[1], OWN):
        whole, near = shown.tokenizer.explain(TEXT), one.near(shown.key, shown.tokenizer, place)
        assert near.start <= place < near.start + len(near.data)
        assert whole.data[near.start : near.start + len(near.data)] == near.data
        assert whole.seams[near.start + 1 : near.start + len(near.data)].tolist() == near.seams[1:].tolist()
        assert near is one.near(shown.key, shown.tokenizer, place)


def test_a_count_that_is_given_up_keeps_what_was_counted() -> None:
    me, one = Visitor(), file()
    me.state(CompareState).files = [one]
    given_up = Count(wanted(me, REFERENCES), place=PLACE)
    slices = given_up.slices()
    while "gpt2" not in one.tallies:
        next(slices)
    next(slices)
    assert given_up.doing == "Counting under cl100k_base"
    assert 0.33 < given_up.share < 0.67
    given_up.stop.set()
    assert list(slices) == []
    assert set(one.tallies) == set(one.density) == {"gpt2"}
    assert [(f.name, [s.key for s in rest]) for f, rest in wanted(me, REFERENCES)] == [
        ("manual.txt", ["cl100k_base", "o200k_base"])
    ]
    again = Count(wanted(me, REFERENCES), place=PLACE)
    done(me, again)
    assert wanted(me, REFERENCES) == []
    assert again.so_far == again.in_all


def test_a_tokenizer_that_cannot_read_a_file_says_why_and_the_others_are_counted() -> None:
    picky = Shown("mine1", "picky", "yours", tokviz.train("abc", 257, pattern="[abc]+").tokenizer)
    bad, good = file("abc xyz"), file("abc")
    tried = count((bad, [picky, REFERENCES[0]]), (good, [picky]))
    assert "does not cover" in bad.faults["mine1"].what
    assert set(bad.tallies) == {"gpt2"}
    assert set(good.tallies) == {"mine1"}
    assert tried.so_far == tried.in_all
    me = Visitor()
    me.state(CompareState).files = [bad, good]
    assert [(f, [s.key for s in rest]) for f, rest in wanted(me, [picky, REFERENCES[0]])] == [(good, ["gpt2"])]


# -- in a thread --


@dataclass(eq=False)
class Walk(work.Work):
    """Goes on until it is told to stop; hands over how far it came."""

    turn: ClassVar[threading.Lock] = threading.Lock()
    under_way: threading.Event = field(default_factory=threading.Event)
    fault: Exception | None = None

    def slices(self) -> Iterator[None]:
        while not self.stop.is_set():
            self.so_far += 1
            self.under_way.set()
            if self.fault:
                raise self.fault
            yield
            self.stop.wait(0.01)

    def finish(self, visitor: Visitor) -> None:
        visitor.text = f"{self.so_far} steps"

    @property
    def doing(self) -> str:
        return "Walking"


def test_one_of_a_kind_at_a_time_and_one_that_waits_can_be_given_up() -> None:
    first, second = Visitor(), Visitor()
    ahead, behind = Walk(place="a"), Walk(place="a")
    work.start(first, ahead)
    assert ahead.under_way.wait(PATIENCE_S)
    work.start(second, behind)
    assert not behind.under_way.wait(3 * work.LOOKS_S)
    assert behind.begun is None
    work.cancel(second, "a")
    assert behind.done.wait(PATIENCE_S)
    assert not ahead.done.is_set()
    assert second.text == "0 steps"
    work.cancel(first, "a")
    assert ahead.done.wait(PATIENCE_S)
    assert first.text == f"{ahead.so_far} steps"
    assert ahead.ended_badly


def test_a_place_has_one_work_and_forgets_it_when_asked() -> None:
    me = Visitor()
    one, other, elsewhere = Walk(place="a"), Walk(place="a"), Walk(place="b")
    work.start(me, one)
    work.start(me, other)
    work.start(me, elsewhere)
    assert one.done.wait(PATIENCE_S)
    assert work.of(me, "a") is other
    work.forget(me, "a")
    assert other.done.wait(PATIENCE_S)
    assert work.of(me, "a") is None
    assert work.of(me, "b") is elsewhere
    work.cancel(me, "b")
    assert elsewhere.done.wait(PATIENCE_S)


def test_what_goes_wrong_in_the_thread_is_kept_and_the_next_has_its_turn() -> None:
    me = Visitor()
    said, ours = Walk(place="a", fault=InputError("Not this. Take another.")), Walk(place="b", fault=KeyError("x"))
    for one in (said, ours):
        work.start(me, one)
        assert one.done.wait(PATIENCE_S)
        assert one.ended_badly
    assert str(said.error) == "Not this. Take another."
    assert not said.failed
    assert ours.failed
    assert ours.error is None
    assert not Walk.turn.locked()


def test_nobody_comes_back_for_what_a_visitor_left_behind() -> None:
    me = Visitor()
    left = Walk(place="a")
    work.start(me, left)
    assert left.under_way.wait(PATIENCE_S)
    del me
    gc.collect()
    assert left.done.wait(PATIENCE_S)
    assert not left.stop.is_set()


# -- why --


@pytest.mark.parametrize(("a", "b"), list(permutations((*REFERENCES[:2], OWN), 2)))
def test_reasons_of_a_file_are_those_of_the_whole_text(a: Shown, b: Shown) -> None:
    one = file(TEXT[:150_000] + "2008 naïve 猫\n" * 300)
    finished(ReasonCount(one, (a, b), place=file_reasons.PLACE))
    why = one.reasons[a.key, b.key]
    whole = tokviz.compare(one.text.text, [a.tokenizer, b.tokenizer])
    mine, theirs = whole.encodings
    assert why.counts == whole.reasons_counted(0, 1)
    assert why.boundaries == ((mine.seams < tokviz.OPEN) & (theirs.seams >= tokviz.OPEN)).sum() > 0
    assert set(why.examples) == {kind for kind, n in why.counts.items() if n}
    tokens = {token.start: token for token in mine.tokens()}
    their_starts = {token.start for token in theirs.tokens()}
    for kind, example in why.examples.items():
        token = tokens[example.start]
        assert example.token == token.data == b"".join(example.parts)
        cuts = sorted(their_starts.intersection(range(token.start + 1, token.end)))
        assert list(accumulate(map(len, example.parts))) == [cut - token.start for cut in [*cuts, token.end]]
        assert kind in {reason.kind for at in cuts for reason in whole.reasons(at, 0, 1)}
        assert example.start <= whole.reason_places(0, 1)[kind][0] < token.end


def test_reasons_that_are_given_up_are_not_half_there() -> None:
    one = file()
    given_up = ReasonCount(one, (REFERENCES[0], REFERENCES[1]), place=file_reasons.PLACE)
    slices = given_up.slices()
    next(slices)
    given_up.stop.set()
    assert list(slices) == []
    assert 0 < given_up.share < 1
    assert one.reasons == {}


@pytest.mark.parametrize(
    ("boundaries", "counts", "said"),
    [
        (0, {}, "B splits no token of A"),
        (1, {"taken": 1}, "B splits a token of A at 1 place, because an earlier merge took bytes at the token's edge"),
        (
            8,
            {"split": 6, "absent": 3},
            "B splits tokens of A at 8 places, 75.0\u00a0% of them because its split pattern cuts",
        ),
        (
            8,
            {"split": 3, "absent": 6},
            "B splits tokens of A at 8 places, 75.0\u00a0% of them because it has no such token",
        ),
        (1_999, {"absent": 1_998, "split": 1}, "at 1,999 places, 99.9\u00a0% of them because it has no such token"),
        (
            2,
            {"split": 2, "absent": 2},
            "at 2 places, all of them because its split pattern cuts there and because it has no such token",
        ),
    ],
)
def test_the_finding_names_the_most_frequent_reason(boundaries: int, counts: dict, said: str) -> None:
    assert said in finding("A", "B", BoundaryReasons(boundaries, counts, {}))


def test_where_a_file_is_uneven() -> None:
    one = file("the cat sat on the mat. " * 400 + "\x00\x01" * 600, "odd.bin")
    count((one, REFERENCES))
    said = files.uneven(one, counted(one, REFERENCES))
    assert said.startswith("odd.bin takes ")
    place = int(said.split(" at byte ")[1].split(" ")[0].replace(",", ""))
    assert place >= 9_000
    even = file("the cat sat on the mat. " * 400)
    count((even, REFERENCES))
    assert files.uneven(even, counted(even, REFERENCES)) == "The tokens per byte are about the same in the whole file"


def test_files_go_first_when_room_is_short() -> None:
    me = Visitor()
    me.state(CompareState).files = [file(), file("b" * 1_000, "b.txt")]
    shrink(me, me.weigh() - 1)
    assert [one.name for one in me.state(CompareState).files] == ["b.txt"]
    assert me.lost == [Lost("file", "manual.txt")]


def test_what_the_minimap_says_is_checked() -> None:
    assert looked({"looked": 7}, 8) == 7
    for said in (None, {}, {"looked": None}, {"looked": 8}, {"looked": -1}, {"looked": True}, {"looked": "7"}, 7):
        assert looked(said, 8) is None


# -- on the page --


def hand_in(app: AppTest, *given: tuple[str, bytes]) -> AppTest:
    app.get("file_uploader")[0].set_value([(name, data, "text/plain") for name, data in given]).run()
    assert not app.exception
    return app


def wait(app: AppTest) -> AppTest:
    return run_until(app, lambda app: not any(button.label == "Cancel" for button in app.button))


def test_files_are_counted_and_bad_ones_named(app: AppTest) -> None:
    opened(app, "Files")
    hand_in(app, ("good.txt", TEXT.encode()), ("empty.txt", b""), ("latin.txt", b"caf\xe9"))
    wait(app)
    assert "empty.txt is empty" in notes(app)
    assert "latin.txt is not UTF-8: byte 3" in notes(app)
    rows = table(app, "file")
    assert rows["file"].unique().tolist() == ["good.txt"]
    for name, tokens in zip(rows["tokenizer"], rows["tokens"], strict=True):
        key = {"GPT-2": "gpt2"}.get(name, name)
        assert tokens == len(witness(key).encode(TEXT, disallowed_special=()))
    (found,) = components(app, "minimap")
    assert [row["name"] for row in found["rows"]] == ["GPT-2", "cl100k_base", "o200k_base"]

    # another bad file changes nothing of what is there
    hand_in(app, ("empty.txt", b""))
    assert [one.name for one in person(app).state(CompareState).files] == ["good.txt"]
    assert table(app, "file").equals(rows)

    # repaired, when asked
    hand_in(app, ("latin.txt", b"caf\xe9"))
    next(box for box in app.checkbox if "unreadable" in box.label).check().run()
    wait(app)
    assert person(app).state(CompareState).files[0].text.text == "caf\ufffd"
    assert any("unreadable bytes replaced in 1 place" in caption.value for caption in app.caption)


def test_a_place_in_a_file_is_shown(app: AppTest) -> None:
    opened(app, "Files")
    button(app, "Use the samples").click().run()
    wait(app)
    assert person(app).state(CompareState).files[0].name.startswith("The Pairwright")
    person(app).state(CompareState).byte = 9_000
    app.run()
    views = components(app, "token_view")[-5:-2]  # those of an example of a reason stand below
    text = person(app).state(CompareState).files[0].text.text.encode()
    for view in views:
        shown = view["text"].encode()
        assert text[view["start"] : view["start"] + len(shown)] == shown
        assert view["start"] <= 9_000 < view["start"] + len(shown)
        assert view["totals"]["bytes"] == len(text)
    assert len(headings(app)) >= 2
    button(app, "Remove the files").click().run()
    assert person(app).state(CompareState).files == []


def test_a_file_over_the_limit_is_said(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(app, "Files")
    monkeypatch.setattr(uploads, "FILE_LIMIT", 1_000)
    hand_in(app, ("big.txt", b"x" * 2_000), ("small.txt", b"x"))
    wait(app)
    assert "big.txt has 2,000 bytes" in notes(app)
    assert [one.name for one in person(app).state(CompareState).files] == ["small.txt"]


def test_two_files_of_one_name_are_two(app: AppTest) -> None:
    opened(app, "Files")
    hand_in(app, ("a.txt", b"one"), ("a.txt", b"two two"))
    wait(app)
    assert sorted(set(table(app, "file")["file"])) == ["a.txt", "a.txt (2)"]


def why_table(app: AppTest) -> dict[str, int]:
    rows = table(app, "reason")
    return dict(zip(rows["reason"], rows["boundaries"], strict=True))


def test_reasons_are_counted_for_the_pair_that_is_chosen(app: AppTest) -> None:
    opened(app, "Files")
    mine = person(app).add("My *own*", OWN.tokenizer)
    text = TEXT[:60_000] + "naïve 猫 2008\n" * 50
    hand_in(app, ("book.txt", text.encode()))
    wait(app)
    assert person(app).state(CompareState).pair == (mine.key, "gpt2")
    for a, b in ((mine.key, "gpt2"), ("gpt2", "cl100k_base")):
        app.selectbox(key="compare.pair").set_value((a, b)).run()
        wait(app)
        of = {"gpt2": "GPT-2", mine.key: "My *own*"}
        both = [OWN.tokenizer if key == mine.key else tokviz.reference(key) for key in (a, b)]
        expected = tokviz.compare(text, both).reasons_counted(0, 1)
        found = why_table(app)
        assert found == {file_reasons.KINDS[kind].name: n for kind, n in expected.items() if n}
        assert list(found.values()) == sorted(found.values(), reverse=True)
        (said,) = [heading for heading in headings(app) if "splits tokens of" in heading]
        assert said.startswith(f"{of.get(b, b)} splits tokens of {of.get(a, a)} at ")
        assert said.endswith(next(row.cause for row in file_reasons.KINDS.values() if row.name == next(iter(found))))

        # each reason leads to a place
        for kind, example in person(app).state(CompareState).files[0].reasons[a, b].examples.items():
            person(app).state(CompareState).reason = kind
            app.run()
            views = components(app, "token_view")[-2:]
            assert [view["name"] for view in views] == [of.get(key, key) for key in (a, b)]
            for view in views:
                shown = view["text"].encode()
                assert shown[example.start - view["start"] :].startswith(example.token)
                assert len(shown) < len(example.token) + 2 * file_reasons.BEHIND
    button(app, "Look there on the map").click().run()
    assert components(app, "minimap")[0]["at"] == example.start


def test_reasons_without_a_second_tokenizer_or_with_one_that_is_gone(app: AppTest) -> None:
    opened(app, "Files")
    mine = person(app).add("Mine", OWN.tokenizer)
    button(app, "Use the samples").click().run()
    wait(app)
    assert person(app).state(CompareState).pair == (mine.key, "gpt2")
    there = person(app).state(CompareState).files
    person(app).drop(mine.key)
    app.run()
    wait(app)
    assert person(app).state(CompareState).pair == ("gpt2", "cl100k_base")
    assert why_table(app)
    for left in (["gpt2"], []):
        person(app).state(CompareState).chosen = left
        app.run()
        assert not app.exception
        assert not any("reason" in frame.value for frame in app.dataframe)
    assert person(app).state(CompareState).files == there
    assert set(there[0].tallies) >= {mine.key, "gpt2", "cl100k_base", "o200k_base"}
    person(app).state(CompareState).chosen = ["gpt2", "o200k_base"]
    app.run()
    wait(app)
    assert person(app).state(CompareState).pair == ("gpt2", "o200k_base")


def test_a_tokenizer_that_cannot_read_a_file_is_named_and_the_rest_stands(app: AppTest) -> None:
    opened(app, "Files", "abc")
    person(app).add("picky", tokviz.train("abc", 257, pattern="[abc]+").tokenizer)
    hand_in(app, ("cats.txt", b"cats and dogs"))
    wait(app)
    assert "picky is left out of cats.txt. " in notes(app)
    assert "does not cover" in notes(app)
    assert sorted(table(app, "file")["tokenizer"]) == ["GPT-2", "cl100k_base", "o200k_base"]
    assert person(app).state(CompareState).pair == ("gpt2", "cl100k_base")


def test_a_count_is_cancelled_and_goes_on(app: AppTest) -> None:
    opened(app, "Files")
    with counting._turn:  # another visitor's
        hand_in(app, ("book.txt", TEXT.encode()))
        assert "Waiting for its turn" in headings(app)
        button(app, "Cancel").click().run()
        wait(app)
    assert "Cancelled." in notes(app)
    assert person(app).state(CompareState).files[0].tallies == {}
    button(app, "Go on").click().run()
    wait(app)
    assert set(person(app).state(CompareState).files[0].tallies) == {"gpt2", "cl100k_base", "o200k_base"}
    assert "Cancelled." not in notes(app)

    # reasons are given up by themselves: the figures stay, and another pair is counted
    with counting._turn:
        app.selectbox(key="compare.pair").set_value(("cl100k_base", "gpt2")).run()
        button(app, "Cancel").click().run()
        wait(app)
        assert "The figures stay." in notes(app)
        assert len(table(app, "file")) == 3
    app.selectbox(key="compare.pair").set_value(("o200k_base", "gpt2")).run()
    wait(app)
    assert ("cl100k_base", "gpt2") not in person(app).state(CompareState).files[0].reasons
    assert why_table(app)
