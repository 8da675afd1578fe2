"""The visitor: what one person typed, trained and chose, and how long the server remembers it.

A page asks for it with `visitor()` and ties its widgets to it with `bind()`; nothing else touches Streamlit's own
session state, which dies with a reload and forgets a page's widgets when the visitor leaves that page. The visitor
outlives both: it is kept on the server under the key in the cookie (cookie.py), and all tabs of one browser share it;
the last writer wins. Where the browser takes no cookie it lives in the session.

What is kept has limits. When they are met, what can be made or brought again goes first: files, what-ifs, corpora,
then the records of trainings (which hold a corpus each), then tokenizers, and typed text last of all. `Visitor.lost`
says what went.
"""

from __future__ import annotations

import copy
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, get_args

import streamlit as st

from tokviz.errors import SettingError
from tokviz.specials import Reading
from tokviz.ui.cookie import KEPT_S, key_in, new_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tokviz.text import Text
    from tokviz.tokenizer import Tokenizer
    from tokviz.training import Tie, Training
    from tokviz.ui.counting import File

Tab = Literal["Figures", "Vocabulary size", "Languages", "Train and test", "Files", "Cost", "Models", "Report"]
TABS: tuple[Tab, ...] = get_args(Tab)  # of the Compare page
SERIES = ("yours", "other1", "other2", "other3", "other4")  # colours and markers of own tokenizers; one each
SAMPLE = "sample"  # what Replay plays where nothing was trained, by `Visitor.plays`
OPENS_WITH = "mixed"  # the sample that stands in the text area of a new visitor
MB = 1_000_000
SERVER_LIMIT = 1_000 * MB  # all visitors together; one alone may have it all
SHARED_VISITOR_LIMIT = 32 * MB  # each visitor, where many share the server
MERGE_WEIGHT = 700  # bytes that one merge takes in a tokenizer with its history

_IN_SESSION = "tokviz.visitor"


def shared() -> bool:
    """Whether many people use this server (TOKVIZ_SHARED=1): then the library of models is read-only."""
    return os.environ.get("TOKVIZ_SHARED") == "1"


class Lost(NamedTuple):
    """Something of the visitor's that the server could not keep any longer."""

    kind: Literal["file", "corpus", "tokenizer", "text"]
    name: str


@dataclass(eq=False)
class Mine:
    """A tokenizer of the visitor's own. `training` is None where only the tokenizer is left, as after loading a file.

    `series` names its colour and marker in every chart, from its creation until it is dropped. `saved_as` is its file
    name in the library.
    """

    key: str
    name: str
    series: str
    tokenizer: Tokenizer
    training: Training | None
    saved_as: str | None
    corpus_name: str


@dataclass
class TrainSettings:
    """What the Train page's fields say. `sample` is the key of a sample corpus, `special` one special token a line."""

    sample: str = "story"
    pattern: str = "gpt2"
    custom: str = ""
    vocab_size: int = 1024
    special: str = ""
    tie: Tie = "first"
    min_count: int = 1


@dataclass
class ReplayPlace:
    """Where the Replay page stands, and with which own tokenizer (`of`; None: the sample's).

    `step` is merges done, `start` and `length` the window of the corpus in bytes. `every` says whether steps go to
    every merge or to those that fire in sight; None leaves that to how many there are. `presenting` is the mode for a
    projector, `text` the visitor's own text that goes through the same steps.
    """

    of: str | None = None
    step: int = 0
    start: int = 0
    length: int = 2_000
    every: bool | None = None
    presenting: bool = False
    text: str = ""


@dataclass
class IdsField:
    """The field for ids on Tokens: what stands in it, and the key of the tokenizer that they are read under."""

    text: str = "9906, 11, 1917, 0"
    under: str = "cl100k_base"


@dataclass
class ChatMessage:
    """A message in the chat editor; `key` tells its widgets from those of the others."""

    key: str
    role: str
    content: str


def opening_chat() -> list[ChatMessage]:
    return [
        ChatMessage("opening1", "system", "You are a librarian. Answer in one sentence."),
        ChatMessage("opening2", "user", "Where do I find books about parrots?"),
        ChatMessage("opening3", "assistant", "On the second floor, under birds."),
        ChatMessage("opening4", "user", "And the naïve ones? 🦜"),
    ]


