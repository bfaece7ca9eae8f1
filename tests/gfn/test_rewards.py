"""The reward of many subgraphs at once, term by term, against PyG and networkx on each of them alone."""

from dataclasses import dataclass
from functools import cache

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_dataset
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.instances import graph_of

K = 8


@dataclass(frozen=True)
class Case:
    model: GNN
    instances: list[Instance]
    subsets: Tensor  # [B, K]
    owner: Tensor  # [B]

    def reward(self, config: RewardConfig) -> Reward:
        return Reward(SubgraphPredictor(self.model, self.instances), config)


@cache
def case(name: str, kind: str) -> Case:
    """Random connected subsets of a few instances under a random GNN."""
    rng, dataset = np.random.RandomState(0), load_dataset(name)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = GNN(dataset.task, kind, dataset.x.shape[1], dataset.num_classes).eval()
    instances = [dataset.instance(int(i), hops=model.hops) for i in dataset.explainable[:40:10]]
    owner = rng.randint(0, len(instances), size=60)
    subsets = np.full((60, K), -1, dtype=np.int64)
    for row, instance in enumerate(instances[i] for i in owner):
        graph = graph_of(instance)
        nodes = [rng.randint(instance.num_nodes) if instance.target is None else instance.target]
        for _ in range(rng.randint(K)):
            frontier = sorted({v for u in nodes for v in graph[u]} - set(nodes))
            nodes += [int(rng.choice(frontier))] if frontier else []
        subsets[row, : len(nodes)] = nodes
    return Case(model, instances, torch.from_numpy(subsets), torch.from_numpy(owner))


@torch.no_grad()
def embedding_of(model: GNN, instance: Instance, nodes: list[int]) -> Tensor:
    """What the head reads of one induced subgraph, by PyG's message passing."""
    position = {node: place for place, node in enumerate(nodes)}
    pairs = [(position[a], position[b]) for a, b in instance.edge_index.T.tolist() if a in position and b in position]
    embedding = model.embed(torch.from_numpy(instance.x[nodes]), torch.tensor(pairs, dtype=torch.long).view(-1, 2).T)
    if instance.target is not None:
        return embedding[position[instance.target]]
    return torch.cat([embedding.max(0).values, embedding.mean(0)])


def terms_of(model: GNN, instance: Instance, nodes: list[int]) -> list[float]:
    """Cross-entropy, nodes, edges, depth and distance of one subgraph; the first node is the start node."""
    whole = embedding_of(model, instance, list(range(instance.num_nodes)))
    part = embedding_of(model, instance, nodes)
    explained = int(model.head(whole).argmax())
    cross_entropy = -float(torch.log_softmax(model.head(part), 0)[explained])
    graph = graph_of(instance).subgraph(nodes)
    distance = float((part - whole).norm() / whole.norm())
    return [cross_entropy, len(nodes), graph.number_of_edges(), nx.eccentricity(graph, nodes[0]), distance]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
@torch.no_grad()
def test_every_term_is_that_of_the_subgraph_alone(name: str, kind: str) -> None:
    sample = case(name, kind)
    prices = {"nodes": 0.4, "size": -0.2, "radius": 0.3, "similarity": 2.0}
    reward = sample.reward(RewardConfig(3.0, prices))
    rewarded = reward.measure(sample.subsets, sample.owner)
    rows = zip(sample.owner.tolist(), sample.subsets.tolist(), strict=True)
    expected = [terms_of(sample.model, sample.instances[i], [v for v in nodes if v >= 0]) for i, nodes in rows]
    assert list(rewarded.values) == ["cross_entropy", "nodes", "size", "radius", "similarity"]
    found = torch.stack(list(rewarded.values.values()), dim=1)
    assert torch.allclose(found, torch.tensor(expected), atol=1e-5)
    assert rewarded.values["radius"].max() > 2
    cost = sum({"cross_entropy": 1.0, **prices}[name] * values for name, values in rewarded.values.items())
    assert torch.allclose(rewarded.log_reward, -3.0 * cost, atol=1e-4)
    assert torch.equal(reward(sample.subsets, sample.owner), rewarded.log_reward)
    plain = sample.reward(RewardConfig(1.0, prices={"cross_entropy": 0.5}))
    assert torch.allclose(plain(sample.subsets, sample.owner), -0.5 * rewarded.values["cross_entropy"])
