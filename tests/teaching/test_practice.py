"""The water of the first lesson: against walking every path, and what must hold whatever the rewards are."""

import numpy as np
import pytest

from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.teaching.practice import WaterFlows, solve_flows
from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards, small_instance, state_name


@pytest.fixture(scope="module")
def instance() -> Instance:
    return practice_instance(Practice.TOY)


@pytest.fixture(scope="module")
def dag(instance: Instance) -> StateDag:
    return enumerate_states(instance)


def stops_by_walking(dag: StateDag, flows: WaterFlows) -> list[float]:
    """P(stop at s) by following every path, one after the other."""
    total = [0.0] * dag.num_states

    def walk(state: int, chance: float) -> None:
        edges = [k for k in range(dag.num_edges) if dag.parent[k] == state]
        out = flows.reward[state] + sum(flows.edge[k] for k in edges)
        if not out:
            return
        total[state] += chance * flows.reward[state] / out
        for k in edges:
            walk(int(dag.child[k]), chance * flows.edge[k] / out)

    walk(0, 1.0)
    return total


def cases(dag: StateDag, instance: Instance) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    alone = np.zeros(dag.num_states)
    alone[-1] = 2.0
    first = np.zeros(dag.num_states)
    first[0] = 3.0
    holes = random.uniform(0, 10, dag.num_states) * (random.random(dag.num_states) < 0.5)
    return [practice_rewards(Practice.TOY, instance, dag), random.uniform(0, 10, dag.num_states), holes, alone, first]


def test_a_walk_stops_in_proportion_to_the_reward(dag: StateDag, instance: Instance) -> None:
    for reward in cases(dag, instance):
        flows = solve_flows(dag, reward)
        assert stops_by_walking(dag, flows) == pytest.approx(list(reward / reward.sum()))
        assert flows.stop == pytest.approx(flows.target)
        assert flows.stop.sum() == pytest.approx(1)


def test_what_flows_in_flows_out(dag: StateDag, instance: Instance) -> None:
    for reward in cases(dag, instance):
        flows = solve_flows(dag, reward)
        inward = np.bincount(dag.child, flows.edge, dag.num_states)
        outward = np.bincount(dag.parent, flows.edge, dag.num_states) + reward
        assert inward[1:] == pytest.approx(outward[1:])
        assert outward == pytest.approx(flows.state)
        assert outward[0] == pytest.approx(flows.z) == reward.sum()
        shares = flows.edge * dag.num_parents[dag.child]  # each parent gives the same
        assert shares == pytest.approx(inward[dag.child])


def test_the_toy_graph(dag: StateDag, instance: Instance) -> None:
    """Its states are what trying all orders finds: see the sequences."""
    reward = practice_rewards(Practice.TOY, instance, dag)
    assert (reward > 0).all()
    assert state_name(instance, dag, int(np.argmax(reward))) == "abc"
    twice = small_instance(((1, 0), (1, 2), (0, 1)), ((0, 0), (1, 0), (2, 0)))
    assert twice.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]


@pytest.mark.parametrize("reward", [[0.0] * 8, [-1.0] + [1.0] * 7, [float("nan")] * 8, [1.0] * 3])
def test_what_cannot_flow_is_refused(dag: StateDag, reward: list[float]) -> None:
    with pytest.raises(UserError):
        solve_flows(dag, reward)
