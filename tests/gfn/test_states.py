"""Episodes and three ways to make the same states, against networkx and PyG's APPNP."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor
from torch_geometric.nn import APPNP

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


def both_ways(graph: nx.Graph) -> Tensor:
    """Both directions of every edge. [2, e]"""
    return torch.tensor([*graph.edges, *((b, a) for a, b in graph.edges)], dtype=torch.long).view(-1, 2).T


@pytest.mark.parametrize(("steps", "teleport"), [(3, 0.15), (1, 0.5), (10, 0.0)])
def test_the_propagation_matrix_is_appnp(steps: int, teleport: float) -> None:
    for seed in range(6):
        graph = nx.gnp_random_graph(30, 0.02 + 0.04 * seed, seed=seed)  # the sparse ones have isolated nodes
        x = torch.randn(30, 7, generator=torch.Generator().manual_seed(seed))
        S = propagation_matrix(both_ways(graph), 30, steps, teleport)
        assert torch.allclose(S @ x, APPNP(K=steps, alpha=teleport)(x, both_ways(graph)), atol=1e-5)


def test_episodes_own_rows_for_their_nodes_and_need_a_start_node(episodes: Episodes) -> None:
    which, start = np.array([2, 1, 2, 5]), np.array([6, 3, 0, 0])
    some = Episodes.of(episodes.source, which, start)
    assert (len(some), some.width) == (4, 7)
    assert (some.instance.tolist(), some.start.tolist()) == (which.tolist(), start.tolist())
    assert some.base.tolist() == [0, 7, 11, 18]
    assert some.episode.tolist() == [0] * 7 + [1] * 4 + [2] * 7 + [3]
    assert some.node.tolist() == [*range(7), *range(4), *range(7), 0]
    with pytest.raises(ValueError, match="needs a start node"):
        Episodes.of(episodes.source, which)


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
    spread = torch.zeros(width)
    spread[:m] = APPNP(K=3, alpha=0.15)(torch.tensor(inside[:m]).float()[:, None], both_ways(graph))[:, 0]
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
def test_along_a_trajectory_from_a_set_or_node_by_node(episodes: Episodes, seed: int) -> None:
    """Rows that have stopped stay as they are while the others grow."""
    episode, order = grown(seed)
    along = States.along(episodes, episode, order, K)
    assert len(along) == len(episode) * K
    for b, nodes in enumerate(order.tolist()):
        for t in range(K):
            assert_is(along, b * K + t, {node for node in nodes[: t + 1] if node >= 0})
    assert_same(States.of_sets(episodes, along.episode, along.members, K), along)
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
