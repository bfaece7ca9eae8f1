"""The state space of an instance under its policy: exact where it can be listed, the surroundings where not."""

import math
from dataclasses import replace

import numpy as np
import pytest

from gfx_core.datasets.registry import load_dataset
from gfx_core.drawing.state_graph import PolicyDag, policy_dag
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation import loading
from gfx_core.explanation.question import Question
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.jobs import messages

CYCLE = Question("tree_cycles", "612")


def test_a_small_instance_is_listed() -> None:
    order = [0, 1, 3]
    found = policy_dag(CYCLE, order)
    picture = found.picture
    instance = load_dataset("tree_cycles").instance(612)
    dag = enumerate_states(instance, max_nodes=10)
    assert found.total_variation is not None
    assert picture.whole
    assert picture.num_states == dag.num_states == 38
    assert picture.path == tuple(dag.index_of(order[: k + 1]) for k in range(3))

    trained = loading.kept_policy("tree_cycles", "sum")
    generator = SubgraphSampler(
        trained, SubgraphPredictor(loading.kept_model("tree_cycles", "sum"), [instance], "cpu"), instance
    )
    log_reward = generator.log_rewards(dag.subsets)
    space = StateSpace(dag, log_reward)
    log_policy, log_target = generator.terminal_distribution(space), space.log_target
    assert found.total_variation == pytest.approx(space.total_variation(log_policy), abs=1e-6)
    for box in picture.boxes:
        states = list(box.states)
        assert box.stop == pytest.approx(np.exp(log_policy[states]).sum(), abs=1e-5)
        assert box.target == pytest.approx(np.exp(log_target[states]).sum(), abs=1e-5)
        if box.count == 1:
            assert box.reward == pytest.approx(math.exp(log_reward[box.id]), rel=1e-4)
            out = sum(link.flow for link in picture.links if link.source == box.id) + box.stop
            assert out == pytest.approx(box.flow, abs=1e-4)  # probability is neither lost nor made


def test_beyond_the_cap_the_surroundings_of_the_trajectory() -> None:
    instance = load_dataset("ba_shapes").instance(301)
    order = [0]
    while len(order) < 5:
        near = instance.edge_index[1][np.isin(instance.edge_index[0], order)]
        order.append(next(int(node) for node in near if node not in order))
    found = policy_dag(Question("ba_shapes", "301"), order)
    picture = found.picture
    assert found.total_variation is None
    assert not picture.whole
    assert found.total_variation is None
    assert {box.stop for box in picture.boxes} == {None}
    boxes = {box.id: box for box in picture.boxes}
    assert [boxes[state].nodes for state in picture.path] == [tuple(sorted(order[: k + 1])) for k in range(5)]
    assert all(0 <= link.flow <= 1 + 1e-6 for link in picture.links)
    assert len(picture.boxes) < 100
    assert messages.decode(messages.encode(found), PolicyDag) == found


def test_another_price_per_node_moves_r_over_z() -> None:
    cheap, dear = (policy_dag(replace(CYCLE, max_nodes=4, beta=1.0, node_price=price), [0]) for price in (0.0, 2.0))
    rewards = {box.nodes: box.reward for box in cheap.picture.boxes if box.count == 1}
    for box in dear.picture.boxes:
        if box.count == 1 and box.nodes in rewards:
            assert math.log(box.reward) == pytest.approx(math.log(rewards[box.nodes]) - 2.0 * len(box.nodes), abs=1e-3)
    small = [sum(box.target for box in found.picture.boxes if box.column == 0) for found in (cheap, dear)]
    assert small[0] < small[1]  # what costs more is wanted less
    assert sum(box.target for box in dear.picture.boxes) == pytest.approx(1, abs=1e-5)
    assert dear.max_nodes == 1 + max(box.column for box in dear.picture.boxes) == 4


@pytest.mark.parametrize("order", [[1], [0, 0], [0, 10_000]])
def test_an_order_that_cannot_be(order: list[int]) -> None:
    with pytest.raises(UserError):
        policy_dag(CYCLE, order)
