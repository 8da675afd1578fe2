"""Pipelines of several cuts: `tokenizers` cuts the same, a file keeps its stages, and what no stage can be is named."""

from __future__ import annotations

import functools
import json
import random
import unicodedata
from itertools import accumulate, pairwise

import numpy as np
import pytest
import tokenizers
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from tests.formats_cases import DEEPSEEK, hard_texts, theirs, with_fields
from tokviz import Tokenizer, train
from tokviz.base.byte_characters import BYTES
from tokviz.base.errors import FormatError, PatternError
from tokviz.catalog.samples import sample
from tokviz.comparison.export import probes, prove
from tokviz.formats import dump, load
from tokviz.split.clauses import take_apart
from tokviz.split.cutting import check_pattern, covers, cut, left_out
from tokviz.split.pipeline import Behavior, Stage, stages_of, written
from tokviz.tokenizer.encoding import OPEN, SPLIT
from tokviz.tokenizer.live_text import LiveText
from tokviz.tokenizer.merge_table import FirstMerges, MergeTable
from tokviz.vocabulary.texts import unreachable

# what `tokenizers` calls each way
THEIRS: dict[Behavior, str] = {
    "isolated": "isolated",
    "merged with previous": "merged_with_previous",
    "merged with next": "merged_with_next",
    "contiguous": "contiguous",
    "removed": "removed",
}
EXPRESSIONS = (
    *DEEPSEEK,
    r"\p{N}",
    " ",
    r"\s+(?!\S)|\s+",
    "[a-c]+b",
    "ab|a",
    "a(?=b)|c",
    "'s|'t",
    r" ?\p{L}+",
    r"\p{P}",
)
CLASSES = (r"\s+", r"\s", " ", "[a-c]+", r"\p{N}", r"[^\p{L}\s]+", r"\.")  # which a stage may leave out


def drawn_stage(choose: random.Random) -> Stage:
    how = choose.choice([*THEIRS])
    return Stage(choose.choice(CLASSES if how == "removed" else EXPRESSIONS), how, choose.random() < 0.3)


stages = st.randoms(use_true_random=False).map(drawn_stage)
texts = st.text(st.sampled_from("abc  '12一ゟ.,!s\n\r\tt é"), max_size=14) | st.sampled_from(hard_texts(200))


def splits_of(pipeline: list[Stage]) -> list[pre_tokenizers.PreTokenizer]:
    return [pre_tokenizers.Split(Regex(e), THEIRS[how], inverted) for e, how, inverted, _ in pipeline]


@pytest.mark.longer
@settings(max_examples=max(60, settings().max_examples))
@given(texts, st.lists(stages, min_size=1, max_size=4))
def test_every_pipeline_cuts_as_tokenizers_does(text: str, pipeline: list[Stage]) -> None:
    splits = splits_of(pipeline)
    pieces = pre_tokenizers.Sequence(splits).pre_tokenize_str(text)
    expected = [(len(text[:start].encode()), len(text[:end].encode())) for _, (start, end) in pieces]
    ends = cut(text, pattern := check_pattern(written(pipeline))).tolist()
    gone = left_out(text.encode(), pattern)
    assert [(start, end) for start, end in pairwise([0, *ends]) if not gone[start]] == expected


def drawn_stage_of_bytes(choose: random.Random) -> Stage:
    stage = drawn_stage(choose)
    signs = ("[²³¼]+", r"\p{N}", "Ġ", "[À-ÿ]")
    return stage._replace(expression=choose.choice([*signs, stage.expression]), of_bytes=True)


stages_of_bytes = st.randoms(use_true_random=False).map(drawn_stage_of_bytes)
texts_of_halves = st.text(st.sampled_from("ab 12²³¼é٣ۼĲ一ò\n."), max_size=14) | texts


