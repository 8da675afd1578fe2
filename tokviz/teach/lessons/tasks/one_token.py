"""Asks for the smallest corpus whose training makes one token of a word."""

from __future__ import annotations

from typing import Any

from tokviz.base.sentences import SentencePart, Strong
from tokviz.base.wording import count_of, times
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.task import Judged
from tokviz.training.train import Training


class OneToken:
    """Asks for a corpus, to be written in the field of a view “live-training”. The word is that of the view.

    The last merge joins two parts of the word, and only if they are neighbours `min_count` times. Each of these places
    is a whole word. No beginning of the word is its end, so no two of them overlap. So the smallest corpus has the word
    `min_count` times, and nothing else.
    """

    def __init__(self, shown: Shown | None) -> None:
        if shown is None or shown.again is None or not isinstance(shown.about, Training) or not shown.facts.get("word"):
            raise LessonError("The task one-token belongs to a view “live-training” that has a word.")
        self.again, self.word = shown.again, str(shown.facts["word"]).encode()
        if any(self.word.startswith(self.word[-size:]) for size in range(1, len(self.word))):
            raise LessonError("The beginning of the word is its end too, so two of them can overlap.")
        self.min_count = shown.about.rules.min_count
        self.smallest = self.min_count * len(self.word)

    def start(self) -> dict[str, Any]:
        return {}

    def judge(self, answer: Any) -> Judged:
        text = checked_text(answer)
        shown = self.again(text=text)
        if not text.strip():
            return Judged("not done", [], shown=shown)
        if shown.facts["word_tokens"] != 1:
            return Judged("not yet", self._missing(text.encode(), shown.about), shown=shown)
        n = len(text.encode())
        if n > self.smallest:
            return Judged("not yet", self._too_long(text.encode()), shown=shown)
        says = f" {count_of(n, 'byte')}, and no smaller corpus can do it: its last pair has to occur "
        return Judged("done", [Strong("Right."), says, f"{times(self.min_count)}."], shown=shown)

    def _missing(self, corpus: bytes, training: Training) -> list[SentencePart]:
        """Say why the word is not one token yet."""
        tokens = [token.data for token in training.tokenizer.explain(self.word.decode()).tokens()]
        n = corpus.count(self.word)
        if not n:
            return [self.word, " does not occur in the corpus."]
        told: list[SentencePart] = [self.word, f" is {len(tokens)} tokens. "]
        if n < self.min_count:
            return [*told, f"It occurs {times(n)}, and a pair has to occur {times(self.min_count)} to merge."]
        apart: list[SentencePart] = [tokens[0], " and ", tokens[1], ": others were more frequent."]
        return [*told, "All merges are made, and none joins ", *apart]

    def _too_long(self, corpus: bytes) -> list[SentencePart]:
        """Say where bytes can be saved."""
        size = count_of(len(corpus), "byte")
        told: list[SentencePart] = [self.word, f" is one token. The corpus has {size}, and fewer will do. "]
        n = corpus.count(self.word)
        if n > self.min_count:
            return [*told, f"The word occurs {times(n)}. How often does a pair have to occur?"]
        outside = len(corpus) - n * len(self.word)
        return [*told, f"{count_of(outside, 'byte')} of it {'is' if outside == 1 else 'are'} outside the word."]
