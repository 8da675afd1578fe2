"""What the token list of the Vocabulary page is told: sentences, bars, rows, CSV and links, as the browser asks."""

from __future__ import annotations

import csv
import gc
import io
import re
import weakref
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests import asking
from tests.pages import app as app
from tests.pages import at, components, field, me, notes
from tests.peers_cases import peer
from tokviz.base.errors import InputError
from tokviz.ui.frame.address import decode
from tokviz.ui.server.connection import Refusal
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.link import VocabularyLink
from tokviz.ui.vocabulary.questions import Kept
from tokviz.ui.vocabulary.state import ListChoice, VocabularyState

EVERY = "Every one, everybody: =1+1 <b>every</b>"


def ask(me: Visitor, choice: ListChoice, name: str = "list", kept: dict[type, Any] | None = None, **fields: Any) -> Any:
    return asking.ask(me, f"vocabulary.{name}", kept, **about(choice, **fields))


def about(choice: ListChoice, **fields: Any) -> dict[str, Any]:
    """The fields of a question about a list of o200k_base."""
    said = {field: value for field, value in asdict(choice).items() if field != "token"}
    return {"of": "o200k_base", "choice": said, "token": None} | fields


def test_a_search_is_told_in_a_sentence_with_its_bars_and_rows() -> None:
    visitor, choice, kept = Visitor(text=EVERY), ListChoice("every"), dict[type, Any]()
    said = ask(visitor, choice, token=1753, kept=kept)
    tok = tokviz.reference("o200k_base")
    ids = [id for id, token in sorted(tok.vocab.items()) if "every" in token.decode("utf-8", "replace").casefold()]
    assert said["said"] == [f"{len(ids)} of 199,998 tokens", "hold “every” in any case"]
    assert (said["listed"], said["at"], said["fault"]) == (len(ids), ids.index(1753), "")
    assert sum(said["lengths"]) == sum(said["scripts"]) == len(ids)
    assert sum(said["frame"]["lengths"]) == sum(bar["n"] for bar in said["frame"]["scripts"]) == 200_000
    assert said["frame"]["length_title"] == "Of all tokens, 6 bytes is the most common length"
    assert said["frame"]["script_title"] == "Of all tokens, 67.4\u00a0% are Latin"
    assert said["rows"]["ids"] == ids
    assert visitor.state(VocabularyState).listed == choice

    rows = ask(visitor, choice, "rows", start=3, count=4, kept=kept)
    assert rows["ids"] == ids[3:7]
    assert [bytes.fromhex(token) for token in rows["tokens"]] == [tok.vocab[id] for id in ids[3:7]]
    assert ask(visitor, choice, "rows", start=3, count=4) == rows  # on a new connection
    assert ask(visitor, choice, "rows", start=10**9, count=2**31 - 1, kept=kept)["ids"] == []

    filtered = ask(visitor, replace(choice, length=17, script="other scripts", use="unused"))
    assert filtered["said"] == ["0 of 199,998 tokens", "hold “every” in any case and pass the filters"]
    none = "No token holds “every” and passes the filters. Remove a filter."
    assert filtered["none"] == {"said": none, "tokens": []}
    assert ask(visitor, ListChoice("999999", by="id"))["none"]["said"] == "No token has one of these ids."
    nothing = ask(visitor, ListChoice("xyzq", sort="use"))["none"]
    assert nothing["said"].startswith("No token holds “xyzq”. The search looks for letters, not meanings")
    assert b"".join(bytes.fromhex(token) for token in nothing["tokens"]) == b"xyzq"
    special = ask(visitor, ListChoice(kind="special"))
    assert special["said"] == ["2 of 199,998 tokens", "pass the filters"]
    assert ask(visitor, ListChoice())["said"] == ["199,998 tokens, 2 special", ""]
    assert special["rows"]["special"] == [True, True] and special["rows"]["ranks"] == [-1, -1]


