"""Shows blocks on a page, those with tokens too."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tokviz.base.blocks import Block
from tokviz.offline.data import data_of
from tokviz.ui.frame.widgets import widget_value
from tokviz.ui.kit.blocks import Press, press_in
from tokviz.ui.kit.served import component

STYLES = ("tokenview/tokens.css", "tokenview/marked.css", "kit/blocks.css")
_component = component("blocks", "tokenview/shown.js", *STYLES)


def show(
    *blocks: Block, key: str, label: str = "", leads: bool = False, on_press: Callable[[Press], None] | None = None
) -> None:
    """Draw blocks, one below the other.

    key: of this place of the page.
    label: what screen readers call them together.
    leads: whether a press leads to another view, which begins at the top of the page.
    on_press: called before the page runs again, once for each thing that the reader typed or pressed, in this order.
    """

    def told() -> None:
        said = widget_value(key)
        presses = said.get("pressed") if isinstance(said, Mapping) else None
        for each in presses if isinstance(presses, list) else ():
            press = press_in(each, blocks)
            if press and on_press:
                on_press(press)

    _component(key=key, data={"label": label, "blocks": data_of(blocks), "leads": leads}, on_pressed_change=told)
