"""What pages send to Streamlit: each half of a character becomes U+FFFD, and who sends no message of a page is let go.

A text in a browser can have half of a character, a lone surrogate. Streamlit's script sends it as three bytes that are
not UTF-8. The server cannot read such a message and closes the connection, and the browser sends the same message over
the next connection. Without this the page would not answer any more.

No page sends what is no message at all, or one of hundreds of megabytes. Streamlit would write a traceback into the
log for the one, and keep the other in memory.
"""

from __future__ import annotations

import re

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from tokviz.ui.doors.gate import STREAM
from tokviz.ui.sockets.connection import take_no_larger_message

# The codes with which a socket closes (RFC 6455, section 7.4.1).
NOT_BYTES = 1003
UNREADABLE = 1007

MESSAGE_BYTES = 32_000_000  # of the largest message of a page, which has all that is typed in its fields

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
        closed = False

        async def receive_readable() -> Message:
            nonlocal closed
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            data = message.get("bytes")
            read = None if data is None else readable(data)
            if read is not None:
                return {**message, "bytes": read}
            closed, code = True, NOT_BYTES if data is None else UNREADABLE
            await send({"type": "websocket.close", "code": code, "reason": ""})
            return {"type": "websocket.disconnect", "code": code}

        async def send_while_open(message: Message) -> None:
            if not closed:
                await send(message)

        await self.app(scope, receive_readable, send_while_open)


def readable(data: bytes) -> bytes | None:
    r"""The message of a page, with U+FFFD for each half of a character. None if it is no message.

    >>> readable(b"Z\x07\n\x05a\xed\xa0\x80b"), readable(b"Z\x05\n\x03abc"), readable(b"abc")
    (b'Z\x07\n\x05a\xef\xbf\xbdb', b'Z\x05\n\x03abc', None)
    """
    for attempt in (data, _HALF.sub(_REPLACEMENT, data)):
        try:
            BackMsg.FromString(attempt)
        except DecodeError:
            continue
        return attempt
    return None
