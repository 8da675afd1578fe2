"""A lesson plan as a table that a teacher can print, or the guide to running a class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokviz.ui.kit.served import component

_component = component("lesson_plan", "learn/lesson_plan.js", "tokenview/tokens.css", "learn/lesson_plan.css")


def lesson_plan(data: Mapping[str, Any], *, key: str) -> None:
    """Draw a plan or the guide. data: as `plan_data` and `guide_data` of ui/learn make it."""
    _component(key=key, data=data, on_renew_change=lambda: None)
