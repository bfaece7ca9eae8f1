"""Traces as JSON: compact when written, checked in every detail when read.

A file may come from anyone, so nothing in it is believed. Reading goes through two checks, and the first thing that is
wrong is told in one sentence that says where it stands:

1. each value against its type hint (`gfx_core.json_files`);
2. the values against each other: does each step follow from the one before, do probabilities add up, and so on.

Every field is written and must be there when read.
"""

from pathlib import Path
from typing import Any

from gfx_core import json_files
from gfx_core.errors import UserError
from gfx_core.files import replacing
from gfx_core.json_files import JsonError
from gfx_core.trace.checks import contradictions
from gfx_core.trace.schema import SCHEMA, Trace

MAX_BYTES = 16 * 2**20

_VALUES = 10_000  # of `made`


def to_json(trace: Trace, *, check: bool = True) -> str:
    """The trace as text: equal traces give equal texts.

    Args:
        trace: The trace.
        check: Whether it is checked that it can be read back, which takes longer than the rest. What is shown at
            once, and not kept, can do without.

    Raises:
        UserError: If it could not be read back: it is too large, contradicts itself or holds something else than
            its type hints say.
    """
    try:
        text = json_files.dump(trace)
    except JsonError as error:
        raise UserError(f"trace: {error}.") from error
    if len(text.encode(errors="surrogatepass")) > MAX_BYTES:
        raise UserError(f"trace: it takes more than {MAX_BYTES // 2**20} MiB, keep fewer samples or masks.")
    if check and from_json(text) != trace:
        raise UserError("trace: it holds something that JSON does not keep, such as a list where a tuple belongs.")
    return text


def from_json(text: str | bytes, name: str = "trace") -> Trace:
    """Read a trace and check all of it.

    Args:
        text: What was written by `to_json`, or by anyone who means to look like it.
        name: What to call it in error messages, such as the file's name.

    Raises:
        UserError: If anything is wrong with it; one sentence says what and where.
    """
    name = _one_line(name)
    if len(text) > MAX_BYTES:
        raise UserError(f"{name}: the file is larger than {MAX_BYTES // 2**20} MiB, too large for a trace.")
    try:
        values = json_files.parse(text)
        if not isinstance(values, dict) or "schema" not in values:
            raise JsonError("the file is not a trace (it has no schema version)")
        if values["schema"] != SCHEMA or isinstance(values["schema"], bool):
            found = _one_line(values["schema"])[:40]
            raise JsonError(f"the trace has version {found}, but this program reads {SCHEMA}: explain it again")
        trace = json_files.convert(values, Trace)
        if _count(trace.made) > _VALUES:
            raise JsonError(f"holds more than {_VALUES} values", "made")
        for path, problem in contradictions(trace):
            raise JsonError(problem, path)
    except JsonError as error:
        raise UserError(f"{name}: {error}.") from error
    return trace


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


def _one_line(name: object) -> str:
    """A name or path as it may stand in a sentence."""
    text = "".join(char if char.isprintable() else "?" for char in str(name))
    return text if len(text) <= 200 else "…" + text[-200:]


def _count(value: Any) -> int:
    """How many values there are in JSON."""
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_count, within))
