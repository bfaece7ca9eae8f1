"""The stream of events of a training."""

from dataclasses import replace

import torch

from gfx_core.explanation.question import Question
from gfx_core.gfn.settings import GFNConfig, PolicyConfig
from gfx_core.gfn.trainer import BatchLearned, EpochReport, Trainer, TrainingEvent
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor

CONFIG = GFNConfig(max_nodes=4, policy=PolicyConfig(hidden=8), epochs=2, batch_size=2, seed=3)


def trainer() -> Trainer:
    model = load_model("tree_cycles")
    cut = [Question("tree_cycles", name).instance(model.hops) for name in ("511", "612", "748")]
    return Trainer(SubgraphPredictor(model, cut), CONFIG)


def test_every_batch_and_epoch_is_told_in_order() -> None:
    heard: list[TrainingEvent] = []
    reports: list[EpochReport] = []
    made = trainer()
    made.listeners.append(heard.append)
    made.fit(reports.append)
    assert [type(event) for event in heard] == [BatchLearned, BatchLearned, EpochReport] * 2
    assert [event for event in heard if isinstance(event, EpochReport)] == made.curve == reports
    batch = heard[0]
    assert isinstance(batch, BatchLearned)
    assert batch.epoch == 1
    assert len(batch.log_reward) == len(batch.trajectories) == len(batch.parents)
    final = made.reward(batch.trajectories.order, batch.trajectories.instance)
    assert torch.allclose(final, batch.log_reward, atol=1e-4)


def test_listening_changes_nothing() -> None:
    told, alone = trainer(), trainer()
    told.listeners.append(lambda _event: None)
    told.fit()
    alone.fit()
    assert [replace(report, seconds=0, eta=0) for report in told.curve] == [
        replace(report, seconds=0, eta=0) for report in alone.curve
    ]
    assert told.listeners
    assert not alone.listeners
