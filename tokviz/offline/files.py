"""The scripts and styles of the app as texts: its components draw in a file that opens without a server too."""

from __future__ import annotations

from pathlib import Path

from tokviz.offline.bundle import bundle
from tokviz.tokenizer.hues import palette

FOLDER = Path(__file__).parents[1] / "ui"
PALETTE = "kit/palette.css"  # no file: it is made of the palette of tokviz/data
KIT = (PALETTE, "kit/kit.css")  # the styles that each component has

# The styles of what a file shows, beside KIT. Components of the app that show tokens have TOKENS too.
TOKENS = ("kit/rows.css", "kit/menu.css", *(f"tokenview/{name}.css" for name in ("tokens", "panel", "table")))
TEXT = (*TOKENS, "tokenview/card.css", "tokenview/workbench.css")
SITE = (*TEXT, "kit/blocks.css", "tokenview/site.css")
RULER = (*TEXT, "compare/ruler.css", "compare/compare.css")
REPLAY = (
    *TOKENS,
    *(f"tokenview/{name}.css" for name in ("marked", "strip")),
    "kit/blocks.css",
    *(f"replay/{name}.css" for name in ("curve", "replay", "player", "ledger", "guess")),
)
LESSON = (
    *("tokenview/tokens.css", "tokenview/marked.css", "kit/blocks.css", "kit/menu.css"),
    *("learn/lesson.css", "learn/views.css", "learn/tasks/tasks.css", "learn/tasks/cut.css", "learn/offline.css"),
)


def source(place: str) -> str:
    """Read a file, such as source("compare/minimap.css")."""
    return variables() if place == PALETTE else (FOLDER / place).read_text("utf-8")


def script(entry: str) -> str:
    """Put a script and all that it imports into one, for a file that opens without a server."""
    return bundle(FOLDER / entry)


def stylesheet(*styles: str) -> str:
    """Join the styles of a component to one text, for a file that opens without a server."""
    return "\n".join(map(source, (*KIT, *styles)))


def variables() -> str:
    """The palette as CSS variables: surfaces, roles, `--k-<series>`, and `--b0..6 --x0..6 --e0..6` for the
    tokens."""
    rules = []
    for theme in ("light", "dark"):
        colours = palette()[theme]
        values = {**colours["surface"], **colours["roles"]}
        values |= {f"k-{series}": colour for series, colour in colours["tokenizers"].items()}
        for hue, token in enumerate(colours["tokens"]):
            values |= {f"b{hue}": token["background"], f"x{hue}": token["text"], f"e{hue}": token["edge"]}
        # Streamlit's own surfaces come first, so that a component has the background of the page.
        for name, theirs in {"page": "background", "panel": "secondary-background", "ink": "text"}.items():
            values[name] = f"var(--st-{theirs}-color, {values[name]})"
        body = "".join(f"--{name}:{colour};" for name, colour in values.items())
        rules.append(f".tokviz[data-theme={theme}]{{color-scheme:{theme};{body}}}")
    hues = (f".h{hue}{{--b:var(--b{hue});--x:var(--x{hue});--e:var(--e{hue})}}" for hue in range(7))
    return "\n".join((*rules, *hues))
