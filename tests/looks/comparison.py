"""Compares two folders of looks, and draws what differs into one HTML page."""

from __future__ import annotations

import difflib
import html
import io
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from PIL import Image, ImageChops

# The edges of round corners, of the logo and of a few words are drawn a little differently from run to run, and even
# from one picture to the next: many pixels by 1 or 2 of 255, and up to 376 by up to 160, where words stand a fraction
# of a pixel apart. Another colour or place of a part changes more pixels than those, and other words change the tree.
SLIGHT, FEW, FAINT = 2, 400, 170  # what is not slight may be in few pixels if it is faint

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>What differs</title>
<style>
body { font: 14px system-ui; margin: 24px; background: #888 } h2 { overflow-wrap: anywhere }
section { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 8px; align-items: start }
img { max-width: 100%; background: #fff } pre { grid-column: 1 / 4; background: #fff; padding: 8px; overflow: auto }
</style>
"""


def differences(old: Path, new: Path, names: Sequence[str] = ("*",)) -> dict[str, str]:
    """Name of a look -> how it differs in two folders, for those that do."""
    looks = sorted({file.stem for folder in (old, new) for file in folder.glob("*.png")})
    found: dict[str, str] = {}
    for look in looks:
        if not any(fnmatchcase(look.partition("@")[0], name) for name in names):
            continue
        pictures = [_picture(folder, look) for folder in (old, new)]
        if not all(pictures):
            found[look] = f"only in {old if pictures[0] else new}"
            continue
        picture = difference(*pictures) is not None
        tree = _tree(old, look) != _tree(new, look)
        if picture or tree:
            found[look] = " and ".join(["picture"] * picture + ["tree"] * tree)
    return found


def difference(old: bytes, new: bytes) -> Image.Image | None:
    """The new picture, pale, with the pixels that differ in red; None if none does."""
    if old == new:
        return None
    images = [Image.open(io.BytesIO(data)).convert("RGB") for data in (old, new)]
    size = (max(image.width for image in images), max(image.height for image in images))
    padded = [Image.new("RGB", size, "#ff00ff") for _ in images]  # what one has and the other has not differs
    for whole, image in zip(padded, images, strict=True):
        whole.paste(image)
    red, green, blue = ImageChops.difference(*padded).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    levels = most.histogram()  # level -> how many pixels differ by it
    if sum(levels[SLIGHT + 1 :]) <= FEW and not any(levels[FAINT + 1 :]):
        return None
    drawn = Image.blend(padded[1].convert("L").convert("RGB"), Image.new("RGB", size, "white"), 0.7)
    drawn.paste("red", mask=most.point(lambda value: 255 if value > SLIGHT else 0))
    return drawn


def compare(old: Path, new: Path, names: Sequence[str] = ("*",)) -> int:
    """Say which looks differ, and draw them into a page in a folder inside of the new one.

    Returns 0 if none differs, else 1.
    """
    found = differences(old, new, names)
    for look, how in found.items():
        print(f"{look}: {how}")
    if not found:
        print("Nothing differs.")
        return 0
    folder = new / f"against-{old.resolve().name}"
    folder.mkdir(exist_ok=True)
    page = folder / "index.html"
    page.write_text(PAGE + "".join(_drawn(old, new, look, how, folder) for look, how in found.items()), "utf-8")
    print(f"{len(found)} looks differ; they are in {page}.")
    return 1


def _picture(folder: Path, look: str) -> bytes:
    file = folder / f"{look}.png"
    return file.read_bytes() if file.exists() else b""


def _tree(folder: Path, look: str) -> list[str]:
    file = folder / f"{look}.txt"
    return file.read_text("utf-8").splitlines() if file.exists() else []


def _drawn(old: Path, new: Path, look: str, how: str, folder: Path) -> str:
    """The part of the page for one look. Its pictures are written beside the page."""
    pictures = {"old": _picture(old, look), "new": _picture(new, look)}
    apart = difference(*pictures.values()) if all(pictures.values()) else None
    if apart:
        drawn = io.BytesIO()
        apart.save(drawn, "PNG")
        pictures["difference"] = drawn.getvalue()
    sides = [side for side, picture in pictures.items() if picture]
    for side in sides:
        (folder / f"{look}.{side}.png").write_bytes(pictures[side])
    name = html.escape(look)
    images = "".join(f'<img src="{name}.{side}.png" alt="{side}" loading="lazy">' for side in sides)
    lines = "\n".join(difflib.unified_diff(_tree(old, look), _tree(new, look), "old", "new", lineterm=""))
    tree = f"<pre>{html.escape(lines)}</pre>" if lines else ""
    return f"<h2>{name}: {html.escape(how)}</h2><section>{images}{tree}</section>\n"
