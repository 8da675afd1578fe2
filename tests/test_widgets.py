"""Widgets bound to fields of a visitor: they open on the field, write to it, and outlive a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.waiting import PATIENCE_S
from tokviz.ui.server import registry
from tokviz.ui.server.cookie import new_key
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.train.state import TrainState

TWO_PAGES = """
import streamlit as st
from tokviz.ui.frame.widgets import bind
from tokviz.ui.tokens.state import TokensState
from tokviz.ui.train.state import TrainState
from tokviz.ui.server.registry import start_over, visitor

def one():
    st.text_area("Text", **bind("one.text", "text"))
    st.number_input("Size", min_value=256, max_value=5000, **bind("one.size", "settings.vocab_size", TrainState))
    st.multiselect("Shown", ["gpt2", "cl100k_base", "o200k_base"], **bind("one.chosen", "chosen", TokensState))
    st.selectbox("Ties", ["first", "lowest", "hf"], **bind("one.tie", "settings.tie", TrainState))
    st.button("Sample", on_click=lambda: setattr(visitor(), "text", "a sample"))
    st.button("Start over", on_click=start_over)

def two():
    st.text_input("Text again", **bind("two.text", "text"))

pages = [st.Page(one, url_path="one", default=True), st.Page(two, url_path="two")]
page = st.navigation(pages)
st.session_state["go"] = st.radio("Go", ["one", "two"], key="where")
{"one": one, "two": two}[st.session_state["where"]]()
"""


@pytest.fixture
def app(tmp_path: Path) -> AppTest:
    script = tmp_path / "script.py"
    script.write_text(TWO_PAGES)
    return AppTest.from_file(str(script), default_timeout=PATIENCE_S).run()


def go(app: AppTest, page: str) -> AppTest:
    app = app.radio(key="where").set_value(page).run()
    assert not app.exception
    return app


def test_a_bound_widget_opens_on_the_field_and_writes_to_it(app: AppTest) -> None:
    assert not app.exception
    person: Visitor = app.session_state["tokviz.visitor"]
    assert app.text_area(key="one.text").value == person.text
    assert app.number_input(key="one.size").value == 1024
    app.text_area(key="one.text").set_value("typed").run()
    app.number_input(key="one.size").set_value(512).run()
    app.multiselect(key="one.chosen").set_value(["gpt2", "o200k_base"]).run()
    app.selectbox(key="one.tie").set_value("hf").run()
    assert not app.exception
    settings, state = person.state(TrainState).settings, person.state(TokensState)
    assert (person.text, settings.vocab_size, state.chosen) == ("typed", 512, ["gpt2", "o200k_base"])
    assert settings.tie == "hf"
    app.session_state["one.chosen"].append("cl100k_base")
    assert state.chosen == ["gpt2", "o200k_base"], "the widget's list is not the visitor's"


def test_a_field_that_the_page_changes_shows_in_the_widget(app: AppTest) -> None:
    app.text_area(key="one.text").set_value("typed").run()
    app.button[0].click().run()
    assert not app.exception and app.text_area(key="one.text").value == "a sample"


def test_a_bound_widget_survives_a_visit_to_another_page(app: AppTest) -> None:
    app.text_area(key="one.text").set_value("typed").run()
    app.number_input(key="one.size").set_value(512).run()
    go(app, "two")
    assert app.text_input(key="two.text").value == "typed"
    app.text_input(key="two.text").set_value("typed there").run()
    go(app, "one")
    assert app.text_area(key="one.text").value == "typed there"
    assert app.number_input(key="one.size").value == 512


def test_starting_over_without_a_cookie(app: AppTest) -> None:
    opening = app.text_area(key="one.text").value
    app.text_area(key="one.text").set_value("typed").run()
    app.button[1].click().run()
    assert not app.exception and app.text_area(key="one.text").value == opening


def test_with_a_cookie_a_reload_and_a_second_tab_find_it_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "script.py"
    script.write_text(TWO_PAGES)
    key = new_key()
    monkeypatch.setattr(registry, "_key", lambda: key)

    def load() -> AppTest:
        return AppTest.from_file(str(script), default_timeout=PATIENCE_S).run()

    tab = load()
    tab.text_area(key="one.text").set_value("typed").run()
    tab.selectbox(key="one.tie").set_value("lowest").run()
    other = load()
    assert not other.exception
    assert other.text_area(key="one.text").value == "typed" and other.selectbox(key="one.tie").value == "lowest"
    other.text_area(key="one.text").set_value("typed in the second tab").run()
    tab.run()
    assert tab.text_area(key="one.text").value == "typed in the second tab", "the last writer wins"

    tab.button[1].click().run()
    assert not tab.exception and tab.text_area(key="one.text").value == Visitor().text
    assert other.run().text_area(key="one.text").value != "typed in the second tab"


UNKNOWN_FIELD = """
import streamlit as st
from tokviz.ui.frame.widgets import bind

try:
    bind("key", "txt")
except AttributeError as fault:
    st.text(str(fault))
"""


def test_binding_an_unknown_field_is_a_fault(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNKNOWN_FIELD)
    (said,) = AppTest.from_file(str(script), default_timeout=PATIENCE_S).run().text
    assert said.value == "'Visitor' object has no attribute 'txt'"


WHAT_LEFT = """
import streamlit as st
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.widgets import all_drawn, take_shown
from tokviz.ui.server.registry import visitor
from tokviz.ui.train.state import TrainState

state, step = visitor().state(TrainState), st.session_state.get("step", 0)
st.session_state["step"] = step + 1
st.button("Take", on_click=lambda: take_shown(state))
with all_drawn():
    if step < 2:
        bound_field("Pattern", "pattern", "settings.custom", TrainState)
    if step == 1:
        st.rerun()
"""


def test_a_field_that_left_the_page_writes_no_more_although_a_run_with_it_broke_off(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WHAT_LEFT)
    app = AppTest.from_file(str(script), default_timeout=PATIENCE_S).run().run()
    settings = app.session_state["tokviz.visitor"].state(TrainState).settings
    settings.custom = "of another tab"
    app.button[0].click().run()
    assert settings.custom == "of another tab" and not app.exception
