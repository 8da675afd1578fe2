"""Shows a word as a reader sees it, letter by letter, and as a model gets it; and a text of the learner's in tokens."""

from __future__ import annotations

from tokviz.base.blocks import Chip, Columns, Field, Line, Quiet, Visible
from tokviz.base.wording import listed, visible
from tokviz.catalog.references import reference
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Fact, Shown, view

SHOWN = 40  # tokens of the learner's text


@view("text")
def spelling(*, word: str, letter: str, text: str = "") -> Shown:
    """Show the letters of a word, in which one is looked for, its ids, and the ids of a text.

    Facts of the text: `letters`, without what is between them; `tokens`; `there`, how often it has the letter; `alone`,
    how many tokens have this letter and no other; `ids`, how many different ids these have; and `inside`, the tokens
    that have other letters too, with how often the letter is in each.

    >>> facts = spelling(word=" strawberry", letter="r", text="strawberry").facts
    >>> facts["tokens"], facts["alone"], facts["inside"]
    (3, 0, '1 in “raw” and 2 in “berry”')
    """
    tok = reference("o200k_base")
    text = checked_text(text)
    tokens = tok.explain(text).tokens()
    spelled = ["".join(filter(str.isalpha, token.data.decode("utf-8", "replace"))) for token in tokens]
    alone = [token.id for token, its in zip(tokens, spelled, strict=True) if its == letter]
    inside = [
        f"{its.count(letter)} in “{visible(token.data)}”"
        for token, its in zip(tokens, spelled, strict=True)
        if letter in its and its != letter
    ]
    facts: dict[str, Fact] = {
        "letters": "".join(filter(str.isalpha, text)),
        "tokens": len(tokens),
        "there": text.count(letter),
        "alone": len(alone),
        "ids": len({*alone}),
        "inside": listed(inside),
    }
    seen = [Visible(each, sought=each == letter) for each in word.strip()]
    got = [Chip(token.data, f"{token.id:,}") for token in tok.explain(word).tokens()]
    both = Line([Quiet("You see"), seen]), Line([Quiet("It gets"), got])
    cut = Columns([[token.data, token.id] for token in tokens[:SHOWN]], ["Token", "Id"])
    return Shown(facts, [*both, Field("text", text, lines=1), cut])
