"""What pages send to Streamlit: each half of a character becomes U+FFFD, and who sends no message of a page is let go.

A text in a browser can have half of a character, a lone surrogate. Streamlit's script sends it as three bytes that are
not UTF-8. The server cannot read such a message and closes the connection, and the browser sends the same message over
the next connection. Without this the page would not answer any more.

No page sends what is no message at all, or one of megabytes beside its texts. Streamlit would write a traceback into
the log for the one, and everybody would wait while it reads the other. Nor does a page send hundreds in a second. Each
can start a run, so they wait as the messages of our own sockets do.
"""

from __future__ import annotations

import re
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from tokviz.ui.server import limits
from tokviz.ui.server.connection import TOO_LARGE, UNREAD, UNREADABLE, take_no_larger_message
from tokviz.ui.server.gate import STREAM
from tokviz.ui.server.pace import Paces

# Of the largest message of a page, which has all that is typed in its fields: a text, and what is small beside it.
MESSAGE_BYTES = 256_000 + 4 * limits.TEXT_UNITS
NOT_BYTES = 1003  # the code with which a WebSocket closes on which text came
WIDGETS = 10_000  # whose values a message can have; of two bytes each there would be millions
# Bytes that a value of a widget begins with; a text has as many lines at most. Of values that are empty there would be
# millions in a message, and to read them takes a tenth of a second, in which nobody else is answered.
BEGINNINGS = 200_000
AS_MANY = 10  # messages of our own sockets: each may start a run, and so a thread

_HALF = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")  # no text in UTF-8 has such bytes
_REPLACEMENT = "\ufffd".encode()  # three bytes too, so that the lengths in the message stay right


class Readable:
    """ASGI middleware that lets only messages through that Streamlit can read."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" or not scope["path"].endswith(STREAM):
            await self.app(scope, receive, send)
            return
        take_no_larger_message(receive, MESSAGE_BYTES)
        closed, paces = False, Paces(scope, AS_MANY)

        async def receive_readable() -> Message:
            nonlocal closed
            message = await receive() if not closed else {"type": "websocket.disconnect", "code": UNREAD}
            if message["type"] != "websocket.receive":
                return message
            data: Any = message.get("bytes")
            large = data is not None and len(data) > MESSAGE_BYTES  # it came before the server was told the limit
            if not large:
                await paces.wait(data or b"")
            read = None if data is None or large else readable(data)
            if read is not None:
                return {**message, "bytes": read}
            closed, code = True, TOO_LARGE if large else NOT_BYTES if data is None else UNREADABLE
            reason = f"A message can have at most {MESSAGE_BYTES:,} bytes." if large else ""
            await send({"type": "websocket.close", "code": code, "reason": reason})
            return {"type": "websocket.disconnect", "code": code}

        async def send_while_open(message: Message) -> None:
            nonlocal closed
            if not closed:
                try:
                    await send(message)
                except OSError:  # the browser is gone; Streamlit would go on to read, and log that it cannot
                    closed = True

        await self.app(scope, receive_readable, send_while_open)


def readable(data: bytes) -> bytes | None:
    r"""The message of a page, with U+FFFD for each half of a character. None if it is no message.

    >>> readable(b"Z\x07\n\x05a\xed\xa0\x80b"), readable(b"Z\x05\n\x03abc"), readable(b"abc")
    (b'Z\x07\n\x05a\xef\xbf\xbdb', b'Z\x05\n\x03abc', None)
    """
    if data.count(b"\n") > BEGINNINGS:
        return None
    for attempt in (data, _HALF.sub(_REPLACEMENT, data)):
        try:
            read = BackMsg.FromString(attempt)
        except DecodeError:
            continue
        return attempt if len(read.rerun_script.widget_states.widgets) <= WIDGETS else None
    return None
