"""What is said of a policy whose states cannot be listed is a bound of the total variation of its subgraphs."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from gfx_core.arrays import Doubles
from gfx_core.config import FlowSource
from gfx_core.datasets.graph import Ints
from gfx_core.explanation import policy_check
from gfx_core.explanation.policy_check import FAR, check_policy, least_distance
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explained
from gfx_core.explanation.samplers import Generated, SubgraphSampler


class TreeOfOrders:
    """P ∝ R on the subsets of a clique with R ≡ 1, each reached by one order alone: its nodes ascending.

    Its trajectories are far from those of uniform backward flows, its subgraphs are R/Z.
    """

    def __init__(self, nodes: int) -> None:
        graph = nx.complete_graph(nodes).to_directed()
        self.nodes = nodes
        self.instance: Any = type("Clique", (), {"num_nodes": nodes, "edge_index": np.array(list(graph.edges)).T})

    def draw(self, count: int, seed: int, start: int) -> Generated:
        chosen = np.random.default_rng(seed).random((count, self.nodes)) < 0.5
        chosen[:, start] = True
        orders = np.where(chosen, np.arange(self.nodes), -1)
        return Generated(orders, np.zeros(count), np.zeros(count))

    def log_rewards(self, subsets: Ints) -> Doubles:
        return np.zeros(len(subsets))

    def evaluate(self, start: int, members: Any, log_reward: Doubles) -> tuple[Doubles, Doubles]:
        last = self.nodes - 1 - members[:, ::-1].argmax(1)
        later = np.arange(self.nodes) > last[:, None]
        below = (self.nodes - 1 - np.arange(self.nodes)) * np.log(2)  # so many subsets continue with each node
        return np.where(later, below, -np.inf), np.zeros(len(members))


def test_another_order_of_the_same_nodes_is_no_distance() -> None:
    policy: Any = TreeOfOrders(13)
    assert least_distance(policy, 0, -np.inf) == 0
    assert least_distance(policy, 0, 12 * np.log(2)) == pytest.approx(0, abs=1e-9)
    assert least_distance(policy, 0, 14 * np.log(2)) == pytest.approx(0.75)  # were Z four times as large


@pytest.mark.parametrize(("node", "distance"), [("1064", 0.89), ("433", 0.57), ("669", 0.45)])
def test_a_policy_that_is_far_on_more_states_than_are_listed_at_once_is_found_out(node: str, distance: float) -> None:
    """Distances are those over all 24,779 to 29,718 states."""
    found = explained(Question("ba_community", node, flows=FlowSource.LEARNED), plays=False)
    assert isinstance(found.flows.source, SubgraphSampler)
    check = check_policy(found.flows.source, found.trace, anywhere=False)
    assert not check.exact
    assert check.is_far
    assert FAR < check.distance <= distance + 0.005
    assert check.can_be_exact
    assert f"at least {check.distance:.2f}" in check.words


def test_the_bound_is_below_the_total_variation(monkeypatch: pytest.MonkeyPatch) -> None:
    found = explained(Question("tree_cycles", "0", flows=FlowSource.LEARNED), plays=False)
    learned, start, log_z = found.flows.source, found.trace.start, found.trace.log_z_exact
    assert isinstance(learned, SubgraphSampler)
    assert log_z is not None
    assert found.trace.total_variation is not None
    assert 0.9 < least_distance(learned, start, log_z) <= found.trace.total_variation + 1e-4
    monkeypatch.setattr(policy_check, "SUBSETS", 0)
    assert least_distance(learned, start, log_z) == 0  # nothing is known, nothing is said


def test_probabilities_of_samples_are_those_of_a_list() -> None:
    """Where all subsets of the samples are all states, the bound with the true Z is the mean over the samples."""
    found = explained(Question("tree_cycles", "600", flows=FlowSource.LEARNED), plays=False)
    learned = found.flows.source
    assert isinstance(learned, SubgraphSampler)
    log_z = found.trace.log_z_exact
    assert log_z is not None
    assert least_distance(learned, found.trace.start, log_z + np.log(2)) == pytest.approx(0.5, abs=0.01)
