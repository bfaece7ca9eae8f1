"""What a frame tells, beside walking all trajectories one by one."""

from typing import Any

import numpy as np
import pytest

from gfx_core.exact.enumeration import enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import LearnsFrom, Parents
from gfx_core.training import codes
from gfx_core.training.frames import StateFrames
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import begin_event
from gfx_core.training.recording import Recording
from gfx_core.training.session import Session, session_of
from gfx_core.training.training import Training, defaults_for
from tests.training.toy_recording import decode_residuals

TREE = defaults_for(Question("tree_cycles", "612")).changed(
    {"max_nodes": 4, "beta": 3.0, "batch_size": 16, "epochs": 40}
)
TRAININGS = [
    TREE.changed({"parents": "sequence"}),
    TREE.changed({"parents": "graph", "stop": "learned"}),
    TREE.changed({"context": False, "loss": "tb-conditional"}),
    TREE.changed({"flow_model": "table", "lr": 0.1, "loss": "fm-linear"}),
    TREE.changed({"flow_model": "table", "learns_from": "all", "parents": "sequence"}),
    TREE.changed({"learns_from": "all"}),
    defaults_for(LessonGraph("two-modes")).changed({"epochs": 40}),
]


def space_of(session: Session) -> StateSpace:
    assert session.states.whole
    return session.states.space


def walked(session: Session) -> dict[str, Any]:
    """The same numbers slowly: every trajectory, one after the other."""
    space = space_of(session)
    dag, (edge, stop) = space.dag, session.flows()
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
    for state in range(dag.num_states):
        inward = [k for k in range(dag.num_edges) if dag.child[k] == state]
        flow_in = np.exp(edge[inward]).sum()
        if session.config.parents is Parents.SEQUENCE and inward:
            flow_in /= len(inward)
        flow_out = np.exp(stop[state]) + np.exp(edge[dag.parent == state]).sum()
        residuals[state] = np.log(flow_in / flow_out) if state else 0.0
    reward = np.exp(space.log_reward)
    target = reward / reward.sum()
    members = [set(row[row >= 0].tolist()) for row in dag.subsets]
    graph = session.instance
    marginals = [
        sum(chance for held, chance in zip(members, ends, strict=True) if {int(a), int(b)} <= held)
        for a, b in graph.edge_index[:, graph.undirected].T
    ]
    distance = np.abs(ends - target).sum() / 2
    return {"stop": ends, "flow": passed, "residuals": residuals, "marginals": marginals, "distance": distance}


@pytest.mark.parametrize("training", TRAININGS)
def test_a_frame_is_exact(training: Training) -> None:
    session = session_of(training)
    session.advance(5)
    frame, slow = session.frame(), walked(session)
    assert np.abs(codes.decode_probabilities(frame["stop"]) - slow["stop"]).max() < 1e-4
    assert np.abs(codes.decode_probabilities(frame["flow"]) - slow["flow"]).max() < 1e-4
    assert np.abs(decode_residuals(frame["residuals"]) - slow["residuals"].clip(-8, 8)).max() < 1e-3
    assert np.abs(np.array(frame["marginals"]) - slow["marginals"]).max() < 1e-4
    assert frame["total_variation"] == pytest.approx(slow["distance"], abs=1e-5)
    assert frame["step"] == session.step_number == 5
    visits = codes.decode_probabilities(frame["visits"])
    assert visits[0] == 1
    assert visits[1:].any() or slow["stop"][0] > 0.9
    assert (frame["modes"] is None) == (training.config.learns_from is LearnsFrom.ALL)  # then none ended anywhere
    (lane,) = begin_event([training])["lanes"]
    lanes = [{**lane, "scenes": [session.scene()], "frames": [frame], "end": None}]
    Recording.from_dict({"schema": 2, "kind": "training", "title": "", "made": {}, "lanes": lanes})


def test_a_scene_is_exact() -> None:
    session = session_of(TREE)
    scene, dag = session.scene(3), space_of(session).dag
    reward = np.exp(space_of(session).log_reward)
    assert scene["from"] == 3
    assert scene["log_z"] == pytest.approx(np.log(reward.sum()), rel=1e-5)
    assert np.abs(codes.decode_probabilities(scene["target"]) - reward / reward.sum()).max() < 1e-4
    through, flow = reward.copy(), np.zeros(dag.num_edges)  # from the leaves back
    for edge in range(dag.num_edges - 1, -1, -1):
        flow[edge] = through[dag.child[edge]] / (dag.child == dag.child[edge]).sum()
        through[dag.parent[edge]] += flow[edge]
    assert np.abs(codes.decode_probabilities(scene["exact"]) - flow / reward.sum()).max() < 1e-4
    assert scene["states"][0] == [dag.start]
    for parent, child, node in scene["links"]:
        assert set(scene["states"][child]) == {*scene["states"][parent], node}


def test_modes_are_found_once_trajectories_end_there() -> None:
    """Two good ends of a path: without random steps only the near one is found."""
    two = defaults_for(LessonGraph("two-modes"))
    timid, curious = (session_of(two.changed({"epsilon": epsilon})) for epsilon in (0.0, 0.2))
    states = {
        "".join("abcde"[node] for node in sorted(timid.scene()["states"][mode])) for mode in timid.scene()["modes"]
    }
    assert states == {"ab", "acde"}
    for session in (timid, curious):
        session.advance(200)
    assert (timid.frame()["modes"], curious.frame()["modes"]) == (0.5, 1.0)


@pytest.mark.parametrize("training", [TREE, TRAININGS[3], TRAININGS[5]])
def test_looking_changes_nothing(training: Training) -> None:
    session, alone = session_of(training), session_of(training)
    session.advance(2)
    session.frame()
    session.advance(2)
    alone.advance(4)
    first, second = session.frame(), alone.frame()
    assert (first["loss"], first["stop"]) == (second["loss"], second["stop"])


def test_of_a_large_instance_the_small_states_are_exact() -> None:
    """They are what a listing of all states has, but for the largest: there trajectories go on that are not seen."""
    usual = defaults_for(Question("ba_shapes", "301")).changed({"max_nodes": 4, "batch_size": 8, "epochs": 3})
    whole, part = (session_of(usual) for _ in range(2))
    space = space_of(whole).with_reward(space_of(whole).log_reward)
    small = enumerate_states(whole.instance, whole.start, 3)
    part.states = StateFrames(part._space(small, part.config), part.instance, whole=False)
    for session in (whole, part):
        session.trainer.watch = session._see
        session.advance(3)
    frames, count, inner = (whole.frame(), part.frame()), small.num_states, int((small.size < 3).sum())
    for name in ("visits", "residuals"):
        known = inner if name == "residuals" else count
        one, other = (codes.decode_probabilities(frame[name]) for frame in frames)
        assert np.abs(one[:known] - other[:known]).max() < 1e-4
    links = [k for k in range(space.num_edges) if space.child[k] < count]
    one, other = (codes.decode_probabilities(frame["flow"]) for frame in frames)
    assert np.abs(one[links] - other).max() < 1e-4
    assert frames[1]["log_z"] == pytest.approx(frames[0]["log_z"], rel=1e-4)
    assert (np.abs(decode_residuals(frames[1]["residuals"])[inner:]) < 1e-3).all()
    assert all(share in np.linspace(0, 1, 9).round(4) for share in frames[1]["marginals"])  # of eight trajectories