def test_what_cannot_be_read_leaves_the_last_list() -> None:
    visitor, kept = Visitor(), dict[type, Any]()
    choice = ListChoice(r"^ [A-Z]\d", by="pattern")
    said = ask(visitor, choice, kept=kept)
    assert said["said"] == [f"{said['listed']} of 199,998 tokens", "match the pattern"]

    wrong = replace(choice, search="(a")
    with pytest.raises(InputError, match="The pattern does not compile at character 3: missing"):
        ask(visitor, wrong, kept=kept)
    assert visitor.state(VocabularyState).listed == wrong  # what was typed is kept
    assert ask(visitor, choice, "rows", start=0, count=2, kept=kept)["ids"] == said["rows"]["ids"][:2]
    at_first = ask(visitor, wrong)  # a link can begin with a pattern that does not compile
    assert at_first["listed"] == 200_000 and at_first["wrong"].startswith("The pattern does not compile")
    with pytest.raises(InputError, match="A search can have 500 characters"):
        ask(visitor, ListChoice("x" * 501), kept=kept)


def test_the_csv_has_all_that_is_listed_and_no_formula() -> None:
    visitor = Visitor(text=EVERY)
    choice = ListChoice("=", sort="length", down=True)
    lines = [*csv.reader(io.StringIO(ask(visitor, choice, "csv")["csv"]))]
    tok = tokviz.reference("o200k_base")
    ids = [id for id, token in tok.vocab.items() if b"=" in token]
    assert lines[0] == ["id", "rank", "token", "bytes", "length", "kind", "script", "use in your text"]
    assert sorted(int(line[0]) for line in lines[1:]) == sorted(ids)
    assert all(line[2][0] not in "=+-@\t\r" and bytes.fromhex(line[3]) == tok.vocab[int(line[0])] for line in lines[1:])
    assert [int(line[4]) for line in lines[1:]] == sorted((int(line[4]) for line in lines[1:]), reverse=True)
    assert next(line for line in lines if line[3] == "3D")[1] == ""  # no merge made a byte


def test_a_link_to_the_list_says_all_of_it(app: AppTest) -> None:
    choice = ListChoice("20 65", "bytes", "word start", 17, "Latin", "used", "unused", "use", True, 1753)
    said = ask(me(app), choice, "link", token=1753)["query"]
    link, faults = decode(said, VocabularyLink)
    assert not faults and replace(link.page.listed, token=link.page.token) == choice
    _, faults = decode(f"{said}x&by=colour&kind=odd&length=-3", VocabularyLink)
    assert len(faults) == 3

    app.query_params.update(parse_qsl(said))
    (data,) = components(at(app, "vocabulary"), "token_list")
    assert (data["of"], data["token"]) == ("o200k_base", 1753)
    assert data["choice"] == {name: value for name, value in asdict(choice).items() if name != "token"}
    assert "◆ GPT-4o, o200k_base" in field(app, "selectbox", "vocabulary.of").options
    field(app, "selectbox", "vocabulary.of").set_value("gpt2").run()
    (data,) = components(app, "token_list")
    assert data["of"] == "gpt2" and data["choice"]["search"] == "" and data["token"] is None


def test_a_link_to_a_set_names_the_other_tokenizer_and_not_its_key(app: AppTest) -> None:
    visitor, other = me(app), tokviz.train("so so so", vocab_size=258).tokenizer
    key, sha256 = visitor.add("so", other).key, visitor.trained[0].sha256
    choice = ListChoice(odd=f"not-in:{key}")
    said = ask(visitor, choice, "link")["query"]
    assert key not in said

    visitor.drop(key)
    app.query_params.update(parse_qsl(f"{said}&token=7"))
    (data,) = components(at(app, "vocabulary"), "token_list")
    assert (data["of"], data["choice"]["odd"], data["token"]) == ("o200k_base", "", 7)
    assert sha256[:12] in notes(app)

    key = visitor.add("another", tokviz.train("oh oh oh", vocab_size=258).tokenizer).key
    again = visitor.add("so", other).key  # its key is another one, too
    app.query_params.update(parse_qsl(said))
    (data,) = components(at(app, "vocabulary"), "token_list")
    assert (data["of"], data["choice"]["odd"]) == ("o200k_base", f"not-in:{again}")

    visitor.drop(again)
    app.query_params.update(parse_qsl(f"v=1&use={sha256},gpt2&token=9"))
    (data,) = components(at(app, "vocabulary"), "token_list")
    assert (data["of"], data["token"]) == ("o200k_base", None)  # the id is one of the tokenizer that is not here


