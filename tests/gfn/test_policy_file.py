"""Policies on disk, and trainings that are stopped and resumed."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, resume_training, save_policy, save_training
from gfx_core.gfn.own_policies import dataset_of, keep_policy, policy_path
from gfx_core.gfn.settings import GFNConfig, Loss, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.gnn.damaged_files import NAN, damaged, taken_apart, with_header, with_weight


def trainer(name: str = "tree_cycles", **options: object) -> Trainer:
    dataset = load_dataset(name)
    instances = [dataset.instance(int(i)) for i in dataset.explainable[:8]]
    config = GFNConfig(max_nodes=6).with_options(**{"epochs": 6, **options})
    return Trainer(SubgraphPredictor(load_model(name), instances), config)


def same(one: torch.nn.Module, two: torch.nn.Module) -> bool:
    pairs = zip(one.state_dict().values(), two.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_a_policy_there_and_back(name: str, tmp_path: Path) -> None:
    trained = trainer(name, epochs=1, stop=Stop.LEARNED)
    trained.fit()
    path = tmp_path / "policy.safetensors"
    save_policy(TrainedPolicy.of(trained, name, "sum"), path)
    loaded = load_policy(path)
    assert same(loaded.policy, trained.policy)
    assert loaded.config == trained.config
    assert loaded.dataset == name
    assert loaded.curve == tuple(trained.curve)
    assert (loaded.locator is None) == (name == "tree_cycles")


@pytest.mark.parametrize("options", [{}, {"loss": Loss.TRAJECTORY_BALANCE_CONDITIONAL, "batch_size": 3}])
def test_a_resumed_training_continues_the_same_curve(tmp_path: Path, options: dict[str, object]) -> None:
    path = tmp_path / "half.training"
    whole, first, second = trainer(**options), trainer(**options), trainer(**options)
    whole.fit()
    first.fit(cancelled=lambda: first.epoch == 3)
    save_training(first, path)
    resume_training(second, path)
    assert second.epoch == 3
    second.fit()
    values = [[(r.epoch, r.loss, r.residual, r.log_reward) for r in t.curve] for t in (whole, second)]
    assert values[0] == values[1]
    assert same(whole.modules, second.modules)


def test_resuming_something_else(tmp_path: Path) -> None:
    path = tmp_path / "half.training"
    begun = trainer(epochs=2)
    save_training(begun, path)
    with pytest.raises(UserError, match="other settings"):
        resume_training(trainer(epochs=3), path)
    with pytest.raises(UserError, match="other instances"):
        resume_training(trainer("tree_grid", epochs=2), path)
    save_policy(TrainedPolicy.of(begun), path)
    with pytest.raises(UserError, match="finished policy"):
        resume_training(begun, path)


def test_broken_files(tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    with pytest.raises(UserError, match="There is no file"):
        load_policy(path)
    save_policy(TrainedPolicy.of(trainer(epochs=1)), path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UserError, match="cut off"):
        load_policy(path)
    from gfx_core.gnn.checkpoint import model_path

    with pytest.raises(UserError, match="not one of our policies"):
        load_policy(model_path("tree_cycles"))


@pytest.mark.parametrize("name", DATASETS)
def test_shipped_policy(name: str) -> None:
    shipped = load_policy(policy_path(name))
    assert (shipped.dataset, shipped.gnn) == (name, "sum")
    assert len(shipped.curve) == shipped.config.epochs
    assert {"device", "date", "versions", "seconds"} <= set(shipped.made)
    assert shipped.curve[-1].residual < shipped.curve[0].residual


def test_a_policy_whose_header_lies_is_refused_before_it_is_made(tmp_path: Path) -> None:
    good, path = policy_path("ba_2motifs", "sum").read_bytes(), tmp_path / "x.safetensors"
    _, header, _ = taken_apart(good)
    config = header["config"]
    for change in (
        {"num_features": 50_000},
        {"num_features": "x"},
        {"locator": [90_000, 90_000]},
        {"locator": [-1, 3]},
        {"made": []},
        {"gnn": None},
        {"curve": 5},
        {"config": config | {"policy": config["policy"] | {"hidden": 4000}}},
        {"config": config | {"policy": config["policy"] | {"steps": 10**9}}},
        {"config": config | {"policy": 7}},
        {"config": config | {"loss": "x" * 5000}},
        {"config": config | {"lr": NAN}},
        {"config": config | {"reward": {"beta": True}}},
    ):
        path.write_bytes(with_header(good, **change))
        with pytest.raises(UserError):
            load_policy(path)
    path.write_bytes(with_weight(good, NAN))
    with pytest.raises(UserError, match="infinite or no numbers"):
        load_policy(path)


def test_fuzz_of_policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is wrong with a file, it is read or refused in one sentence."""
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    rng, good, path = random.Random(0), policy_path("ba_2motifs", "sum").read_bytes(), tmp_path / "x.safetensors"
    readers: tuple[Callable[[bytes], object], ...] = (dataset_of, keep_policy, lambda _: load_policy(path))
    for number in range(200):
        data = damaged(good, rng)
        path.write_bytes(data)
        for read in readers:
            said = ""
            try:
                read(data)
            except UserError as error:
                said = str(error)
            assert len(said) < 300, number
            assert "\n" not in said, number
