"""Training a GNN."""

import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.datasets.synthetic import ba_2motifs
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.training import Progress, TrainingConfig, split, train


def test_split_is_a_partition_by_seed() -> None:
    parts = split(103, seed=3)
    assert [len(part) for part in parts] == [82, 10, 11]
    assert sorted(np.concatenate(parts).tolist()) == list(range(103))
    assert (split(103, seed=3)[0] == parts[0]).all()
    assert (split(103, seed=4)[0] != parts[0]).any()


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_task_is_learnt_again_the_same_way(kind: str) -> None:
    config = TrainingConfig(kind=kind, epochs=30, seed=5)
    reports: list[Progress] = []
    state = torch.get_rng_state()
    model, header = train(load_dataset("tree_cycles"), config, on_epoch=reports.append)
    again, _ = train(load_dataset("tree_cycles"), config)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), again.state_dict().values(), strict=True))
    assert [report.epoch for report in reports] == list(range(1, 31))
    assert reports[-1].loss < reports[0].loss
    assert header.training["config"]["seed"] == 5
    assert header.training["seconds"] > 0


def test_a_graph_task_is_learnt() -> None:
    dataset = ba_2motifs(num_graphs=200)
    _, header = train(dataset, TrainingConfig(epochs=40, lr=1e-2, batch_size=32))
    assert header.accuracy["train"] > 0.8


def test_early_stopping_keeps_the_best() -> None:
    config = TrainingConfig(epochs=400, patience=5, lr=0.1)
    reports: list[Progress] = []
    _, header = train(load_dataset("tree_cycles"), config, on_epoch=reports.append)
    best = int(np.argmin([report.validation_loss for report in reports])) + 1
    assert header.training["best_epoch"] == best
    assert header.training["epochs"] == best + 5 < 400
    assert header.accuracy["validation"] == pytest.approx(reports[best - 1].validation_accuracy)


def test_the_caller_can_stop_it() -> None:
    def stop(progress: Progress) -> None:
        if progress.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(load_dataset("tree_cycles"), TrainingConfig(epochs=50), on_epoch=stop)
