"""What can be chosen where a text is typed, and what is chosen: models by name, and the visitor's own tokenizers.

The browser gets all that can be chosen once, by the question tokens.choices, and searches in it (choice.js).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

from tokviz.base.errors import UnknownNameError
from tokviz.base.wording import listed
from tokviz.catalog.packages import packaged_as, plain_name
from tokviz.catalog.references import Model, families, models, name_tables, references, tokenizer_for
from tokviz.cost.figures import cost
from tokviz.formats.bundled import offered, packaged
from tokviz.offline.data import glyph
from tokviz.tokenizer.peers import size_in_words
from tokviz.ui.frame.address import TOKENIZERS_LIMIT, Query, shortened
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand
from tokviz.ui.server.ask import Answer
from tokviz.ui.server.visitor import Visitor

OPENS_ON = "o200k_base"  # the tokenizer of a first visit
FIRST = ("gpt-4o", "gpt-5", "gpt-4o-mini", "gpt-4", "gpt2")  # of the models
IN_LIBRARY = "can be opened in the library"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A tokenizer, and the name by which it was chosen.

    name: of a model, as `tokenizer_for` takes it, or the key of an own tokenizer. encoding: the tokenizer of the model
    in a few words, or where an own one is from. model: the facts about the model, None if there are none.
    """

    name: str
    title: str
    shown: ShownTokenizer
    encoding: str
    model: Model | None = None

    @property
    def data(self) -> dict[str, Any]:
        """What the browser gets. key: of the tokenizer, which two models can share. facts: about the model, in words.

        input, output: USD for a million tokens; null if it is not known.
        """
        model = self.model
        prices = {
            "input": float(model.price.value) if model and model.price else None,
            "output": float(model.output_price.value) if model and model.output_price else None,
        }
        context = model.context.value if model and model.context else None
        return {
            "name": self.name,
            "title": self.title,
            "key": self.shown.key,
            "series": self.shown.series,
            "glyph": glyph(self.shown.series),
            "encoding": self.encoding,
            "facts": self._facts,
            "model": None if self.shown.own else {**prices, "context": context},
        }

    @property
    def _facts(self) -> str:
        if self.shown.own:
            return f"vocabulary of {size_in_words(self.shown.tokenizer)}"
        price = _price(self.model)
        said = [f"{price} a million tokens" if price else _unpriced(self.model, "open model, no price")]
        return ", ".join(filter(None, [*said, _context(self.model)]))


def chosen_as(me: Visitor, name: str) -> Chosen:
    """The tokenizer that has this name: the key of an own one, or the name of a model or of a reference tokenizer.

    UnknownNameError if there is none, or if tokviz does not have it.
    """
    there = {shown.key: shown for shown in at_hand(me)}
    shown = there.get(name)
    if shown and shown.own:
        return Chosen(name, shown.name, shown, _from_where(me, shown))
    name = _model_of(plain_name(name))
    encoding = tokenizer_for(name)
    shown = there[_shown_as(encoding)]
    also = "" if shown.key == encoding else f", shown as {shown.name}"
    model = models().get(name)
    return Chosen(name, model.title if model else name, shown, f"{encoding}{also}", model)


def all_chosen(me: Visitor, names: Iterable[str]) -> list[Chosen]:
    """Those of these names that there are, each once, no more than a page shows; OPENS_ON if there is none."""
    found: dict[str, Chosen] = {}
    for name in names:
        try:
            one = chosen_as(me, name)
        except UnknownNameError:
            continue
        found.setdefault(one.name, one)
    return [*found.values()][:TOKENIZERS_LIMIT] or [chosen_as(me, OPENS_ON)]


def distinct(chosen: Sequence[Chosen]) -> list[ShownTokenizer]:
    """The tokenizers of what is chosen, each once."""
    return [*{one.shown.key: one.shown for one in chosen}.values()]


def named(me: Visitor, keys: Sequence[str], models: Sequence[str]) -> list[str]:
    """What a link names: models in place of the tokenizers that they use, and all other tokenizers and models.

    They are in the order of `keys`, the models of one tokenizer in that of `models`; models of others come last.

    >>> named(Visitor(), ["gpt2", "o200k_base"], ["gpt-5", "gpt-4", "gpt-4o"])
    ['gpt2', 'gpt-5', 'gpt-4o', 'gpt-4']
    """
    by = {one.name: one.shown.key for one in all_chosen(me, models)} if models else {}
    found = [name for key in keys for name in [one for one in by if by[one] == key] or [key]]
    return [*dict.fromkeys([*found, *by])]


def models_in_link(chosen: Sequence[Chosen]) -> tuple[str, ...]:
    """The models that a link has to name; none if all are those by which people know their tokenizers."""
    names = tuple(one.name for one in chosen if not one.shown.own)
    return names if any(one.name != _model_of(one.shown.key) for one in chosen if not one.shown.own) else ()


def models_of(query: Query) -> tuple[str, ...]:
    """The models that a link names, and that there are."""
    known = []
    for name in [*dict.fromkeys(filter(None, (query.get("model") or "").split(",")))][:TOKENIZERS_LIMIT]:
        try:
            tokenizer_for(name)
            known.append(name)
        except UnknownNameError as fault:
            query.fault(f"The link names the model {shortened(name)}. {fault.what}", "It was left out.")
    return tuple(known)


