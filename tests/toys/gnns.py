"""GNNs with random weights."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import pytest
import torch
from torch import nn

from gfx_core.config import Task
from gfx_core.gnn.kinds import KINDS
from gfx_core.gnn.models import GNN

every_gnn = pytest.mark.parametrize(("task", "kind"), list(product(Task, KINDS)), ids=str)


def random_gnn(
    task: Task,
    kind: str = "sum",
    sizes: tuple[int, int] = (3, 3),
    *,
    seed: int = 5,
    std: float | None = None,
    **options: Any,
) -> GNN:
    """A small GNN, the same for the same seed, ready to predict.

    Args:
        task: What it predicts.
        kind: Its convolution.
        sizes: How many features and classes there are.
        seed: Of its weights; torch's own random numbers go on as if none had been drawn.
        std: Of all weights, biases too; ``None`` for those of PyG, whose biases are zero at the start.
        options: Further arguments of ``GNN``.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GNN(task, kind, *sizes, **{"hidden": 8, **options}).eval()
        if std is not None:
            for parameter in model.parameters():
                torch.nn.init.normal_(parameter, std=std)
    return model


@contextmanager
def untouched(model: nn.Module) -> Iterator[None]:
    """Check that a model is afterwards as it was: its mode, its weights, and which of them are learnt."""

    def flags() -> list[bool]:
        return [model.training, *(parameter.requires_grad for parameter in model.parameters())]

    before, flags_before = {name: value.clone() for name, value in model.state_dict().items()}, flags()
    yield
    assert flags() == flags_before
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(value.is_meta or torch.equal(value, before[name]) for name, value in model.state_dict().items())
