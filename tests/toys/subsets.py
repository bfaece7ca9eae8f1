"""Random subgraphs, and what a GNN says of them one at a time: the slow reference for predictions of many at once."""

from collections.abc import Sequence

import numpy as np
import torch

from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN


def random_subsets(instances: list[Instance], count: int, largest: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Random node subsets (with the explained node, where there is one) and the instance of each."""
    rng = np.random.RandomState(seed)
    owner = rng.randint(0, len(instances), size=count)
    subsets = np.full((count, largest), -1, dtype=np.int64)
    for row, instance in enumerate(instances[i] for i in owner):
        size = rng.randint(1, min(largest, instance.num_nodes) + 1)
        nodes = rng.permutation(instance.num_nodes)[:size]
        if instance.target is not None and instance.target not in nodes:
            nodes[0] = instance.target
        subsets[row, :size] = nodes
    return torch.from_numpy(subsets), torch.from_numpy(owner)


@torch.no_grad()
def one_by_one(model: GNN, instance: Instance, subset: np.ndarray) -> torch.Tensor:
    """Logits of one induced subgraph, by PyG's own message passing."""
    device = next(model.parameters()).device
    place = np.full(instance.num_nodes, -1)
    place[subset] = np.arange(len(subset))
    edges = place[instance.edge_index]
    edges = edges[:, (edges >= 0).all(0)]
    logits = model(torch.from_numpy(instance.x[subset]).to(device), torch.from_numpy(edges).to(device))
    return logits[0 if instance.target is None else int(place[instance.target])]


def padded(sets: Sequence[Sequence[int]], width: int) -> torch.Tensor:
    """Node sets as rows of ids, padded with -1. [N, width]"""
    return torch.tensor([[*nodes, *[-1] * (width - len(nodes))] for nodes in sets])
