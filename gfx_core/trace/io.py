"""Traces as JSON: compact when written, checked in every detail when read.

A file may come from anyone, so nothing in it is believed. Reading goes through two checks, and the first thing that is
wrong is told in one sentence that says where it stands:

1. each value against its type hint (`gfx_core.trace.hints`; a reader is built from the hints, once per type);
2. the values against each other: does each step follow from the one before, do probabilities add up, and so on.

Every field is written and must be there when read. JSON has no infinities, so a log value of −inf is the text
"-Infinity", which JavaScript's `Number` turns back as well. A "<" is written as \\u003c: the text can stand inside a
script element without ending it.
"""

import json
import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import repeat
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NoReturn, Union, get_args, get_origin, get_type_hints

from gfx_core.errors import UserError
from gfx_core.files import replacing
from gfx_core.trace.checks import contradictions
from gfx_core.trace.hints import IndexOf, Label, Limits
from gfx_core.trace.schema import SCHEMA, Trace

MAX_BYTES = 16 * 2**20
MINUS_INFINITY = "-Infinity"

_DEPTH, _VALUES = 8, 10_000  # of lists and objects in an entry of `made`
_UNSAID = {  # limits where the type hint names none
    bool: Limits(),
    int: Limits(-(2**53), 2**53),
    float: Limits(-Limits().high),
    str: Limits(0, 1000),
    tuple: Limits(0, 1000),
    dict: Limits(0, 200),
}
_NOUNS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_CONTROLS = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format, surrogate; line and paragraph separators

_Sizes = Mapping[str, int]  # how many nodes, edges and classes there are
_Read = Callable[[Any, _Sizes], Any]


def to_json(trace: Trace, *, check: bool = True) -> str:
    """The trace as text: equal traces give equal texts.

    Args:
        trace: The trace.
        check: Whether it is checked that it can be read back, which takes twice as long as the rest. What is shown at
            once, and not kept, can do without.

    Raises:
        UserError: If it could not be read back: it is too large, contradicts itself or holds something else than
            its type hints say.
    """
    plain = _plain(trace)
    if check and _checked(plain, "trace") != trace:
        raise UserError("trace: it holds something that JSON does not keep, such as a list where a tuple belongs.")
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    if len(text.encode()) > MAX_BYTES:
        raise UserError(f"trace: it takes more than {MAX_BYTES // 2**20} MiB, keep fewer samples or masks.")
    return text


def checked(trace: Trace, name: str = "trace") -> Trace:
    """The trace itself, if nothing in it is wrong; a ``UserError`` says what is."""
    return _checked(_plain(trace), name)


def from_json(text: str | bytes, name: str = "trace") -> Trace:
    """Read a trace and check all of it.

    Args:
        text: What was written by `to_json`, or by somebody who means to look like it.
        name: What to call it in error messages, such as the file's name.

    Raises:
        UserError: If anything is wrong with it; one sentence says what and where.
    """
    name = _one_line(name)
    if len(text) > MAX_BYTES:
        raise UserError(f"{name}: the file is larger than {MAX_BYTES // 2**20} MiB, too large for a trace.")
    try:
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        values = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except UnicodeDecodeError as error:
        raise UserError(f"{name}: the file is not text in UTF-8 (byte {error.start}).") from error
    except json.JSONDecodeError as error:
        raise UserError(f"{name}: the file is cut off or not JSON (character {error.pos}).") from error
    except _TraceError as error:
        raise UserError(f"{name}: {error.text}.") from error
    except RecursionError as error:
        raise UserError(f"{name}: the file nests lists or objects too deeply for a trace.") from error
    except ValueError as error:
        raise UserError(f"{name}: the file holds a number with too many digits.") from error
    return _checked(values, name)


def save(trace: Trace, path: Path) -> None:
    """Write a trace; an existing file is replaced only once the new one is whole."""
    data = to_json(trace).encode()
    try:
        with replacing(path) as part:
            part.write_bytes(data)
    except (OSError, ValueError) as error:
        raise UserError(f"The trace cannot be written to {_one_line(path)}: choose another folder or name.") from error


