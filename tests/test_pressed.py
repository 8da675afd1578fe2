"""What a button takes: what is typed last, and what its own tab shows, not what another tab or the last drawing had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import pytest
import streamlit
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from tests.pages import (
    ROOT,
    SHORT,
    app,
    at,
    button,
    components,
    field,
    leave_field,
    me,
    notes,
    take_sample,
    train,
    type_in,
    type_on_compare,
    type_on_tokens,
    typed_in,
    upload,
    what_if_on_replay,
)
from tests.pages import ask as tell
from tests.test_class_page import choose as choose_kind
from tests.test_class_page import opened as open_room
from tests.test_library_one import TOK
from tests.test_tokens_page import bench, ids_of, unfold
from tests.test_what_if_page import ask, train_again
from tests.waiting import PATIENCE_S
from tokviz.catalog import saved
from tokviz.formats import dump
from tokviz.ui.library.entries import key_of_saved
from tokviz.ui.replay.state import ReplayState
from tokviz.ui.server import registry
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.visitor import Visitor

__all__ = ["app"]

pytestmark = pytest.mark.right


def open_special_tokens(app: AppTest) -> AppTest:
    saved.save(TOK, "tongue")
    app.query_params["open"] = key_of_saved("tongue")
    return at(app, "library")


SPECIAL = f"library.special.{key_of_saved('tongue')}"


# In each of these, the field is left by the press on the button, so that both come to the server together.


def test_save_as_takes_the_name_that_was_typed_last(app: AppTest) -> None:
    train(take_sample(at(app, "train"), "tongue"))
    leave_field(app, f"train.name.{me(app).current}", "my new name")
    button(app, "Save").click().run()
    assert saved.names() == ["my new name"]


def test_a_class_question_takes_the_answer_that_was_typed_last(app: AppTest) -> None:
    room = open_room(app)
    choose_kind(app, "own")
    for key, text in (("title", "Is it so?"), ("answer.a", "Yes"), ("answer.b", "No")):
        type_in(app, f"class.{key}", text)
    leave_field(app, "class.answer.c", "Sometimes")
    button(app, "Add the question").click().run()
    assert [option.text for option in room.plan[-1].options] == ["Yes", "No", "Sometimes"]


def test_a_change_of_special_tokens_takes_the_text_that_was_typed_last(app: AppTest) -> None:
    open_special_tokens(app)
    type_in(app, SPECIAL, "<|draft|> 300")
    leave_field(app, SPECIAL, "<|final|> 300")
    button(app, "**Save the change**").click().run()
    assert dict(me(app).trained[0].tokenizer.special_tokens) == {"<|final|>": 300}


def test_a_change_of_special_tokens_with_a_fault_typed_last_is_not_saved(app: AppTest) -> None:
    open_special_tokens(app)
    type_in(app, SPECIAL, "<|draft|> 300")
    leave_field(app, SPECIAL, "<|draft|> no-number")
    button(app, "**Save the change**").click().run()
    assert not me(app).trained and typed_in(app, SPECIAL) == "<|draft|> no-number"


def test_ids_go_up_as_they_were_typed_last(app: AppTest) -> None:
    ids_of(app, "995", "gpt2")
    leave_field(app, "tokens.ids.text", "15496 11 995")
    app.button(key="tokens.ids.take").click().run()
    assert bench(app)["text"] == "Hello, world"


def test_a_what_if_takes_the_line_that_was_typed_last(app: AppTest) -> None:
    ask(what_if_on_replay(app), "line")
    type_in(app, "what_if.line", "one")
    leave_field(app, "what_if.times", "777")
    train_again(app)
    result = me(app).state(ReplayState).result
    assert result and "777" in result.rule


# -- no button carries what was in a field when it was drawn --

TYPED, NUMBER = "qxz", 4177  # in no page before


def held_in(thing: object) -> Iterator[object]:
    """What a value holds that nobody can change after a drawing."""
    yield thing
    inside: Any = ()
    if isinstance(thing, partial):
        inside = [*thing.args, *thing.keywords.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        inside = thing
    elif is_dataclass(thing) and thing.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        inside = [getattr(thing, one.name) for one in fields(thing)]
    elif getattr(thing, "__closure__", None):
        inside = [cell.cell_contents for cell in thing.__closure__]  # type: ignore[attr-defined]
    for part in inside:
        yield from held_in(part)


def fill(app: AppTest) -> AppTest:
    """Type into all fields of the page."""
    for data in components(app, "field"):
        leave_field(app, data["key"], str(NUMBER) if data.get("step") else TYPED)
    return app.run()


def saving(app: AppTest) -> None:
    train(take_sample(at(app, "train"), "tongue"))


def own_pattern(app: AppTest) -> None:
    field(at(app, "train"), "selectbox", "train.settings.pattern").set_value("custom").run()


def own_question(app: AppTest) -> None:
    open_room(app)
    choose_kind(app, "own")


def predictions(app: AppTest) -> None:
    open_room(app)


def chats(app: AppTest) -> None:
    unfold(app, "tokens.chat")


def ids(app: AppTest) -> None:
    ids_of(app, "995", "gpt2")


def a_line(app: AppTest) -> None:
    ask(what_if_on_replay(app), "line")


def a_pattern(app: AppTest) -> None:
    ask(what_if_on_replay(app), "pattern")
    app.selectbox(key="what_if.pattern").set_value("custom").run()


def a_file_that_asks(app: AppTest) -> None:
    upload(at(app, "library"), ("x.tiktoken", next(iter(dump(TOK, "tiktoken").values()))))
    next(box for box in app.selectbox if box.label == "Split pattern").set_value("custom").run()


OPENED: list[Callable[[AppTest], object]] = [
    saving,
    own_pattern,
    own_question,
    predictions,
    open_special_tokens,
    chats,
    ids,
    a_line,
    a_pattern,
    a_file_that_asks,
]


@pytest.mark.parametrize("opened", OPENED, ids=lambda opened: opened.__name__)
def test_no_button_holds_what_a_field_had(
    app: AppTest, opened: Callable[[AppTest], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(app)
    drawn: list[tuple[str, object]] = []

    def watch(name: str) -> Any:
        draw = getattr(DeltaGenerator, name)

        def button(self: DeltaGenerator, label: str, *args: Any, **given: Any) -> Any:
            drawn.append((label, [given.get("on_click"), *(given.get("args") or ())]))
            return draw(self, label, *args, **given)

        monkeypatch.setattr(DeltaGenerator, name, button)
        monkeypatch.setattr(streamlit, name, getattr(streamlit._main, name))

    watch("button")
    watch("download_button")
    assert fill(app).button
    assert drawn and not app.exception
    for label, given in drawn:
        for value in held_in(given):
            assert not isinstance(value, str | bytes) or TYPED not in str(value), f"{label}: {value!r}"
            assert not isinstance(value, int) or value != NUMBER, f"{label}: {value!r}"


# -- two tabs --


@pytest.fixture
def tabs(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> tuple[AppTest, AppTest, Visitor]:
    """Two tabs of one visitor."""
    key = new_key()
    monkeypatch.setattr(registry, "_key", lambda: key)
    one, other = (AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S).run() for _ in range(2))
    return one, other, registry.VISITORS.of(key)


def test_train_takes_the_settings_that_its_own_tab_shows(tabs: tuple[AppTest, AppTest, Visitor]) -> None:
    one, other, person = tabs
    take_sample(at(one, "train"), "tongue")
    type_in(one, "train.settings.vocab_size", "300")
    type_in(at(other, "train"), "train.settings.vocab_size", "290")
    train(one)
    assert person.trained[0].tokenizer.n_vocab == 300


def test_train_takes_no_corpus_that_its_own_tab_does_not_show(tabs: tuple[AppTest, AppTest, Visitor]) -> None:
    one, other, person = tabs
    upload(at(one, "train"), ("one.txt", SHORT.encode()))
    upload(at(other, "train"), ("other.txt", b"something else"))
    train(one)
    assert not person.trained and "The corpus has changed." in notes(one)


def test_a_text_that_another_tab_wrote_over_can_be_gone_back_to(tabs: tuple[AppTest, AppTest, Visitor]) -> None:
    one, other, person = tabs
    type_on_tokens(other, "a long text in the second tab")
    type_on_tokens(one, "a letter in the first")
    assert bench(one)["back"] == 1
    assert (bench(other.run())["text"], bench(other)["back"]) == ("a letter in the first", 1)
    type_on_tokens(other, "a letter in the first, and more")
    assert person.own_texts == ["a long text in the second tab"], "what is seen may be written over"
    assert bench(tell(other, what="back"))["text"] == "a long text in the second tab"


def test_a_text_that_was_written_over_on_compare_can_be_gone_back_to(tabs: tuple[AppTest, AppTest, Visitor]) -> None:
    one, other, person = tabs
    type_on_compare(one, "one")
    type_on_compare(one, "one and more")
    type_on_tokens(other, "a long text in the second tab")
    tell(one, "compare.bench", what="typed", text="one and a letter")
    assert person.text == "one and a letter" and person.own_texts[-1] == "a long text in the second tab"
