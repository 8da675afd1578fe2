"""tokenizer.json: `tokenizers` gives our ids with the files that we write, and we give its ids with its own."""

from __future__ import annotations

import json
import random
import unicodedata

import pytest
import tokenizers
from hypothesis import assume, given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

import tokviz
from tests.formats_cases import HUG, drawn_tokenizers, hard_texts, split_by, theirs, with_fields
from tests.strategies import SPECIALS, settings_of_training, wild_texts
from tokviz import Tokenizer
from tokviz.base.errors import FormatError, PatternError
from tokviz.formats import dump, load, open_files
from tokviz.split.normalizing import Normalizer, Space


def clean(text: str) -> str:
    """As tokviz and tiktoken read a text: pairs of surrogates are one character, a lone one is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_known(text: str) -> bool:
    """Has the text only characters that Unicode had in Python 3.11? The classes of later ones differ."""
    return all(unicodedata.category(c) != "Cn" for c in text)


# Written by us


@given(tok=drawn_tokenizers, text=wild_texts)
def test_tokenizers_gives_the_same_ids(tok: Tokenizer, text: str) -> None:
    assert_same_ids(tok, clean(text))


def assert_same_ids(tok: Tokenizer, text: str) -> None:
    try:
        files = dump(tok, "hf")
    except FormatError:
        assume(False)
    assume(tok.pattern in tokviz.split.cutting.PATTERNS or is_known(text))
    try:
        ids = tok.encode(text, "all")
    except PatternError:  # the pattern does not cover the text; tokenizers keeps the gap as a chunk
        return
    judge = theirs(files)
    assert judge.encode(text).ids == ids
    assert judge.decode(ids, skip_special_tokens=False) == tok.decode(ids)


@pytest.mark.parametrize("space", ["", "each"])
def test_a_file_for_transformers_lies_beside_it(space: Space) -> None:
    """AutoTokenizer of transformers 4.57 and 5.24 gives the same ids with this file. It is not installed here."""
    tok = HUG.with_special_tokens({"<s>": 300}).with_added_tokens({"<a>": 301}).with_normalizer(Normalizer(space=space))
    tokenizer, config = dump(tok, "hf").values()
    assert json.loads(config) == {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_prefix_space": json.loads(tokenizer)["pre_tokenizer"]["add_prefix_space"],
        "clean_up_tokenization_spaces": False,
        "unk_token": None,
        "additional_special_tokens": ["<s>"],
    }
    said: list[str] = []
    assert open_files({"a.json": tokenizer, "tokenizer_config.json": config}, say=said.append).vocab == tok.vocab
    assert said == ["Left aside: tokenizer_config.json."]
    with pytest.raises(FormatError, match="is a configuration, and no tokenizer"):
        load({"tokenizer_config.json": config})


# Written by tokenizers


@given(setting=settings_of_training(max_merges=20), text=wild_texts)
def test_random_files_of_tokenizers_are_read_with_the_same_ids(setting, text: str) -> None:
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=setting.pattern != "none")
    made.add_special_tokens([*setting.special_tokens])
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + setting.merges,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[*setting.special_tokens][:1],
        show_progress=False,
    )
    made.train_from_iterator(setting.texts, trainer)
    made.add_tokens([*SPECIALS][1:2])
    try:
        loaded = load({"tokenizer.json": made.to_str().encode()})
    except FormatError as fault:
        refused = str(fault)
    else:
        text = clean(text)
        assert loaded.encode(text, "all") == made.encode(text).ids
        return
    # special tokens and others; a special token that its training left out of the vocabulary
    assert "which an ordinary token has already" in refused or "but tokenizers may give it" in refused


def test_older_ways_to_write_the_same() -> None:
    """Merges as text, no type, empty affixes: so GPT-2's own file on the Hub is written."""
    fields = json.loads(dump(HUG, "hf")["tokenizer.json"])
    model = fields["model"]
    del model["type"], model["byte_fallback"], model["ignore_merges"]
    model["merges"] = [" ".join(merge) for merge in model["merges"]]
    model |= {"continuing_subword_prefix": "", "end_of_word_suffix": ""}
    for token in fields["added_tokens"]:
        token["normalized"] = True
    fields["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [fields["pre_tokenizer"]]}
    loaded = load({"x.json": json.dumps(fields).encode()})
    assert (loaded.name, loaded.merges, loaded.vocab) == ("x", HUG.merges, HUG.vocab)


# What is refused


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"normalizer": {"type": "Nmt"}}, "normalizer 'Nmt'"),
        ({"normalizer": {"type": "Replace", "pattern": {"Regex": "(a"}, "content": ""}}, "does not compile"),
        ({"normalizer": {"type": "Replace", "pattern": {"Regex": r"\w"}, "content": ""}}, "normalizer 'Replace'"),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 51}}, "has 51 steps"),
        ({"something": 1}, "something 1"),
        ({"decoder": {"type": "Metaspace"}}, "decoder 'Metaspace'"),
        ({"post_processor": {"type": "Other"}}, "post-processor 'Other'"),
        ({"pre_tokenizer": None}, "with no ByteLevel"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}]}}, "with no ByteLevel"),
        (
            {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel"}]}},
            "add_prefix_space",
        ),
        ({"pre_tokenizer": split_by("a", behavior="Dropped")}, "behaviour is 'Dropped'"),
        ({"pre_tokenizer": split_by("ab", behavior="Removed")}, "Line 2 of the pipeline leaves out 'ab'"),
        ({"pre_tokenizer": split_by("a", invert=1)}, "invert 1"),
        ({"pre_tokenizer": split_by("(a")}, "does not compile"),
        ({"model": {"type": "WordPiece", "vocab": {}}}, "type 'WordPiece'"),
        ({"model": {}}, "vocabulary"),
        ({"added_tokens": {"a": 1}}, "added_tokens is no list"),
    ],
)
def test_what_tokviz_does_not_honour_is_named(fields: dict, says: str) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        load(with_fields(**fields))
    assert str(caught.value).startswith("tokenizer.json")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"continuing_subword_prefix": "##"}, "continuing_subword_prefix '##'"),
        ({"max_input": 5}, "max_input 5"),
        ({"vocab": None}, "vocabulary"),
        ({"merges": None}, "no list of merges"),
        ({"merges": ["u g", "h  ug"]}, "merge 2 is no pair"),
        ({"unk_token": "<unk>"}, "unk_token '<unk>', which is no token"),
    ],
)
def test_what_is_wrong_in_the_model_is_named(change: dict, says: str) -> None:
    model = json.loads(dump(HUG, "hf")["tokenizer.json"])["model"]
    with pytest.raises(FormatError, match=says):
        load(with_fields(model={**model, **change}))


