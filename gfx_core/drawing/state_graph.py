"""The state graph of an instance and its picture: which states are drawn, and how wide the flow between them is.

States are in columns by size. A small DAG is drawn whole. In a larger one chains become one box, and of each column
the states that little flows through become one box; beyond `MOST` states only the surroundings of a path are drawn.
Everything is plain data: a page or a file draws it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.config import FlowSource
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import Bools, StateDag
from gfx_core.explanation.question import Question
from gfx_core.job_context import JobContext
from gfx_core.layout.instances import sketch_layout

# Which states of a DAG share a box of its picture: chains, and the states that little flows through.


FEW = 32
"""Up to this many states all are drawn, each in a box of its own."""
ROWS = 12
"""The most states of a column that are drawn one by one, in a larger DAG."""
LITTLE = 0.002
"""A share of the whole flow that is not worth a box of its own, in a larger DAG."""


def group_states(dag: StateDag, visible: Bools, own: Bools, through: Doubles, chains: bool) -> list[tuple[Ints, bool]]:
    """Share the states that are to be drawn out among boxes.

    Args:
        dag: The states.
        visible: Which are to be drawn. [S]
        own: Which must have boxes of their own. [S]
        through: Share of the whole flow that passes each. [S]
        chains: Whether chains become one box.

    Returns:
        The states of each box, ascending, and whether they are a rest: neither one state nor a chain.
    """
    leader = np.where(visible, np.arange(dag.num_states), -1)  # the first state of each state's box
    rest = np.zeros(dag.num_states, dtype=bool)
    if visible.sum() > FEW:
        if chains:
            _merge_chains(dag, leader, own)
        _merge_rests(dag, leader, rest, own, through)
    order = np.argsort(leader, kind="stable")
    order = order[leader[order] >= 0]
    cuts = np.flatnonzero(np.diff(leader[order])) + 1
    return [(states, bool(rest[states[0]])) for states in np.split(order, cuts)]


def _merge_chains(dag: StateDag, leader: Ints, own: Bools) -> None:
    """One box where a state leads to one state only, to which nothing else leads."""
    only = (dag.num_children[dag.parent] == 1) & (dag.num_parents[dag.child] == 1)
    both = ~own[dag.parent] & ~own[dag.child] & (leader[dag.parent] >= 0) & (leader[dag.child] >= 0)
    for edge in np.flatnonzero(only & both):  # parents come first
        leader[dag.child[edge]] = leader[dag.parent[edge]]


def _merge_rests(dag: StateDag, leader: Ints, rest: Bools, own: Bools, through: Doubles) -> None:
    """One box for the states of a column that little flows through, and one for all last columns of nothing else."""
    alone = np.bincount(leader[leader >= 0], minlength=dag.num_states)[leader] == 1  # in no chain
    far: Ints | None = None  # the rests of the last columns, as long as these hold nothing else
    for k in range(dag.num_levels - 1, -1, -1):
        states = np.arange(dag.level_ptr[k], dag.level_ptr[k + 1])
        states = states[leader[states] >= 0]
        single = states[alone[states]]
        by_flow = single[np.lexsort((single, -through[single], ~own[single]))]
        little = by_flow[~own[by_flow] & ((through[by_flow] < LITTLE) | (np.arange(len(by_flow)) >= ROWS))]
        if len(little) == len(states) and (far is not None or k == dag.num_levels - 1):
            far = little if far is None else np.concatenate([little, far])
            little = far
        else:
            far = None
        if len(little) > 1:
            leader[little] = little.min()
            rest[little] = True


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
        column: Where it stands from left to right, from 0: by the size of its state, or of the first of several.
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
    column: int
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
    """Decide what of a state DAG is drawn; `assets/state_graph/layout.js` places it.

    Args:
        dag: The states.
        instance: The graph they were taken from.
        numbers: What is known of them.
        names: Whether each box carries its nodes' labels.
        path: The states of a trajectory: they always have boxes of their own, and with more than `MOST` states only
            their surroundings are drawn.
        excerpt: Whether the DAG holds only some states, so that chains cannot be recognised.
    """
    flow, through = _shares(dag, numbers)
    own = np.zeros(dag.num_states, dtype=bool)  # states that must have boxes of their own
    own[[0, *path]] = True
    visible = np.ones(dag.num_states, dtype=bool)
    if dag.num_states > MOST and not excerpt:
        centre = list(path) or [0]
        visible = own.copy()
        visible[dag.parent[np.isin(dag.child, centre)]] = True
        visible[dag.child[np.isin(dag.parent, centre)]] = True
    groups = group_states(dag, visible, own, through, chains=not excerpt)
    boxes = [_box(dag, instance, states, rest, through, numbers) for states, rest in groups]
    box_of = {int(state): number for number, (states, _) in enumerate(groups) for state in states}
    ways = defaultdict[tuple[int, int], list[int]](list)  # the edges from box to box
    for edge in np.flatnonzero(visible[dag.parent] & visible[dag.child]).tolist():
        source, target = box_of[int(dag.parent[edge])], box_of[int(dag.child[edge])]
        if source != target:
            ways[source, target].append(edge)
    links = []
    for (source, target), edges in sorted(ways.items()):
        node = instance.node_label(int(dag.node[edges[0]])) if len(edges) == 1 else ""
        links.append(
            DagLink(boxes[source].id, boxes[target].id, node, None if flow is None else _short(flow[edges].sum()))
        )
    covered = np.asarray(dag.members[visible].any(axis=0))
    one, other = instance.edge_index[:, instance.undirected]
    joined = covered[one] & covered[other]
    points = sketch_layout(instance).round(3) * [1, -1]
    return DagPicture(
        boxes=tuple(sorted(boxes, key=lambda box: (box.column, box.id < 0, box.id))),
        links=tuple(links),
        graph_nodes=tuple(
            (node, instance.node_label(node), *points[node].tolist()) for node in np.flatnonzero(covered).tolist()
        ),
        graph_edges=tuple(zip(one[joined].tolist(), other[joined].tolist(), strict=True)),
        start=dag.start,
        path=tuple(map(int, path)),
        num_states=dag.num_states,
        whole=bool(visible.all()) and not excerpt,
        named=names,
    )


def _shares(dag: StateDag, numbers: DagNumbers) -> tuple[Doubles | None, Doubles]:
    """Flow of each edge and through each state, as shares of the whole; without flows, all states count alike."""
    log_flow = numbers.log_edge_flow
    if log_flow is None:
        return None, np.ones(dag.num_states)
    top = float(np.max(log_flow, initial=-700.0))  # its exponential is a number even where nothing flows
    flow = np.exp(log_flow - top)
    inward = np.bincount(dag.child, flow, dag.num_states)
    outward = np.bincount(dag.parent, flow, dag.num_states)
    if numbers.stop is not None:
        outward[0] /= max(1 - float(numbers.stop[0]), 1e-9)
    elif numbers.reward is not None:
        outward += numbers.reward * np.exp(-top)
    state = np.maximum(inward, outward)
    whole = state.max() or 1.0
    return flow / whole, state / whole


def _box(dag: StateDag, instance: Instance, states: Ints, rest: bool, through: Doubles, numbers: DagNumbers) -> DagBox:
    members = dag.members[states].all(axis=0) if rest else dag.members[states[-1]]
    nodes = tuple(np.flatnonzero(members).tolist())
    stop, target = (None if value is None else _short(value[states].sum()) for value in (numbers.stop, numbers.target))
    return DagBox(
        id=-1 - int(states[0]) if rest else int(states[-1]),
        states=tuple(states.tolist()),
        count=len(states),
        name=f"{len(states)} more" if rest else "".join(instance.node_label(node) for node in nodes),
        column=int(dag.size[states[0]]) - 1,
        nodes=nodes,
        flow=_short(through[states].sum() if rest else through[states[0]]),
        stop=stop,
        target=target,
        reward=None if numbers.reward is None or rest else _short(numbers.reward[states[-1]]),
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
    flows: FlowSource = FlowSource.LEARNED


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
    dag = space.dag
    job.report(0.6, f"evaluating the policy on {dag.num_states:,} states")
    log_edge, log_stop = flows.on(space) if isinstance(flows, SubgraphSampler) else (space.log_edge, space.log_reward)
    states = [dag.index_of(path[: k + 1]) for k in range(len(path))]
    if listing is None:
        numbers = DagNumbers(log_edge, reward=np.exp(space.log_reward))
        picture = dag_picture(dag, instance, numbers, names=False, path=states, excerpt=True)
        return PolicyDag(picture, most, flows.cap, None)
    walk = space.walk(log_edge, log_stop)
    numbers = DagNumbers(
        walk.step, stop=np.exp(walk.stop), target=np.exp(space.log_target), reward=np.exp(space.log_reward)
    )
    picture = dag_picture(dag, instance, numbers, names=False, path=states)
    return PolicyDag(picture, most, flows.cap, space.total_variation(walk.stop), flows.kind)
