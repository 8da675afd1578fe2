"""Paints tokens on a terminal in the hues of the pages, so neighbours on a line can be told apart.

The colours are those of the light look. Each has its own background and text, so a dark terminal shows them as well.
"""

from __future__ import annotations

from rich.console import Console
from rich.style import Style

from tokviz.tokenizer.hues import palette


def paints(console: Console) -> list[tuple[str, str]] | None:
    """Find for each hue what to write before and after a token. None if the console has no colours, or too few."""
    system = console._color_system if console.is_terminal and not console.no_color else None
    if system is None or console.color_system not in ("256", "truecolor"):
        return None
    styles = [Style(color=hue["text"], bgcolor=hue["background"]) for hue in palette()["light"]["tokens"]]
    return [style.render("\0", color_system=system).partition("\0")[::2] for style in styles]
