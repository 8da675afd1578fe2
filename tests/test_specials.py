"""Special tokens are cut out first, leftmost then longest; which may stand in a text is settled as tiktoken does."""

from __future__ import annotations

from typing import Any

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokviz
from tests.strategies import cut_naively, wild_texts
from tokviz.base.errors import SpecialTokenError
from tokviz.split.cutting import PATTERNS
from tokviz.split.specials import _Many, cut_specials, special_finder

# No one of these is part of another, nor can two overlap: where they do, tiktoken goes its own ways.
SEPARATE = {"<|end|>": 256, "[é b]": 300, "~.*\n": 301, "👍👎": 302}
BYTES = tokviz.Tokenizer("bytes", [], special_tokens=SEPARATE)
WITNESS = tiktoken.Encoding(
    "bytes",
    pat_str=PATTERNS["gpt2"].regex,
    mergeable_ranks={bytes([byte]): byte for byte in range(256)},
    special_tokens=SEPARATE,
)

some_specials = st.sets(st.sampled_from([*SEPARATE, "<|unknown|>"]))
sets_or_all = st.one_of(st.just("all"), some_specials)
texts_with_specials = st.lists(st.one_of(wild_texts, st.sampled_from([*SEPARATE, "<|unknown|>"])), max_size=5).map(
    "".join
)


@settings(max_examples=150)
@given(texts_with_specials, sets_or_all, sets_or_all)
@example("a<|end|>", "all", {"<|end|>"})
@example("a<|end|>", {"<|end|>"}, {"<|end|>"})
@example("a<|unknown|>", set(), {"<|unknown|>"})
@example("a<|unknown|>", {"<|unknown|>"}, "all")
def test_allowed_and_disallowed_mean_what_tiktoken_means(text: str, allowed, disallowed) -> None:
    try:
        theirs = WITNESS.encode(text, allowed_special=allowed, disallowed_special=disallowed)
    except ValueError:
        with pytest.raises(SpecialTokenError) as caught:
            BYTES.encode(text, allowed, disallowed)
        cleaned = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        assert cleaned.encode()[caught.value.offset :].startswith(caught.value.token.encode())
        assert caught.value.token in (disallowed if disallowed != "all" else set(SEPARATE) - set(allowed))
    else:
        assert BYTES.encode(text, allowed, disallowed) == theirs


def test_the_refusal_names_token_place_and_ways_out() -> None:
    says = r"'<\|end\|>' at byte 1,003.*allowed_special=.*disallowed_special=\(\)"
    with pytest.raises(SpecialTokenError, match=says):
        BYTES.encode("é" * 501 + "." + "<|end|>[é b]")


@pytest.mark.parametrize("collection", [list, tuple, set, frozenset, dict.fromkeys])
def test_any_collection_will_do(collection) -> None:
    assert BYTES.encode("<|end|>", allowed_special=collection(["<|end|>"])) == [256]
    assert BYTES.encode("~", disallowed_special=collection(["<|end|>"])) == [126]


def test_explain_refuses_nothing_unless_asked() -> None:
    assert BYTES.explain("<|end|>").ids.tolist() == list(b"<|end|>")
    assert BYTES.encode_ordinary("<|end|>") == list(b"<|end|>")
    assert BYTES.explain("<|end|>", "all").ids.tolist() == [256]
    with pytest.raises(SpecialTokenError):
        BYTES.explain("<|end|>", disallowed_special="all")


def test_an_allowed_token_covers_a_refused_one_inside_it() -> None:
    tok = tokviz.Tokenizer("t", [], special_tokens={"<a>": 256, "<a><b>": 257})
    assert tok.encode("<a><b>", allowed_special={"<a><b>"}) == [257]
    with pytest.raises(SpecialTokenError, match=r"'<a>' at byte 6"):
        tok.encode("<a><b><a>", allowed_special={"<a><b>"})
    with pytest.raises(SpecialTokenError, match="'<a><b>'"):
        tok.encode("<a><b>", allowed_special={"<a>"})


