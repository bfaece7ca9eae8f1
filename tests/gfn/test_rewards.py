"""The reward of many subgraphs at once, term by term, against PyG and networkx on each of them alone."""

from dataclasses import dataclass
from functools import cache

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.config import REWARD_PRESETS, RewardConfig
from gfx_core.gfn.rewards import Reward
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

K = 8


@dataclass(frozen=True)
class Case:
    model: GNN
    instances: list[Instance]
    subsets: Tensor  # [B, K]
    owner: Tensor  # [B]

    def reward(self, config: RewardConfig) -> Reward:
        return Reward(SubgraphPredictor(self.model, self.instances), config)


def graph_of(instance: Instance) -> nx.Graph:
    graph = nx.empty_graph(instance.num_nodes)
    graph.add_edges_from(instance.edge_index.T.tolist())
    return graph


@cache
def case(name: str, kind: str) -> Case:
    """Random connected subsets of a few instances under a random GNN."""
    rng, dataset = np.random.RandomState(0), load_dataset(name)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = GNN(dataset.task, kind, dataset.x.shape[1], dataset.num_classes).eval()
    instances = [dataset.instance(int(i)) for i in dataset.explainable[:40:10]]
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
    """Cross-entropy, edges, depth and distance of one subgraph; the first node is the start node."""
    whole = embedding_of(model, instance, list(range(instance.num_nodes)))
    part = embedding_of(model, instance, nodes)
    explained = int(model.head(whole).argmax())
    cross_entropy = -float(torch.log_softmax(model.head(part), 0)[explained])
    graph = graph_of(instance).subgraph(nodes)
    distance = float((part - whole).norm() / whole.norm())
    return [cross_entropy, graph.number_of_edges(), nx.eccentricity(graph, nodes[0]), distance]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
@torch.no_grad()
def test_every_term_is_that_of_the_subgraph_alone(name: str, kind: str) -> None:
    given = case(name, kind)
    terms = given.reward(RewardConfig()).terms(given.subsets, given.owner)
    rows = zip(given.owner.tolist(), given.subsets.tolist(), strict=True)
    expected = [terms_of(given.model, given.instances[i], [v for v in nodes if v >= 0]) for i, nodes in rows]
    found = torch.stack([terms.cross_entropy, terms.edges, terms.depth, terms.distance], dim=1)
    assert torch.allclose(found, torch.tensor(expected), atol=1e-5)
    assert terms.depth.max() > 2
    assert torch.allclose(terms.log_reward, -terms.cross_entropy)


@pytest.mark.parametrize(
    "config",
    [
        REWARD_PRESETS["paper"],
        REWARD_PRESETS["sharp"],
        RewardConfig(beta=0.5, size=0.1),
        RewardConfig(radius=0.7),
        RewardConfig(beta=3.0, size=-0.2, radius=0.3, similarity=2.0),
    ],
)
def test_the_formula(config: RewardConfig) -> None:
    given = case("tree_cycles", "sum")
    reward = given.reward(config)
    terms = reward.terms(given.subsets, given.owner)
    cost = terms.cross_entropy.clone()
    cost += config.size * terms.edges + config.radius * terms.depth + config.similarity * terms.distance
    assert torch.allclose(terms.log_reward, -config.beta * cost, atol=1e-5)
    assert torch.equal(reward(given.subsets, given.owner), terms.log_reward)


def test_presets_are_what_they_say() -> None:
    given = case("ba_2motifs", "sum")
    paper = given.reward(REWARD_PRESETS["paper"]).terms(given.subsets, given.owner)
    sharp = given.reward(REWARD_PRESETS["sharp"]).terms(given.subsets, given.owner)
    assert torch.allclose(paper.log_reward, -paper.cross_entropy)
    assert torch.allclose(sharp.log_reward, -30 * (paper.cross_entropy + paper.distance), atol=1e-4)


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
@torch.no_grad()
def test_the_whole_instance(name: str) -> None:
    """It gives what the GNN predicts: no embedding is closer and the class is the predicted one."""
    given = case(name, "sum")
    for number, instance in enumerate(given.instances):
        reward = given.reward(RewardConfig())
        nodes = torch.arange(instance.num_nodes)[None]
        terms = reward.terms(nodes, torch.tensor([number]))
        logits = given.model(torch.from_numpy(instance.x), torch.from_numpy(instance.edge_index))
        logits = logits[0 if instance.target is None else instance.target]
        assert terms.cross_entropy.item() == pytest.approx(-logits.log_softmax(0).max().item(), abs=1e-5)
        assert reward.explained_class[number] == logits.argmax()
        assert terms.distance.item() == pytest.approx(0, abs=1e-5)
        assert terms.edges.item() == len(instance.undirected)


