"""The live socket: seams kept by patches are those of the whole text encoded afresh, and who is refused."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from string import ascii_letters

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession

import tokviz
from tests.oracles import witness
from tokviz.errors import InputError, SpecialTokenError
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer
from tokviz.ui.livetext import TEXT_LIMIT, Change, LiveText, first_refused
from tokviz.ui.numbers import numbers
from tokviz.ui.sockets.live import MESSAGE_LIMIT, live
from tokviz.ui.visitors.cookie import COOKIE, new_key
from tokviz.ui.visitors.registry import VISITORS
from tokviz.ui.visitors.visitor import Visitor

BITS = [
    "a", "the ", " word", "Ab", "\n", "\n\n", " ", "  ", "\t", "/", "!", "!\n", "\r", "\r\n", "//\n/", "\n/x", " \n ",
    "\n  \n", "की", "é", "🎉", "👩‍👩‍👧", "12345", "'s", "\u3000", "\x1c", "\u2028", "\u0085", "\xa0", "x\u200d", "\0",
    "\ud83d", "\udc4d", "\ud83d\n", "\n\udc4d", "ſ", "日本",
]  # fmt: skip
CUSTOM = r"\w+\n*|[^\w\n]+|\n+"


def trained(pattern: str) -> Tokenizer:
    corpus = "the word\n\n the  word/\n/ 12345 की 🎉\n!\n!\n  x\n\t日本日本 word the" * 3
    return tokviz.train(corpus, 340, pattern, ["<|e|>"], name=pattern).tokenizer


TOKENIZERS = {
    **{name: tokviz.reference(name) for name in ("gpt2", "cl100k_base", "o200k_base")},
    **{f"trained {pattern}": trained(pattern) for pattern in ("gpt2", "cl100k", "o200k", "none")},
    "custom": trained(CUSTOM),
}


class Mirror:
    """What a browser has: it knows only what the changes tell it."""

    def __init__(self, tokenizers: list[Tokenizer]) -> None:
        self.seams = [np.empty(0, np.int32) for _ in tokenizers]
        self.ids: list[dict[int, int]] = [{} for _ in tokenizers]
        self.whole: list[dict[int, int | None]] = [{} for _ in tokenizers]

    def hear(self, i: int, change: Change) -> None:
        start, stop, seams = change.start, change.stop, change.seams
        self.seams[i] = np.concatenate([self.seams[i][:start], seams, self.seams[i][stop:]])
        assert not change.ids.keys() & self.ids[i].keys(), "an id is told once"
        self.ids[i] |= change.ids
        longer = len(seams) - (stop - start)
        kept = {at: id for at, id in self.whole[i].items() if at < start}
        moved = {at + longer: id for at, id in self.whole[i].items() if at >= stop}
        self.whole[i] = kept | moved | change.whole


def edit(chance: random.Random, size: int, bits: list[str] = BITS) -> tuple[int, int, str]:
    start = chance.randint(0, size)
    stop = min(size, start + chance.choice([0, 0, 0, 1, 1, 2, 7, 40]))
    return start, stop, "".join(chance.choices(bits, k=chance.choice([0, 1, 1, 1, 2, 30])))


def patched(units: bytes, start: int, stop: int, insert: str) -> tuple[bytes, str]:
    """The text after an edit, in UTF-16, and as tokenizers see it."""
    units = units[: 2 * start] + insert.encode("utf-16-le", "surrogatepass") + units[2 * stop :]
    return units, clean(units.decode("utf-16-le", "surrogatepass"))


def fuzz(chance: random.Random, names: list[str], edits: int) -> None:
    tokenizers = [TOKENIZERS[name] for name in names]
    text, mirror, units = LiveText(tokenizers), Mirror(tokenizers), b""
    for _ in range(edits):
        start, stop, insert = edit(chance, len(units) // 2)
        changes = text.patch(start, stop, insert)
        units, whole = patched(units, start, stop, insert)
        assert text.text == whole
        for i, (name, tokenizer, change) in enumerate(zip(names, tokenizers, changes, strict=True)):
            expected = tokenizer.explain(whole)
            assert change.error is None and change.whole == {}
            mirror.hear(i, change)
            assert mirror.seams[i].tolist() == expected.seams.tolist(), (name, whole)
            merged = expected.ranks[expected.ranks >= 0].tolist()
            assert [mirror.ids[i][rank] for rank in merged] == [int(tokenizer.merge_ids[rank]) for rank in merged]
        ids = [encoding.ids.tolist() for _, encoding in text.standing().shown if encoding is not None]
        assert ids == [tokenizer.encode_ordinary(whole) for tokenizer in tokenizers]


def test_random_edits_leave_the_seams_of_the_whole_text() -> None:
    for seed in range(12):
        fuzz(random.Random(seed), list(TOKENIZERS), 40)


@pytest.mark.long
def test_many_random_edits_leave_the_seams_of_the_whole_text() -> None:
    for seed in range(400):
        fuzz(random.Random(1_000 + seed), list(TOKENIZERS), 150)


# -- special tokens --


def with_specials(pattern: str, *specials: str) -> Tokenizer:
    tokenizer = TOKENIZERS[f"trained {pattern}"]
    return tokenizer.with_special_tokens({token: 1_000 + i for i, token in enumerate(specials)})


SPECIAL = {
    "cl100k_base": TOKENIZERS["cl100k_base"],
    "o200k_base": TOKENIZERS["o200k_base"],
    "of one byte": with_specials("o200k", "x", "a", "ab", "<"),
    "in one another": with_specials("gpt2", "<s>", "<s><e>", "s", "><", "🎉"),
    "half a character": with_specials("gpt2", "\ufffd", "🎉"),
    "with a line end": with_specials("cl100k", "\n", "<s>\n", "\n\n<e>", "s\nthe"),
    "of white space": with_specials("gpt2", "  ", " ", "\t/", "/"),
    "of every letter": with_specials("gpt2", *ascii_letters),
    "without chunks": with_specials("none", "<s>", "the"),
}
SPECIAL_BITS = [
    "<|endoftext|>", "<|endofprompt|>", "<|endof", "text|>", "<", "|>", "\n<", "\n\n<|endoftext|>", "\n\n", "\n", " ",
    "  ", "a", "ab", "x", "s", "e>", "<s>", "<e>", "><", "<s><e>", "the", " word", "/", "\t", "!\n", "🎉",
    "\ud83c", "\udf89", "\n  \n", "\r\n", "é",
]  # fmt: skip


@st.composite
def edits(draw: st.DrawFn) -> list[tuple[int, int, str]]:
    """Edits one after the other, as places in hundredths of the text that there is then, so that they can be shrunk."""
    place, length = st.integers(0, 100), st.sampled_from([0, 0, 0, 1, 1, 2, 5, 20])
    insert = st.lists(st.sampled_from(SPECIAL_BITS), max_size=6).map("".join)
    return draw(st.lists(st.tuples(place, length, insert), max_size=12))


@pytest.mark.parametrize("name", SPECIAL)
@example([(0, 0, "\n\n\udf89"), (0, 0, "")])  # half of a character before which no chunk ends
@example([(0, 0, "s\nthe end"), (100, 0, "x")])  # a special token across the beginning of a line
@given(edits())
def test_special_tokens_stand_where_a_fresh_encoding_has_them(name: str, edits: list[tuple[int, int, str]]) -> None:
    tokenizer = SPECIAL[name]
    text, refusing = LiveText([tokenizer], "special"), LiveText([tokenizer], "refuse")
    mirror, units = Mirror([tokenizer]), b""
    for place, length, insert in edits:
        size = len(units) // 2
        start = place * size // 100
        stop = min(size, start + length)
        (change,) = text.patch(start, stop, insert)
        mirror.hear(0, change)
        units, whole = patched(units, start, stop, insert)
        expected = tokenizer.explain(whole, allowed_special="all")
        assert mirror.seams[0].tolist() == expected.seams.tolist()
        assert mirror.whole[0] == expected.whole
        ((_, standing),) = text.standing().shown
        assert standing == expected

        (refused,) = refusing.patch(start, stop, insert)
        assert refused.whole == {}
        assert refusing.sides[0].seams.tolist() == tokenizer.explain(whole).seams.tolist()
        assert refused.refused == first_refused(tokenizer, whole)
        if refused.refused is None:
            tokenizer.encode(whole)
        else:
            with pytest.raises(SpecialTokenError) as fault:
                tokenizer.encode(whole)
            assert (fault.value.token, fault.value.offset) == refused.refused


@given(edits(), st.sampled_from(["gpt2", "cl100k_base", "o200k_base"]))
def test_special_tokens_have_the_ids_of_tiktoken(edits: list[tuple[int, int, str]], name: str) -> None:
    tokenizer, judge = TOKENIZERS[name], witness(name)
    text = LiveText([tokenizer], "special")
    for place, length, insert in edits:
        start = place * len(text) // 100
        text.patch(start, min(len(text), start + length), insert)
    ((_, encoding),) = text.standing().shown
    assert encoding is not None
    assert encoding.ids.tolist() == judge.encode(text.text, allowed_special="all")


def test_a_special_token_of_another_id_is_told_even_where_its_first_byte_was_not_edited() -> None:
    tokenizer = with_specials("gpt2", "<a>", "<b>")
    text, mirror = LiveText([tokenizer], "special"), Mirror([tokenizer])
    mirror.hear(0, text.patch(0, 0, "one <a> two")[0])
    assert mirror.whole == [{4: 1000}]
    mirror.hear(0, text.patch(5, 6, "b")[0])
    assert mirror.whole == [{4: 1001}]


def test_lines_away_from_a_special_token_are_not_encoded_again() -> None:
    text = LiveText([TOKENIZERS["cl100k_base"]], "special")
    text.patch(0, 0, "One line of <|endoftext|> the text.\n" * 1_000)
    edit = text.edit(18_000, 18_000, "x")
    assert text.work(edit) < 80
    (change,) = text.encode(edit)
    assert len(change.seams) < 40


def test_a_pattern_that_cannot_cut_a_text_that_both_have_is_said() -> None:
    tokenizer = tokviz.train("one two", 258, r"\w+| ").tokenizer
    text = LiveText([tokenizer])
    text.start_with("one-two")
    assert text.standing().shown == [(tokenizer, None)]
    assert len(text.sides[0].seams) == 7
    assert text.patch(3, 4, " ")[0].error is None


def test_a_patch_in_a_long_text_tells_of_its_own_line_at_most() -> None:
    text = LiveText([TOKENIZERS["cl100k_base"]])
    text.patch(0, 0, "One line of the text.\n" * 1_000)
    (change,) = text.patch(11_000, 11_000, "x")
    assert len(change.seams) <= 23


def test_a_pattern_that_cannot_cut_a_text_is_said_and_forgotten_when_it_can() -> None:
    tokenizer = tokviz.train("one two", 258, r"\w+| ").tokenizer
    text = LiveText([tokenizer])
    (change,) = text.patch(0, 0, "one-two")
    assert change.error is not None and "does not cover" in change.error and len(change.seams) == 7
    (change,) = text.patch(3, 4, " ")
    assert change.error is None
    assert text.sides[0].seams.tolist() == tokenizer.explain("one two").seams.tolist()


@pytest.mark.parametrize("place", [(-1, 0), (3, 2), (0, 9)])
def test_places_that_are_not_there_are_refused(place: tuple[int, int]) -> None:
    text = LiveText([TOKENIZERS["gpt2"]])
    text.patch(0, 0, "abc")
    with pytest.raises(InputError, match="no units"):
        text.patch(*place, "x")
    assert text.text == "abc"


# -- the socket --

HELLO = {"view": "v1", "keys": ["gpt2"], "specials": "text", "length": None, "sum": None}


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=[WebSocketRoute("/tokviz/live", live)])) as client:
        yield client


@pytest.fixture
def known(client: TestClient) -> Visitor:
    key = new_key()
    client.cookies.set(COOKIE, key)
    return VISITORS.of(key)


def connect(client: TestClient, origin: str | None = "http://testserver") -> WebSocketTestSession:
    return client.websocket_connect("/tokviz/live", headers={} if origin is None else {"origin": origin})


def refusal(client: TestClient, *messages: str | bytes, origin: str | None = "http://testserver") -> tuple[int, str]:
    with connect(client, origin) as socket:
        for message in messages:
            if isinstance(message, bytes):
                socket.send_bytes(message)
            else:
                socket.send_text(message)
        while (answer := socket.receive())["type"] != "websocket.close":
            pass
    return answer["code"], answer["reason"]


@pytest.mark.parametrize(
    "origin", [None, "http://example.org", "http://testserver:81", "null", "http://testserver.org"]
)
@pytest.mark.usefixtures("known")
def test_a_page_of_another_site_is_refused(client: TestClient, origin: str | None) -> None:
    assert refusal(client, origin=origin) == (1008, "This socket is for pages of this server.")


@pytest.mark.parametrize("key", [None, "guess", new_key()], ids=["none", "guess", "of nobody"])
def test_who_has_no_page_here_is_refused(client: TestClient, key: str | None) -> None:
    before = len(VISITORS)
    if key:
        client.cookies.set(COOKIE, key)
    code, reason = refusal(client)
    assert code == 1008 and "Load the page first" in reason
    assert len(VISITORS) == before


@pytest.mark.parametrize(
    ("messages", "code", "said"),
    [
        (["x" * (MESSAGE_LIMIT + 1)], 1009, "characters"),
        ([b"bytes"], 1007, "text"),
        (["not json"], 1007, "JSON"),
        (["[" * 100_000], 1007, "JSON"),
        (["[]"], 1007, "none"),
        ([json.dumps(HELLO | {"keys": [1]})], 1007, "none"),
        ([json.dumps(HELLO | {"keys": ["gpt2"] * 9})], 1007, "none"),
        ([json.dumps(HELLO | {"specials": "none"})], 1007, "none"),
        ([json.dumps(HELLO), json.dumps({"prove": 1})], 1007, "none"),
        ([json.dumps(HELLO | {"keys": ["mine7"]})], 1008, "no longer"),
        ([json.dumps({"v": 1, "from": 0, "to": 0, "insert": "x"})], 1007, "first message"),
        ([json.dumps(HELLO), json.dumps({"v": 1, "from": 0, "to": 5, "insert": "x"})], 1007, "no units"),
        ([json.dumps(HELLO), json.dumps({"v": 1, "from": "0", "to": 0, "insert": "x"})], 1007, "none"),
        ([json.dumps(HELLO), json.dumps({"v": 1, "from": 0, "to": 0, "insert": "x" * (TEXT_LIMIT + 1)})], 1009, "text"),
    ],
)
@pytest.mark.usefixtures("known")
def test_what_is_too_large_or_not_of_its_form_is_refused(
    client: TestClient, messages: list[str | bytes], code: int, said: str
) -> None:
    found, reason = refusal(client, *messages)
    assert found == code and said in reason


def read(message: bytes) -> tuple[dict, list[np.ndarray]]:
    size = int.from_bytes(message[:4], "little")
    header, rest = json.loads(message[4 : 4 + size]), np.frombuffer(message[4 + size :], "<i4")
    ends = np.cumsum([part["count"] for part in header["parts"]])
    assert ends[-1] == len(rest)
    return header, np.split(rest, ends[:-1])


def test_what_is_typed_is_answered_proved_and_kept_for_the_visitor(client: TestClient, known: Visitor) -> None:
    with connect(client) as socket:
        socket.send_json(HELLO)
        assert socket.receive_json() == {"hello": True, "same": False}
        socket.send_json({"v": 1, "from": 0, "to": 0, "insert": "naïve 🎉"})
        header, (seams,) = read(socket.receive_bytes())
        assert (header["v"], header["length"]) == (1, 8)
        assert seams.tolist() == TOKENIZERS["gpt2"].explain("naïve 🎉").seams.tolist()
        socket.send_json({"prove": 1, "model": "gpt2"})
        told = socket.receive_json()
        assert (told["proof"], told["badges"]) == (1, [{"good": True, "text": "same ids as tiktoken"}])
        encoding = TOKENIZERS["gpt2"].explain("naïve 🎉")
        numbered = numbers("naïve 🎉", [(TOKENIZERS["gpt2"], encoding)], "gpt2")
        assert told["numbers"] == json.loads(json.dumps(asdict(numbered)))
    assert known.model == "gpt2"
    assert known.text == "naïve 🎉"
    assert known.typed_in("v1") == "naïve 🎉" and known.typed_in("v2") is None


def test_a_text_that_both_have_is_not_sent_again(client: TestClient, known: Visitor) -> None:
    known.text = "both have it"
    units = known.text.encode("utf-16-le")
    with connect(client) as socket:
        socket.send_json(HELLO | {"length": len(units) // 2, "sum": zlib.crc32(units)})
        assert socket.receive_json() == {"hello": True, "same": True}
        socket.send_json({"v": 1, "from": 12, "to": 12, "insert": "!"})
        header, (seams,) = read(socket.receive_bytes())
        assert header["parts"][0]["start"] == 12 and len(seams) == 1


def test_special_tokens_are_read_as_the_greeting_says(client: TestClient, known: Visitor) -> None:
    text = "one<|endoftext|>"
    for reading, whole, refused in (
        ("text", {}, None),
        ("special", {"3": 50256}, None),
        ("refuse", {}, ["<|endoftext|>", 3]),
    ):
        with connect(client) as socket:
            socket.send_json(HELLO | {"specials": reading})
            socket.receive_json()
            socket.send_json({"v": 1, "from": 0, "to": 0, "insert": text})
            header, (seams,) = read(socket.receive_bytes())
            assert (header["parts"][0]["whole"], header["parts"][0]["refused"]) == (whole, refused)
            allowed = "all" if reading == "special" else ()
            assert seams.tolist() == TOKENIZERS["gpt2"].explain(text, allowed).seams.tolist()
            socket.send_json({"prove": 1, "model": "no model of this name"})
            assert socket.receive_json()["badges"] == [{"good": True, "text": "same ids as tiktoken"}]
            socket.send_json({"look": 1, "side": 0, "start": 5, "size": None})
            assert socket.receive_json()["details"]["special"] is (reading == "special")
        assert known.specials == reading and known.model == ""


def test_text_of_one_visitor_stays_theirs(client: TestClient, known: Visitor) -> None:
    other = VISITORS.of(new_key())
    before = other.text
    with connect(client) as socket:
        socket.send_json(HELLO)
        socket.receive_json()
        socket.send_json({"v": 1, "from": 0, "to": 0, "insert": "mine alone"})
        socket.receive_bytes()
    assert other.text == before and known.text == "mine alone"
