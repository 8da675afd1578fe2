"""Each tie rule is that of a real trainer, and finds the tokens that this trainer finds, one after another."""

from __future__ import annotations

import random
from pydoc_data.topics import topics

import pytest

import tokviz
from tests.golden import generate
from tests.oracles import train_educational, train_hf, train_rustbpe
from tokviz.split.cutting import cut

MANUAL = "\n".join(topics.values())  # Python's own manual pages: prose, code and tables, some 460 kB
PIECE = MANUAL[100_000:116_000]
PATTERNS = ["gpt2", "cl100k", "o200k"]


def learned(training: tokviz.Training) -> list[bytes]:
    return [training.tokenizer.vocab[merge.id] for merge in training.merges]


def test_golden_files_are_what_the_generator_makes() -> None:
    for name, rows in generate.FILES.items():
        assert (generate.HERE / name).read_text(encoding="ascii") == generate.lines(rows()), name


def test_golden_trainings() -> None:
    for row in generate.read("trainings.jsonl"):
        size = 256 + len(row["tokens"])
        training = tokviz.train(generate.CORPORA[row["corpus"]], size, pattern=row["pattern"], tie=row["tie"])
        assert [token.hex() for token in learned(training)] == row["tokens"], row


@pytest.mark.parametrize("merges", [60, pytest.param(120, marks=pytest.mark.long)])
@pytest.mark.parametrize("pattern", [*PATTERNS, "none"])
def test_first_is_the_rule_of_tiktokens_teaching_code(pattern: str, merges: int) -> None:
    theirs = train_educational(PIECE, merges, pattern)
    training = tokviz.train(PIECE, 256 + merges, pattern=pattern, tie="first")
    assert learned(training) == theirs
    assert any(merge.tied > 1 for merge in training.merges)  # so that the rule had something to settle


@pytest.mark.parametrize("pattern", PATTERNS)
def test_lowest_is_the_rule_of_rustbpe(pattern: str) -> None:
    theirs = train_rustbpe([MANUAL[:200_000], MANUAL[200_000:]], 2_000, pattern)
    training = tokviz.train([MANUAL[:200_000], MANUAL[200_000:]], 2_256, pattern=pattern, tie="lowest")
    assert learned(training) == theirs
    assert any(merge.tied > 1 for merge in training.merges)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_hf_is_the_rule_of_the_hugging_face_trainer(pattern: str) -> None:
    theirs = train_hf(MANUAL, 2_000, pattern)
    training = tokviz.train(MANUAL, 2_256, pattern=pattern, tie="hf")
    assert learned(training) == theirs
    assert any(merge.tied > 1 for merge in training.merges)


def random_texts(n: int) -> list[str]:
    choose = random.Random(7)
    alphabets = ["ab", "ab c", "aé ", "hugpns ,.", "01 a", "日本 語", "abAB '"]
    texts = []
    for _ in range(n):
        alphabet = choose.choice(alphabets)
        texts.append("".join(choose.choice(alphabet) for _ in range(choose.randint(2, 120))))
    return texts


def pairs_merged(text: str, pattern: str) -> int:
    """How many merges there are to make: the teaching code fails when asked for more."""
    return len(tokviz.train(text, 256 + 40, pattern=pattern).merges)


@pytest.mark.parametrize("corpora", [50, pytest.param(150, marks=pytest.mark.long)])
@pytest.mark.parametrize("pattern", [*PATTERNS, "none"])
def test_random_corpora(pattern: str, corpora: int) -> None:
    for text in random_texts(corpora):
        n = pairs_merged(text, pattern)
        assert learned(tokviz.train(text, 256 + n, pattern=pattern)) == train_educational(text, n, pattern), text
        assert learned(tokviz.train(text, 256 + 40, pattern=pattern, tie="lowest")) == train_rustbpe(
            [text], 40, pattern
        ), text
        assert learned(tokviz.train(text, 256 + 40, pattern=pattern, tie="hf")) == train_hf(text, 40, pattern), text


@pytest.mark.parametrize("min_count", [2, 50])
def test_min_count_as_the_hugging_face_trainer_takes_it(min_count: int) -> None:
    theirs = train_hf(PIECE, 5_000, "gpt2", min_count)
    training = tokviz.train(PIECE, 5_256, pattern="gpt2", tie="hf", min_count=min_count)
    assert learned(training) == theirs
    assert training.stopped == "min_count"


def test_numbers_come_in_threes_in_both() -> None:
    """The Hugging Face engine would read {1,3}+ as "any number", which is why `train_hf` leaves its + out."""
    assert max(map(len, train_hf("1234567 1234567", 9, "cl100k"))) == 3
    assert cut("1234567", "cl100k").tolist() == [3, 6, 7]
