"""Pictures of state DAGs: every state is somewhere, flows add up, large ones stay small, and policies are exact."""

import json
import math
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest

from gfx_core.arrays import Doubles
from gfx_core.datasets.registry import load_dataset
from gfx_core.drawing.state_graph import ROWS, DagPicture, dag_picture, policy_dag
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation import run, subject
from gfx_core.explanation.look_ahead import LookAheadSampler
from gfx_core.explanation.question import Question
from gfx_core.explanation.samplers import reward_states
from gfx_core.gfn.settings import policy_config
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards

CYCLE = Question("tree_cycles", "612")


def toy(reward: Doubles | None = None) -> tuple[StateDag, DagPicture]:
    instance = practice_instance(Practice.TOY)
    dag = enumerate_states(instance)
    reward = practice_rewards(Practice.TOY, instance, dag) if reward is None else reward
    with np.errstate(divide="ignore"):
        space = StateSpace(dag, np.log(reward))
    target = reward / reward.sum()
    stop = np.exp(space.walk(space.log_edge).stop)
    return dag, dag_picture(dag, instance, space.log_edge, stop=stop, target=target, reward=reward)


def large(path: tuple[int, ...] = ()) -> tuple[StateDag, DagPicture]:
    """A Tree-Cycles instance of 159 states with random rewards."""
    instance = load_dataset("tree_cycles").instance(631)
    dag = enumerate_states(instance, max_nodes=10)
    space = StateSpace(dag, np.random.default_rng(0).normal(0, 2, dag.num_states))
    return dag, dag_picture(dag, instance, space.log_edge, path, stop=np.exp(space.log_target))


def walk(dag: StateDag, steps: int) -> tuple[int, ...]:
    path = [0]
    for _ in range(steps):
        path.append(int(dag.child[dag.parent == path[-1]][-1]))
    return tuple(path)


def test_a_small_dag_is_drawn_whole_and_its_flows_add_up() -> None:
    dag, picture = toy()
    assert [box.name for box in picture.boxes if box.column == 2] == ["abc", "acd"]
    assert {box.id: box.column for box in picture.boxes} == {s: k - 1 for s, k in enumerate(dag.size.tolist())}
    assert picture.whole
    added = {(link.source, link.target): link.node for link in picture.links}
    assert added == {(p, c): "abcde"[n] for p, c, n in zip(dag.parent, dag.child, dag.node, strict=True)}
    assert picture.boxes[0].flow == pytest.approx(1)
    assert sum(box.stop or 0 for box in picture.boxes) == pytest.approx(1, abs=1e-5)
    for box in picture.boxes:
        out = sum(link.flow or 0 for link in picture.links if link.source == box.id) + (box.stop or 0)
        into = sum(link.flow or 0 for link in picture.links if link.target == box.id)
        assert out == pytest.approx(box.flow, abs=1e-5)
        assert into == pytest.approx(out if box.column else 0, abs=1e-5)


def test_a_larger_dag_keeps_each_state_in_one_box_and_a_path_in_boxes_of_its_own() -> None:
    dag, _ = large()
    path = walk(dag, 7)
    for picture in (large()[1], large(path)[1]):
        assert sorted(state for box in picture.boxes for state in box.states) == list(range(dag.num_states))
        assert sum(box.stop or 0 for box in picture.boxes) == pytest.approx(1, abs=1e-3)
        for column in range(dag.num_levels):
            boxes = [box for box in picture.boxes if box.column == column]
            assert len(boxes) <= ROWS + 1
            for rest in (box for box in boxes if box.id < 0):  # the rest of a column is its least
                least = min(box.flow for box in boxes if box.id >= 0 and box.id not in picture.path)
                assert rest.flow <= least * len(rest.states) + 1e-6
    assert picture.path == path
    assert {box.id for box in picture.boxes if len(box.states) == 1} >= set(path)
    assert set(pairwise(path)) <= {(link.source, link.target) for link in picture.links}
    json.dumps(asdict(picture), allow_nan=False)


def test_beyond_the_limit_the_surroundings_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    dag, _ = large()
    path = walk(dag, 3)
    monkeypatch.setattr("gfx_core.drawing.state_graph.MOST", 100)
    _, picture = large(path)
    near = {0, *path}
    for state in path:
        near |= set(dag.parent[dag.child == state].tolist()) | set(dag.child[dag.parent == state].tolist())
    assert {state for box in picture.boxes for state in box.states} == near
    assert (picture.whole, picture.num_states) == (False, 159)


# Under a policy


def test_a_small_instance_is_listed_and_its_policy_exact() -> None:
    order = [0, 1, 3]
    states = policy_dag(CYCLE, order)
    picture = states.picture
    instance = load_dataset("tree_cycles").instance(612)
    dag = enumerate_states(instance, max_nodes=10)
    assert (picture.whole, picture.num_states) == (True, dag.num_states)
    assert picture.path == tuple(dag.index_of(order[: k + 1]) for k in range(3))
    predictor = SubgraphPredictor(subject.kept_model("tree_cycles", "sum"), [instance], "cpu")
    sampler = LookAheadSampler.shipped(policy_config("tree_cycles"), predictor, instance)
    space = reward_states(sampler.reward, dag)
    log_reward, log_policy = space.log_reward, space.walk(*sampler.on(space)).stop
    assert states.total_variation == pytest.approx(space.total_variation(log_policy), abs=1e-6)
    for box in picture.boxes:
        members = list(box.states)
        assert box.stop == pytest.approx(np.exp(log_policy[members]).sum(), abs=1e-5)
        assert box.target == pytest.approx(np.exp(space.log_target[members]).sum(), abs=1e-5)
        if len(box.states) == 1:
            assert box.reward == pytest.approx(math.exp(log_reward[box.id]), rel=1e-4)
            out = sum(link.flow for link in picture.links if link.source == box.id) + box.stop
            assert out == pytest.approx(box.flow, abs=1e-4)  # probability is neither lost nor made


def test_beyond_the_cap_the_surroundings_of_the_trajectory() -> None:
    instance = load_dataset("ba_shapes").instance(301)
    order = [0]
    while len(order) < 5:
        near = instance.edge_index[1][np.isin(instance.edge_index[0], order)]
        order.append(next(int(node) for node in near if node not in order))
    question = Question("ba_shapes", "301")
    states = policy_dag(question, order)
    picture = states.picture
    assert (states.total_variation, {box.stop for box in picture.boxes}) == (None, {None})
    boxes = {box.id: box for box in picture.boxes}
    assert [boxes[state].nodes for state in picture.path] == [tuple(sorted(order[: k + 1])) for k in range(5)]
    assert all(0 <= link.flow <= 1 + 1e-6 for link in picture.links)
    assert len(picture.boxes) < 100
    log_flows = {action.node: action.log_flow for action in run.follow(question, order)[-1].frontier}
    on = [link for link in picture.links if link.source == picture.path[-1] and len(boxes[link.target].states) == 1]
    flows_on = {next(iter({*boxes[link.target].nodes} - {*order})): float(link.flow or 0) for link in on}
    best = max(flows_on, key=flows_on.__getitem__)
    for node, flow in flows_on.items():
        if flow:  # a look-ahead policy looks as far as the states allow that are evaluated together
            expected = log_flows[node] - log_flows[best]
            assert math.log(flow / flows_on[best]) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("order", [[1], [0, 0], [0, 10_000]])
def test_an_order_that_is_no_trajectory_is_refused(order: list[int]) -> None:
    with pytest.raises(UserError):
        policy_dag(CYCLE, order)