def test_order_and_padding_do_not_matter() -> None:
    given = case("tree_cycles", "sum")
    reward = given.reward(RewardConfig(beta=2.0, size=0.1, radius=0.5, similarity=1.0))
    shuffled = torch.full((len(given.subsets), K + 5), -1)
    rng = np.random.RandomState(3)
    for row, nodes in enumerate(given.subsets.tolist()):
        real = [node for node in nodes if node >= 0]
        shuffled[row, : len(real)] = torch.tensor([real[0], *rng.permutation(real[1:])], dtype=torch.long)
    assert torch.allclose(reward(shuffled, given.owner), reward(given.subsets, given.owner), atol=1e-5)


def toy(graph: nx.Graph) -> Reward:
    """A reward on one graph of constant features."""
    edges = np.array(list(graph.edges), dtype=np.int64).reshape(-1, 2).T
    x, y = np.ones((len(graph), 2), dtype=np.float32), np.zeros(1, dtype=np.int64)
    instance = GraphDataset.from_edges("toy", Task.GRAPH, x, edges, y).instance(0)
    return Reward(SubgraphPredictor(GNN(Task.GRAPH, "sum", 2, 2), [instance]), RewardConfig(radius=1.0))


def depths(graph: nx.Graph, subsets: list[list[int]]) -> list[float]:
    width = max(len(nodes) for nodes in subsets)
    padded = torch.tensor([[*nodes, *[-1] * (width - len(nodes))] for nodes in subsets])
    return toy(graph).terms(padded, torch.zeros(len(subsets), dtype=torch.long)).depth.tolist()


def test_depth_of_a_path() -> None:
    assert depths(nx.path_graph(6), [list(range(size)) for size in range(1, 7)]) == [0, 1, 2, 3, 4, 5]
    assert depths(nx.path_graph(6), [[3, 0, 1, 2, 4, 5], [5, 0, 1, 2, 3, 4], [2, 3, 1]]) == [3, 5, 1]


def test_depth_is_measured_within_the_subgraph() -> None:
    """Around a cycle with one node missing, the way is long."""
    assert depths(nx.cycle_graph(6), [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]) == [3, 4, 4]


def test_depth_counts_what_the_start_node_reaches() -> None:
    assert depths(nx.path_graph(6), [[0, 1, 3, 4, 5], [0, 5]]) == [1, 0]
    assert depths(nx.empty_graph(3), [[2], [0]]) == [0, 0]


def test_depth_is_left_out_where_nobody_asks() -> None:
    given = case("tree_cycles", "sum")
    assert (given.reward(RewardConfig()).terms(given.subsets, given.owner, with_depth=False).depth == 0).all()
    priced = given.reward(RewardConfig(radius=0.1))
    asked = priced.terms(given.subsets, given.owner).depth
    assert torch.equal(priced.terms(given.subsets, given.owner, with_depth=False).depth, asked)


def test_a_node_without_edges() -> None:
    reward = toy(nx.empty_graph(1))
    terms = reward.terms(torch.tensor([[0, -1]]), torch.tensor([0]))
    assert terms.log_reward.isfinite().all()
    assert (terms.edges.item(), terms.depth.item()) == (0, 0)
    assert terms.distance.item() == pytest.approx(0, abs=1e-6)


def test_rewards_carry_no_gradients() -> None:
    given = case("tree_cycles", "sum")
    assert any(parameter.requires_grad for parameter in given.model.parameters())
    assert not given.reward(RewardConfig(similarity=1.0))(given.subsets, given.owner).requires_grad
