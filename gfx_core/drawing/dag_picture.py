"""The picture of a state DAG: which states are drawn, where, and how wide the flow between them is.

States stand in columns by size. A small DAG is drawn whole. In a larger one chains become one box, and of each column
the states that little flows through become one box; beyond `MOST` states only the surroundings of a path are drawn.
Everything is plain data: a page or a file draws it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.dag_groups import Group, group_states
from gfx_core.drawing.dag_layout import rows_of
from gfx_core.exact.exact_flows import Doubles
from gfx_core.exact.state_dag import Bools, StateDag
from gfx_core.layout import sketch_layout

MOST = 200
"""The most states that are drawn all."""


@dataclass(frozen=True)
class DagBox:
    """A box of the picture: a state, a chain of states, or the rest of a column.

    Attributes:
        id: The state's number in the DAG, of a chain the last one's; negative for the rest of a column.
        states: The numbers of all states in it, ascending.
        count: How many these are.
        name: The labels of its nodes as one word, or a sentence fragment for a rest.
        size: Nodes of the state; of a chain or rest that of its first.
        column: Where it stands from left to right, from 0.
        row: Where it stands from top to bottom, around 0; neighbours are at least 1 apart.
        nodes: Its nodes, by local id; of a rest those that all its states share.
        flow: Share of the whole flow that passes it.
        stop: Probability to stop there, ``None`` if unknown.
        target: R/Z, ``None`` if unknown.
        reward: R, ``None`` if unknown.
    """

    id: int
    states: tuple[int, ...]
    count: int
    name: str
    size: int
    column: int
    row: float
    nodes: tuple[int, ...]
    flow: float
    stop: float | None
    target: float | None
    reward: float | None


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
        boxes: From left to right, in each column from top to bottom.
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


@dataclass(frozen=True, eq=False)
class DagNumbers:
    """What is known of the edges and states of a DAG; ``None`` where nothing is.

    Attributes:
        log_edge_flow: Of each edge; without it all links are equally thin. [E]
        stop: Probability to stop at each state, not its logarithm. [S]
        target: R/Z of each state. [S]
        reward: R of each state. [S]
    """

    log_edge_flow: Doubles | None = None
    stop: Doubles | None = None
    target: Doubles | None = None
    reward: Doubles | None = None


def dag_picture(
    dag: StateDag,
    instance: Instance,
    numbers: DagNumbers = DagNumbers(),  # noqa: B008
    *,
    names: bool = True,
    path: Sequence[int] = (),
    excerpt: bool = False,
) -> DagPicture:
    """Decide what of a state DAG is drawn, and where.

    Args:
        dag: The states.
        instance: The graph they were taken from.
        numbers: What is known of them.
        names: Whether each box carries its nodes' labels.
        path: The states of a trajectory: they always have boxes of their own, and with more than `MOST` states only
            their surroundings are drawn.
        excerpt: Whether the DAG holds only some states, so that nobody knows where a chain is.
    """
    edge, through = _shares(dag, numbers)
    own = np.zeros(dag.num_states, dtype=bool)  # states that must have boxes of their own
    own[list(path)] = True
    own[0] = True
    shown = np.ones(dag.num_states, dtype=bool)
    if dag.num_states > MOST and not excerpt:
        shown = own | _surroundings(dag, np.array(list(path) or [0]))
    groups = group_states(dag, shown, own, through, chains=not excerpt)
    box_of = np.full(dag.num_states, -1)
    for number, group in enumerate(groups):
        box_of[group.states] = number
    column = np.array([dag.size[group.states[0]] - 1 for group in groups])

    source, target = box_of[dag.parent], box_of[dag.child]  # [E]
    drawn = np.flatnonzero((source >= 0) & (target >= 0) & (source != target))
    pair, first, which = np.unique(source[drawn] * len(groups) + target[drawn], return_index=True, return_inverse=True)
    ways = np.bincount(which, minlength=len(pair))
    flow = None if edge is None else np.bincount(which, edge[drawn], len(pair))
    source, target = pair // len(groups), pair % len(groups)
    rests = np.array([group.rest for group in groups])
    row = rows_of(column, source, target, last=rests)  # whatever the flows are: nothing moves when they change

    boxes = [_box(dag, instance, group, float(at), through, numbers) for group, at in zip(groups, row, strict=True)]
    links = [
        DagLink(
            boxes[source[k]].id,
            boxes[target[k]].id,
            instance.node_label(int(dag.node[drawn[first[k]]])) if ways[k] == 1 else "",
            None if flow is None else _short(flow[k]),
        )
        for k in range(len(pair))
    ]
    covered = dict.fromkeys(np.flatnonzero(dag.members[shown].any(axis=0)).tolist())  # nodes, in order
    edges = instance.edge_index[:, instance.undirected].T.tolist()
    points = sketch_layout(instance)
    return DagPicture(
        boxes=tuple(sorted(boxes, key=lambda box: (box.column, box.row))),
        links=tuple(links),
        graph_nodes=tuple(
            (node, instance.node_label(node), round(float(points[node, 0]), 3), round(-float(points[node, 1]), 3))
            for node in covered
        ),
        graph_edges=tuple((int(a), int(b)) for a, b in edges if a in covered and b in covered),
        start=dag.start,
        path=tuple(int(state) for state in path),
        num_states=dag.num_states,
        whole=bool(shown.all()) and not excerpt,
        named=names,
    )


def _shares(dag: StateDag, numbers: DagNumbers) -> tuple[Doubles | None, Doubles]:
    """Flow of each edge and through each state, as shares of the whole; without flows, all states count alike."""
    log_flow = numbers.log_edge_flow
    if log_flow is None:
        return None, np.ones(dag.num_states)
    top = float(np.max(log_flow, initial=-np.inf))
    if top == -np.inf:  # everything stops at the start
        return np.zeros(dag.num_edges), (np.arange(dag.num_states) == 0).astype(np.float64)
    flow = np.exp(np.asarray(log_flow) - top)
    inward = np.bincount(dag.child, flow, dag.num_states)
    outward = np.bincount(dag.parent, flow, dag.num_states)
    if numbers.stop is not None:
        outward[0] /= max(1 - float(numbers.stop[0]), 1e-9)
    elif numbers.reward is not None:
        outward += np.asarray(numbers.reward) * np.exp(-top)
    whole = max(float(outward.max()), float(inward.max()))
    return flow / whole, np.maximum(inward, outward) / whole


def _surroundings(dag: StateDag, centre: Ints) -> Bools:
    """The parents and children of some states. [n] → [S]"""
    inside = np.zeros(dag.num_states, dtype=bool)
    inside[centre] = True
    near = np.zeros_like(inside)
    near[dag.parent[inside[dag.child]]] = True
    near[dag.child[inside[dag.parent]]] = True
    return near


def _box(dag: StateDag, instance: Instance, group: Group, row: float, through: Doubles, numbers: DagNumbers) -> DagBox:
    states, count, size = group.states, len(group.states), int(dag.size[group.states[0]])
    members = dag.members[states].all(axis=0) if group.rest else dag.members[states[-1]]
    nodes = tuple(int(node) for node in np.flatnonzero(members))
    stop, target = (None if value is None else _short(value[states].sum()) for value in (numbers.stop, numbers.target))
    return DagBox(
        id=-1 - int(states[0]) if group.rest else int(states[-1]),
        states=tuple(int(state) for state in states),
        count=count,
        name=f"{count} more" if group.rest else "".join(instance.node_label(node) for node in nodes),
        size=size,
        column=size - 1,
        row=round(row, 3),
        nodes=nodes,
        flow=_short(through[states].sum() if group.rest else through[states[0]]),
        stop=stop,
        target=target,
        reward=None if numbers.reward is None or group.rest else _short(numbers.reward[states[-1]]),
    )


def _short(value: float) -> float:
    """Six digits are enough for a picture."""
    return float(f"{value:.6g}")
