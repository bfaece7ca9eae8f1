"""Traces as JSON: compact when written, checked in every detail when read.

A file may come from anyone, so nothing in it is believed. Reading goes through two checks, and the first thing that is
wrong is told in one sentence that says where it stands:

1. each value against its type hint (`gfx_core.json_files`);
2. the values against each other: does each step follow from the one before, do probabilities add up, and so on.

Every field is written and must be there when read.
"""

import math
from collections.abc import Iterator, Sized
from itertools import chain
from pathlib import Path
from typing import Any

from gfx_core import json_files
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.files import write_text
from gfx_core.json_files import JsonError
from gfx_core.text.numbers import counted
from gfx_core.trace.schema import SCHEMA, Answer, FinalSubgraph, Reason, SampledSubgraph, Step, Trace

MAX_BYTES = 16 * 2**20

_VALUES = 10_000  # of `made`
TOLERANCE = 1e-3  # relative above 1: for rounded probabilities and single-precision flows


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
        if not isinstance(values, dict) or "schema" not in values:
            raise JsonError("the file is not a trace (it has no schema version)")
        if values["schema"] != SCHEMA or isinstance(values["schema"], bool):
            found = _one_line(values["schema"])[:40]
            raise JsonError(f"the trace has version {found}, but this program reads {SCHEMA}: explain it again")
        trace = json_files.convert(values, Trace)
        if _count(trace.made) > _VALUES:
            raise JsonError(f"contains more than {_VALUES} values", "made")
        for path, problem in contradictions(trace):
            raise JsonError(problem, path)
    except JsonError as error:
        raise UserError(f"{name}: {error}.") from error
    return trace


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
    text = "".join(char if char.isprintable() else "?" for char in str(name))
    return text if len(text) <= 200 else "…" + text[-200:]


def _count(value: Any) -> int:
    """How many values there are in JSON."""
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_count, within))


# What a trace may not contradict: its values held against each other. Each function yields pairs of a place and what is
# wrong there; only the first is looked at, so each rule may rely on the ones above it.


def contradictions(trace: Trace) -> Iterator[tuple[str, str]]:
    """Everything in a trace that does not fit together, the gravest first."""
    yield from _graph_contradictions(trace)
    links: list[dict[int, int]] = [{} for _ in trace.nodes]  # of each node: neighbour → edge
    for index, edge in enumerate(trace.edges):
        links[edge.source][edge.target] = links[edge.target][edge.source] = index
    names = [term.name for term in trace.reward_terms]
    yield from _step_contradictions(trace.steps, trace.start, links, names)
    if trace.final.nodes != tuple(sorted(trace.steps[-1].members)):
        yield "final.nodes", "must be the members of the last step, ascending"
    if not _near(trace.final.log_reward, trace.steps[-1].reward.log_reward):
        yield "final.log_reward", "must be that of the last step"
    yield from _subgraph_contradictions("final", trace.final, links)
    for index, sample in enumerate(trace.samples):
        yield from _subgraph_contradictions(f"samples[{index}]", sample, links)
        if tuple(sorted(sample.order)) != sample.nodes:
            yield f"samples[{index}].order", "must contain the same nodes as the sample, each once"
    if trace.answer is not None:
        for place, text in _answer_contradictions(trace, trace.answer, links):
            yield f"answer.{place}", text


def _graph_contradictions(trace: Trace) -> Iterator[tuple[str, str]]:
    if len({node.id for node in trace.nodes}) < len(trace.nodes):
        yield "nodes", "must have different ids"
    pairs = set()
    for index, edge in enumerate(trace.edges):
        if edge.source >= edge.target or (edge.source, edge.target) in pairs:
            yield f"edges[{index}]", "must have source < target and occur once"
        if edge.target >= len(trace.nodes):
            yield f"edges[{index}].target", _too_large(edge.target, trace.nodes)
        pairs.add((edge.source, edge.target))
    per_edge = {f"masks[{index}].scores": mask.scores for index, mask in enumerate(trace.masks)}
    if trace.edge_marginals:
        per_edge["edge_marginals"] = trace.edge_marginals
    for place, values in per_edge.items():
        if len(values) != len(trace.edges):
            yield place, f"has {counted(len(values), 'entry')}, but the graph has {counted(len(trace.edges), 'edge')}"
    if trace.start >= len(trace.nodes):
        yield "start", _too_large(trace.start, trace.nodes)
    for place, label in (("predicted", trace.prediction.predicted), ("true", trace.prediction.true)):
        if label is not None and label >= len(trace.classes):
            yield f"prediction.{place}", f"is {label}, but the task has {counted(len(trace.classes), 'class')}"
    yield from _probability_contradictions(trace, "prediction.probabilities", trace.prediction.probabilities)
    if len({term.name for term in trace.reward_terms}) < len(trace.reward_terms):
        yield "reward_terms", "must have different names"
    if trace.target != (trace.start if trace.task is Task.NODE else None):
        yield "target", "must be the start node in a node task and null in a graph task"


