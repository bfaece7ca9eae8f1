"""Train a GNN on a data set: 80/10/10 split, early stopping on validation, the best weights kept."""

import copy
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch_geometric.data import Batch

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.gnn.model_file import ModelHeader
from gfx_core.gnn.models import GNN
from gfx_core.provenance import provenance
from gfx_core.seeding import seeded


@dataclass(frozen=True)
class TrainingConfig:
    """How a GNN is trained.

    Attributes:
        kind: Which convolution, by its name in `gfx_core.gnn.kinds`.
        hidden: Width of each convolution.
        num_layers: Convolutions, and so the hops that a node's prediction can see.
        epochs: At most this many passes over the training part.
        patience: Stop after this many epochs without a better validation loss.
        lr: Adam's learning rate, annealed by a cosine over ``epochs``.
        weight_decay: L2 penalty.
        batch_size: Graphs in a step (graph tasks; a node task takes the whole graph).
        seed: Of the split, the weights and the order of the batches.
    """

    kind: str = DEFAULT_KIND
    hidden: int = 32
    num_layers: int = 3
    epochs: int = 3000
    patience: int = 600
    lr: float = 5e-3
    weight_decay: float = 0.0
    batch_size: int = 128
    seed: int = 0


_GNNEXPLAINER = TrainingConfig(hidden=20, epochs=5000, patience=2000, lr=1e-3, weight_decay=5e-3)  # its own recipe
_SETTINGS = {
    "tree_cycles": _GNNEXPLAINER,
    "tree_grid": _GNNEXPLAINER,
    "ba_community": TrainingConfig(hidden=20, epochs=2000, patience=300, lr=1e-2),
    "ba_2motifs": TrainingConfig(epochs=100, patience=30),
    "mutagenicity": TrainingConfig(hidden=64, epochs=100, patience=30, lr=3e-3),
}


def default_config(dataset: str) -> TrainingConfig:
    """The settings that a data set's shipped GNN was trained with."""
    return _SETTINGS.get(dataset, TrainingConfig())


@dataclass(frozen=True)
class Progress:
    """One epoch's report."""

    epoch: int
    epochs: int
    loss: float
    validation_loss: float
    validation_accuracy: float


def split(count: int, seed: int) -> tuple[Ints, Ints, Ints]:
    """Random 80/10/10 parts for training, validation and test."""
    order = np.random.RandomState(seed).permutation(count)
    first, second = int(count * 0.8), int(count * 0.9)
    return order[:first], order[first:second], order[second:]


def train(
    dataset: GraphDataset,
    config: TrainingConfig,
    device: str = "cpu",
    on_epoch: Callable[[Progress], None] | None = None,
) -> tuple[GNN, ModelHeader]:
    """Train a GNN and measure it on the test part.

    Args:
        dataset: What to learn.
        config: How.
        device: ``cpu`` or ``cuda``.
        on_epoch: Called after each epoch; may raise to stop.
    """
    started = time.perf_counter()
    parts = dict(zip(("train", "validation", "test"), split(len(dataset.y), config.seed), strict=True))
    model = _fresh_model(dataset, config).to(device)
    evaluate = _node_step(dataset, device) if dataset.task is Task.NODE else _graph_step(dataset, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=config.lr, weight_decay=config.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    rng = np.random.RandomState(config.seed)
    best_loss, best_weights, best_epoch, epoch = float("inf"), copy.deepcopy(model.state_dict()), 0, 0

    for epoch in range(1, config.epochs + 1):
        model.train()
        losses = []
        for indices in _batches(dataset, parts["train"], config.batch_size, rng):
            optimizer.zero_grad()
            loss, _ = evaluate(model, indices)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        schedule.step()
        validation_loss, validation_accuracy = _score(model, evaluate, parts["validation"])
        if validation_loss < best_loss:
            best_loss, best_epoch = validation_loss, epoch
            best_weights = copy.deepcopy(model.state_dict())
        if on_epoch is not None:
            mean_loss = float(torch.stack(losses).mean())
            on_epoch(Progress(epoch, config.epochs, mean_loss, validation_loss, validation_accuracy))
        if epoch - best_epoch >= config.patience:
            break

    model.load_state_dict(best_weights)
    header = ModelHeader(
        dataset=dataset.name,
        task=dataset.task,
        kind=model.kind,
        in_channels=model.in_channels,
        num_classes=model.num_classes,
        hidden=model.hidden,
        num_layers=model.num_layers,
        accuracy={name: _score(model, evaluate, part)[1] for name, part in parts.items()},
        statistics=dataset.statistics,
        training={
            "config": asdict(config),
            "epochs": epoch,
            "best_epoch": best_epoch,
            **provenance(device, time.perf_counter() - started),
        },
    )
    return model.eval(), header


def _fresh_model(dataset: GraphDataset, config: TrainingConfig) -> GNN:
    with seeded(config.seed):
        return GNN(dataset.task, config.kind, dataset.x.shape[1], dataset.num_classes, config.hidden, config.num_layers)


def _batches(dataset: GraphDataset, part: Ints, size: int, rng: np.random.RandomState) -> list[Ints]:
    if dataset.task is Task.NODE:
        return [part]
    order = rng.permutation(part)
    return [order[start : start + size] for start in range(0, len(order), size)]


Step = Callable[[GNN, Ints], tuple[Tensor, Tensor]]
"""Loss and number of right predictions of a model on some nodes or graphs."""


def _node_step(dataset: GraphDataset, device: str) -> Step:
    data = dataset.to_pyg().to(device)

    def step(model: GNN, indices: Ints) -> tuple[Tensor, Tensor]:
        at = torch.from_numpy(indices).to(device)
        logits, y = model(data.x, data.edge_index)[at], data.y[at]
        return functional.cross_entropy(logits, y), (logits.argmax(1) == y).sum()

    return step


def _graph_step(dataset: GraphDataset, device: str) -> Step:
    graphs = [graph.to(device) for graph in dataset.to_pyg()]

    def step(model: GNN, indices: Ints) -> tuple[Tensor, Tensor]:
        data = Batch.from_data_list([graphs[i] for i in indices])
        logits = model(data.x, data.edge_index, data.batch)
        return functional.cross_entropy(logits, data.y), (logits.argmax(1) == data.y).sum()

    return step


@torch.no_grad()
def _score(model: GNN, evaluate: Step, part: Ints) -> tuple[float, float]:
    """Loss and accuracy of a model on one part."""
    model.eval()
    loss, right = evaluate(model, part)
    return float(loss), float(right) / len(part)
