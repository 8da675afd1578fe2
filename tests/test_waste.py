"""The report of waste: its parts add up to the tokens of the texts, and each span of a text is in the right group."""

from __future__ import annotations

import random
from collections import Counter
from itertools import groupby

from hypothesis import example, given
from hypothesis import strategies as st

import tokviz
from tests.peers_cases import FILES, peer
from tests.strategies import CUSTOM, PATTERNS, wild_texts
from tests.test_lookups import SMALL
from tokviz import Tokenizer
from tokviz.encoding import Encoding, Token
from tokviz.peers import AnyTokenizer
from tokviz.samples import sample
from tokviz.text import clean, read_text
from tokviz.waste import GROUPS, WasteReport, waste
from tokviz.waste.counting import LEADING
from tokviz.waste.groups import LINE_TIMES, Labelled, labelled, repeated_lines

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


def group_of(kinds: Labelled, start: int, end: int) -> str:
    places = range(start, end)
    no_spaces = [place for place in places if not kinds.spaces[place]]
    letters = [place for place in no_spaces if GROUPS[kinds.labels[place]].key != "punctuation"]
    return GROUPS[kinds.labels[[*letters, *no_spaces, *places][0]]].key


def naively(encodings: list[Encoding]) -> tuple[dict[str, list[int]], Counter[tuple[bytes, str, int, bool]]]:
    """(tokens, bytes, tokens over one) of each group; (chunk, group, tokens, does it begin?) -> how often."""
    sums: dict[str, list[int]] = {}
    chunks: Counter[tuple[bytes, str, int, bool]] = Counter()
    repeated = repeated_lines(encoding.data for encoding in encodings)

    def count(group: str, *figures: int) -> None:
        sums[group] = [a + b for a, b in zip(sums.get(group, [0, 0, 0]), figures, strict=True)]

    for encoding in encodings:
        kinds = labelled(encoding.data, repeated)
        if encoding.bare:
            count("unplaced", len(encoding.bare), 0, len(encoding.bare))
        for _, of_chunk in groupby(encoding.tokens(), key=lambda token: token.chunk):
            tokens: list[Token] = [*of_chunk]
            start, end = tokens[0].start, tokens[-1].end
            several = sum(
                not kinds.spaces[place] and (place == start or kinds.spaces[place - 1]) for place in range(start, end)
            )
            here: Counter[str] = Counter()
            first: set[str] = set()  # the group of the first token
            for number, token in enumerate(tokens):
                group = group_of(kinds, *((token.start, token.end) if several > 1 else (start, end)))
                is_token = token.id is not None
                count(group, is_token, len(token.data), is_token and number > 0)
                here[group] += is_token
                first |= {group} if is_token and number == 0 else set()
            chunks.update((encoding.data[start:end], group, n, group in first) for group, n in here.items() if n)
    return sums, chunks


def check(report: WasteReport, texts: list[str], tok: AnyTokenizer) -> None:
    encodings = [tok.explain(text) for text in texts]
    sums, chunks = naively(encodings)
    assert {cost.group.key: [cost.tokens, cost.n_bytes, cost.over_one] for cost in report.groups} == sums
    assert report.tokens == sum(map(len, encodings)) == sum(cost.tokens for cost in report.groups)
    assert report.n_bytes == sum(len(encoding.data) for encoding in encodings)
    assert report.over_one == sum(cost.over_one for cost in report.groups) == sum(one.over_one for one in report.files)
    for costs in (report.groups, report.files):
        assert sum(cost.over_average for cost in costs) == 0
        assert [cost.over_average for cost in costs] == sorted((cost.over_average for cost in costs), reverse=True)
    assert sorted((one.tokens, one.n_bytes) for one in report.files) == sorted((len(e), len(e.data)) for e in encodings)
    for cost in report.groups:
        mine = {(chunk, n, begins): times for (chunk, key, n, begins), times in chunks.items() if key == cost.group.key}
        totals = sorted((n * times for (_, n, _), times in mine.items()), reverse=True)
        assert [one.total for one in cost.leading] == totals[:LEADING]
        assert all(mine[one.data, one.tokens, one.begins] == one.times for one in cost.leading)
    for chunk in (*report.leading, *(one for cost in report.groups for one in cost.leading)):
        assert encodings[chunk.text].data.startswith(chunk.data, chunk.start)
        assert b"".join(chunk.pieces) in (b"", chunk.data)


@given(st.lists(texts_of_content, max_size=3), st.sampled_from([*TRAINED.values(), LOOKED_UP]))
@example([LINE * LINE_TIMES, LINE], TRAINED["none"])
@example(["é́ ​\x00" + "0" * 50, ""], TRAINED["gpt2"])
def test_the_parts_add_up_to_the_tokens_of_the_texts(texts: list[str], tok: Tokenizer) -> None:
    report = waste(texts, tok)
    check(report, texts, tok)
    chunks = sum(int((tok.explain(text).seams == tokviz.SPLIT).sum()) for text in texts)
    assert report.over_one == report.tokens - chunks  # so a chunk costs one token at least


@given(st.lists(texts_of_content, max_size=2), st.sampled_from([*FILES]))
def test_the_parts_add_up_under_tokenizers_of_others_too(texts: list[str], kind: str) -> None:
    check(waste(texts, peer(kind)), texts, peer(kind))


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
    report = waste([text, "y = 2"], tokviz.reference("cl100k_base"))
    repeated = next(cost for cost in report.groups if cost.group.key == "boilerplate")
    (one,) = report.lines
    assert one.data == line.strip().encode() and one.times == LINE_TIMES
    assert one.total == repeated.tokens
    assert {cost.group.key for cost in report.groups} == {"boilerplate", "space", "words", "punctuation", "numbers"}
    # one time less, and it is none
    few = waste(text.replace(line, line + "!", 1), tokviz.reference("cl100k_base"))
    assert not few.lines and "addresses" in {cost.group.key for cost in few.groups}


def test_hexadecimal_is_dear_though_no_merge_can_help() -> None:
    random_bytes = random.Random(3).randbytes
    ids = "".join(f'  "id": "{random_bytes(16).hex()}",\n' for _ in range(50))
    prose = sample("story").text[:6_000]
    texts = [read_text(prose.encode(), "story"), read_text(ids.encode(), "ids")]
    report = waste(texts, tokviz.reference("cl100k_base"))
    dearest = report.groups[0]
    assert dearest.group.key == "hexadecimal" and dearest.over_average > 300 and dearest.bytes_per_token < 2
    assert [one.name for one in report.files] == ["ids", "story"]
    assert dearest.leading[0].total >= dearest.leading[1].total > 0


def test_texts_that_a_tokenizer_cannot_read_are_named_and_not_counted() -> None:
    tok = Tokenizer("letters", [], pattern="[a-z]+")
    report = waste([read_text(b"abc", "a.txt"), read_text(b"abc def", "b.txt")], tok)
    assert (report.tokens, report.n_bytes, [one.name for one in report.files]) == (3, 3, ["a.txt"])
    assert "does not cover the text" in str(report.faults["b.txt"])


def test_nothing_wastes_nothing() -> None:
    report = waste([], tokviz.reference("gpt2"))
    assert (report.tokens, report.groups, report.files, report.bytes_per_token) == (0, (), (), None)
