"""Training on one instance: nearer to the target there, and the policy it began with is left alone."""

import copy
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.explanation import finetune as tuning
from gfx_core.explanation.finetune import LEARNING, RATE, TRAJECTORIES, policy_for_one
from gfx_core.explanation.question import Question
from gfx_core.explanation.samplers import SubgraphSampler, reward_states
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import TrainedPolicy, changed_policy, load_policy
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import Deadline, JobContext, StoppedError, TakesLongError
from gfx_core.storage import keep
from gfx_core.trace.schema import TUNED
from tests.toys.trainings import same


def generator_of(dataset: str, instance: Instance, trained: TrainedPolicy | None = None) -> SubgraphSampler:
    predictor = SubgraphPredictor(load_model(dataset), [instance])
    return SubgraphSampler(trained or load_policy(policy_path(dataset)), predictor, instance)


def tree_generator(index: int = 600, **changes: float) -> SubgraphSampler:
    trained = changed_policy(load_policy(policy_path("tree_cycles")), **changes)  # type: ignore[arg-type]
    return generator_of("tree_cycles", load_dataset("tree_cycles").instance(index), trained)


def finetune(generator: SubgraphSampler, folder: Path, epochs: int = 2, **job: Any) -> TrainedPolicy:
    """The policy of a generator trained further on its instance, kept in a folder."""
    trained, instance = generator.trained, generator.instance
    config, model = replace(trained.config, epochs=epochs), load_model(instance.dataset)
    subject = Subject(Question(instance.dataset, "0"), instance, model, config, trained, folder)
    start = generator.locate()
    return policy_for_one(subject, generator.reward, start, JobContext(**job), Deadline(), trained)


def distance(generator: SubgraphSampler) -> float:
    """Total variation from R/Z, over all states."""
    dag = enumerate_states(generator.instance, generator.locate(), generator.trained.config.max_nodes)
    space = reward_states(generator.reward, dag)
    return space.total_variation(space.walk(*generator.on(space)).stop)


def led_astray() -> SubgraphSampler:
    """A shipped policy that was made to go on where it should stop."""
    generator = tree_generator()
    with torch.no_grad():
        generator.trained.policy.score.bias += 12
    return generator


def test_a_shipped_policy_is_near_its_target_afterwards(tmp_path: Path) -> None:
    """It never goes away from it, and the outcome is the same every time."""
    dataset = load_dataset("tree_grid")
    instances = (dataset.instance(int(index)) for index in dataset.explainable[::7])
    before = generator_of("tree_grid", next(each for each in instances if 6 < each.num_nodes < 13))
    tuned = finetune(before, tmp_path, epochs=10)
    was, now = tuned.made[TUNED]["distances"]
    after = generator_of("tree_grid", before.instance, tuned)
    assert distance(after) < 0.03
    assert distance(after) <= distance(before)
    assert distance(before) == pytest.approx(was, abs=2e-3)
    assert distance(after) == pytest.approx(min(was, now), abs=2e-3)
    one, other = (finetune(before, tmp_path / name).policy for name in ("one", "other"))
    assert same(one.state_dict(), other.state_dict())


def test_from_far_away_and_what_is_told(tmp_path: Path) -> None:
    before = led_astray()
    weights = copy.deepcopy(before.trained.policy.state_dict())
    epochs: list[int] = []
    tuned = finetune(before, tmp_path, epochs=10, watch=lambda trainer: epochs.append(trainer.epoch))
    after = SubgraphSampler(tuned, before.predictor, before.instance)
    assert distance(before) > 0.1
    assert distance(after) < 0.5 * distance(before)
    assert same(before.trained.policy.state_dict(), weights)
    told = tuned.made[TUNED]
    assert (told["epochs"], told["trajectories"], told["lr"]) == (10, TRAJECTORIES, RATE)
    assert epochs == list(range(11))
    assert len(told["residuals"]) == 10
    assert tuned.config == before.trained.config
    was, now = told["distances"]
    assert now < 0.5 * was


def test_what_leads_away_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree_generator()
    monkeypatch.setattr(tuning, "RATE", 0.05)
    tuned = finetune(before, tmp_path, epochs=1)
    was, now = tuned.made[TUNED]["distances"]
    assert now > was
    assert same(before.trained.policy.state_dict(), tuned.policy.state_dict())


def test_where_states_are_too_many_it_learns_from_trajectories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = led_astray()
    monkeypatch.setattr(tuning, "LEARNING", replace(LEARNING, exact_cap=5))
    tuned = finetune(before, tmp_path, epochs=10)
    assert tuned.made[TUNED]["distances"] == []
    assert distance(SubgraphSampler(tuned, before.predictor, before.instance)) < 0.7 * distance(before)
    said: list[str] = []
    finetune(before, tmp_path, epochs=1, progress=lambda _, words: said.append(words))
    assert re.search(r"epoch 1 of 1, residual \d+\.\d\d", said[0])


# Tuned policies on disk: trained once, found again, and never in the way.


def test_what_was_trained_is_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, folder = list[str](), tmp_path / "tuned"
    with pytest.raises(TakesLongError):  # nothing is trained among short jobs
        finetune(tree_generator(), folder, short=True)
    with pytest.raises(StoppedError):
        finetune(tree_generator(), folder, cancelled=lambda: True)
    assert not folder.exists()
    first = finetune(tree_generator(), folder, progress=lambda _, words: said.append(words))
    assert "epoch 1 of 2, residual 0." in said[0]
    (path,) = folder.glob("*.safetensors")
    with monkeypatch.context() as patch:
        patch.setattr(tuning, "Trainer", None)  # is not asked again
        again = finetune(tree_generator(), folder, short=True)
    assert (again.made[TUNED], again.config) == (first.made[TUNED], first.config)
    assert same(first.policy.state_dict(), again.policy.state_dict())
    path.write_bytes(b"nothing")  # a damaged file is made anew
    assert finetune(tree_generator(), folder).made[TUNED]["epochs"] == 2
    assert path.stat().st_size > 1000


def test_another_instance_or_setting_is_another_policy_and_only_the_latest_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = tree_generator(601), tree_generator(beta=3.0), tree_generator(max_nodes=4)
    for count, one in enumerate((tree_generator(), *others), start=1):
        if count == 4:
            monkeypatch.setattr(tuning, "keep", partial(keep, most=2))
        finetune(one, tmp_path, epochs=1)
        assert len(list(tmp_path.glob("*.safetensors"))) == (count if count < 4 else 2)
