"""RGExplainer as a learner: it finds what is good, and keeps the contract of all explainers that learn."""

from collections.abc import Callable
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_model
from gfx_core.baselines.edge_scores import order_weights
from gfx_core.baselines.method import CancelledError, Explanation
from gfx_core.baselines.rgexplainer import (
    Reinforce,
    RGConfig,
    RGExplainer,
    RGExplainerPlain,
    members_of,
    pretrain,
    reinforce_trainer,
)
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import model_path
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import untouched
from tests.toys.instances import graph_of
from tests.toys.reinforce import SMALL, TASKS, some, toy, toy_model

TREE = nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6), (5, 6), (4, 7)])


@pytest.mark.parametrize("pretrained", [True, False])
@pytest.mark.parametrize(
    ("graph", "best", "most", "price"),
    [(TREE, [0, 2, 5], 3, 6.0), (nx.path_graph(4), [0, 1], 4, 2.0)],
    ids=["which way to go", "when to stop"],
)
def test_learns_the_one_good_subgraph(
    graph: nx.Graph, best: list[int], most: int, price: float, pretrained: bool
) -> None:
    config = RGConfig(max_nodes=most, lr=0.03, epochs=40, list_epochs=3, set_epochs=3)
    instance = toy(graph)
    assert instance.nodes.tolist() == list(range(len(graph)))
    wanted = torch.zeros(len(graph), dtype=torch.bool)
    wanted[best] = True

    def reward(subsets: Tensor, instance: Tensor) -> Tensor:
        """Every missing node has its price, every other node costs 2."""
        members = members_of(subsets, len(wanted))
        return -(price * (wanted & ~members) + 2.0 * (members & ~wanted)).sum(1)

    predictor = SubgraphPredictor(toy_model(Task.NODE), [instance] * 16)
    rg = Trainer(predictor, config.training(1), reward=reward, objective=Reinforce(), repeats=config.rollouts)
    if pretrained:
        pretrain(rg, config, lambda: None, lambda number, value: None)
    rg.fit()
    greedy = sample(rg.policy, rg.batches[0], torch.zeros(1, dtype=torch.long), rg.reward)
    assert members_of(greedy.order, len(wanted))[0].nonzero()[:, 0].tolist() == best
    assert rg.curve[-1].log_reward > -1.0
    assert pretrained or rg.curve[-1].log_reward > rg.curve[0].log_reward + 0.5


def test_locator_learns_where_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [toy(nx.gnm_random_graph(9, 12, seed=seed), Task.GRAPH) for seed in range(8)]
    predictor = SubgraphPredictor(toy_model(Task.GRAPH), graphs)
    rg = reinforce_trainer(predictor, replace(SMALL, max_nodes=3, epochs=40), 0)
    embedding = predictor.node_embedding
    value = embedding[:, embedding.std(0).argmax()]
    value = 2 * (value - value.mean()) / value.std()

    def reward(subsets: Tensor, instance: Tensor) -> Tensor:
        """The start node alone counts."""
        return value[predictor.graphs.rows(instance, subsets[:, 0])]

    monkeypatch.setattr(rg, "reward", reward)
    rg.fit()
    assert rg.locator is not None
    for i in range(len(graphs)):
        given = rg.locator.probabilities(predictor, i)
        own = value[predictor.graphs.owner == i]
        assert float((given * own).sum()) > float(own.mean()) + 0.2


# The contract


def same(one: list[Explanation], other: list[Explanation]) -> bool:
    return all(
        np.array_equal(a.edge_mask, b.edge_mask) and np.array_equal(a.order, b.order)
        for a, b in zip(one, other, strict=True)
    )


def weights(explainer: RGExplainer) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in explainer.network.state_dict().items()}


def same_weights(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


CASES = [
    (name, kind) for name in TASKS for kind in KINDS if (name, kind) != ("ba_2motifs", "gcn")
]  # there is no such GNN


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_explanations(name: str, kind: str) -> None:
    assert model_path(name, kind).is_file()
    model = load_model(name, kind)
    model.head.weight.requires_grad_(True)
    explainer = RGExplainer(model, SMALL)
    with untouched(model):
        explainer.fit(some(name))
    found = explainer.explain_many(some(name))
    for instance, one in zip(some(name), found, strict=True):
        assert one.order is not None
        assert 1 <= len(one.order) <= 5
        assert nx.is_connected(graph_of(instance).subgraph(one.order.tolist()))
        assert instance.target is None or one.order[0] == instance.target
        padded = np.pad(one.order, (0, 5 - len(one.order)), constant_values=-1)
        assert np.array_equal(one.edge_mask, order_weights(instance, padded))
        assert one.edge_mask.shape == (instance.edge_index.shape[1],)
    assert same(found, explainer.explain_many(some(name)))
    assert same(found[::-1], explainer.explain_many(some(name)[::-1]))


@pytest.mark.parametrize("name", TASKS)
def test_same_seed_same_weights_and_there_and_back(name: str) -> None:
    explainer = RGExplainer(load_model(name), SMALL, seed=4)
    random_state = torch.random.get_rng_state()
    explainer.fit(some(name))
    first = weights(explainer)
    assert ("locator.mlp.0.weight" in first) == (name == "ba_2motifs")
    explainer.fit(some(name))  # from the beginning
    assert same_weights(first, weights(explainer))
    assert torch.equal(random_state, torch.random.get_rng_state())
    other = RGExplainer(load_model(name), SMALL, seed=5)
    assert not same_weights(first, weights(other))
    other.network.load_state_dict(first)
    assert same(other.explain_many(some(name)), explainer.explain_many(some(name)))


def test_pretraining_is_what_tells_the_two_apart() -> None:
    told: dict[type, list[tuple[float, str]]] = {RGExplainer: [], RGExplainerPlain: []}
    learnt = []
    for kind, words in told.items():
        explainer = kind(load_model("tree_cycles"), SMALL)
        explainer.fit(some("tree_cycles"), progress=lambda share, text, words=words: words.append((share, text)))
        learnt.append(weights(explainer))
    assert not same_weights(*learnt)
    assert [share for share, _ in told[RGExplainer]] == [0.25, 0.5, 0.75, 1.0]
    assert [share for share, _ in told[RGExplainerPlain]] == [0.5, 1.0]
    assert ["pretraining" in text for _, text in told[RGExplainer]] == [True, True, False, False]


@pytest.mark.parametrize("asked", [1, 2, 3, 4])
def test_cancelled_in_any_epoch(asked: int) -> None:
    explainer = RGExplainer(load_model("tree_cycles"), SMALL)
    before, count = weights(explainer), 0

    def cancelled() -> bool:
        nonlocal count
        count += 1
        return count == asked

    with pytest.raises(CancelledError):
        explainer.fit(some("tree_cycles"), cancelled=cancelled)
    assert count == asked
    assert same_weights(before, weights(explainer))


@pytest.mark.parametrize(
    "make",
    [
        lambda: RGConfig(rollouts=0),
        lambda: RGConfig(expansions=0),
        lambda: RGConfig(list_epochs=-1),
        lambda: RGConfig(max_nodes=1),
        lambda: RGConfig(lr=0.0),
        lambda: RGExplainer(load_model("tree_cycles")).fit([]),
    ],
)
def test_impossible_settings(make: Callable[[], object]) -> None:
    with pytest.raises(UserError):
        make()
