"""The kinds of views that lessons can name, each in a module of its own; components/lesson draws it."""

from __future__ import annotations

from tokviz.lessons.shown import View
from tokviz.lessons.views import (
    chunks,
    cost,
    decode,
    dropout,
    encode_steps,
    files,
    glitch,
    models,
    pairs,
    player,
    same_ids,
    sizes,
    special,
    texts,
    ties,
    tokens,
    units,
    utf8,
    ways,
)

VIEWS: dict[str, View] = {
    "bytes": utf8.VIEW,
    "chunks": chunks.VIEW,
    "cost": cost.VIEW,
    "decode": decode.VIEW,
    "dropout": dropout.VIEW,
    "encode-steps": encode_steps.VIEW,
    "files": files.VIEW,
    "glitch": glitch.VIEW,
    "models": models.VIEW,
    "pairs": pairs.VIEW,
    "player": player.VIEW,
    "same-ids": same_ids.VIEW,
    "sizes": sizes.VIEW,
    "special": special.VIEW,
    "texts": texts.VIEW,
    "ties": ties.VIEW,
    "tokens": tokens.VIEW,
    "units": units.VIEW,
    "ways": ways.VIEW,
}
