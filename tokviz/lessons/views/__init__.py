"""The kinds of views that lessons can name, each in a module of its own; components/lesson draws it."""

from __future__ import annotations

from tokviz.lessons.shown import View
from tokviz.lessons.views import player, tokens

VIEWS: dict[str, View] = {
    "player": player.VIEW,
    "tokens": tokens.VIEW,
}
