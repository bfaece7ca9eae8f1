"""RGExplainer: its gradient against exact sums over all trajectories, its pretraining, and what it learns."""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_model
from gfx_core.baselines.rgexplainer import (
    RGConfig,
    RGExplainer,
    RGExplainerPlain,
    best_expansions,
    log_likelihood,
    random_orders,
)
from gfx_core.config import Task
from gfx_core.gfn.instances import STARTS_PER_GRAPH
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.states import States
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import JobContext, StoppedError
from tests.toys.instances import graph_of
from tests.toys.reinforce import SMALL, TASKS, all_orders, some, toy, toy_model, trainer


def held(order: Tensor, width: int) -> Tensor:
    """Which nodes an order holds. [B, K] → bool [B, width]"""
    return (order[..., None] == torch.arange(width)).any(1)


@pytest.mark.parametrize("name", TASKS)
def test_one_pass_gives_the_samplers_probabilities(name: str) -> None:
    rg = trainer(name)
    drawn, _ = rg.sample(0, torch.Generator().manual_seed(0))
    assert len(drawn) == len(rg.batches[0]) * SMALL.rollouts
    assert len({tuple(order) for order in drawn.order.tolist()}) > 10
    again = log_likelihood(rg.policy, drawn.episodes, drawn.episode, drawn.order)
    assert torch.allclose(again, drawn.log_forward, atol=1e-4)
    assert again.requires_grad


