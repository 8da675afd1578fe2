"""Work whose slices are begun with it, so that only they hold what they need, and can be let go."""

from __future__ import annotations

from collections.abc import Generator

from tokviz.ui.server.work import Work


class SlicedWork(Work):
    """The children set both fields at their start. _doing: what is said while it is under way."""

    _doing: str
    _slices: Generator[None]

    @property
    def doing(self) -> str:
        return self._doing

    def slices(self) -> Generator[None]:
        return self._slices

    def let_go(self) -> None:
        """Let go what the slices hold."""
        del self._slices
