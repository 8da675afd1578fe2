"""What only a link to the Vocabulary page can say: which part of it, and which token.

Every token of the app is one click away from its biography:

- In a component, `tokenLink(className, name, id)` of components/page_link.js makes the link. `name` is what links call
  the tokenizer: `name_of(me, shown)` in ui/links.py.
- In Python on another page, st.page_link("pages/vocabulary.py", query_params=...) with the same parameters.
- On the Vocabulary page itself, `me.state(VocabularyState).look_at(id)`, in a callback.

In each case the page offers the way back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from tokviz.ui.address import PageLink, Query, shortened
from tokviz.ui.vocabulary.state import PARTS, Part


@dataclass(frozen=True, slots=True)
class VocabularyLink(PageLink):
    """part: the part of the page. token: the id of the token whose biography is shown. None where it does not say.

    The tokenizer is the first one that the link names; two for the part "overlay".
    """

    NAMES = ("part", "token")

    part: Part | None = None
    token: int | None = None

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters of the query. A None or "" is left out of the link. tokenizers: not used here.

        >>> VocabularyLink(token=1753).parameters(())
        {'part': None, 'token': 1753}
        """
        return {"part": self.part, "token": self.token}

    @classmethod
    def read(cls, query: Query) -> Self:
        """Read the place from a query. A parameter that is damaged becomes None, and the query notes the fault."""
        said = query.get("part")
        part = next((part for part in PARTS if part == said), None)
        if said and part is None:
            query.fault(f"The Vocabulary page has no part {shortened(said)}.", "Its first part is shown.")
        return cls(part, query.number("token", "id"))