def test_what_is_asked_of_another_tokenizer_than_the_chosen_one_is_not_kept() -> None:
    visitor = Visitor()
    visitor.state(VocabularyState).of = "gpt2"  # chosen in another tab
    assert ask(visitor, ListChoice("every"))["listed"] > 1
    assert asking.ask(visitor, "vocabulary.card", of="o200k_base", id=150_000, pinned=True)["id"] == 150_000
    assert visitor.state(VocabularyState).listed == ListChoice()


def test_rows_and_csv_of_a_pattern_are_whole_on_a_new_connection() -> None:
    visitor, choice = Visitor(), ListChoice(r"^ [A-Z]\d", by="pattern", sort="text", down=True)
    tok = tokviz.reference("o200k_base")
    matching = {id: token for id, token in tok.vocab.items() if re.match(rb" [A-Z][0-9]", token)}
    expected = sorted(sorted(matching), key=lambda id: matching[id].lower(), reverse=True)
    assert ask(visitor, choice, "rows", start=1, count=9)["ids"] == expected[1:10]
    lines = [*csv.reader(io.StringIO(ask(visitor, choice, "csv")["csv"]))]
    assert [int(line[0]) for line in lines[1:]] == expected


def test_a_listing_keeps_no_text_and_no_training() -> None:
    training = tokviz.train("so so so", vocab_size=258)
    visitor, kept = Visitor(), dict[type, Any]()
    key = visitor.add("so", training.tokenizer, training).key
    ask(visitor, ListChoice(), kept=kept, of=key)
    gone = weakref.ref(training)
    visitor.drop(key)
    del training
    gc.collect()
    assert gone() is None and kept[Kept].listing is not None


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("nothing", about(ListChoice())),
        ("list", {"of": "gpt2"}),
        ("list", {"of": "gpt2", "choice": {"search": 3}, "token": None}),
        ("rows", about(ListChoice(), start=0, count=-1)),
        ("rows", about(ListChoice(), start=10**30, count=1)),
        ("list", about(ListChoice(), token=-1)),
        ("card", {"of": "gpt2", "id": 2**31, "pinned": True}),
        ("family", {"of": "gpt2", "id": 3, "first": -1}),
        ("list", about(replace(ListChoice(), by="colour"))),  # type: ignore[arg-type]
        ("list", about(replace(ListChoice(), sort="colour"))),  # type: ignore[arg-type]
    ],
)
def test_what_no_browser_asks_is_refused(name: str, fields: dict[str, Any]) -> None:
    with pytest.raises(Refusal):
        asking.ask(Visitor(), f"vocabulary.{name}", **fields)


def test_a_peer_is_listed_and_a_tokenizer_that_is_gone_is_named() -> None:
    visitor = Visitor(text="She sells sea shells")
    key = visitor.add_peer("words", peer("WordPiece")).key
    said = ask(visitor, ListChoice(sort="use", down=True), of=key)
    assert said["listed"] == len(peer("WordPiece").vocab)
    assert max(said["rows"]["uses"]) == said["rows"]["uses"][0] == said["most"] > 0
    sea = ListChoice("sea ☃ zzz", sort="use", down=True)
    tokens = ask(visitor, sea, of=key)["none"]["tokens"]
    assert len(tokens) == len(peer("WordPiece").encode("sea ☃ zzz"))  # spaces between them are no tokens
    visitor.drop(key)
    with pytest.raises(InputError, match="no longer here"):
        ask(visitor, sea, of=key)
