"""The part "Split rules" of the Vocabulary page under AppTest: its cards and pieces, own patterns, corpora, Cancel."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import app, at, components, field, me, notes, type_on_tokens, upload
from tests.waiting import run_until
from tokviz import limits, split_lab
from tokviz.errors import PatternError
from tokviz.samples import sample
from tokviz.split_lab import Outcome, compare_patterns
from tokviz.text import read_text
from tokviz.ui.vocabulary.split_corpus import SplitCorpus
from tokviz.ui.vocabulary.split_work import tried, wanted
from tokviz.ui.vocabulary.splits import figures_table, finding, forbidden_table
from tokviz.ui.vocabulary.state import SplitSettings, VocabularyState

__all__ = ["app"]

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def lab(app: AppTest) -> AppTest:
    """The part, on the sample that it opens on."""
    me(app).state(VocabularyState).part = "splits"
    return done(at(app, "vocabulary"))


def done(app: AppTest) -> AppTest:
    return run_until(app, lambda app: not any(button.label == "Cancel" for button in app.button))


def cards(app: AppTest) -> dict[str, dict[str, Any]]:
    (data,) = components(app, "token_rows")
    return {card["key"]: card for card in data["cards"]}


def settings(app: AppTest) -> SplitSettings:
    return me(app).state(VocabularyState).splits


def choose(app: AppTest, place: str) -> AppTest:
    return done(field(app, "selectbox", "vocabulary.splits.corpus").set_value(place).run())


def type_pattern(app: AppTest, key: str, pattern: str) -> AppTest:
    field(app, "button", "vocabulary.splits.add").click().run()
    return done(field(app, "text_input", f"vocabulary.splits.{key}").set_value(pattern).run())


def pieces(app: AppTest) -> list[dict[str, Any]]:
    (data,) = components(app, "pattern_pieces")
    found: list[dict[str, Any]] = data["pieces"]
    return found


def test_the_part_opens_on_a_program_under_four_patterns(lab: AppTest) -> None:
    assert not lab.exception
    assert notes(lab) == ""
    expected = compare_patterns([sample("code").text], ["none", "gpt2", "cl100k", "o200k"])
    assert list(cards(lab)) == [one.pattern for one in expected]
    for one, card in zip(expected, cards(lab).values(), strict=True):
        assert card["figures"][0]["figure"] == f"{one.tokens:,}"
        assert card["figures"][1]["strong"] == (one.pattern == "none")
        rows = card["groups"][1]["rows"]
        assert [[token["hex"] for token in row["tokens"]] for row in rows] == [
            [merge.left.hex(), merge.right.hex()] for merge in one.forbidden[:5]
        ]
    size = field(lab, "number_input", "vocabulary.splits.vocab_size")
    assert size.proto.default == 512, "a browser that draws the field only now, after several runs, needs it"
    title = lab.subheader[0].value.replace("\\", "")
    assert title == "Without a rule the corpus needs fewest tokens; a rule costs 11 to 12\u00a0% more"
    assert sum(piece["share"] for piece in pieces(lab)) == pytest.approx(1)
    field(lab, "button_group", "vocabulary.splits.explained").set_value("o200k").run()
    assert len(pieces(lab)) == 7
    size.set_value(300).run()
    done(lab)
    (smaller,) = compare_patterns([sample("code").text], ["gpt2"], 300)
    assert cards(lab)["gpt2"]["figures"][0]["figure"] == f"{smaller.tokens:,}"


def test_own_patterns_are_kept_whatever_is_wrong_with_them(lab: AppTest) -> None:
    type_pattern(lab, "own1", "(a")
    assert "missing ) at position 2" in notes(lab)
    type_pattern(lab, "own2", r"[a-z]+")
    assert "does not cover the text" in cards(lab)["own2"]["words"]
    type_pattern(lab, "own3", rf"{HOSTILE}|(?<=\s)\s|[\s\S]")
    assert cards(lab)["own3"]["title"].startswith(HOSTILE)
    assert list(cards(lab)) == ["none", "gpt2", "cl100k", "o200k", "own2", "own3"]
    field(lab, "button_group", "vocabulary.splits.explained").set_value("own3").run()
    assert [piece["clause"] for piece in pieces(lab)] == [HOSTILE, r"(?<=\s)\s", r"[\s\S]"]
    field(lab, "button_group", "vocabulary.splits.explained").set_value("own2").run()
    assert "does not cover the text" in notes(lab)
    at(lab, "tokens")
    at(lab, "vocabulary")  # as after a reload: the widgets open on what the visitor has
    assert field(lab, "text_input", "vocabulary.splits.own1").value == "(a"
    done(field(lab, "text_input", "vocabulary.splits.own1").set_value(r"(a)\1|[\s\S]").run())
    field(lab, "button_group", "vocabulary.splits.explained").set_value("own1").run()
    assert "refers to a group by its number" in notes(lab)
    done(field(lab, "button", "vocabulary.splits.remove.own1").click().run())
    assert (settings(lab).own1, settings(lab).explained) == (None, "gpt2")
    field(lab, "number_input", "vocabulary.splits.min_count").set_value(0).run()
    assert "least pair count" in notes(done(lab))
    assert not lab.exception


def test_any_text_and_file_can_be_the_corpus(lab: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    type_on_tokens(at(lab, "tokens"), "")
    choose(at(lab, "vocabulary"), "text")
    assert "The corpus is empty." in notes(lab)
    assert not components(lab, "token_rows")
    for text in ("\r\n\0", HOSTILE, "नमस्ते 👩‍👩‍👧", " " * 3_000):
        type_on_tokens(at(lab, "tokens"), text)
        choose(at(lab, "vocabulary"), "text")
        assert not lab.exception
        assert notes(lab) == ""
        tokens = compare_patterns([text], ["gpt2"])[0].tokens
        assert cards(lab)["gpt2"]["figures"][1]["figure"] == f"{len(text.encode()) / tokens:.2f}"
    monkeypatch.setattr(split_lab, "CORPUS_LIMIT", 1_000)
    choose(lab, "file")
    assert not components(lab, "token_rows")
    upload(lab, ("notes.txt", b"the cat sat on the mat. " * 50))
    done(lab)
    assert any("200 bytes are left out" in caption.value for caption in lab.caption)
    me(lab).corpus = [read_text(b"aaaa", "a.txt"), read_text(b"aaaa", "b.txt")]
    choose(lab.run(), "corpus")
    assert cards(lab)["none"]["figures"][0]["figure"] == "2"
    me(lab).corpus = []
    lab.run()
    assert settings(lab).corpus == "sample.code"


def test_cancelled_work_keeps_what_was_done(app: AppTest) -> None:
    visitor, chosen = me(app), SplitCorpus("x", ("the cat the cat",))
    work = wanted(visitor, chosen, SplitSettings(), ["none", "gpt2", "cl100k"])
    assert work
    for _ in work.slices():
        if "gpt2" in work.doing:
            break
    left = wanted(visitor, chosen, SplitSettings(), ["none", "gpt2", "cl100k"])
    assert left and left.patterns == ["gpt2", "cl100k"]
    assert left.about == work.about, "else a click meanwhile would begin it again"
    for _ in left.slices():
        pass
    assert wanted(visitor, chosen, SplitSettings(), ["none", "gpt2", "cl100k"]) is None


def outcome(pattern: str, tokens: int) -> Outcome:
    return Outcome(pattern, 100, tokens, 1, "size", 1, 1, (), ())


@pytest.mark.parametrize(
    ("free", "gpt2", "cl100k", "said"),
    [
        (100, 112, 111, "Without a rule the corpus needs fewest tokens; a rule costs 11 to 12 % more"),
        (100, 112, 112, "Without a rule the corpus needs fewest tokens; a rule costs 12 % more"),
        (100, 100, 112, "Without a rule the corpus needs fewest tokens; a rule costs up to 12 % more"),
        (10_000, 10_001, 10_200, "Without a rule the corpus needs fewest tokens; a rule costs 0.01 to 2 % more"),
        (100, 100, 100, "No rule costs anything here: the corpus needs 100 tokens in any case"),
        (103, 100, 112, "With gpt2 the corpus needs fewest tokens; without a rule it needs 3 % more"),
    ],
)
def test_the_finding_is_computed(free: int, gpt2: int, cl100k: int, said: str) -> None:
    outcomes = {name: outcome(name, n) for name, n in (("none", free), ("gpt2", gpt2), ("cl100k", cl100k))}
    assert finding(outcomes).replace("\u00a0", " ") == said


def test_a_pattern_whose_tokens_grow_too_long_has_fewer_merges(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor, chosen, size = me(app), SplitCorpus("x", ("the cat the cat",)), SplitSettings()
    work = wanted(visitor, chosen, size, ["none", "gpt2", "cl100k"])
    assert work
    for _ in work.slices():
        monkeypatch.setattr(limits, "VOCABULARY_MB", 4e-6 if "gpt2" in work.doing else 1)
    gpt2, cl100k = (tried(visitor, chosen, size, pattern) for pattern in ("gpt2", "cl100k"))
    assert isinstance(gpt2, Outcome) and isinstance(cl100k, Outcome)
    assert (gpt2.stopped, gpt2.merges, cl100k.stopped) == ("bytes", 1, "min_count")


def test_the_tables_have_all_figures() -> None:
    none, gpt2 = compare_patterns(["the cat in the hat, the cat in the mat\n" * 3], ["none", "gpt2"], 270)
    table = figures_table({"none": none, "gpt2": gpt2})
    assert table["tokens"].tolist() == [none.tokens, gpt2.tokens]
    assert table["merges forbidden"].tolist() == [0, gpt2.wholly_forbidden]
    rows = forbidden_table(gpt2)
    assert len(rows) == len(gpt2.forbidden)
    assert rows["times forbidden"].tolist() == [merge.across for merge in gpt2.forbidden]
    with pytest.raises(PatternError):
        compare_patterns(["a"], ["b"])
