"""The states of the page Train."""

from __future__ import annotations

from playwright.sync_api import Page, expect

import tokviz
from tests.benchmarks.corpora import english_and_code
from tests.e2e.browser import settled
from tests.e2e.hostile import choose, press, turn
from tests.looks.state import State, at
from tests.looks.texts import EMOJI, HOSTILE, LONG, click, fill, upload
from tokviz import counts_file


def take_sample(page: Page) -> None:
    turn(page, "Sample")
    choose(page, "Corpus: a sample", "A tongue-twister")


def set_up(page: Page) -> None:
    take_sample(page)
    click(page, "Ties, least count, special tokens")
    choose(page, "Split pattern", "custom")
    fill(page, "Special tokens, one per line", "<|end|>\n" + HOSTILE.splitlines()[0])


def wrong(page: Page) -> None:
    set_up(page)
    fill(page, "Your split pattern, a regular expression", "(")
    fill(page, "Vocabulary size", "3")


def train(page: Page) -> None:
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("button", name="Replay the merges").wait_for()
    settled(page)


def trained(page: Page) -> None:
    take_sample(page)
    train(page)


def trained_on_emoji(page: Page) -> None:
    upload(page, "नमस्ते 👩‍👩‍👧 <b>bold</b>.txt", (EMOJI * 20 + HOSTILE).encode())
    train(page)


def work(page: Page) -> None:
    upload(page, "manual.txt", english_and_code(8_000_000).encode())
    fill(page, "Vocabulary size", "60000")
    page.get_by_role("button", name="Train", exact=True).click()
    expect(page.get_by_role("heading", name="Training: merge")).to_be_visible()


def removed(page: Page) -> None:
    trained(page)
    press(page, "Remove from this session")


def resampled(page: Page) -> None:
    trained(page)
    fill(page, "Resamples", "10")
    press(page, "Draw resamples")
    page.get_by_text("of 10 resamples.").wait_for()


def count(page: Page, data: bytes) -> None:
    turn(page, "Counts")
    upload(page, "0.counts", data)


def counted(page: Page) -> None:
    count(page, b"".join(counts_file.dump(tokviz.count_chunks(EMOJI * 20, shard=0))))


def writing(text: str, **said: object) -> str:
    return at("/train", write=1, text=text, **said)


STATES = (
    State("train.opened", "/train"),
    State("train.sample", "/train", lambda page: turn(page, "Sample")),
    State("train.uploaded", "/train", lambda page: upload(page, "story.txt", EMOJI.encode() * 200)),
    State("train.bad-file", "/train", lambda page: upload(page, "<b>bad</b>.txt", b"\x00\xff\xfe" * 50)),
    State("train.set-up", "/train", set_up),
    State("train.wrong", "/train", wrong),
    State("train.trained", "/train", trained),
    State("train.trained-emoji", "/train", trained_on_emoji),
    State("train.works", "/train", work, works=True),
    State("train.removed", "/train", removed, widths=(1280,), whole=False),
    State("train.resampled", "/train", resampled),
    State("train.counts", "/train", lambda page: turn(page, "Counts")),
    State("train.counted", "/train", counted),
    State("train.counts-error", "/train", lambda page: count(page, b"To be, or not to be")),
    State("train.written", "/train", lambda page: turn(page, "Write")),
    State("train.written-step", writing("low lower lowest, new newer newest " * 3, step=4)),
    State("train.written-long", writing(LONG), widths=(390, 1280)),
    State("train.written-emoji", writing(EMOJI * 3)),
    State("train.written-hostile", writing(HOSTILE * 2)),
    State("train.written-error", writing("low lower", pattern="(")),
    State("train.written-empty", writing("")),
)
