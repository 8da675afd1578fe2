"""The Compare page under AppTest: what is asked of a place, that a place is kept and linked to, and bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tests.asking import ask as ask_question
from tests.pages import app, ask, at, components, me, notes, open_files, open_saved, type_on_compare, without_charts
from tests.waiting import PATIENCE_S
from tokviz.base.errors import InputError
from tokviz.base.sentences import plain
from tokviz.catalog import saved
from tokviz.catalog.samples import sample
from tokviz.comparison.reason_sentences import cause
from tokviz.formats.tokviz import dump
from tokviz.ui.compare.link import CompareLink
from tokviz.ui.frame.address import Link, encode
from tokviz.ui.tokenview.questions import sum_of

__all__ = ["app"]

ROOT = Path(__file__).parents[1]
THREE = ["gpt2", "cl100k_base", "o200k_base"]
MODELS = ["gpt2", "gpt-4", "gpt-4o"]
MARKED = "In 2008 <|endoftext|>don't<|fim_prefix|> stop “naïve” नमस्ते"


def bench(app: AppTest) -> dict[str, Any]:
    (data,) = components(app, "compare")
    return data


def keys(app: AppTest) -> list[str]:
    return [block["key"] for block in bench(app)["blocks"]]


def words(told: list[Any]) -> str:
    return "".join(part if isinstance(part, str) else part.get("code", part.get("token")) for part in told)


@pytest.mark.parametrize("reading", ["text", "special"])
def test_what_is_told_of_each_place_is_what_the_library_finds_there(app: AppTest, reading: str) -> None:
    type_on_compare(without_charts(app), MARKED)
    me(app).specials = reading  # type: ignore[assignment]
    toks = [tokviz.reference(key) for key in THREE]
    compared = tokviz.compare(MARKED, toks, allowed_special="all" if reading == "special" else ())
    assert len(compared.regions) > 5
    for start, stop in compared.regions:
        fields = {"keys": THREE, "sum": sum_of(MARKED), "start": start, "stop": stop}
        told = ask_question(me(app), "compare.why", **fields)["differences"]
        found = compared.differences(start, stop)
        assert [(one["a"], one["b"], one["start"], one["end"], one["pieces"]) for one in told] == [
            (one.a, one.b, one.start, one.end, len(one.cuts) + 1) for one in found
        ]
        for one, expected in zip(told, found, strict=True):
            causes = [cause(reason, expected, toks[expected.b], toks[expected.a]) for reason in expected.reasons]
            said = [plain(part.hex() if isinstance(part, bytes) else part for part in parts) for parts in causes]
            assert [words(each).lower() for each in one["causes"]] == [each.lower() for each in said]


@pytest.mark.parametrize(
    "wrong", [{"sum": 1}, {"keys": ["gpt9"]}, {"keys": []}, {"start": -1}, {"stop": 10**6}, {"start": 5, "stop": 5}]
)
def test_a_question_that_makes_no_sense_is_refused(app: AppTest, wrong: dict[str, Any]) -> None:
    type_on_compare(without_charts(app), MARKED)
    with pytest.raises(InputError):
        ask_question(me(app), "compare.why", **{"keys": THREE, "sum": sum_of(MARKED), "start": 3, "stop": 7, **wrong})


# -- where one is, is kept --


def reloaded(app: AppTest) -> AppTest:
    """A new session of the same visitor."""
    new = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)
    new.session_state["tokviz.visitor"] = app.session_state["tokviz.visitor"]
    return at(new.run(), "compare")


def test_a_reload_keeps_the_place_until_the_text_is_another(app: AppTest) -> None:
    type_on_compare(without_charts(app), MARKED)
    ask_question(me(app), "compare.why", keys=THREE, sum=sum_of(MARKED), start=21, stop=26)
    assert bench(reloaded(app))["opened"]["region"] == 21
    type_on_compare(app, "other words, 2008")
    assert bench(reloaded(app))["opened"]["region"] is None


def test_a_look_at_another_page_keeps_the_place(app: AppTest) -> None:
    type_on_compare(without_charts(app), MARKED)
    ask_question(me(app), "compare.why", keys=THREE, sum=sum_of(MARKED), start=21, stop=26)
    at(app, "learn")
    assert bench(at(without_charts(app), "compare"))["opened"]["region"] == 21


def test_a_rerun_sends_nothing_new_and_what_is_chosen_is_shown(app: AppTest) -> None:
    before = bench(at(without_charts(app), "compare"))
    assert bench(app.run()) == before
    assert ([head["name"] for head in before["heads"]], keys(app)) == (MODELS, THREE)
    ask(app, "compare.bench", what="chosen", name="gpt-5,gpt-4o,gpt2")
    assert ([head["title"] for head in bench(app)["heads"]], keys(app)) == (
        ["GPT-5", "GPT-4o", "GPT-2"],
        ["o200k_base", "gpt2"],
    )


# -- links --


def opened(query: str) -> AppTest:
    """Another visitor who comes by a link."""
    new = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)
    new = without_charts(new.run()).switch_page("pages/compare.py")
    for name, value in parse_qsl(query, keep_blank_values=True):
        new.query_params[name] = value
    return new.run()


def test_a_link_opens_the_page_as_it_stands(app: AppTest) -> None:
    saved.save(tokviz.train(sample("story").text, 300, special_tokens=["2008"], name="own").tokenizer, "own")
    open_saved(app, "own")
    type_on_compare(without_charts(app), MARKED)
    ask(app, "compare.bench", what="chosen", name="mine1,gpt-4,gpt-5")
    query = f"{bench(app)['link']['query']}&specials=special&region=21&pair=0,1&tab=files"  # as the browser does
    new = opened(f"{query}&text=In+2008+%3C%7Cendoftext%7C%3Edon%27t")
    assert notes(new) == ""
    data = bench(new)
    assert [head["title"] for head in data["heads"]] == ["own", "GPT-4", "GPT-5"]
    assert data["opened"] | {"view": ""} == data["opened"]
    own = me(new).trained[0].key
    assert (data["opened"]["region"], data["opened"]["pair"]) == (21, [own, "cl100k_base"])
    assert (data["specials"], me(new).specials, data["text"]) == ("special", "special", "In 2008 <|endoftext|>don't")
    assert not new.query_params


def test_a_second_link_with_the_same_text_leads_to_its_own_place(app: AppTest) -> None:
    at(without_charts(app), "compare")
    for region in ("10", "24"):
        app.query_params.update({"v": "1", "text": MARKED, "region": region})
        assert bench(app.run())["opened"]["region"] == int(region)


@pytest.mark.parametrize(
    ("more", "region", "said"),
    [
        ("&start=3", 3, ""),
        ("&start=1&region=4&pair=1,0", 4, ""),
        ("&region=70", 0, "The place of the link, byte 70, is not in the text"),
        ("&start=7", 0, "The place of the link, byte 7, is not in the text"),
        ("&out=0", 0, "All of them are compared; choose fewer above."),
        ("&tab=report", 0, "There is no tab “report” here"),
        ("&tab=x&pair=0,9", 0, "The pair “0,9” of the link makes no sense"),
    ],
)
def test_an_old_or_damaged_link_shows_what_could_be_read(more: str, region: int, said: str) -> None:
    new = opened("v=1&use=gpt2,cl100k_base&text=In+2008" + more)
    assert said in notes(new) and (said or not notes(new))
    assert (bench(new)["text"], keys(new), bench(new)["opened"]["region"]) == ("In 2008", THREE[:2], region)
    assert not new.exception


def test_a_link_names_models_where_they_are_not_the_known_ones() -> None:
    assert "model" not in encode(Link(CompareLink(), tokenizers=("gpt2",)))
    new = opened(encode(Link(CompareLink(models=("gpt-5",)), text="one", tokenizers=("gpt2", "o200k_base"))))
    assert [head["title"] for head in bench(new)["heads"]] == ["GPT-2", "GPT-5"]


# -- bad input: each says so, and keeps the rest --


def test_a_pattern_that_cannot_cut_the_text_is_said_in_its_block(app: AppTest) -> None:
    model = tokviz.train("one two", 258, pattern=r"\w+| ", name="words").tokenizer
    open_files(app, ("words.json", dump(model)))
    type_on_compare(without_charts(app), "one-two")
    (error,) = [block["error"] for block in bench(app)["blocks"] if block["error"]]
    assert "does not cover the text" in error and keys(app)[1:] == THREE
    type_on_compare(app, "one two")
    assert not [block for block in bench(app)["blocks"] if block["error"]]
