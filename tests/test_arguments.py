"""Wrong arguments of public functions raise an error of ours, a ValueError that says what is wrong and the way out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tokviz
from tests.peers_cases import peer
from tokviz import Tokenizer, formats
from tokviz.base.arguments import whole_number
from tokviz.base.errors import (
    FormatError,
    InputError,
    PatternError,
    SettingError,
    SpecialTokenError,
    TokvizError,
    UnknownIdError,
    UnknownNameError,
)
from tokviz.base.files import clean_name
from tokviz.catalog import references, samples, saved
from tokviz.formats.tokviz import loads
from tokviz.formats.witness import witness
from tokviz.teach.dropout import encode_with_dropout
from tokviz.training.again import train_again
from tokviz.training.record import training_record
from tokviz.vocabulary.steps import chunk_steps
from tokviz.vocabulary.texts import unreachable

CAT = "the cat in the hat sat on the mat"
TRAINING = tokviz.train(CAT, vocab_size=260)
TOK = TRAINING.tokenizer
ENCODING = TOK.explain(CAT)
COMPARED = tokviz.compare(CAT, [TOK, TOK.truncated(258)])
N = len(ENCODING)
ALL_BYTES = {bytes([byte]): byte for byte in range(256)}
WHOLE = "not a whole number"
OUT = "out of range"
NO_STR = "not a string"

Row = tuple[Callable[[], object], type[TokvizError], str]


ROWS: list[Row] = [
    # Tokenizer: what it is made of
    (lambda: Tokenizer(5, []), InputError, NO_STR),
    (lambda: Tokenizer("x", None), InputError, "no list of pairs"),
    (lambda: Tokenizer("x", ["ab"]), FormatError, "not a pair"),
    (lambda: Tokenizer("x", [(97, 98), (97, 98, 99)]), FormatError, "Merge 2"),
    (lambda: Tokenizer("x", [(97.0, 98)]), InputError, WHOLE),
    (lambda: Tokenizer("x", [(97, 2**70)]), FormatError, OUT),
    (lambda: Tokenizer("x", [], alphabet=range(3)), FormatError, "3 ids"),
    (lambda: Tokenizer("x", [(97, 98)], merge_ids=5), InputError, "no collection of ids"),
    (lambda: Tokenizer("x", [(97, 98)], merge_ids=np.array([2**40])), FormatError, OUT),
    (lambda: Tokenizer("x", [], pattern=None), PatternError, "string"),
    (lambda: Tokenizer("x", [], special_tokens=["<s>"]), SpecialTokenError, "does not map"),
    (lambda: Tokenizer("x", [], special_tokens={5: 256}), SpecialTokenError, NO_STR),
    (lambda: Tokenizer("x", [], special_tokens={"<s>": 256.0}), SpecialTokenError, WHOLE),
    (lambda: Tokenizer("x", [], special_tokens={"<s>": 2**31}), SpecialTokenError, OUT),
    (lambda: Tokenizer("x", [], history="abc"), FormatError, "no list of records"),
    (lambda: Tokenizer("x", [(97, 98)], history=[5]), FormatError, "Record 1"),
    (lambda: Tokenizer("x", [(97, 98)], history=[(1.5,) * 8]), InputError, WHOLE),
    (lambda: Tokenizer("x", [], made_from=["a"]), SettingError, "not a dictionary"),
    (lambda: Tokenizer("x", [], made_from={"a": {1, 2}}), SettingError, "which JSON cannot hold"),
    (lambda: Tokenizer.from_ranks("x", [b"a"], pattern="none", special_tokens={}), FormatError, "rank file"),
    (
        lambda: Tokenizer.from_ranks("x", ALL_BYTES | {b"ab": 1.5}, pattern="none", special_tokens={}),
        InputError,
        WHOLE,
    ),
    (lambda: TOK.renamed(None), InputError, NO_STR),
    (lambda: TOK.with_special_tokens(None), SpecialTokenError, "does not map"),
    (lambda: TOK.truncated(255), SettingError, "from 256 to 260"),
    *(
        (lambda value=value: TOK.truncated(value), SettingError, WHOLE)
        for value in (1.5, True, None, "1", [1], np.float64(2), np.bool_(True))
    ),
    # Tokenizer: text to ids and back
    *((lambda value=value: TOK.encode(value), InputError, NO_STR) for value in (None, 5, ["a"])),
    (lambda: TOK.encode(b"abc"), InputError, "which is bytes. Decode it with tokviz.read_text"),
    *(
        (lambda ends=ends: TOK.explain_chunks(b"hughu", ends), InputError, "do not rise from above 0 to 5")
        for ends in ([3], [], [3, 9], [4, 2, 5], [3, 3, 5], [-1, 5], [0, 5], [2.5, 5.0], 5, None, "5")
    ),
    (lambda: TOK.explain_chunks("hughu", [5]), InputError, "not bytes"),
    *(
        (lambda value=value: TOK.encode(CAT, allowed_special=value), SpecialTokenError, "allowed_special is ")
        for value in (5, None, [5], [["<s>"]], b"<s>")
    ),
    (lambda: TOK.explain(CAT, "<s>"), SpecialTokenError, "allowed_special is '<s>', which is no collection"),
    (lambda: TOK.encode(CAT, (), "<s>"), SpecialTokenError, "disallowed_special is '<s>', which is no collection"),
    (lambda: TOK.explain_in_pieces(CAT, 0), SettingError, OUT),
    *(
        (lambda value=value: TOK.decode(value), InputError, WHOLE)
        for value in ([97.9], [True], np.array([97.0]), [None])
    ),
    *((lambda value=value: TOK.decode(value), InputError, "no collection of ids") for value in ("97", b"ab", 97, None)),
    (lambda: TOK.decode([97, -1]), UnknownIdError, "No token has the id -1 (position 1)"),
    (lambda: TOK.decode([97, 260]), UnknownIdError, "The ids go up to 259"),
    (lambda: TOK.decode([2**80]), UnknownIdError, "No token has the id"),
    (lambda: TOK.decode([97, "98"]), InputError, f"'98' at position 1, which is {WHOLE}"),
    (lambda: TOK.rank_of([97]), InputError, "not bytes"),
    # files
    (lambda: TOK.save(None), InputError, "not a path"),
    (lambda: TOK.save("/no/such/folder/x.json"), SettingError, "x.json cannot be written: its folder"),
    (lambda: tokviz.load("a\0b"), InputError, "not a path"),
    (lambda: tokviz.load("/no/such/folder/x.json"), FormatError, "x.json cannot be read: No such file"),
    (lambda: loads("{}"), InputError, "call tokviz.load(path)"),
    (lambda: loads(None), InputError, "A model file is bytes"),
    (lambda: clean_name(None), SettingError, NO_STR),
    # Encoding
    (lambda: ENCODING.at(-1), SettingError, OUT),
    (lambda: ENCODING.tree(N), SettingError, f"There is no token {N}: this text has {N}"),
    (lambda: TOK.explain("").tree(0), SettingError, "There is no token 0: this text has 0"),
    (lambda: ENCODING.joined_at(0), SettingError, "No merge closed"),
    # catalogs
    (lambda: tokviz.reference("gpt5"), UnknownNameError, "Choose one of: gpt2"),
    (lambda: tokviz.reference(None), UnknownNameError, "no tokenizer None"),
    (lambda: references.model(None), UnknownNameError, "no facts about a model None"),
    (lambda: samples.sample(None), UnknownNameError, "Choose one of: mixed"),
    # text
    (lambda: tokviz.read_text("abc"), InputError, "A string is text already"),
    (lambda: tokviz.read_text(None), InputError, "takes bytes, not NoneType"),
    (lambda: tokviz.read_text(b"abc", name=5), InputError, NO_STR),
    (lambda: tokviz.read_text(b"abc", repair="no"), SettingError, "neither True nor False"),
    # training
    *(
        (lambda value=value: tokviz.train(value), InputError, "corpus")
        for value in (None, 5, {"a": 1}, b"ab", [5], [b"a"])
    ),
    (lambda: tokviz.train(CAT, 255), SettingError, OUT),
    (lambda: tokviz.train(CAT, 257, min_count=0), SettingError, OUT),
    (lambda: tokviz.train(CAT, 257, pattern=5), PatternError, "string"),
    (lambda: tokviz.train(CAT, 257, special_tokens="<s>"), SpecialTokenError, "no collection"),
    (lambda: tokviz.train(CAT, 257, special_tokens=[5]), SpecialTokenError, NO_STR),
    (lambda: tokviz.train(CAT, 257, special_tokens=[""]), SpecialTokenError, "empty"),
    (lambda: tokviz.train(CAT, 257, special_tokens=["<s>", "<s>"]), SpecialTokenError, "'<s>' is named twice"),
    (lambda: tokviz.train(CAT, 257, special_tokens=["\ud800"]), SpecialTokenError, "ud800"),
    (lambda: tokviz.train_steps(CAT, 255), SettingError, OUT),  # before the first step is asked for
    (lambda: tokviz.train(CAT, 257, tie="last"), SettingError, "first, lowest, hf"),
    (lambda: tokviz.train(CAT, 257, tie=["first"]), SettingError, "first, lowest, hf"),
    (lambda: tokviz.train(CAT, 257, prefer=None), SettingError, "frequent, rarest"),
    (lambda: tokviz.train(CAT, 257, ban=b"at"), SettingError, "ban"),
    (lambda: tokviz.train(CAT, 257, ban=["at"]), SettingError, "ban"),
    (lambda: tokviz.train(CAT, 257, name=5), InputError, NO_STR),
    (lambda: list(tokviz.train_steps(CAT, 257, cancel=5)), SettingError, "cannot be called"),
    (lambda: TRAINING.tokens_at(-1), SettingError, "from 0 to 4"),
    (lambda: TRAINING.candidates(-1), SettingError, "steps 0 to 4"),
    (lambda: TRAINING.candidates(0, -1), SettingError, OUT),
    # comparing
    (lambda: tokviz.compare(CAT, None), SettingError, "nothing to compare"),
    (lambda: tokviz.compare(CAT, TOK), SettingError, "Pass a list"),
    (lambda: tokviz.compare(CAT, [TOK, None]), SettingError, "None is not a tokenizer"),
    (lambda: COMPARED.among([]), SettingError, "nothing to compare"),
    (lambda: COMPARED.among("01"), InputError, "no collection"),
    (lambda: COMPARED.among([2]), SettingError, "Use an index from 0 to 1"),
    (lambda: COMPARED.reasons(-1, 0, 1), SettingError, "not inside the text"),
    (lambda: COMPARED.reasons(1, -1, 1), SettingError, "no tokenizer -1"),
    (lambda: tokviz.same(TOK, "gpt2"), SettingError, "is not a tokenizer"),
]


@pytest.mark.parametrize(("call", "error", "says"), ROWS)
def test_wrong_arguments(call: Callable[[], object], error: type[TokvizError], says: str) -> None:
    with pytest.raises(TokvizError) as caught:
        call()
    assert type(caught.value) is error and isinstance(caught.value, ValueError)
    assert says in str(caught.value)
    assert caught.value.what.endswith(".") and (not caught.value.way_out or caught.value.way_out.endswith("."))
    assert "\n" not in str(caught.value)


@pytest.mark.right
def test_a_whole_number_with_a_highest_value_alone_has_it() -> None:
    assert whole_number(5, "The shard", most=5) == 5
    with pytest.raises(SettingError, match=r"out of range\. Pass a number to 5\."):
        whole_number(6, "The shard", most=5)


@pytest.mark.right
@pytest.mark.parametrize(
    "call",
    [
        lambda peer: formats.dump(peer, "hf"),
        lambda peer: formats.dump(peer, "tokviz"),
        lambda peer: tokviz.same(peer, TOK),
        lambda peer: tokviz.same(TOK, peer),
        lambda peer: saved.save(peer, "mine"),
        lambda peer: chunk_steps(peer, b"the"),
        lambda peer: encode_with_dropout(peer, CAT, 0.1, 1),
        lambda peer: unreachable(peer),
        lambda peer: training_record(peer),
        lambda peer: train_again(peer, []),
        lambda peer: witness(peer),
        lambda peer: peer.save("mine.json"),
    ],
)
def test_a_peer_where_merges_are_needed_is_refused(call: Callable[[object], object]) -> None:
    with pytest.raises(SettingError, match=r"^The merges of .* are not known: .* 'WordPiece'\. tokviz"):
        call(peer("WordPiece"))


@pytest.mark.right
def test_a_peer_takes_threads_and_lacks_what_nobody_has() -> None:
    one = peer("WordPiece")
    assert one.encode_array(CAT, threads=2).tolist() == one.encode_ordinary(CAT)
    assert not hasattr(one, "anything") and not hasattr(one, "_repr_html_")


# What must be accepted


@pytest.mark.parametrize("kind", [np.int8, np.uint64])
def test_integers_of_numpy_are_whole_numbers(kind: type[np.integer]) -> None:
    one, two = kind(1), kind(2)
    assert TOK.decode_bytes([kind(97), 98]) == b"ab"
    assert TOK.decode(np.array([97, 98], kind)) == "ab"
    assert ENCODING.at(two) == ENCODING.at(2)
    assert ENCODING.tree(one) == ENCODING.tree(1)
    assert ENCODING.part(one, two) == ENCODING.part(1, 2)
    assert TRAINING.tokens_at(two) == TRAINING.tokens_at(2)
    assert TRAINING.candidates(one, two) == TRAINING.candidates(1, 2)
    assert TRAINING.window(one, two) == TRAINING.window(1, 2)
    assert COMPARED.among([one]).encodings == COMPARED.encodings[1:]
    assert COMPARED.reason_places(one, kind(0)).keys() == COMPARED.reason_places(1, 0).keys()
    assert Tokenizer("x", np.array([[97, 98]], kind)).merges == ((97, 98),)
    assert type(Tokenizer("x", [(kind(97), kind(98))]).merges[0][0]) is int


def test_numpy_integers_in_settings_can_be_saved(tmp_path: Path) -> None:
    tok = tokviz.train(CAT, np.int64(260), min_count=np.int32(1)).tokenizer.with_special_tokens({"<s>": np.int64(300)})
    short = tok.truncated(np.int64(258))
    for one in (tok, short):
        one.save(tmp_path / "x.json")
        assert tokviz.load(tmp_path / "x.json").made_from == one.made_from
    assert tok.merges == TOK.merges and short.vocab_size == 258
