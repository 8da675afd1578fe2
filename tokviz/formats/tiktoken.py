"""tiktoken's rank files: a line for each token, its bytes in base64 and its id.

The file has no pairs, no pattern and no special tokens. The order of the ids is the order of the merges.
"""

from __future__ import annotations

import base64
import binascii

from tokviz.errors import FormatError


def read_ranks(data: bytes, source: str = "The file") -> dict[bytes, int]:
    """Token bytes -> id. FormatError names the first line that is not in the format.

    >>> read_ranks(b"IQ== 0\\nIg== 1\\n")
    {b'!': 0, b'"': 1}
    """
    ids: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), 1):
        try:
            token, id = line.split()
            ids[base64.b64decode(token)] = int(id)
        except (ValueError, binascii.Error):
            raise FormatError(
                f"{source} is not in tiktoken's format at line {number:,}.",
                "Each line is base64, a space, an id.",
            ) from None
    return ids