@dataclass
class Chat:
    """The chat editor on Tokens: the key of its format, and the messages in their order."""

    format: str = "gpt-4o"
    messages: list[ChatMessage] = field(default_factory=opening_chat)
    _added: int = 0

    def add(self) -> None:
        """One more message at the end: of the user, or after the user of the assistant."""
        self._added += 1
        role = "assistant" if self.messages and self.messages[-1].role == "user" else "user"
        self.messages = [*self.messages, ChatMessage(f"added{self._added}", role, "")]

    def remove(self, key: str) -> None:
        """Take a message out."""
        self.messages = [message for message in self.messages if message.key != key]


@dataclass
class WhatIf:
    """What the fields of Replay's what-if say: which rule is changed, and to what. `merge` counts from 1."""

    rule: Literal["ban", "line", "pattern", "tie", "rarest"] = "ban"
    merge: int = 1
    line: str = ""
    times: int = 10
    pattern: str = "none"
    custom: str = ""
    tie: Tie = "lowest"


@dataclass(frozen=True, eq=False)
class Tried:
    """What came of a what-if: which own tokenizer it was asked of (None: the sample), the rule in words, the result."""

    of: str | None
    rule: str
    training: Training


@dataclass
class Guesses:
    """Predict, then reveal: the last guess (None: none yet), the step and tokenizer it was about, and the score so far.

    The score is the visitor's alone. `tied` guesses had the winner's count and lost by the tie rule only.
    """

    of: str | None = None
    step: int = 0
    guess: int | None = None
    right: int = 0
    tied: int = 0
    made: int = 0


@dataclass(frozen=True, slots=True)
class RulerPlace:
    """Where the ruler of the Compare page stands.

    of: the sha256 of the text that start and region are places of. start: the first byte shown of a long text. region:
    the first byte of the disagreement looked at, None for the first in view. left_out: the keys of the tokenizers that
    have no say in the consensus. pair: the keys of those that are explained, None for the page's own choice.
    """

    of: str = ""
    start: int = 0
    region: int | None = None
    left_out: frozenset[str] = frozenset()
    pair: tuple[str, str] | None = None


@dataclass
class ComparePlace:
    """Where the Compare page stands: `ruler`, and the tabs below it.

    tab: the open one. model: whose price and window the figures are held against. width, value_bytes: of an embedding
    table. prices: model -> price as the visitor edited it, USD for a million tokens. What was picked in a chart: size
    (vocabulary size), length (tokenizer, bytes), language (its code), cell (tokenizer, test text). file: the name of
    the file in view; byte: the place in it. pair: the keys of two tokenizers, of which the second cuts tokens of the
    first there; reason: the kind of reason for it that an example is shown of. faults: what was wrong with the files
    last handed in; uploads: how often the uploader was emptied. priced: the name of the file whose cost is told, ""
    for the text. with_text: does a report hold the text?
    """

    ruler: RulerPlace = RulerPlace()
    tab: str = TABS[0]
    model: str = "gpt-4o"
    width: int = 4096
    value_bytes: float = 2.0
    prices: dict[str, str] = field(default_factory=dict)
    size: int | None = None
    length: tuple[str, int] | None = None
    language: str | None = None
    cell: tuple[str, str] | None = None
    file: str | None = None
    byte: int | None = None
    pair: tuple[str, str] | None = None
    reason: str | None = None
    faults: list[str] = field(default_factory=list)
    uploads: int = 0
    priced: str = ""
    with_text: bool = False


def _opening_text() -> str:
    from tokviz.samples import sample  # only now: a session that never shows a text need not read the samples

    return sample(OPENS_WITH).text


