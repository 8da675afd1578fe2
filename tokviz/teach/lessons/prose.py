"""Splits the sentences of lesson files into parts, and puts the computed figures into them.

The README.md of tokviz/data/lessons says what they can have in them, such as `[the](token)` and `{tokens}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tokviz.base.sentences import Code, Goto, SentencePart, Strong
from tokviz.base.wording import rate
from tokviz.teach.lessons.shown import Fact, LessonError

_FACT = re.compile(r"\{(\w+)\}")


def parts_of(sentence: str) -> list[SentencePart]:
    """Split a sentence into its parts.

    >>> parts_of("The token [␣the](token) is **one** token.")
    ['The token ', b' the', ' is ', Strong(text='one'), ' token.']
    """
    return [part for inline in MarkdownIt("commonmark").parseInline(sentence) for part in inline_parts(inline)]


def inline_parts(inline: Token) -> list[SentencePart]:
    """Return the parts of a paragraph that a Markdown parser has read."""
    parts: list[SentencePart] = []
    children = iter(inline.children or ())
    for child in children:
        match child.type:
            case "text":
                parts.append(child.content)
            case "softbreak":
                parts.append(" ")
            case "code_inline":
                parts.append(Code(child.content))
            case "strong_open":
                parts.append(Strong(_inside(children, "strong_close")))
            case "link_open":
                parts.append(_link(_inside(children, "link_close"), str(child.attrs["href"])))
    return parts


def _inside(children: Iterator[Token], end: str) -> str:
    return "".join(child.content for child in takewhile(lambda child: child.type != end, children))


def _link(words: str, to: str) -> SentencePart:
    if to == "token":
        return words.replace("\u2423", " ").encode()
    if to == "bytes":
        return bytes.fromhex(words)
    return Goto(words, f"/learn?v=1&step={to.removeprefix('step:')}" if to.startswith("step:") else to)


def sentence(text: str, facts: Mapping[str, Fact]) -> list[SentencePart]:
    """Read a sentence of a lesson file, and put the facts that it names into it."""
    return with_facts(parts_of(text), facts)


def with_facts(parts: Iterable[SentencePart], facts: Mapping[str, Fact]) -> list[SentencePart]:
    """Replace each {name} in the parts by the fact. Raises LessonError if there is no such fact.

    >>> with_facts(["It has {tokens} tokens."], {"tokens": 1200})
    ['It has ', '1,200', ' tokens.']
    """
    return [named for part in parts for named in _named(part, facts)]


def _named(part: SentencePart, facts: Mapping[str, Fact]) -> Iterator[SentencePart]:
    if isinstance(part, Strong):
        yield Strong("".join(str(each) for each in _named(part.text, facts)))
    elif not isinstance(part, str):
        yield part
    else:
        for i, words in enumerate(_FACT.split(part)):
            if i % 2:
                yield _figure(fact_of(words, facts))
            elif words:
                yield words


def fact_of(name: str, facts: Mapping[str, Fact]) -> Fact:
    """Find the fact with this name. Raises LessonError, which lists those there are."""
    if name not in facts:
        raise LessonError(f"The step names the fact “{name}”. Its view has {', '.join(facts) or 'none'}.")
    return facts[name]


def _figure(fact: Fact) -> SentencePart:
    if isinstance(fact, int):
        return f"{fact:,}"
    return rate(fact) if isinstance(fact, float) else fact
