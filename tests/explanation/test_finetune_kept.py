"""Tuned policies on disk: trained once, found again, and never in the way."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation import finetune as tuned
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import changed_policy, load_policy
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import JobContext, StoppedError, TakesLongError
from gfx_core.trace.schema import TUNED


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    return tmp_path / "tuned"


@pytest.fixture
def model() -> GNN:
    return load_model("tree_cycles")


def generator(model: GNN, index: int = 600, **changes: float) -> SubgraphSampler:
    instance = load_dataset("tree_cycles").instance(index)
    trained = changed_policy(load_policy(policy_path("tree_cycles")), **changes)  # type: ignore[arg-type]
    return SubgraphSampler(trained, SubgraphPredictor(model, [instance], "cpu"), instance)


def job(said: list[str] | None = None, cancelled: bool = False) -> JobContext:
    return JobContext("cpu", lambda _share, words: None if said is None else said.append(words), lambda: cancelled)


def test_what_was_trained_is_found_again(folder: Path, model: GNN, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    first = tuned.finetuned_policy(job(said), generator(model), model, epochs=2)
    assert "training on this one: epoch 1 of 2, total variation from R/Z 0." in said[0]
    assert len(list(folder.glob("*.safetensors"))) == 1
    monkeypatch.setattr(tuned, "finetune", None)  # is not asked again
    again = tuned.finetuned_policy(job(), generator(model), model, epochs=2)
    assert again.made[TUNED] == first.made[TUNED]
    assert again.config == first.config
    for name, value in first.policy.state_dict().items():
        assert torch.equal(value, again.policy.state_dict()[name])


def test_nothing_is_trained_among_short_jobs(folder: Path, model: GNN) -> None:
    """Somebody follows a trajectory by hand, or lists states, and the policy is not there any more."""
    quick = JobContext(short=True)
    with pytest.raises(TakesLongError):
        tuned.finetuned_policy(quick, generator(model), model, epochs=1)
    tuned.finetuned_policy(job(), generator(model), model, epochs=1)
    assert tuned.finetuned_policy(quick, generator(model), model, epochs=1).made[TUNED]["epochs"] == 1


def test_another_instance_or_setting_is_another_policy(folder: Path, model: GNN) -> None:
    for one in (generator(model), generator(model, 601), generator(model, beta=3.0), generator(model, max_nodes=4)):
        tuned.finetuned_policy(job(), one, model, epochs=1)
    assert len(list(folder.glob("*.safetensors"))) == 4


def test_a_damaged_file_is_made_anew(folder: Path, model: GNN) -> None:
    tuned.finetuned_policy(job(), generator(model), model, epochs=1)
    (path,) = folder.glob("*.safetensors")
    path.write_bytes(b"nothing")
    assert tuned.finetuned_policy(job(), generator(model), model, epochs=1).made[TUNED]["epochs"] == 1
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("memory", [True, False])
def test_a_folder_that_cannot_be_written_to(
    memory: bool, folder: Path, model: GNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_text("in the way")
    if not memory:
        monkeypatch.setenv("GFX_MEMORY", str(folder))  # no folder anywhere: this process remembers
    assert tuned.finetuned_policy(job(), generator(model), model, epochs=1).made[TUNED]["epochs"] == 1
    monkeypatch.setattr(tuned, "finetune", None)  # nobody trains twice for lack of a disk
    assert tuned.finetuned_policy(job(), generator(model), model, epochs=1).made[TUNED]["epochs"] == 1
    tuned._memory.clear()


def test_only_the_latest_are_kept(folder: Path, model: GNN, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuned, "KEPT", 2)
    for index in (600, 601, 602):
        tuned.finetuned_policy(job(), generator(model, index), model, epochs=1)
    assert len(list(folder.glob("*.safetensors"))) == 2


def test_it_can_be_cancelled(folder: Path, model: GNN) -> None:
    with pytest.raises(StoppedError):
        tuned.finetuned_policy(job(cancelled=True), generator(model), model, epochs=5)
    assert not folder.exists()


def test_where_the_states_are_not_listed_the_residual_is_told(
    folder: Path, model: GNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuned, "LEARNING", replace(tuned.LEARNING, exact_cap=1))
    said: list[str] = []
    tuned.finetuned_policy(job(said), generator(model), model, epochs=1)
    assert re.search(r"epoch 1 of 1, residual \d+\.\d\d \(too many states to know the distance from R/Z\)", said[0])