def _step_contradictions(
    steps: tuple[Step, ...], start: int, links: list[dict[int, int]], names: list[str]
) -> Iterator[tuple[str, str]]:
    """Of one trajectory."""
    before = None
    for index, (step, after) in enumerate(zip(steps, (*steps[1:], None), strict=True)):
        moves = _move_contradictions(step, before, after, start, links)
        sums = chain(_flow_contradictions(step), _reward_contradictions(step, names))
        for place, text in chain(moves, _matrix_contradictions(step), sums):
            yield f"steps[{index}].{place}", text
        before = step


def _move_contradictions(
    step: Step, before: Step | None, after: Step | None, start: int, links: list[dict[int, int]]
) -> Iterator[tuple[str, str]]:
    """Does the step follow from the one before, and the next from this one?"""
    known = before.members if before else ()
    if (step.added is None) != (before is None):
        yield "added", "must be a node, except at the first step, where it is null"
    new = start if step.added is None else step.added
    if new in known or step.members != (*known, new):
        yield "members", "must be those of the step before and the added node, or the start node at the first step"
    if new >= len(links):
        yield "added", _too_large(new, links)
    members = set(step.members)
    for index, action in enumerate(step.frontier):
        if action.node >= len(links):
            yield f"frontier[{index}].node", _too_large(action.node, links)
        if action.node in members or members.isdisjoint(links[action.node]):
            yield f"frontier[{index}].node", f"is {action.node}, which is not a neighbour outside the members"
    frontier = {action.node for action in step.frontier}
    if len(frontier) < len(step.frontier):
        yield "frontier", "must name each node once"
    if step.chosen != (after.added if after else None) or not (step.chosen is None or step.chosen in frontier):
        yield "chosen", "must be the frontier node that the next step adds, or null (STOP) at the last step"
    total = math.fsum((step.stop.probability, *(action.probability for action in step.frontier)))
    if not _near(total, 1):
        yield "frontier", f"and STOP must have probabilities that add up to 1, not to {total:.4g}"
    if step.stop.forced and not _near(step.stop.probability, 1):
        yield "stop.probability", f"is {step.stop.probability:.4g}, but that of a forced STOP is 1"
    other = step.other
    if other is not None and len(other.frontier) != len(step.frontier):
        entries = counted(len(other.frontier), "entry")
        yield "other.frontier", f"has {entries}, but the frontier has {len(step.frontier)}"
    if other is not None and not _near(math.fsum((other.stop, *other.frontier)), 1):
        yield "other", "must have probabilities that add up to 1"
    touched = len(members & links[new].keys())
    if step.theorem_case != (min(touched, 2) if step.size > 2 else 0):
        yield "theorem_case", f"is {step.theorem_case}, but the added node touches {touched} of {step.size - 1} members"


def _matrix_contradictions(step: Step) -> Iterator[tuple[str, str]]:
    """Do 𝒵, the cut vertices and the child groups say the same?"""
    if any(len(row) != step.size for row in (step.matrix, *step.matrix)):
        yield "matrix", f"must have {step.size} rows and columns, one for each member"
    groups: dict[int, list[list[int]]] = {}
    for index, row in enumerate(step.matrix):
        if any(row):
            if any((label == 0) != (index == column) for column, label in enumerate(row)):
                yield f"matrix[{index}]", "must label every member but its own"
            labels = set(row) - {0}
            groups[step.members[index]] = [
                [m for m, k in zip(step.members, row, strict=True) if k == i] for i in labels
            ]
    if sorted(step.cut_vertices) != sorted(groups):
        yield "cut_vertices", "must be the members whose rows of the matrix are not zero, each once"
    if [entry.cut_vertex for entry in step.child_groups] != list(step.cut_vertices):
        yield "child_groups", "must have one entry for each cut vertex, in the same order"
    for index, entry in enumerate(step.child_groups):
        if sorted(map(sorted, entry.groups)) != sorted(map(sorted, groups[entry.cut_vertex])):
            yield f"child_groups[{index}].groups", "must be the groups that the matrix labels"


