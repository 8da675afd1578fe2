"""What the log says of a fault: its kind and its places in the code. Its message can have what somebody typed."""

from __future__ import annotations

import logging
import traceback
from typing import Any


def log_without_messages() -> None:
    """From now on the log has no message of an exception, whoever logs it: tokviz, Streamlit or the server below."""
    make = logging.getLogRecordFactory()

    def without_message(*args: Any, **named: Any) -> logging.LogRecord:
        record = make(*args, **named)
        if record.exc_info and record.exc_info[1]:
            record.exc_text, record.exc_info = told(record.exc_info[1]), None
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
