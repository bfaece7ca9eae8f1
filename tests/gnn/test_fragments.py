"""Fragments: connected, induced, of the sizes asked for, and grown by uniform choices."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.gnn import training as module
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.gnn.training import Fragments, FragmentSource


def made(edges: list[tuple[int, int]], num_nodes: int, ptr: list[int] | None = None) -> GraphDataset:
    task = Task.NODE if ptr is None else Task.GRAPH
    info = DatasetInfo("made", task, "Made", "Made up.", (), ("a", "b"), "nobody")
    y = np.zeros(num_nodes if ptr is None else len(ptr) - 1, dtype=np.int64)
    x = np.eye(num_nodes, dtype=np.float32)
    edge_index = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return GraphDataset.from_edges(info, x, edge_index, y, ptr=None if ptr is None else np.array(ptr))


def whole(dataset: GraphDataset) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(len(dataset.x)))
    graph.add_edges_from(dataset.edge_index.T.tolist())
    return graph


def check(graph: nx.Graph, fragments: Fragments) -> None:
    """Every fragment is a connected induced subgraph, its nodes in an order in which it stays connected."""
    for nodes, adjacency in zip(fragments.nodes.tolist(), fragments.adjacency.numpy(), strict=True):
        members = [node for node in nodes if node >= 0]
        assert nodes[: len(members)] == members
        assert len(set(members)) == len(members)
        for count in range(1, len(members) + 1):
            assert nx.is_connected(graph.subgraph(members[:count]))
        wanted = nx.to_numpy_array(graph.subgraph(members), nodelist=members)
        np.testing.assert_array_equal(adjacency[: len(members), : len(members)], wanted)
        assert adjacency.sum() == wanted.sum()


@pytest.mark.parametrize("name", ["tree_cycles", "ba_shapes", "ba_2motifs"])
def test_fragments_are_connected_and_induced(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load_dataset(name)
    if name == "tree_cycles":
        monkeypatch.setattr(module, "_CELLS", 5000)  # large tables are made in parts
    indices = np.random.RandomState(0).choice(len(dataset.y), 200)
    fragments = FragmentSource(dataset).around(indices, 12, torch.Generator().manual_seed(0))
    check(whole(dataset), fragments)
    assert set(fragments.mask.sum(1).tolist()) == set(range(1, 13))
    first = fragments.nodes[:, 0].numpy()
    if dataset.task is Task.NODE:
        np.testing.assert_array_equal(first, indices)
    else:
        assert ((dataset.ptr[indices] <= first) & (first < dataset.ptr[indices + 1])).all()


def test_every_choice_is_uniform_among_the_nodes_that_touch() -> None:
    """Against chances that a slow walk over all ways to grow gives."""
    dataset = made([(0, 1), (0, 2), (0, 3), (1, 2), (3, 4), (4, 5), (2, 5)], 6)
    graph, count = whole(dataset), 40_000

    def ways(members: tuple[int, ...], chance: float) -> dict[tuple[int, ...], float]:
        if len(members) == 4:
            return {members: chance}
        touching = sorted({v for u in members for v in graph[u]} - set(members))
        found: dict[tuple[int, ...], float] = {}
        for node in touching:
            found |= ways((*members, node), chance / len(touching))
        return found

    grown = FragmentSource(dataset).grow(
        torch.zeros(count, dtype=torch.long), torch.full((count,), 4), torch.Generator().manual_seed(0)
    )
    seen, wanted = Counter(map(tuple, grown.nodes.tolist())), ways((0,), 1.0)
    assert set(seen) == set(wanted)
    surprise = sum((seen[way] - count * p) ** 2 / (count * p) for way, p in wanted.items())
    assert surprise < 2 * len(wanted)  # χ² has this mean but for the factor, and rarely so much


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_what_a_gnn_says_of_a_fragment_is_what_rewards_ask(name: str) -> None:
    dataset, model = load_dataset(name), load_model(name)
    index = int(dataset.explainable[3])
    instance = dataset.instance(index, hops=model.hops)
    source = FragmentSource(dataset)
    fragments = source.around(np.full(20, index), 6, torch.Generator().manual_seed(0))
    first = 0 if dataset.task is Task.NODE else int(dataset.ptr[index])  # a graph counts its own nodes
    place = {int(node) + first: local for local, node in enumerate(instance.nodes)}
    subsets = torch.tensor([[place.get(node, -1) for node in nodes] for nodes in fragments.nodes.tolist()])
    inside = ((subsets >= 0) == fragments.mask).all(1)  # a node's instance ends where the GNN sees no farther
    assert inside.sum() >= 10
    asked = SubgraphPredictor(model, [instance])
    said = asked.evaluate(asked.induced(subsets[inside], torch.zeros(int(inside.sum()), dtype=torch.long))).logits
    torch.testing.assert_close(source.logits(model, fragments)[inside], said, atol=1e-4, rtol=1e-4)