@dataclass(eq=False)
class Visitor:
    """All that one visitor has here. Pages read and write its fields; `add` and `drop` keep the rest in step.

    `text` is what Tokens and Compare show, `lent` the last text put there that is not the visitor's own: a sample's, a
    link's. `own_texts` are their own that gave way to such a text, the latest last. `chosen` and `compared` are the
    keys of the tokenizers shown there. `model` is the name of the model whose context window and price Tokens tells, ""
    for none. `current` is the key of the own tokenizer that Replay shows. `faults` says what was wrong with the files
    last handed in, `trouble` with the last thing pressed; `uploads` counts how often the uploader was emptied.
    `specials` is how special tokens are read on Tokens and Compare. `try_part` is open below Replay's player, and
    `other` is what plays there that is not an own tokenizer. `files` are those Compare counts.
    """

    text: str = field(default_factory=_opening_text)
    own_texts: list[str] = field(default_factory=list)
    lent: str = field(default_factory=_opening_text)
    chosen: list[str] = field(default_factory=lambda: ["cl100k_base"])
    compared: list[str] = field(default_factory=lambda: ["gpt2", "cl100k_base", "o200k_base"])
    model: str = ""
    specials: Reading = "text"
    trained: list[Mine] = field(default_factory=list)
    current: str | None = None
    corpus: list[Text] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    trouble: str = ""
    uploads: int = 0
    settings: TrainSettings = field(default_factory=TrainSettings)
    replay: ReplayPlace = field(default_factory=ReplayPlace)
    ids: IdsField = field(default_factory=IdsField)
    chat: Chat = field(default_factory=Chat)
    what_if: WhatIf = field(default_factory=WhatIf)
    tried: Tried | None = None
    other: str | None = None
    guesses: Guesses = field(default_factory=Guesses)
    try_part: str = "What if"
    comparing: ComparePlace = field(default_factory=ComparePlace)
    files: list[File] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    _typed: tuple[str, str] | None = None
    _added: int = 0
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def type(self, text: str, view: str) -> None:
        """The live socket's way to set `text`: `view` is the workbench in some tab whose text area it stands in."""
        self.text, self._typed = text, (view, text)

    def lend(self, text: str) -> None:
        """Put a text there that is not the visitor's own. Theirs is kept for the way back."""
        self.own_texts = [*self.own_texts, *self._own_text]
        self.text = self.lent = text

    def back(self) -> None:
        """To the visitor's own text that stood there last. One that stands there now comes after all the others."""
        if self.own_texts:
            *earlier, text = self.own_texts
            self.own_texts = [*self._own_text, *earlier]
            self.text = text

    @property
    def _own_text(self) -> list[str]:
        return [self.text] if self.text and self.text != self.lent else []

    def typed_in(self, view: str) -> str | None:
        """The text that was typed in this workbench, so that its browser has it already; None if another typed last."""
        return self._typed[1] if self._typed and self._typed[0] == view else None

    @property
    def plays(self) -> str:
        """What Replay plays: the key of an own tokenizer, the name of a reference, or SAMPLE."""
        return self.other or self.current or SAMPLE

    @plays.setter
    def plays(self, key: str) -> None:
        if self.own(key):
            self.current, self.other = key, None
        else:
            self.other = key

    @property
    def room(self) -> int:
        """How many more tokenizers of their own the visitor can have. At 0, say so before the next is trained."""
        return len(SERIES) - len(self.trained)

    def add(self, name: str, tokenizer: Tokenizer, training: Training | None = None, *, corpus_name: str = "") -> Mine:
        """Keep a tokenizer; it becomes the one that Replay shows. Raises SettingError when there is no room."""
        with self._lock:
            free = [series for series in SERIES if series not in {mine.series for mine in self.trained}]
            if not free:
                raise SettingError(
                    f"You have {len(SERIES)} tokenizers of your own already, and there is a colour for no more.",
                    "Drop one, and there is room for the next.",
                )
            self._added += 1
            mine = Mine(f"mine{self._added}", name, free[0], tokenizer, training, None, corpus_name)
            self.trained = [*self.trained, mine]
            self.current, self.other = mine.key, None
            self.chosen = [mine.key, *self.chosen]
            self.compared = [mine.key, *self.compared]
            self.replay = ReplayPlace()
            return mine

    def own(self, key: str | None) -> Mine | None:
        """The own tokenizer with this key, or None."""
        return next((mine for mine in self.trained if mine.key == key), None)

    def drop(self, key: str) -> None:
        """Let an own tokenizer go; its colour is free again. Replay then shows the newest that is left."""
        with self._lock:
            self.trained = [mine for mine in self.trained if mine.key != key]
            self.chosen = [chosen for chosen in self.chosen if chosen != key]
            self.compared = [compared for compared in self.compared if compared != key]
            if self.current == key:
                self.current = self.trained[-1].key if self.trained else None

    @property
    def weight(self) -> int:
        """Bytes of memory that the visitor takes, near enough."""
        tried = [self.tried.training] if self.tried else []
        held: dict[int, int] = {}  # a what-if shares what it can with the training it was made of
        for training in [*(mine.training for mine in self.trained if mine.training), *tried]:
            held |= _held(training)
        return (
            sum(file.weight for file in self.files)
            + sum(_corpus_weight(text) for text in self.corpus)
            + sum(held.values())
            + sum(_tokenizer_weight(mine.tokenizer) for mine in self.trained)
            + sum(_tokenizer_weight(training.tokenizer) for training in tried)
            + sys.getsizeof(self.text)
            + sum(map(sys.getsizeof, self.own_texts))
            + (0 if self.lent is self.text else sys.getsizeof(self.lent))
        )


