"""People who read the course on Learn, over its socket: they change what a step shows, and answer its task."""

from __future__ import annotations

import asyncio
import json
import random
import time
from typing import Any
from weakref import WeakKeyDictionary

from tests.load.live import Going
from tests.load.page import opened
from tests.load.person import Person, Wrong
from tokviz.base.errors import TokvizError
from tokviz.teach.lessons.course import course
from tokviz.ui.learn.socket import answer, understood
from tokviz.ui.server.visitor import Visitor

PAUSE_S = (1, 3)  # from one answer to the next question
# What each person has done, as the server should know it: it remembers a learner who comes back.
_TWINS: WeakKeyDictionary[Person, Visitor] = WeakKeyDictionary()


async def learn(person: Person, going: Going) -> None:
    """Go from step to step. The same learner, in this process, is told what the person has to be told."""
    chance, twin, n = random.Random(person.number), _TWINS.setdefault(person, Visitor()), 0
    steps = [*course().steps]
    async with opened(person, "learn"), person.socket("/tokviz/learn") as socket:

        async def ask(step: str, kind: str, said: Any = None) -> None:
            nonlocal n
            n += 1
            question = {"step": step} if kind == "step" else {"step": step, kind: said}
            _, asked = understood(json.dumps({"n": n, **question}))
            begun = time.perf_counter()
            told = await person.ask(socket, n=n, **question)
            person.heard.time("a question on Learn", 1000 * (time.perf_counter() - begun))
            try:
                right = {"answer": await asyncio.to_thread(answer, twin, asked)}
            except TokvizError as error:
                right = {"error": str(error)}
            if told != json.loads(json.dumps({"n": n, **right})):
                raise Wrong(f"The answer to “{kind}” in the step {step} is not the library's.")
            person.heard.checked += 1
            await asyncio.sleep(chance.uniform(*PAUSE_S))

        place = person.number * 7
        while going():
            place += 1
            step = steps[place % len(steps)]
            await ask(step, "step")
            await ask(step, "view", {"text": f"{person.mark} {chance.randrange(1000)} so it is"})
            await ask(step, "try", person.mark)
