"""The pages that things of the library make of themselves: a training its replay, a tokenizer the tokens of a text."""

from __future__ import annotations

from typing import Any

from tokviz.base.drawn import Page, make_page
from tokviz.offline import files
from tokviz.offline.data import series_of, view_data
from tokviz.offline.page import standalone
from tokviz.offline.replay import Playing, replay_page
from tokviz.tokenizer.encoding import Encoding
from tokviz.tokenizer.tokenizer import Tokenizer
from tokviz.training.train import Training
from tokviz.vocabulary.card import card_at

TEXT_BYTES = 20_000  # of a text that are drawn
CARDS = 120  # tokens from the first on whose cards have all that is known; of the others, what their seams tell
PRESS = "Press a token, and its card says how it was made. Made with tokviz; it needs no network."


@make_page.register
def training_page(training: Training) -> Page:
    """Make the replay of a training on its corpus."""
    tok, named = training.tokenizer, training.tokenizer.origin.named
    return replay_page(Playing("yours", tok, training, named[0].name if len(named) == 1 else tok.name))


@make_page.register
def text_page(tokenizer: Tokenizer, encoding: Encoding) -> Page:
    """Make a page of the tokens of a text, each with its card. encoding: of the text, under this tokenizer."""
    title, data = f"Tokens of {tokenizer.name}", text_data(tokenizer, encoding)
    style, script = files.stylesheet(*files.TEXT), files.script("tokenview/panel.js")
    return Page(title, standalone(data, title=title, lead=PRESS, style=style, script=script))


def text_data(tokenizer: Tokenizer, encoding: Encoding) -> dict[str, Any]:
    """What the page of a text gets."""
    part = encoding.part(0, TEXT_BYTES)
    cards = {token.start: card_at(tokenizer, part, token.start) for token in part.tokens()[:CARDS]}
    for card in cards.values():
        del card["family"]  # all merges are read for it
    (series,) = series_of([tokenizer])
    more = {"merges": len(tokenizer.merge_ids), "kind": tokenizer.kind, "called": "", "cards": cards}
    return view_data(encoding, name=tokenizer.name, series=series, most=TEXT_BYTES) | more
