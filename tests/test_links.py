"""Links: what is said comes back, what is damaged is named, and a page opens by one, once."""

from __future__ import annotations

import base64
import hashlib
import random
import re
import zlib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tests.pages import components, notes, type_on_tokens
from tests.strategies import wild_texts
from tests.waiting import PATIENCE_S
from tokviz.base.text import clean
from tokviz.catalog import saved
from tokviz.catalog.samples import sample, samples
from tokviz.formats.bundled import offered
from tokviz.split.specials import READINGS
from tokviz.training.rules import TIES
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.compare.state import PLACES, CompareState
from tokviz.ui.frame.address import (
    TEXT_BYTES,
    TOKENIZERS_LIMIT,
    Link,
    NoPageLink,
    PageLink,
    decode,
    encode,
    is_link,
    left_out,
    names_of,
)
from tokviz.ui.frame.links import keys_here
from tokviz.ui.replay.link import ReplayLink
from tokviz.ui.server.registry import VISITORS
from tokviz.ui.server.visitor import OWN_SERIES, Mine, Visitor
from tokviz.ui.tokens.link import Pin, TokensLink
from tokviz.ui.train.link import TrainLink
from tokviz.ui.vocabulary.link import VocabularyLink
from tokviz.vocabulary.table import NOT_UTF8

ROOT = Path(__file__).parents[1]
MODEL = tokviz.train("she sells sea shells", 270, name="shells").tokenizer
SHA256 = Mine("", "", "", MODEL).sha256
PARAMETER = re.compile(r"(?:^|&)(\w+)=")
KINDS = (TokensLink, ReplayLink, CompareLink, TrainLink, NoPageLink)
NAMES = sorted({name for kind in KINDS for name in names_of(kind)} - {"sample"})
numbers = st.none() | st.integers(0, 2**31 - 1)
sums = st.binary(max_size=8).map(lambda data: hashlib.sha256(data).hexdigest())
_tokenizers = st.lists(st.sampled_from(offered()) | sums, unique=True, max_size=TOKENIZERS_LIMIT).map(tuple)


def compared(tokenizers: tuple[str, ...], chance: random.Random, **more: Any) -> Link[CompareLink]:
    """A link that says something about some of its tokenizers."""
    two = tuple(chance.sample(tokenizers, 2)) if len(tokenizers) > 1 and chance.random() < 0.5 else None
    return Link(CompareLink(pair=two, **more), tokenizers=tokenizers)


tokens_links = st.builds(
    TokensLink,
    view=st.sampled_from(["", "ids", "table", "ids,chunks"]),
    size=st.none() | st.integers(256, 2**31 - 1),
    pinned=st.none() | st.builds(Pin, st.integers(0, TOKENIZERS_LIMIT - 1), st.integers(0, 2**31 - 1)),
)
replay_links = st.builds(
    ReplayLink, step=numbers, start=numbers, length=st.none() | st.integers(1, 2**31 - 1), presenting=st.booleans()
)
compare_links = st.builds(
    compared,
    _tokenizers,
    st.randoms(use_true_random=False),
    start=numbers,
    region=numbers,
    tab=st.none() | st.sampled_from([*PLACES]),
)
train_links = st.builds(
    TrainLink,
    writes=st.booleans(),
    merges=numbers,
    pattern=st.sampled_from([None, "gpt2", r"\w+|\W", "&=+ %"]),
    tie=st.sampled_from([None, *TIES]),
    least=st.none() | st.integers(1, 2**31 - 1),
    special=st.sampled_from([None, "<s>\n</s>", "नमस्ते"]),
    step=numbers,
)
links = st.builds(
    lambda link, **said: replace(link, **said),
    compare_links | st.builds(Link, tokens_links | replay_links | train_links, tokenizers=_tokenizers),
    text=st.none() | wild_texts.map(clean) | st.sampled_from([one.text for one in samples()]),
    specials=st.sampled_from([None, *READINGS]),
)


