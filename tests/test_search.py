"""All tokens of a tokenizer as columns, searched, filtered and sorted, against naive Python."""

from __future__ import annotations

import functools
import tomllib
import unicodedata
from collections.abc import Callable

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tests.peers_cases import FILES, peer
from tokviz.base.errors import InputError
from tokviz.catalog.samples import SAMPLES
from tokviz.tokenizer.peers import AnyTokenizer, Peer
from tokviz.vocabulary.search import SORTS, Filters, Sort, in_order, passing, search
from tokviz.vocabulary.table import KINDS, LONGEST, NO_LETTERS, NOT_UTF8, TokenTable, token_table
from tokviz.vocabulary.use import use_in_text

WORDS = st.text(st.sampled_from("aàAß İé1²٣ _.,-\n\t<>\u3000日한क्ा🦜\ufffd\u0301"), max_size=30)
NAMES = tomllib.loads((SAMPLES.parent / "scripts.toml").read_text("utf-8"))["names"]
NO_SCRIPT = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}\p{Script=Unknown}]")


def naive_kind(tok: AnyTokenizer, id: int) -> str:
    token = tok.vocab[id]
    if id in tok.special_ids or not token:
        return "special"
    if len(token) == 1:
        return "byte"
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "incomplete UTF-8"
    categories = {unicodedata.category(character)[0] for character in text}
    if categories & {"L", "M"}:
        starts = text[0].isspace() or (isinstance(tok, Peer) and id in tok.apart)
        return "word start" if starts else "inside a word"
    if "N" in categories:
        return "digits"
    return "white space" if text.isspace() else "punctuation"


@functools.cache
def script_of(character: str) -> str:
    """The only script of a character; "" for one of none."""
    if NO_SCRIPT.match(character):
        return ""
    return next(name for name in NAMES if regex.match(rf"\p{{Script={name}}}", character))


def naive_script(token: bytes) -> str:
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return NOT_UTF8
    return next(filter(None, map(script_of, text)), NO_LETTERS)


def check(tok: AnyTokenizer, table: TokenTable) -> None:
    """Every column against the vocabulary."""
    ids = sorted(tok.vocab)
    assert table.ids.tolist() == ids
    assert [table.token(place) for place in range(len(table))] == [tok.vocab[id] for id in ids]
    assert [*map(table.text, range(len(ids)))] == [tok.vocab[id].decode("utf-8", "replace") for id in ids]
    assert table.lengths.tolist() == [len(tok.vocab[id]) for id in ids]
    looked_up = [] if isinstance(tok, Peer) else [*tok.lookups.values()]
    ranks = {id: rank for rank, id in enumerate(tok.merge_ids.tolist()) if id not in looked_up}
    assert table.ranks.tolist() == [ranks.get(id, -1) for id in ids]
    assert [KINDS[kind] for kind in table.kinds.tolist()] == [naive_kind(tok, id) for id in ids]
    assert [table.script_names[script] for script in table.scripts.tolist()] == [
        naive_script(tok.vocab[id]) for id in ids
    ]
    assert [table.place_of(id) for id in ids] == list(range(len(ids)))
    assert table.place_of(10**30) is None and table.place_of(-1) is None


@given(WORDS, WORDS)
def test_the_columns_are_those_of_the_vocabulary(corpus: str, text: str) -> None:
    training = tokviz.train(corpus * 3, vocab_size=300, pattern="none", special_tokens=["<s>", " é"])
    tok, table = training.tokenizer, token_table(training.tokenizer)
    check(tok, table)
    use = use_in_text([tok.explain(text, "all")], len(tok.merge_ids))
    ids = tok.encode(text, "all")
    assert table.use(use).tolist() == [ids.count(id) for id in table.ids.tolist()]


def test_the_columns_of_look_ups_other_ids_and_the_highest_id() -> None:
    ids = {bytes([byte]): 300 - byte for byte in range(256)} | {b"xyz": 400, b"ab": 401, b"abxyz": 402, b"abc": 403}
    tok = tokviz.Tokenizer.from_ranks("whole", ids, pattern="gpt2", special_tokens={"<s>": 2**31 - 1})
    for one in (tok, tok.truncated(257), tok.truncated(256)):
        table = token_table(one)
        check(one, table)
        said = one.explain("xyz abxyz <s> abc", "all")
        counts = table.use(use_in_text([said], len(one.merge_ids)))
        assert counts.tolist() == [said.ids.tolist().count(id) for id in table.ids.tolist()]
        found = search(table, "2147483647", "id", np.ones(len(table), np.bool_))
        assert table.ids[found].tolist() == [2**31 - 1]


