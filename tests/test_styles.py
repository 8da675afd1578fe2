"""Styles have few sizes of type, gaps and radii: what they really use is counted, over all files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

UI = Path(__file__).parents[1] / "tokviz" / "ui"

# The pages of Streamlit and of a saved file have no kit, and a drawing has no letters of its own size.
WITHOUT_KIT = {f"{name}.css" for name in ("frame/page", "frame/standalone", "classroom/student")}
# What has other sizes of type yet, because it hangs on the letters around it. This list only gets shorter.
OWN_TYPE = {
    *(f"tokenview/{name}.css" for name in ("card", "choice", "size", "tokens", "workbench")),
    *(f"{name}.css" for name in ("compare/ruler", "replay/replay", "classroom/class_teacher")),
}
OWN_GAPS = {f"{name}.css" for name in ("replay/replay", "replay/player")}
LIMITS = {"size of type": 8, "gap": 12, "radius": 3}
WITH_SIZE = r"(?:[\w.]+ )*?(?:\d00|normal|inherit) "  # of the property font


def used() -> Iterator[tuple[str, str, str]]:
    """Each size of type, gap and radius that a style uses: its kind, the size, and the file."""
    for path in sorted(UI.rglob("*.css")):
        place = str(path.relative_to(UI))
        css = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
        for name, value in re.findall(r"(?<![\w-])(font|[a-z-]+): ([^;{}]+);", css) if place not in WITHOUT_KIT else ():
            if name in ("font", "font-size") and place not in OWN_TYPE and value != "inherit":
                yield "size of type", re.sub(WITH_SIZE, "", value).split(" ")[0], place
            elif place in OWN_GAPS:
                continue
            elif name.endswith("radius"):
                yield from (("radius", size, place) for size in value.split() if size != "0")
            elif re.fullmatch(r"(row-|column-)?gap|(padding|margin)(-[a-z-]+)?", name):
                for size in re.findall(r"var\(--g\d+\)|(?<![\w.])[1-9][\d.]*(?:px|r?em)", value):
                    yield "gap", size, place


def test_styles_use_few_sizes_of_type_gaps_and_radii() -> None:
    for kind, limit in LIMITS.items():
        sizes: dict[str, set[str]] = {}
        for of, size, place in used():
            if of == kind:
                sizes.setdefault(size, set()).add(place)
        rare = sorted(sizes.items(), key=lambda one: len(one[1]))[:4]
        assert len(sizes) <= limit, f"There are {len(sizes)} of {kind}, and {limit} are enough. The rarest: {rare}"
