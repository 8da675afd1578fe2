"""The live socket: what is typed is answered, proved and told of, and who is refused."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

import tokviz
from tests.asking import ask
from tokviz.base.errors import InputError
from tokviz.ui.frame.tokenizers import reference_family
from tokviz.ui.server import limits
from tokviz.ui.server.connection import STARTED_OVER
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.registry import VISITORS, _mark
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import sum_of
from tokviz.ui.tokenview.socket import MESSAGE_LIMIT, live_socket
from tokviz.vocabulary.card import card_at

GPT2 = tokviz.reference("gpt2")
HELLO = {"view": "v1", "keys": ["gpt2"], "specials": "text", "length": None, "sum": None}


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(Starlette(routes=[WebSocketRoute("/tokviz/live", live_socket)])) as client:
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
        (["[]"], 1007, "not a greeting"),
        ([json.dumps(HELLO | {"keys": [1]})], 1007, "not a greeting"),
        ([json.dumps(HELLO | {"keys": ["gpt2"] * 9})], 1007, "not a greeting"),
        ([json.dumps(HELLO | {"specials": "none"})], 1007, "not a greeting"),
        ([json.dumps(HELLO | {"keys": ["mine7"]})], 1008, "no longer"),
        ([json.dumps({"v": 1, "from": 0, "to": 0, "insert": "x"})], 1007, "first message"),
        ([json.dumps(HELLO), json.dumps({"v": 1, "from": 0, "to": 5, "insert": "x"})], 1007, "no units"),
        ([json.dumps(HELLO), json.dumps({"v": 1, "from": "0", "to": 0, "insert": "x"})], 1007, "not a greeting"),
        (
            [json.dumps(HELLO), json.dumps({"v": 1, "from": 0, "to": 0, "insert": "x" * (limits.TEXT_UNITS + 1)})],
            1009,
            "text",
        ),
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


def test_what_is_typed_is_answered_and_kept_for_the_visitor(client: TestClient, known: Visitor) -> None:
    with connect(client) as socket:
        socket.send_json(HELLO)
        assert socket.receive_json() == {"hello": True, "same": False, "rests": 2_000_000}
        socket.send_json({"v": 1, "from": 0, "to": 0, "insert": "naïve 🎉"})
        header, (seams,) = read(socket.receive_bytes())
        assert (header["v"], header["length"]) == (1, 8)
        assert seams.tolist() == GPT2.explain("naïve 🎉").seams.tolist()
    assert known.text == "naïve 🎉"
    assert known.has_text("v1") and not known.has_text("v2")


def test_a_text_that_both_have_is_not_sent_again(client: TestClient, known: Visitor) -> None:
    known.text = "both have it"
    units = known.text.encode("utf-16-le")
    with connect(client) as socket:
        socket.send_json(HELLO | {"length": len(units) // 2, "sum": zlib.crc32(units)})
        assert socket.receive_json() == {"hello": True, "same": True, "rests": 2_000_000}
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
            assert seams.tolist() == GPT2.explain(text, allowed).seams.tolist()
        asked = {"sum": sum_of(text), "size": None}
        judged = ask(known, "tokens.proof", keys=["gpt2"], **asked)["badges"]
        assert judged == [{"good": True, "text": "same ids as tiktoken"}]
        kind = ask(known, "tokens.card", of="gpt2", start=5, **asked)["card"]["kind"]
        assert kind == ("special" if reading == "special" else "merge")
        assert known.specials == reading and known.pin == ("gpt2", 5, None)


# -- what is asked of the text --


def asked(name: str, **fields: object) -> dict:
    """The answer to a question about "The newest"."""
    me = Visitor()
    me.text = "The newest"
    return ask(me, name, **{"sum": sum_of(me.text), "size": None} | fields)


@pytest.mark.parametrize(("name", "size"), [("gpt2", None), ("cl100k_base", 1_000)])
def test_a_card_is_of_the_token_at_this_byte(name: str, size: int | None) -> None:
    tokenizer, family = tokviz.reference(name), reference_family(name)
    expected = card_at(tokenizer, tokenizer.explain("The newest"), 4, size, family)
    told = asked("tokens.card", of=name, start=4, size=size)
    assert told == {"card": json.loads(json.dumps(expected)), "grows": False}


def test_a_family_that_takes_a_while_is_asked_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokviz.ui.tokenview.questions.family_ready", lambda me, tokenizer: False)
    told = asked("tokens.card", of="gpt2", start=0)
    assert told["card"]["family"] is None and told["grows"]
    assert asked("tokens.family", of="gpt2", start=0)["card"]["family"]["n"] > 0


@pytest.mark.parametrize("wrong", [{"sum": 0}, {"of": "mine1"}, {"start": 10}, {"start": -1}, {"size": 10**6}], ids=str)
def test_a_card_of_what_is_not_there_is_refused(wrong: dict) -> None:
    with pytest.raises(InputError):
        asked("tokens.card", **{"of": "gpt2", "start": 0} | wrong)


def test_tiktoken_judges_a_tokenizer_that_is_not_cut() -> None:
    good = {"good": True, "text": "same ids as tiktoken"}
    for size, badge in ((None, good), (GPT2.vocab_size, good), (300, None)):  # tiktoken has no smaller GPT-2
        assert asked("tokens.proof", keys=["gpt2"], size=size) == {"badges": [badge], "remarks": [[]]}


def test_a_page_from_before_starting_over_cannot_bring_its_text_back() -> None:
    key = new_key()
    VISITORS.of(key)
    routes = [WebSocketRoute("/live", live_socket)]
    hello = {"view": _mark(key) + "old", "keys": ["gpt2"], "specials": "text", "length": None, "sum": None}
    with TestClient(Starlette(routes=routes), cookies={COOKIE: key}) as client:
        with client.websocket_connect("/live", headers={"origin": "http://testserver"}) as socket:
            socket.send_json(hello)
            socket.receive_json()
            VISITORS.start_over(key)
            socket.send_json({"v": 1, "from": 0, "to": 0, "insert": "my old secret"})
            with pytest.raises(WebSocketDisconnect) as refused:
                socket.receive_bytes()
            assert refused.value.code == STARTED_OVER
        new = VISITORS.current(key)
        person = VISITORS.of(new)
        for cookie in (key, new):  # as a tab has it that was not loaded again
            client.cookies.set(COOKIE, cookie)
            with client.websocket_connect("/live", headers={"origin": "http://testserver"}) as socket:
                socket.send_json(hello)
                with pytest.raises(WebSocketDisconnect) as refused:
                    socket.receive_json()
                assert refused.value.code == STARTED_OVER
    assert person.text == Visitor().text and VISITORS.find(key) is None
