"""Traces as JSON: compact when written, checked in every detail when read.

A file may come from anyone, so nothing in it is believed. Reading goes through two checks, and the first thing that is
wrong ends it with one sentence that names its place:

1. each value against its type hint (`gfx_core.json_files`);
2. numbers of nodes, edges and classes against how many there are, and lists against each other.

Every field is written. What follows from others (`gfx_core.trace.derive`) is not believed but derived again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import msgpack

from gfx_core import json_files
from gfx_core.errors import UserError
from gfx_core.files import write_text
from gfx_core.json_files import JsonError
from gfx_core.trace.derive import derive
from gfx_core.trace.schema import SCHEMA, NodeSet, Step, Trace

MAX_BYTES = 16 * 2**20
MAX_MADE = 100_000  # bytes


def to_json(trace: Trace) -> str:
    """The trace as text: equal traces give equal texts.

    Raises:
        UserError: If it could not be read back: it is too large, contradicts itself or holds something else than
            its type hints allow.
    """
    try:
        text = json_files.dump(trace)
    except JsonError as error:
        raise UserError(f"trace: {error}.") from error
    if from_json(text) != trace:
        raise UserError("trace: it contains something that JSON cannot store, such as a list where a tuple belongs.")
    return text


def from_json(text: str | bytes, name: str = "trace") -> Trace:
    """Read a trace and check all of it.

    Args:
        text: What was written by `to_json`, or by anyone who means to look like it.
        name: What to call it in error messages, such as the file's name.

    Raises:
        UserError: If anything is wrong with it; one sentence names what and where.
    """
    name = _one_line(name)
    if len(text) > MAX_BYTES:
        raise UserError(f"{name}: the file is larger than {MAX_BYTES // 2**20} MiB, too large for a trace.")
    try:
        values = json_files.parse(text)
        if not isinstance(values, dict) or values.get("schema") != SCHEMA:
            raise JsonError(f"the file is not a trace of version {SCHEMA}, which this program reads: explain it again")
        trace = json_files.convert(values, Trace)
        if len(msgpack.encode(trace.made)) > MAX_MADE:  # which refuses numbers of many digits, too
            raise JsonError(f"made takes more than {MAX_MADE} bytes")
    except (JsonError, OverflowError) as error:
        raise UserError(f"{name}: {error}.") from error
    return checked(trace, name)


def checked(trace: Trace, name: str) -> Trace:
    """Check the values of a trace against each other, and fill in what follows from them."""
    for path, fits in _checks(trace):
        if not fits:
            raise UserError(f"{name}: {path} does not fit the rest of the trace.")
    return derive(trace)


def save(trace: Trace, path: Path) -> None:
    """Write a trace; an existing file is replaced only once the new one is whole."""
    write_text(path, to_json(trace))


def load(path: Path) -> Trace:
    """Read a trace from a file and check all of it."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UserError(
            f"There is no trace at {_one_line(path)}, or it cannot be read: is it a file, and may you read it?"
        ) from error
    return from_json(data, path.name)


def _one_line(name: object) -> str:
    """A name or path as a part of a sentence."""
    return repr(str(name))[1:-1][-200:]


def _checks(trace: Trace) -> Iterator[tuple[str, bool]]:
    """Places, and whether they fit the rest of the trace."""
    count, classes, prediction = len(trace.edges), len(trace.classes), trace.prediction
    ends = {(edge.source, edge.target) for edge in trace.edges if edge.source < edge.target < len(trace.nodes)}
    yield "edges", len(ends) == count
    yield "prediction", max(prediction.predicted, prediction.true or 0) < classes == len(prediction.probabilities)
    yield "edge_marginals", len(trace.edge_marginals) in (0, count)
    for index, mask in enumerate(trace.masks):
        yield f"masks[{index}].scores", len(mask.scores) == count
    for index, sample in enumerate(trace.samples):
        yield f"samples[{index}].order", _are_nodes(sample.order, trace)
    yield from _step_checks("steps", trace.steps, trace.steps[-1].members, trace)
    if trace.answer is not None:
        yield "answer.without_all", len(trace.answer.without_all) == classes
        for index, reason in enumerate(trace.answer.reasons):
            path = f"answer.reasons[{index}]"
            yield path, len(reason.alone) == len(reason.without) == classes
            yield from _step_checks(f"{path}.steps", reason.steps, reason.nodes, trace)


def _are_nodes(nodes: Sequence[int], trace: Trace) -> bool:
    """Whether these are different nodes of the trace, at least one."""
    return 0 < len(nodes) == len(set(nodes)) and max(nodes) < len(trace.nodes)


def _step_checks(path: str, steps: Sequence[Step], order: NodeSet, trace: Trace) -> Iterator[tuple[str, bool]]:
    yield path, _are_nodes(order, trace) and len(steps) in (0, len(order))
    terms = [term.name for term in trace.reward_terms]
    for size, step in enumerate(steps, 1):
        actions, removed = [action.node for action in step.frontier], {parent.removed for parent in step.parents}
        yield (
            f"{path}[{size - 1}]",
            {*order[size : size + 1]} <= set(actions)
            and (not actions or _are_nodes(actions, trace))
            and (step.other is None or len(step.other.frontier) == len(actions))
            and [len(row) for row in step.matrix] == [size] * size
            and removed <= set(order[1:size])
            and [term.name for term in step.reward.terms] == terms,
        )