def load(path: Path) -> Trace:
    """Read a trace from a file and check all of it."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise UserError(f"There is no trace at {_one_line(path)}.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"The trace at {_one_line(path)} cannot be read: is it a file, and may you read it?") from error
    return from_json(data, path.name)


class _TraceError(Exception):
    """What is wrong with a value; whoever holds the value adds the place to the path."""

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(text)
        self.text, self.path = text, path

    def within(self, place: str) -> "_TraceError":
        self.path = place + self.path
        return self


def _one_line(name: object) -> str:
    """A name or path as it may stand in a sentence."""
    text = "".join(char if char.isprintable() else "?" for char in str(name))
    return text if len(text) <= 200 else "…" + text[-200:]


def _no_constant(text: str) -> NoReturn:
    raise _TraceError(f"the file holds {text}, which is not a JSON number")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise _TraceError("one object of the file holds the same field twice")
    return values


def _checked(values: Any, name: str) -> Trace:
    """A trace from JSON values, or a `UserError`."""
    try:
        if not isinstance(values, dict) or "schema" not in values:
            raise _TraceError("the file is not a trace (it has no schema version)")
        if values["schema"] != SCHEMA or isinstance(values["schema"], bool):
            found = _show(values["schema"])
            raise _TraceError(f"the trace has version {found}, but this program reads {SCHEMA}: explain it again")
        sizes = {k: len(values[k]) for k in ("nodes", "edges", "classes") if isinstance(values.get(k), list)}
        trace: Trace = _reader(Trace)(values, sizes)
        for path, text in contradictions(trace):
            raise _TraceError(text, path)
        return trace
    except _TraceError as error:
        raise UserError(f"{name}: {f'{error.path} {error.text}'.strip('. ')}.") from error


# From and to plain values, by type hint.


def _plain(value: Any) -> Any:
    """The value in dicts, lists and scalars."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return MINUS_INFINITY if isinstance(value, float) and value == -math.inf else value


