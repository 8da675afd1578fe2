"""What the log says of a fault: its kind and its places in the code. Its message can have what somebody typed.

Anybody can send a page's widget a value that it cannot have, again and again. So the same fault is written once a
minute, and one in which no code of tokviz has a part, as Streamlit reads a value, takes one line. What is no fault has
only so many lines a minute from each place in the code.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

MINUTE_S = 60.0
LINES = 10  # that one place in the code may write in a minute

_OURS, _STREAMLITS = (f"{folder}{os.sep}" for folder in (Path(__file__).parents[2], Path(st.__file__).parent))
_NO_LEVEL = -1  # below that of each handler, so that none writes it


def log_without_messages(now: Callable[[], float] = time.monotonic) -> None:
    """From now on the log has no message of an exception, whoever logs it: tokviz, Streamlit or the server below."""
    make = logging.getLogRecordFactory()
    written = Counter[str]()  # faults, and places in the code, in this minute
    minute = 0
    writing = threading.Lock()

    def without_message(*args: Any, **named: Any) -> logging.LogRecord:
        nonlocal minute
        record = make(*args, **named)
        what, most = f"{record.pathname}:{record.lineno}", LINES
        if record.exc_info and record.exc_info[1]:
            error, record.exc_info = record.exc_info[1], None
            what, most = told(error), 1
            if _STREAMLITS in what and _OURS not in what:
                place = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__} in {place.name}, line {place.lineno} of {place.filename}"
                record.msg, record.args = f"{record.getMessage()}: {what}", ()
            else:
                record.exc_text = what
        with writing:
            if minute != (minute := int(now() // MINUTE_S)):
                written.clear()
            written[what] += 1
            if written[what] > most:
                record.levelno = _NO_LEVEL
        return record

    logging.setLogRecordFactory(without_message)


def told(error: BaseException) -> str:
    """Where this exception and those before it came about, the first one first, and of which kind they are.

    >>> try:
    ...     int("what somebody typed")
    ... except ValueError as error:
    ...     print(told(error).splitlines()[-1])
    ValueError
    """
    chain = [error]
    while (before := _before(chain[-1])) and before not in chain:
        chain.append(before)
    return "\n".join("".join(traceback.format_tb(one.__traceback__)) + type(one).__name__ for one in reversed(chain))


def _before(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)
