"""Line ends, blank lines, indentation, and white space at the ends of lines or inside them.

In JSON, line ends are always between values, so those that change nothing inside a line are lossless there.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from tokviz.rewrites.source import Kind, Made, Source

TAB = 4  # spaces for a tab
# A run of spaces may be as long as the text, so each pattern begins at the start of a run and gives nothing back. The
# character that it looks for comes first, because `re` then skips all others quickly.
_LEADING = re.compile(r"^[ \t]++", re.MULTILINE)
_TRAILING = re.compile(r"[ \t](?<![ \t]{2})[ \t]*+(?=\r?\n|\Z)")
_BLANK = re.compile(r"(\r?\n[ \t]*+\r?\n)(?:[ \t]*+\r?\n)++")
_INSIDE = re.compile(r" (?<=\S ) ++(?=\S)")
_INDENTED_BY = (2, 3, 4, 8)  # spaces a level


def _changed(source: Source, text: str, loss: str) -> Made:
    return Made(text, "" if source.form else loss)


def _line_feeds(source: Source) -> Made:
    loss = "The line ends. Programs and prose read the same; a checksum or a diff does not."
    return _changed(source, source.text.replace("\r\n", "\n"), loss)


def _no_trailing_white_space(source: Source) -> Made:
    loss = "Two spaces at the end of a line break the line in Markdown, and strings of several lines may need theirs."
    return _changed(source, _TRAILING.sub("", source.text), loss)


def _one_blank_line(source: Source) -> Made:
    loss = "How many blank lines there were, also inside strings of several lines."
    return _changed(source, _BLANK.sub(r"\1", source.text), loss)


def _tabs(source: Source) -> Made | None:
    unit = _unit(source.text)
    loss = f"A tab for {unit} spaces is as wide as the reader's editor shows it. YAML forbids tabs."
    return _changed(source, _reindented(source.text, " " * unit, "\t"), loss) if unit else None


def _one_space(source: Source) -> Made | None:
    unit = _unit(source.text)
    loss = f"The width of the indentation, {unit} spaces. Lines that are aligned with others move."
    return _changed(source, _reindented(source.text, " " * unit, " "), loss) if unit else None


def _spaces(source: Source) -> Made:
    loss = f"Which of the {TAB} spaces were a tab. A Makefile needs its tabs."
    return _changed(source, _reindented(source.text, "\t", " " * TAB), loss)


def _reindented(text: str, before: str, after: str) -> str:
    return _LEADING.sub(lambda found: found[0].replace(before, after), text)


def _unit(text: str) -> int:
    """By how many spaces the lines are indented, judged by the most frequent step to the right; 0 if none is usual."""
    widths = [len(run) for run in re.findall(r"^( *)[^\s]", text, re.MULTILINE)]
    steps = Counter(there - here for here, there in pairwise(widths) if there > here)
    usual = max(steps, key=lambda step: (steps[step], step), default=0)
    return usual if usual in _INDENTED_BY else 0


def _one_space_inside(source: Source) -> Made:
    loss = "Columns that were aligned, and runs of spaces inside strings."
    return Made(_INSIDE.sub(" ", source.text), loss)


KINDS = (
    Kind("lf", "LF for CRLF", "Ends each line with one character instead of two.", _line_feeds),
    Kind(
        "trailing",
        "No white space at line ends",
        "Takes spaces and tabs off the ends of lines.",
        _no_trailing_white_space,
    ),
    Kind(
        "blank", "One blank line at most", "Leaves one of several blank lines that follow each other.", _one_blank_line
    ),
    Kind("tabs", "Tabs for spaces", "Indents with one tab for each level.", _tabs),
    Kind("spaces", "Spaces for tabs", f"Indents with {TAB} spaces for each tab.", _spaces),
    Kind("indent-1", "Indentation of 1 space", "Indents with one space for each level.", _one_space),
    Kind("runs", "One space for several", "Leaves one of several spaces inside a line.", _one_space_inside),
)
