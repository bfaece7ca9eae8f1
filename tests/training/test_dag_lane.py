"""What a frame tells, beside walking all trajectories one by one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.training import recording
from gfx_core.training.dag_lane import DagLane
from gfx_core.training.lane import Environment
from gfx_core.training.recording import Recording
from gfx_core.training.setting import FlowModel, LaneSetting, LearnsFrom, LessonGraph, NetworkKind, defaults_for

TREE = LaneSetting(Question("tree_cycles", "612"), max_nodes=4, beta=3.0, batch=16, steps=40)
LANES = [
    TREE,
    replace(TREE, parents=Parents.SEQUENCE),
    replace(TREE, parents=Parents.GRAPH, stop=Stop.LEARNED),
    replace(TREE, loss=Loss.TRAJECTORY_BALANCE),
    replace(TREE, network=NetworkKind.PAPER, loss=Loss.TRAJECTORY_BALANCE_CONDITIONAL),
    replace(TREE, learner=FlowModel.TABLE, lr=0.1, loss=Loss.FLOW_MATCHING_LINEAR),
    replace(TREE, learner=FlowModel.TABLE, learns_from=LearnsFrom.ALL, parents=Parents.GRAPH),
    replace(TREE, learns_from=LearnsFrom.ALL),
    replace(defaults_for(LessonGraph("two-modes")), steps=40),
    replace(defaults_for(LessonGraph("toy")), learner=FlowModel.NETWORK, lr=0.01, steps=40),
]


def walked(lane: DagLane) -> dict[str, Any]:
    """The same numbers slowly: every trajectory, one after the other."""
    dag, flows = lane.dag, lane.flows
    edge, stop = flows.log_edge.detach().numpy(), flows.log_stop.detach().numpy()
    ends, passed = np.zeros(dag.num_states), np.zeros(dag.num_edges)
    residuals = np.zeros(dag.num_states)
    walks = [(0, 1.0)]
    while walks:
        state, chance = walks.pop()
        out = [k for k in range(dag.num_edges) if dag.parent[k] == state]
        weight = np.exp([*edge[out], stop[state] if out else 0.0])
        share = weight / weight.sum()
        ends[state] += chance * share[-1]
        for k, taken in zip(out, share, strict=False):
            passed[k] += chance * taken
            walks.append((int(dag.child[k]), chance * taken))
    phantom = flows.log_phantom.detach().numpy()
    begin = 0
    for state in range(dag.num_states):
        inward = [k for k in range(dag.num_edges) if dag.child[k] == state]
        missing = int(dag.size[state]) - 1 - len(inward) if lane.setting.parents is Parents.GRAPH else 0
        flow_in = np.exp(edge[inward]).sum() + np.exp(phantom[begin : begin + missing]).sum()
        begin += missing
        if lane.setting.parents is Parents.SEQUENCE and inward:
            flow_in /= len(inward)
        flow_out = np.exp(stop[state]) + np.exp(edge[dag.parent == state]).sum()
        residuals[state] = np.log(flow_in / flow_out) if state else 0.0
    reward = np.exp(lane.space.log_reward)
    target = reward / reward.sum()
    members = [set(row[row >= 0].tolist()) for row in dag.subsets]
    graph = lane.environment.instance
    marginals = [
        sum(chance for held, chance in zip(members, ends, strict=True) if {int(a), int(b)} <= held)
        for a, b in graph.edge_index[:, graph.undirected].T
    ]
    distance = np.abs(ends - target).sum() / 2
    return {"stop": ends, "flow": passed, "residuals": residuals, "marginals": marginals, "distance": distance}


@pytest.mark.parametrize("setting", LANES)
def test_a_frame_is_exact(setting: LaneSetting) -> None:
    lane = DagLane(setting, Environment(setting, 1e6))
    lane.advance(5)
    frame, slow = lane.frame(0), walked(lane)
    assert np.abs(recording.decode_probabilities(frame["stop"]) - slow["stop"]).max() < 1e-4
    assert np.abs(recording.decode_probabilities(frame["flow"]) - slow["flow"]).max() < 1e-4
    assert np.abs(recording.decode_residuals(frame["residuals"]) - slow["residuals"].clip(-8, 8)).max() < 1e-3
    assert np.abs(np.array(frame["marginals"]) - slow["marginals"]).max() < 1e-4
    assert frame["total_variation"] == pytest.approx(slow["distance"], abs=1e-5)
    assert frame["step"] == lane.step == 5
    assert 0 < recording.decode_probabilities(frame["visits"])[1:].max() <= 1
    lanes = [{"name": "", "setting": setting.as_dict(), "scenes": [lane.scene(0)], "frames": [frame], "end": None}]
    Recording.from_dict({"schema": 1, "kind": "training", "title": "", "made": {}, "lanes": lanes})


def test_a_scene_is_exact() -> None:
    lane = DagLane(TREE, Environment(TREE, 1e6))
    scene, dag = lane.scene(3), lane.dag
    reward = np.exp(lane.space.log_reward)
    assert scene["from"] == 3
    assert scene["log_z"] == pytest.approx(np.log(reward.sum()), rel=1e-5)
    assert np.abs(recording.decode_probabilities(scene["target"]) - reward / reward.sum()).max() < 1e-4
    through = reward.copy()  # what flows through each state, from the leaves back
    flow = np.zeros(dag.num_edges)
    for edge in range(dag.num_edges - 1, -1, -1):
        flow[edge] = through[dag.child[edge]] / (dag.child == dag.child[edge]).sum()
        through[dag.parent[edge]] += flow[edge]
    assert np.abs(recording.decode_probabilities(scene["exact"]) - flow / reward.sum()).max() < 1e-4
    assert scene["states"][0] == [dag.start]
    for parent, child, node in scene["links"]:
        assert set(scene["states"][child]) == {*scene["states"][parent], node}


@pytest.mark.parametrize("setting", [LANES[0], LANES[5], LANES[7]])
def test_going_back_goes_on_as_before(setting: LaneSetting) -> None:
    lane = DagLane(setting, Environment(setting, 1e6))
    lane.advance(4)
    restore = lane.snapshot()
    frames = []
    for _ in range(2):
        lane.advance(3)
        frame = lane.frame(0)
        frames.append({name: frame[name] for name in ("step", "loss", "stop", "flow", "total_variation")})
        restore()
        assert lane.step == 4
    assert frames[0] == frames[1]


def test_looking_changes_nothing() -> None:
    watched, alone = (DagLane(TREE, Environment(TREE, 1e6)) for _ in range(2))
    for _ in range(6):
        watched.advance(1)
        watched.frame(0)
    alone.advance(6)
    assert watched.loss == alone.loss
    assert watched.frame(0)["stop"] == alone.frame(0)["stop"]
