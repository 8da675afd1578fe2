"""Facts about models: no figure without a source and a date, and names lead to the tokenizers that tiktoken says."""

from __future__ import annotations

import tomllib
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import tiktoken.model

from tests.test_contract import definition
from tokviz.base.errors import UnknownNameError
from tokviz.catalog import references as catalog
from tokviz.catalog.references import model, models, references, tokenizer_for

ROWS: dict[str, Any] = tomllib.loads(catalog.FACTS.read_text(encoding="utf-8"), parse_float=Decimal)
KINDS = {"byte-level BPE", "SentencePiece BPE with byte fallback", "Unigram", "WordPiece", "not published"}
FIGURES = ("vocabulary", "context", "price", "output_price", "year")


def test_the_file_has_what_its_head_says_and_no_more() -> None:
    assert set(ROWS) == {"sources", "encodings", "named", "prefixes", "model", "family"}
    for source in ROWS["sources"].values():
        assert {"text", "date"} <= set(source) <= {"text", "date", "url"}
    figures = [row[name] for row in ROWS["model"] for name in FIGURES if name in row]
    for figure in [*figures, *ROWS["encodings"].values()]:
        assert set(figure) == {"value", "source"}
    assert {figure["source"] for figure in [*figures, *ROWS["encodings"].values()]} == set(ROWS["sources"])
    for row in ROWS["model"]:
        assert {"name", "title", "maker"} <= set(row) <= {"name", "title", "maker", "chat", "open", "kind", *FIGURES}
    names = [row["name"] for row in ROWS["model"]]
    assert list(models()) == names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", models())
def test_each_model_is_whole(name: str) -> None:
    """Every figure has a source and a date, and its tokenizer is one there is, or none."""
    row = model(name)
    assert row.name == name
    assert row.title and row.maker
    assert row.kind in KINDS
    assert (row.kind == "not published") == (row.vocabulary is None)
    for figure in (row.vocabulary, row.context, row.price, row.output_price, row.year):
        if figure is not None:
            assert len(figure.source) > 10
            assert type(figure.date) is date
            assert date(2019, 1, 1) < figure.date <= date.today()
            assert figure.value > 0
    assert row.year is None or 2017 < row.year.value <= date.today().year
    for count in (row.vocabulary, row.context, row.year):
        assert count is None or type(count.value) is int
    for price in (row.price, row.output_price):
        assert price is None or type(price.value) is Decimal
    assert not row.open or row.price is None
    assert row.output_price is None or row.price is not None
    assert row.tokenizer in {"", *references()}
    if row.tokenizer:
        assert tokenizer_for(name) == row.tokenizer == tiktoken.model.encoding_name_for_model(name)
        assert row.vocabulary is not None
        assert row.vocabulary.value == references()[row.tokenizer].n_vocab
    else:
        with pytest.raises(UnknownNameError, match="tokviz does not have"):
            tokenizer_for(name)


def test_the_tables_are_tiktokens_row_by_row() -> None:
    assert ROWS["named"] == tiktoken.model.MODEL_TO_ENCODING
    assert list(ROWS["prefixes"].items()) == list(tiktoken.model.MODEL_PREFIX_TO_ENCODING.items())
    known = {*ROWS["named"].values(), *ROWS["prefixes"].values()}
    assert known == set(ROWS["encodings"])


def test_names_lead_where_tiktoken_leads_them() -> None:
    for name in [*ROWS["named"], *(f"{prefix}mini" for prefix in ROWS["prefixes"]), "gpt-4o:x", ""]:
        try:
            theirs = tiktoken.model.encoding_name_for_model(name)
        except KeyError:
            theirs = ""
        if theirs in references():
            assert tokenizer_for(name) == theirs
        else:
            with pytest.raises(UnknownNameError, match=theirs or "no tokenizer"):
                tokenizer_for(name)


def test_sizes_of_the_encodings() -> None:
    for name, row in ROWS["encodings"].items():
        theirs = definition(name)
        assert name not in references() or row["value"] == references()[name].n_vocab
        assert row["value"] in (theirs.get("explicit_n_vocab"), 1 + max(theirs["special_tokens"].values()))


def test_an_unknown_name_is_told_its_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"'gpt4o'.*Did you mean gpt-4o\?"):
        tokenizer_for("gpt4o")
    with pytest.raises(UnknownNameError, match=r"'Claude opus'.*claude-opus-5-5"):
        model("Claude opus")
    with pytest.raises(UnknownNameError, match=r"'\?'.*There are gpt-5, .*llama-3"):
        model("?")
    with pytest.raises(UnknownNameError, match=r"p50k_edit, which tokviz does not have.*cl100k_base"):
        tokenizer_for("text-davinci-edit-001")
    with pytest.raises(UnknownNameError, match=r"Claude Opus 5\.5 \(not published\)"):
        tokenizer_for("claude-opus-5-5")
