"""Mark where a split pattern cuts a text."""

from __future__ import annotations

from typing import Any

from tokviz.base.sentences import Code, Part, Strong
from tokviz.base.wording import count_of
from tokviz.split.clauses import clauses_of, take_apart
from tokviz.teach.lessons.shown import Shown
from tokviz.teach.lessons.tasks.task import Judged, not_an_answer


class Cut:
    """text: what is cut; pattern: by its name, or as a regular expression. An answer is the list of cuts: before which
    characters, counted from 0. The beginning of the text is no cut."""

    def __init__(self, shown: Shown | None, *, text: str, pattern: str = "gpt2") -> None:
        self.text, self.pattern = text, pattern
        self.chunks = clauses_of(text, pattern)
        self.clauses = take_apart(pattern).clauses
        self.cuts = {end for end, _ in self.chunks[:-1]}

    def start(self) -> dict[str, Any]:
        return {"text": self.text}

    def judge(self, answer: Any) -> Judged:
        made = self._cuts(answer)
        if not made:
            return Judged("not done", [], {"cuts": []})
        missing, extra = self.cuts - made, made - self.cuts
        if not missing and not extra:
            says: list[Part] = [
                Strong("Right."),
                f" {count_of(len(self.chunks), 'chunk')}. No merge joins two of them.",
            ]
            return Judged("done", says, {"cuts": sorted(made), "wrong": []})
        right = len(made & self.cuts)
        says = [Strong(f"{right} of {len(made)} cuts {'is' if right == 1 else 'are'} right."), " "]
        first = min(missing | extra)
        says += self._too_early(first) if first in extra else self._too_late(first)
        return Judged("not yet", says, {"cuts": sorted(made), "wrong": sorted(extra)})

    def _cuts(self, answer: Any) -> set[int]:
        """The cuts in an answer. Raises InputError if it is no list of places inside the text."""
        if not isinstance(answer, list) or not all(type(place) is int for place in answer):
            raise not_an_answer()
        if any(not 0 < place < len(self.text) for place in answer):
            raise not_an_answer()
        return set(answer)

    def _too_early(self, place: int) -> list[Part]:
        """A cut inside a chunk: the clause takes more."""
        start, clause = self._chunk(place)
        return ["The clause ", Code(self.clauses[clause]), " begins at ", self._from(start), " and takes more than ",
                self.text[start:place].encode(), "."]  # fmt: skip

    def _too_late(self, place: int) -> list[Part]:
        """A cut is missing: the clause that made the chunk before it does not take the next character."""
        start, clause = self._chunk(place - 1)
        return ["The clause ", Code(self.clauses[clause]), " begins at ", self._from(start), " and does not take ",
                self.text[place].encode(), "."]  # fmt: skip

    def _chunk(self, place: int) -> tuple[int, int]:
        """Where the chunk with this character begins, and its clause."""
        start = 0
        for end, clause in self.chunks:
            if place < end:
                return start, clause
            start = end
        return start, self.chunks[-1][1]

    def _from(self, start: int) -> bytes:
        return self.text[start].encode()
