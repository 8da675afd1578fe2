"""The live socket: seams kept by patches are those of the whole text encoded afresh, and who is refused."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession

import tokviz
from tokviz.text import clean
from tokviz.tokenizer import Tokenizer
from tokviz.ui.cookie import COOKIE, new_key
from tokviz.ui.live import MESSAGE_LIMIT, TEXT_LIMIT, LiveText, Refusal, live
from tokviz.ui.state import VISITORS, Visitor

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


def edit(chance: random.Random, size: int) -> tuple[int, int, str]:
    start = chance.randint(0, size)
    stop = min(size, start + chance.choice([0, 0, 0, 1, 1, 2, 7, 40]))
    return start, stop, "".join(chance.choices(BITS, k=chance.choice([0, 1, 1, 1, 2, 30])))


def fuzz(chance: random.Random, names: list[str], edits: int) -> None:
    tokenizers = [TOKENIZERS[name] for name in names]
    text, mirror, units = LiveText(tokenizers), Mirror(tokenizers), b""
    for _ in range(edits):
        start, stop, insert = edit(chance, len(units) // 2)
        changes = text.patch(start, stop, insert)
        units = units[: 2 * start] + insert.encode("utf-16-le", "surrogatepass") + units[2 * stop :]
        whole = clean(units.decode("utf-16-le", "surrogatepass"))
        assert text.text == whole
        for i, (name, tokenizer, change) in enumerate(zip(names, tokenizers, changes, strict=True)):
            expected = tokenizer.explain(whole)
            assert change.error is None
            seams = mirror.seams[i]
            mirror.seams[i] = np.concatenate([seams[: change.start], change.seams, seams[change.stop :]])
            assert mirror.seams[i].tolist() == expected.seams.tolist(), (name, whole)
            assert not change.ids.keys() & mirror.ids[i].keys(), "an id is told once"
            mirror.ids[i] |= change.ids
            merged = expected.ranks[expected.ranks >= 0].tolist()
            assert [mirror.ids[i][rank] for rank in merged] == [int(tokenizer.merge_ids[rank]) for rank in merged]
        ids = [encoding.ids.tolist() for encoding in text.encodings()]
        assert ids == [tokenizer.encode_ordinary(whole) for tokenizer in tokenizers]


def test_random_edits_leave_the_seams_of_the_whole_text() -> None:
    for seed in range(12):
        fuzz(random.Random(seed), list(TOKENIZERS), 40)


@pytest.mark.long
def test_many_random_edits_leave_the_seams_of_the_whole_text() -> None:
    for seed in range(400):
        fuzz(random.Random(1_000 + seed), list(TOKENIZERS), 150)


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
    with pytest.raises(Refusal, match="no units"):
        text.patch(*place, "x")
    assert text.text == "abc"


# -- the socket --

HELLO = {"view": "v1", "keys": ["gpt2"], "length": None, "sum": None}


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


@pytest.mark.parametrize("key", [None, "guess", new_key()])
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
        socket.send_json({"prove": 1})
        assert socket.receive_json() == {"proof": 1, "badges": [{"good": True, "text": "same ids as tiktoken"}]}
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


def test_text_of_one_visitor_stays_theirs(client: TestClient, known: Visitor) -> None:
    other = VISITORS.of(new_key())
    before = other.text
    with connect(client) as socket:
        socket.send_json(HELLO)
        socket.receive_json()
        socket.send_json({"v": 1, "from": 0, "to": 0, "insert": "mine alone"})
        socket.receive_bytes()
    assert other.text == before and known.text == "mine alone"
