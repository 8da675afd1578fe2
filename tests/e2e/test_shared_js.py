"""shared.js reads seams as encoding.py does: the same tokens, ids and trees at every step, from the same payload."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import tokviz
from tokviz import OPEN, SPLIT, WHOLE, Encoding, Node
from tokviz.ui.components import payload, script

LETTERS = "ab cé\n\tनमस्ते日本👩‍👩‍👧ﷺ\u200d<|>"
READ = """([payload, steps]) => {
  const shared = window.shared, encoding = shared.read(payload);
  const tree = ({ start, end, id, rank, parts }) => [start, end, id, rank ?? null, (parts ?? []).map(tree)];
  const nodeOf = (start, end) => tree(shared.treeOf(encoding, start, end));
  return steps.map(k => {
    const tokens = shared.tokensAt(encoding, k < 0 ? shared.END : k);
    return { tokens: tokens.map(({ start, end, id }) => [start, end, id]),
             trees: k < 0 ? tokens.map(({ start, end }) => nodeOf(start, end)) : [] };
  });
}"""


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.evaluate(
        """async text => {
          const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
          window.shared = await import(address);
        }""",
        script(),
    )
    yield page
    page.close()


def trained(chance: random.Random) -> Encoding:
    """A text under a tokenizer that was trained on something like it."""
    text = "".join(chance.choice(LETTERS) for _ in range(chance.randint(0, 120)))
    pattern = chance.choice(["none", "gpt2", "o200k"])
    tok = tokviz.train(text + text[::-1], 256 + chance.randint(0, 60), pattern, ["<|>"]).tokenizer
    return tok.explain(text, allowed_special="all")


def made_up(chance: random.Random) -> Encoding:
    """Seams that no tokenizer closed: whatever holds for them holds for all."""
    data = "".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 60))).encode()
    seams = np.array([chance.choice([0, 1, 2, 5, 9, OPEN, SPLIT]) for _ in data], np.int32)
    seams[0] = SPLIT
    whole: dict[int, int | None] = {}
    if len(data) > 6:
        seams[2:6] = [SPLIT, WHOLE, WHOLE, SPLIT]
        whole = {2: chance.choice([None, 70_000])}
    return Encoding(data, seams, merge_ids=np.arange(300, 310, dtype=np.int32), whole=whole)


def node(tree: Node) -> list[Any]:
    return [tree.start, tree.end, tree.id, tree.rank, [node(part) for part in tree.parts]]


@pytest.mark.parametrize("make", [trained, made_up])
def test_the_browser_reads_what_python_reads(reader: Page, make: Any) -> None:
    chance = random.Random(make.__name__)
    for _ in range(60):
        encoding = make(chance)
        steps = [0, 1, 2, 3, chance.randint(0, 60), -1]
        read = reader.evaluate(READ, [payload(encoding), steps])
        for k, found in zip(steps, read, strict=True):
            there = encoding if k < 0 else encoding.at(k)
            assert found["tokens"] == [[token.start, token.end, token.id] for token in there.tokens()]
        assert read[-1]["trees"] == [node(encoding.tree(i)) for i in range(len(encoding))]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_the_references_too(reader: Page, name: str) -> None:
    encoding = tokviz.reference(name).explain("naïve नमस्ते 👨‍👩‍👧 lower, lowest\n\n  indented")
    (found,) = reader.evaluate(READ, [payload(encoding), [-1]])
    assert [id for _, _, id in found["tokens"]] == encoding.ids.tolist()
    assert found["trees"] == [node(encoding.tree(i)) for i in range(len(encoding))]
