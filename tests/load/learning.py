"""People who read the course on Learn, asking: they change what a step shows, and answer its task."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any
from weakref import WeakKeyDictionary

from tests import asking
from tests.load.live import Going
from tests.load.page import opened
from tests.load.person import Person, Wrong
from tokviz.base.errors import TokvizError
from tokviz.teach.lessons.course import course
from tokviz.ui.server.visitor import Visitor

PAUSE_S = (1, 3)  # from one answer to the next question
# What each person has done, as the server should know it: it remembers a learner who comes back.
_TWINS: WeakKeyDictionary[Person, Visitor] = WeakKeyDictionary()


async def learn(person: Person, going: Going) -> None:
    """Go from step to step. The same learner, in this process, is told what the person has to be told."""
    chance, twin, n = random.Random(person.number), _TWINS.setdefault(person, Visitor()), 0
    steps = [*course().steps]
    async with opened(person, "learn"), person.socket("/tokviz/ask") as socket:

        async def ask(name: str, **fields: Any) -> None:
            nonlocal n
            n += 1
            begun = time.perf_counter()
            told = await person.ask(socket, n=n, ask=f"learn.{name}", **fields)
            person.heard.time("a question on Learn", 1000 * (time.perf_counter() - begun))
            try:
                right = {"answer": await asyncio.to_thread(asking.ask, twin, f"learn.{name}", **fields)}
            except TokvizError as error:
                right = {"error": str(error)}
            if told != {"n": n, **right}:
                raise Wrong(f"The answer to learn.{name} in the step {fields['step']} is not the library's.")
            person.heard.checked += 1
            await asyncio.sleep(chance.uniform(*PAUSE_S))

        place = person.number * 7
        while going():
            place += 1
            step = steps[place % len(steps)]
            await ask("show", step=step)
            await ask("view", step=step, changes={"text": f"{person.mark} {chance.randrange(1000)} so it is"})
            await ask("try", step=step, said=person.mark)
