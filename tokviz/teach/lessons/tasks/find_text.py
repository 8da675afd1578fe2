"""Asks for a text of which something is true: it needs fewer tokens here than there, it holds a certain token, ...

What has to be true is a condition by its name; finds.py has them, each with hints made of what was typed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from tokviz.base.sentences import Strong
from tokviz.teach.lessons.inputs import checked_text
from tokviz.teach.lessons.rows import EncodingRow, rows_by_encoder, rows_by_form, rows_by_tokenizer
from tokviz.teach.lessons.shown import LessonError, Shown
from tokviz.teach.lessons.tasks.finds import FINDS
from tokviz.teach.lessons.tasks.task import Judged
from tokviz.teach.lessons.trained import chosen


class FindText:
    """Asks for a text that meets a condition.

    find: the name of the condition, with its arguments under `how`.
    tokenizers: under which the text is shown.
    forms, encoders: instead the text is shown in these forms, or as these encoders cut it, under the first tokenizer.
    special: whether special tokens are read as such.
    text, lines: what the field has at first, and its number of rows.
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
        special: bool = False,
        text: str = "",
        lines: int = 1,
    ) -> None:
        if find not in FINDS:
            raise LessonError(f"There is no condition “{find}”.", f"There are {', '.join(FINDS)}.")
        self.condition, self.how = FINDS[find], dict(how or {})
        try:
            inspect.signature(self.condition).bind([], **self.how)
        except TypeError as fault:
            raise LessonError(f"The condition “{find}”: {fault}.") from None
        self.tokenizers = [chosen(named) for named in tokenizers]
        self.forms, self.encoders, self.special = forms, encoders, special
        self.text, self.lines = text, lines

    def _rows(self, text: str) -> list[EncodingRow]:
        if self.forms:
            return rows_by_form(text, self.forms, self.tokenizers[0])
        if self.encoders:
            return rows_by_encoder(text, self.encoders, self.tokenizers[0])
        return rows_by_tokenizer(text, self.tokenizers, special=self.special)

    def start(self) -> dict[str, Any]:
        return {"text": self.text, "lines": self.lines}

    def judge(self, answer: Any) -> Judged:
        text = checked_text(answer)
        rows = self._rows(text)
        data = {"rows": [row.data() for row in rows]}
        if not text.strip():
            return Judged("not done", [], data)
        fault = next((row.fault for row in rows if row.fault), "")
        if fault:
            return Judged("not yet", [fault], data)
        right, says = self.condition(rows, **self.how)
        return Judged("done", [Strong("Right."), " ", *says], data) if right else Judged("not yet", says, data)
