"""What the Vocabulary page is told about one token, over a corpus, a text, and where there is no merge."""

from __future__ import annotations

from typing import Any

import pytest

import tokviz
from tests import asking
from tests.peers_cases import peer
from tokviz.base.errors import UnknownIdError
from tokviz.base.text import Text
from tokviz.catalog.samples import sample
from tokviz.ui.frame.address import decode
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.server.connection import Refusal
from tokviz.ui.server.visitor import Mine, Visitor
from tokviz.ui.tokens.link import Pin, TokensLink
from tokviz.ui.vocabulary.link import VocabularyLink
from tokviz.ui.vocabulary.state import VocabularyState
from tokviz.vocabulary.occurrences import in_training

CORPUS = "naïve she sells <b>sea</b> shells, नमस्ते 👍🏽 she sells\r\n" * 3


def ask(me: Visitor, key: str, id: int, name: str = "card", **fields: Any) -> Any:
    """What is told about a token. key: of the tokenizer."""
    pinned = {"pinned": True} if name == "card" else {}
    return asking.ask(me, f"vocabulary.{name}", of=key, id=id, **pinned, **fields)


def trained(me: Visitor) -> tuple[Mine, tokviz.Training]:
    training = tokviz.train(CORPUS, 300, special_tokens=["<b>"])
    return me.add("shells", training.tokenizer, training, corpus_name="shells.txt"), training


def check_rows(places: dict[str, Any], data: bytes, token: bytes) -> list[int]:
    """Each place is right in the bytes, and so is what is around it. Returns the offsets."""
    for row in places["rows"]:
        left, right = bytes.fromhex(row["left"]), bytes.fromhex(row["right"])
        start, end = row["start"], row["start"] + len(token)
        assert bytes.fromhex(row["bytes"]) == data[start:end] == token
        assert data[:start].endswith(left) and data[end:].startswith(right)
        assert (left or not start) and (right or end == len(data))
    return [row["start"] for row in places["rows"]]


def test_every_token_of_a_training_is_told_over_its_corpus() -> None:
    me = Visitor(text="she sells")
    mine, training = trained(me)
    tok, data = training.tokenizer, CORPUS.encode()
    for id, token in tok.vocab.items():
        told = ask(me, mine.key, id)
        found = in_training(training, id)
        fate = found.fate()
        assert (told["fate"]["made"], told["fate"]["remain"]) == (fate.made, fate.remain)
        assert (told["where"], told["n_bytes"], told["unpublished"]) == ("the corpus “shells.txt”", len(data), "")
        places, n = found.places(remaining=fate.remain > 0)
        assert told["places"]["n"] == n and check_rows(told["places"], data, token) == [p.start for p in places[:5]]
        gone = ask(me, mine.key, id, "places", remaining=False, first=2)
        assert check_rows(gone, data, token) == [p.start for p in found.places(remaining=False)[0][2:22]]
        link, faults = decode(told["link"], VocabularyLink)
        assert (link.page.token, link.tokenizers, faults) == (id, (mine.sha256,), [])
        replay, faults = decode(told["opens"]["query"], ReplayLink)
        assert replay.page.step == (told["birth"]["rank"] if told["birth"] else 0) and not faults
        assert told["family"] == (ask(me, mine.key, id, "family", first=0))
    first = training.merges[0]
    born = ask(me, mine.key, 256)["birth"]
    assert (born["count"], born["replaced"], born["tied"]) == (first.count, first.replaced, first.tied)


def test_a_place_leads_to_where_its_text_can_be_seen() -> None:
    me = Visitor(text="Every one, every two.")
    state = me.state(VocabularyState)
    id = tokviz.reference("gpt2").encode(" every")[0]

    told = ask(me, "gpt2", id)
    assert told["unpublished"] == "The corpus of GPT-2 is not public." and told["where"] == "your text"
    assert told["opens"] == {"page": "tokens", "query": "v=1&use=gpt2"}
    link, faults = decode("v=1&use=gpt2&pin=0.9", TokensLink)
    assert link.page.pinned == Pin(0, 9) and not faults

    state.use_in = "sample.tongue"
    told = ask(me, "gpt2", id)
    assert decode(told["opens"]["query"], TokensLink)[0].text == sample("tongue").text
    assert told["where"] == f"“{sample('tongue').title}”"

    state.use_in, state.use_file = "file", Text("every one", "a.txt", False, 0, "", 9)
    assert ask(me, "gpt2", id)["opens"] is None


def test_tokens_without_merges_and_texts_that_cannot_be_read() -> None:
    me = Visitor(text="She sells sea shells")
    words = peer("WordPiece")
    key = me.add_peer("words", words).key
    for id in {*words.encode(me.text)}:
        told = ask(me, key, id)
        assert (told["kind"], told["birth"], told["family"]["n"]) == ("peer", None, 0)
        assert told["fate"]["made"] == told["fate"]["remain"] == words.encode(me.text).count(id)
        assert told["opens"]["page"] == "tokens"

    short = tokviz.train("so so so", vocab_size=258, pattern="[a-z ]+").tokenizer
    mine = me.add("short", short)
    told = ask(me, mine.key, 256)
    assert told["fate"] is None and told["places"] is None and "does not cover" in told["fault"]
    with pytest.raises(tokviz.TokvizError, match="does not cover"):
        ask(me, mine.key, 256, "places", remaining=True, first=0)

    unknown = ("card", {}), ("family", {"first": 0}), ("places", {"remaining": True, "first": 0})
    for name, fields in unknown:
        with pytest.raises(UnknownIdError):
            ask(me, "gpt2", 99_999_999, name, **fields)
    broken = ("family", {"first": -1}), ("places", {"first": 0}), ("places", {"remaining": 1, "first": 0})
    for name, fields in broken:
        with pytest.raises(Refusal):
            ask(me, "gpt2", 1, name, **fields)


def test_an_added_token_is_told_as_such() -> None:
    me = Visitor(text="a<think>b<think>")
    tok = tokviz.Tokenizer("thinks", [(97, 98)], special_tokens={"<s>": 300}, added_tokens={"<think>": 301})
    told = ask(me, me.add("thinks", tok).key, 301)
    assert (told["kind"], told["birth"]) == ("added", None)
    assert (told["fate"]["made"], told["fate"]["remain"]) == (2, 2)
    assert check_rows(told["places"], b"a<think>b<think>", b"<think>") == [1, 9]