def read(query: str | dict[str, str], link: Link[Any]) -> tuple[Link[Any], list[str]]:
    """The query read for the page of this link, and the faults in words."""
    back, faults = decode(query, type(link.page))
    return back, [str(fault) for fault in faults]


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


# -- the codec --


@given(links)
@example(Link(TokensLink(), text="\0" * TEXT_BYTES))
@example(Link(TokensLink(), text="a\r\nb\r"))
@example(Link(TokensLink(), text=""))
def test_what_a_link_says_comes_back(link: Link) -> None:
    assert read(encode(link), link) == (link, [])
    assert read(dict(parse_qsl(encode(link))), link) == (link, [])
    assert left_out(link) == ""


@given(links, st.integers(0, 600))
def test_a_link_that_breaks_off_gives_what_came_through(link: Link, length: int) -> None:
    back, _ = read(encode(link)[:length], link)
    assert back.text is None or link.text is None or link.text.startswith(back.text)
    assert link.tokenizers[: len(back.tokenizers)] == back.tokenizers


@given(links, st.integers(0, 10_000), st.sampled_from("%&=.,-_A0ÿ \0"))
@example(Link(TokensLink(), text="             's'sI'Mit's00\x80\x80123"), 32, "A")
def test_a_damaged_text_is_left_out_or_right(link: Link, place: int, letter: str) -> None:
    query = encode(link)
    start = query.find("packed=")
    if start < 0:
        return
    place = start + len("packed=") + place % max(len(query) - start - len("packed="), 1)
    back, faults = read(query[:place] + letter + query[place + 1 :], link)
    # zlib's sum lets no text pass as whole that is not the text. One that the change keeps from ending seems cut.
    assert back.text in (None, link.text) or any("breaks off" in fault for fault in faults)
    assert faults or back == link


@given(st.dictionaries(st.sampled_from(NAMES), st.text()), st.sampled_from(KINDS))
@example({"pattern": "", "special": ""}, TrainLink)
def test_nonsense_raises_nothing_and_is_named(said: dict[str, str], kind: type[PageLink]) -> None:
    link, faults = decode(said, kind)
    assert decode(encode(link), kind) == (link, [])
    single = {"size", "step", "start", "length", "region", "tab"} & set(kind.NAMES) & set(said)
    lost = [name for name in single if getattr(link.page, name) is None]
    assert len(faults) >= (len(lost) if said.get("v", "1") == "1" else 1)


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("v=2&text=a", "The link is of version “2”; this tokviz reads version 1"),
        ("size=255", "The vocabulary size “255” of the link makes no sense"),
        ("size=١٢٣٤", "The vocabulary size “١٢٣٤” of the link makes no sense"),
        ("step=-1", "The step “-1” of the link makes no sense"),
        ("length=0", "The length of the window “0” of the link makes no sense"),
        ("start=99999999999999999999", "The start of the window “99999999999999999999” of the link makes no sense"),
        ("pin=9.1", "The pinned token “9.1” of the link makes no sense"),
        ("pin=", "The pinned token “” of the link makes no sense"),
        ("region=-1", "The place of the disagreement “-1” of the link makes no sense"),
        ("use=gpt2,o200k_base&out=1", "out of the comparison, which this page cannot do. All of them are compared"),
        ("use=gpt2,o200k_base&pair=0", "The pair “0” of the link makes no sense. Another pair is explained"),
        ("use=gpt2,o200k_base&pair=0,2", "The pair “0,2” of the link makes no sense"),
        ("use=gpt2,o200k_base&pair=<b>", "The pair “<b>” of the link makes no sense"),
        ("tab=vocabulary", "There is no tab “vocabulary” here"),
        ("specials=never", "Special tokens cannot be read as “never”"),
        ("view=<b>", "There is no view “<b>”"),
        ("use=gpt9,,gpt2", "The link names tokenizers that are not here: “gpt9”"),
        ("use=" + ",".join(f"{n:064x}" for n in range(9)), "The first 8 are shown"),
        ("sample=poem", "There is no sample “poem” here"),
        ("packed=****", "The text of the link breaks off"),
        ("packed=" + packed(b"\xff\xfe"), "The text of the link is damaged"),
        ("packed=" + packed(b"x" * (TEXT_BYTES + 1)), "The text of the link is longer than 4,000 bytes"),
        ("packed=" + packed(b"\0" * 10_000_000), "The text of the link is longer than 4,000 bytes"),
        ("text=" + "x" * (TEXT_BYTES + 1), "The text of the link is longer than 4,000 bytes"),
        ("text=" + "x" * 20_000, "The link has more than 16,000 characters"),
        ("&" * 200 + "text=a", "The text of the link breaks off"),
    ],
)
def test_what_makes_no_sense_is_named(query: str, fault: str) -> None:
    parameters = PARAMETER.findall(query)
    told = [decode(query, kind) for kind in KINDS if is_link(parameters, kind)]
    named = [[str(one) for one in faults] for _, faults in told if faults]
    assert named and all(len(faults) == 1 and fault in faults[0] for faults in named)
    assert all(link.text is None for link, _ in told)