def _flow_contradictions(step: Step) -> Iterator[tuple[str, str]]:
    """Are the sums on the page the sums of what stands beside them?"""
    log_in, log_out = step.log_in_flow, step.log_out_flow
    removed = {parent.removed for parent in step.parents}
    if len(removed) < len(step.parents) or not removed <= set(step.members[1:]) or bool(removed) != (step.size > 1):
        yield "parents", "must take away different members, never the start node, and be empty at the first step only"
    if (log_in is None) != (step.size == 1):
        yield "log_in_flow", "must be a number, except at the first step, where it is null"
    if log_in is not None and not _near(log_in, _log_sum([parent.log_flow for parent in step.parents])):
        yield "log_in_flow", "is not the log of the sum of the parents' flows"
    if not _near(log_out, _log_sum([step.stop.log_flow, *(action.log_flow for action in step.frontier)])):
        yield "log_out_flow", "is not the log of the sum of the flows of frontier and STOP"
    finite = log_in is not None and -math.inf not in (log_in, log_out)
    if (step.residual is not None) != finite or (
        step.residual is not None and log_in is not None and not _near(step.residual + log_out, log_in)
    ):
        yield "residual", "must be log_in_flow − log_out_flow, or null where one of them is null or -Infinity"


def _reward_contradictions(step: Step, names: list[str]) -> Iterator[tuple[str, str]]:
    """Does log R follow from the terms, and does each of them follow from its price?"""
    reward = step.reward
    if [term.name for term in reward.terms] != names:
        yield "reward.terms", "must be those that the trace declares, in the same order"
    for index, term in enumerate(reward.terms):
        if not _near(term.contribution, term.price * term.value):
            yield f"reward.terms[{index}].contribution", "is not the price times the value"
    log_reward = -reward.beta * math.fsum(term.contribution for term in reward.terms)
    if not _near(reward.log_reward, log_reward):
        yield "reward.log_reward", f"is {reward.log_reward:.4g}, but its terms give {log_reward:.4g}"


def _subgraph_contradictions(
    place: str, subgraph: FinalSubgraph | SampledSubgraph | Reason, links: list[dict[int, int]]
) -> Iterator[tuple[str, str]]:
    """Of all but a reason, nodes are told in ascending order."""
    nodes, ordered = set(subgraph.nodes), isinstance(subgraph, Reason)
    if not nodes or len(nodes) < len(subgraph.nodes) or not (ordered or subgraph.nodes == tuple(sorted(nodes))):
        yield f"{place}.nodes", f"must be different nodes, {'' if ordered else 'ascending, '}and at least one"
    if max(nodes) >= len(links):
        yield f"{place}.nodes", _too_large(max(nodes), links)
    induced = sorted(edge for node in nodes for end, edge in links[node].items() if node < end in nodes)
    if list(subgraph.edges) != induced:
        yield (
            f"{place}.edges",
            f"must be all edges between the {'reason' if ordered else 'subgraph'}'s nodes, ascending",
        )


def _answer_contradictions(trace: Trace, answer: Answer, links: list[dict[int, int]]) -> Iterator[tuple[str, str]]:
    yield from _probability_contradictions(trace, "without_all", answer.without_all)
    if not math.fsum(reason.share for reason in answer.reasons) <= 1 + TOLERANCE:
        yield "reasons", "must have shares that add up to 1 at most"
    names = [term.name for term in trace.reward_terms]
    for index, reason in enumerate(answer.reasons):
        place = f"reasons[{index}]"
        yield from _subgraph_contradictions(place, reason, links)
        if trace.target is not None and reason.nodes[0] != trace.target:
            yield f"{place}.nodes", "must start with the explained node"
        if any(set(links[node]).isdisjoint(reason.nodes[:at]) for at, node in enumerate(reason.nodes) if at):
            yield f"{place}.nodes", "must be connected to those before them"
        ends = sum(sample.count for sample in trace.samples if set(sample.nodes) == set(reason.nodes))
        if reason.drawn != ends:
            yield f"{place}.drawn", f"is {reason.drawn}, but {ends} of the samples end there"
        for part, values in (("alone", reason.alone), ("without", reason.without)):
            yield from _probability_contradictions(trace, f"{place}.{part}", values)
        if reason.steps:
            if reason.steps[-1].members != reason.nodes:
                yield f"{place}.steps", "must end in the reason's nodes, in their order"
            for part, text in _step_contradictions(reason.steps, reason.nodes[0], links, names):
                yield f"{place}.{part}", text


def _probability_contradictions(trace: Trace, place: str, values: tuple[float, ...]) -> Iterator[tuple[str, str]]:
    if len(values) != len(trace.classes):
        yield place, f"has {counted(len(values), 'entry')} for {counted(len(trace.classes), 'class')}"
    if not _near(math.fsum(values), 1):
        yield place, f"must add up to 1, not to {math.fsum(values):.4g}"


def _too_large(index: int, nodes: Sized) -> str:
    return f"is {index}, but the graph has {counted(len(nodes), 'node')}"


def _near(value: float, goal: float) -> bool:
    return value == goal or abs(value - goal) <= TOLERANCE * max(1.0, min(abs(value), abs(goal)))


def _log_sum(flows: list[float]) -> float:
    most = max(flows)
    return most if most == -math.inf else most + math.log(math.fsum(math.exp(flow - most) for flow in flows))
