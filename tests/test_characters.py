"""SentencePiece's BPE, of its own files and of tokenizer.json, gives the ids of its packages; its characters are there
before any merge."""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from tests.formats_cases import hard_texts, theirs
from tokviz import Tokenizer, same
from tokviz.base.errors import FormatError, InputError, SettingError
from tokviz.base.json_files import InputFile
from tokviz.catalog.samples import sample
from tokviz.comparison.export import prove
from tokviz.formats import dump, load, open_files
from tokviz.formats.characters import BYTE_TOKENS, tokenizer_of_pieces
from tokviz.split.normalizing import Normalizer, Step
from tokviz.tokenizer.encoding import OPEN, SPLIT, WHOLE
from tokviz.vocabulary.biography import birth, merge_tree
from tokviz.vocabulary.steps import chunk_steps

LINES = [*sample("story").text.splitlines(), *sample("mixed").text.splitlines()]
PARTS = [*"abcdehtno  .,1é語日☃🎉\n\t\u2581", "  ", "    ", "the ", "n the", "\u0301", "<sep>", "<s>", " a"]


def text_of(choose: random.Random) -> str:
    return "".join(choose.choices(PARTS, k=choose.randint(0, 12)))


# -- tokenizer.json --


def file_of(choose: random.Random) -> dict[str, bytes]:
    """As Llama's or Gemma's, trained on a few lines: a pair for each token, or every way to cut it into two."""
    unknown = choose.choice(["<unk>", "<unk>", None])
    made = tokenizers.Tokenizer(models.BPE(unk_token=unknown, fuse_unk=choose.random() < 0.5))
    made.model.byte_fallback = choose.random() < 0.6
    prefix, marks = choose.random() < 0.6, normalizers.Replace(" ", "\u2581")
    made.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), marks]) if prefix else marks
    kind = choose.randrange(3)
    if kind == 1:
        scheme = choose.choice(["always", "first", "never"])
        made.normalizer = choose.choice([None, normalizers.NFKC()])
        made.pre_tokenizer = pre_tokenizers.Metaspace("\u2581", scheme, choose.random() < 0.5)
    elif kind == 2:
        made.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    rest = [decoders.ByteFallback(), decoders.Fuse(), *[decoders.Strip(" ", 1, 0)] * (prefix or kind == 1)]
    made.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), *rest])
    trainer = trainers.BpeTrainer(
        vocab_size=choose.randint(60, 400),
        limit_alphabet=choose.randint(20, 80),
        special_tokens=["<unk>", "<s>"],
        initial_alphabet=["\u2581"],
        show_progress=False,
    )
    made.train_from_iterator(choose.sample(LINES, min(len(LINES), choose.randint(2, 12))), trainer)
    fields = json.loads(made.to_str())
    vocab = fields["model"]["vocab"]
    if made.model.byte_fallback or choose.random() < 0.3:
        vocab |= {f"<0x{byte:02X}>": len(vocab) + byte for byte in range(256)}
    if choose.random() < 0.5:
        merged = [left + right for left, right in fields["model"]["merges"]]
        cuts = [[token[:at], token[at:]] for token in merged for at in range(1, len(token))]
        fields["model"]["merges"] = [cut for cut in cuts if cut[0] in vocab and cut[1] in vocab]
    if choose.random() < 0.4:
        added = {"id": len(vocab), "content": "<sep>", "single_word": False, "lstrip": False, "rstrip": False}
        fields["added_tokens"].append(added | {"normalized": choose.random() < 0.5, "special": False})
    return {"tokenizer.json": json.dumps(fields).encode()}


def assert_as_tokenizers(choose: random.Random, texts: int) -> None:
    files = file_of(choose)
    tok, judge = load(files), theirs(files)
    assert tok.in_characters
    for _ in range(texts):
        text = text_of(choose)
        judge.encode_special_tokens = False
        assert tok.encode(text, "all") == judge.encode(text).ids, (text, files)
        judge.encode_special_tokens = True
        ids = tok.encode_ordinary(text)
        assert ids == judge.encode(text).ids, (text, files)
        assert [id for id in tok.explain(text).ids.tolist() if id >= 0] == ids


@pytest.mark.longer
@given(st.integers(0, 10**9))
def test_files_with_byte_fallback_give_the_ids_of_tokenizers(seed: int) -> None:
    assert_as_tokenizers(random.Random(seed), 4)


