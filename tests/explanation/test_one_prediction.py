"""Training on one instance alone: near its target afterwards, kept on disk, found again."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation import one_prediction as tuning
from gfx_core.explanation.one_prediction import RATE, TRAJECTORIES, policy_for_one
from gfx_core.explanation.question import Question
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import TrainedPolicy, changed_config
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import policy_config
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import Deadline, JobContext, StoppedError, TakesLongError
from gfx_core.storage import keep
from gfx_core.trace.schema import TUNED
from tests.toys.trainings import same

MODEL = load_model("tree_cycles")


def policy_on(
    folder: Path, index: int = 600, epochs: int = 2, changes: dict[str, Any] | None = None, **job: Any
) -> Any:
    """The policy for one node, kept in a folder."""
    config = changed_config(replace(policy_config("tree_cycles", device="cpu"), epochs=epochs), **changes or {})
    instance = load_dataset("tree_cycles").instance(index, hops=MODEL.hops)
    subject = Subject(Question("tree_cycles", str(index)), instance, MODEL, config, None, folder)
    reward = Reward(SubgraphPredictor(MODEL, [instance]), config.reward)
    return policy_for_one(subject, reward, index, JobContext(**job), Deadline())


def distance(trained: TrainedPolicy, index: int = 600) -> float:
    instance = load_dataset("tree_cycles").instance(index, hops=MODEL.hops)
    tables = SubgraphSampler(trained, SubgraphPredictor(MODEL, [instance]), instance).tables(instance.target)
    assert tables is not None
    return tables.total_variation


def test_it_comes_near_its_target_and_says_how(tmp_path: Path) -> None:
    watched: list[int] = []
    said: list[str] = []
    report = {"watch": lambda trainer: watched.append(trainer.epoch), "progress": lambda _, words: said.append(words)}
    tuned = policy_on(tmp_path, epochs=60, **report)
    assert distance(tuned) < 0.1 < distance(policy_on(tmp_path, epochs=1))
    summary = tuned.made[TUNED]
    assert (summary["epochs"], summary["trajectories"], summary["lr"]) == (60, TRAJECTORIES, RATE)
    assert watched == list(range(61))
    assert len(summary["residuals"]) == 60
    assert re.search(r"epoch 1 of 60, residual \d+\.\d\d", said[0])
    one, other = (policy_on(tmp_path / name).policy for name in ("one", "other"))
    assert same(one.state_dict(), other.state_dict())


def test_what_was_trained_is_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tuned"
    with pytest.raises(TakesLongError):  # nothing is trained among short jobs
        policy_on(folder, short=True)
    with pytest.raises(StoppedError):
        policy_on(folder, cancelled=lambda: True)
    assert not folder.exists()
    first = policy_on(folder)
    (path,) = folder.glob("*.safetensors")
    with monkeypatch.context() as patch:
        patch.setattr(tuning, "Trainer", None)  # is not needed again
        again = policy_on(folder, short=True)
    assert (again.made[TUNED], again.config) == (first.made[TUNED], first.config)
    assert same(first.policy.state_dict(), again.policy.state_dict())
    path.write_bytes(b"nothing")  # a damaged file is made anew
    assert policy_on(folder).made[TUNED]["epochs"] == 2
    assert path.stat().st_size > 1000


def test_another_instance_or_setting_is_another_policy_and_only_the_latest_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[dict[str, Any]] = [{}, {"index": 601}, {"changes": {"beta": 3.0}}, {"changes": {"max_nodes": 4}}]
    for count, one in enumerate(others, start=1):
        if count == 4:
            monkeypatch.setattr(tuning, "keep", partial(keep, most=2))
        policy_on(tmp_path, epochs=1, **one)
        assert len(list(tmp_path.glob("*.safetensors"))) == (count if count < 4 else 2)
