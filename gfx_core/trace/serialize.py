"""Traces as JSON: compact when written, checked in every detail when read.

A file may come from anyone, so nothing in it is believed. Reading goes through two checks, and the first thing that is
wrong ends it with one sentence that names its place:

1. each value against its type hint (`gfx_core.json_files`);
2. the values against each other: does each set grow along edges, do probabilities add up, and so on.

Every field is written. What follows from others (`gfx_core.trace.derive`) is not believed but derived again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import msgpack

from gfx_core import json_files
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.files import write_text
from gfx_core.json_files import JsonError
from gfx_core.trace.derive import Links, derive, links_of
from gfx_core.trace.schema import SCHEMA, Step, Trace

MAX_BYTES = 16 * 2**20
MAX_MADE = 100_000  # bytes
TOLERANCE = 1e-3  # of sums of rounded probabilities


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
        raise UserError("trace: it contains something that JSON cannot store, such as a list where a tuple belongs.")
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
        if not isinstance(values, dict) or values.get("schema") != SCHEMA:
            reason = f"is not a trace of version {SCHEMA}, which this program reads: explain it again"
            raise JsonError(reason, "the file")
        trace = json_files.convert(values, Trace)
        if len(msgpack.encode(trace.made)) > MAX_MADE:  # which refuses numbers of many digits, too
            raise JsonError(f"takes more than {MAX_MADE} bytes", "made")
        for path, problem in _contradictions(trace):
            raise JsonError(problem, path)
    except (JsonError, OverflowError) as error:
        raise UserError(f"{name}: {error}.") from error
    return derive(trace)


def save(trace: Trace, path: Path) -> None:
    """Write a trace; an existing file is replaced only once the new one is whole."""
    write_text(path, to_json(trace))


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
    return repr(str(name))[1:-1][-200:]


def _contradictions(trace: Trace) -> Iterator[tuple[str, str]]:
    """Pairs of a place and what is wrong there; each rule may rely on the ones above it."""
    ends, names = [(edge.source, edge.target) for edge in trace.edges], [term.name for term in trace.reward_terms]
    if len({node.id for node in trace.nodes}) < len(trace.nodes):
        yield "nodes", "must have different ids"
    if len(set(ends)) < len(ends) or any(not source < target < len(trace.nodes) for source, target in ends):
        yield "edges", "must join different pairs of nodes, source < target"
    if len(set(names)) < len(names):
        yield "reward_terms", "must have different names"
    if max(trace.prediction.predicted, trace.prediction.true or 0) >= len(trace.classes):
        yield "prediction", "must be of one of the classes"
    scores = {f"masks[{index}].scores": mask.scores for index, mask in enumerate(trace.masks)}
    for path, values in {"edge_marginals": trace.edge_marginals or ends, **scores}.items():
        if len(values) != len(ends):
            yield path, "must have one entry for each edge"
    distributions = {"prediction.probabilities": trace.prediction.probabilities}
    ways = {f"samples[{index}].order": (sample.order, ()) for index, sample in enumerate(trace.samples)}
    ways["steps"] = trace.steps[-1].members, trace.steps
    if trace.answer is not None:
        distributions["answer.without_all"] = trace.answer.without_all
        for index, reason in enumerate(trace.answer.reasons):
            path = f"answer.reasons[{index}]"
            distributions |= {f"{path}.alone": reason.alone, f"{path}.without": reason.without}
            ways |= {f"{path}.nodes": (reason.nodes, ()), f"{path}.steps": (reason.nodes, reason.steps)}
            if trace.task is Task.NODE and reason.nodes[:1] != trace.steps[-1].members[:1]:
                yield f"{path}.nodes", "must start with the explained node"
        if sum(reason.share for reason in trace.answer.reasons) > 1 + TOLERANCE:
            yield "answer.reasons", "must have shares that add up to 1 at most"
    for path, values in distributions.items():
        if len(values) != len(trace.classes) or abs(sum(values) - 1) > TOLERANCE:
            yield path, "must have one entry for each class, and they must add up to 1"
    links = links_of(trace)
    for path, (order, steps) in ways.items():
        grown: set[int] = set()
        for node in order:
            if node >= len(links) or node in grown or (grown and grown.isdisjoint(links[node])):
                yield path, "must add different nodes of the graph, each but the first a neighbour of one before"
            grown.add(node)
        if not order or len(steps) not in (0, len(order)):
            yield path, "must be as many as the nodes of the last set, and at least one"
        for size, step in enumerate(steps, 1):
            for part, problem in _step_contradictions(step, order[:size], set(order[size : size + 1]), links, names):
                yield f"{path}[{size - 1}].{part}", problem


def _step_contradictions(
    step: Step, members: Sequence[int], chosen: set[int], links: Links, names: list[str]
) -> Iterator[tuple[str, str]]:
    frontier, removed = {action.node for action in step.frontier}, {parent.removed for parent in step.parents}
    near = {end for node in members for end in links[node]}.difference(members)
    if len(frontier) < len(step.frontier) or not chosen <= frontier <= near:
        yield "frontier", "must be different neighbours of the members, and the next one among them"
    if step.other and len(step.other.frontier) != len(frontier):
        yield "other.frontier", "must have a probability for each node of the frontier"
    size, zeros = len(members), [row.count(0) for row in step.matrix]
    square = [len(row) for row in step.matrix] == [size] * size
    if not square or any(zeros[at] not in (1, size) or step.matrix[at][at] for at in range(size)):
        yield "matrix", "must be square, each row all zeros or with a label for every other member"
    if len(removed) < len(step.parents) or not removed <= set(members[1:]) or bool(removed) != (size > 1):
        yield "parents", "must take away different members, never the start node, and be empty at the first step only"
    if [term.name for term in step.reward.terms] != names:
        yield "reward.terms", "must be those that the trace declares, in the same order"
