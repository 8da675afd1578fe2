"""What is often told of tokenizers otherwise than it is, each as the pages reckon it.

The examples come from well-known introductions to BPE. Those with ids or trained vocabularies stand in
`test_worked_examples.py`, counts and prices on Compare in `test_cost.py`; here is all else, read off the figures,
tables and charts of Compare.
"""

from __future__ import annotations

import pytest

import tokviz
from tests.test_worked_examples import TRUE
from tokviz.catalog.samples import parallel, sample
from tokviz.cost.figures import Tally
from tokviz.split.cutting import cut
from tokviz.ui.compare import figure_tables as figures
from tokviz.ui.compare.languages import tongues
from tokviz.ui.compare.lengths import of_length
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.server.visitor import Visitor

REFERENCES = ("gpt2", "cl100k_base", "o200k_base")


def tallies(text: str, *names: str) -> dict[str, Tally]:
    """What the Figures tab counts under these references; all of them where none is named."""
    rows, faults = figures.measured(
        Visitor(), [ShownTokenizer(name, name, name, None) for name in names or REFERENCES], text
    )
    assert not faults
    return {shown.name: tally for shown, tally in rows}


def tokens(text: str, name: str) -> list[bytes]:
    return [token.data for token in tokviz.reference(name).explain(text).tokens()]


# -- letters, characters, bytes --


@pytest.mark.parametrize(
    ("text", "characters", "n_bytes"),
    [
        ("the cat in the hat", 18, 18),
        ("café", 4, 5),
        ("cafe\u0301", 5, 6),  # the accent by itself: its code point, 769, is no byte
        ("Your text here" + 6 * "…" + "..", 22, 34),  # as many bytes as characters only where all is ASCII
    ],
)
def test_a_text_has_as_many_bytes_as_utf8_gives_it(text: str, characters: int, n_bytes: int) -> None:
    for tally in tallies(text).values():
        assert (tally.characters, tally.bytes) == (characters, n_bytes)
    bytes_alone = tokviz.train("", 256, pattern="none").tokenizer
    assert bytes_alone.encode(text) == list(text.encode())


def test_the_first_256_tokens_are_bytes_not_letters() -> None:
    tok = tokviz.train("", 256, pattern="none").tokenizer
    assert list(tok.vocab.values()) == [bytes([n]) for n in range(256)]
    (row,), _ = figures.measured(Visitor(), [ShownTokenizer("mine1", "bytes", "yours", tok)], "ñ")
    assert (row[1].characters, row[1].tokens, row[1].single_byte_share) == (1, 2, 1)


def test_gpt2_lists_the_printable_bytes_first() -> None:
    vocab = tokviz.reference("gpt2").vocab
    assert b"".join(vocab[id] for id in range(94)).decode() == "".join(map(chr, range(ord("!"), ord("~") + 1)))
    assert {vocab[id].decode("utf-8", "replace") for id in range(94, 159)} == {"�"}  # halves of characters


def test_a_word_after_a_space_is_one_token_of_the_same_bytes_everywhere() -> None:
    """Ġ is how a file writes the space; the token holds none."""
    for name in REFERENCES:
        ((token, _, times),) = of_length(tokviz.reference(name).explain("Hello world"), 6)
        assert (token, times) == (b" world", 1)


# -- where the cuts are --


def test_a_word_is_cut_where_its_merges_end() -> None:
    assert tokens("unforgettable", "gpt2") == [b"un", b"for", b"gettable"]
    for name in ("cl100k_base", "o200k_base"):
        assert tokens("unforgettable", name) == [b"un", b"forgettable"]
    for name in REFERENCES:
        assert tokens(" unforgettable", name) == [b" unforgettable"]


def test_a_contraction_is_a_matter_of_the_pattern_and_of_the_apostrophe() -> None:
    straight = {name: tokens("I'm a Nepali boy", name) for name in REFERENCES}
    assert straight["gpt2"] == straight["cl100k_base"] == [b"I", b"'m", b" a", b" Nep", b"ali", b" boy"]
    assert straight["o200k_base"][0] == b"I'm"
    assert len(tokens("I’m a Nepali boy", "gpt2")) == len(straight["gpt2"]) + 2


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_the_twelve_tokens_of_a_sentence(name: str) -> None:
    found = tokens("Tokenization is the first step in any LLM pipeline.", name)
    assert found[:2] == [b"Token", b"ization"]
    assert found[-4:] == [b" L", b"LM", b" pipeline", b"."]