@pytest.mark.parametrize(
    ("old", "tab", "fold"),
    [
        ("cost", "Figures", "prices"),
        ("waste", "Figures", "expensive"),
        ("train-and-test", "Files", "trained_on"),
        ("languages", "Languages", ""),
        ("vocabulary-size", "Vocabulary size", ""),
    ],
)
def test_the_name_of_an_old_tab_opens_the_place_of_its_content(old: str, tab: str, fold: str) -> None:
    link, faults = decode(f"use=gpt2&tab={old}", CompareLink)
    assert faults == [] and link.page.tab
    state = CompareState()
    state.show(link.page.tab)
    assert (state.tab, [name for name, is_open in asdict(state.folds).items() if is_open]) == (tab, [fold] * bool(fold))


def test_the_former_name_of_a_script_finds_its_tokens() -> None:
    link, faults = decode("use=gpt2&script=not+whole+UTF-8", VocabularyLink)
    assert (link.page.listed.script, faults) == (NOT_UTF8, [])


def test_one_damaged_part_leaves_the_others() -> None:
    link, faults = decode("v=1&use=gpt9,gpt2&size=x&pin=1.3&packed=eNrLSM3JyQcABiwCFA", TokensLink)
    assert link == Link(TokensLink(pinned=Pin(0, 3)), tokenizers=("gpt2",))
    assert len(faults) == 3


def test_what_is_said_about_an_unknown_tokenizer_is_said_about_no_other() -> None:
    link, faults = decode("use=gpt2,gpt9,o200k_base&pair=0,1&tab=cost", CompareLink)
    assert link == Link(CompareLink(tab="cost"), tokenizers=("gpt2", "o200k_base"))
    assert len(faults) == 1 and "“gpt9”" in str(faults[0])
    compare, _ = decode("use=gpt9,gpt2,o200k_base&pair=2,1", CompareLink)
    assert compare.page.pair == ("o200k_base", "gpt2")
    tokens, _ = decode("use=gpt9,gpt2,o200k_base&pin=2.3", TokensLink)
    assert tokens.page.pinned == Pin(1, 3)


def test_a_long_text_stays_out_unless_it_is_a_sample() -> None:
    long = Link(TokensLink(size=300), text="é" * 2_001)
    assert decode(encode(long), TokensLink)[0] == Link(TokensLink(size=300))
    assert "the text has 4,002 bytes, and a link carries at most 4,000" in left_out(long)
    story = Link(NoPageLink(), text=sample("story").text)
    assert encode(story) == "v=1&sample=story" and left_out(story) == ""


