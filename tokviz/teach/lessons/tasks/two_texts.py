"""Asks for two texts that are equally long, one of which needs several times as many tokens."""

from __future__ import annotations

from typing import Any

from tokviz.base.sentences import SentencePart, Strong
from tokviz.base.wording import count_of, factor
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Shown
from tokviz.teach.lessons.tasks.task import Judged, not_an_answer
from tokviz.teach.lessons.trained import chosen
from tokviz.tokenizer.encoding import Encoding


class TwoTexts:
    """Asks for two texts, the second with `times` times as many tokens. tokenizer: its name. least: characters that
    each has to have. texts: what the two fields have at first."""

    def __init__(
        self,
        shown: Shown | None,
        *,
        tokenizer: str,
        times: float = 2,
        least: int = 10,
        texts: tuple[str, str] = ("", ""),
    ) -> None:
        self.by, self.times, self.least, self.texts = chosen(tokenizer), times, least, texts

    def start(self) -> dict[str, Any]:
        rows = [self._row(text) for text in self.texts]
        return {"texts": [*self.texts], "tokenizer": self.by.title, "rows": rows}

    def _row(self, text: str) -> dict[str, Any]:
        encoding = self.by.tokenizer.explain(text)
        return {"characters": len(text), "tokens": len(encoding), "encoding": encoding}

    def judge(self, answer: Any) -> Judged:
        if not isinstance(answer, list) or len(answer) != 2:
            raise not_an_answer()
        texts = [checked_text(text) for text in answer]
        rows = [self._row(text) for text in texts]
        data = {"rows": rows}
        if not all(text.strip() for text in texts):
            return Judged("not done", [], data)
        first, second = (row["tokens"] for row in rows)
        if len(texts[0]) != len(texts[1]) or min(map(len, texts)) < self.least:
            return Judged("not yet", self._lengths(*texts), data)
        if second >= self.times * first:
            says = f" {count_of(len(texts[0]), 'character')} each, and {factor(second / first)} times as many tokens."
            return Judged("done", [Strong("Right."), says], data)
        if first >= self.times * second:
            return Judged("not yet", ["The first text needs more tokens. Swap the two."], data)
        told = f"{count_of(first, 'token')} and {second}: {factor(second / first)} times as many. "
        return Judged("not yet", [told, *self._advice(rows[0]["encoding"], rows[1]["encoding"])], data)

    def _lengths(self, first: str, second: str) -> list[SentencePart]:
        if len(first) == len(second):
            return [f"{count_of(len(first), 'character')} each. Each has to have {self.least} or more."]
        longer, shorter = ("first", "second") if len(first) > len(second) else ("second", "first")
        more = count_of(abs(len(first) - len(second)), "character")
        return [f"The {longer} text is {more} longer than the {shorter}. A space is a character too."]

    def _advice(self, first: Encoding, second: Encoding) -> list[SentencePart]:
        """Say what helps more to change: the shortest token of the first text, or the longest of the second."""
        long = max((token.data for token in second.tokens()), key=len)
        if len(long) > 2:
            return ["In the second text ", long, " is one token. Write something there that was seldom seen."]
        short = min((token.data for token in first.tokens()), key=len)
        return ["In the first text ", short, " is a token of its own. Write frequent words there."]