def choices(me: Visitor) -> Answer:
    """All that can be chosen, and what the browser needs to find it by its name.

    models, own: rows {name, title, encoding, price, context}, with the mark of the tokenizer, or `not`: why it cannot
    be chosen. A model has its maker, and other names by which it is found. known, prefixes: tiktoken's tables of names
    and beginnings of names, which lead to an encoding. marks: of the encodings that are here.
    """
    known, prefixes = name_tables()
    first = sorted(models().values(), key=lambda model: (*FIRST, model.name).index(model.name))
    encodings = {*known.values(), *(encoding for _, encoding in prefixes)} & references().keys()
    read = min(price.date for model in models().values() for price in (model.price, model.output_price) if price)
    marks = {encoding: chosen_as(me, encoding).shown.series for encoding in sorted(encodings)}
    return {
        "models": [*(_model_row(me, model) for model in first), *_elsewhere()],
        "own": [_row(chosen_as(me, one.key)) | {"own": True} for one in at_hand(me) if one.own],
        "known": {name: encoding for name, encoding in known.items() if name not in models()},
        "prefixes": prefixes,
        "marks": {encoding: {"series": series, "glyph": glyph(series)} for encoding, series in marks.items()},
        "read": f"Prices are for a million tokens, read on {_day(read)} or later.",
        "sources": _sources(),
    }


# -- a row of the choice --


def _row(one: Chosen) -> dict[str, Any]:
    data, price = one.data, _price(one.model)
    unpriced = "" if price else _unpriced(one.model, "open model")
    said = [data["facts"]] if one.shown.own else [unpriced, _context(one.model)]
    return {
        **{name: data[name] for name in ("name", "title", "encoding", "series", "glyph")},
        "price": price,
        "context": ", ".join(filter(None, said)),
    }


def _model_row(me: Visitor, model: Model) -> dict[str, Any]:
    if model.tokenizer:
        return {**_row(chosen_as(me, model.name)), "maker": model.maker}
    public = "tokenizer not public" if model.kind == "not published" else "tokviz does not have its tokenizer"
    why = IN_LIBRARY if packaged_as(model.name) else public
    return {"name": model.name, "title": model.title, "maker": model.maker, "not": why}


def _elsewhere() -> list[dict[str, Any]]:
    """Rows of models about which nothing is known but where their tokenizer is."""
    packages = [row for row in packaged().values() if models().keys().isdisjoint(row.models)]
    rows = [(row.title, row.models, IN_LIBRARY) for row in packages]
    rows += [(title, names, "its tokenizer.json can be opened in the library") for title, names in families().items()]
    return [
        {"name": name, "title": title, "maker": "Others", "also": also, "not": why}
        for title, (name, *also), why in rows
    ]


def _from_where(me: Visitor, shown: ShownTokenizer) -> str:
    mine = me.own(shown.key)
    if mine:
        return "trained here" if mine.training else "opened"
    return f"{shown.tokenizer.kind}, opened"


def _price(model: Model | None) -> str:
    """The price of a million tokens: "$2.50 in, $10.00 out"; "" if it is not known."""
    said = {"in": model and model.price, "out": model and model.output_price}
    return ", ".join(f"{cost(1_000_000, price.value)} {way}" for way, price in said.items() if price)


def _unpriced(model: Model | None, if_open: str) -> str:
    return if_open if model and model.open else "no price is known"


def _context(model: Model | None) -> str:
    return f"context {model.context.value:,}" if model and model.context else ""


# -- where the facts are from --


def _sources() -> list[dict[str, Any]]:
    """Each source of the facts about models that can be chosen: its words, its address, and what it says of which."""
    found: dict[tuple[str, str, date], dict[str, list[str]]] = {}
    for model in models().values():
        if not model.tokenizer:
            continue
        facts = {
            "tokenizer": model.vocabulary,
            "price": model.price,
            "price of output": model.output_price,
            "context window": model.context,
        }
        for what, fact in facts.items():
            if fact:
                found.setdefault((fact.source, fact.url, fact.date), {}).setdefault(what, []).append(model.title)
    return [
        {"source": source, "url": url, "read": _day(read), "of": [f"{what}: {_some(of)}" for what, of in says.items()]}
        for (source, url, read), says in found.items()
    ]


def _some(titles: Sequence[str]) -> str:
    more = len(titles) - 3
    return listed([*titles[:3], f"{more} more"] if more > 1 else titles)


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


# -- names --


@cache
def _model_of(name: str) -> str:
    """The model by which people know the reference tokenizer of this name; the name itself if it is another one."""
    known_from = references()[name].known_from if name in references() else ()
    return next((model.name for model in models().values() if model.title in known_from[:1]), name)


@cache
def _shown_as(name: str) -> str:
    """The reference by which a page shows this one: r50k_base is gpt2 under another name."""
    return next((key for key in offered() if references()[key].sha256 == references()[name].sha256), name)
