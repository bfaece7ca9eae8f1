"""Trainings that are steered while they run, and a policy that Explain trains further, in this process."""

import json
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gfx_core.config import FlowSource
from gfx_core.errors import UserError
from gfx_core.explanation import subject
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gfn.checkpoint import load_policy
from gfx_core.gfn.own_policies import keep_policy
from gfx_core.job_context import JobContext, StoppedError
from gfx_core.jobs import requests
from gfx_core.training import live, recording
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.live import LiveTraining
from gfx_core.training.recording import Assembler
from gfx_core.training.training import LEFT_S, PAUSED_S, Training, defaults_for

TABLE = defaults_for(LessonGraph("two-modes")).changed({"epochs": 12})
SMALL = {"max_nodes": 4, "beta": 3.0, "batch_size": 8, "epochs": 6}
NETWORK = defaults_for(Question("tree_cycles", "612")).changed(SMALL)


def change(*trainings: Training) -> dict[str, Any]:
    """The command that sets trainings so."""
    return {"do": "change", "trainings": [training.as_dict() for training in trainings]}


@pytest.fixture(autouse=True)
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training need not wait here, paused or not."""
    monkeypatch.setattr(live, "IDLE_S", 0.0)
    monkeypatch.setattr(live, "WATCHED_S", 0.0)


def steered(
    trainings: Iterable[Training], commands: dict[int, list[dict[str, Any]]] | None = None, *, tick: float = 0.15
) -> tuple[tuple[bytes | None, ...], Assembler, list[dict[str, Any]]]:
    """Train here; commands come when it has listened so many times, time goes on whenever somebody looks."""
    events, script = [], commands or {}
    listened, looked = count(1), count(1)
    job = JobContext(
        emit=lambda event: events.append(json.loads(json.dumps(event))),
        commands=lambda: script.get(next(listened), []),
    )
    answer = LiveTraining(tuple(trainings), job, lambda: next(looked) * tick).run()
    assembler = Assembler("")
    assembler.feed(events)
    return answer, assembler, events


def steps(assembler: Assembler, lane: int = 0) -> list[int]:
    return [frame.step for frame in assembler.recording().lanes[lane].frames]


def end(assembler: Assembler, lane: int = 0) -> str:
    return assembler.recording().lanes[lane].end or ""


def test_two_lanes_on_one_clock_end_in_policies(tmp_path: Path) -> None:
    answer, assembler, events = steered([NETWORK, NETWORK.changed({"parents": "sequence"})])
    assert (end(assembler), end(assembler, 1)) == ("Done: 6 steps.", "Done: 6 steps.")
    assert steps(assembler) == steps(assembler, 1)
    assert steps(assembler)[0] == 0
    assert steps(assembler)[-1] == 6
    assert events[0]["is"] == "begin"
    assert assembler.state["running"] is False
    assert answer[0] is not None
    (tmp_path / "policy.safetensors").write_bytes(answer[0])
    trained = load_policy(tmp_path / "policy.safetensors")
    assert (trained.dataset, trained.gnn, trained.config.max_nodes) == ("tree_cycles", "sum", 4)
    assert (trained.config.reward.beta, trained.made["epochs"]) == (3.0, 6)


def test_step_pause_and_run() -> None:
    hear = {1: "pause", 2: "step", 3: "step", 5: "run", 6: "pause", 9: "end"}
    answer, assembler, events = steered([TABLE], {number: [{"do": do}] for number, do in hear.items()})
    assert steps(assembler)[:3] == [0, 1, 2]
    assert answer == (None,)  # a table
    assert 2 < steps(assembler)[-1] < 12
    running = [event["running"] for event in events if event["is"] == "state"]
    assert running[:2] == [True, False]
    assert True in running[2:]


def test_a_live_change_is_marked_and_changes_the_target() -> None:
    wide = TABLE.changed({"epsilon": 0.5})
    commands = {2: [change(wide, wide)], 4: [change(wide.changed({"beta": 2.0}), wide)]}
    _, assembler, _ = steered([TABLE, TABLE], commands, tick=0.02)
    first, second = assembler.recording().lanes
    assert [frame.change for frame in first.frames if frame.change] == [{"epsilon": 0.5}, {"beta": 2.0}]
    assert [frame.change for frame in second.frames if frame.change] == [{"epsilon": 0.5}]
    assert (len(first.scenes), len(second.scenes)) == (2, 1)
    assert first.scenes[1].log_z != first.scenes[0].log_z
    assert first.frames[first.scenes[1].first].change == {"beta": 2.0}
    assert (first.training.config.reward.beta, first.training.config.epsilon) == (2.0, 0.5)
    assert second.training == wide
    changed = first.frames[first.scenes[1].first].step  # the other target has as many steps as the first had
    assert (first.frames[-1].step, second.frames[-1].step) == (changed + TABLE.config.epochs, TABLE.config.epochs)


def test_other_changes_and_a_reset_begin_anew() -> None:
    bad = TABLE.as_dict()
    bad["config"]["epsilon"] = 7
    commands = {
        3: [{"do": "reset"}],
        5: [change(TABLE.changed({"seed": 3}))],
        6: [{"do": "change", "trainings": [bad]}, {"do": "nonsense"}],
    }
    _, assembler, events = steered([TABLE], commands, tick=0.02)
    assert assembler.generation == 2
    (lane,) = assembler.recording().lanes
    assert lane.training.config.seed == 3
    assert lane.frames[0].step == 0
    assert lane.frames[-1].step == 12
    refused = [event["words"] for event in events if event.get("error")]
    assert [words[:9] for words in refused] == ["ε must be"]


def test_a_learning_rate_that_diverges_ends_in_a_sentence() -> None:
    wild = TABLE.changed({"lr": 10.0, "epochs": 3000, "beta": 4.0, "loss": "fm-linear"})
    tame = TABLE.changed({"epochs": 3})
    _, assembler, _ = steered([wild, tame])
    assert "smaller learning rate" in end(assembler)
    assert end(assembler, 1) == "Done: 3 steps."
    first = assembler.recording().lanes[0]
    assert [frame.step for frame in first.frames] == sorted(frame.step for frame in first.frames)


def test_nobody_watches_any_more() -> None:
    long = TABLE.changed({"epochs": 20_000})
    _, assembler, _ = steered([long], tick=1.0)
    assert end(assembler).startswith(f"No page was open for {LEFT_S:.0f} seconds")
    _, assembler, _ = steered([long], {1: [{"do": "stay", "on": True}, {"do": "pause"}]}, tick=5.0)
    assert end(assembler).startswith(f"Paused for {PAUSED_S / 60:.0f} minutes")
    heard = {number: [{"do": "alive"}] for number in range(1, 400)}
    _, assembler, _ = steered([TABLE.changed({"epochs": 100})], heard, tick=1.0)
    assert end(assembler) == "Done: 100 steps."
    with pytest.raises(StoppedError):
        LiveTraining((TABLE,), JobContext(cancelled=lambda: True)).run()


def test_a_policy_of_a_graph_that_was_kept_starts_where_most_reward_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    question = Question("ba_2motifs", "0", max_nodes=4, samples=4)
    (data,), _, _ = steered([defaults_for(question).changed({**SMALL, "beta": 5.0})])
    assert data is not None
    trace = explain(replace(question, own=keep_policy(data).name))
    assert trace.flows is FlowSource.LEARNED
    assert len({sample.order[0] for sample in trace.samples}) == 1


def test_an_instance_that_cannot_be_listed() -> None:
    large = defaults_for(Question("ba_shapes", "301")).changed({"epochs": 3, "batch_size": 8})
    _, assembler, _ = steered([large], {3: [change(large.changed({"beta": 5.0}))]}, tick=0.3)
    made = assembler.recording()
    (lane,) = made.lanes
    assert [scene.listed for scene in lane.scenes] == [False, False]
    last = lane.frames[-1]
    assert (last.total_variation, last.stop, last.modes) == (None, None, None)
    assert last.loss is not None
    assert all(len(state) < large.config.max_nodes for state in lane.scenes[0].states)
    assert max(last.marginals) > 0
    assert recording.from_json(recording.to_json(made)) == made
    with pytest.raises(UserError, match="too many states"):
        steered([large.changed({"flow_model": "table"})])


def test_the_last_frame_is_what_the_explanation_is_drawn_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    monkeypatch.setattr(subject, "SCRATCH_EPOCHS", 4)
    assembler, untrained = Assembler(""), Assembler("")
    question = Question("tree_cycles", "612", tuned=True, beta=5.0, max_nodes=4, samples=4)
    trace = requests.explain(question).answer(JobContext(emit=lambda event: assembler.feed([event])))
    (lane,) = assembler.recording().lanes
    assert lane.frames[0].step == 0
    assert lane.frames[-1].step == lane.training.config.epochs
    assert lane.frames[-1].total_variation == pytest.approx(trace.total_variation, abs=1e-4)
    requests.explain(replace(question, tuned=False)).answer(JobContext(emit=lambda event: untrained.feed([event])))
    assert untrained.num_events == 0