def test_gpt2s_pattern_needs_its_first_apostrophe() -> None:
    without = r"(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    assert cut("the", without).tolist() == [1, 3]  # t, he
    assert cut(" don't", without).tolist() == [4, 5, 6]  #  don, ', t
    assert cut("the", "gpt2").tolist() == [3]
    assert cut(" don't", "gpt2").tolist() == [4, 6]


# -- training --


@pytest.mark.parametrize("demo", ["demo_class", "demo_regex"])
def test_a_demo_makes_all_its_merges(demo: str) -> None:
    example = TRUE[demo]
    training = tokviz.train(example["corpus"], example["vocab_size"], pattern=example.get("pattern", "none"))
    assert (len(training.merges), training.tokenizer.vocab_size, training.stopped) == (20, 276, "size")
    if demo == "demo_regex":
        theirs = tokviz.train(example["corpus"], example["vocab_size"], pattern="gpt2").tokenizer
        assert {text: theirs.encode(text) for text in example["encode"]} == example["encode"]


def test_another_tie_rule_gives_other_tokens() -> None:
    def lowest(corpus: str, size: int, pattern: str = "none") -> tokviz.Tokenizer:
        return tokviz.train(corpus, size, pattern=pattern, tie="lowest").tokenizer

    ten, one, demo = TRUE["train10"], TRUE["exercise1"], TRUE["demo_regex"]
    assert lowest(ten["text"], 266).encode("the cat in the hat") == [259, 262, 105, 263, 104, 256]
    assert [len(lowest(one["corpus"], size).encode(one["test"])) for size in (260, 280)] == [16, 8]
    assert len(lowest(demo["corpus"], 276, demo["pattern"]).encode("the cat sat on the mat")) == 8


def test_pair_counts_fall_as_a_small_corpus_merges() -> None:
    training = tokviz.train(TRUE["aab"]["text"], 258, pattern="none")
    assert [(merge.count, merge.replaced) for merge in training.merges] == [(3, 3), (2, 2)]


# -- is a larger vocabulary better? --


def times(text: str) -> float:
    """GPT-2's tokens over o200k_base's: how many times as much text fits into one and the same window."""
    counted = tallies(text, "gpt2", "o200k_base")
    return counted["gpt2"].tokens / counted["o200k_base"].tokens


def test_four_times_the_vocabulary_is_not_a_third_more_english() -> None:
    assert 1.05 < times(sample("story").text) < 1.15
    assert 1.4 < times(sample("code").text) < 1.6
    (german,) = [row.text for row in parallel() if row.code == "de"]
    assert times(german) > 1.4


def test_a_larger_vocabulary_can_need_more_tokens() -> None:
    """GPT-2 has tokens for years; the patterns of the later ones cut numbers after three digits."""
    dates = "Recorded in 2006, released on October 24, 2006; reissued in 2008, 2010, 2012, 2014 and 2019."
    counted = {name: tally.tokens for name, tally in tallies(dates).items()}
    assert counted["gpt2"] < counted["o200k_base"] < counted["cl100k_base"]
    assert (counted["gpt2"], counted["cl100k_base"]) == (25, 40)


def test_tokens_by_language_fall_with_the_vocabulary_and_for_some_languages_the_most() -> None:
    chosen = [ShownTokenizer(name, name, name, None) for name in REFERENCES]
    counts = {row.language: [row.tokens[name] for name in REFERENCES] for row in tongues(Visitor(), chosen)}
    assert all(first >= second >= third for first, second, third in counts.values())
    fewer = {language: first / third for language, (first, _, third) in counts.items()}
    assert fewer["English"] == min(fewer.values())
    assert fewer["Tamil"] == max(fewer.values())
    assert counts["Tamil"][0] > 10 * counts["English"][0]
