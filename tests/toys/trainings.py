"""Small trainings on shipped data sets, and what is compared after them."""

import tempfile
from dataclasses import astuple, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gfx_core import load_dataset, load_model
from gfx_core.gfn.checkpoint import TrainedPolicy, save_policy
from gfx_core.gfn.settings import USUAL_REWARD, GFNConfig, PolicyConfig, RewardConfig
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.predict import SubgraphPredictor

K = 6
TASKS = ["tree_cycles", "ba_2motifs"]


@cache
def predictor(name: str, count: int) -> SubgraphPredictor:
    dataset = load_dataset(name)
    return SubgraphPredictor(load_model(name), [dataset.instance(int(i)) for i in dataset.explainable[:count]])


def trainer(name: str = "tree_cycles", count: int = 6, **options: Any) -> Trainer:
    """A training of two epochs on the first instances of a data set, under the paper's plain reward."""
    config = GFNConfig(max_nodes=K, reward=RewardConfig(1.0), epochs=2)
    return Trainer(predictor(name, count), replace(config, **options))


def weights(trained: Trainer) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in trained.modules.state_dict().items()}


def same(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def numbers(curve: list[EpochReport]) -> list[tuple[float, ...]]:
    """Reports without the time they took."""
    return [astuple(report)[:-2] for report in curve]


def assert_finite(trained: Trainer) -> None:
    assert np.isfinite(numbers(trained.curve)).all()
    assert all(bool(value.isfinite().all()) for value in trained.modules.parameters())
    assert not any(bool(value.isnan().any()) for value in trained.modules.buffers())


@cache
def policy_of(dataset: str) -> Path:
    """The file of the paper's policy for a data set, trained for a moment on its first instances."""
    config = {"reward": USUAL_REWARD, "policy": PolicyConfig(hidden=32), "max_nodes": 10}
    trained = trainer(dataset, 8, epochs=6, **config)
    trained.fit()
    path = Path(tempfile.mkdtemp()) / f"{dataset}.safetensors"
    save_policy(TrainedPolicy.of(trained, dataset, "sum"), path)
    return path
