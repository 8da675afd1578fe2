"""Every idea of the documents that the course comes from has its step."""

from __future__ import annotations

from pathlib import Path

from tokviz.teach.lessons.course import course

IDEAS = Path(__file__).parent / "data" / "ideas.txt"


def test_every_idea_names_a_step_of_the_course() -> None:
    ideas = [line for line in IDEAS.read_text("utf-8").splitlines() if line and line[0] not in "# "]
    assert len(ideas) == 106
    for idea in ideas:
        step, _, says = idea.partition(": ")
        assert says and step in course().steps, idea