def test_what_decides_no_id_of_such_a_file_is_left_aside() -> None:
    fields = json.loads(file_of(random.Random(1))["tokenizer.json"]) | {"truncation": {"max_length": 1}}
    said: list[str] = []
    open_files({"tokenizer.json": json.dumps(fields).encode()}, say=said.append)
    assert said == ["tokenizer.json has truncation, left aside here: texts are encoded whole, with all merges."]


# -- .model --


def model_of(choose: random.Random, **settings: Any) -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([LINES[0] or "the cat", *choose.sample(LINES, min(len(LINES), choose.randint(4, 16)))]),
        model_writer=model,
        model_type="bpe",
        vocab_size=choose.randint(330, 600),
        hard_vocab_limit=False,
        minloglevel=3,
        **{
            "byte_fallback": choose.random() < 0.7,
            "normalization_rule_name": "identity",
            "character_coverage": choose.choice([1.0, 0.98]),
            "add_dummy_prefix": choose.random() < 0.7,
            "remove_extra_whitespaces": False,
            "allow_whitespace_only_pieces": choose.random() < 0.5,
            "split_digits": choose.random() < 0.5,
            "user_defined_symbols": choose.choice([[], ["<sep>", "the "], ["\u2581\u2581"]]),
            **settings,
        },
    )
    return model.getvalue()


def assert_as_sentencepiece(choose: random.Random, data: bytes, texts: Sequence[str]) -> Tokenizer:
    tok, judge = load({"m.model": data}), sentencepiece.SentencePieceProcessor(model_proto=data)
    for text in texts:
        ids = judge.encode(text)
        assert tok.encode_ordinary(text) == ids == tok.explain(text).ids.tolist(), text
        assert tok.unknown in ids or tok.decode(ids) == judge.decode(ids), text
    return tok


@pytest.mark.longer
@settings(max_examples=max(10, settings().max_examples // 3))
@given(st.integers(0, 10**9))
def test_models_give_the_ids_of_sentencepiece(seed: int) -> None:
    choose = random.Random(seed)
    texts = [text_of(choose) for _ in range(20)]
    assert_as_sentencepiece(choose, model_of(choose), [*texts, *choose.sample(HARD, 20)])


HARD = hard_texts(200)
DROPS = {"remove_extra_whitespaces": True, "add_dummy_prefix": True, "user_defined_symbols": []}


def test_models_that_drop_spaces_give_the_ids_of_sentencepiece() -> None:
    choose = random.Random(4)
    for _ in range(5):
        texts = [text_of(choose).replace("\u2581", "") for _ in range(40)]
        data = model_of(choose, **DROPS)
        tok = assert_as_sentencepiece(choose, data, texts)
        judge = sentencepiece.SentencePieceProcessor(model_proto=data)
        for text in ["\u2581", "\t\u2581", "a \u2581 ", *(text_of(choose) + "\u2581 " for _ in range(20))]:
            assert tok.encode_ordinary(text) == judge.encode(text), text


@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc_cf"])
def test_models_with_a_table_change_a_text_as_sentencepiece(rule: str) -> None:
    choose = random.Random(5)
    how = {"normalization_rule_name": rule, "user_defined_symbols": []}
    signs = "ﬁ①İẞ각\u1100\u1161\u11a8\u200b\u00ad\x07\u3000e\u0301\u0323ａＢ㍍\ufdfaÅ\u2126 \t\nA"
    for drops in (True, False):
        data = model_of(choose, **how, remove_extra_whitespaces=drops, add_dummy_prefix=drops)
        parts = [*signs, *(part for part in PARTS if part != "\u2581" or not drops)]
        texts = ["".join(choose.choices(parts, k=choose.randint(0, 12))) for _ in range(150)]
        tok = assert_as_sentencepiece(choose, data, [*texts, *hard_texts(150)])
        assert load(dump(tok, "tokviz")).normalizer == tok.normalizer
        with pytest.raises(FormatError, match="reads SentencePiece's table in another way"):
            dump(tok, "hf")


def test_a_damaged_table_is_refused() -> None:
    for table in (b"", b"\x09\0\0\0\0\x01\0\0", b"\x08\0\0\0" + b"\x41\x05\xf0\0" * 2):
        step = Step("table", base64.b64encode(table).decode())
        with pytest.raises(SettingError, match="table of the normalizer is damaged"):
            TOK.with_normalizer(Normalizer((step,))).encode("é")


def test_a_table_may_not_make_a_text_grow_without_end(tmp_path: Path) -> None:
    rule = tmp_path / "rule.tsv"
    rule.write_text("263A\t" + " ".join(["61"] * 60_000))
    data = model_of(random.Random(1), normalization_rule_name="", normalization_rule_tsv=str(rule), **DROPS)
    with pytest.raises(InputError, match="The normalizer makes more than"):
        load({"m.model": data}).encode("\u263a" * 3_000)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"normalization_rule_name": "nmt_nfkc", "add_dummy_prefix": True}, "changes a text in a way"),
        ({"treat_whitespace_as_suffix": True}, "has marks of spaces behind words"),
    ],
)
def test_other_models_are_peers(how: dict[str, Any], says: str) -> None:
    data = model_of(random.Random(1), **how)
    with pytest.raises(FormatError, match=says):
        load({"m.model": data})
    assert not open_files({"m.model": data}).has_merges


