"""What somebody's model says of subgraphs when its owner calls it by hand."""

import copy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from gfx_core.user_models.inputs import ModelOptions
from gfx_core.user_models.model_data import ModelInstances
from tests.toys.foreign import alone


def subsets(instance: Any, count: int = 12, size: int = 5, seed: int = 1) -> Tensor:
    """Random node sets that hold the explained node, padded with -1. [B, K]"""
    rng, rows = np.random.RandomState(seed), []
    for _ in range(count):
        others = rng.permutation(np.arange(1, instance.num_nodes))[: rng.randint(1, size)]
        rows.append(np.pad(np.append(0, others), (0, size - 1 - len(others)), constant_values=-1))
    return torch.from_numpy(np.stack(rows))


def assert_seen_as_by_its_owner(
    model: nn.Module, data: Data, index: int, options: ModelOptions | None = None, **args: Any
) -> None:
    """Every subgraph gets the answer that the model gives on it when it is called by hand."""
    instances = ModelInstances(model, data, options)
    instance = instances.instance(index)
    predictor = instances.predictor([instance])
    chosen = subsets(instance)
    found = predictor(chosen).embedding
    reference = copy.deepcopy(model).eval()
    for row, raw in zip(chosen.tolist(), found, strict=True):
        nodes = [int(instance.nodes[node]) for node in row if node >= 0]
        assert torch.allclose(raw, alone(reference, data, nodes, **args).float(), atol=1e-5)
    with torch.no_grad():
        whole = reference(data.x, data.edge_index, **args)[index].float()
    assert torch.allclose(predictor.whole.embedding[0], whole, atol=1e-5)
    assert not instance.notes