@pytest.mark.longer
@settings(max_examples=max(60, settings().max_examples))
@given(
    texts_of_halves,
    st.lists(stages, max_size=2),
    st.booleans(),
    st.lists(stages_of_bytes, min_size=1, max_size=3),
)
def test_stages_of_bytes_cut_what_byte_level_writes(
    text: str, before: list[Stage], use_regex: bool, after: list[Stage]
) -> None:
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)
    theirs = pre_tokenizers.Sequence([*splits_of(before), byte_level, *splits_of(after)])
    expected = [bytes(map(BYTES.__getitem__, piece)) for piece, _ in theirs.pre_tokenize_str(text)]
    pattern = check_pattern(written([*before, *[Stage("gpt2")] * use_regex, *after]))
    data, ends = text.encode(), cut(text, pattern).tolist()
    gone = left_out(data, pattern)
    assert [data[start:end] for start, end in pairwise([0, *ends]) if not gone[start]] == expected


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split_at(kind: str, sign: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, object]:
    return {"type": "Split", "pattern": {kind: sign}, "behavior": behavior, "invert": invert}


FALCON = [
    {"type": "Punctuation", "behavior": "Contiguous"},
    BYTE_LEVEL | {"use_regex": True},
    {"type": "Digits", "individual_digits": False},
    split_at("Regex", "[0-9][0-9][0-9]"),
]
TRAINED = train(sample("story").text, 400, pattern="none").tokenizer
FILES = {
    "DeepSeek": [split_at("Regex", expression) for expression in DEEPSEEK],
    "SmolLM": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL | {"use_regex": True}],
    "StarCoder": [{"type": "Digits", "individual_digits": False}],
    "a text": [split_at("String", " .^$*+?()[]{}|\\", "MergedWithNext"), split_at("String", " ", "Contiguous", True)],
    "in a sequence": [{"type": "Sequence", "pretokenizers": [{"type": "Punctuation"}]}],
    "white space": [{"type": "Whitespace"}],
    "words": [{"type": "WhitespaceSplit"}, {"type": "Punctuation"}],
    "words without digits": [
        {"type": "WhitespaceSplit"},
        split_at("Regex", "[0-9]+", "Removed"),
        {"type": "Whitespace"},
    ],
    "spaces alone": [split_at("String", " ", "Removed", True), {"type": "Digits", "individual_digits": False}],
    "punctuation": [
        {"type": "Punctuation", "behavior": "MergedWithPrevious"},
        {"type": "Digits", "individual_digits": False},
    ],
    "Falcon": FALCON,
    "bytes alone": [BYTE_LEVEL, {"type": "Whitespace"}],
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_keeps_its_stages_and_gives_the_ids_of_tokenizers(name: str) -> None:
    has_byte_level = any(step["type"] == "ByteLevel" for step in FILES[name])
    steps = FILES[name] if has_byte_level else [*FILES[name], BYTE_LEVEL]
    fields = json.loads(dump(TRAINED, "hf")["tokenizer.json"])
    fields |= {
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "normalizer": {"type": "Sequence", "normalizers": []},
    }
    files = {"tokenizer.json": json.dumps(fields).encode()}
    loaded = load(files)
    assert stages_of(loaded.pattern)
    again = load(dump(loaded, "hf"))
    assert again.pattern == loaded.pattern == load(dump(loaded, "tokviz")).pattern
    whole, rewritten = theirs(files), theirs(dump(loaded, "hf"))
    for text in [*hard_texts(80), " .^$*+?()[]{}|\\ .", "it's 12, and 1234!?  "]:
        ids = loaded.encode_ordinary(text)
        assert ids == whole.encode(text).ids == rewritten.encode(text).ids, text
        assert ids == [id for id in loaded.explain(text).ids.tolist() if id >= 0] == loaded.encode_array(text).tolist()
        assert loaded.decode(ids) == whole.decode(ids)
        for size, start in ((1, 0), (4, 3)):
            pieces = [*loaded.explain_in_pieces(text, size, start)]
            assert not start or b"".join(piece.data for piece in pieces) in text.encode()
            assert start or [id for piece in pieces for id in piece.ids.tolist() if id >= 0] == ids


