"""Three ways to make the same states, against networkx."""

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.config import Task
from gfx_core.gfn.instances import LINKS, SPREAD, Episodes, FlowGraphs, propagation_matrix
from gfx_core.gfn.settings import PolicyConfig
from gfx_core.gfn.states import States
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.instances import instance_of, ones

GRAPHS = [
    nx.gnp_random_graph(14, 0.25, seed=3),
    nx.path_graph(4),
    nx.complete_graph(7),
    nx.empty_graph(2),
    nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4)),
    nx.empty_graph(1),
]
STARTS = [5, 3, 0, 1, 6, 0]
K = 6


@pytest.fixture(scope="module")
def episodes() -> Episodes:
    instances = [instance_of(graph, Task.GRAPH, ones(graph, 2)) for graph in GRAPHS]
    predictor = SubgraphPredictor(GNN(Task.GRAPH, "sum", 2, 2, hidden=3), instances)
    return Episodes.of(FlowGraphs(predictor, PolicyConfig()), np.arange(len(GRAPHS)), np.array(STARTS))


def frontier_of(graph: nx.Graph, nodes: set[int]) -> set[int]:
    return {neighbour for node in nodes for neighbour in graph[node]} - nodes


def grown(seed: int, count: int = 40) -> tuple[torch.Tensor, torch.Tensor]:
    """Random connected growths, some of them stopped early: episodes [B] and orders [B, K]."""
    rng = np.random.RandomState(seed)
    episode = rng.randint(0, len(GRAPHS), size=count)
    order = np.full((count, K), -1, dtype=np.int64)
    for row, e in enumerate(episode):
        nodes = [STARTS[e]]
        while len(nodes) < rng.randint(1, K + 1) and frontier_of(GRAPHS[e], set(nodes)):
            nodes.append(int(rng.choice(sorted(frontier_of(GRAPHS[e], set(nodes))))))
        order[row, : len(nodes)] = nodes
    return torch.from_numpy(episode), torch.from_numpy(order)


def assert_is(states: States, row: int, nodes: set[int], max_nodes: int = K) -> None:
    """Compare one state with what networkx and the dense matrix say of its node set."""
    graph = GRAPHS[int(states.episode[row])]
    m, width = len(graph), states.episodes.width
    inside = [node in nodes for node in range(width)]
    assert states.members[row].tolist() == inside
    assert states.size[row] == len(nodes)
    assert states.edges[row] == graph.subgraph(nodes).number_of_edges()
    links = [len(set(graph[node]) & nodes) if node < m else 0 for node in range(width)]
    assert states.sums[row, :, LINKS].tolist() == links
    edges = torch.tensor([*graph.edges, *((b, a) for a, b in graph.edges)], dtype=torch.long).view(-1, 2).T
    spread = torch.zeros(width)
    spread[:m] = propagation_matrix(edges, m, 3, 0.15) @ torch.tensor(inside[:m]).float()
    assert torch.allclose(states.sums[row, :, SPREAD], spread, atol=1e-5)
    expected = frontier_of(graph, nodes) if len(nodes) < max_nodes else set()
    assert set(states.frontier[row].nonzero()[:, 0].tolist()) == expected


def assert_same(one: States, other: States) -> None:
    assert torch.equal(one.episode, other.episode)
    assert torch.equal(one.members, other.members)
    assert torch.equal(one.size, other.size)
    assert torch.equal(one.edges, other.edges)
    assert torch.allclose(one.sums, other.sums, atol=1e-5)
    assert torch.equal(one.frontier, other.frontier)


@pytest.mark.parametrize("seed", range(3))
def test_along(episodes: Episodes, seed: int) -> None:
    episode, order = grown(seed)
    states = States.along(episodes, episode, order, K)
    assert len(states) == len(episode) * K
    for b, nodes in enumerate(order.tolist()):
        for t in range(K):
            assert_is(states, b * K + t, {node for node in nodes[: t + 1] if node >= 0})


@pytest.mark.parametrize("seed", range(3))
def test_of_sets_is_along(episodes: Episodes, seed: int) -> None:
    episode, order = grown(seed)
    states = States.along(episodes, episode, order, K)
    assert_same(States.of_sets(episodes, states.episode, states.members, K), states)


@pytest.mark.parametrize("seed", range(3))
def test_adding_node_by_node_is_along(episodes: Episodes, seed: int) -> None:
    """Rows that have stopped stay as they are while the others grow."""
    episode, order = grown(seed)
    along = States.along(episodes, episode, order, K)
    states = States.initial(episodes, episode, K)
    for t in range(K):
        if t:
            states.add(order[:, t].clamp(min=0), order[:, t] >= 0)
        assert_same(states, along[torch.arange(len(episode)) * K + t])


def test_sets_that_are_not_connected_or_empty(episodes: Episodes) -> None:
    members = torch.zeros(2, episodes.width, dtype=torch.bool)
    members[0, [0, 15, 6]] = True
    states = States.of_sets(episodes, torch.tensor([4, 4]), members, K)
    assert_is(states, 0, {0, 15, 6})
    assert_is(states, 1, set())
