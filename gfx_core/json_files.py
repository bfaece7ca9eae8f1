"""JSON from strangers into frozen dataclasses: msgspec checks each value against its type hint, and the first mistake
is told in one sentence that names its place.

Besides what msgspec refuses, nothing that a dataclass has may be missing, nothing may be there that it has not, no
field may stand twice, and no text may hold a line break or another control character.

JSON has no infinities, so a log value of −inf (a field ``log_…``) is the text "-Infinity", which JavaScript's `Number`
turns back as well. A "<" is written as \\u003c: the text can stand inside a script element without ending it.
"""

import json
import math
import re
import unicodedata
from threading import Lock
from typing import Any, Literal, NoReturn, TypeVar

import msgspec

T = TypeVar("T")

MINUS_INFINITY = "-Infinity"

_CONTROLS = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format, surrogate; line and paragraph separators
_LOG_ZERO = re.compile(r'("log_\w+":)-Infinity')  # no text can hold this: its quotes would be escaped
_NOUNS = {
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_WORDS = {
    "^Expected": "must be",
    ", got": ", not",
    "length <=": "length at most",
    "length >=": "length at least",
    "<=": "of at most",
    ">=": "of at least",
    "^Invalid enum value": "cannot be",
    "^Number out of range": "is a number out of range",
}


class JsonError(ValueError):
    """What is wrong with a value, and where it stands: ``steps[3].frontier[0].log_flow``, empty for the whole."""

    def __init__(self, text: str, path: str = "") -> None:
        super().__init__(f"{path.strip('.')} {text}".strip())


def parse(text: str | bytes) -> Any:
    """JSON values from text in UTF-8, or a `JsonError`; log values may be −inf, and no other number is infinite."""
    try:
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        values = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_no_twins)
        if "\\" in text or not text.isprintable():
            _check_texts(values)
    except JsonError:
        raise
    except UnicodeDecodeError as error:
        raise JsonError(f"the file is not text in UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise JsonError(f"the file is cut off or not JSON (character {error.pos})") from error
    except RecursionError as error:
        raise JsonError("the file nests lists or objects too deeply") from error
    except ValueError as error:
        raise JsonError("the file contains a number with too many digits") from error
    return values


_known: set[Any] = set()
_looking = Lock()


def look_at(kind: Any) -> None:
    """Have msgspec look at a type and all that it is made of, before it is read for the first time.

    It does so by itself, but keeps what it has seen before that is complete: where two threads begin at once, one reads
    what the other is still filling in, and the process ends (msgspec 0.22).
    """
    if kind not in _known:
        with _looking:
            msgspec.json.Decoder(kind)
            _known.add(kind)


def convert(values: Any, kind: type[T]) -> T:
    """JSON values as a dataclass or a `msgspec.Struct`, or a `JsonError`."""
    look_at(kind)
    try:
        found = msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _sentence(str(error)) from error
    if hasattr(kind, "__dataclass_fields__"):
        _check_fields(values, found)
    return found


def dump(value: Any, order: Literal["deterministic"] | None = "deterministic") -> str:
    """A dataclass as compact JSON, or a `JsonError`.

    Args:
        value: The dataclass; its fields stay in their order.
        order: Of the keys of dictionaries: sorted, so that equal values give equal texts, or as they are.
    """
    try:
        plain = msgspec.to_builtins(value, order=order)
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise JsonError(f"it contains something that JSON cannot store ({error})") from error
    text = _LOG_ZERO.sub(rf'\1"{MINUS_INFINITY}"', text)
    if "NaN" in text or text.count("Infinity") > text.count(f'"{MINUS_INFINITY}"'):
        parse(text)  # refuses what is no number
    return text.replace("<", "\\u003c")


def _no_constant(text: str) -> NoReturn:
    raise JsonError(f"the file contains {text}, which is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise JsonError("the file contains a number that is too large")
    return value


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise JsonError("one object of the file contains the same field twice")
    if MINUS_INFINITY in values.values():
        for name, value in pairs:
            if value == MINUS_INFINITY and name.startswith("log_"):
                values[name] = -math.inf
    return values


def _check_texts(value: Any, path: str = "") -> None:
    """Refuse texts and names of fields that hold a line break or another control character."""
    if isinstance(value, str):
        if not value.isprintable() and any(unicodedata.category(char) in _CONTROLS for char in value):
            raise JsonError("contains a line break or another control character", path)
    elif isinstance(value, dict):
        for name, each in value.items():
            _check_texts(name, f"{path} key")
            _check_texts(each, f"{path}.{name}")
    elif isinstance(value, list):
        for index, each in enumerate(value):
            _check_texts(each, f"{path}[{index}]")


def _check_fields(values: dict[str, Any], found: Any, path: str = "") -> None:
    """Refuse what msgspec lets pass: a field with a default that is missing, and one that the dataclass has not."""
    known = found.__dataclass_fields__.keys()
    if values.keys() != known:
        for name in known - values.keys():
            raise JsonError("is missing", f"{path}.{name}")
        for name in values.keys() - known:
            raise JsonError("is not known here", f"{path}.{name[:40]}")
    for name, each in vars(found).items():
        if isinstance(each, tuple):
            if each and hasattr(each[0], "__dataclass_fields__"):
                for index, part in enumerate(each):
                    _check_fields(values[name][index], part, f"{path}.{name}[{index}]")
        elif hasattr(each, "__dataclass_fields__"):
            _check_fields(values[name], each, f"{path}.{name}")


def _sentence(message: str) -> JsonError:
    """What msgspec found, in the words of people.

    >>> str(_sentence("Expected `float | null`, got `str` - at `$.steps[3].residual`"))
    'steps[3].residual must be a number or null, not a text'
    """
    text, _, path = message[:300].rpartition(" - at ") if " - at " in message else (message[:300], "", "")
    path = re.sub(r"`key` in (.*)", r"\1 key", path).replace("`", "").replace("$", "").replace("[...]", "[…]")
    field = re.fullmatch("Object (missing|contains).* field `(.*)`", text)
    if field:
        return JsonError("is missing" if field[1] == "missing" else "is not known here", f"{path}.{field[2][:40]}")

    def nouns(match: re.Match[str]) -> str:
        return " or ".join(_NOUNS.get(kind, kind) for kind in match[1].split(" | "))

    for pattern, words in _WORDS.items():
        text = re.sub(pattern, words, text)
    return JsonError(re.sub("`([^`]*)`", nouns, text), path)
