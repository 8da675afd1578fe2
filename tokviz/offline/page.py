"""A component as one HTML file that opens offline, in any browser: the same script and style, the data inside.

A component's script is a module. Streamlit calls its default export with the data and a place on the page; here
standalone.js does. Nothing can be loaded or sent: the policy in the file allows no network, and no script or style
other than its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from typing import Any

from tokviz.offline.files import source
from tokviz.tokenizer.hues import palette

_EXPORT = "export default "
_STAND_IN = source("frame/standalone.js")
_LAYOUT = source("frame/standalone.css")

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{ways}<h1>{title}</h1>
<p>{lead}</p>
<div id="component"></div>
</main>
<script type="application/json" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def standalone(
    data: Mapping[str, Any], *, title: str, lead: str, style: str, script: str, ways: Mapping[str, str] | None = None
) -> str:
    """The file as text.

    data: the component's data, which must be JSON. title, lead: plain text for the top of the page. style, script:
    those the component is registered with. ways: links to other files above the title, address -> words. ValueError
    if the script has not exactly one default export, or if a style or script contains an end tag.
    """
    if script.count(_EXPORT) != 1:
        raise ValueError(f"The script of a component needs {_EXPORT!r} exactly once.")
    module = script.replace(_EXPORT, "const $component = ") + "\n" + _STAND_IN
    styles = f"{_theme()}{_LAYOUT}{style}"
    if "</style" in styles.lower() or "</script" in module.lower():
        raise ValueError("A style or script that contains an end tag would end too soon.")
    policy = (
        f"default-src 'none'; script-src '{_sum(module)}'; style-src '{_sum(styles)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    links = [f'<a href="{escape(to)}">{escape(words)}</a>' for to, words in (ways or {}).items()]
    return _PAGE.format(
        ways=f"<nav>{' '.join(links)}</nav>\n" if links else "",
        policy=policy,
        title=escape(title),
        lead=escape(lead),
        style=styles,
        data=in_script(data),
        script=module,
    )


def in_script(data: Mapping[str, Any]) -> str:
    r"""JSON without "<", so that nothing in it can end a script element or open a comment.

    >>> in_script({"text": "</script><!--"})
    '{"text":"\\u003c/script>\\u003c!--"}'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _sum(text: str) -> str:
    """The sum by which a policy names the content of an element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _theme() -> str:
    """The surfaces under the names that Streamlit gives them, light or dark as the reader's system is."""
    rules = {}
    for theme in ("light", "dark"):
        surface, roles = palette()[theme]["surface"], palette()[theme]["roles"]
        names = {
            "background": surface["page"],
            "secondary-background": surface["panel"],
            "text": surface["ink"],
            "gray-text": surface["quiet"],
            "primary": roles["accent"],
        }
        rules[theme] = "".join(f"--st-{name}-color:{colour};" for name, colour in names.items())
    return f":root{{{rules['light']}}}\n@media (prefers-color-scheme:dark){{:root{{{rules['dark']}}}}}\n"
