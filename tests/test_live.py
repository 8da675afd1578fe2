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
from tokviz.ui.server.connection import STARTED_OVER
from tokviz.ui.server.cookie import COOKIE, new_key
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokenview.questions import sum_of
from tokviz.ui.tokenview.socket import live_socket
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


def connect(client: TestClient) -> WebSocketTestSession:
    return client.websocket_connect("/tokviz/live", headers={"origin": "http://testserver"})


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


def test_who_starts_over_in_another_tab_types_no_more(client: TestClient, known: Visitor) -> None:
    key = client.cookies[COOKIE]
    with connect(client) as socket:
        socket.send_json(HELLO)
        socket.receive_json()
        VISITORS.start_over(key)
        socket.send_json({"v": 1, "from": 0, "to": 0, "insert": "my old secret"})
        with pytest.raises(WebSocketDisconnect) as refused:
            socket.receive_bytes()
    assert refused.value.code == STARTED_OVER and VISITORS.find(key) is None
