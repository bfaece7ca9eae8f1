"""Predictions of many subgraphs at once against the loop over PyG's layers, one subgraph at a time."""

from typing import Any

import numpy as np
import torch

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.stopwatch import median, threads, timed
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor


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


def compare(cell: Cell) -> dict[str, Any]:
    """Measure both ways on the same subgraphs; the batched one is the median of five.

    The method is the GNN's kind. Options: ``device``; ``subsets``, how many; ``largest``, the most nodes of one.
    """
    dataset = load_dataset(cell.dataset)
    model = GNN(Task(dataset.task), cell.method, dataset.x.shape[1], dataset.num_classes).eval()
    instances = [dataset.instance(int(i), hops=model.hops) for i in dataset.explainable[:64]]
    subsets, owner = random_subsets(instances, cell.options["subsets"], cell.options["largest"], cell.seed)
    predictor = SubgraphPredictor(model, instances, cell.device)
    with threads(cell.options.get("threads")):
        logits = predictor(subsets, owner).logits.cpu()
        fast = median(lambda: predictor(subsets, owner).logits.cpu(), 5, cell.device, warm_up=0)
        pairs = [(instances[i], some[some >= 0].numpy()) for i, some in zip(owner, subsets, strict=True)]
        looped, single = timed(lambda: [one_by_one(model, *pair) for pair in pairs])
    error = float((torch.stack(single).cpu() - logits).abs().max())
    return {"loop_s": looped, "batched_s": fast, "ratio": looped / fast, "max_error": error}