ADDED = {"id": 300, "content": "<|a|>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
ADDED["special"] = True
OTHER = {**ADDED, "id": 301, "content": "<|b|>"}


@pytest.mark.parametrize(
    ("added", "says"),
    [
        ([{**ADDED, "single_word": 1}, OTHER], "single_word of the added token '<|a|>' is 1"),
        ([ADDED, OTHER, {**ADDED, "content": "<|c|>", "id": 305}], "the id 305, but tokenizers may give it 260"),
        ([ADDED, OTHER, {**ADDED, "content": "hug", "id": 257}], "'hug' has the id 257, which an ordinary token"),
        ([ADDED, ADDED, OTHER], "added token 2"),
        ([{**ADDED, "normalized": []}, OTHER], "normalized of the added token"),
        ([{**ADDED, "id": "300"}, OTHER], "added token 1"),
    ],
)
def test_what_is_wrong_with_an_added_token_is_named(added: list, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        load(with_fields(added_tokens=added))


def test_ids_of_added_tokens_are_those_of_tokenizers() -> None:
    """It looks at the vocabulary, then counts on; the id in the list is not looked at."""
    choose = random.Random(8)
    read = 0
    for _ in range(120):
        model = json.loads(dump(Tokenizer("x", [(117, 103)]), "hf")["tokenizer.json"])["model"]
        texts = [f"<{i}>" for i in range(choose.randint(1, 4))]
        added = []
        for text in texts:
            id = choose.choice([257, 258, 259, 260, 300])
            if choose.random() < 0.4 and id not in model["vocab"].values():
                model["vocab"][text] = id
            added.append({**ADDED, "content": text, "id": id})
        files = with_fields(model=model, added_tokens=added)
        try:
            loaded = load(files)
        except FormatError:
            continue
        read += 1
        judge = theirs(files)
        assert dict(loaded.special_tokens) == {text: judge.token_to_id(text) for text in texts}
        assert loaded.encode("".join(texts), "all") == judge.encode("".join(texts)).ids
    assert read > 8


def assert_cut_out_as_theirs(choose: random.Random, texts: int) -> None:
    names = ["<m>", "word", "<|m|>"]
    keys = ("lstrip", "rstrip", "normalized", "special", "single_word")
    flags = [{key: choose.random() < 0.5 for key in keys} for _ in names]
    rows = [{**ADDED, "id": 258 + at, "content": names[at], **flags[at]} for at in range(len(names))]
    steps = choose.choice([None, {"type": "Lowercase"}, {"type": "Strip", "strip_left": True, "strip_right": False}])
    model = json.loads(dump(Tokenizer("x", [(117, 103), (32, 97)]), "hf")["tokenizer.json"])["model"]
    files = with_fields(model=model, added_tokens=rows, normalizer=steps)
    tok, judge = load(files), theirs(files)
    again = load(dump(tok, "hf"))
    assert again.normalizer == tok.normalizer == load(dump(tok, "tokviz")).normalizer
    for _ in range(texts):
        parts = [*names, "<M>", "é", "_", "\u0301", " ", "  ", "\n", "\u3000", "\u200b", "a", "hug", "<", "\x1c"]
        text = "".join(choose.choices(parts, k=choose.randint(0, 8)))
        for special in (True, False):
            judge.encode_special_tokens = not special
            ids = tok.encode(text, "all" if special else (), ())
            assert ids == judge.encode(text).ids, (text, rows, steps)
        found = tok.explain(text, "all")
        assert found.ids.tolist() == tok.encode(text, "all") and (steps or found.data.decode() == text)


@pytest.mark.longer
@given(st.integers(0, 10**9))
def test_added_tokens_are_cut_out_as_in_tokenizers(seed: int) -> None:
    assert_cut_out_as_theirs(random.Random(seed), 10)


def test_white_space_taken_along_that_begins_another_token_is_named() -> None:
    model = json.loads(dump(Tokenizer("x", [(117, 103), (32, 97)]), "hf")["tokenizer.json"])["model"]
    rows = [{**ADDED, "id": 258, "content": "<m>", "lstrip": True}, {**ADDED, "id": 259, "content": " x"}]
    with pytest.raises(FormatError, match="take white space along, and ' x'"):
        load(with_fields(model=model, added_tokens=rows))


def test_looked_up_chunks_are_refused_unless_merges_make_them_too() -> None:
    fields = json.loads(dump(Tokenizer("x", [(117, 103)]), "hf")["tokenizer.json"])
    fields["model"]["ignore_merges"] = True
    assert load({"a.json": json.dumps(fields).encode()}).merges == ((117, 103),)
    odd = Tokenizer("x", [(98, 99), (97, 98), (257, 99)])  # 'abc' becomes 'a', 'bc'
    fields = json.loads(dump(odd, "hf")["tokenizer.json"])
    fields["model"]["ignore_merges"] = True
    with pytest.raises(FormatError, match="no pair of earlier tokens makes: b'abc'"):
        load({"a.json": json.dumps(fields).encode()})


# Converted from a rank file


def converted(tok: Tokenizer, **model: object) -> dict[str, bytes]:
    """As transformers converts a rank file: all ways to cut a token into two, the lower ids first."""
    fields = json.loads(dump(tok, "hf")["tokenizer.json"])
    vocab = fields["model"]["vocab"]
    ordinary = {token: id for token, id in vocab.items() if token not in tok.special_tokens}
    merges = []
    for token in sorted(ordinary, key=ordinary.__getitem__):
        cuts = [(token[:i], token[i:]) for i in range(1, len(token))]
        cuts = [cut for cut in cuts if cut[0] in ordinary and cut[1] in ordinary]
        merges += sorted(cuts, key=lambda cut: (ordinary[cut[0]], ordinary[cut[1]]))
    fields["model"] |= {"merges": merges, **model}
    return {"tokenizer.json": json.dumps(fields).encode()}


@pytest.mark.parametrize("name", ["gpt2", pytest.param("cl100k_base", marks=pytest.mark.long)])
def test_files_that_were_converted_from_rank_files(name: str) -> None:
    tok = tokviz.reference(name)
    files = converted(tok, ignore_merges=True)
    loaded = load(files)
    assert (loaded.pattern, loaded.special_tokens, loaded.vocab) == (tok.pattern, tok.special_tokens, tok.vocab)
    assert loaded.merges == tok.merges
    judge = theirs(files)
    for text in hard_texts(300):
        assert judge.encode(text).ids == loaded.encode(text, "all"), text


@given(tok=drawn_tokenizers, text=wild_texts)
def test_random_files_that_were_converted(tok: Tokenizer, text: str) -> None:
    assume(tok.pattern in tokviz.split.cutting.PATTERNS)
    try:
        files = converted(tok)
        loaded = load(files)
    except FormatError:
        assume(False)
    text = clean(text)
    assert loaded.encode(text, "all") == theirs(files).encode(text).ids


def test_converted_files_with_tokens_that_no_pair_makes() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"aa": 256, b"aaa": 257, b"ab": 258, b"aab": 259}
    tok = Tokenizer.from_ranks("x", ranks | {b"bcd": 260, b"cd": 261}, pattern="none", special_tokens={})
    model = json.loads(converted(Tokenizer("x", tok.merges[:4]))["tokenizer.json"])["model"]
    assert load(with_fields(model=model, added_tokens=[])).merges == tok.merges[:4]
    model["vocab"] |= {"bcd": 260, "cd": 261}
    model["merges"] += [["b", "cd"], ["c", "d"]]
    with pytest.raises(FormatError, match=r"no pair of earlier tokens makes: b'bcd'"):
        load(with_fields(model=model, added_tokens=[]))
