"""A what-if is a fresh naive training under the changed rule, and two histories part where a plain look says so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.strategies import PATTERNS, TIES, Setting, settings_of_training, small_texts
from tests.test_training import figures
from tokviz.base.errors import SettingError
from tokviz.training.rules import Rules
from tokviz.training.train import Training
from tokviz.training.what_if import LINE_LIMIT, TrainingChange, parting_of, texts_of, train_with_change

CAT = "the cat in the hat sat on the mat. the cat and the hat."


def changed_training(training: Training, change: TrainingChange) -> Training:
    *_, last = train_with_change(training, change)
    assert last.training is not None
    return last.training


@st.composite
def changes(draw: st.DrawFn, setting: Setting) -> tuple[TrainingChange, Setting]:
    """A change, and the setting of a training that had the change from the beginning."""
    kind = draw(st.sampled_from(["ban", "tie", "prefer", "pattern", "line"]))
    if kind == "pattern":
        pattern = draw(st.sampled_from(PATTERNS))
        return TrainingChange(pattern=pattern), replace(setting, pattern=pattern)
    if kind == "line":
        line, times = draw(small_texts), draw(st.integers(1, 4))
        added = (f"{line}\n" * times,) if line else ()
        return TrainingChange(line=line, times=times), replace(setting, texts=(*setting.texts, *added))
    if kind == "ban":
        made = [setting.vocab[256 + rank] for rank in range(len(setting.naive[0]))]
        changed = replace(setting, ban=(*setting.ban, draw(st.sampled_from(made or [b"ab"]))))
    elif kind == "tie":
        changed = replace(setting, tie=draw(st.sampled_from(TIES)))
    else:
        changed = replace(setting, prefer="rarest")
    return TrainingChange(rules=Rules(**changed.how)), changed


@given(settings_of_training(max_merges=25), st.data())
def test_a_what_if_is_a_fresh_naive_training_under_the_changed_rule(setting: Setting, data: st.DataObject) -> None:
    change, changed = data.draw(changes(setting))
    after = changed_training(setting.train(), change)
    assert figures(after) == changed.naive[0]
    assert after.stopped == changed.naive[1]
    assert after.window(0, len(changed.data)).data == changed.data
    assert after.window(0, len(changed.data)).seams.tolist() == changed.naive_seams()


@given(settings_of_training(max_merges=25), st.data())
def test_of_counts_alone_all_but_the_pattern_can_change(setting: Setting, data: st.DataObject) -> None:
    training = setting.train_in_shards(0)
    change, changed = data.draw(changes(setting))
    if change.pattern is None:
        assert figures(changed_training(training, change)) == changed.naive[0]
    else:
        with pytest.raises(SettingError, match="only the counts of their chunks are here"):
            train_with_change(training, change)


@given(settings_of_training(max_merges=25), st.data())
def test_histories_part_where_a_plain_look_finds_it(setting: Setting, data: st.DataObject) -> None:
    _, changed = data.draw(changes(setting))
    before, after = setting.train().tokenizer, changed.train().tokenizer
    parting = parting_of(before, after)
    steps = range(max(len(before.merges), len(after.merges)) + 1)
    # ids are equal while the merges are, so up to the parting the pairs of ids may be compared
    assert parting.step == next((k - 1 for k in steps if before.merges[:k] != after.merges[:k]), None)
    mine, theirs = ([tok.vocab[int(id)] for id in tok.merge_ids] for tok in (before, after))
    assert list(parting.only_before) == [token for token in mine if token not in theirs]
    assert list(parting.only_after) == [token for token in theirs if token not in mine]
    assert parting.shared == len(mine) - len(parting.only_before) == len(theirs) - len(parting.only_after)


def test_the_texts_come_back_as_they_were() -> None:
    texts = [tokviz.read_text(b"\xef\xbb\xbfcaf\xc3\xa9 <s>", "menu.txt"), tokviz.read_text(b"\xff", "b", repair=True)]
    training = tokviz.train(texts, 260, special_tokens=["<s>"])
    back = texts_of(training)
    assert back is not None
    assert [(t.name, t.text, t.sha256) for t in back] == [(t.name, t.text, t.sha256) for t in texts]
    assert texts_of(tokviz.train(tokviz.count_chunks("counts"), 260)) is None
    assert texts_of(replace(training, counts=tokviz.count_chunks("another corpus"))) is None


def test_a_what_if_keeps_the_corpus_and_its_origin() -> None:
    before = tokviz.train([tokviz.read_text(CAT.encode(), "cat.txt")], 266)
    after = changed_training(before, TrainingChange(rules=Rules(ban=[b"the"])))
    assert after.kept is before.kept and after.counts is before.counts
    assert after.tokenizer.made_from and before.tokenizer.made_from
    assert after.tokenizer.made_from["texts"] == before.tokenizer.made_from["texts"]
    assert after.tokenizer.made_from["settings"]["ban"] == [b"the".hex()]
    longer = changed_training(before, TrainingChange(line="the end", times=2))
    assert longer.tokenizer.made_from
    assert [row["name"] for row in longer.tokenizer.made_from["texts"]] == ["cat.txt", "added line"]


def test_it_can_be_cancelled() -> None:
    *_, last = train_with_change(tokviz.train(CAT, 266), TrainingChange(rules=Rules(tie="lowest")), cancel=lambda: True)
    assert last.training is not None and last.training.stopped == "cancelled"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (TrainingChange(line="a" * (LINE_LIMIT // 2 + 1), times=2), "adds 1,000,002 bytes.*limit is 1,000,000 bytes"),
        (TrainingChange(line="a", times=0), "added 0 times"),
    ],
)
def test_what_is_added_has_a_limit(change: TrainingChange, says: str) -> None:
    with pytest.raises(SettingError, match=says):
        train_with_change(tokviz.train(CAT, 266), change)
