"""A component in a file of its own: hostile text stays text, and the file says itself that nothing may be loaded."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import wild_texts
from tokviz.offline.page import in_script, standalone

SCRIPT = "export default function ({ data, parentElement }) { parentElement.textContent = data.text; }"
HOSTILE = "</script><script>alert(1)</script><!-- <style> ]]> & \u2028"


def page(data: dict[str, object], title: str = "t", script: str = SCRIPT, style: str = ".a{}") -> str:
    return standalone(data, title=title, lead="l", style=style, script=script)


@given(st.one_of(wild_texts, st.just(HOSTILE)))
def test_any_text_stays_inside_its_element(text: str) -> None:
    element = in_script({"text": text})
    assert "<" not in element
    assert json.loads(element) == {"text": text}


def test_hostile_text_adds_no_element() -> None:
    plain, hostile = page({"text": "x"}, "x"), page({"text": HOSTILE}, HOSTILE)
    tags = lambda document: re.findall(r"<[^>]*>", document.replace(HOSTILE, ""))  # noqa: E731
    assert tags(plain) == tags(hostile)
    assert HOSTILE not in hostile


def test_the_policy_allows_only_what_is_in_the_file() -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page({}))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy and "http" not in policy


@pytest.mark.parametrize("script", ["", SCRIPT + SCRIPT, SCRIPT + "// </script>"])
def test_a_script_that_cannot_stand_there_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match="script"):
        page({}, script=script)


def test_a_style_that_ends_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="end tag"):
        page({}, style=".a{}</STYLE>")
