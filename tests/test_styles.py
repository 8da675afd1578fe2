"""What a style says of sizes of type, gaps and radii: names of kit.css, of which there are few."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

UI = Path(__file__).parents[1] / "tokviz" / "ui"

# Not moved to the names yet: this list only gets shorter.
TO_MOVE = {
    *(f"tokenview/{name}.css" for name in ("narrow", "panel")),
}
WITHOUT_KIT = {f"{name}.css" for name in ("frame/page", "frame/standalone", "classroom/student")}
# Type is sized by a token's letters, by a drawing, or by the screen that a room looks at.
OWN_TYPE = {
    *(f"{name}.css" for name in ("tokenview/tokens", "tokenview/card", "kit/step_curve", "replay/replay")),
    "classroom/class_teacher.css",
}
MARK, CODE, DRAWN, LETTERS_OF_A_ROOM = "0.75em", "0.9375em", ("13px", "14px"), "2.5em"
# Of a page, as Streamlit has it; and of a field, so that a phone does not enlarge it.
TITLE = r"1\.75em|max\(16px, 1em\)"
TYPE = re.compile(rf"var\(--t\d\d\)|inherit|0|{MARK}|{CODE}|{'|'.join(DRAWN)}|{LETTERS_OF_A_ROOM}|{TITLE}")
RULE = re.compile(r"(?<![\w-])(font|font-size|[a-z-]*gap|(?:padding|margin|border)[a-z-]*): ([^;{}]+);")


def said() -> Iterator[tuple[str, str, str]]:
    """The file, property and value of all that styles with the kit say of type, gaps and radii."""
    for path in sorted(UI.rglob("*.css")):
        place = str(path.relative_to(UI))
        if place not in TO_MOVE | WITHOUT_KIT:
            for name, value in RULE.findall(re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)):
                yield place, name, value


def test_the_kit_has_six_sizes_of_type_eight_gaps_and_two_radii() -> None:
    named = re.findall(r"^ +--([tgr])\d+:", (UI / "kit" / "kit.css").read_text("utf-8"), re.MULTILINE)
    assert {kind: named.count(kind) for kind in named} == {"t": 6, "g": 8, "r": 2}


def test_styles_name_their_sizes_of_type() -> None:
    for place, name, value in said():
        if name in ("font", "font-size") and place not in OWN_TYPE:
            size = value if name == "font-size" else re.sub(r"^\d00 ", "", value).split(" ")[0]
            assert TYPE.fullmatch(size), f"{place}: {name}: {value}. kit.css names six sizes, --t13 to --t24."


def test_styles_name_their_gaps() -> None:
    for place, name, value in said():
        if re.fullmatch(r"(row-|column-)?gap|(padding|margin)(-[a-z-]+)?", name):
            written = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:px|rem)", value)
            assert set(written) <= {"0px", "1px"}, f"{place}: {name}: {value}. kit.css names eight gaps, --g2 to --g24."


def test_styles_name_their_radii() -> None:
    for place, name, value in said():
        if name.endswith("radius"):
            round_ends = r"(var\(--r[36]\)|0|50%|999px| )+"
            assert re.fullmatch(round_ends, value), f"{place}: {name}: {value}. kit.css names two radii, --r3 and --r6."
