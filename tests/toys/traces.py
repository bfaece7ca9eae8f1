"""A small whole trace, the same with something changed, shipped and larger ones, and one of a sentence."""

import json
import math
from typing import Any

from msgspec.structs import replace

from gfx_core.config import ASSETS, Drawing, Task
from gfx_core.datasets.sentences import Sentence
from gfx_core.drawing.state_graph import DagBox, DagLink, DagPicture
from gfx_core.gfn.reward_terms import REWARD_TERMS
from gfx_core.gfn.settings import GFNConfig, RewardConfig
from gfx_core.text.typesetting import word_places
from gfx_core.trace.derive import derive
from gfx_core.trace.schema import (
    Answer,
    FinalSubgraph,
    FrontierAction,
    MethodMask,
    OtherPolicy,
    ParentFlow,
    Prediction,
    Reason,
    RewardTerms,
    SampledSubgraph,
    Step,
    StopAction,
    TermValue,
    TermWords,
    Trace,
    TraceEdge,
    TraceNode,
    Verdict,
)
from gfx_core.trace.serialize import load, to_json


def make_step(
    members: tuple[int, ...],
    frontier: dict[int, float],
    parents: dict[int, float],
    rows: dict[int, tuple[int, ...]] | None = None,
) -> Step:
    """What does not follow from the rest of a step with STOP's flow and reward of its own.

    Args:
        members: The set, in the order in which it grew.
        frontier: The log-flow of each action; STOP is forced where nothing flows.
        parents: The log-flow from each.
        rows: 𝒵's rows of the cut vertices.
    """
    size, rows = len(members), rows or {}
    values = {"cross_entropy": (0.7, 1.0), "size": (size - 1.0, 0.01), "radius": (1.0, 0.0), "similarity": (0.4, 0.5)}
    return Step(
        members=members,
        frontier=tuple(FrontierAction(*action) for action in frontier.items()),
        stop=StopAction(-2.0 - 0.5 * size),
        matrix=tuple(rows.get(node, (0,) * size) for node in members),
        parents=tuple(ParentFlow(*parent) for parent in parents.items()),
        reward=RewardTerms(
            beta=2.0,
            terms=tuple(TermValue(name, value, price) for name, (value, price) in values.items()),
            probability=math.exp(-0.7),
        ),
    )


def make_trace() -> Trace:
    """A square 0 – 1 – 2 – 3 with a tail 3 – 4, grown from node 0 to the whole square (K_M = 4)."""
    points = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (-0.5, 1.5)]
    steps = (
        replace(make_step((0,), {1: -0.3, 3: 0.1}, {}), other=OtherPolicy((0.25, 0.5), 0.25)),
        make_step((0, 1), {2: 0.4, 3: -1.0}, {1: 0.6}),
        make_step((0, 1, 2), {3: 0.2}, {2: 0.4}, rows={1: (1, 0, 2)}),
        make_step((0, 1, 2, 3), {4: -math.inf}, {1: -3.0, 2: -5.0, 3: 0.2}),
    )
    trace = Trace(
        dataset="tree_cycles",
        dataset_title="Tree-Cycles · six-cycles on a tree",
        task=Task.NODE,
        model="sum",
        index=511,
        nodes=tuple(
            TraceNode(511 + i, str(511 + i), point, (("degree", "2"),), "C" if i else None)
            for i, point in enumerate(points)
        ),
        edges=(
            TraceEdge(0, 1, 1, True, True),
            TraceEdge(1, 2, 1, True, True),
            TraceEdge(0, 3, 2, True, True),
            TraceEdge(2, 3, 1, True, True),
            TraceEdge(3, 4, 1, False, True),
        ),
        left_out=3,
        classes=("tree", "cycle"),
        prediction=Prediction(1, (0.25, 0.75), 1),
        start=0,
        target=0,
        reward_terms=tuple(
            TermWords(term.name, REWARD_TERMS[term.name].symbol, REWARD_TERMS[term.name].title)
            for term in steps[0].reward.terms
        ),
        steps=steps,
        final=FinalSubgraph(log_probability=-0.5),
        answer=Answer(
            reasons=(
                Reason(
                    nodes=(0, 1, 2, 3),
                    edges=(0, 1, 2, 3),
                    share=0.92,
                    probability=0.61,
                    drawn=60,
                    alone=(0.25, 0.75),
                    without=(0.875, 0.125),
                    name="the ring 511–514",
                ),
            ),
            exact=False,
            without_all=(0.875, 0.125),
            verdict=Verdict.NEEDED,
            sentence="The GNN predicts cycle (75 %) because of the ring 511–514.",
        ),
        samples=(
            SampledSubgraph((0, 1, 2, 3), (0, 3, 2, 1), (0, 1, 2, 3), 60, -1.86, -0.5, -0.6),
            SampledSubgraph((0, 3, 4), (0, 3, 4), (2, 4), 4, -3.0),
            SampledSubgraph((0,), (0,), (), 1, -7.5, -math.inf, -9.0),
        ),
        edge_marginals=(0.94, 0.94, 1.0, 0.94, 1 / 3),
        masks=(
            MethodMask("GNNExplainer", (0.1, 0.5, -2.0, 1e-9, 3.0), 0.053, {"auc_own": 0.5}, (0.2, 0.3), (-0.1, 0.0)),
        ),
        log_z_exact=-0.25,
        num_states_exact=110,
        total_variation=0.125,
        made={
            "config": GFNConfig(reward=RewardConfig(1.0)).as_dict(),
            "seed": 0,
            "device": "cpu",
            "seconds": 0.1,
            "notes": ["ü", None, True],
        },
    )
    return derive(trace)


