"""What is said of a policy whose states cannot be listed is a bound of the total variation of its subgraphs."""

import statistics
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.arrays import Doubles
from gfx_core.config import FlowSource
from gfx_core.explanation import policy_check
from gfx_core.explanation.flows import choose_flows
from gfx_core.explanation.policy_check import FAR, distance_words, least_distance
from gfx_core.explanation.question import Question
from gfx_core.explanation.samplers import Samples, SubgraphSampler
from gfx_core.explanation.subject import load
from gfx_core.job_context import JobContext


class Alike:
    """R ≡ 1."""

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        return torch.zeros(len(subsets))


class TreeOfOrders:
    """P ∝ R on the subsets of a clique with R ≡ 1, each reached by one order alone: its nodes ascending.

    Its trajectories are far from those of uniform backward flows, its subgraphs are R/Z.
    """

    def __init__(self, nodes: int) -> None:
        graph = nx.complete_graph(nodes).to_directed()
        self.nodes = nodes
        self.reward, self.predictor = Alike(), SimpleNamespace(device="cpu")
        self.instance: Any = type("Clique", (), {"num_nodes": nodes, "edge_index": np.array(list(graph.edges)).T})

    def locate(self) -> int:
        return 0

    def draw(self, count: int, seed: int) -> Samples:
        chosen = np.random.default_rng(seed).random((count, self.nodes)) < 0.5
        chosen[:, 0] = True
        orders = np.where(chosen, np.arange(self.nodes), -1)
        return Samples(orders, np.zeros(count), np.zeros(count))

    def evaluate(self, subsets: Any, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        last = subsets.max(1)
        later = np.arange(self.nodes) > last[:, None]
        below = (self.nodes - 1 - np.arange(self.nodes)) * np.log(2)  # so many subsets continue with each node
        return np.where(later, below, -np.inf), np.zeros(len(subsets))


def policy_on(dataset: str, name: str) -> SubgraphSampler:
    flows = choose_flows(load(Question(dataset, name, flows=FlowSource.LEARNED)), JobContext())
    assert isinstance(flows, SubgraphSampler)
    return flows


def bound_of(excess: float) -> float:
    """Two standard errors below the mean of 64 samples that all have so much, and of two that have none."""
    values = [excess] * 64 + [0.0, 0.0]
    return statistics.fmean(values) - 2 * statistics.pstdev(values) / 66**0.5


def test_another_order_of_the_same_nodes_is_no_distance() -> None:
    policy: Any = TreeOfOrders(9)
    assert least_distance(policy, -np.inf) == 0
    assert least_distance(policy, 8 * np.log(2)) == pytest.approx(0, abs=1e-9)
    assert least_distance(policy, 10 * np.log(2)) == pytest.approx(bound_of(0.75))  # were Z four times as large


@pytest.mark.parametrize(("node", "distance"), [("1064", 0.89), ("433", 0.57), ("669", 0.45)])
def test_a_policy_that_is_far_on_more_states_than_are_listed_at_once_is_found_out(node: str, distance: float) -> None:
    """Distances are those over all 24,779 to 29,718 states."""
    learned = policy_on("ba_community", node)
    bound = float(distance_words(learned).removeprefix("total variation at least "))
    assert FAR < bound <= distance + 0.005


def test_the_bound_is_below_the_total_variation() -> None:
    learned = policy_on("tree_cycles", "0")
    known = learned.distribution(learned.locate())
    assert known is not None
    space, log_probability = known
    log_z = float(space.log_z[0])
    assert 0.9 < least_distance(learned, log_z) <= space.total_variation(log_probability) + 1e-4


def test_of_a_graph_it_is_the_bound_from_the_most_probable_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where samples start at several nodes, those from the others are far from this one's R/Z."""
    monkeypatch.setattr(policy_check, "FAR", -1.0)
    monkeypatch.setattr(policy_check, "AT_ONCE", 100)
    learned = policy_on("ba_2motifs", "914")
    start = learned.locate()
    assert len(np.unique(learned.draw(64, 0).orders[:, 0])) > 1
    known = learned.distribution(start)
    assert known is not None
    space, log_probability = known
    bound = float(distance_words(learned).removeprefix("total variation at least "))
    assert bound <= space.total_variation(log_probability) + 0.005


def test_probabilities_of_samples_are_those_of_a_list() -> None:
    """Where all subsets of the samples are all states, the bound with the true Z is the mean over the samples."""
    learned = policy_on("tree_cycles", "600")
    known = learned.distribution(learned.locate())
    assert known is not None
    assert least_distance(learned, float(known[0].log_z[0]) + np.log(2)) == pytest.approx(bound_of(0.5), abs=0.01)