def _corpus_weight(text: Text) -> int:
    return sys.getsizeof(text.text)


def _held(training: Training) -> dict[int, int]:
    """The arrays that a training holds, each by its identity, and its bytes."""
    counts, kept = training.counts, training.kept
    arrays: list[NDArray[Any]] = [training.seams, counts.data, counts.ends, counts.counts, counts.firsts]
    if kept:
        arrays += [kept.order, kept.starts]
    held = {id(array): array.nbytes for array in arrays}
    return held | {id(kept.data): len(kept.data)} if kept else held


def _tokenizer_weight(tokenizer: Tokenizer) -> int:
    return MERGE_WEIGHT * len(tokenizer.merge_ids)


# Each lets one thing go, the oldest of its kind, and says whether there was one. Lists are replaced, never changed:
# another tab may be reading them.


def _let_what_if_go(person: Visitor) -> bool:
    there = person.tried is not None
    person.tried = None  # not named among what was lost: its fields stay, and a press makes it again
    return there


def _let_file_go(person: Visitor) -> bool:
    if not person.files:
        return False
    person.lost.append(Lost("file", person.files[0].name))
    person.files = person.files[1:]
    return True


def _let_corpus_go(person: Visitor) -> bool:
    if not person.corpus:
        return False
    person.lost.append(Lost("corpus", person.corpus[0].name))
    person.corpus = person.corpus[1:]
    return True


def _let_training_go(person: Visitor) -> bool:
    mine = next((mine for mine in person.trained if mine.training), None)
    if mine is None:
        return False
    person.lost.append(Lost("corpus", mine.corpus_name))
    mine.training = None
    return True


def _let_tokenizer_go(person: Visitor) -> bool:
    if not person.trained:
        return False
    person.lost.append(Lost("tokenizer", person.trained[0].name))
    person.drop(person.trained[0].key)
    return True


def _let_text_go(person: Visitor) -> bool:
    opening = _opening_text()
    if person.own_texts:
        person.own_texts = person.own_texts[1:]
    elif person.text != opening:
        person.text = person.lent = opening
    else:
        return False
    person.lost.append(Lost("text", ""))
    return True


_IN_ORDER = (_let_file_go, _let_what_if_go, _let_corpus_go, _let_training_go, _let_tokenizer_go, _let_text_go)


def make_room(people: Iterable[Visitor], limit: int) -> None:
    """Let things go, people in the order given, until together they weigh `limit` bytes at most."""
    people = list(people)
    weight = sum(person.weight for person in people)
    for let_go in _IN_ORDER:
        for person in people:
            before = person.weight
            while weight > limit and let_go(person):
                weight += person.weight - before
                before = person.weight