def with_two_reasons() -> Trace:
    """The same with a second reason, the tail, which is played by a trajectory of its own."""
    trace = make_trace()
    assert trace.answer is not None
    steps = (
        make_step((0,), {1: -0.3, 3: 0.1}, {}),
        make_step((0, 3), {1: -1.0, 2: 0.4, 4: -0.5}, {3: 0.1}),
        make_step((0, 3, 4), {1: -1.0, 2: -0.4}, {4: -0.5}, rows={3: (1, 0, 2)}),
    )
    tail = Reason(
        nodes=(0, 3, 4),
        edges=(2, 4),
        share=0.3,
        probability=0.25,
        drawn=4,
        alone=(0.5, 0.5),
        without=(0.75, 0.25),
        name="the path 511, 514 and 515",
        steps=steps,
    )
    first = replace(trace.answer.first, share=0.6)
    return derive(replace(trace, answer=replace(trace.answer, reasons=(first, tail), sentence="Two reasons.")))


def plain() -> dict[str, Any]:
    values: dict[str, Any] = json.loads(to_json(make_trace()))
    return values


def changed(*path: Any, value: Any) -> str:
    """The trace as JSON with another value at one place."""
    values = plain()
    holder = values
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return json.dumps(values)


def states_along(trace: Trace) -> DagPicture:
    """A state space that is nothing but the trajectory, and one state more."""
    sets = [tuple(sorted(step.members)) for step in trace.steps]
    rest = next(action.node for action in trace.steps[0].frontier if action.node != trace.steps[0].chosen)
    sets.append(tuple(sorted((trace.start, rest))))
    boxes = tuple(
        DagBox(at, (at,), f"s{at}", len(nodes) - 1, nodes, 0.5, 0.1, 0.1, 1.0) for at, nodes in enumerate(sets)
    )
    links = tuple(DagLink(at, at + 1, "n", 0.5) for at in range(len(trace.steps) - 1))
    points = tuple((at, node.label, *node.position) for at, node in enumerate(trace.nodes))
    edges = tuple((edge.source, edge.target) for edge in trace.edges)
    path = tuple(range(len(trace.steps)))
    return DagPicture(boxes, links, points, edges, trace.start, path, len(sets), True, True)


# Larger ones, and a sentence


def shipped(name: str) -> Trace:
    return load(ASSETS / "traces" / f"{name}.json")


def enlarged(trace: Trace, count: int) -> Trace:
    """The trace with leaves hung on its start node until it has so many nodes; all of them are frontier."""
    old, extra = len(trace.nodes), count - len(trace.nodes)
    centre = trace.nodes[trace.start].position
    nodes, edges = [*trace.nodes], [*trace.edges]
    for leaf in range(extra):
        reach, turn = 3.5 + 0.45 * math.sqrt(leaf), 2.4 * leaf
        place = (centre[0] + reach * math.cos(turn), centre[1] + reach * math.sin(turn))
        nodes.append(TraceNode(id=100_000 + leaf, label=f"+{leaf}", position=place))
        edges.append(TraceEdge(trace.start, old + leaf, in_motif=False, in_any_motif=False))

    def wider(step: Step) -> Step:
        if step.stop.forced:
            return step
        log_flow = step.log_out_flow + math.log(0.5 / extra)
        leaves = [FrontierAction(old + leaf, log_flow) for leaf in range(extra)]
        return replace(step, frontier=(*step.frontier, *leaves), other=None)

    steps = tuple(map(wider, trace.steps))
    wide = replace(trace, nodes=tuple(nodes), edges=tuple(edges), steps=steps)
    return derive(replace(wide, edge_marginals=(), masks=()))


SENTENCE = Sentence(("The", "end", "of", "the", "film"), (1, -1, 1, 4, 2), ("det", "ROOT", "prep", "det", "pobj"))
OF, FILM = 2, 4


def sentence_trace() -> Trace:
    """“The end of the film”, explained by “of … film”, which grows from “of”."""
    links = sorted(tuple(sorted(pair)) for pair in SENTENCE.links.T.tolist())
    points = word_places(SENTENCE.words, SENTENCE.links)
    steps = (
        make_step((OF,), {1: -0.3, FILM: 0.1}, {}),
        make_step((OF, FILM), {1: 0.4, 3: -1.0}, {FILM: 0.6}),
    )
    answer = make_trace().answer
    assert answer is not None
    trace = replace(
        make_trace(),
        dataset="graph_sst2",
        dataset_title="Graph-SST2",
        task=Task.GRAPH,
        drawing=Drawing.SENTENCE,
        index=0,
        nodes=tuple(
            TraceNode(at, word, (float(points[at, 0]), float(points[at, 1])), (("in the tree", SENTENCE.notes[at]),))
            for at, word in enumerate(SENTENCE.words)
        ),
        edges=tuple(TraceEdge(first, second) for first, second in links),
        left_out=0,
        classes=("negative", "positive"),
        prediction=Prediction(1, (0.25, 0.75)),
        start=OF,
        target=None,
        steps=steps,
        final=FinalSubgraph(),
        answer=replace(
            answer, reasons=(replace(answer.first, nodes=(OF, FILM), edges=(2,), name="“of … film”", drawn=64),)
        ),
        samples=(SampledSubgraph((OF, FILM), (OF, FILM), (2,), 64, -1.86),),
        edge_marginals=(0.0, 0.25, 1.0, 0.0),
        masks=(),
    )
    return derive(trace)
