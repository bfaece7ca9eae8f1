"""A log of anybody's GFlowNet: exact numbers of a small grid, a file that Train reads, a sentence for what is wrong."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.training import codes, recording
from gfx_core.training.log import TrainingLog
from tests.training.toy_recording import decode_residuals

SIDE = 3
CELLS = list(itertools.product(range(SIDE), repeat=2))
EDGES = [
    (number, CELLS.index(after))
    for number, (x, y) in enumerate(CELLS)
    for after in ((x + 1, y), (x, y + 1))
    if after in CELLS
]
LOG_R = np.array([5.0 if cell in ((0, 2), (2, 0)) else -1.0 for cell in CELLS])


def grid(**options: Any) -> TrainingLog:
    return TrainingLog(
        **{"title": "Grid", "states": list(map(str, CELLS)), "edges": EDGES, "log_reward": LOG_R} | options
    )


def stops(log_flow: np.ndarray, log_stop: np.ndarray) -> np.ndarray:
    """The chance to end in each cell, cell by cell."""
    visit, found = np.zeros(len(CELLS)), np.zeros(len(CELLS))
    visit[0] = 1
    for state in sorted(range(len(CELLS)), key=lambda k: sum(CELLS[k])):
        leaving = [number for number, (parent, _) in enumerate(EDGES) if parent == state]
        flows = np.exp([*log_flow[leaving], log_stop[state]])
        found[state] = visit[state] * flows[-1] / flows.sum()
        for number, share in zip(leaving, flows / flows.sum(), strict=False):
            visit[EDGES[number][1]] += visit[state] * share
    return found


def test_five_lines_give_a_recording_that_train_reads(tmp_path: Path) -> None:
    log, rng = grid(config={"loss": "anything"}), np.random.default_rng(0)
    flows = [rng.normal(size=len(EDGES)) for _ in range(3)]
    for step, flow in enumerate(flows):
        log.add(10 * step, flow, loss=1.0 / (step + 1), ended=[2] if step else [])
    read = recording.read(log.write(tmp_path / "grid.json"))
    (lane,) = read.lanes
    scene, p = lane.scenes[0], np.exp(LOG_R - np.logaddexp.reduce(LOG_R))
    where = [scene.labels.index(str(cell)) for cell in CELLS]  # type: ignore[union-attr]
    assert np.allclose(codes.decode_probabilities(scene.target or "")[where], p, atol=1e-4)
    assert scene.log_z == pytest.approx(np.logaddexp.reduce(LOG_R), abs=1e-4)
    assert {scene.labels[mode] for mode in scene.modes} == {"(0, 2)", "(2, 0)"}  # type: ignore[index,union-attr]
    assert lane.config == {"loss": "anything"}
    assert [frame.modes for frame in lane.frames] == [None, 0.5, 0.5]
    for frame, flow in zip(lane.frames, flows, strict=True):
        expected = stops(flow, LOG_R)
        assert np.allclose(codes.decode_probabilities(frame.stop or "")[where], expected, atol=1e-4)
        assert frame.total_variation == pytest.approx(np.abs(expected - p).sum() / 2, abs=1e-5)
    links = {(scene.labels[a], scene.labels[b]) for a, b, _ in scene.links}  # type: ignore[index]
    assert links == {(str(CELLS[a]), str(CELLS[b])) for a, b in EDGES}


def test_flows_that_match_have_no_residual_and_a_policy_is_as_good() -> None:
    """The exact flows of the grid, as flows and as the probabilities of a policy with its log Z."""
    log = grid()
    exact = np.empty(len(EDGES))
    exact[log._edges] = log.space.log_edge
    log_stop = LOG_R
    log.add(0, exact)
    out = np.array(
        [np.logaddexp.reduce([*exact[[e for e, (a, _) in enumerate(EDGES) if a == s]], log_stop[s]]) for s in range(9)]
    )
    forward = exact - out[[a for a, _ in EDGES]]
    log.add(1, forward, log_stop - out, policy=True, log_z=float(log.space.log_z[0]))
    for frame in log.recording().lanes[0].frames:
        assert frame.residual == pytest.approx(0, abs=1e-6)
        assert frame.total_variation == pytest.approx(0, abs=1e-6)
        assert frame.log_z == pytest.approx(log.space.log_z[0], abs=1e-4)


@pytest.mark.parametrize(("log_stop", "residual"), [(1.5, 0.0), (200.0, 8.0)])
def test_a_learned_stop_is_what_leaves_a_state(log_stop: float, residual: float) -> None:
    """Flows that balance with another STOP than R match; a STOP far above all in-flows does not."""
    log, stop = grid(), np.full(len(CELLS), log_stop)
    balanced = np.empty(len(EDGES))
    balanced[log._edges] = log.space.with_reward(np.full(len(CELLS), 1.5)).log_edge
    log.add(0, balanced, stop)
    frame = log.recording().lanes[0].frames[0]
    assert np.abs(decode_residuals(frame.residuals)).max() == pytest.approx(residual, abs=1e-3)
    assert (frame.residual < 1e-6) == (residual == 0)


def test_states_where_nothing_ends_and_edges_that_skip_a_level() -> None:
    log = TrainingLog("Skip", ["s", "a", "b"], [(0, 1), (1, 2), (0, 2)], [-np.inf, -np.inf, 0.0])
    log.add(0, [0.0, 0.0, np.log(3)])
    frame, scene = log.recording().lanes[0].frames[0], log.recording().lanes[0].scenes[0]
    assert codes.decode_probabilities(frame.stop or "").tolist() == pytest.approx([0, 0, 1], abs=1e-4)
    assert np.allclose(codes.decode_probabilities(frame.flow or ""), [0.25, 0.75, 0.25], atol=1e-4)
    assert scene.log_reward == [None, None, 0.0]
    rare = TrainingLog("Two", ["s", "a", "b" * 99], [(0, 1), (0, 2)], [-np.inf, 0.0, 0.0])
    rare.add(0, [0.0, -12.0])  # the state that is hardly ever visited is far from balance, and hardly counts
    lane = rare.recording().lanes[0]
    assert lane.frames[0].residual < 1e-3
    assert lane.scenes[0].labels == ["s", "a", "b" * 60]


ABC = {"states": list("abc"), "log_reward": [0, 0, 0]}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (ABC | {"edges": [(0, 1), (1, 2), (2, 1)]}, "cycle through “b”"),
        (ABC | {"edges": [(0, 1), (1, 0), (0, 2)]}, "cycle through “a”"),
        (ABC | {"edges": [(2, 0), (0, 1)]}, "“c” has no parent"),
        (ABC | {"edges": [(0, 1)]}, "“c” has no parent"),
        ({"log_reward": LOG_R[:-1]}, "log_reward must"),
        ({"log_reward": np.full(9, -np.inf)}, "log_reward must be finite"),
        (ABC | {"edges": [(0, 1), (0, 2), (0, 3)]}, "from 0 to 2"),
        ({"states": [""] * 1_000_000}, "got 1,000,000"),
    ],
)
def test_what_is_wrong_is_said(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        grid(**options)


def test_what_is_wrong_with_a_moment_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    log, flow = grid(), np.zeros(len(EDGES))
    with pytest.raises(UserError, match="Nothing was recorded"):
        log.write(tmp_path / "none.json")
    log.add(5, flow)
    for step, flows, more, sentence in (
        (3, flow, {}, "not go back"),
        (6, flow[:-1], {}, "for each edge"),
        (6, flow * np.nan, {}, "12 of them"),
        (6, flow, {"log_stop": [0.0]}, "for each state"),
        (6, flow, {"policy": True}, "give log_z"),
    ):
        with pytest.raises(UserError, match=sentence):
            log.add(step, flows, **more)  # type: ignore[arg-type]
    assert [frame.step for frame in log.recording().lanes[0].frames] == [5]
    values = log.recording().as_dict()  # a file that others wrote
    scene = values["lanes"][0]["scenes"][0]
    turned = [[b, a, c] for a, b, c in scene["links"][:1]] + scene["links"][1:]
    for change, sentence in (
        ({"labels": scene["labels"][1:]}, "labels must contain 9"),
        ({"links": turned}, "a cycle"),
    ):
        lane = values["lanes"][0] | {"scenes": [scene | change]}
        with pytest.raises(UserError, match=sentence):
            recording.Recording.from_dict(values | {"lanes": [lane]})
