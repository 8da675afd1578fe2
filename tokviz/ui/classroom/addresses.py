"""Where students find the page of a class: the address that they type, and its QR code."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

import segno

from tokviz.base.data import INSTALLED
from tokviz.ui.server.machine import local_addresses, means_this_machine

START_COMMAND = "tokviz app --shared" if INSTALLED else "python -m tokviz app --shared"


class Meeting(NamedTuple):
    """Where a class meets. url: of the page. trouble, way_out: why students may not reach it, and what helps; "" if
    nothing is known to be in the way."""

    url: str
    trouble: str = ""
    way_out: str = ""

    @property
    def typed(self) -> str:
        """The address as a person types it.

        >>> Meeting("http://192.0.2.14:8501/class").typed
        '192.0.2.14:8501/class'
        """
        parts = urlsplit(self.url)
        return (parts.netloc if parts.scheme == "http" else f"{parts.scheme}://{parts.netloc}") + parts.path

    def with_code(self, code: str) -> str:
        """The address that joins a room at once.

        >>> Meeting("http://192.0.2.14:8501/class").with_code("K7QF")
        'http://192.0.2.14:8501/class?code=K7QF'
        """
        return f"{self.url}?{urlencode({'code': code})}"


def meeting(url: str | None, listening: str | None) -> Meeting:
    """Where students find the page that the teacher opened at `url`.

    listening: the address at which the server listens; None or "" for all of this machine's. The host under which the
    teacher opened the page is right unless it means this machine only; then it is the machine's first address in the
    local network.

    >>> meeting("http://192.0.2.14:8501/class", "0.0.0.0").url
    'http://192.0.2.14:8501/class'
    >>> meeting("http://localhost:8501/class", "127.0.0.1").trouble
    'Students cannot reach this server: it listens on this machine only.'
    """
    parts = urlsplit(url or "http://localhost:8501/class")
    host = parts.hostname or "localhost"
    if not means_this_machine(host):
        return Meeting(urlunsplit(parts))
    own = local_addresses()
    if own:
        parts = parts._replace(netloc=own[0] + (f":{parts.port}" if parts.port else ""))
    there = Meeting(urlunsplit(parts))
    if listening and means_this_machine(listening):
        return there._replace(
            trouble="Students cannot reach this server: it listens on this machine only.",
            way_out=f"Stop it with Ctrl+C, and start it with: {START_COMMAND}",
        )
    if not own:
        return there._replace(
            trouble="This machine is not connected to a network, so students cannot reach it.",
            way_out="Connect it to the network that the students use, and load this page again.",
        )
    others = ", ".join(own[1:])
    if not others:
        return there
    way_out = f"If students cannot open the address above, it may be one of these: {others}."
    return there._replace(trouble="This machine is in several networks.", way_out=way_out)


def qr_rows(text: str) -> list[str]:
    """The QR code of a text as rows of "1" for dark and "0" for light, without the white margin around it.

    >>> rows = qr_rows("http://192.0.2.14:8501/class?code=K7QF")
    >>> len(rows), {len(row) for row in rows}, rows[0][:8]
    (29, {29}, '11111110')
    """
    return ["".join(map(str, map(int, row))) for row in segno.make(text, error="m", micro=False).matrix]
