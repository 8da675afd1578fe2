"""Reads chapters and steps from lesson files.

A chapter is a file of tokviz/data/lessons, in the order of the names. Its form is in the README.md there. What a step
shows is computed when it is asked for, and never stored in the file; figures that the file names under `expect` are
compared with what is computed.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tokviz.base.data import DATA
from tokviz.base.errors import UnknownNameError
from tokviz.base.sentences import SentencePart, plain
from tokviz.teach.lessons.inputs import accepted
from tokviz.teach.lessons.prose import inline_parts, with_facts
from tokviz.teach.lessons.shown import Chosen, Fact, LessonError, Shown, as_text, parted
from tokviz.teach.lessons.tasks import TASKS
from tokviz.teach.lessons.tasks.task import Task
from tokviz.teach.lessons.views import VIEWS

FOLDER = DATA / "lessons"
_FACT = re.compile(r"\{\w+\}")
_TITLE = re.compile(r"(?P<title>.+?) \{#(?P<id>[a-z0-9-]+)\}")


@dataclass(frozen=True, slots=True)
class Fence:
    """Holds a fenced block of a step: the name of its view or task, what it says, and its line in the file."""

    name: str
    says: Mapping[str, Any]
    line: int


@dataclass(frozen=True, eq=False)
class Step:
    """Describes a step of a chapter.

    id: stable, because links have it. line: in the file.
    prose: one entry a paragraph.
    code: lines of Python that do the same.
    """

    id: str
    title: str
    chapter: str
    file: str
    line: int
    prose: Sequence[Sequence[SentencePart]]
    view: Fence | None = None
    task: Fence | None = None
    code: str = ""

    @cached_property
    def words(self) -> str:
        """What a search for it reads, in small letters: its title, its sentences without their figures, its task."""
        says = self.task.says if self.task else {}
        options = [option["says"] for option in says.get("options", ())]
        parts = [self.title, *map(plain, self.prose), says.get("title", ""), says.get("begin", ""), *options]
        return _sought(_FACT.sub("", " ".join(parts)))

    def show(self, own: Sequence[Chosen] = (), changed: Mapping[str, Any] | None = None) -> Shown | None:
        """Make what its view shows; None if it has none. changed: arguments that the learner changed.

        Raises TokvizError if the arguments make no sense, InputError if what was changed is of another kind.
        """
        if self.view is None:
            return None
        if self.view.name not in VIEWS:
            raise self.error(self.view.line, f"There is no view “{self.view.name}”. There are {', '.join(VIEWS)}.")
        kind = VIEWS[self.view.name]
        takes = inspect.signature(kind.show).parameters
        says = {name: value for name, value in self.view.says.items() if name != "expect"}
        usual = {name: says.get(name, takes[name].default) for name in kind.inputs}
        says |= accepted(changed or {}, usual)
        if "own" in takes:
            says["own"] = own
        try:
            inspect.signature(kind.show).bind(**says)
        except TypeError as fault:
            raise self.error(self.view.line, f"The view “{self.view.name}”: {fault}.") from None
        typing = says.get("typing", takes["typing"].default) if "typing" in takes else "text" in takes
        return replace(kind.show(**says), again=lambda **inputs: kind.show(**{**says, **inputs}), typing=typing)

    def blocks(self, shown: Shown) -> Sequence[Any]:
        """Return the blocks of its view. A step has one field for text: that of its task, where the task has one.

        A task write-text takes the field of the view, with all that is below it.
        """
        task = self.task.name if self.task else ""
        if task == "write-text":
            return parted(shown.blocks)[0]
        return as_text(shown.blocks) if task == "find-text" else shown.blocks

    def make_task(self, shown: Shown | None) -> Task | None:
        """Make its task, over what the view shows at first; None if it has none."""
        if self.task is None:
            return None
        if self.task.name not in TASKS:
            raise self.error(self.task.line, f"There is no task “{self.task.name}”. There are {', '.join(TASKS)}.")
        says = {name: value for name, value in self.task.says.items() if name not in _OF_EVERY_TASK}
        make = TASKS[self.task.name]
        try:
            inspect.signature(make).bind(shown, **says)
        except TypeError as fault:
            raise self.error(self.task.line, f"The task “{self.task.name}”: {fault}.") from None
        try:
            return make(shown, **says)
        except LessonError as fault:
            raise self.error(self.task.line, fault.what) from None

    def sentences(self, facts: Mapping[str, Fact]) -> list[list[SentencePart]]:
        """Put the computed figures into the prose. Raises LessonError if it names a fact that the view lacks."""
        try:
            return [with_facts(paragraph, facts) for paragraph in self.prose]
        except LessonError as fault:
            raise self.error(self.line, fault.what) from None

    @property
    def code_before(self) -> str:
        """The lines of Python before the task is done: without those that state a result, which can be the answer.

        All of them wait if they name a text that is a right answer, or if nothing but imports would be left.
        """
        lines, parts = self.code.splitlines(keepends=True), ast.parse(self.code).body
        if all(isinstance(part, ast.Import | ast.ImportFrom | ast.Assert) for part in parts):
            return ""
        for part in reversed(parts):
            if isinstance(part, ast.Assert):
                del lines[part.lineno - 1 : part.end_lineno]
        code = "".join(lines).rstrip() + "\n"
        right = self.task.says.get("right") if self.task else None
        texts = right if isinstance(right, list) else [right]
        return "" if any(isinstance(text, str) and text in code for text in texts) else code

    def error(self, line: int, what: str) -> LessonError:
        """Make an error that says where in the lesson file something is wrong."""
        return LessonError(f"{self.file}, line {line}: {what}")


_OF_EVERY_TASK = ("title", "begin", "in_class", "right", "wrong")


@dataclass(frozen=True, eq=False)
class Chapter:
    """Holds the title and the steps of a chapter. id: its file's name without the number."""

    id: str
    title: str
    steps: Sequence[Step]