def _show(value: Any) -> str:
    """A value as it may stand in a sentence: short, one line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "…"


@cache
def _reader(hint: Any) -> _Read:
    """The function that turns a JSON value into one of the hinted type, or raises a `_TraceError`."""
    limits: Any = None
    if get_origin(hint) is Annotated:
        hint, limits = get_args(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):  # only ever "or None"
        some = _reader(args[0])
        return lambda value, sizes: None if value is None else some(value, sizes)
    if is_dataclass(hint):
        make: Any = hint
        hints = get_type_hints(hint, include_extras=True)
        by_name = {field.name: _reader(hints[field.name]) for field in fields(hint)}
        return lambda value, sizes: make(**_read_fields(value, by_name, sizes))
    if origin is tuple:
        each = [_reader(arg) for arg in args if arg is not Ellipsis]
        if len(each) == len(args):
            return lambda value, sizes: tuple(_read_list(value, Limits(len(each), len(each)), each, sizes))
        return lambda value, sizes: tuple(_read_list(value, limits or _UNSAID[tuple], repeat(each[0]), sizes))
    if origin is dict:
        entry = _reader(args[1])
        return lambda value, sizes: _read_dict(value, entry, sizes)
    if hint is Any:
        return _read_free
    if issubclass(hint, Enum):
        return lambda value, sizes: _read_member(hint, value)
    if isinstance(limits, IndexOf):
        return lambda value, sizes: _read_index(value, limits.what, sizes)
    return lambda value, sizes: _read_scalar(hint, value, limits or _UNSAID[hint])


def _read_all(parts: Iterable[tuple[str, Any, _Read]], sizes: _Sizes) -> Iterator[Any]:
    """Read the parts of something, each given with its place in it."""
    for place, value, read in parts:
        try:
            yield read(value, sizes)
        except _TraceError as error:
            raise error.within(place) from None


def _read_list(value: Any, limits: Limits, readers: Iterable[_Read], sizes: _Sizes) -> list[Any]:
    if not isinstance(value, list):
        raise _TraceError(f"must be a list, not {_show(value)}")
    _check_length(len(value), "entries", limits)
    pairs = enumerate(zip(value, readers, strict=False))  # one reader may be repeated for ever
    return list(_read_all(((f"[{index}]", item, read) for index, (item, read) in pairs), sizes))


def _read_dict(value: Any, read: _Read, sizes: _Sizes) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _TraceError(f"must be an object, not {_show(value)}")
    _check_length(len(value), "entries", _UNSAID[dict])
    keys = list(_read_all(((" key", key, _reader(Label)) for key in value), sizes))
    parts = ((f"[{key!r}]", item, read) for key, item in value.items())
    return dict(zip(keys, _read_all(parts, sizes), strict=True))


def _read_fields(value: Any, readers: Mapping[str, _Read], sizes: _Sizes) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _TraceError(f"must be an object, not {_show(value)}")
    for name in readers:
        if name not in value:
            raise _TraceError("is missing", f".{name}")
    for name in value:
        if name not in readers:
            raise _TraceError("is a field that no trace has", f"[{_show(name)}]")
    parts = ((f".{name}", value[name], read) for name, read in readers.items())
    return dict(zip(readers, _read_all(parts, sizes), strict=True))


def _read_free(value: Any, sizes: _Sizes, depth: int = 0) -> Any:
    """JSON of any kind, but no giants."""
    if depth > _DEPTH:
        raise _TraceError("is nested too deeply")
    count, stack = 0, [value] if depth == 0 else []
    while stack and count <= _VALUES:
        item = stack.pop()
        count += 1
        stack.extend(item if isinstance(item, list) else item.values() if isinstance(item, dict) else ())
    if stack:
        raise _TraceError(f"holds more than {_VALUES} values")

    def deeper(value: Any, sizes: _Sizes) -> Any:
        return _read_free(value, sizes, depth + 1)

    if isinstance(value, dict):
        return _read_dict(value, deeper, sizes)
    if isinstance(value, list):
        return _read_list(value, _UNSAID[tuple], repeat(deeper), sizes)
    kind = type(value) if type(value) in _NOUNS else float
    return None if value is None else _read_scalar(kind, value, _UNSAID[kind])


def _read_member(kind: type[Enum], value: Any) -> Enum:
    for member in kind:
        if member.value == value:
            return member
    raise _TraceError(f"must be {' or '.join(str(member.value) for member in kind)}, not {_show(value)}")


def _read_index(value: Any, what: str, sizes: _Sizes) -> int:
    count = sizes.get(what, 0)
    if type(value) is not int:
        raise _TraceError(f"must be a whole number, not {_show(value)}")
    if not 0 <= value < count:
        raise _TraceError(f"is {_show(value)}, but the {'task' if what == 'classes' else 'graph'} has {count} {what}")
    return value


def _read_scalar(kind: Any, value: Any, limits: Limits) -> Any:
    if kind is float:
        if value == MINUS_INFINITY and limits.low == -math.inf:
            return -math.inf
        if type(value) is int and abs(value) <= Limits().high:
            value = float(value)
    if type(value) is not kind:
        raise _TraceError(f"must be {_NOUNS[kind]}, not {_show(value)}")
    if kind is str:
        _check_length(len(value), "characters", limits)
        if not value.isprintable() and any(unicodedata.category(char) in _CONTROLS for char in value):
            raise _TraceError("holds a line break or another control character")
    elif kind is not bool and not (limits.low <= value <= limits.high and math.isfinite(value)):
        raise _TraceError(f"is {_show(value)}, but must lie between {limits.low:g} and {limits.high:g}")
    return value


def _check_length(length: int, noun: str, limits: Limits) -> None:
    if not limits.low <= length <= limits.high:
        allowed = f"{limits.low}" if limits.low == limits.high else f"{limits.low} to {limits.high}"
        raise _TraceError(f"has {length} {noun}, but must have {allowed}")
