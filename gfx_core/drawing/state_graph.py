"""The state graph of an instance and its picture: which states are drawn, and how wide the flow between them is.

States are in columns by size. Of each column those that most flows through have a box each, the rest shares one;
beyond `MOST` states only the surroundings of a path are drawn. Everything is plain data: a page or a file draws it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core.arrays import Bools, Doubles, Ints
from gfx_core.config import FlowSource
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag
from gfx_core.explanation.question import Question
from gfx_core.job_context import JobContext
from gfx_core.layout.instances import sketch_layout

ROWS = 12
"""The most states of a column that have boxes of their own, besides those of a path."""
MOST = 200
"""The most states that are drawn all."""


@dataclass(frozen=True)
class DagBox:
    """A box of the picture: a state, or the rest of a column.

    Attributes:
        id: The state's number in the DAG; negative for the rest of a column.
        states: The numbers of all states in it, ascending.
        name: The labels of its nodes as one word, or a sentence fragment for a rest.
        column: Where it stands from left to right, from 0: by the size of its states.
        nodes: Its nodes, by local id; of a rest those that all its states share.
        flow: Share of the whole flow that passes it.
        stop: Probability to stop there, ``None`` if unknown.
        target: R/Z, ``None`` if unknown.
        reward: R, ``None`` if unknown.
    """

    id: int
    states: tuple[int, ...]
    name: str
    column: int
    nodes: tuple[int, ...]
    flow: float
    stop: float | None = None
    target: float | None = None
    reward: float | None = None


@dataclass(frozen=True)
class DagLink:
    """Flow from one box to another: their ids, the label of the node that is added, and the share of the whole flow."""

    source: int
    target: int
    node: str
    flow: float | None


@dataclass(frozen=True)
class DagPicture:
    """What is to be drawn.

    Attributes:
        boxes: From left to right.
        links: Between them.
        graph_nodes: Local id, label, x and y (downwards) of each node that is in some box.
        graph_edges: Edges between them.
        start: The start node, by its local id.
        path: The states of a trajectory.
        num_states: How many states the DAG has.
        whole: Whether every state is in some box; if not, only surroundings are drawn.
        named: Whether boxes carry their names.
    """

    boxes: tuple[DagBox, ...]
    links: tuple[DagLink, ...]
    graph_nodes: tuple[tuple[int, str, float, float], ...]
    graph_edges: tuple[tuple[int, int], ...]
    start: int
    path: tuple[int, ...]
    num_states: int
    whole: bool
    named: bool

    def box_of(self, state: int) -> DagBox | None:
        """The box that holds a state."""
        return next((box for box in self.boxes if state in box.states), None)


def dag_picture(
    dag: StateDag,
    instance: Instance,
    log_edge_flow: Doubles | None = None,
    path: Sequence[int] = (),
    **numbers: Doubles,
) -> DagPicture:
    """Decide what of a state DAG is drawn; `assets/state_graph/layout.js` places it.

    Args:
        dag: The states.
        instance: The graph they were taken from.
        log_edge_flow: Of each edge; without it all links are equally thin, and boxes carry their names. [E]
        path: The states of a trajectory: they always have boxes of their own, and with more than `MOST` states only
            their surroundings are drawn.
        numbers: What is known of each state of `DagBox`' ``stop``, ``target`` and ``reward``. [S]
    """
    flow, through = _shares(dag, log_edge_flow, numbers.get("stop"))
    single = np.isin(np.arange(dag.num_states), [0, *path])  # states that must have boxes of their own
    visible = np.ones(dag.num_states, dtype=bool)
    if dag.num_states > MOST:
        visible = single.copy()
        visible[dag.parent[single[dag.child]]] = True
        visible[dag.child[single[dag.parent]]] = True
    groups = _grouped(dag, visible, single, through)
    boxes = [_box(dag, instance, states, through, numbers) for states in groups]
    box_of = {state: box.id for box in boxes for state in box.states}
    between = defaultdict[tuple[int, int], list[int]](list)  # the edges from box to box
    for edge in np.flatnonzero(visible[dag.parent] & visible[dag.child]).tolist():
        between[box_of[int(dag.parent[edge])], box_of[int(dag.child[edge])]].append(edge)
    links = []
    for (source, target), edges in sorted(between.items()):
        node = instance.node_label(int(dag.node[edges[0]])) if len(edges) == 1 else ""
        links.append(DagLink(source, target, node, None if flow is None else _short(flow[edges].sum())))
    covered = np.asarray(dag.members[visible].any(axis=0))
    ends = instance.edge_index[:, instance.undirected]  # [2, e]
    ends = ends[:, covered[ends].all(axis=0)]
    points = sketch_layout(instance).round(3) * [1, -1]
    return DagPicture(
        boxes=tuple(boxes),
        links=tuple(links),
        graph_nodes=tuple(
            (node, instance.node_label(node), *points[node].tolist()) for node in np.flatnonzero(covered).tolist()
        ),
        graph_edges=tuple(zip(*ends.tolist(), strict=True)),
        start=dag.start,
        path=tuple(map(int, path)),
        num_states=dag.num_states,
        whole=bool(visible.all()),
        named=flow is None,
    )


def _shares(dag: StateDag, log_flow: Doubles | None, stop: Doubles | None) -> tuple[Doubles | None, Doubles]:
    """Flow of each edge and through each state, as shares of the whole; without flows, all states count alike."""
    if log_flow is None:
        return None, np.ones(dag.num_states)
    flow = np.exp(log_flow - np.max(log_flow, initial=-700.0))
    through = np.bincount(dag.child, flow, dag.num_states)
    outward = float(flow[dag.parent == 0].sum())
    stopping = 0.0 if stop is None else min(float(stop[0]), 1 - 1e-9)
    through[0] = max(through.max(), outward / (1 - stopping))
    whole = through[0] or 1.0
    return flow / whole, through / whole


def _grouped(dag: StateDag, visible: Bools, single: Bools, through: Doubles) -> list[Ints]:
    """The visible states of each box: by column those that must be single, then by flow, and the rest together."""
    groups = []
    for column in np.split(np.arange(dag.num_states), dag.level_ptr[1:-1]):
        states = column[visible[column]]
        states = states[np.lexsort((-through[states], ~single[states]))]
        count = max(ROWS, int(single[states].sum()))
        groups += [states[at : at + 1] for at in np.argsort(states[:count])]
        groups += [np.sort(states[count:])] if len(states) > count else []
    return groups


def _box(dag: StateDag, instance: Instance, states: Ints, through: Doubles, numbers: Mapping[str, Doubles]) -> DagBox:
    first, rest = int(states[0]), len(states) > 1
    nodes = tuple(np.flatnonzero(dag.members[states].all(axis=0)).tolist())
    return DagBox(
        id=-1 - first if rest else first,
        states=tuple(states.tolist()),
        name=f"{len(states)} more" if rest else "".join(instance.node_label(node) for node in nodes),
        column=int(dag.size[first]) - 1,
        nodes=nodes,
        flow=_short(through[states].sum()),
        **{name: _short(values[states].sum()) for name, values in numbers.items() if not (rest and name == "reward")},
    )


def _short(value: float) -> float:
    """Six digits are enough for a picture."""
    return float(f"{value:.6g}")


@dataclass(frozen=True)
class PolicyDag:
    """All states of an instance with what the policy does in them, or those around one trajectory.

    Attributes:
        picture: The states. Where all are listed, flows are probabilities to go that way, and each state has P(stop)
            and R/Z; else flows are the policy's own.
        max_nodes: K_M, as it was used.
        total_variation: Between P(stop) and R/Z; ``None`` where not all states could be listed.
        flows: Where the flows come from.
    """

    picture: DagPicture
    max_nodes: int
    cap: int
    total_variation: float | None
    flows: FlowSource


def policy_dag(question: Question, order: Sequence[int], job: JobContext | None = None) -> PolicyDag:
    """List the states of an instance and ask the policy about each, in a worker: only this needs torch.

    Args:
        question: Which prediction and policy.
        order: Local nodes in the order in which the trajectory adds them, the start node first.
        job: Receives progress.
    """
    from gfx_core.exact.enumeration import neighbourhood
    from gfx_core.explanation.run import flows_and_path
    from gfx_core.explanation.samplers import SubgraphSampler, reward_states

    job = job or JobContext()
    job.report(0.1, "loading the GNN")
    flows, path = flows_and_path(question, order, job)
    instance, most = flows.instance, flows.config.max_nodes
    job.report(0.4, "listing the states")
    listing = flows.distribution(path[0])
    space = reward_states(flows.reward, neighbourhood(instance, path, most)) if listing is None else listing[0]
    job.report(0.6, f"evaluating the policy on {space.num_states:,} states")
    log_edge, log_stop = space.log_edge, space.log_reward
    if listing is None:  # what leaves this part of the states counts, too
        leaving, row = np.unique(space.parent, return_inverse=True)
        log_edge = flows.evaluate(space.subsets[leaving], space.log_reward[leaving])[0][row, space.node]
    elif isinstance(flows, SubgraphSampler):
        log_edge, log_stop = flows.on(space)
    numbers, apart = {"reward": np.exp(space.log_reward)}, None
    if listing is not None:
        walk = space.walk(log_edge, log_stop)
        log_edge, apart = walk.step, space.total_variation(walk.stop)
        numbers |= {"stop": np.exp(walk.stop), "target": np.exp(space.log_target)}
    states = [space.dag.index_of(path[: k + 1]) for k in range(len(path))]
    picture = dag_picture(space.dag, instance, log_edge, states, **numbers)
    return PolicyDag(picture, most, flows.cap, apart, flows.kind)
