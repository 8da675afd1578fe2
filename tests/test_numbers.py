"""The row of figures on the Tokens page, as a page of its own under AppTest."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.catalog import model, models
from tokviz.metrics import cost
from tokviz.ui.numbers import for_model
from tokviz.ui.state import Visitor

PROMPT = "So far, I had counted words."


def page(text: str, chosen: list[str], shown: str | None) -> None:
    """A page that shows nothing but the figures, of the tokenizer they are best about or of the one named."""
    import streamlit as st

    import tokviz
    from tokviz.ui.numbers import for_model, numbers
    from tokviz.ui.state import visitor

    me = visitor()
    if "begun" not in st.session_state:
        st.session_state["begun"] = True
        me.chosen = chosen
    key = shown or for_model(me, me.chosen)
    if key:
        numbers(me, key, tokviz.reference(key).explain(text))
    st.text(" ".join(me.chosen))


def opened(text: str = PROMPT, chosen: tuple[str, ...] = ("cl100k_base",), shown: str | None = None) -> AppTest:
    app = AppTest.from_function(page, args=(text, list(chosen), shown)).run()
    assert not app.exception
    return app


def choose(app: AppTest, name: str) -> AppTest:
    app.selectbox(key="tokens.model").set_value(name).run()
    assert not app.exception
    return app


def as_shown(markdown: str) -> str:
    return re.sub(r"\\(.)", r"\1", markdown).replace("\u2060", "")


def figures(app: AppTest) -> dict[str, str]:
    return {metric.label: as_shown(metric.value) for metric in app.metric}


def captions(app: AppTest) -> str:
    return "\n".join(as_shown(caption.value) for caption in app.caption)


def test_figures_without_a_model() -> None:
    app = opened()
    n = len(tokviz.reference("cl100k_base").encode(PROMPT))
    assert figures(app) == {
        "Tokens": str(n),
        "Characters": "28",
        "Bytes": "28",
        "Words": "6",
        "Bytes per token": f"{28 / n:.2f}",
        "Tokens per word": f"{n / 6:.2f}",
    }
    assert captions(app) == ""
    assert app.selectbox[0].options[0] == "no model"
    assert app.selectbox[0].value == ""
    assert app.selectbox[0].options[1:] == [row.title for row in models().values()]


def test_an_empty_text() -> None:
    shown = figures(opened(""))
    assert (shown["Tokens"], shown["Words"]) == ("0", "0")
    assert shown["Bytes per token"] == shown["Tokens per word"] == "–"


def test_characters_per_token_stands_in_where_there_are_no_words() -> None:
    shown = figures(opened("你好世界"))
    assert shown["Words"] == shown["Tokens per word"] == "–"
    n = len(tokviz.reference("cl100k_base").encode("你好世界"))
    assert shown["Characters per token"] == f"{4 / n:.2f}"
    assert "Characters per token" not in figures(opened())


def test_a_model_leads_to_its_tokenizer_and_says_where_its_figures_stand() -> None:
    app = choose(opened(), "gpt-4o")
    assert app.text[0].value == "cl100k_base o200k_base"
    n = len(tokviz.reference("o200k_base").encode(PROMPT))
    shown = figures(app)
    assert shown["Tokens"] == str(n)
    assert shown["Of the context window"] == "< 0.01 %"
    assert shown["Price as input"] == cost(n, Decimal("2.5"))
    said = captions(app)
    facts = model("gpt-4o")
    for fact in (facts.vocabulary, facts.context, facts.price):
        assert fact is not None
        assert f"Read on {fact.date.isoformat()} in: {fact.source}." in said
    assert "Tokenizer of GPT-4o: o200k_base, 200,019 ids." in said
    assert "$2.50 for a million input tokens" in said
    app = choose(app, "")
    assert "Price as input" not in figures(app)
    assert app.text[0].value == "cl100k_base o200k_base"


def test_a_model_whose_tokenizer_is_shown_adds_none() -> None:
    app = choose(opened(PROMPT * 300), "gpt-4")
    assert app.text[0].value == "cl100k_base"
    n = int(figures(app)["Tokens"].replace(",", ""))
    assert figures(app)["Of the context window"] == f"{100 * n / 8192:.2f} %"
    assert "too long" not in captions(app)


def test_a_text_too_long_for_the_model() -> None:
    app = choose(opened("a b" * 5_000, ("gpt2",)), "gpt2")
    n = int(figures(app)["Tokens"].replace(",", ""))
    assert n > 1024
    assert f"The text is {n - 1024:,} tokens too long for GPT-2." in captions(app)
    assert figures(app)["Price as input"] == "–"
    assert "Price: no source" in captions(app)


def test_no_share_and_price_of_another_tokenizers_tokens() -> None:
    app = choose(opened(shown="gpt2"), "gpt-4o")
    assert figures(app)["Of the context window"] == figures(app)["Price as input"] == "–"
    assert "Show o200k_base to see share and price" in captions(app)


@pytest.mark.parametrize("name", models())
def test_every_model_can_be_chosen(name: str) -> None:
    app = choose(opened(), name)
    row = model(name)
    shown = figures(app)
    assert (shown["Of the context window"] != "–") == bool(row.tokenizer and row.context)
    assert (shown["Price as input"] != "–") == bool(row.tokenizer and row.price)
    said = captions(app)
    assert ("tokviz does not have it" in said) == (not row.tokenizer)
    assert (f"Tokenizer of {row.title}: not published." in said) == (row.kind == "not published")


def test_which_tokenizer_the_numbers_are_about() -> None:
    me = Visitor()
    assert for_model(me, []) is None
    assert for_model(me, ["mine1", "gpt2"]) == "mine1"
    me.model = "gpt-4o"
    assert for_model(me, ["gpt2", "o200k_base"]) == "o200k_base"
    assert for_model(me, ["gpt2"]) == "gpt2"
    me.model = "claude-opus-5-5"
    assert for_model(me, ["gpt2"]) == "gpt2"
    me.model = "a model there was once"
    assert for_model(me, ["gpt2"]) == "gpt2"