@pytest.mark.parametrize("kind", sorted(FILES))
def test_the_columns_of_a_tokenizer_of_others(kind: str) -> None:
    one = peer(kind)
    check(one, token_table(one))


@pytest.mark.long
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_the_columns_of_a_reference_tokenizer(name: str) -> None:
    check(tokviz.reference(name), token_table(tokviz.reference(name)))


def naive_search(said: str, by: str) -> Callable[[TokenTable, int], bool]:
    if by == "text":
        return lambda table, place: said.casefold() in table.text(place).casefold()
    if by == "bytes":
        return lambda table, place: bytes.fromhex(said) in table.token(place)
    if by == "id":
        ids = range(int(said.split("-")[0]), int(said.split("-")[-1]) + 1)
        return lambda table, place: int(table.ids[place]) in ids
    return lambda table, place: bool(regex.search(said, table.text(place)))


SEARCHES = st.one_of(
    st.tuples(WORDS.filter(bool).map(lambda text: text[:3]), st.just("text")),
    st.tuples(st.binary(min_size=1, max_size=2).map(lambda data: data.hex(" ")), st.just("bytes")),
    st.tuples(st.sampled_from(["7", "255-262", "300-2", "99999", "9-2147483647"]), st.just("id")),
    st.tuples(
        st.sampled_from(["^a", r"\s$", "(?i)A.", r"\p{M}", "a|", r"[^\w]{2}", "(a|é)+$", "(?=a)."]), st.just("pattern")
    ),
)
FILTERS = st.builds(
    Filters,
    kind=st.none() | st.sampled_from(KINDS),
    length=st.none() | st.integers(1, LONGEST),
    scripts=st.none() | st.just(("Latin", "no letters")),
    use=st.sampled_from(["any", "used", "unused"]),
    ids=st.none() | st.just({97, 256, 257}),
)


@given(WORDS, SEARCHES, FILTERS, st.sampled_from(SORTS), st.booleans())
def test_a_search_finds_what_naive_python_finds(
    corpus: str, sought: tuple[str, str], filters: Filters, sort: Sort, down: bool
) -> None:
    tok = tokviz.train(corpus * 3, vocab_size=280, pattern="none", special_tokens=["<s>"]).tokenizer
    table = token_table(tok)
    counts = table.use(use_in_text([tok.explain(corpus, "all")], len(tok.merge_ids)))
    found = search(table, *sought, passing(table, filters, counts))  # type: ignore[arg-type]
    is_found = naive_search(*sought)

    def passes(place: int) -> bool:
        capped = min(int(table.lengths[place]), LONGEST)
        return (
            is_found(table, place)
            and filters.kind in (None, KINDS[table.kinds[place]])
            and filters.length in (None, capped)
            and (filters.scripts is None or table.script_names[table.scripts[place]] in filters.scripts)
            and {"any": True, "used": counts[place] > 0, "unused": counts[place] == 0}[filters.use]
            and (filters.ids is None or int(table.ids[place]) in filters.ids)
        )

    keys: dict[Sort, Callable[[int], object]] = {
        "id": lambda place: place,
        "length": lambda place: table.lengths[place],
        "use": lambda place: counts[place],
        "text": lambda place: table.text(place).casefold().encode(),
    }
    expected = [place for place in range(len(table)) if passes(place)]
    if down and sort == "id":
        expected.reverse()
    expected.sort(key=keys[sort], reverse=down)  # type: ignore[arg-type]
    assert in_order(table, found, counts, sort, down).tolist() == expected


@pytest.mark.parametrize(
    ("said", "by", "fault"),
    [
        ("2g", "bytes", "Character 2 is 'g'"),
        ("20 6", "bytes", "only one digit"),
        ("7, x", "id", "Character 4 begins 'x'"),
        ("(a", "pattern", "at character 3: missing )"),
        ("a**", "pattern", "at character"),
        ("(x|xx)+[a-w]", "pattern", "alone"),
        ("(?R)x", "pattern", "alone"),
        ("((x{1000}){1000}){1000}", "pattern", "up to 1,000,000,000 times"),
    ],
)
def test_a_search_that_cannot_be_read_says_where(said: str, by: str, fault: str) -> None:
    table = token_table(tokviz.train("x" * 256, vocab_size=263, pattern="none").tokenizer)
    with pytest.raises(InputError, match=regex.escape(fault, special_only=True)):
        search(table, said, by, np.ones(len(table), np.bool_))  # type: ignore[arg-type]
