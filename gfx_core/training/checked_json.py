"""Checks of JSON that anybody may have written: each takes a value and where it stands, and refuses in a sentence."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from gfx_core.errors import UserError
from gfx_core.training import codes

Check = Callable[[Any, str], Any]


def refuse(where: str, why: str) -> UserError:
    """What is wrong, and where."""
    return UserError(f"This is no whole recording of a training: {where} {why}. Choose a JSON file that Train saved.")


def number(value: Any, where: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise refuse(where, "should be a number")
    return float(value)


def whole(low: int = 0, high: int = 2**53) -> Check:
    """A whole number within limits."""

    def check(value: Any, where: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise refuse(where, f"should be a whole number from {low} to {high}")
        return value

    return check


def text(most: int = 600) -> Check:
    """A text that is not too long."""

    def check(value: Any, where: str) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise refuse(where, f"should be a text of at most {most} characters")
        return value

    return check


def boolean(value: Any, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise refuse(where, "should be true or false")
    return value


def maybe(check: Check) -> Check:
    """The same or nothing."""
    return lambda value, where: None if value is None else check(value, where)


def many(check: Check, most: int, exactly: int | None = None) -> Check:
    """A list of at most so many, or of exactly so many."""

    def checked(value: Any, where: str) -> list[Any]:
        if not isinstance(value, list) or len(value) > most or (exactly is not None and len(value) != exactly):
            count = f"at most {most}" if exactly is None else str(exactly)
            raise refuse(where, f"should be a list of {count}")
        return [check(each, f"{where}, entry {number + 1},") for number, each in enumerate(value)]

    return checked


def row(*checks: Check) -> Check:
    """A list whose entries are each of their own kind."""

    def checked(value: Any, where: str) -> list[Any]:
        if not isinstance(value, list) or len(value) != len(checks):
            raise refuse(where, f"should be a list of {len(checks)}")
        return [check(each, where) for check, each in zip(checks, value, strict=True)]

    return checked


def code(count: int) -> Check:
    """So many numbers in base64."""

    def check(value: Any, where: str) -> str:
        if not isinstance(value, str) or codes.length(value) != count:
            raise refuse(where, f"should hold {count} numbers")
        return value

    return check


def entries(checks: Mapping[str, Check], optional: frozenset[str] = frozenset()) -> Check:
    """An object with these entries and no others."""

    def check(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise refuse(where, "should be an object")
        missing = checks.keys() - value.keys() - optional
        unknown = value.keys() - checks.keys()
        if missing or unknown:
            words = f"lacks {sorted(missing)[0]}" if missing else f"has an unknown entry {str(sorted(unknown)[0])[:60]}"
            raise refuse(where, words)
        return {name: checks[name](each, f"{where}, {name},") for name, each in value.items()}

    return check
