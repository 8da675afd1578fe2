"""Where a text wastes tokens: which kinds of content are dear, and which chunks cost more than one token.

Two questions, and a measure for each:

- **Which content is dear here?** Each chunk belongs to a group, such as numbers. The bytes of a group would cost its
  *fair* share of the tokens if all bytes of the text cost the same. What it costs beyond that is `over_average`, which
  is below 0 for cheap content. The text itself is the scale, because any other would be unfair to its language or its
  tokenizer. Only this measure sees what the split pattern costs: cl100k cuts a number into chunks of three digits, and
  no merge can join them.
- **What could merges save?** No merge crosses the end of a chunk, so the least that a chunk can cost is one token, and
  enough merges would reach that everywhere. What a chunk costs beyond one token is its `over_one`: the number of its
  tokens that do not begin it. So no merges together can save more than the `over_one` of a text. (The fewest tokens of
  the vocabulary that spell a chunk would be a floor too. But merges come so close to it that it would name hardly any
  waste: on 2 MB of Python code they make 0.4 % more tokens, under gpt2 and under cl100k_base.)

All figures are whole numbers, and all sums are exact: the tokens, bytes and `over_one` of the groups add up to those of
all texts, and so do those of the files. The fair shares add up to all tokens, so `over_average` adds up to 0. Special
tokens are read as text.

`waste_groups` has the rules for the groups. A chunk of several words, which no named split pattern makes, is counted
token by token, each by the same rules.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping

from tokviz.arguments import text_of
from tokviz.peers import AnyTokenizer
from tokviz.text import Text, clean
from tokviz.waste.costs import ChunkCost, FileCost, GroupCost, LineCost, WasteReport
from tokviz.waste.counting import LEADING, Counting
from tokviz.waste.groups import GROUPS, Group, label_steps, repeated_lines

__all__ = [
    "GROUPS",
    "ChunkCost",
    "FileCost",
    "Group",
    "GroupCost",
    "LineCost",
    "WasteReport",
    "waste",
    "waste_steps",
]


def waste(texts: str | Text | Iterable[str | Text], tokenizer: AnyTokenizer) -> WasteReport:
    """What texts cost under a tokenizer, and where.

    >>> import tokviz
    >>> report = waste("The id is 550e8400-e29b-41d4-a716-446655440000, is it?", tokviz.reference("cl100k_base"))
    >>> [(cost.group.key, cost.tokens, cost.over_average) for cost in report.groups]
    [('hexadecimal', 18, 1), ('punctuation', 2, 1), ('space', 1, 0), ('words', 5, -2)]
    >>> report.tokens, report.over_one
    (26, 0)
    """
    steps = waste_steps(texts, tokenizer)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            report: WasteReport = end.value
            return report


def waste_steps(texts: str | Text | Iterable[str | Text], tokenizer: AnyTokenizer) -> Generator[int, None, WasteReport]:
    """As `waste`, step by step: yields the number of bytes counted so far, and returns the report."""
    read = [_text(text) for text in ([texts] if isinstance(texts, str | Text) else texts)]
    repeated = repeated_lines(text.text.encode() for text in read)
    counting, done = Counting(tokenizer), 0
    for number, text in enumerate(read):
        labelling = label_steps(text.text.encode(), repeated)
        kinds = next(labelling)  # which the next steps complete
        for _ in labelling:
            yield done
        for counted in counting.count(text, kinds, number):
            yield done + counted
        done += text.n_bytes
    return counting.report([] if counting.faults else _line_costs(repeated, tokenizer))


def _line_costs(repeated: Mapping[bytes, int], tokenizer: AnyTokenizer) -> list[LineCost]:
    """The costs of the lines that are repeated most, by their bytes."""
    lines = sorted(repeated, key=lambda line: -len(line) * repeated[line])[:LEADING]
    return [LineCost(line, len(tokenizer.encode_array(line.decode())), repeated[line]) for line in lines]


def _text(given: str | Text) -> Text:
    if isinstance(given, Text):
        return given
    text = clean(text_of(given))
    return Text(text, "", bom=False, repaired=0, sha256="", n_bytes=len(text.encode()))