OVERLAPPING = ["<|", "<|a|>", "|>", "a", "aa", "aaaa", "aab", "a.", ".", "é", " ", "\n", "(", "[a]", "a|aa"]


@given(st.lists(st.sampled_from("<|>a.bé \n([]"), max_size=40).map("".join), st.sets(st.sampled_from(OVERLAPPING)))
def test_leftmost_then_longest(text: str, special_tokens: set[str]) -> None:
    pieces = list(cut_specials(text, special_tokens))
    if special_tokens:
        assert [match.span() for match in _Many(frozenset(special_tokens)).finditer(text)] == [
            match.span() for match in special_finder(frozenset(special_tokens)).finditer(text)
        ]
    assert "".join(piece for piece, _ in pieces) == text
    if special_tokens:
        assert pieces == cut_naively(text, tuple(special_tokens))
    else:
        assert pieces == [(text, False)]


some_overlapping = st.sets(st.sampled_from(OVERLAPPING))


class Counted(str):
    """A text that counts how often it is asked what it begins with."""

    asked = 0

    def startswith(self, *args: Any) -> bool:
        self.asked += 1
        return super().startswith(*args)


def test_a_chain_of_special_tokens_is_not_walked_step_by_step() -> None:
    nested = frozenset("a" * n for n in range(1, 1_001))
    text = Counted("aac" * 100 + "a" * 1_700)
    found = [match.span() for match in _Many(nested).finditer(text)]
    assert found == [*((at, at + 2) for at in range(0, 300, 3)), (300, 1_300), (1_300, 2_000)]
    assert text.asked < 15 * len(found)


@given(st.lists(st.sampled_from([*OVERLAPPING, "x", "y"]), max_size=20).map("".join), some_overlapping)
def test_stretches_between_special_tokens_are_texts_of_their_own(text: str, some: set[str]) -> None:
    trained = tokviz.train("xyxy aaaa ..((", 266).tokenizer
    tok = trained.with_special_tokens({token: 1000 + i for i, token in enumerate(sorted(some))})
    expected = []
    for stretch, special in cut_naively(text, tuple(some)):
        expected += [tok.special_tokens[stretch]] if special else trained.encode(stretch)
    encoding = tok.explain(text, "all")
    assert encoding.ids.tolist() == expected
    for token in encoding.tokens():
        assert token.special == (token.id >= 1000)
        if token.special:
            assert token.data.decode() in some
            assert token.rank is None
            assert encoding.seams[token.start] == tokviz.SPLIT
            assert set(encoding.seams[token.start + 1 : token.end].tolist()) <= {tokviz.WHOLE}
            assert token.end == len(encoding.data) or encoding.seams[token.end] == tokviz.SPLIT


@pytest.mark.parametrize(
    ("special_tokens", "says"),
    [
        ({"": 256}, "empty"),
        ({"<s>": 97}, "'<s>' has the id 97.*ordinary"),
        ({"<s>": 300, "<t>": 300}, "'<t>' has the id 300.*'<s>'"),
        ({"<s>": 2**31}, "2,147,483,648"),
        ({"\udc00": 300}, "udc00"),
        ({"x" * 1_001: 300}, "1,001 characters, and 1,000 are the limit"),
    ],
)
def test_sets_that_make_no_sense_are_refused(special_tokens, says: str) -> None:
    tok = tokviz.Tokenizer("hug", [(117, 103)])
    with pytest.raises(SpecialTokenError, match=says):
        tok.with_special_tokens(special_tokens)
    with pytest.raises(SpecialTokenError, match=says):
        tokviz.Tokenizer("hug", [(117, 103)], special_tokens=special_tokens)


def test_a_special_token_may_have_the_bytes_of_an_ordinary_one() -> None:
    """Its id is its own, so a text that holds it plainly never decodes to something else."""
    tok = tokviz.train("aaab", 258, pattern="none", special_tokens=["aa"]).tokenizer.with_special_tokens({"ab": 999})
    assert tok.encode("ab", disallowed_special=()) != [999]
    assert tok.encode("ab", allowed_special="all") == [999]
    assert tok.decode([999]) == tok.decode(tok.encode_ordinary("ab")) == "ab"
