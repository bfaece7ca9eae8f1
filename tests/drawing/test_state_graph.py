"""Pictures of state DAGs: every state is somewhere, flows add up, nothing overlaps, and large ones stay small."""

import json
from dataclasses import asdict
from itertools import pairwise

import numpy as np
import pytest

from gfx_core.arrays import Doubles
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.drawing.state_graph import FEW, ROWS, DagNumbers, DagPicture, dag_picture
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.jobs import messages
from gfx_core.teaching.practice import solve_flows
from gfx_core.training.lesson_graphs import Practice, practice_instance, practice_rewards, small_instance


def toy(reward: Doubles | None = None) -> tuple[Instance, StateDag, DagPicture]:
    instance = practice_instance(Practice.TOY)
    dag = enumerate_states(instance)
    flows = solve_flows(dag, practice_rewards(Practice.TOY, instance, dag) if reward is None else reward)
    numbers = DagNumbers(flows.log_edge, flows.stop, flows.target, flows.reward)
    return instance, dag, dag_picture(dag, instance, numbers)


def large(path: tuple[int, ...] = ()) -> tuple[StateDag, DagPicture]:
    """A Tree-Cycles instance of 159 states with some rewards."""
    instance = load_dataset("tree_cycles").instance(631)
    dag = enumerate_states(instance, max_nodes=10)
    log_reward = np.random.default_rng(0).normal(0, 2, dag.num_states)
    space = StateSpace(dag, log_reward)
    numbers = DagNumbers(space.log_edge, stop=np.exp(space.log_target))
    return dag, dag_picture(dag, instance, numbers, names=False, path=path)


def a_path(dag: StateDag, steps: int) -> tuple[int, ...]:
    path = [0]
    for _ in range(steps):
        path.append(int(dag.child[dag.parent == path[-1]][-1]))
    return tuple(path)


def test_a_small_dag_is_drawn_whole() -> None:
    _, dag, picture = toy()
    assert [box.name for box in picture.boxes if box.column == 2] == ["abc", "acd"]
    assert sorted(box.id for box in picture.boxes) == list(range(dag.num_states))
    assert {box.id: box.column for box in picture.boxes} == {s: k - 1 for s, k in enumerate(dag.size.tolist())}
    assert len(picture.links) == dag.num_edges
    assert picture.whole
    assert sum(box.stop or 0 for box in picture.boxes) == pytest.approx(1, abs=1e-5)
    added = {(link.source, link.target): link.node for link in picture.links}
    assert all(added[p, c] == "abcde"[n] for p, c, n in zip(dag.parent, dag.child, dag.node, strict=True))


def test_width_is_the_share_of_the_flow() -> None:
    _, _, picture = toy()
    for box in picture.boxes:
        out = sum(link.flow or 0 for link in picture.links if link.source == box.id) + (box.stop or 0)
        assert out == pytest.approx(box.flow, abs=1e-5)
        if box.column:
            assert sum(link.flow or 0 for link in picture.links if link.target == box.id) == pytest.approx(
                out, abs=1e-5
            )
    assert picture.boxes[0].flow == pytest.approx(1)


def test_other_rewards_move_nothing() -> None:
    places = [
        [(box.id, box.column) for box in toy(reward)[2].boxes]
        for reward in (None, np.arange(8.0), np.eye(8)[0], np.eye(8)[7])
    ]
    assert all(place == places[0] for place in places)
    picture = toy(np.eye(8)[0])[2]  # all stop at once
    assert [link.flow for link in picture.links] == [0.0] * len(picture.links)
    assert [box.flow for box in picture.boxes] == [1.0] + [0.0] * 7


def test_plain_values_that_travel() -> None:
    _, picture = large()
    assert messages.decode(messages.encode(picture), DagPicture) == picture
    json.dumps(asdict(picture), allow_nan=False)


def test_a_larger_dag_stays_readable() -> None:
    dag, picture = large()
    assert dag.num_states == 159
    held = sorted(state for box in picture.boxes for state in box.states)
    assert held == list(range(dag.num_states))  # each state is in one box
    assert all(box.count == len(box.states) for box in picture.boxes)
    for column in range(dag.num_levels):
        assert sum(box.column == column for box in picture.boxes) <= ROWS + 1
    assert sum(box.stop or 0 for box in picture.boxes) == pytest.approx(1, abs=1e-3)
    rests = [box for box in picture.boxes if box.id < 0]
    assert rests
    for rest in rests:  # the rest of a column is its least
        others = [box for box in picture.boxes if box.column == rest.column and box.id > 0]
        assert len(others) == ROWS or rest.flow < 0.1


def test_a_trajectory_keeps_its_boxes() -> None:
    path = a_path(large()[0], 7)
    _, picture = large(path)
    assert picture.path == path
    assert {box.id for box in picture.boxes if box.count == 1} >= set(path)
    pairs = {(link.source, link.target) for link in picture.links}
    assert set(pairwise(path)) <= pairs


def test_beyond_the_limit_the_surroundings_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    dag, _ = large()
    path = a_path(dag, 3)
    monkeypatch.setattr("gfx_core.drawing.state_graph.MOST", 100)
    _, picture = large(path)
    near = {0, *path}
    for state in path:
        near |= set(dag.parent[dag.child == state].tolist()) | set(dag.child[dag.parent == state].tolist())
    assert {state for box in picture.boxes for state in box.states} == near
    assert not picture.whole
    assert picture.num_states == 159


def test_a_chain_is_one_box() -> None:
    count = FEW + 8
    instance = small_instance(tuple((k, k + 1) for k in range(count - 1)), tuple((float(k), 0.0) for k in range(count)))
    instance = Instance(**{**vars(instance), "node_names": ()})
    dag = enumerate_states(instance, max_nodes=count)
    assert dag.num_states == count
    picture = dag_picture(dag, instance, DagNumbers(reward=np.arange(1.0, count + 1)))
    assert [box.count for box in picture.boxes] == [1, count - 1]
    assert picture.boxes[1].id == count - 1
    assert picture.boxes[1].reward == count
