"""Flows for one prediction in time: what is planned fits, what was left out is said, by a clock that tests move."""

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from gfx_core import GFlowExplainer, explain, job_context
from gfx_core.config import FlowSource, Task
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.explanation.listing import locate
from gfx_core.explanation.result import ExplanationResult
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, RewardConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import Deadline
from gfx_core.user_models.predictor import ModelPredictor
from tests.toys.foreign import NodeNet, made, random_data
from tests.toys.gnns import random_gnn
from tests.toys.instances import instance_of, noise


class Clock:
    """A clock that stands still until it is moved."""

    now = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    standing = Clock()
    monkeypatch.setattr(job_context.time, "monotonic", lambda: standing.now)
    return standing


SlowGnn = Callable[[float], list[int]]


@pytest.fixture
def slow_gnn(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> SlowGnn:
    """Makes every GNN of others answer so many subgraphs in a second of the clock; counts those that were asked."""

    def slowed(rate: float) -> list[int]:
        counts, evaluate = [], ModelPredictor.evaluate

        def slow(self: ModelPredictor, subgraphs: Any) -> Any:
            counts.append(len(subgraphs.mask))
            clock.now += len(subgraphs.mask) / rate
            return evaluate(self, subgraphs)

        monkeypatch.setattr(ModelPredictor, "evaluate", slow)
        return counts

    return slowed


def hub(neighbours: int = 60) -> Data:
    """A node with many neighbours that know one another."""
    graph = nx.star_graph(neighbours)
    graph.add_edges_from((a + 1, b + 1) for a, b in nx.gnm_random_graph(neighbours, neighbours, seed=1).edges)
    one_way = torch.tensor(list(graph.edges)).T
    x = torch.randn(len(graph), 5, generator=torch.Generator().manual_seed(0))
    return Data(x=x, edge_index=torch.cat([one_way, one_way.flip(0)], dim=1))


def within(seconds: float | None, data: Data, index: int = 0) -> ExplanationResult:
    return explain(made(NodeNet), data, index, seconds=seconds, progress=False, fragments="as is")


@pytest.mark.parametrize("rate", [20.0, 200.0])
def test_a_slow_gnn_is_asked_only_what_fits(rate: float, slow_gnn: SlowGnn, clock: Clock) -> None:
    """The list ends after a whole size, before time is over."""
    counts = slow_gnn(rate)
    found = within(30, hub())
    assert sum(counts) <= 30 * rate + 300  # the student, and the answer
    assert clock.now <= 30 + 300 / rate
    assert sum(counts) >= rate  # time that there is is used
    assert found.trace.flows is FlowSource.EXACT
    assert "only subgraphs of at most" in found.words
    assert "within 30 s" in found.words


def test_more_time_lists_more_and_what_fits_says_nothing(slow_gnn: SlowGnn) -> None:
    slow_gnn(200.0)
    short, long = within(5, hub()), within(60, hub())
    assert short.trace.num_states_exact < long.trace.num_states_exact  # type: ignore[operator]
    limited, free = (within(seconds, random_data(12), 3) for seconds in (30, None))
    assert not limited.notes
    assert torch.equal(limited.edge_mask, free.edge_mask)
    assert limited.trace.samples == free.trace.samples


def test_a_graph_starts_where_most_reward_is_and_its_states_are_those_that_were_listed() -> None:
    """Against the slow way: the states of every node are listed on their own, and all of them asked about."""
    config = GFNConfig(max_nodes=5, reward=RewardConfig(beta=10.0, prices={"nodes": 0.1}))
    for seed in range(3):
        graph = nx.gnm_random_graph(9, 11, seed=seed)
        instance = instance_of(graph, Task.GRAPH, noise(graph, 4))
        reward = Reward(SubgraphPredictor(random_gnn(Task.GRAPH, "gcn", (4, 3), std=1.0), [instance]), config.reward)
        dags = [enumerate_states(instance, node, 5) for node in range(9)]
        slow = [reward(torch.from_numpy(dag.subsets), torch.zeros(dag.num_states, dtype=torch.long)) for dag in dags]
        found = locate(instance, reward, 5, 10_000, Deadline())
        start, space = found
        assert start == int(np.argmax([float(each.double().logsumexp(0)) for each in slow]))
        assert space is not None
        listing = space.around(instance, start)
        assert np.array_equal(listing.dag.packed, dags[start].packed)
        assert np.allclose(listing.log_reward, slow[start], atol=1e-4)
        few = 60
        _, space = locate(instance, reward, 5, few, Deadline())
        assert space is not None
        assert 2 <= space.dag.max_nodes < 5
        sizes = np.concatenate([enumerate_states(instance, n, space.dag.max_nodes).size for n in range(9)])
        assert (1 / sizes).sum() <= few + 1e-6
    assert locate(instance, reward, 5, 5, Deadline()) == (max(graph, key=graph.degree), None)
    rooted = Reward(reward.predictor, RewardConfig(1.0, prices={"radius": 0.2}))
    assert locate(instance, rooted, 5, 10_000, Deadline()) == (max(graph, key=graph.degree), None)


def test_a_policy_is_trained_as_long_as_time_allows(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy for one prediction learns until the deadline."""
    graph = nx.complete_graph(14)
    instance = instance_of(graph, Task.NODE, noise(graph, 4), hops=3)
    run_epoch = Trainer.run_epoch

    def slow(self: Trainer) -> None:
        clock.now += 5.0
        run_epoch(self)

    monkeypatch.setattr(Trainer, "run_epoch", slow)
    trace = GFlowExplainer(seconds=30, samples=4, tuned=True).trace(random_gnn(Task.NODE, "gcn", (4, 3)), instance)
    assert trace.flows is FlowSource.LEARNED
    assert trace.made["policy"]["epochs"] == 3  # half of the time
    assert any("trained for 3 of 100 epochs" in note for note in trace.made["notes"])
