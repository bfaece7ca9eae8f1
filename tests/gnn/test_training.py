"""Training a GNN."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from gfx_core import load_dataset
from gfx_core.datasets.synthetic import ba_2motifs
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.training import FragmentSource, GnnEpoch, TrainingConfig, best_of, split, train


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_task_is_learnt_again_the_same_way(kind: str) -> None:
    config = TrainingConfig(kind=kind, epochs=12, fragments=64, seed=5)
    reports: list[GnnEpoch] = []
    state = torch.get_rng_state()
    model, header = train(load_dataset("tree_cycles"), config, on_epoch=reports.append)
    again, _ = train(load_dataset("tree_cycles"), config)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), again.state_dict().values(), strict=True))
    assert [report.epoch for report in reports] == list(range(1, 13))
    assert reports[-1].loss < reports[0].loss
    assert header.training["config"]["seed"] == 5
    assert header.training["seconds"] > 0
    parts = split(103, seed=3)
    assert [len(part) for part in parts] == [82, 10, 11]
    assert sorted(np.concatenate(parts).tolist()) == list(range(103))


def test_early_stopping_keeps_the_best_and_the_best_of_some_seeds_tells_of_all() -> None:
    dataset, reports, trained = load_dataset("tree_cycles"), list[GnnEpoch](), []
    for seed in range(2):
        reports.clear()
        config = TrainingConfig(epochs=400, patience=5, lr=0.1, fragments=16, seed=seed)
        trained.append(train(dataset, config, on_epoch=reports.append))
        training, best = trained[-1][1].training, int(np.argmin([report.validation_loss for report in reports])) + 1
        assert training["best_epoch"] == best
        assert training["epochs"] == best + 5 < 400
        assert trained[-1][1].accuracy["validation"] == pytest.approx(reports[best - 1].validation_accuracy)
    model, header = best_of(trained)
    losses = [each.training["validation_loss"] for _, each in trained]
    assert model is trained[int(np.argmin(losses))][0]
    assert [each["validation_loss"] for each in header.training["tried"]] == losses
    parts = [split(len(dataset.y), each.training["config"]["split_seed"])[2] for _, each in trained]
    assert all((part == parts[0]).all() for part in parts)  # seeds are compared on the same nodes


def test_a_graph_task_is_learnt() -> None:
    _, header = train(ba_2motifs(num_graphs=120), TrainingConfig(epochs=40, lr=1e-2, batch_size=32, fragments=0))
    assert header.accuracy["train"] > 0.8


def test_fragments_are_learnt_and_tell_when_to_stop() -> None:
    dataset = load_dataset("tree_cycles")
    plain, knowing = (train(dataset, TrainingConfig(epochs=30, lr=1e-2, fragments=count))[0] for count in (0, 256))
    source = FragmentSource(dataset)
    held_out = split(len(dataset.y), 0)[2]
    fragments = source.around(np.tile(held_out, 5), 12, torch.Generator().manual_seed(1))
    y = torch.from_numpy(np.tile(dataset.y[held_out], 5))
    with torch.no_grad():
        losses = [float(functional.cross_entropy(source.logits(gnn, fragments), y)) for gnn in (plain, knowing)]
    assert losses[1] < losses[0]


def test_validation_counts_whole_graphs_and_fragments() -> None:
    """The reported loss is that of the whole graph plus the weight times that of fragments."""
    dataset, reports = load_dataset("tree_cycles"), {}
    for weight in (0.0, 1.0, 3.0):
        seen: list[GnnEpoch] = []
        config = TrainingConfig(epochs=1, lr=1e-12, fragments=32, fragment_weight=weight)
        train(dataset, config, on_epoch=seen.append)
        reports[weight] = seen[0].validation_loss
    one, three = reports[1.0] - reports[0.0], reports[3.0] - reports[0.0]
    assert one > 0
    assert three == pytest.approx(3 * one, rel=1e-4)


@pytest.mark.parametrize("wrong", [{"fragments": -1}, {"fragment_nodes": 0}, {"fragment_weight": -0.1}])
def test_senseless_fragments(wrong: dict[str, float]) -> None:
    with pytest.raises(UserError, match="Fragments"):
        TrainingConfig(**wrong)