def test_a_model_that_breaks_off_is_named() -> None:
    data = model_of(random.Random(1))
    for size in (3, 40, len(data) // 2, len(data) - 1):
        with pytest.raises(FormatError, match=r"breaks off|is not BPE"):
            load({"m.model": data[:size]})


# -- what such a tokenizer can do --

TOK = load({"m.model": model_of(random.Random(5), user_defined_symbols=["<sep>"], add_dummy_prefix=True)})
CHARACTERS = {TOK.vocab[id].decode() for id in TOK.merge_ids[: TOK.units].tolist()}
KNOWN, UNKNOWN = next(iter(sorted(CHARACTERS))), "\u4e71"


def pieces_with(*tokens: str) -> dict[str, int]:
    return {piece: id for id, piece in enumerate([*BYTE_TOKENS, "\u2581", "a", "b", "c", *tokens])}


def of_pieces(*made: str) -> Tokenizer:
    return tokenizer_of_pieces("x", pieces_with(*made), made, None, {}, {}, Normalizer(), InputFile("m.model", b""))


def test_a_piece_made_of_a_later_one_is_whole_and_one_of_what_is_no_piece_is_named() -> None:
    with pytest.raises(FormatError, match="merges 'x', which is no piece"):
        of_pieces("x\u00e9")
    tok = of_pieces("abc", "bc")
    for text in ("abc", "aabcé", "éabc bc"):
        found = tok.explain(text)
        assert found.ids.tolist() == tok.encode(text) and b"".join(token.data for token in found.tokens()) == found.data
    assert [token.data for token in tok.explain("éabc bc").tokens()[2:]] == [b"abc", b" ", b"bc"]
    assert tok.explain("abc").whole == {0: tok.encode("abc")[0]}


def test_runs_of_signs_are_merged_as_gemma_lists_them() -> None:
    """By the sizes of their parts, the longest first, and before anything else."""
    signs, longest = ("\n", "\u2581"), 5
    sizes = [
        (left, right) for left in range(longest, 0, -1) for right in range(longest, 0, -1) if left + right <= longest
    ]
    runs = [[sign * left, sign * right] for left, right in sizes for sign in signs]
    merges = [*runs, ["\u2581", "a"], ["a", "b"], ["\u2581a", "b"], ["\u2581", "ab"]]
    vocab = [*BYTE_TOKENS, *signs, "a", "b", *dict.fromkeys(left + right for left, right in merges)]
    made = tokenizers.Tokenizer(models.BPE(byte_fallback=True))
    made.normalizer, rest = normalizers.Replace(" ", "\u2581"), [decoders.ByteFallback(), decoders.Fuse()]
    made.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), *rest])
    fields = json.loads(made.to_str())
    fields["model"] |= {"vocab": {token: id for id, token in enumerate(vocab)}, "merges": merges}
    files = {"tokenizer.json": json.dumps(fields).encode()}
    tok, judge, choose = load(files), theirs(files), random.Random(4)
    assert {"  ", "\n" * longest} < tok.added_tokens.keys()
    for _ in range(300):
        text = "".join(choose.choice("\n ab") * choose.randint(1, 12) for _ in range(choose.randint(0, 5)))
        assert tok.encode(text) == judge.encode(text).ids, text
    assert same(tok, load(dump(tok, "tokviz"))).equal


