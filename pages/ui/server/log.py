"""What the server writes to its log: visitors' text without control characters, and one line for what they break.

Whatever a visitor sends may turn up in a message: a line break in it would begin a line that looks like one of the
server's own, an escape code would rule the terminal of whoever reads the log. All records of this process are made
here, so all loggers are covered, Streamlit's and uvicorn's too.
"""

import logging
import re
import traceback
from typing import Any

LONGEST = 4000
"""Characters of a message; the middle of a longer one is left out."""
_MOST_LINES = 60  # of a traceback
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_OF_VISITORS = ("asyncio", "streamlit.runtime", "streamlit.web", "uvicorn", "websockets")
"""Loggers of what is between a browser and the pages: what fails there was sent by a visitor, and needs one line."""


def cleaned(text: str) -> str:
    """A text on one line, without anything that a terminal obeys."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def one_line(error: BaseException) -> str:
    """An exception and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


class CleanRecord(logging.LogRecord):
    """A record whose message and traceback can be written as they are."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(name, *args, **kwargs)
        self._cause = ""
        error = self.exc_info[1] if isinstance(self.exc_info, tuple) else None
        if error is None:
            return
        if name.startswith(_OF_VISITORS):
            self._cause, self.exc_info = f": {one_line(error)}", None
        else:
            lines = "".join(traceback.format_exception(error)).splitlines()
            self.exc_text = "\n".join(f"  | {cleaned(line)}" for line in lines[-_MOST_LINES:])

    def getMessage(self) -> str:  # noqa: N802 (the name is Python's)
        return cleaned(f"{super().getMessage().strip()}{self._cause}")


def clean_log() -> None:
    """Have all records of this process made so."""
    logging.setLogRecordFactory(CleanRecord)
