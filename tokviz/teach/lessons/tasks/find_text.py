"""Asks for a text of which something is true: it needs fewer tokens here than there, it holds a certain token, ...

What has to be true is a condition by its name; finds.py has them, each with hints made of what was typed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.blocks import Field, Line, Quiet, Table
from tokviz.base.wording import count_of
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.rows import EncodingRow, rows_by_encoder, rows_by_form, rows_by_text, rows_by_tokenizer
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.finds import FINDS
from tokviz.teach.lessons.tasks.task import Judged, answer_as, judged_right
from tokviz.teach.lessons.trained import chosen

ONE, BOTH = ("Your text",), ("First text", "Second text")  # the fields


class FindText:
    """Asks for a text that meets a condition.

    find: the name of the condition, with its arguments under `how`.
    tokenizers: under which the text is shown.
    forms, encoders: instead the text is shown in these forms, or as these encoders cut it, under the first tokenizer.
    texts: instead there are two fields, which have these at first; an answer is then the list of both texts.
    special: whether special tokens are read as such.
    """

    def __init__(
        self,
        shown: Shown | None,
        *,
        find: str,
        how: Mapping[str, Any] | None = None,
        tokenizers: Sequence[str | Mapping[str, Any]] = ("o200k_base",),
        forms: Sequence[str] = (),
        encoders: Sequence[str] = (),
        texts: Sequence[str] = (),
        special: bool = False,
    ) -> None:
        if find not in FINDS:
            raise LessonError(f"There is no condition “{find}”.", f"There are {', '.join(FINDS)}.")
        self.condition, self.how = FINDS[find], dict(how or {})
        try:
            inspect.signature(self.condition).bind([], **self.how)
        except TypeError as fault:
            raise LessonError(f"The condition “{find}”: {fault}.") from None
        self.tokenizers = [chosen(named) for named in tokenizers]
        self.forms, self.encoders, self.texts, self.special = forms, encoders, texts, special

    def _rows(self, texts: Sequence[str]) -> list[EncodingRow]:
        if self.texts:
            both = [{"title": title, "text": text} for title, text in zip(BOTH, texts, strict=True)]
            return rows_by_text(both, self.tokenizers[0])
        text = texts[0]
        if self.forms:
            return rows_by_form(text, self.forms, self.tokenizers[0])
        if self.encoders:
            return rows_by_encoder(text, self.encoders, self.tokenizers[0])
        return rows_by_tokenizer(text, self.tokenizers, special=self.special)

    def start(self) -> dict[str, Any]:
        texts = self.texts or [""]
        return self._drawn(texts, self._rows(texts))

    def _drawn(self, texts: Sequence[str], rows: Sequence[EncodingRow]) -> dict[str, Any]:
        """Return the fields and, once something is typed, the tokens of each row."""
        fields = [Field(name, text, name) for name, text in zip(BOTH if self.texts else ONE, texts, strict=True)]
        table = []
        for row in rows if any(texts) else ():
            title, chips, count = row.cells()
            note = [Quiet(count_of(len(row.text), "character"))] if self.texts else []
            table.append([title, chips, *note, count])
        by = [Line([f"Tokenizer: {self.tokenizers[0].title}"], "quiet")] if self.texts else []
        return {"blocks": [*fields, *([Table([], table)] if table else []), *by]}

    def judge(self, answer: Any) -> Judged:
        said = answer_as(tuple[str, str], answer) if self.texts else [answer]
        texts = [checked_text(text) for text in said]
        rows = self._rows(texts)
        data = self._drawn(texts, rows)
        if not all(text.strip() for text in texts):
            return Judged("not done", [], data)
        fault = next((row.fault for row in rows if row.fault), "")
        if fault:
            return Judged("not yet", [fault], data)
        met, says = self.condition(rows, **self.how)
        return judged_right(says, data) if met else Judged("not yet", says, data)