def test_seams_inside_a_character_are_whole_and_inside_an_unknown_one_open() -> None:
    assert UNKNOWN not in CHARACTERS
    found = TOK.explain(f"{KNOWN}{UNKNOWN}")
    size = len(KNOWN.encode())
    assert found.data == f" {KNOWN}{UNKNOWN}".encode()
    seams = found.seams.tolist()
    assert seams[2:size] == [WHOLE] * (size - 2) and 0 <= seams[size] < TOK.units
    assert seams[size + 1 :] == [OPEN] * 3
    assert [TOK.vocab[id] for id in found.ids.tolist()[-3:]] == [bytes([byte]) for byte in UNKNOWN.encode()]


def test_no_step_is_before_the_characters() -> None:
    text = f"{KNOWN} the {UNKNOWN} the"
    found = TOK.explain(text)
    first = found.at(0)
    assert first == TOK.truncated(256 + TOK.units).explain(text)
    assert [token.data.decode() for token in first.tokens()[:3]] == [" ", KNOWN, " "]
    with pytest.raises(SettingError, match="to cut m to"):
        TOK.truncated(255 + TOK.units)
    for size in (256 + TOK.units, 256 + TOK.units + 40, TOK.vocab_size):
        assert found.at(size - 256) == TOK.truncated(size).explain(text)


def test_a_tree_ends_with_characters() -> None:
    id = next(id for id in TOK.merge_ids[TOK.units :].tolist() if any(byte >= 0x80 for byte in TOK.vocab[id]))
    leaves = [node for node in merge_tree(TOK, id).tree(0).walk() if not node.parts]
    assert "".join(TOK.vocab[leaf.id].decode() for leaf in leaves) == TOK.vocab[id].decode()
    assert max(leaf.end - leaf.start for leaf in leaves) > 1
    step = chunk_steps(TOK, TOK.vocab[id])[0]
    assert [TOK.vocab[part].decode() for part in step.ids] == [*TOK.vocab[id].decode()]


def test_a_character_has_no_birth_and_is_no_merge_of_others() -> None:
    born = {id: birth(TOK, id) for id in TOK.vocab}
    for rank, id in enumerate(TOK.merge_ids.tolist()):
        found = born[id]
        assert (found is None) == (rank < TOK.units)
        if found:
            assert TOK.vocab[found.left] + TOK.vocab[found.right] == TOK.vocab[id]
            assert found.merges == len(TOK.vocab[id].decode()) - 1


def test_byte_tokens_beside_characters_are_decoded_and_never_made() -> None:
    (spare,) = (id for id, data in TOK.spare.items() if data == b"a")
    assert TOK.decode_bytes([spare]) == b"a" and spare not in TOK.encode("a aa banana")
    assert TOK.explain_ids([spare]).ids.tolist() == [spare]


@given(st.integers(0, 10**9))
def test_files_of_ours_keep_it(seed: int) -> None:
    choose = random.Random(seed)  # not of hypothesis: a training of tokenizers is not the same each time
    tok = load(file_of(choose))
    cut = tok.truncated(choose.randint(256 + tok.units, tok.vocab_size))
    for one in (tok, cut):
        (data,) = dump(one, "tokviz").values()
        again = load({"x.json": data})
        assert same(one, again).equal and again.normalizer == one.normalizer
        text = text_of(choose)
        assert again.explain(text) == one.explain(text)
    written = load(dump(tok, "hf"))
    assert same(tok, written).equal and written.normalizer == tok.normalizer


def test_the_export_to_hugging_face_is_proven() -> None:
    choose = random.Random(8)
    tok = load(file_of(choose))
    assert prove(tok, "hf", dump(tok, "hf"), [text_of(choose) for _ in range(200)]).equal


def test_ids_of_any_kind_are_explained_again() -> None:
    choose = random.Random(2)
    ids = [*TOK.vocab]
    for _ in range(50):
        some = choose.choices(ids, k=12)
        found = TOK.explain_ids(some)
        assert found.ids.tolist() == some and found.data == TOK.decode_bytes(some)
        assert found.seams[0] == SPLIT and np.array_equal(found.ends[-1:], [len(found.data)])
