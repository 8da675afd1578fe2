"""How a teacher chooses questions: predictions of a training, tasks of lessons, or questions of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import streamlit as st

from tokviz.base.errors import InputError
from tokviz.base.wording import count_of
from tokviz.catalog.samples import sample
from tokviz.teach.questions import LETTERS, Question, own_question, prediction
from tokviz.teach.rooms.room import Room
from tokviz.training.train import Training, train
from tokviz.ui.classroom.lesson_tasks import askable_tasks, task_question
from tokviz.ui.classroom.state import ANSWERS, DraftState, OwnDraft, PredictionDraft
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.field import bound_field
from tokviz.ui.frame.tokenizers import sample_training
from tokviz.ui.frame.widgets import bind, take_shown
from tokviz.ui.server.visitor import SAMPLE, Visitor

KINDS = {"prediction": "A prediction", "task": "A task of a lesson", "own": "Your own"}
PLACE = "class.choosing"
# What a new room begins with: a class counts the pairs of this text in a minute, at its first step 5 places against 4.
FIRST_TEXT = "the cat in the hat sat on the mat. the cat and the hat."
FIRST_STEPS = range(3, 8)
AT_ONCE = 10  # predictions

Make = Callable[[], Question]  # raises TokvizError if there is no such question


def trainings(me: Visitor) -> dict[str, tuple[str, Training]]:
    """The trainings whose merges can be predicted: key -> name and training. The latest comes first."""
    own = {mine.key: (mine.name, mine.training) for mine in reversed(me.trained) if mine.training}
    return own | {SAMPLE: (f"Sample: {sample('tongue').title}", sample_training())}


def first_questions() -> list[Question]:
    """What a new room begins with, so that a teacher can ask at once."""
    training = train(FIRST_TEXT, 256 + FIRST_STEPS.stop, pattern="none")
    return [prediction(training, step) for step in FIRST_STEPS]


def add_questions(room: Room, questions: Iterable[Question]) -> None:
    """Put questions at the end of the plan. SettingError if the room has too many; those that fit are in it."""
    for question in questions:
        room.add(question)


def choose_questions(me: Visitor, room: Room) -> None:
    """Draw the fields by which questions are put at the end of the room's plan."""
    st.header("Add questions", anchor=False)
    st.segmented_control(
        "Kind of question",
        list(KINDS),
        required=True,
        format_func=KINDS.__getitem__,
        label_visibility="collapsed",
        **bind("class.kind", "kind", DraftState),
    )
    kind = me.state(DraftState).kind
    {"prediction": _predictions, "task": _tasks, "own": _own}[kind](me)
    try:
        n = len(_chosen(me, me.state(DraftState)))
    except InputError as fault:
        st.caption(str(fault))
    else:
        label = "Add the question" if n == 1 else f"Add {n} questions"
        st.button(label, key="class.add", on_click=pressed, args=(me, PLACE, _add, me, room))
    say_trouble(me, PLACE)


def _add(me: Visitor, room: Room) -> None:
    draft = me.state(DraftState)
    take_shown(draft)
    add_questions(room, [make() for make in _chosen(me, draft)])
    if draft.kind == "own":
        me.state(DraftState).own = OwnDraft()  # only now: what was refused stays in the fields


def _chosen(me: Visitor, draft: DraftState) -> Sequence[Make]:
    """What the fields choose. InputError if that is nothing."""
    if draft.kind == "own":
        own = draft.own
        right = [*own.answers].index(own.right) if own.right in own.answers else None
        return [partial(own_question, own.title, [*own.answers.values()], right)]
    if draft.kind == "task":
        if not draft.task:
            raise InputError("No lesson has a task with answers to choose from.", "Choose another kind of question.")
        return [partial(task_question, draft.task)]
    return _predicted(me, draft.prediction)


def _predicted(me: Visitor, draft: PredictionDraft) -> Sequence[Make]:
    if draft.of not in trainings(me):  # it went since the page was drawn
        raise InputError("The corpus of this tokenizer is no longer here.", "Choose another one, or train it again.")
    training = trainings(me)[draft.of][1]
    most = len(training.merges)
    if not 1 <= draft.first <= most:
        raise InputError(f"This training has {count_of(most, 'merge')}.", f"Choose a merge from 1 to {most:,}.")
    if not 1 <= draft.many <= AT_ONCE:
        raise InputError(f"This would be {draft.many:,} questions.", f"Choose 1 to {AT_ONCE} merges in a row.")
    steps = range(draft.first - 1, min(draft.first - 1 + draft.many, most))
    return [partial(prediction, training, step) for step in steps]


def _predictions(me: Visitor) -> None:
    there, draft = trainings(me), me.state(DraftState).prediction
    if draft.of not in there:
        draft.of = SAMPLE
    left, middle, right = st.columns([2, 1, 1])
    left.selectbox(
        "Merges of", [*there], format_func=lambda key: there[key][0], **bind("class.of", "prediction.of", DraftState)
    )
    with middle:
        bound_field("First merge to predict", "class.first", "prediction.first", DraftState, least=1)
    with right:
        bound_field("Merges in a row", "class.many", "prediction.many", DraftState, least=1)


def _tasks(me: Visitor) -> None:
    there, draft = askable_tasks(), me.state(DraftState)
    if draft.task not in there:
        draft.task = next(iter(there), "")
    if there:
        st.selectbox("Step", [*there], format_func=there.__getitem__, **bind("class.task", "task", DraftState))


def _own(me: Visitor) -> None:
    draft = me.state(DraftState).own
    bound_field("Your question", "class.title", "own.title", DraftState)
    places = [place for _ in range(0, len(ANSWERS), 2) for place in st.columns(2)]  # in the order of letters on a phone
    for i, (name, place) in enumerate(zip(ANSWERS, places, strict=True)):
        with place:
            empty = "" if i < 2 else "may stay empty"
            bound_field(f"Answer {LETTERS[i]}", f"class.answer.{name}", f"own.{name}", DraftState, placeholder=empty)
    given = draft.answers
    if draft.right not in given:
        draft.right = ""
    said = {"": "None: it is a matter of opinion"} | {
        name: f"{letter}: {text}" for letter, (name, text) in zip(LETTERS, given.items(), strict=False)
    }
    st.selectbox(
        "The right answer",
        list(said),
        format_func=lambda name: said.get(name, ""),
        **bind("class.right", "own.right", DraftState),
    )
