"""JSON from uploads as msgspec's types, whose hints are the checks; the first mistake ends it with one sentence.

No text or name may hold a line break or another control character. JSON has no infinities, so a log value of −inf (a
field ``log_…``) is the text "-Infinity", which JavaScript's `Number` turns back as well. A "<" is written as \\u003c:
the text can stand inside a script element without ending it.
"""

import json
import math
import re
import unicodedata
from threading import Lock
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

Json: TypeAlias = dict[str, Any]
"""A JSON object."""

MINUS_INFINITY = "-Infinity"
MAX_DEPTH = 16
"""Lists and objects within each other: what is deeper cannot be copied."""

_CONTROLS = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format, surrogate; line and paragraph separators
_LOG_ZERO = re.compile(r'("log_\w+":)-Infinity')  # no text can hold this: its quotes would be escaped


class JsonError(ValueError):
    """What is wrong with a value, after its place: ``steps[3].frontier[0].log_flow``; none for the whole."""


def parse(text: str | bytes) -> Any:
    """JSON values from text in UTF-8, or a `JsonError`; log values may be −inf, and no other number is infinite."""
    try:
        values = msgspec.json.decode(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except (ValueError, RecursionError) as error:
        kind = "not text in UTF-8" if isinstance(error, UnicodeError) else "cut off or not JSON"
        raise JsonError(f"the file is {kind} ({_one_line(error)})") from error
    return _checked(values)


def _checked(value: Any, name: str = "", depth: int = 0) -> Any:
    """The value of a field, with −inf for log values of that; texts with control characters are refused."""
    if depth > MAX_DEPTH:
        raise JsonError("the file is nested too deeply")
    if isinstance(value, dict):
        return {_checked(key): _checked(inner, key, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_checked(inner, "", depth + 1) for inner in value]
    if value == MINUS_INFINITY and name.startswith("log_"):
        return -math.inf
    if isinstance(value, str) and not value.isprintable() and _CONTROLS & set(map(unicodedata.category, value)):
        raise JsonError(f"{name or 'a text'} contains a line break or another control character")
    return value


def _one_line(error: Exception) -> str:
    return "".join(filter(str.isprintable, str(error)))[:200]


_looking = Lock()


def look_at(kind: Any) -> None:
    """Have msgspec look at a type and all that it is made of, before it is read for the first time.

    It does so by itself, but keeps what it has seen before that is complete: where two threads begin at once, one reads
    what the other is still filling in, and the process ends (msgspec 0.22).
    """
    with _looking:
        msgspec.json.Decoder(kind)


def convert(values: Any, kind: type[T]) -> T:
    """JSON values as a `msgspec.Struct` or a dataclass, or a `JsonError`."""
    look_at(kind)
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        text, _, path = _one_line(error).partition(" - at ")
        path = path.rpartition(" in ")[2].strip("`$.")  # of a key, that of its object
        raise JsonError(f"{path} {text[0].lower()}{text[1:]}".strip()) from error


def dump(value: Any, order: Literal["deterministic"] | None = "deterministic") -> str:
    """A Struct or a dataclass as compact JSON, or a `JsonError`.

    Args:
        value: Its fields stay in their order.
        order: Of the keys of dictionaries: sorted, so that equal values give equal texts, or as they are.
    """
    try:
        plain = msgspec.to_builtins(value, order=order)
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise JsonError(f"it contains something that JSON cannot store ({error})") from error
    text = _LOG_ZERO.sub(rf'\1"{MINUS_INFINITY}"', text)
    if "NaN" in text or "Infinity" in text:
        parse(text)  # refuses what is no number
    return text.replace("<", "\\u003c")
