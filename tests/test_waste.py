"""The report of waste: its parts add up to the tokens of the text, and each span of a text is in the right group."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokviz
from tests.peers_cases import FILES, peer
from tests.strategies import CUSTOM, PATTERNS, wild_texts
from tests.test_lookups import SMALL
from tokviz import Tokenizer
from tokviz.base.errors import TokvizError
from tokviz.base.text import clean
from tokviz.cost.waste import GROUPS, LEADING, waste
from tokviz.cost.waste.groups import LINE_TIMES, Labelled, label_steps
from tokviz.tokenizer.encoding import Encoding, Token
from tokviz.tokenizer.peers import AnyTokenizer

TRAINED = {
    pattern: tokviz.train("the cat in the hat  sat at 10:30, 2008 and 2009\n\n", 280, pattern=pattern).tokenizer
    for pattern in [*PATTERNS, CUSTOM]
}
LOOKED_UP = Tokenizer.from_ranks("small", SMALL, pattern="gpt2", special_tokens={})
LINE = "All of this is under the licence of somebody.\n"

texts_of_content = st.lists(
    st.one_of(
        wild_texts.map(clean),
        st.sampled_from(
            [LINE, " https://a.org/b?c=1", " 036410ab", "\n\n    ", " the cat", "(x)", " abcd", " 12,345.6"]
        ),
    ),
    max_size=8,
).map("".join)


def labelled(data: bytes) -> Labelled:
    *_, found = label_steps(data)
    return found


def group_of(kinds: Labelled, start: int, end: int) -> str:
    places = range(start, end)
    no_spaces = [place for place in places if not kinds.spaces[place]]
    letters = [place for place in no_spaces if GROUPS[kinds.labels[place]].key != "punctuation"]
    return GROUPS[kinds.labels[[*letters, *no_spaces, *places][0]]].key


def naively(encoding: Encoding) -> tuple[dict[str, list[int]], Counter[tuple[bytes, str, int]]]:
    """(tokens, bytes, tokens over one) of each group; (chunk, group, tokens) -> how often."""
    sums: dict[str, list[int]] = {}
    chunks: Counter[tuple[bytes, str, int]] = Counter()
    kinds = labelled(encoding.data)

    def count(group: str, *figures: int) -> None:
        sums[group] = [a + b for a, b in zip(sums.get(group, [0, 0, 0]), figures, strict=True)]

    if encoding.bare:
        count("unplaced", len(encoding.bare), 0, len(encoding.bare))
    for _, of_chunk in groupby(encoding.tokens(), key=lambda token: token.chunk):
        tokens: list[Token] = [*of_chunk]
        start, end = tokens[0].start, tokens[-1].end
        several = sum(
            not kinds.spaces[place] and (place == start or kinds.spaces[place - 1]) for place in range(start, end)
        )
        for part in [[token] for token in tokens] if several > 1 else [tokens]:
            first, last = part[0].start, part[-1].end
            n = sum(token.id is not None for token in part)
            over = sum(token.id is not None and token is not tokens[0] for token in part)
            count(group_of(kinds, first, last), n, last - first, over)
            chunks[encoding.data[first:last], group_of(kinds, first, last), n] += 1
    return sums, chunks


def check(text: str, tok: AnyTokenizer) -> None:
    report, encoding = waste(text, tok), tok.explain(text)
    sums, chunks = naively(encoding)
    assert {cost.group.key: [cost.tokens, cost.n_bytes, cost.over_one] for cost in report.groups} == sums
    assert report.tokens == len(encoding) == sum(cost.tokens for cost in report.groups)
    assert report.n_bytes == len(encoding.data) == sum(cost.n_bytes for cost in report.groups)
    over_average = [cost.over_average for cost in report.groups]
    assert sum(over_average) == 0 and over_average == sorted(over_average, reverse=True)
    for cost in report.groups:
        mine = {(chunk, n): times for (chunk, key, n), times in chunks.items() if key == cost.group.key and n}
        totals = sorted((n * times for (_, n), times in mine.items()), reverse=True)
        assert [one.total for one in cost.leading] == totals[:LEADING]
        assert all(mine[one.data, one.tokens] == one.times for one in cost.leading)


@given(texts_of_content, st.sampled_from([*TRAINED.values(), LOOKED_UP]))
@example(LINE * LINE_TIMES, TRAINED["none"])
@example("é́ ​\x00" + "0" * 50, TRAINED["gpt2"])
@example("", TRAINED["gpt2"])
def test_the_parts_add_up_to_the_tokens_of_the_text(text: str, tok: Tokenizer) -> None:
    check(text, tok)
    chunks = int((tok.explain(text).seams == tokviz.SPLIT).sum())
    over_one = sum(cost.over_one for cost in waste(text, tok).groups)
    assert over_one == len(tok.explain(text)) - chunks  # so a chunk costs one token at least


@given(texts_of_content, st.sampled_from([*FILES]))
def test_the_parts_add_up_under_tokenizers_of_others_too(text: str, kind: str) -> None:
    check(text, peer(kind))


def groups_in(text: str) -> list[tuple[str, str]]:
    """The spans of a text and their groups, without white space, punctuation and words."""
    data = text.encode()
    labels = labelled(data).labels
    spans = [[*places] for _, places in groupby(range(len(data)), key=lambda place: labels[place])]
    found = [(GROUPS[labels[span[0]]].key, data[span[0] : span[-1] + 1].decode()) for span in spans]
    return [(key, span) for key, span in found if key not in ("space", "punctuation", "words")]


def test_what_is_in_each_group() -> None:
    assert groups_in(
        "see https://x.org/a?b=1), or ~/notes, ./a, src/main.py and/or /usr/bin. C:\\a\\b me@x.org 10.0.0.1"
    ) == [
        ("addresses", place)
        for place in (
            *("https://x.org/a?b=1", "~/notes", "./a", "src/main.py", "/usr/bin", "C:\\a\\b", "me@x.org", "10.0.0.1"),
        )
    ]
    codes = "550e8400-e29b-41d4-a716-446655440000 0xFF 036410a #ff8800 dQw4w9WgXcQbase64Aa9+/zzQQ12=="
    assert groups_in(f"{codes} deadbeef decade facade") == [("hexadecimal", code) for code in codes.split()]
    numbers = "1,000.50 1e-5 2024-01-15T10:00:00 ½ ٣٤ 7"
    assert groups_in(f"{numbers}, and/or") == [("numbers", number) for number in numbers.split()]
    assert groups_in("v1.2, x2y test_utf8_encoding_of_Base64_strings </div> a/b") == [
        *(("numbers", number) for number in ("1.2", "2", "8", "64")),
    ]
    assert groups_in("naïve нет 日本 ひら हिन्दी 👍🏽 e\u0301 ℵ ᚠ \x00") == [
        *(("cyrillic", "нет"), ("han", "日本"), ("hiragana", "ひら"), ("devanagari", "हिन्दी"), ("emoji", "👍🏽")),
        *(("other", "ℵ"), ("scripts", "ᚠ"), ("other", "\x00")),
    ]


def test_repeated_lines_are_one_group_with_all_that_is_in_them() -> None:
    line = "    # see https://x.org/licence for 100 %"
    text = f"{line}\n" * LINE_TIMES + "x = 1\n"
    tok = tokviz.reference("cl100k_base")
    groups = {cost.group.key: cost for cost in waste(text, tok).groups}
    assert {*groups} == {"boilerplate", "space", "words", "punctuation", "numbers"}
    assert groups["boilerplate"].tokens == LINE_TIMES * len(tok.encode(line.strip()))
    # one time less, and it is none
    few = waste(text.replace(line, line + "!", 1), tok)
    assert "boilerplate" not in {cost.group.key for cost in few.groups}


def test_a_text_that_a_tokenizer_cannot_read_is_refused() -> None:
    with pytest.raises(TokvizError, match="does not cover the text"):
        waste("abc def", Tokenizer("letters", [], pattern="[a-z]+"))
