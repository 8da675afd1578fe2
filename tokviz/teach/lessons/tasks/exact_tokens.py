"""Asks for a text that needs an exact number of tokens."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tokviz.base.sentences import SentencePart, Strong
from tokviz.base.text import whole_text
from tokviz.base.wording import count_of, rate
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.shown import Shown
from tokviz.teach.lessons.tasks.task import Judged
from tokviz.teach.lessons.trained import chosen
from tokviz.tokenizer.encoding import Encoding


class ExactTokens:
    """Asks for `wanted` tokens. tokenizer: its name, as lessons name it. text: what the field has at first."""

    def __init__(self, shown: Shown | None, *, wanted: int, tokenizer: str, text: str = "") -> None:
        self.wanted, self.by, self.text = wanted, chosen(tokenizer), text

    def start(self) -> dict[str, Any]:
        return {"wanted": self.wanted, "text": self.text, "tokenizer": self.by.title}

    def judge(self, answer: Any) -> Judged:
        text = checked_text(answer)
        encoding = self.by.tokenizer.explain(text)
        n, size = len(encoding.ids), len(encoding.data)
        data = {"tokens": n, "bytes": size, "encoding": encoding, "series": self.by.series}
        if not n:
            return Judged("not done", [], data)
        if n == self.wanted:
            each = f" {count_of(size, 'byte')} in {n} tokens: {rate(size / n)} bytes per token."
            return Judged("done", [Strong("Right."), each], data)
        off = abs(n - self.wanted)
        says: list[SentencePart] = [Strong(f"{off} too {'many' if n > self.wanted else 'few'}."), " "]
        more = "Add a frequent word, or a mark." if off == 1 else "Add frequent words."
        return Judged("not yet", says + (self._dearest(encoding) if n > self.wanted else [more]), data)

    def _dearest(self, encoding: Encoding) -> list[SentencePart]:
        """Say which chunk needs most tokens, which two of them no merge joins, and whether a space before it helps."""
        chunks = Counter(token.chunk for token in encoding.tokens())
        chunk, most = max(chunks.items(), key=lambda each: each[1])
        if most == 1:
            return ["Each chunk is one token already: take a word away."]
        inside = [encoding.data[token.start : token.end] for token in encoding.tokens() if token.chunk == chunk]
        whole = b"".join(inside)
        says: list[SentencePart] = [whole, f" alone needs {most}: no merge joins ", inside[0], " and ", inside[1], "."]
        text = whole_text(whole)
        if text and not text.startswith(" "):
            with_space = len(self.by.tokenizer.encode_ordinary(f" {text}"))
            if with_space < most:
                says += [" With a space before it, ", b" " + whole, f" needs {with_space}."]
        return says