def test_parameters_of_others_are_none_of_ours() -> None:
    assert not is_link({"utm_source": "mail", "embed": "true"}, TokensLink)
    assert decode("utm_source=mail&fbclid=1&text=a", TokensLink) == (Link(TokensLink(), text="a"), [])


def test_a_link_names_a_tokenizer_by_the_sha256_of_its_file(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "m.json")
    assert hashlib.sha256((tmp_path / "m.json").read_bytes()).hexdigest() == SHA256


# -- on a page --


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)


def opened(app: AppTest, query: str) -> AppTest:
    for name, value in parse_qsl(query, keep_blank_values=True):
        app.query_params[name] = value
    return app.run()


def bench(app: AppTest) -> dict[str, Any]:
    return components(app, "workbench")[0]


def shown(app: AppTest) -> list[str]:
    return [block["key"] for block in bench(app)["blocks"]]


def test_tokens_opens_by_a_link_and_takes_it_out_of_the_address(app: AppTest) -> None:
    opened(
        app,
        encode(Link(TokensLink(), "from a link", ("gpt2", "o200k_base"), "special")) + "&utm_source=mail",
    )
    assert (bench(app)["text"], shown(app)) == ("from a link", ["gpt2", "o200k_base"])
    assert bench(app)["specials"] == "special"
    assert app.query_params == {"utm_source": "mail"}
    assert notes(app) == ""


def test_what_is_pinned_is_found_in_the_order_of_the_link(app: AppTest) -> None:
    opened(app, encode(Link(TokensLink("ids", 400, Pin(0, 3)), tokenizers=("o200k_base", "gpt2"))))
    assert shown(app) == ["o200k_base", "gpt2"]
    assert bench(app)["opened"] == {"view": "ids", "size": 400, "pinned": [0, 3], "linked": True}


@pytest.mark.parametrize("query", ["use=gpt2,o200k_base&model=gpt-5,gpt-4,gpt-4o", "use=gpt2&model=gpt-5,gpt-4o,gpt-4"])
def test_a_link_names_the_models(app: AppTest, query: str) -> None:
    opened(app, query)
    assert [head["title"] for head in bench(app)["heads"]] == ["GPT-2", "GPT-5", "GPT-4o", "GPT-4"]
    assert bench(app)["link"]["query"] == "v=1&use=gpt2,o200k_base,cl100k_base&model=gpt2,gpt-5,gpt-4o,gpt-4"


def test_a_model_that_a_link_names_and_that_is_not_here_is_said(app: AppTest) -> None:
    opened(app, "model=gpt-9,<b>,claude-opus-5-5,gpt-4")
    assert [head["title"] for head in bench(app)["heads"]] == ["GPT-4"]
    for name in ("gpt-9", "<b>", "claude-opus-5-5"):
        assert f"The link names the model “{name}”." in notes(app)


def test_what_is_pinned_under_a_tokenizer_that_is_not_here_is_not(app: AppTest) -> None:
    opened(app, encode(Link(TokensLink(pinned=Pin(0, 3)), tokenizers=(SHA256, "gpt2"))))
    assert bench(app)["opened"] == {"view": "", "size": None, "pinned": None, "linked": False}


def test_what_a_link_from_here_begins_with(app: AppTest) -> None:
    saved.save(MODEL, "shells")
    opened(app, encode(Link(TokensLink(), tokenizers=(SHA256, "gpt2"))))
    began = {"query": f"v=1&use={SHA256},gpt2", "sample": "mixed", "limit": TEXT_BYTES}
    assert bench(app)["link"] == began
    assert type_on_tokens(app, "my own") and bench(app)["link"] == began | {"sample": None}


def test_a_link_is_applied_once_and_the_own_text_is_kept(app: AppTest) -> None:
    type_on_tokens(app.run(), "my own")
    query = encode(Link(TokensLink(), text="from a link"))
    opened(app, query)
    assert (bench(app)["text"], bench(app)["back"]) == ("from a link", True)
    type_on_tokens(app, "typed after it")
    opened(app, query)  # the browser's Back leads to the address again
    assert bench(app)["text"] == "typed after it"
    assert not app.query_params


