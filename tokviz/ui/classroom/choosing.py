"""How a teacher chooses questions: predictions of a training, tasks of lessons, or questions of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import streamlit as st

from tokviz.errors import InputError
from tokviz.questions import LETTERS, OPTION_LIMIT, TITLE_LIMIT, Question, own_question, prediction
from tokviz.rooms.room import Room
from tokviz.samples import sample
from tokviz.training import Training, train
from tokviz.ui.classroom.drafts import ANSWERS, DraftState, OwnDraft
from tokviz.ui.classroom.lesson_tasks import askable_tasks, task_question
from tokviz.ui.frame.buttons import pressed, say_trouble
from tokviz.ui.frame.widgets import bind
from tokviz.ui.tokenizers import sample_training
from tokviz.ui.visitors.visitor import SAMPLE, Visitor
from tokviz.wording import count_of

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
        **bind("class.kind", "kind", DraftState, typed=False),
    )
    chosen = {"prediction": _predictions, "task": _tasks, "own": _own}[me.state(DraftState).kind](me)
    if chosen:
        label = "Add the question" if len(chosen) == 1 else f"Add {len(chosen)} questions"
        st.button(label, key="class.add", on_click=pressed, args=(me, PLACE, _add, me, room, chosen))
    say_trouble(me, PLACE)


def _add(me: Visitor, room: Room, chosen: Sequence[Make]) -> None:
    add_questions(room, [make() for make in chosen])
    if me.state(DraftState).kind == "own":
        me.state(DraftState).own = OwnDraft()  # only now: what was refused stays in the fields


def _predictions(me: Visitor) -> list[Make]:
    there, draft = trainings(me), me.state(DraftState).prediction
    if draft.of not in there:
        draft.of = SAMPLE
    left, middle, right = st.columns([2, 1, 1])
    left.selectbox(
        "Merges of",
        [*there],
        format_func=lambda key: there[key][0],
        **bind("class.of", "prediction.of", DraftState),
    )
    most = len(there[draft.of][1].merges)
    middle.number_input("First merge to predict", step=1, **bind("class.first", "prediction.first", DraftState))
    right.number_input("Merges in a row", step=1, **bind("class.many", "prediction.many", DraftState))
    fault = ""
    if not 1 <= draft.first <= most:
        fault = f"This training has {count_of(most, 'merge')}. Choose one of 1 to {most:,}."
    elif not 1 <= draft.many <= AT_ONCE:
        fault = f"Choose 1 to {AT_ONCE} merges."
    if fault:
        st.caption(fault)
        return []
    steps = range(draft.first - 1, min(draft.first - 1 + draft.many, most))
    return [partial(_prediction, me, draft.of, step) for step in steps]


def _prediction(me: Visitor, of: str, step: int) -> Question:
    if of not in trainings(me):  # it went since the page was drawn
        raise InputError("The corpus of this tokenizer is no longer here.", "Choose another one, or train it again.")
    return prediction(trainings(me)[of][1], step)


def _tasks(me: Visitor) -> list[Make]:
    there, draft = askable_tasks(), me.state(DraftState)
    if not there:
        st.caption("No lesson has a task with answers to choose from.")
        return []
    if draft.task not in there:
        draft.task = next(iter(there))
    st.selectbox("Step", [*there], format_func=there.__getitem__, **bind("class.task", "task", DraftState))
    return [partial(task_question, draft.task)]


def _own(me: Visitor) -> list[Make]:
    draft = me.state(DraftState).own
    st.text_input("Your question", max_chars=TITLE_LIMIT, **bind("class.title", "own.title", DraftState))
    places = [place for _ in range(0, len(ANSWERS), 2) for place in st.columns(2)]  # in the order of letters on a phone
    for i, (name, place) in enumerate(zip(ANSWERS, places, strict=True)):
        place.text_input(
            f"Answer {LETTERS[i]}",
            max_chars=OPTION_LIMIT,
            placeholder="" if i < 2 else "may stay empty",
            **bind(f"class.answer.{name}", f"own.{name}", DraftState),
        )
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
    right = [*given].index(draft.right) if draft.right else None
    return [partial(own_question, draft.title, [*given.values()], right)]
