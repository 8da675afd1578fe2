"""Pages that open without a server, from the library and the command line: what is in them, and hostile text."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import tokviz
from tests.command_line import call, good, in_line
from tokviz import Tokenizer
from tokviz.base.drawn import Page
from tokviz.catalog.samples import SAMPLES, sample

STORY = SAMPLES / "story.txt"
HOSTILE = "</script><script>alert(1)</script><!-- <style> ]]> <img src=x onerror=alert(2)> \u2028 & \"q\" 'a'"


class Read(HTMLParser):
    """A page as a browser reads it: its tags, its data, and its frames."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.frames: list[dict[str, str | None]] = []
        self.data = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "iframe":
            self.frames.append(dict(attributes))

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["script"] and data.startswith("{"):
            self.data = data


def data_in(page: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Read(page).data)
    return data


PAGES: dict[str, Callable[[str], Page]] = {
    "replay": lambda text: tokviz.train(text, 300, pattern="none", name=text).replay(),
    "ruler": lambda text: tokviz.compare(text, [Tokenizer(text, [(97, 98)]), tokviz.reference("gpt2")]).ruler(),
    "tokens": lambda text: Tokenizer(text, [(97, 98)]).show(text),
}


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_hostile_text_is_text_in_each_page_and_in_its_frame(make: Callable[[str], Page]) -> None:
    plain, hostile = make("some words, some words"), make(HOSTILE)
    assert Read(plain.html).tags == Read(hostile.html).tags and HOSTILE not in hostile.html
    assert HOSTILE[:20] in json.dumps(data_in(hostile.html))
    (frame,) = Read(hostile._repr_html_()).frames
    assert frame["srcdoc"] == hostile.html and frame["sandbox"] == "allow-scripts allow-downloads"


def test_the_replay_of_a_training_has_its_merges_and_plays_no_server(tmp_path: Path) -> None:
    training = tokviz.train("the cat in the hat", 259)
    training.save_replay(tmp_path / "replay.html")
    page = (tmp_path / "replay.html").read_text("utf-8")
    assert page == training.replay().html and "<title>Replay: trained</title>" in page
    data = data_in(page)
    assert data["window"]["text"] == "the cat in the hat" and not data["live"] and not data["can_predict"]


def test_a_text_has_its_tokens_and_their_cards_and_of_a_long_one_the_beginning() -> None:
    data = data_in(tokviz.reference("gpt2").show("In 2008").html)
    assert {start: card["id"] for start, card in data["cards"].items()} == {"0": 818, "2": 3648}
    assert (data["series"], data["totals"]) == ("gpt2", None)
    long = data_in(tokviz.reference("gpt2").show("a b\n" * 20_000).html)
    assert len(long["text"]) <= 20_000 and long["totals"]["bytes"] == 80_000 and len(long["cards"]) <= 120


def test_a_comparison_has_the_places_where_tokenizers_disagree_and_why() -> None:
    gpt2, cl100k = tokviz.reference("gpt2"), tokviz.reference("cl100k_base")
    data = data_in(tokviz.compare("In 2008 tokens", [gpt2, cl100k]).ruler().html)
    (found,) = data["differences"]
    assert (found["a"], found["b"], found["start"], found["end"], found["pieces"]) == (0, 1, 2, 7, 3)
    assert [row["series"] for row in data["rows"]] == ["gpt2", "cl100k_base"]
    long = tokviz.compare("In 2008 tokens\n" * 1_000, [gpt2, cl100k]).ruler().html
    assert len(data_in(long)["text"]) < 5_000 and "of 15,000 bytes are shown." in long


def test_a_corpus_is_trained_on_and_a_tokenizer_plays_on_a_text(tmp_path: Path) -> None:
    output = tmp_path / "page.html"
    good("replay", STORY, "-o", output, "--vocab-size", 300)
    trained = data_in(output.read_text("utf-8"))
    assert trained["corpus_name"] == "story.txt" and not trained["others"] and trained["corpus_here"]
    good("replay", "gpt2", "-o", output, "--force")
    assert data_in(output.read_text("utf-8"))["window"]["text"] in sample("tongue").text
    model = tmp_path / "model.json"
    Tokenizer("ab", [(97, 98)]).save(model)
    (tmp_path / "ab.txt").write_text("abab", "utf-8")
    good("replay", model, "--text", tmp_path / "ab.txt", "-o", output, "--force")
    assert data_in(output.read_text("utf-8"))["window"]["text"] == "abab"


def test_a_lesson_is_written_by_its_number(tmp_path: Path) -> None:
    good("lesson", 3, "-o", tmp_path / "lesson.html")
    steps = data_in((tmp_path / "lesson.html").read_text("utf-8"))["steps"]
    assert steps[0]["id"] == "counting-pairs-1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lesson", 99], "There are lessons 1 to 17."),
        (["replay", STORY, "--text", STORY], "--text is for a tokenizer"),
        (["replay", "nobody"], "There is no tokenizer and no file 'nobody'."),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(tmp_path: Path, arguments: list[Any], said: str) -> None:
    refused = call(*arguments, "-o", tmp_path / "page.html")
    assert refused.exit_code == 1 and said in in_line(refused) and not (tmp_path / "page.html").exists()


def test_a_site_is_written_into_no_folder_that_has_something_in_it(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    refused = call("site", tmp_path)
    assert refused.exit_code == 1 and "is not empty" in in_line(refused) and len([*tmp_path.iterdir()]) == 1