class Visitors:
    """The visitors of this server by their keys, each kept for `KEPT_S` after it was last asked for."""

    def __init__(self, limit: int, limit_each: int, now: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self.limit_each = limit_each
        self._now = now
        self._lock = threading.Lock()
        self._people: dict[str, Visitor] = {}  # the one asked for last stands last
        self._seen: dict[str, float] = {}
        self._moved: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._people)

    def of(self, key: str) -> Visitor:
        """The visitor with this key, a new one if there is none."""
        with self._lock:
            self._forget_the_gone()
            key = self._moved.get(key, key)
            person = self._people.pop(key, None) or Visitor()
            self._people[key] = person
            self._seen[key] = self._now()
            return person

    def find(self, key: str) -> Visitor | None:
        """The visitor with this key if there is one; that counts as being asked for."""
        with self._lock:
            key = self._moved.get(key, key)
            if key in self._people:
                self._seen[key] = self._now()
            return self._people.get(key)

    def keep_limits(self) -> None:
        """Hold each visitor to their limit and all to the server's; who was away longest gives first."""
        with self._lock:
            for person in self._people.values():
                make_room([person], self.limit_each)
            make_room(self._people.values(), self.limit)

    def start_over(self, key: str) -> None:
        """Forget the visitor, and the key too: open tabs go on under a new one, which a load puts in the cookie."""
        with self._lock:
            old, new = self._moved.get(key, key), new_key()
            self._people.pop(old, None)
            self._seen.pop(old, None)
            self._moved |= {moved: new for moved, to in self._moved.items() if to == old} | {old: new}
            self._seen[new] = self._now()

    def current(self, key: str) -> str:
        """The key that holds for a browser that came with `key`."""
        with self._lock:
            return self._moved.get(key, key)

    def _forget_the_gone(self) -> None:
        oldest = self._now() - KEPT_S
        for key in [key for key, seen in self._seen.items() if seen < oldest]:
            del self._seen[key]
            self._people.pop(key, None)
            self._moved = {moved: to for moved, to in self._moved.items() if to != key}


VISITORS = Visitors(SERVER_LIMIT, SHARED_VISITOR_LIMIT if shared() else SERVER_LIMIT)


def _key() -> str | None:
    return key_in(st.context.cookies)


def visitor() -> Visitor:
    """The visitor whose page this is."""
    key = _key()
    if key:
        return VISITORS.of(key)
    if _IN_SESSION not in st.session_state:
        st.session_state[_IN_SESSION] = Visitor()
    here: Visitor = st.session_state[_IN_SESSION]
    return here


def keep_limits() -> None:
    """What the router does before each run of a page."""
    make_room([visitor()], VISITORS.limit_each)  # also one that lives in its session
    VISITORS.keep_limits()


def start_over() -> None:
    """Drop all the visitor has, and the key. Call it from a button's on_click."""
    key = _key()
    if key:
        VISITORS.start_over(key)
    st.session_state.clear()


def widget_value(key: str) -> Any:
    """What a widget holds, for its own callback; None if it is not on the page."""
    return st.session_state.get(key)


def kept_in_session(key: str) -> dict[str, Any]:
    """What a part of a page keeps from run to run, in this tab alone."""
    kept: dict[str, Any] = st.session_state.setdefault(f"tokviz.{key}", {})
    return kept


def set_widget(key: str, value: Any) -> None:
    """What a widget is to hold; to be called before it is drawn in this run, and only where that is something new."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


class Bound(TypedDict):
    """The arguments that tie a widget to the visitor."""

    key: str
    on_change: Callable[[str, str], None]
    args: tuple[str, str]


def bind(key: str, field: str) -> Bound:
    """Tie a widget to a field of the visitor, both ways: `st.text_area("Text", **bind("tokens.text", "text"))`.

    key: the widget's own, one in the app. field: a field of Visitor, or of a part of it: "settings.vocab_size". The
    widget needs no default: it opens on the field's value, also after another page, another tab or a reload, and what
    the person changes is in the field before the page runs again.
    """
    value = attrgetter(field)(visitor())
    # Only where they differ: a value that is set is sent, and would overwrite what is being typed meanwhile.
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = copy.copy(value)
    return {"key": key, "on_change": _write_back, "args": (key, field)}


def _write_back(key: str, field: str) -> None:
    value: Any = copy.copy(st.session_state[key])
    part, _, name = field.rpartition(".")
    setattr(attrgetter(part)(visitor()) if part else visitor(), name, value)
