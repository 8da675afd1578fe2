"""Halves of characters in what a page sends to Streamlit: each becomes U+FFFD.

A text in a browser can have half of a character, a lone surrogate. Streamlit's script sends it as three bytes that are
not UTF-8. The server cannot read such a message and closes the connection, and the browser sends the same message over
the next connection. Without this the page would not answer any more.
"""

from __future__ import annotations

import re

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

_HALF = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")  # no text in UTF-8 has such bytes
_REPLACEMENT = "\ufffd".encode()  # three bytes too, so that the lengths in the message stay right


class WholeCharacters:
    """ASGI middleware that makes the messages of pages readable."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_whole() -> Message:
            message = await receive()
            if message.get("bytes"):
                message["bytes"] = whole(message["bytes"])
            return message

        streams = scope["type"] == "websocket" and scope["path"].endswith("/_stcore/stream")
        await self.app(scope, receive_whole if streams else receive, send)


def whole(data: bytes) -> bytes:
    r"""The message of a page, with U+FFFD for each half of a character. One that can be read is not changed.

    >>> whole(b"Z\x07\n\x05a\xed\xa0\x80b")
    b'Z\x07\n\x05a\xef\xbf\xbdb'
    """
    if not _HALF.search(data):
        return data
    try:
        BackMsg.FromString(data)
    except DecodeError:
        return _HALF.sub(_REPLACEMENT, data)
    return data
