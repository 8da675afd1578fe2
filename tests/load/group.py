"""A group of people who use the app at the same time, each in a way of their own."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from tests.benchmarks.corpora import english_and_code
from tests.load.browsing import browse, chromium
from tests.load.classroom import ClassRoom, attend, teach
from tests.load.comparing import compare
from tests.load.learning import learn
from tests.load.live import Going, type_on_tokens
from tests.load.person import Heard, Person, Wrong
from tests.load.training import Corpus, step_on_replay, train_again_and_again
from tests.load.writing import write
from tokviz.catalog.references import reference
from tokviz.formats.bundled import offered

TEXT, CORPUS, SMALL = 2_000, 1_000_000, 20_000  # characters of a text, bytes of a corpus and of a small one
AGAIN_S = 5.0  # after which a client that failed begins again
WAYS = (  # of so many people who follow one another
    *("train", "type", "class", "train", "replay", "class", "train", "type", "compare", "train", "class", "learn"),
    *("train", "type", "write"),
)


async def again_and_again(person: Person, what: str, do: Callable[[], Coroutine[Any, Any, None]], going: Going) -> None:
    """Do this; if it fails, say so and begin again, as a person loads the page again."""
    while going():
        try:
            await do()
        except Wrong as wrong:
            person.heard.error(f"{what}: {wrong}")
        except Exception as fault:
            at = traceback.extract_tb(fault.__traceback__)[-1]
            person.heard.error(f"{what}: {type(fault).__name__}: {fault} ({at.name}:{at.lineno})")
        else:
            continue
        await asyncio.sleep(AGAIN_S)


class Group:
    """So many people. ways: what they do, of so many who follow one another."""

    def __init__(self, url: str, many: int, heard: Heard, ways: Sequence[str] = WAYS) -> None:
        self.url, self.heard = url, heard
        self.people = [Person(url, number, heard) for number in range(many)]
        self.ways = {person: ways[person.number % len(ways)] for person in self.people}
        self.corpora: dict[Person, Corpus] = {}
        self.room = ClassRoom()

    def prepare(self) -> None:
        """Make the corpora and train on them here, so that what comes of them is known. Before anybody is there."""
        for name in offered():
            reference(name).explain("")
        for person, way in self.ways.items():
            if way in ("train", "replay"):
                self.corpora[person] = Corpus(person, *((CORPUS, 1_256) if way == "train" else (SMALL, 512)))

    async def use(self, going: Going, within: float = 0, browsers: int = 0) -> None:
        """Let all of them use the app while this goes on, and so many browsers. within: seconds in which they come."""
        attending = [person for person, way in self.ways.items() if way == "class"]
        if attending:
            self.room.teacher = attending[0]
            for person in attending:
                person.knows.add(attending[0].mark.encode())
        everybody = [self.one(person, way, going, within) for person, way in self.ways.items()]
        if browsers:
            everybody.append(self.browsers(browsers, going))
        await asyncio.gather(*everybody)

    async def browsers(self, many: int, going: Going) -> None:
        """So many real browsers."""
        async with chromium() as browser:
            people = [Person(self.url, 900 + number, self.heard) for number in range(many)]
            await asyncio.gather(
                *(
                    again_and_again(
                        one, "browser", partial(browse, browser, self.url, one.mark, self.heard, going), going
                    )
                    for one in people
                )
            )

    async def one(self, person: Person, way: str, going: Going, within: float) -> None:
        """One person, from the first page to the last."""
        await asyncio.sleep(random.Random(person.number).uniform(0, within))
        if not person.cookies:
            await person.arrive()
        text = text_of(person)
        match way:
            case "train":
                both = (
                    again_and_again(
                        person, way, lambda: train_again_and_again(person, self.corpora[person], going), going
                    ),
                    again_and_again(person, "type", lambda: type_on_tokens(person, text, going, rest=10), going),
                )
                await asyncio.gather(*both)
            case "replay":
                await again_and_again(person, way, lambda: step_on_replay(person, self.corpora[person], going), going)
            case "compare":
                await again_and_again(person, way, lambda: compare(person, text[:400], going), going)
            case "learn":
                await again_and_again(person, way, lambda: learn(person, going), going)
            case "class" if person is self.room.teacher:
                await again_and_again(person, "teach", lambda: teach(person, self.room, going), going)
            case "class":
                await again_and_again(person, "attend", lambda: attend(person, self.room, going), going)
            case "write":
                await again_and_again(person, way, lambda: write(person, text, going), going)
            case _:
                await again_and_again(person, "type", lambda: type_on_tokens(person, text, going), going)


def text_of(person: Person) -> str:
    """A text that only this person has: their mark stands in it again and again."""
    start = person.number * 977 % 50_000
    words = english_and_code(start + TEXT)[start:].splitlines()
    marked = [f"{line} {person.mark}" if n % 5 == 0 else line for n, line in enumerate(words)]
    return f"{person.mark} " + "\n".join(marked)[:TEXT]
