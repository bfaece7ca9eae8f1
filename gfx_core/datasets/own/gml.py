"""GML in one pass over its text: keys, numbers, texts in quotation marks, brackets. Needs no recursion."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

from gfx_core.datasets.own import limits
from gfx_core.errors import UserError

_TOKEN = re.compile(
    r"\s*(?:#[^\n]*(?:\n\s*|\Z))*"  # blanks and comments; a comment goes to the end of its line, so there is one way
    r"(?:([A-Za-z][0-9A-Za-z_]*)"
    r"|([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[Ee][+-]?[0-9]+)?|[+-]INF)"
    r'|"([^"]*)"|(\[)|(\])|\Z)'
)
_LIST = "_networkx_list_start"  # what networkx writes before a list of one
_FREE = ("id", "label", "source", "target")  # may be words without quotation marks, as some programs write them
_EVERY = 4096  # entries between two looks at the clock


def parse(text: str, clock: limits.Clock) -> dict[str, Any]:
    """The entries of a GML text; one that stands several times is a list, one in brackets a dictionary.

    Raises:
        ValueError: It is no GML.
        UserError: It has too many entries or brackets within each other, or takes too long.
    """
    entries: dict[str, Any] = {}
    outer: list[dict[str, Any]] = []
    read: Callable[[str, int], re.Match[str] | None] = _TOKEN.match
    at = count = 0
    while True:
        found = read(text, at)
        if found is None:
            raise ValueError(f"a sign after line {text.count(chr(10), 0, at) + 1} is neither word nor number")
        at = found.end()
        key = found[1]
        if key is None:
            if found[5] and outer:
                entries = outer.pop()
                continue
            if outer or found.lastindex:
                raise ValueError(
                    f"line {text.count(chr(10), 0, at) + 1} holds a value or bracket where a word should be"
                )
            return entries
        found = read(text, at)
        if found is None:
            raise ValueError(f"“{key[:60]}” in line {text.count(chr(10), 0, at) + 1} has no value")
        at = found.end()
        inner: dict[str, Any] | None = None
        value: Any
        match found.lastindex:
            case 2:
                value = _number(found[2])
            case 3:
                value = unescape(found[3])
                value = _Several() if value in ("[]", "()", _LIST) else value
            case 4:
                value = inner = {}
            case 1 if key in _FREE:
                value = found[1]
            case 1 if found[1] in ("NAN", "INF"):
                value = float(found[1])
            case _:
                raise ValueError(f"“{key[:60]}” in line {text.count(chr(10), 0, at) + 1} has no value")
        _put(entries, key, value)
        if inner is not None:
            outer.append(entries)
            entries = inner
            if len(outer) > limits.MAX_DEPTH:
                raise UserError(f"There are more than {limits.MAX_DEPTH} brackets within each other.")
        count += 1
        if not count % _EVERY:
            clock.check()
            limits.check_count(count, limits.MAX_ENTRIES, "entries")


class _Several(list[Any]):
    """The values of a key that stands several times, or that is a list in networkx."""


def _put(entries: dict[str, Any], key: str, value: Any) -> None:
    if key not in entries:
        entries[key] = value
    elif isinstance(entries[key], _Several):
        entries[key].append(value)
    else:
        entries[key] = _Several((entries[key], value))


def _number(text: str) -> int | float:
    digits = text.lstrip("+-")
    return int(text) if digits.isdecimal() else float(text)