@dataclass(frozen=True, eq=False)
class Course:
    """Holds all chapters, in order."""

    chapters: Sequence[Chapter]

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """Every step by its id, in order."""
        return {step.id: step for chapter in self.chapters for step in chapter.steps}

    def step(self, id: str) -> Step:
        """Find the step with this id. Raises UnknownNameError."""
        if id not in self.steps:
            raise UnknownNameError(f"The course has no step “{id[:40]}”.", "Choose one from the list of chapters.")
        return self.steps[id]

    def find(self, words: str) -> list[Step]:
        """Find the steps with words that begin with these, in any case: those with them in the title come first.

        >>> [step.id for step in course().find("Count the R's")]
        ['counting-letters']
        """
        sought = [f" {word}" for word in _sought(words).split()]
        found = [step for step in self.steps.values() if sought and all(word in step.words for word in sought)]
        return sorted(found, key=lambda step: not all(word in _sought(step.title) for word in sought))

    def number(self, id: str) -> str:
        """Number a step as the list of chapters does, as in "4.2"."""
        chapter = self.chapter_of(id)
        return f"{self.chapters.index(chapter) + 1}.{[step.id for step in chapter.steps].index(id) + 1}"

    def chapter_of(self, id: str) -> Chapter:
        """Find the chapter with this step."""
        return next(chapter for chapter in self.chapters if any(step.id == id for step in chapter.steps))


def _sought(words: str) -> str:
    """Write words as a search compares them: in small letters, each behind one space, without the signs around them.

    >>> _sought("The “R’s”?")
    " the r's"
    """
    return "".join(f" {word}" for word in re.findall(r"\w[^\s”“]*", words.casefold().replace("’", "'")))


@cache
def course() -> Course:
    """Read the course that is bundled with tokviz. LessonError if a file is not as README.md describes."""
    files = sorted(path for path in FOLDER.glob("*.md") if path.name[0].isdigit())
    found = Course([read_chapter(path.read_text("utf-8"), path.name) for path in files])
    ids = [step.id for chapter in found.chapters for step in chapter.steps]
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        raise LessonError(f"Two steps of the course have the id “{twice[0]}”.", "Give one of them another id.")
    return found


def read_chapter(text: str, file: str) -> Chapter:
    """Read the chapter in the text of a file. file: its name, for messages.

    >>> chapter = read_chapter("# Bytes\\n\\n## Letters {#bytes-1}\\n\\nA **letter** is a byte.", "02-bytes.md")
    >>> chapter.title, chapter.steps[0].id, chapter.steps[0].prose
    ('Bytes', 'bytes-1', [['A ', Strong(text='letter'), ' is a byte.']])
    """
    reader = _Reader(file)
    for token in _blocks(MarkdownIt("commonmark").parse(text)):
        reader.read(*token)
    return reader.finish()


def _blocks(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token | None]]:
    """Yield each heading and paragraph with its inline token, and each fence."""
    for i, token in enumerate(tokens):
        if token.type in ("heading_open", "paragraph_open"):
            yield token, tokens[i + 1]
        elif token.type not in ("inline", "heading_close", "paragraph_close"):
            yield token, None


class _Reader:
    """Reads one file from top to bottom."""

    def __init__(self, file: str) -> None:
        self.file, self.title = file, ""
        self.steps: list[Step] = []
        self.now: dict[str, Any] | None = None

    def error(self, token: Token, what: str, way_out: str = "") -> LessonError:
        return LessonError(f"{self.file}, line {_line(token)}: {what}", way_out)

    def read(self, token: Token, inline: Token | None) -> None:
        if token.tag == "h1" and inline:
            self.title = inline.content
        elif token.tag == "h2" and inline:
            self._begin(token, inline.content)
        elif token.type == "fence" and self.now:
            self._fence(token, self.now)
        elif token.type == "paragraph_open" and inline and self.now:
            self.now["prose"].append(inline_parts(inline))
        else:
            raise self.error(token, "This is neither a heading, a paragraph nor a block of a step.")

    def _begin(self, token: Token, heading: str) -> None:
        self._end()
        found = _TITLE.fullmatch(heading)
        if not found:
            raise self.error(token, "The heading of a step has no id.", "Write it as in ## The title {#the-id}.")
        self.now = {"id": found["id"], "title": found["title"], "line": _line(token), "prose": []}

    def _fence(self, token: Token, now: dict[str, Any]) -> None:
        kind, _, name = token.info.strip().partition(" ")
        slot = {"view": "view", "task": "task", "python": "code"}.get(kind)
        if slot is None:
            raise self.error(token, f"There is no block “{kind}”.", "There are view, task and python.")
        if slot in now:
            raise self.error(token, f"The step has a second block “{kind}”.")
        if kind == "python":
            shown = (DATA.parent / name).read_text("utf-8").rstrip() + "\n\n\n" if name else ""
            now["code"] = shown + token.content
            return
        try:
            now[slot] = Fence(name, tomllib.loads(token.content), _line(token))
        except tomllib.TOMLDecodeError as fault:
            raise self.error(token, f"The block is not TOML: {fault}.") from None

    def _end(self) -> None:
        if self.now:
            self.steps.append(Step(chapter=self.title, file=self.file, **self.now))
        self.now = None

    def finish(self) -> Chapter:
        self._end()
        if not self.title or not self.steps:
            raise LessonError(f"{self.file} has no title or no steps.")
        return Chapter(self.file.removesuffix(".md").partition("-")[2], self.title, self.steps)


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 1
