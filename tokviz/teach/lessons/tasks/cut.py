"""Asks where a split pattern cuts a text."""

from __future__ import annotations

from bisect import bisect
from typing import Annotated, Any

from tokviz.base.sentences import Code, SentencePart, Strong
from tokviz.base.wording import count_of
from tokviz.split.clauses import clauses_of, take_apart
from tokviz.teach.lessons.shown import Shown
from tokviz.teach.lessons.tasks.task import Judged, answer_as, judged_right


class Cut:
    """Asks for the cuts of a text. pattern: its name, or a regular expression. An answer is the list of cuts: before
    which characters, counted from 0. The beginning of the text is no cut."""

    def __init__(self, shown: Shown | None, *, text: str, pattern: str = "gpt2") -> None:
        self.text, self.pattern = text, pattern
        self.chunks = clauses_of(text, pattern)
        self.clauses = take_apart(pattern).clauses
        self.cuts = {end for end, _ in self.chunks[:-1]}

    def start(self) -> dict[str, Any]:
        return {"text": self.text}

    def judge(self, answer: Any) -> Judged:
        made = set(answer_as(list[Annotated[int, range(1, len(self.text))]], answer))
        if not made:
            return Judged("not done", [], {"cuts": []})
        missing, extra = self.cuts - made, made - self.cuts
        if not missing and not extra:
            told = f"{count_of(len(self.chunks), 'chunk')}. No merge joins two of them."
            return judged_right([told], {"cuts": sorted(made), "wrong": []})
        n = len(made & self.cuts)
        says: list[SentencePart] = [Strong(f"{n} of {len(made)} cuts {'is' if n == 1 else 'are'} right."), " "]
        first = min(missing | extra)
        says += self._why(first, early=first in extra)
        return Judged("not yet", says, {"cuts": sorted(made), "wrong": sorted(extra)})

    def _why(self, place: int, *, early: bool) -> list[SentencePart]:
        """Say which clause takes more than an early cut leaves, or does not take the character after a missing cut."""
        ends = [0, *(end for end, _ in self.chunks)]
        chunk = bisect(ends, place if early else place - 1) - 1
        start, clause = ends[chunk], self.chunks[chunk][1]
        takes, what = ("takes more than", self.text[start:place]) if early else ("does not take", self.text[place])
        begins = self.text[start].encode()
        return ["The clause ", Code(self.clauses[clause]), " begins at ", begins, f" and {takes} ", what.encode(), "."]
