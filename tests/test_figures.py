"""Figures of a text: words, the tally from which all figures come, researchers' figures, and exact costs."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tokenization_scorer.metrics import get_metric

import tokviz
from tokviz.base.errors import SettingError
from tokviz.cost import figures
from tokviz.split import cutting as split

# Words


@given(st.text(), st.text(alphabet=st.characters(max_codepoint=0x0DFF)))
def test_words_are_runs_between_white_space(text: str, of_scripts_with_spaces: str) -> None:
    assert figures.words(text) in (None, len(regex.findall(r"\S+", text)))
    assert figures.words(of_scripts_with_spaces) == len(regex.findall(r"\S+", of_scripts_with_spaces))


def test_white_space_is_that_of_the_regex_package() -> None:
    assert figures.words("a\x1cb\x1fc") == 1  # str.split() would part them
    assert figures.words("a\u00a0b\u2003c\u3000d\x85e") == 5
    assert figures.words("a\u200bb") == 1
    assert [figures.words(text) for text in ("", " \n\t", "\ud800 x")] == [0, 0, 2]


def test_scripts_that_do_not_separate_words() -> None:
    for text in ("你好世界", "猫が好きだ", "スーパー", "สวัสดีชาวโลก", "ខ្ញុំស្រឡាញ់ភាសា", "ສະບາຍດີ", "မင်္ဂလာပါ"):
        assert figures.words(text) is figures.words(f"  {text}。 {text}\n") is None


def test_a_few_such_characters_among_words_do_not_matter() -> None:
    assert figures.words("The sign 猫 means cat, and is read as neko.") == 10
    assert figures.words("猫 means cat") == 3  # 1 letter of 9
    assert figures.words("猫犬 means 3 things!") is not None
    assert figures.words("猫犬 abcdef") is None  # 2 of 8 is where it begins
    assert figures.words("১২৩ 123 ๓") == 3  # digits are no letters


# The tally

ONES = ("gpt2", "cl100k_base", "own")


@cache
def tokenizer(name: str) -> tokviz.Tokenizer:
    if name != "own":
        return tokviz.reference(name)
    return tokviz.train("the cat in the hat, the naïve 猫 cat. " * 9, 300, pattern=r"\S+\s?|[\s\S]").tokenizer


def as_dict(counted: figures.HowOften) -> dict[int, int]:
    return dict(zip(counted.values.tolist(), counted.times.tolist(), strict=True))


@given(st.text(), st.sampled_from(ONES))
def test_a_tally_counts_what_the_tokens_are(text: str, name: str) -> None:
    encoding = tokenizer(name).explain(text)
    tokens, counted = encoding.tokens(), figures.tally(encoding)
    lengths = Counter(len(token.data) for token in tokens)
    ids = Counter(token.id for token in tokens)
    assert (counted.tokens, counted.bytes) == (len(tokens), len(encoding.data))
    assert as_dict(counted.lengths) == lengths
    assert as_dict(counted.ids) == ids
    assert counted.words == figures.words(encoding.data.decode())
    assert counted.distinct == len(ids)
    assert counted.vocabulary_in_use == len(ids) / tokenizer(name).vocab_size
    if tokens:
        assert counted.single_byte_share == pytest.approx(lengths[1] / len(tokens))
        assert counted.type_token_ratio == len(ids) / len(tokens)


@given(st.text(alphabet="ab .é猫\n"), st.sampled_from(ONES))
def test_words_split_are_those_with_a_boundary_inside(text: str, name: str) -> None:
    encoding = tokenizer(name).explain(text)
    starts = {token.start for token in encoding.tokens()}
    spans = [(m.start(), m.end()) for m in regex.finditer(rb"[^ \n]+", encoding.data)]
    split = sum(any(start < at < end for at in starts) for start, end in spans)
    counted = figures.tally(encoding)
    assert counted.split == split
    assert counted.words_split == (pytest.approx(split / len(spans)) if counted.words else None)


@given(st.text(alphabet="ab .,é猫\n", min_size=1), st.sampled_from(ONES), st.integers(1, 9))
def test_pieces_are_the_whole(text: str, name: str, size: int) -> None:
    tok = tokenizer(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(split, "BATCH", 2)
        pieces = list(tok.explain_in_pieces(text, size))
        last = next(tok.explain_in_pieces(text, size, start=len(text.encode()) // 2))
    whole = tok.explain(text)
    assert b"".join(piece.data for piece in pieces) == whole.data
    assert np.concatenate([piece.seams for piece in pieces]).tolist() == whole.seams.tolist()
    assert all(len(piece.data) >= size for piece in pieces[:-1])
    at = last.start
    assert at <= len(whole.data) // 2 < at + len(last.data)
    assert whole.seams[at : at + len(last.data)].tolist() == last.seams.tolist()
    *_, summed = figures.tally_pieces(figures.facts_of(text), pieces, len(tok.merge_ids))
    at_once = figures.tally(whole)
    for field in ("tokens", "bytes", "characters", "words", "split"):
        assert getattr(summed, field) == getattr(at_once, field), field
    assert as_dict(summed.ids) == as_dict(at_once.ids) and as_dict(summed.lengths) == as_dict(at_once.lengths)
    assert summed.closed.tolist() == at_once.closed.tolist()


def test_an_id_may_be_as_large_as_it_likes() -> None:
    """A table by id would take 17 GB here."""
    tok = tokviz.Tokenizer("sparse", merges=[(97, 98)], merge_ids=[2**31 - 2], special_tokens={"<s>": 2**31 - 1})
    counted = figures.tally(tok.explain("abab<s>c", {"<s>"}))
    assert as_dict(counted.ids) == {2**31 - 2: 2, 2**31 - 1: 1, ord("c"): 1}
    assert (counted.distinct, counted.single_byte_share) == (3, 0.25)


def test_no_text_has_no_pieces_and_no_rates() -> None:
    tok = tokviz.reference("gpt2")
    assert list(tok.explain_in_pieces("", 1)) == []
    nothing = figures.tally(tok.explain(""))
    assert (nothing.tokens, nothing.words, nothing.distinct) == (0, 0, 0)
    for rate in ("tokens_per_word", "words_split", "single_byte_share", "type_token_ratio", "entropy", "bits_per_byte"):
        assert getattr(nothing, rate) is None, rate


@given(st.text(), st.sampled_from(ONES))
def test_one_tally_knows_the_count_at_every_vocabulary_size(text: str, name: str) -> None:
    tok = tokenizer(name)
    counted = figures.tally(tok.explain(text))
    assert len(counted.tokens_at) == len(tok.merge_ids) + 1
    for size in {256, 257, 280, tok.vocab_size // 2, tok.vocab_size} & set(range(256, tok.vocab_size + 1)):
        assert counted.tokens_at[size - 256] == len(tok.truncated(size).encode_ordinary(text))


# The researchers' figures, held against the package that names them


@pytest.mark.filterwarnings("ignore")
@given(st.text(min_size=2), st.sampled_from(ONES))
def test_entropies_are_those_of_tokenization_scorer(text: str, name: str) -> None:
    encoding = tokenizer(name).explain(text)
    counted = figures.tally(encoding)
    ids = [list(map(str, encoding.ids.tolist()))]
    entropy = get_metric("shannon_entropy")(ids)
    assert counted.entropy == pytest.approx(entropy, abs=1e-9)
    assert counted.bits_per_byte == pytest.approx(entropy * len(ids[0]) / len(encoding.data), abs=1e-9)
    if len(set(ids[0])) < 2:
        assert counted.renyi_efficiency is None
    else:
        assert counted.renyi_efficiency == pytest.approx(get_metric("renyi")(ids, power=2.5))


@given(st.lists(st.integers(0, 1000), max_size=20))
def test_gini_is_the_area_between_equality_and_the_lorenz_curve(values: list[int]) -> None:
    if not sum(values):
        assert figures.gini(values) is None
        return
    shares = np.cumsum([0, *sorted(values)]) / sum(values)
    under = sum((a + b) / 2 for a, b in pairwise(shares.tolist())) / len(values)
    assert figures.gini(values) == pytest.approx(1 - 2 * under, abs=1e-9)


# Memory


def test_sizes_of_embedding_tables() -> None:
    assert figures.embedding_bytes(200_000, 4_096, 2) == 1_638_400_000
    assert figures.embedding_bytes(200_019, 4_096, 4) == 3_277_111_296
    assert figures.embedding_bytes(50_257, 768, 4) == 154_389_504  # GPT-2's own
    assert figures.embedding_bytes(1_000, 8, 0.5) == 4_000
    for wrong in ((0, 1, 1), (1, 0, 1), (1, 1, 0)):
        with pytest.raises(SettingError, match="at least one row"):
            figures.embedding_bytes(*wrong)


def test_every_figure_says_what_it_is_and_where_it_is_written_down() -> None:
    known = figures.definitions()
    named = {name for name in dir(figures.Tally) if not name.startswith("_")}
    assert set(known) - named == {"premium", "gini"}
    for one in known.values():
        assert one.title == one.title.strip() != ""
        assert one.definition.endswith(".")
        assert one.source
        assert one.date.year >= 2026
        assert one.better in ("higher", "lower", "")


# Costs


def test_fractions_of_a_cent_are_kept() -> None:
    assert figures.cost(38, 30) == "$0.00114"
    assert figures.cost(37, Decimal("2.5")) == "$0.0000925"
    assert figures.cost(37, Decimal("0.15")) == "$0.00000555"
    assert figures.cost(1, Decimal("0.02")) == "$0.00000002"


def test_cents_are_always_there() -> None:
    assert figures.cost(0, 30) == "$0.00"
    assert figures.cost(10_000, 30) == "$0.30"
    assert figures.cost(40_000_000_000, 30) == "$1,200,000.00"


@given(st.integers(0, 10**15), st.decimals(0, 10**6, places=9))
def test_costs_are_exact(tokens: int, price: Decimal) -> None:
    shown = figures.cost(tokens, price).removeprefix("$").replace(",", "")
    whole, cents = shown.split(".")
    assert len(cents) >= 2
    assert int(whole + cents) * 10**15 == tokens * int(price.scaleb(9)) * 10 ** len(cents)


def test_nothing_below_0_is_reckoned() -> None:
    for tokens, price in ((-1, 30), (1, -30)):
        with pytest.raises(SettingError, match="below 0"):
            figures.cost(tokens, price)
