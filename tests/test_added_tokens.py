"""Added tokens that are not special are cut out of every text, as the package `tokenizers` and llama.cpp cut them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import tokenizers
from hypothesis import assume, given
from hypothesis import strategies as st
from tokenizers import AddedToken, pre_tokenizers

import tokviz
from tests.command_line import good
from tests.formats_cases import in_gguf, theirs
from tests.test_live_text import check_edits, edits
from tests.test_same import differ
from tokviz import Tokenizer
from tokviz.base.byte_characters import characters_of
from tokviz.base.errors import FormatError, SpecialTokenError
from tokviz.comparison.export import probes
from tokviz.comparison.reason_sentences import sentence
from tokviz.formats import WRITTEN, dump, load
from tokviz.offline.data import payload
from tokviz.split.specials import READINGS, Reading, allowed_special
from tokviz.tokenizer.encoding import OPEN, SPLIT, WHOLE
from tokviz.tokenizer.special_edits import SpecialRow, faults, free_id
from tokviz.ui.frame.tokenizers import ShownTokenizer
from tokviz.ui.vocabulary import use
from tokviz.ui.vocabulary.splits import outcome_of
from tokviz.vocabulary.table import KINDS, token_table
from tokviz.vocabulary.texts import unreachable
from tokviz.vocabulary.use import use_in_text

BASE = tokviz.train("ab < ab>  \n\tba  ab<<a>b>> the the" * 3, 290).tokenizer
THINK = Tokenizer(
    "think", BASE.merges, special_tokens={"<|end|>": 400}, added_tokens={"<think>": 401, "    ": 402, "\n\n\n": 403}
)
CHARACTERS = "ab<> \n\té"


@st.composite
def drawn(draw: st.DrawFn) -> Tokenizer:
    """Tokenizers with special and added tokens that overlap, begin and end with one another, and hold one another."""
    texts = draw(st.lists(st.text(CHARACTERS, min_size=2, max_size=4), unique=True, min_size=1, max_size=7))
    taken = {characters_of(token) for token in BASE.vocab.values()}
    kinds: tuple[dict[str, int], dict[str, int]] = {}, {}
    for id, text in enumerate(texts, BASE.n_vocab):
        if text not in taken:  # tokenizers would give it the id of the ordinary token
            kinds[draw(st.booleans())][text] = id
    renumbered = [
        {text: id for id, text in enumerate([*kinds[0], *kinds[1]], BASE.n_vocab) if text in k} for k in kinds
    ]
    return Tokenizer("drawn", BASE.merges, special_tokens=renumbered[0], added_tokens=renumbered[1])


@st.composite
def tokenizers_and_texts(draw: st.DrawFn) -> tuple[Tokenizer, str]:
    tok = draw(drawn())
    return tok, "".join(draw(st.lists(st.sampled_from([*tok.cut_tokens, *CHARACTERS, "the", "  "]), max_size=12)))


def made_by_tokenizers(tok: Tokenizer) -> tokenizers.Tokenizer:
    """The same tokenizer, made by the calls of the package, without a file of ours."""
    written = {id: characters_of(token) for id, token in BASE.vocab.items()}
    pairs = [(written[left], written[right]) for left, right in BASE.merges]
    made = tokenizers.Tokenizer(tokenizers.models.BPE({token: id for id, token in written.items()}, pairs))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for text, special in sorted(
        ((text, text in tok.special_tokens) for text in tok.cut_tokens), key=lambda one: tok.cut_tokens[one[0]]
    ):
        add = made.add_special_tokens if special else made.add_tokens
        add([AddedToken(text, normalized=False, special=special)])
    return made


# -- the library --


@given(tokenizers_and_texts())
def test_the_ids_are_those_of_tokenizers_whatever_is_said_of_special_tokens(case: tuple[Tokenizer, str]) -> None:
    tok, text = case
    judge = made_by_tokenizers(tok)
    assert tok.encode(text, "all") == judge.encode(text).ids
    judge.encode_special_tokens = True
    assert tok.encode_ordinary(text) == tok.encode(text, (), ()) == judge.encode(text).ids


@given(tokenizers_and_texts(), st.sampled_from(READINGS))
def test_each_way_to_encode_gives_the_same(case: tuple[Tokenizer, str], reading: Reading) -> None:
    tok, text = case
    found = tok.explain(text, allowed_special(reading))
    assert found.data == text.encode()
    assert found.ids.tolist() == tok.encode(text, allowed_special(reading), ())
    assert tok.encode_array(text).tolist() == tok.encode_ordinary(text)
    assert tok.decode(found.ids) == text
    texts = [*text.split("a"), *tok.cut_tokens]
    each = tok.explain_each([one.encode() for one in texts])
    assert each.data == "".join(texts).encode()
    assert each.ids.tolist() == [id for one in texts for id in tok.encode_ordinary(one)]
    assert tok.explain_ids(found.ids) == found or found.seams.tolist().count(SPLIT) > 1  # chunks are not in the ids


@given(tokenizers_and_texts(), st.integers(1, 40), st.integers(0, 40))
def test_pieces_are_parts_of_the_encoding_of_the_whole_text(case: tuple[Tokenizer, str], size: int, start: int) -> None:
    tok, text = case
    found, pieces = tok.explain(text), [*tok.explain_in_pieces(text, size, start)]
    if start >= len(found.data):
        assert pieces == []
        return
    first = pieces[0].start
    assert first <= start and found.seams[first] >= OPEN
    assert all(len(piece.data) >= size for piece in pieces[:-1])
    assert [piece.start for piece in pieces] == [
        first + sum(len(p.data) for p in pieces[:i]) for i in range(len(pieces))
    ]
    assert np.concatenate([piece.seams for piece in pieces]).tolist() == found.seams[first:].tolist()
    assert [id for piece in pieces for id in piece.ids.tolist()] == found.part(first, len(found.data)).ids.tolist()


@given(st.sampled_from(READINGS), drawn(), edits())
def test_live_text_is_the_text_encoded_afresh(
    reading: Reading, tok: Tokenizer, edits: list[tuple[int, int, str]]
) -> None:
    check_edits(tok, reading, edits, *tok.cut_tokens, "\n", "a", "<", " ", "the", "<s>")


@given(tokenizers_and_texts())
def test_a_special_token_is_refused_where_it_would_be_cut(case: tuple[Tokenizer, str]) -> None:
    tok, text = case
    cut = [token for token in tok.explain(text, "all").tokens() if token.special]
    if not cut:
        assert tok.encode(text) == tok.encode(text, "all")
        return
    with pytest.raises(SpecialTokenError) as caught:
        tok.encode(text)
    assert (caught.value.token, caught.value.offset) == (cut[0].data.decode(), cut[0].start)


def test_an_added_token_is_whole_at_every_step_and_in_every_vocabulary() -> None:
    found = THINK.explain("ab<think>    <|end|>")
    assert found.seams[2:13].tolist() == [SPLIT] + [WHOLE] * 6 + [SPLIT] + [WHOLE] * 3
    assert [(token.id, token.special, token.added) for token in found.tokens()][1:3] == [
        (401, False, True),
        (402, False, True),
    ]
    assert (THINK.vocab_size, THINK.n_vocab, THINK.vocab[401]) == (BASE.vocab_size, 404, b"<think>")
    assert THINK.with_special_tokens({}).added_tokens == THINK.renamed("x").added_tokens == THINK.added_tokens
    small = THINK.truncated(256)
    assert small.added_tokens == THINK.added_tokens
    assert small.explain("ab<think>    <|end|>") == found.at(0)


@pytest.mark.parametrize(
    ("added", "says"),
    [
        ({"<|end|>": 300}, r"added token '<\|end\|>' is a special token too"),
        ({"<a>": 400}, r"added token '<a>' has the id 400, which the special token '<\|end\|>' has"),
        ({"<a>": 97}, "added token '<a>' has the id 97, which an ordinary token has"),
        ({"<a>": 300, "<b>": 300}, "added token '<b>' has the id 300, which the added token '<a>' has"),
        ({"": 300}, "An added token is empty"),
    ],
)
def test_added_tokens_that_make_no_sense_are_refused(added: dict[str, int], says: str) -> None:
    with pytest.raises(SpecialTokenError, match=says):
        Tokenizer("x", [], special_tokens={"<|end|>": 400}, added_tokens=added)


def test_user_defined_tokens_of_gguf_are_added_tokens() -> None:
    tok = load(in_gguf(THINK))
    assert (tok.special_tokens, tok.added_tokens) == (THINK.special_tokens, THINK.added_tokens)
    assert tok.encode("a    b") == [97, 402, 98]


# -- the formats --


@given(drawn())
def test_formats_that_hold_them_give_them_back_and_the_others_refuse(tok: Tokenizer) -> None:
    assume(tok.added_tokens)
    for format in ("minbpe", "gpt2", "vocab-merges", "tiktoken"):
        with pytest.raises(
            FormatError,
            match=r"(?s)^The tokenizer 'drawn' has an added token that is cut out of every text, .*tokviz, hf\.",
        ):
            dump(tok, format)
    kept = {format: load(dump(tok, format)) for format in {*WRITTEN} - {"minbpe", "gpt2", "vocab-merges", "tiktoken"}}
    assert {*kept} == {"tokviz", "hf"}
    for again in kept.values():
        assert (again.special_tokens, again.added_tokens, again.vocab) == (
            tok.special_tokens,
            tok.added_tokens,
            tok.vocab,
        )
        assert dump(again, "hf") == dump(tok, "hf")


def test_only_a_model_file_with_added_tokens_has_version_3() -> None:
    fields = json.loads(dump(THINK, "tokviz")["think.json"])
    assert (fields["version"], fields["added_tokens"]) == (3, THINK.added_tokens)
    (plain,) = (json.loads(data) for data in dump(BASE, "tokviz").values())
    assert plain["version"] == 1 and "added_tokens" not in plain


def test_a_rank_file_with_added_tokens_is_kept_whole() -> None:
    ids = {bytes([byte]): byte for byte in range(256)} | {b"xyz": 256, b"ab": 257}
    tok = Tokenizer.from_ranks("whole", ids, pattern="gpt2", special_tokens={}).with_added_tokens({"\t\t": 300})
    again = load(dump(tok, "tokviz"))
    assert again.lookups == tok.lookups and again.added_tokens == {"\t\t": 300}
    assert again.encode("xyz\t\txyz ab") == [256, 300, 256, 32, 257]
    assert theirs(dump(tok, "hf")).encode("xyz\t\txyz ab").ids == [256, 300, 256, 32, 257]


def test_convert_keeps_the_flag_and_tries_the_added_tokens(tmp_path) -> None:
    source, target = tmp_path / "think.json", tmp_path / "tokenizer.json"
    THINK.save(source)
    assert "<think>" in "".join(probes(THINK)) and "\n\n\n" in "".join(probes(THINK))
    good("convert", source, "--to", "hf", "-o", target)
    flags = {row["content"]: row["special"] for row in json.loads(target.read_text())["added_tokens"]}
    assert flags == {"<|end|>": True, "<think>": False, "    ": False, "\n\n\n": False}
    assert load({"tokenizer.json": target.read_bytes()}).added_tokens == THINK.added_tokens


# -- what is built on encodings --


def test_same_tells_added_tokens_from_special_ones() -> None:
    both = {**THINK.special_tokens, **THINK.added_tokens}
    special = Tokenizer("special", BASE.merges, special_tokens=both)
    assert tokviz.same(THINK, THINK.renamed("x")).equal
    found = tokviz.same(THINK, special)
    assert found.equal is False and found.difference.kind == "special token"
    assert found.difference.reading == "text" and found.difference.text in THINK.added_tokens
    assert differ(THINK, special, found.difference.text)


def test_same_calls_an_added_token_that_differs_by_its_name() -> None:
    found = tokviz.same(THINK, THINK.with_added_tokens(dict(list(THINK.added_tokens.items())[1:]))).difference
    assert found and (found.kind, found.reading, found.text) == ("added token", "text", next(iter(THINK.added_tokens)))
    assert found.why.startswith("The first reads the added tokens ")


def test_compare_calls_an_added_token_by_its_name() -> None:
    compared = tokviz.compare("a<think>b", [THINK, tokviz.reference("gpt2")])
    for found in compared.differences(0, 9):
        for reason in found.reasons:
            if reason.kind == "special":
                said = sentence(reason, found, ["A", "B"], *(compared.tokenizers[i] for i in (found.b, found.a)))
                assert "“<think>” is an added token, which is taken out before any merge." in said
                return
    raise AssertionError("No added token was in the way.")


def test_an_ordinary_token_that_an_added_one_hides_cannot_be_reached() -> None:
    tok = Tokenizer("hidden", [(32, 32), (256, 256)], added_tokens={"    ": 300})
    assert [(one.id, one.why, one.becomes) for one in unreachable(tok) if one.id == 257] == [(257, "added", (300,))]


def test_what_pages_count_and_draw() -> None:
    found = THINK.explain("ab<think>ab")
    assert (payload(found)["special_ids"], payload(found)["added_ids"]) == ([], [401])
    assert "added_ids" not in payload(BASE.explain("ab<think>"))
    assert use_in_text([found], len(THINK.merge_ids)).whole == {401: 1}
    table = token_table(THINK)
    assert KINDS[table.kinds[table.place_of(401)]] == "special"


def test_special_tokens_alone_are_refused() -> None:
    shown = ShownTokenizer("key", "Thinks", "yours", THINK)
    assert shown.first_special("<think>    ") is None
    assert shown.first_special("<think>\n<|end|>") == ("<|end|>", 8)


def test_the_use_in_a_long_text_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use, "PIECE", 1_000)
    text = "ab<think>    x\n\n\n<|end|>" * 200
    for reading in READINGS:
        pieces = [*use.encodings_of(THINK, text, reading)]
        assert len(pieces) > 2
        whole = THINK.explain(text, allowed_special(reading))
        assert b"".join(piece.data for piece in pieces) == whole.data
        assert [id for piece in pieces for id in piece.ids.tolist()] == whole.ids.tolist()


@given(tokenizers_and_texts())
def test_split_rules_count_what_encoding_gives(case: tuple[Tokenizer, str]) -> None:
    tok, text = case
    found = tok.explain(text)
    assert outcome_of(text, tok.pattern, tok) == ((found.seams == SPLIT).sum(), len(found))


def test_the_list_of_special_tokens_leaves_added_ones_alone() -> None:
    first, second = faults(THINK, [SpecialRow("<think>", "500"), SpecialRow("<b>", "401")])
    assert first == "“<think>” is an added token, which is always cut out. Write another text."
    assert second.startswith("The id 401 is taken by the added token “<think>”.")
    assert free_id(Tokenizer("x", [], added_tokens={"<a>": 256}), []) == 257
