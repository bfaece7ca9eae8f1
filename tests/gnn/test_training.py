"""Training a GNN; fragments: connected, induced, and grown by uniform choices."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
import torch
from torch.nn import functional

from gfx_core import load_dataset, load_model
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.gnn import training as module
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.gnn.settings import TrainingConfig
from gfx_core.gnn.training import Fragments, FragmentSource, GnnEpoch, best_of, parts_of, split, train
from tests.toys.instances import dataset_of
from tests.toys.trainings import same


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_task_is_learnt_again_the_same_way(kind: str) -> None:
    config = TrainingConfig(kind=kind, epochs=12, fragments=64, seed=5)
    reports: list[GnnEpoch] = []
    state = torch.get_rng_state()
    model, header = train(load_dataset("tree_cycles"), config, on_epoch=reports.append)
    again, _ = train(load_dataset("tree_cycles"), config)
    assert torch.equal(torch.get_rng_state(), state)
    assert same(model.state_dict(), again.state_dict())
    assert [report.epoch for report in reports] == list(range(1, 13))
    assert reports[-1].loss < reports[0].loss
    assert header.training["config"]["seed"] == 5
    assert header.training["seconds"] > 0
    parts = split(np.arange(103))
    assert [len(part) for part in parts.values()] == [82, 10, 11]
    assert np.concatenate([*parts.values()]).tolist() == list(range(103))


def test_early_stopping_keeps_the_best_and_the_best_of_some_seeds_tells_of_all() -> None:
    dataset, reports, trained = load_dataset("tree_cycles"), list[GnnEpoch](), []
    for seed in range(2):
        reports.clear()
        config = TrainingConfig(epochs=400, patience=5, lr=0.1, fragments=16, seed=seed)
        trained.append(train(dataset, config, on_epoch=reports.append))
        training, best = trained[-1][1].training, int(np.argmin([report.validation_loss for report in reports])) + 1
        assert training["best_epoch"] == best
        assert training["epochs"] == best + 5 < 400
        assert trained[-1][1].accuracy["validation"] == pytest.approx(reports[best - 1].validation_accuracy)
    model, header = best_of(trained)
    losses = [each.training["validation_loss"] for _, each in trained]
    assert model is trained[int(np.argmin(losses))][0]
    assert [each["validation_loss"] for each in header.training["tried"]] == losses
    parts = [parts_of(dataset, each.training["config"]["split_seed"])["test"] for _, each in trained]
    assert all((part == parts[0]).all() for part in parts)  # seeds are compared on the same nodes


def test_fragments_are_learnt_and_tell_when_to_stop() -> None:
    dataset = load_dataset("tree_cycles")
    plain, knowing = (train(dataset, TrainingConfig(epochs=30, lr=1e-2, fragments=count))[0] for count in (0, 256))
    source = FragmentSource(dataset)
    held_out = parts_of(dataset, 0)["test"]
    fragments = source.around(np.tile(held_out, 5), 12, torch.Generator().manual_seed(1))
    y = torch.from_numpy(np.tile(dataset.y[held_out], 5))
    with torch.no_grad():
        losses = [float(functional.cross_entropy(source.logits(gnn, fragments), y)) for gnn in (plain, knowing)]
    assert losses[1] < losses[0]


def test_validation_counts_whole_graphs_and_fragments() -> None:
    """The reported loss is that of the whole graph plus the weight times that of fragments."""
    dataset, reports = load_dataset("tree_cycles"), {}
    for weight in (0.0, 1.0, 3.0):
        seen: list[GnnEpoch] = []
        config = TrainingConfig(epochs=1, lr=1e-12, fragments=32, fragment_weight=weight)
        train(dataset, config, on_epoch=seen.append)
        reports[weight] = seen[0].validation_loss
    one, three = reports[1.0] - reports[0.0], reports[3.0] - reports[0.0]
    assert one > 0
    assert three == pytest.approx(3 * one, rel=1e-4)


# Fragments


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
    assert set((fragments.nodes >= 0).sum(1).tolist()) == set(range(1, 13))
    first = fragments.nodes[:, 0].numpy()
    if dataset.task is Task.NODE:
        np.testing.assert_array_equal(first, indices)
    else:
        assert ((dataset.ptr[indices] <= first) & (first < dataset.ptr[indices + 1])).all()


def test_every_choice_is_uniform_among_the_nodes_that_touch() -> None:
    """Against chances that a slow walk over all ways to grow gives."""
    dataset = dataset_of(nx.Graph([(0, 1), (0, 2), (0, 3), (1, 2), (3, 4), (4, 5), (2, 5)]))
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
    inside = ((subsets >= 0) == (fragments.nodes >= 0)).all(1)  # a node's instance ends where the GNN sees no farther
    assert inside.sum() >= 10
    asked = SubgraphPredictor(model, [instance])
    said = asked.evaluate(asked.induced(subsets[inside], torch.zeros(int(inside.sum()), dtype=torch.long))).logits
    torch.testing.assert_close(source.logits(model, fragments)[inside], said, atol=1e-4, rtol=1e-4)
