"""The kinds of views that lessons can name, each in a module of its own; components/lesson draws it."""

from __future__ import annotations

from tokviz.lessons.shown import View
from tokviz.lessons.views import dropout, glitch, pairs, player, texts, tokens, units, utf8

VIEWS: dict[str, View] = {
    "bytes": utf8.VIEW,
    "dropout": dropout.VIEW,
    "glitch": glitch.VIEW,
    "pairs": pairs.VIEW,
    "player": player.VIEW,
    "texts": texts.VIEW,
    "tokens": tokens.VIEW,
    "units": units.VIEW,
}
