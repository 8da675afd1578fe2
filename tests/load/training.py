"""People who train through the Train page, again and again, and step through what they trained on Replay."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

from tests.benchmarks.corpora import english_and_code
from tests.load.live import Going
from tests.load.page import Page, opened
from tests.load.person import Person, Wrong
from tokviz.base.text import read_text
from tokviz.offline.data import data_of
from tokviz.offline.replay import LENGTHS, window_data
from tokviz.training.train import Training, train
from tokviz.training.why import why_this_pair
from tokviz.ui.train.trained import longest_of

UPLOADER = "Text: files in UTF-8"
CARD = "train.tokens."  # how the key of the tokens of a trained tokenizer begins
WAITS = "Waiting for its turn"  # how a page says that work has not begun


class Corpus:
    """A corpus that only this person has, and what has to come out of it. size: of the vocabulary."""

    def __init__(self, person: Person, n_bytes: int, size: int) -> None:
        self.file, self.size = f"{person.mark}.txt", size
        words = english_and_code(n_bytes).split(" ")
        random.Random(person.number).shuffle(words)
        self.data = f"{person.mark} {' '.join(words)}".encode()[:n_bytes]
        self.title = f"{person.mark} {size:,}"
        text = read_text(self.data, self.file, repair=True)
        self.data = text.text.encode()
        self.training: Training = train([read_text(self.data, self.file)], size, pattern="gpt2", name=self.title)
        vocab = self.training.tokenizer.vocab
        self.longest = [vocab[id].hex() for id in longest_of(self.training.tokenizer)]


async def train_once(page: Page, corpus: Corpus) -> None:
    """Upload the corpus on the open Train page, press Train, wait for the tokenizer, and check it."""
    heard, begun = page.person.heard, time.perf_counter()
    await page.upload(UPLOADER, corpus.file, corpus.data)
    await page.type_in("Vocabulary size", str(corpus.size))
    uploaded = time.perf_counter()
    heard.time("an upload until its page is drawn", 1000 * (uploaded - begun))
    await page.press("**Train**")
    waited = uploaded

    def card() -> dict[str, Any] | None:
        nonlocal waited
        if page.says(WAITS):
            waited = time.perf_counter()
        return page.component_like(CARD)

    said = await page.until(card, "the end of a training", 600)
    heard.time("the wait in line of a training", 1000 * (waited - uploaded))
    heard.time("a training, from the press to its card", 1000 * (time.perf_counter() - uploaded))
    if corpus.title not in said["label"] or not all(token in str(said) for token in corpus.longest):
        raise Wrong("A training came out different from the library's.")
    heard.checked += 1
    heard.count("trainings")


async def train_again_and_again(person: Person, corpus: Corpus, going: Going) -> None:
    """Upload, train, remove; and again."""
    async with opened(person, "train") as page:
        while page.component_like(CARD):  # left by a connection that broke
            await remove(page)
        while going():
            await train_once(page, corpus)
            await asyncio.sleep(random.uniform(0.5, 1.5))
            await remove(page)


async def remove(page: Page) -> None:
    """Remove the tokenizer that the page shows."""
    before = page.component_like(CARD)
    await page.press("Remove")
    await page.press("frame.ask.yes")
    await page.until(lambda: page.component_like(CARD) != before, "the removal")


async def step_on_replay(person: Person, corpus: Corpus, going: Going) -> None:
    """Train a small corpus, then step through its merges on Replay, about twice a second."""
    chance = random.Random(person.number)
    async with opened(person, "train") as page:
        if page.component_like(CARD) is None:  # or it is there since a connection broke
            await train_once(page, corpus)
        await page.go("replay")
        async with person.socket("/tokviz/ask") as socket:
            n = 0
            while going():
                n += 1
                begun = time.perf_counter()
                await question(person, socket, corpus.training, n, chance)
                person.heard.time("a question on Replay", 1000 * (time.perf_counter() - begun))
                await asyncio.sleep(chance.uniform(0.3, 0.7))


async def question(person: Person, socket: Any, training: Training, n: int, chance: random.Random) -> None:
    """Ask one question of Replay, and check the answer with the library's."""
    step, length = chance.randrange(len(training.merges)), LENGTHS[0]
    start = chance.randrange(max(1, training.n_bytes - length))
    asks = {"ask": "replay.window", "start": start, "length": length} if n % 2 else {"ask": "replay.why", "step": step}
    said = await person.ask(socket, n=n, of="mine1", **asks)
    if "answer" not in said:
        raise Wrong(f"Replay said: {said.get('error')}")
    if n % 5 == 0:
        why = {"blocks": data_of(why_this_pair(training, step))}
        right = why if "step" in asks else window_data(training.window(start, length))
        if said["answer"] != right:
            raise Wrong("An answer on Replay is not the library's.")
        person.heard.checked += 1
