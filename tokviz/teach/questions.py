"""Makes questions for a class: a prediction of a training, a task of a lesson, or one of the teacher's own.

A question has a part that everybody may see before the vote is over (title, text in tokens, options), and a part that
tells the answer. `as_asked` and `as_told` give them apart, so that the first can be sent alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from tokviz.base.errors import InputError, SettingError
from tokviz.base.sentences import Strong, Told, spelled
from tokviz.base.sentences import to_json as sentence_to_json
from tokviz.base.text import clean
from tokviz.base.typed import Id, JsonCount, read
from tokviz.base.wording import capital, count_of
from tokviz.teach.misconceptions import MISTAKES, Misconception, Pair, offer, refutation
from tokviz.tokenizer.encoding import BYTES_AS_IDS, Encoding, is_closed
from tokviz.training.rules import TIES
from tokviz.training.train import Training
from tokviz.training.why import in_short

QuestionKind = Literal["prediction", "task", "own"]
LETTERS = "ABCDEF"
OPTIONS = 4  # pairs on offer in a prediction
TITLE_LIMIT = 300  # characters of the teacher's own question
OPTION_LIMIT = 120  # characters of an option of the teacher's own
WHOLE_LIMIT = 240  # bytes of a corpus that is shown whole
STRIP_LENGTH = 160  # bytes that are shown of a longer one
STRIP_MOST = 20_000  # bytes of it with whole tokens: a token can have millions
STRIP_BEFORE = 20  # bytes of it before the first of the pairs on offer
SEARCHED = 100_000  # bytes of a corpus in which a part with the pairs on offer is looked for


@dataclass(frozen=True, slots=True)
class Option:
    """Describes an option. tokens: the bytes of one token, or of the two of a pair; () if the option is `text`.

    Only for the reveal:
    count: how often the pair occurs, None if there is nothing to count.
    note: a word or two on the option.
    wrong: the sentences that prove it false.
    """

    tokens: tuple[bytes, ...] = ()
    text: str = ""
    count: int | None = None
    note: str = ""
    wrong: tuple[Told, ...] = ()


@dataclass(frozen=True, eq=False)
class Question:
    """Asks for one of 2 to 6 options. SettingError if there are fewer or more, or if `right` is none of them.

    lead: a sentence under the title, or "".
    strip: a text in tokens, or None. It must not tell the answer: it contains no later merges (`Encoding.at`).
    Only for the reveal:
    right: the index of the right option, None if there is none.
    why: the sentences that tell the reason.
    places: the bytes of the strip where the right answer is.
    """

    kind: QuestionKind
    title: str
    options: tuple[Option, ...]
    right: int | None = None
    lead: str = ""
    strip: Encoding | None = None
    why: tuple[Told, ...] = ()
    places: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        if not 2 <= len(self.options) <= len(LETTERS):
            raise SettingError(
                f"A question cannot have {count_of(len(self.options), 'option')}.", f"Give it 2 to {len(LETTERS)}."
            )
        if self.right is not None and not 0 <= self.right < len(self.options):
            raise SettingError(f"There is no option {self.right + 1:,} that could be right.", "Choose another one.")

    def as_asked(self) -> dict[str, Any]:
        """Return what may be known before the vote is over, without the strip: {"kind", "title", "lead", "options"}."""
        options = [
            {"letter": letter, "tokens": [token.hex() for token in option.tokens], "text": option.text}
            for letter, option in zip(LETTERS, self.options, strict=False)
        ]
        return {"kind": self.kind, "title": self.title, "lead": self.lead, "options": options}

    def as_told(self) -> dict[str, Any]:
        """Return what the reveal tells: {"right", "counts", "notes", "why", "wrong", "places"}."""
        return {
            "right": self.right,
            "counts": [option.count for option in self.options],
            "notes": [option.note for option in self.options],
            "why": [list(sentence) for sentence in self.why],
            "wrong": [[list(sentence) for sentence in option.wrong] for option in self.options],
            "places": [list(place) for place in self.places],
        }


def prediction(training: Training, step: int) -> Question:
    """Ask which pair merges next, out of up to four. The wrong ones come from misconceptions and are proved false.

    The order of the options does not depend on their counts. Raises SettingError if there is no such step, or if fewer
    than two pairs are left there.

    >>> from tokviz import train
    >>> question = prediction(train("the cat in the hat sat on the mat.", 266, pattern="none"), 1)
    >>> [b"+".join(option.tokens) for option in question.options]
    [b'e+ ', b'at+ ', b't+h', b'h+e']
    >>> question.options[question.right].tokens, [option.count for option in question.options]
    ((b't', b'h'), [3, 3, 3, 3])
    >>> question.as_told()["why"][0][1:]
    [{'token': '74'}, ' + ', {'token': '68'}, '.']
    """
    offered = offer(training, step, OPTIONS)
    if len(offered) < 2:
        raise SettingError(f"At step {step:,} there are no two pairs to choose from.", "Choose another step.")
    strip, places = _strip(training, step, [*offered])
    return Question(
        "prediction",
        "Which pair merges next?",
        tuple(_pair_option(training, step, pair, wrong) for pair, wrong in offered.items()),
        right=[*offered.values()].index(None),
        lead=_lead(training, step, strip),
        strip=strip,
        why=(sentence_to_json(spelled(in_short(training, step), training.tokenizer.vocab)),),
        places=places,
    )


def own_question(title: str, options: Sequence[str], right: int | None = None) -> Question:
    """Make a question of the teacher's own. right: the index of the right option, None if no option is.

    Raises InputError if a text is empty or too long, or if two options are the same; SettingError as `Question` does.

    >>> question = own_question("Is a token a word?", ["Yes", "No"], right=1)
    >>> question.as_asked()["options"][1], question.as_told()["why"]
    ({'letter': 'B', 'tokens': [], 'text': 'No'}, [['The right answer is B: ', {'strong': 'No'}, '.']])
    """
    title = _own_text(title, "The question", TITLE_LIMIT)
    texts = [_own_text(text, f"Answer {LETTERS[i % 6]}", OPTION_LIMIT) for i, text in enumerate(options)]
    if len(set(texts)) < len(texts):
        raise InputError("Two answers are the same.", "Change one of them.")
    made = tuple(Option(text=text, note="right" if i == right else "") for i, text in enumerate(texts))
    why: tuple[Told, ...] = ()
    if right is not None and 0 <= right < min(len(texts), len(LETTERS)):
        why = (sentence_to_json([f"The right answer is {LETTERS[right]}: ", Strong(texts[right]), "."]),)
    return Question("own", title, made, right, why=why)


def _own_text(text: str, what: str, limit: int) -> str:
    text = " ".join(clean(text).split())
    if not text:
        raise InputError(f"{what} is empty.", "Write something there.")
    if len(text) > limit:
        raise InputError(f"{what} has {len(text):,} characters, and {limit:,} is the limit.", "Shorten it.")
    return text


def _pair_option(training: Training, step: int, pair: Pair, wrong: Misconception | None) -> Option:
    """Make the option of a pair. wrong: None for the one that merges."""
    vocab = training.tokenizer.vocab
    tokens = (vocab[pair[0]], vocab[pair[1]])
    if wrong is None:
        return Option(tokens, count=training.merges[step].count, note="merges next")
    mistake, proof = [Strong(f"{capital(MISTAKES[wrong.kind])}.")], refutation(wrong, vocab)
    note = "same count, but loses the tie" if wrong.count == wrong.winner_count else ""
    said = (sentence_to_json(mistake), sentence_to_json(proof))
    return Option(tokens, count=wrong.count, note=note, wrong=said)


def _strip(training: Training, step: int, pairs: Sequence[Pair]) -> tuple[Encoding | None, tuple[tuple[int, int], ...]]:
    """Cut out a part of the corpus at this step, and find the winner in it; (None, ()) if no corpus is here.

    Of a long corpus it is the first part with as many of the pairs on offer as possible, whichever of them wins.
    """
    if not training.kept_bytes:
        return None, ()
    start, length = 0, training.kept_bytes
    if length > WHOLE_LIMIT:
        start, length = _busiest(training.window(0, SEARCHED).at(step).part(0, SEARCHED), pairs), STRIP_LENGTH
    window = training.window(start, length)
    after, _ = window.at(step + 1).short_part(start - window.start, length, STRIP_MOST)
    places = [(token.start, token.end) for token in after.tokens() if token.rank == step]
    return after.at(step), tuple(places)


def _busiest(corpus: Encoding, pairs: Sequence[Pair]) -> int:
    """Find where the first STRIP_LENGTH bytes start that contain as many of these pairs as possible."""
    ids, starts = corpus.ids.tolist(), corpus.starts.tolist()
    found = [(at, pair) for at, pair in zip(starts, pairwise(ids), strict=False) if pair in pairs]
    best, best_start, first = 0, 0, 0
    within: Counter[Pair] = Counter()
    for at, pair in found:
        within[pair] += 1
        while found[first][0] < at - STRIP_LENGTH + 2 * STRIP_BEFORE:
            within[found[first][1]] -= 1
            first += 1
        if len(+within) > best:
            best, best_start = len(+within), max(found[first][0] - STRIP_BEFORE, 0)
    return best_start


def _lead(training: Training, step: int, strip: Encoding | None) -> str:
    made = f"After {count_of(step, 'merge')}" if step else "Before the first merge"
    said = f"{made}. Ties go to {TIES[training.rules.tie].goes_to}."
    if training.rules.prefer == "rarest":
        said += " The rarest pair wins."
    if strip is not None and len(strip.data) < training.n_bytes:
        said += f" These are {len(strip.data):,} of the {count_of(training.n_bytes, 'byte')} of the corpus."
    return said


# -- as data, for a file --


def to_json(question: Question) -> dict[str, Any]:
    """Turn all of the question into values for JSON.

    >>> asked = own_question("Is a token a word?", ["Yes", "No"], right=1)
    >>> from_json(to_json(asked)).as_told() == asked.as_told()
    True
    """
    return {
        **question.as_asked(),
        **question.as_told(),
        "strip": None if question.strip is None else _strip_to_json(question.strip),
    }


class _Option(NamedTuple):
    tokens: list[str]
    text: str


class _Strip(NamedTuple):
    data: str
    seams: list[Annotated[int, range(-(2**31), 2**31)]]
    alphabet: Annotated[list[Id], range(256, 257)] | None
    merge_ids: dict[str, Id]
    whole: dict[str, Id | None]
    special_ids: list[Id]
    start: JsonCount
    cut: bool
    added_ids: tuple[Id, ...] = ()


class _Question(NamedTuple):
    """Describes the values that `to_json` gives."""

    kind: QuestionKind
    title: str
    lead: str
    options: list[_Option]
    right: JsonCount | None
    counts: list[JsonCount | None]
    notes: list[str]
    why: tuple[Told, ...]
    wrong: list[tuple[Told, ...]]
    places: tuple[tuple[JsonCount, JsonCount], ...]
    strip: _Strip | None


def from_json(data: Mapping[str, Any]) -> Question:
    """Make the question again. ValueError if the data is damaged."""
    said: _Question = read(data, _Question)
    options = tuple(
        Option(tuple(map(bytes.fromhex, option.tokens)), option.text, count, note, wrong)
        for option, count, note, wrong in zip(said.options, said.counts, said.notes, said.wrong, strict=True)
    )
    strip = None if said.strip is None else _strip_from_json(said.strip)
    return Question(said.kind, said.title, options, said.right, said.lead, strip, said.why, said.places)


def _strip_to_json(strip: Encoding) -> dict[str, Any]:
    ranks = np.unique(strip.seams[is_closed(strip.seams)])
    return {
        "data": strip.data.hex(),
        "seams": strip.seams.tolist(),
        "alphabet": None if np.array_equal(strip.alphabet, BYTES_AS_IDS) else strip.alphabet.tolist(),
        "merge_ids": {str(rank): int(strip.merge_ids[rank]) for rank in ranks.tolist()},
        "whole": {str(start): id for start, id in strip.whole.items()},
        "special_ids": sorted(strip.special_ids.intersection(strip.whole.values())),
        "start": strip.start,
        "cut": strip.cut,
        "added_ids": sorted(strip.added_ids.intersection(strip.whole.values())),
    }


def _strip_from_json(said: _Strip) -> Encoding:
    text, seams = bytes.fromhex(said.data), np.array(said.seams, np.int32)
    minted = {int(rank): id for rank, id in said.merge_ids.items()}
    if len(text) != len(seams) or {*seams[is_closed(seams)].tolist()} != minted.keys():
        raise ValueError("The seams do not fit the text.")
    merge_ids = np.full(max(minted, default=-1) + 1, -1, np.int32)
    merge_ids[[*minted]] = [*minted.values()]
    return Encoding(
        text,
        seams,
        BYTES_AS_IDS if said.alphabet is None else np.array(said.alphabet, np.int32),
        merge_ids,
        {int(start): id for start, id in said.whole.items()},
        said.start,
        said.cut,
        frozenset(said.special_ids),
        added_ids=frozenset(said.added_ids),
    )
