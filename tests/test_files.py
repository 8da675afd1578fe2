"""Whole files: counted in pieces as tiktoken counts them, with the reasons of the whole text; given up when asked."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, permutations
from pydoc_data.topics import topics

import numpy as np
import pytest

import tokviz
from tests.bounded import bounded
from tests.oracles import witness
from tests.peers_cases import peer
from tests.waiting import PATIENCE_S
from tokviz.base.text import read_text
from tokviz.cost.figures import facts_of, tally
from tokviz.tokenizer.peers import AnyTokenizer
from tokviz.ui.compare import counted_file, files
from tokviz.ui.compare.counted_file import BoundaryReasons, FileCounts
from tokviz.ui.compare.counting import count_files, count_reasons
from tokviz.ui.compare.file_reasons import finding
from tokviz.ui.compare.files import PLACE, counted_under, wanted
from tokviz.ui.compare.state import CompareState
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server import work
from tokviz.ui.server.visitor import Visitor

TEXT = "\n".join(topics[name] for name in sorted(topics))[:200_000] + "naïve 猫 👩‍👩‍👧\n" * 500
REFERENCES = [ShownTokenizer(name, name, name, None) for name in ("gpt2", "cl100k_base", "o200k_base")]
OWN = ShownTokenizer("mine1", "Mine", "yours", tokviz.train(TEXT[:20_000], 600, pattern=r"\S+\s?|\s").tokenizer)


def file(text: str = TEXT, name: str = "manual.txt") -> FileCounts:
    return FileCounts(read_text(text.encode(), name))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_file, "PIECE", 60_000)


def count(*todo: tuple[FileCounts, list[ShownTokenizer]]) -> None:
    """What a thread does with it, done here."""
    *_, last = count_files(todo)
    assert last.done == last.of


def done(me: Visitor, steps: work.Steps[None]) -> None:
    """Done as work."""
    one = work.Work(PLACE, None, steps)
    work.start(me, one)
    assert one.done.wait(PATIENCE_S)
    assert not one.failed


def test_a_chunk_that_memory_is_not_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded(monkeypatch, chunk_mb=1)
    one = FileCounts(read_text(b" " * 2_500_000, "spaces.txt"))
    gpt2 = tokviz.reference("gpt2")
    assert list(one.count("gpt2", gpt2, facts_of(one.text.text))) == []
    assert not one.tallies
    assert "The chunk that ends at byte 2,500,000 has more than 1 MB." in str(one.faults["gpt2"])


def test_figures_of_a_file_are_those_of_encoding_it_with_tiktoken() -> None:
    one = file()
    count((one, [*REFERENCES, OWN]))
    for shown in REFERENCES:
        ids = witness(shown.key).encode(TEXT, disallowed_special=())
        found = one.tallies[shown.key]
        assert found.tokens == len(ids)
        assert dict(zip(found.ids.values.tolist(), found.ids.times.tolist(), strict=True)) == Counter(ids)
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
        [at * counted_file.STRETCHES // one.text.n_bytes for at in starts], minlength=counted_file.STRETCHES
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
    given_up = count_files(wanted(me, REFERENCES))
    while "gpt2" not in one.tallies:
        next(given_up)
    now = next(given_up)
    assert now.doing == "Counting under cl100k_base" and 0.33 < now.share < 0.67
    given_up.close()
    assert set(one.tallies) == set(one.density) == {"gpt2"}
    assert [(f.name, [s.key for s in rest]) for f, rest in wanted(me, REFERENCES)] == [
        ("manual.txt", ["cl100k_base", "o200k_base"])
    ]
    done(me, count_files(wanted(me, REFERENCES)))
    assert wanted(me, REFERENCES) == [] and work.of(me, PLACE).progress.share == 1.0


# -- why --


@pytest.mark.parametrize(("a", "b"), list(permutations((*REFERENCES[:2], OWN), 2)))
def test_reasons_of_a_file_are_those_of_the_whole_text(a: ShownTokenizer, b: ShownTokenizer) -> None:
    one = file(TEXT[:150_000] + "2008 naïve 猫\n" * 300)
    list(count_reasons(one, a, b))
    why = one.reasons[a.key, b.key]
    whole = tokviz.compare(one.text.text, [a.tokenizer, b.tokenizer])
    mine, theirs = whole.encodings
    assert why.counts == {kind: len(places) for kind, places in whole.reason_places(0, 1).items()}
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


@pytest.mark.parametrize(
    ("boundaries", "counts", "said"),
    [
        (0, {}, "B splits no token of A"),
        (1, {"taken": 1}, "B splits a token of A at 1 place, because an earlier merge took bytes at the token's edge"),
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


def test_an_even_file_is_called_so() -> None:
    even = file("the cat sat on the mat. " * 400)
    count((even, REFERENCES))
    assert (
        files.uneven(even, counted_under(even, REFERENCES))
        == "The tokens per byte are about the same in the whole file"
    )


def test_what_the_minimap_says_is_checked() -> None:
    assert files.looked({"looked": 7}, 8) == 7
    for said in (None, {}, {"looked": None}, {"looked": 8}, {"looked": -1}, {"looked": True}, {"looked": "7"}, 7):
        assert files.looked(said, 8) is None


@pytest.mark.right
@pytest.mark.parametrize("tokenizer", [tokviz.reference("gpt2"), peer("WordPiece")], ids=repr)
def test_a_look_into_an_empty_file_is_empty(tokenizer: AnyTokenizer) -> None:
    assert len(FileCounts(read_text(b"", "empty.txt")).near("key", tokenizer, 0)) == 0
    assert [*tokenizer.explain_in_pieces("the cat", 1_000, start=50)] == []