def test_loss_of_a_batch_one_trajectory_at_a_time() -> None:
    rg = trainer("ba_2motifs")
    drawn, parents = rg.sample(0, torch.Generator().manual_seed(0))
    terms, n = rg.terms((drawn, parents)), SMALL.rollouts
    value = [float(rg.reward(drawn.order[[b]], drawn.instance[[b]])) for b in range(len(drawn))]
    assert terms.log_reward.tolist() == pytest.approx(value, abs=1e-5)
    expected, divergence = 0.0, 0.0
    for b in range(len(drawn)):
        group = range(b // n * n, b // n * n + n)
        baseline = sum(value[i] for i in group if i != b) / (n - 1)
        expected -= float(drawn.log_forward[b]) * (value[b] - baseline) / len(drawn)
    means = np.array(value).reshape(-1, STARTS_PER_GRAPH, n).mean(2)  # [G, starts]
    assert rg.locator is not None
    for graph, mean in enumerate(means):
        rows = slice(graph * STARTS_PER_GRAPH, (graph + 1) * STARTS_PER_GRAPH)
        omega = rg.locator(rg.predictor, drawn.episodes.instance[rows], drawn.episodes.start[rows]).detach().softmax(0)
        wanted = np.exp(mean) / np.exp(mean).sum()
        divergence += float((wanted * np.log(wanted / omega.numpy())).sum()) / len(means)
    assert float(terms.loss.detach()) == pytest.approx(expected + divergence, abs=1e-4)


# Pretraining


def test_likelihood_in_any_order_step_by_step() -> None:
    rg = trainer("tree_cycles")
    batch = rg.batches[0]
    generator = torch.Generator().manual_seed(0)
    order = best_expansions(batch, rg.reward, 5, 4, generator)
    each = torch.arange(len(batch))
    together = log_likelihood(rg.policy, batch, each, order, any_order=True).detach()
    encoded = rg.policy.encode(batch)
    for b, nodes in enumerate(order.tolist()):
        wanted, total = {n for n in nodes if n >= 0}, 0.0
        for t in range(len(wanted)):
            states = States(batch, each[[b]], order[[b], : t + 1])
            actions = states.frontier(5)
            with torch.no_grad():
                flows = rg.policy(encoded, states, actions)
            assert flows.log_stop is not None
            pi = torch.cat([flows.log_out[0], flows.log_stop]).softmax(0).tolist()
            left = wanted - set(nodes[: t + 1])
            right = [action in left for action in actions[0].tolist()] + [not left]
            total += np.log(np.dot(pi, right))
        assert float(together[b]) == pytest.approx(total, abs=1e-4)
    in_order = log_likelihood(rg.policy, batch, each, order).detach()
    assert bool((together >= in_order - 1e-5).all())


@pytest.mark.parametrize("name", TASKS)
def test_random_orders_are_connected(name: str) -> None:
    rg = trainer(name)
    batch = rg.batches[0]
    episode = torch.arange(len(batch)).repeat_interleave(20)
    generator = torch.Generator().manual_seed(0)
    order = random_orders(batch, episode, 5, generator)
    for e, nodes in zip(episode.tolist(), order.tolist(), strict=True):
        graph = graph_of(some(name)[int(batch.instance[e])])
        assert nodes[0] == batch.start[e]
        assert len(set(nodes)) == 5  # these graphs are large enough
        assert all(nx.is_connected(graph.subgraph(nodes[:t])) for t in range(1, 6))
    assert len({tuple(nodes) for nodes in order[:20].tolist()}) > 3
    within = held(order, batch.width)
    again = random_orders(batch, episode, 5, generator, within)
    assert torch.equal(held(again, batch.width), within)
    assert not torch.equal(again, order)


def test_best_expansions_are_the_best() -> None:
    rg = trainer("tree_cycles")
    batch = rg.batches[0]

    def best(count: int) -> Tensor:
        order = best_expansions(batch, rg.reward, 5, count, torch.Generator().manual_seed(5))
        assert set((order >= 0).sum(1).tolist()) <= set(range(1, 6))
        return rg.reward(order, batch.instance)

    assert float(best(40).mean()) > float(best(1).mean())
    exact = []
    for instance in some("tree_cycles"):
        assert instance.target is not None
        exact.append(all_orders(graph_of(instance), instance.target, 5))
    for e, i in enumerate(batch.instance.tolist()):
        highest = rg.reward(exact[i], torch.full((len(exact[i]),), i)).max()
        assert float(best(400)[e]) == pytest.approx(float(highest), abs=1e-4)


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize(("lists", "sets"), [(20, 0), (0, 20)])
def test_pretraining_raises_the_likelihood(task: Task, lists: int, sets: int) -> None:
    graphs = [toy(nx.gnm_random_graph(9, 12, seed=seed), task) for seed in range(8)]
    explainer = RGExplainer(toy_model(task), replace(SMALL, list_epochs=lists, set_epochs=sets))
    rg = explainer.trainer(SubgraphPredictor(explainer.model, graphs), "")
    generator = torch.Generator().manual_seed(0)  # pretraining, from the same seed, finds the same expansions
    order = best_expansions(rg.batches[0], rg.reward, 5, SMALL.expansions, generator)

    def likelihood() -> float:
        each = torch.arange(len(rg.batches[0]))
        with torch.no_grad():
            return float(log_likelihood(rg.policy, rg.batches[0], each, order, any_order=sets > 0).mean())

    before = likelihood()
    explainer.pretrain(rg, JobContext())
    assert likelihood() > before + 0.2


# Learning


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
        members = held(subsets, len(wanted))
        return -(price * (wanted & ~members) + 2.0 * (members & ~wanted)).sum(1)

    predictor = SubgraphPredictor(toy_model(Task.NODE), [instance] * 16)
    explainer = RGExplainer(toy_model(Task.NODE), config, seed=1)
    rg = explainer.trainer(predictor, "")
    rg.reward = reward  # type: ignore[assignment]
    if pretrained:
        explainer.pretrain(rg, JobContext())
    rg.fit()
    greedy = sample(rg.policy, rg.batches[0], torch.zeros(1, dtype=torch.long), rg.reward)
    assert held(greedy.order, len(wanted))[0].nonzero()[:, 0].tolist() == best
    assert rg.curve[-1].log_reward > -1.0
    assert pretrained or rg.curve[-1].log_reward > rg.curve[0].log_reward + 0.5


def weights(explainer: RGExplainer) -> Tensor:
    assert explainer.trained is not None
    return torch.cat([value.flatten() for value in explainer.trained.policy.state_dict().values()])


@pytest.mark.parametrize("name", TASKS)
def test_same_seed_same_weights_and_there_and_back(name: str, tmp_path: Path) -> None:
    explainer, path = RGExplainer(load_model(name), SMALL, seed=4), tmp_path / "policy.safetensors"
    random_state = torch.random.get_rng_state()
    explainer.fit(some(name))
    first = weights(explainer)
    explainer.save(path)
    explainer.fit(some(name))  # from the beginning
    assert torch.equal(first, weights(explainer))
    assert torch.equal(random_state, torch.random.get_rng_state())
    other = RGExplainer(load_model(name), SMALL, seed=5)
    other.load(path)
    for one, again in zip(*(list(map(each.explain, some(name))) for each in (explainer, other)), strict=True):
        assert np.array_equal(one.edge_mask, again.edge_mask)


def test_pretraining_is_what_tells_the_two_apart() -> None:
    learnt, reports = [], []
    for kind in (RGExplainer, RGExplainerPlain):
        explainer, shares = kind(load_model("tree_cycles"), SMALL), dict[float, str]()
        explainer.fit(some("tree_cycles"), JobContext(progress=shares.__setitem__))
        learnt.append(weights(explainer))
        reports.append(shares)
    assert not torch.equal(*learnt)
    assert [list(shares) for shares in reports] == [[0, 0.5, 1.0], [0.5, 1.0]]


@pytest.mark.parametrize("epoch", [0, 1, 2, 3])
def test_cancelled_in_any_epoch(epoch: int) -> None:
    explainer, shares = RGExplainer(load_model("tree_cycles"), SMALL), list[float]()
    job = JobContext(progress=lambda share, _: shares.append(share), cancelled=lambda: len(shares) > epoch)
    with pytest.raises(StoppedError):
        explainer.fit(some("tree_cycles"), job)
    assert len(shares) == epoch + 1
    assert explainer.trained is None