@functools.cache
def falcon() -> tuple[Tokenizer, tokenizers.Tokenizer]:
    """Train with Falcon's steps, and return what opens the file, and what wrote it."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    steps = [
        pre_tokenizers.Punctuation("contiguous"),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        pre_tokenizers.Digits(individual_digits=False),
        pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated"),
    ]
    made.pre_tokenizer = pre_tokenizers.Sequence(steps)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=600, show_progress=False, initial_alphabet=alphabet)
    made.train_from_iterator([sample("story").text, *hard_texts(300), "²³¼ é² 123456 ٣ۼ" * 9], trainer)
    written = json.loads(made.to_str())
    assert [step["type"] for step in written["pre_tokenizer"]["pretokenizers"]] == [step["type"] for step in FALCON]
    return load({"tokenizer.json": json.dumps(written).encode()}), made


@pytest.mark.longer
@settings(max_examples=max(60, settings().max_examples))
@given(texts_of_halves)
def test_a_file_with_steps_of_falcon_opens_with_its_merges(text: str) -> None:
    assume(all(unicodedata.ucd_3_2_0.category(sign) != "Cn" for sign in text))  # their Punctuation lacks newer marks
    loaded, theirs = falcon()
    assert loaded.has_merges and loaded.encode_ordinary(text) == theirs.encode(text).ids
    found = loaded.explain(text)
    assert found.ids.tolist() == theirs.encode(text).ids and found.data == text.encode()
    starts = np.flatnonzero(found.seams == SPLIT).tolist()
    pieces = theirs.pre_tokenizer.pre_tokenize_str(text)
    assert starts == [*accumulate((len(piece) for piece, _ in pieces), initial=0)][:-1]
    for start in range(len(found.data)):
        first = next(loaded.explain_in_pieces(text, 4, start))
        assert first.data.decode() and first.start <= start and first.part(0, 4).data.decode()


def test_a_stage_of_bytes_cuts_inside_a_character() -> None:
    loaded, _ = falcon()
    assert loaded.explain("xۼ").seams.tolist() == [SPLIT, OPEN, SPLIT]  # Û is a letter, ¼ a number
    assert stages_of(loaded.pattern)[1:] == (
        Stage("gpt2"),
        Stage(r"\p{N}", "contiguous", of_bytes=True),
        Stage("[0-9][0-9][0-9]", of_bytes=True),
    )
    with pytest.raises(PatternError, match="cuts bytes, and this tokenizer merges characters"):
        Tokenizer("x", FirstMerges(MergeTable.of_characters(range(256), 0, [], [], [], {})), pattern=loaded.pattern)


def test_half_a_character_is_not_left_out_with_its_class() -> None:
    pipeline = [Stage(r"[\s²]", "removed"), Stage("gpt2"), Stage(r"\p{N}", of_bytes=True)]
    tok = Tokenizer("x", [], pattern=written(pipeline))
    found = tok.explain("a ۼ²")
    chunks = [found.data[start:end] for start, end in pairwise([*np.flatnonzero(found.seams == SPLIT).tolist(), 6])]
    assert chunks == [b"a", b" ", b"\xdb", b"\xbc", "²".encode()]
    for chunk in chunks:
        is_gone = chunk in (b" ", "²".encode())
        assert (tok.explain_chunks(chunk, np.array([len(chunk)])).ids.tolist() == [-1]) == is_gone


def test_what_a_stage_leaves_out_is_a_span_without_a_token() -> None:
    tok = Tokenizer("x", [(97, 98), (32, 32)], pattern=written([Stage(r"\s+", "removed"), Stage("gpt2")]))
    found = tok.explain("  ab c")
    assert found.ids.tolist() == [-1, 256, -1, 99] and found.whole == {0: None, 4: None}
    assert tok.encode("  ab c") == [256, 99] and found.data == b"  ab c"
    assert tok.explain_chunks(b" ab", np.array([1, 3])).ids.tolist() == [-1, 256]
    lost = {one.id: (one.why, one.becomes) for one in unreachable(tok)}
    assert lost[257] == ("split", ()) and 256 not in lost
    assert prove(tok, "hf", dump(tok, "hf"), ["  ab c", "\tab", " "]).equal
    live = LiveText([tok])
    assert live.patch(0, 0, "  ab c")[0].seams.tolist() == found.seams.tolist()
    with pytest.raises(PatternError, match="leaves characters out, and a training counts all"):
        train("ab ab", 257, pattern=tok.pattern)


def test_what_is_left_out_of_many_texts_is_a_span_in_each() -> None:
    pattern = written([Stage(r"\s+", "removed"), Stage("gpt2")])
    texts = ["", "ab ", " ab", "", " ", " \n", "a", "b", "", "  ", ""]
    for added in ({}, {"<x>": 300}):
        tok = Tokenizer("x", [(97, 98), (32, 32)], pattern=pattern, added_tokens=added)
        found = tok.explain_each([text.encode() for text in texts])
        assert found.ids.tolist() == [id for text in texts for id in tok.explain(text).ids.tolist()]


def test_one_stage_that_leaves_nothing_out_is_a_plain_pattern() -> None:
    steps = [split_at("Regex", r"\p{L}+|\P{L}"), BYTE_LEVEL]
    loaded = load(with_fields(pre_tokenizer={"type": "Sequence", "pretokenizers": steps}))
    assert loaded.pattern == r"\p{L}+|\P{L}"
    assert covers(loaded.pattern) and not covers(r"\p{L}+")


def test_a_training_counts_the_chunks_of_a_pipeline() -> None:
    pattern = written([Stage(r"\p{N}{1,3}"), Stage("gpt2")])
    trained = train("12345 123 12345", 300, pattern=pattern)
    assert {bytes(data) for data, _ in trained.counts} == {b"123", b"45", b" "}


def test_a_window_of_a_training_is_text_where_chunks_end_inside_a_character() -> None:
    text = "xۼ² ½½ 12345"
    trained = train(text, 300, pattern=written([Stage("gpt2"), Stage(r"\p{N}", of_bytes=True)]))
    for start in range(len(text.encode())):
        window = trained.window(start, 1)
        assert window.data.decode() in text and window.start <= start < window.start + len(window.data)


@pytest.mark.parametrize("format", ["minbpe", "tiktoken"])
def test_a_format_of_one_expression_refuses_a_pipeline(format: str) -> None:
    with pytest.raises(FormatError, match="cuts a text in 2 stages"):
        dump(Tokenizer("x", [], pattern=written([Stage("[0-9]"), Stage("gpt2")])), format)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("stages:\nisolated [0-9]", "Line 2 of the pipeline is no stage"),
        ('stages:\nisolated "[0-9]"\ndropped " "', "Line 3"),
        (written([Stage("a(?=b)", "removed")]), r"leaves out 'a\(\?=b\)', which is no character or class of some"),
        ("stages:", "The pipeline has no stages|has 0 stages"),
        (written([Stage(" ", of_bytes=True), Stage("[0-9]")]), "Line 3 of the pipeline cuts characters"),
        (written([Stage("[0-9]")] * 9), "The pipeline has 9 stages"),
        (written([Stage("gpt4")]), "There is no split pattern 'gpt4'"),
        (written([Stage("(a")]), "Of the pipeline's stage '\\(a': .*does not compile"),
        (written([Stage("a*")]), "may match nothing"),
        (written([Stage(r"(a)\1")]), "only the package regex can match"),
    ],
)
def test_what_is_no_pipeline_is_named(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=says):
        check_pattern(pattern)


def test_line_ends_of_windows_end_a_line_of_a_pipeline() -> None:
    pattern = written([Stage("[0-9]"), Stage("gpt2")])
    assert stages_of(pattern.replace("\n", "\r\n")) == stages_of(pattern)


@pytest.mark.parametrize(
    "steps",
    [
        [{"type": "Punctuation", "behavior": ["Isolated"]}],
        [{"type": "Punctuation", "behavior": {}}],
        [{"type": "Digits", "individual_digits": True}] * 9,
        [
            functools.reduce(
                lambda step, _: {"type": "Sequence", "pretokenizers": [step]}, range(300), {"type": "Digits"}
            )
        ],
    ],
    ids=["a list", "an object", "too many", "too deep"],
)
def test_steps_that_are_none_are_named(steps: list[dict[str, object]]) -> None:
    with pytest.raises(FormatError, match="which tokviz does not honour"):
        load(with_fields(pre_tokenizer={"type": "Sequence", "pretokenizers": [*steps, BYTE_LEVEL]}))


@pytest.mark.parametrize("format", ["hf", "gpt2"])
def test_the_export_of_a_pipeline_is_proven(format: str) -> None:
    stages = [Stage(r"\p{N}{1,3}"), Stage(" ", "merged with next"), Stage("[a-c]+", "contiguous", inverted=True)]
    trained = train(sample("story").text, 400, pattern=written([*stages, Stage("gpt2")])).tokenizer
    files = dump(trained, format)
    assert prove(trained, format, files, probes(trained, "abc 1234 'tis")).equal


def test_a_pipeline_is_not_explained_as_one_expression() -> None:
    with pytest.raises(PatternError, match="it cuts in several stages"):
        take_apart(written([Stage("gpt2")]))
