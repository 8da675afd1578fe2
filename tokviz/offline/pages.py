"""The pages that things of the library make of themselves: a training its replay."""

from __future__ import annotations

from tokviz.base.drawn import Page, make_page
from tokviz.offline.replay import Playing, replay_page
from tokviz.training.train import Training


@make_page.register
def training_page(training: Training) -> Page:
    """Make the replay of a training on its corpus."""
    tok = training.tokenizer
    return replay_page(Playing("yours", tok, training, tok.origin.words or tok.name))
