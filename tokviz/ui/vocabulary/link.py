"""What only a link to the Vocabulary page can say: which part of it, and which token.

Every token of the app is one click away from its card on the Vocabulary page:

- In a component, `tokenLink(name, id)` of tokenview/page_link.js makes the link. `name` is what links call
  the tokenizer: `link_name(me, shown)` in ui/frame/links.py.
- In Python on another page, st.page_link("pages/vocabulary.py", query_params=...) with the same parameters.
- On the Vocabulary page itself, `me.state(VocabularyState).look_at(id)`, in a callback.

In each case the page offers the way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Self

from tokviz.ui.frame.address import Link, PageLink, Query
from tokviz.ui.frame.links import link_name
from tokviz.ui.frame.tokenizers import ShownTokenizer, at_hand
from tokviz.ui.server.visitor import Visitor
from tokviz.ui.vocabulary.state import ListChoice, PagePart
from tokviz.vocabulary.search import SearchBy, Sort, Use
from tokviz.vocabulary.table import LONGEST, NOT_UTF8, TokenKind

EVERYTHING = ListChoice()
NAME_LIMIT = 80  # characters of a script or of a set of tokens
FORMER_SCRIPTS = {"not whole UTF-8": NOT_UTF8}  # as links of earlier versions name them


@dataclass(frozen=True, slots=True)
class VocabularyLink(PageLink):
    """part: the part of the page. token: the id of the token whose card is shown. None where it does not say.

    listed: which tokens are listed; its `token` is not used. The tokenizer is the first one that the link names; the
    second is the other one of the part "overlay", or of the set that is listed.
    """

    NAMES = ("part", "token", "search", "by", "kind", "length", "script", "used", "odd", "sort", "down")

    part: PagePart | None = None
    token: int | None = None
    listed: ListChoice = EVERYTHING

    def parameters(self, tokenizers: tuple[str, ...]) -> dict[str, object]:
        """The parameters of the query. A None or "" is left out of the link. tokenizers: not used here.

        >>> said = VocabularyLink(token=1753, listed=ListChoice("every", sort="use")).parameters(())
        >>> {name: value for name, value in said.items() if value}
        {'token': 1753, 'search': 'every', 'sort': 'use'}
        """
        usual, listed = asdict(EVERYTHING), asdict(replace(self.listed, token=None))
        said = {name: value for name, value in listed.items() if value != usual[name]}
        used, down = said.pop("use", None), 1 if said.pop("down", False) else None
        return {"part": self.part, "token": self.token, **said, "used": used, "down": down}

    @classmethod
    def read(cls, query: Query) -> Self:
        """Read the place from a query. A damaged parameter gets its usual value, and the query notes the fault."""
        part = query.one_of("part", PagePart, "The Vocabulary page has no part {}.", "Its first part is shown.")
        length = query.number("length", "length") or 0
        script = (query.get("script") or "")[:NAME_LIMIT]
        listed = ListChoice(
            search=query.get("search") or "",
            by=query.one_of("by", SearchBy) or "text",
            kind=query.one_of("kind", TokenKind) or "",
            length=min(length, LONGEST),
            script=FORMER_SCRIPTS.get(script, script),
            use=query.one_of("used", Use) or "any",
            odd=(query.get("odd") or "")[:NAME_LIMIT],
            sort=query.one_of("sort", Sort) or "id",
            down=query.get("down") == "1",
        )
        return cls(part, query.number("token", "id"), listed)


def link_to_list(me: Visitor, shown: ShownTokenizer, choice: ListChoice) -> Link[VocabularyLink]:
    """The link to a list of tokens, and to the token whose card is shown.

    A set of tokens that another vocabulary has or lacks names that tokenizer as links do, and not by its key.
    """
    where, _, key = choice.odd.partition(":")
    others = [link_name(me, other) for other in at_hand(me) if other.key == key]
    if others:
        choice = replace(choice, odd=f"{where}:{others[0]}")
    return Link(VocabularyLink(None, choice.token, choice), tokenizers=(link_name(me, shown), *others))


def linked_list(listed: ListChoice, here: Mapping[str, str]) -> ListChoice:
    """The list that a link names, with the key of the other tokenizer instead of its name; without the set if that
    tokenizer is not here. here: name in the link -> key."""
    where, colon, name = listed.odd.partition(":")
    if not colon:
        return listed
    return replace(listed, odd=f"{where}:{here[name]}" if name in here else "")