def test_a_damaged_link_opens_the_page_and_says_what_is_wrong(app: AppTest) -> None:
    opened(app, "v=1&use=gpt2,<b>x</b>&packed=!!")
    assert shown(app) == ["gpt2"]
    assert bench(app)["text"] == sample("mixed").text
    assert "The link names tokenizers that are not here: “<b>x</b>”." in notes(app)
    assert "The text of the link breaks off or is damaged." in notes(app)
    assert "breaks off" in notes(app.run()), "it stands until another page is opened"


def test_an_own_tokenizer_is_found_by_its_sum(app: AppTest) -> None:
    name = saved.save(MODEL, "shells")
    opened(app, encode(Link(TokensLink(), tokenizers=("gpt2", SHA256))))
    assert [block["name"] for block in bench(app)["blocks"]] == ["GPT-2", name]
    app.query_params.clear()
    opened(app, encode(Link(TokensLink(), text="again", tokenizers=(SHA256,))))
    assert [block["name"] for block in bench(app)["blocks"]] == [name], "it is open already"


def test_an_own_tokenizer_that_is_not_here_is_said(app: AppTest) -> None:
    opened(app, encode(Link(TokensLink(), text="a text", tokenizers=(SHA256,))))
    assert f"The sha256 of its file begins with {SHA256[:12]}." in notes(app)
    assert (bench(app)["text"], shown(app)) == ("a text", ["o200k_base"])


def test_one_for_which_there_is_no_room_is_said(app: AppTest) -> None:
    models = [tokviz.train("ab" * n, 257, name=f"no. {n}").tokenizer for n in range(2, len(OWN_SERIES) + 3)]
    for model in models:
        saved.save(model, model.name)
    opened(
        app,
        encode(Link(TokensLink(), tokenizers=tuple(Mine("", "", "", model).sha256 for model in models))),
    )
    assert len(bench(app)["blocks"]) == len(OWN_SERIES)
    assert "A tokenizer of the link could not be opened." in notes(app)


# -- tokenizers that are only in the library --


@pytest.mark.right
def test_links_read_each_file_of_the_library_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    for n in range(3):
        saved.save(MODEL, f"no. {n}")
    (tmp_path / "broken.json").mkdir()
    read: list[str] = []
    data = saved._data
    monkeypatch.setattr(saved, "_data", lambda name: (read.append(name), data(name))[1])
    unknown = [hashlib.sha256(bytes([n])).hexdigest() for n in range(TOKENIZERS_LIMIT)]
    for _ in range(2):
        assert keys_here(Visitor(), unknown)[0] == {}
    assert sorted(read) == ["broken", "no. 0", "no. 1", "no. 2"]
    saved.delete("no. 1")
    saved.save(MODEL.with_special_tokens({"<s>": 300}), "no. 1")
    there = hashlib.sha256((tmp_path / "no. 1.json").read_bytes()).hexdigest()
    assert saved.name_of_sum(there) == "no. 1", "a file that was changed is read again"


@pytest.mark.right
def test_a_link_opens_no_tokenizer_without_room_for_it_and_under_no_name_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKVIZ_SAVED", str(tmp_path))
    saved.save(MODEL, "shells")
    person = Visitor()
    person.add("shells", MODEL.truncated(260))
    sum_of = hashlib.sha256((tmp_path / "shells.json").read_bytes()).hexdigest()
    with monkeypatch.context() as full:
        full.setattr(VISITORS, "limit_each", 1_000)
        here, [fault] = keys_here(person, [sum_of])
        assert not here and "shells cannot be kept." in str(fault)
    here, faults = keys_here(person, [sum_of])
    assert not faults and [one.name for one in person.trained] == ["shells", "shells (2)"]
    assert keys_here(person, [sum_of])[0] == here, "it is opened once"
