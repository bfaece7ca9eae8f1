"""Propagation matrices are PyG's APPNP; tables and episodes are the dense matrices, cut up and padded."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.nn import APPNP

from gfx_core.config import Task
from gfx_core.gfn.instances import LINKS, SPREAD, Episodes, FlowGraphs, propagation_matrix
from gfx_core.gfn.settings import PolicyConfig
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import dataset_of, instance_of, noise, ones

GRAPHS = [
    nx.path_graph(5),
    nx.empty_graph(1),
    nx.gnp_random_graph(12, 0.3, seed=1),
    nx.star_graph(8),
    nx.empty_graph(3),
    nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(2)),
]


def both_ways(graph: nx.Graph) -> np.ndarray:
    """Both directions, sorted. [2, e]"""
    pairs = sorted([*graph.edges, *((b, a) for a, b in graph.edges)])
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def predictor() -> SubgraphPredictor:
    """Graphs of different sizes under a random GNN."""
    instances = [instance_of(graph, Task.GRAPH, noise(graph, 4, seed)) for seed, graph in enumerate(GRAPHS)]
    return SubgraphPredictor(random_gnn(Task.GRAPH, sizes=(4, 2), seed=0, hidden=5), instances)


def matrices(graph: nx.Graph, config: PolicyConfig) -> tuple[torch.Tensor, torch.Tensor]:
    """Adjacency and S, dense. [m, m] each"""
    adjacency = torch.from_numpy(nx.to_numpy_array(graph, nodelist=range(len(graph)))).float()
    spread = propagation_matrix(torch.from_numpy(both_ways(graph)), len(graph), config.steps, config.teleport)
    return adjacency, spread


# S


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("steps", "teleport"), [(3, 0.15), (1, 0.5), (10, 0.0)])
def test_the_propagation_matrix_is_appnp(seed: int, steps: int, teleport: float) -> None:
    graph = nx.gnp_random_graph(30, 0.02 + 0.04 * seed, seed=seed)  # the sparse ones have isolated nodes
    edges = torch.from_numpy(both_ways(graph))
    x = torch.randn(30, 7, generator=torch.Generator().manual_seed(seed))
    S = propagation_matrix(edges, 30, steps, teleport)
    assert torch.allclose(S @ x, APPNP(K=steps, alpha=teleport)(x, edges), atol=1e-5)


# FlowGraphs


@pytest.mark.parametrize("context", [True, False])
def test_the_table_holds_every_pair_of_nodes(context: bool) -> None:
    predict, config = predictor(), PolicyConfig(steps=2, teleport=0.3, context=context)
    source = FlowGraphs(predict, config)
    assert source.table.shape == (sum(len(graph) ** 2 for graph in GRAPHS), 2)
    for number, graph in enumerate(GRAPHS):
        first = int(source.graphs.block[number])
        cells = source.table[first : first + len(graph) ** 2].view(len(graph), len(graph), 2)
        adjacency, spread = matrices(graph, config)
        assert torch.equal(cells[..., LINKS], adjacency)
        assert torch.allclose(cells[..., SPREAD], spread, atol=1e-6)


@pytest.mark.parametrize("context", [True, False])
def test_features(context: bool) -> None:
    predict, config = predictor(), PolicyConfig(context=context)
    source = FlowGraphs(predict, config)
    first = 0
    for graph in GRAPHS:
        edges, rows = torch.from_numpy(both_ways(graph)), slice(first, first + len(graph))
        x = predict.graphs.x[rows]
        degree = torch.tensor([graph.degree[node] for node in range(len(graph))]).float()
        if context:
            x = torch.cat([x, predict.model.embed(x, edges), (1 + degree).log()[:, None]], dim=1)
        propagated = APPNP(K=3, alpha=0.15)(x, edges)
        expected = torch.cat([x, propagated], dim=1) if context else propagated
        assert torch.allclose(source.features[rows], expected, atol=1e-5)
        assert torch.allclose(source.inverse_degree[rows], 1 / degree.clamp(min=1))
        first += len(graph)
    assert len(source.features) == first


# Episodes


def test_episodes_own_rows_for_their_nodes() -> None:
    source = FlowGraphs(predictor(), PolicyConfig())
    which, start = np.array([2, 0, 2, 1]), np.array([11, 3, 0, 0])
    episodes = Episodes.of(source, which, start)
    assert len(episodes) == 4
    assert episodes.width == 12
    assert episodes.instance.tolist() == which.tolist()
    assert episodes.start.tolist() == start.tolist()
    assert episodes.base.tolist() == [0, 12, 17, 29]
    assert episodes.episode.tolist() == [0] * 12 + [1] * 5 + [2] * 12 + [3]
    assert episodes.node.tolist() == [*range(12), *range(5), *range(12), 0]


def test_node_tasks_start_at_the_explained_node() -> None:
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 3))
    dataset = dataset_of(graph, Task.NODE, ones(graph, 2))
    predict = SubgraphPredictor(
        GNN(Task.NODE, "sum", 2, 2, num_layers=1), [dataset.instance(i, hops=1) for i in (0, 4)]
    )
    episodes = Episodes.of(FlowGraphs(predict, PolicyConfig()), np.array([1, 0]))
    assert episodes.start.tolist() == predict.graphs.target[[1, 0]].tolist()
    assert episodes.width == 5


@pytest.mark.parametrize("which", [[0], [1], [4, 3, 2, 1, 0, 5], [2, 2, 0, 0]])
def test_columns_and_cells_are_those_of_the_matrices(which: list[int]) -> None:
    config = PolicyConfig()
    episodes = Episodes.of(FlowGraphs(predictor(), config), np.array(which), np.zeros(len(which), dtype=np.int64))
    width = max(len(GRAPHS[number]) for number in which)
    for episode, number in enumerate(which):
        graph = GRAPHS[number]
        expected = torch.stack(matrices(graph, config), dim=-1)  # [m, m, 2]
        nodes = torch.arange(len(graph))
        columns = episodes.columns(torch.full_like(nodes, episode), nodes)
        assert columns.shape == (len(graph), width, 2)
        assert torch.allclose(columns[:, : len(graph)], expected.transpose(0, 1), atol=1e-6)
        assert (columns[:, len(graph) :] == 0).all()
        one, other = (side.flatten() for side in torch.meshgrid(nodes, nodes, indexing="ij"))
        cells = episodes.cell(torch.full_like(one, episode), one, other)
        assert torch.allclose(cells.view_as(expected), expected, atol=1e-6)


def test_a_graph_task_needs_start_nodes() -> None:
    with pytest.raises(ValueError, match="needs a start node"):
        Episodes.of(FlowGraphs(predictor(), PolicyConfig()), np.arange(2))
