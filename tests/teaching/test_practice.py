"""The water of the first lesson: against walking every path, and what must hold whatever the rewards are."""

import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.teaching.practice import WaterFlows, solve_flows
from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards

INSTANCE = practice_instance(Practice.TOY)
DAG = enumerate_states(INSTANCE)
RANDOM = np.random.default_rng(0)
REWARDS = {
    "the lesson's": practice_rewards(Practice.TOY, INSTANCE, DAG),
    "random": RANDOM.uniform(0, 10, DAG.num_states),
    "with zeros": RANDOM.uniform(0, 10, DAG.num_states) * (RANDOM.random(DAG.num_states) < 0.5),
    "all at the end": 2.0 * np.eye(DAG.num_states)[-1],
    "all at the start": 3.0 * np.eye(DAG.num_states)[0],
}


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


@pytest.mark.parametrize("reward", REWARDS.values(), ids=REWARDS)
def test_flow_is_kept_and_stops_in_proportion_to_the_reward(reward: np.ndarray) -> None:
    flows = solve_flows(DAG, reward)
    assert stops_by_walking(DAG, flows) == pytest.approx(list(reward / reward.sum()))
    assert flows.stop == pytest.approx(reward / reward.sum())
    assert flows.target == pytest.approx(flows.stop)
    inward = np.bincount(DAG.child, flows.edge, DAG.num_states)
    outward = np.bincount(DAG.parent, flows.edge, DAG.num_states) + reward
    assert inward[1:] == pytest.approx(outward[1:])
    assert outward == pytest.approx(flows.state)
    assert outward[0] == pytest.approx(flows.z) == reward.sum()
    assert flows.edge * DAG.num_parents[DAG.child] == pytest.approx(inward[DAG.child])  # each parent gives the same


@pytest.mark.parametrize("reward", [[0.0] * 8, [-1.0] + [1.0] * 7, [float("nan")] * 8, [1.0] * 3])
def test_what_cannot_flow_is_refused(reward: list[float]) -> None:
    with pytest.raises(UserError):
        solve_flows(DAG, reward)
