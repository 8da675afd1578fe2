"""How much a visitor and a server may take: the limits that an operator may change, and those that are fixed.

The library itself has wider bounds (tokviz/base/bounds.py). To import this module, as every page
does, sets them to the limits below.

To change some, write them into a TOML file, under the names that `_limit` has here, and let the environment variable
`TOKVIZ_LIMITS` name that file:

    visitors = 60
    match_seconds = 1.0

What is written nowhere keeps the value below. Lengths of texts are in UTF-16 units, as browsers count them, unless the
name says something else; MB is 1,000,000 bytes.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from tokviz.base import bounds
from tokviz.base.errors import SettingError

N = TypeVar("N", int, float)


def _changed() -> dict[str, Any]:
    """What the operator's file says; nothing if there is none. SettingError if it cannot be read."""
    path = os.environ.get("TOKVIZ_LIMITS")
    if not path:
        return {}
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise SettingError(
            f"The limits in {path} cannot be read: {fault}.", "Correct it, or unset TOKVIZ_LIMITS."
        ) from None


_CHANGED = _changed()
_NAMES: set[str] = set()


def _limit(name: str, value: N) -> N:
    """The operator's value of this limit, else this one."""
    _NAMES.add(name)
    said = _CHANGED.get(name, value)
    whole = isinstance(value, int)
    if isinstance(said, bool) or not isinstance(said, int if whole else int | float) or not 0 < said < 2**53:
        wanted = "a whole number" if whole else "a number"
        raise SettingError(f"The limit {name} is {said!r}.", f"It must be {wanted} above 0.")
    return type(value)(said)


MB = bounds.MB

# -- one text, one file, one training --

TEXT_UNITS = _limit("text_units", 1_000_000)  # of the text on Tokens
WRITTEN_UNITS = 200_000  # of a corpus that is written on Train
FIELD_UNITS = 50_000  # of any other field of a page: a chat, ids, special tokens, a line to add
FILE_MB = _limit("file_mb", 100)  # of 1,048,576 bytes: an uploaded file; `server.maxUploadSize` must be as large
CORPUS_MB = _limit("corpus_mb", 400)  # all files of one corpus together
CORPUS_FILES = 1_000  # files of one corpus

# -- work that takes a while --

JOBS_AT_ONCE = _limit("jobs_at_once", 1)  # pieces of work that run at the same time; each may use several cores
JOBS_A_VISITOR = 4  # pieces of work that one visitor may have waiting or under way
JOBS = 100  # the same for all visitors together
TURN_SECONDS = 2.0  # after which long work lets other work go on

# -- what is kept --

VISITOR_MB = _limit("visitor_mb", 32)  # one visitor, where many share the server (TOKVIZ_SHARED=1)
SERVER_MB = _limit("server_mb", 1_000)  # all visitors together
KEPT_SECONDS = _limit("kept_seconds", 2 * 60 * 60)  # how long a visitor's work is kept after they were last there
VISITORS = _limit("visitors", 500)  # who are away, and whose work is kept
UPLOADS_A_VISITOR_MB = 400  # raw uploads in memory, of one visitor
UPLOADS_MB = _limit("uploads_mb", 1_000)  # raw uploads in memory, of all visitors

# -- a class --

ROOMS = _limit("rooms", 50)  # on the server: open ones, and as many that have ended
ROOMS_A_VISITOR = 5  # that one teacher may open in an hour
ROOMS_AN_ADDRESS = 20  # open at the same time; a whole school may share one address
STUDENTS = _limit("students", 300)  # in a room

# -- connections --

CONNECTIONS = _limit("connections", 1_000)  # sockets of all browsers, those of Streamlit's pages among them
CONNECTIONS_A_VISITOR = _limit("connections_a_visitor", 40)  # a tab takes two or three
CONNECTIONS_AN_ADDRESS = _limit("connections_an_address", 800)  # a full room may share one address
VISITORS_AN_ADDRESS = STUDENTS + 10  # who are there at the same time: a full room, and its teachers
MESSAGES_A_SECOND = _limit("messages_a_second", 100)  # of a visitor, on average; what comes faster is read later
MESSAGES_A_SECOND_AN_ADDRESS = 2_000  # the same of all who share an address
UNREAD_SECONDS = 30.0  # after which a connection whose browser reads no answers is closed

# -- packages of others, which run in a process of their own; see peer_process.py --

FOREIGN_SECONDS = _limit("foreign_seconds", 10.0)  # for one text or file
FOREIGN_MB = _limit("foreign_mb", 1_000)  # of memory, beside what the process has at its start; on Linux only
FOREIGN_ANSWER_MB = 48  # what comes back for a text; a token takes 16 bytes

# -- what the library accepts; `Bounds` says what each is for --

bounds.use(
    bounds.Bounds(
        pattern_characters=10_000,
        match_seconds=_limit("match_seconds", 5.0),
        chunk_mb=8,
        chunks_mb=_limit("chunks_mb", 50),
        vocabulary=1_000_000,
        file_tokens=650_000,
        vocabulary_mb=32,
        exported_mb=8,
        specials=100_000,
        model_file_mb=256,
        unfolded_mb=250,
        saved_files=1_000,
        saved_mb=_limit("library_mb", 2_000),
        looked_up=0,  # what a visitor types is no name of a file of the server
    )
)

_unknown = sorted(set(_CHANGED) - _NAMES)
if _unknown:
    raise SettingError(f"There is no limit {_unknown[0]!r}.", f"The limits are {', '.join(sorted(_NAMES))}.")
