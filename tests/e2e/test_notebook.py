"""What Jupyter shows has the colours of Jupyter's theme, and those of the system where there is no Jupyter."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser

import tokviz
from tests.e2e.browser import bare_page
from tokviz.tokenizer.hues import palette

BACKGROUNDS = "[...document.querySelectorAll('.t')].map(token => getComputedStyle(token).backgroundColor)"


@pytest.mark.parametrize(
    ("body", "system", "theme"),
    [
        ("", "light", "light"),
        ("", "dark", "dark"),
        ('data-jp-theme-light="true"', "dark", "light"),
        ('data-jp-theme-light="false"', "light", "dark"),
    ],
    ids=str,
)
def test_the_theme_decides_the_colours(browser: Browser, body: str, system: str, theme: str) -> None:
    html = tokviz.reference("gpt2").explain("the cat sat")._repr_html_()
    page = bare_page(browser, color_scheme=system)
    page.set_content(f"<body {body}>{html}")
    colours = [palette()[theme]["tokens"][int(hue)]["background"] for hue in re.findall(r'class="t h(\d)', html)]
    assert page.evaluate(BACKGROUNDS) == [
        f"rgb({', '.join(map(str, bytes.fromhex(colour[1:])))})" for colour in colours
    ]
    page.context.close()
