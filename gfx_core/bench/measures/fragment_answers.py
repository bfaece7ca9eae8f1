"""What a GNN says of random fragments of what it was tested on: the cell of the study of calibration."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gfx_core.bench.cells import Cell
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.datasets.registry import load_dataset
from gfx_core.gnn.checkpoint import PLAIN, ModelHeader, load_model, model_path, read_header
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.gnn.models import GNN
from gfx_core.gnn.training import FragmentSource, split
from gfx_core.metrics.calibration import reliability

NODES = {Task.NODE: 12, Task.GRAPH: 24}
"""The most nodes of a fragment, as in the training of the shipped GNNs."""
_ROWS = 4096  # fragments in one pass


def calibration(cell: Cell) -> dict[str, Any]:
    """How often a GNN is right about fragments, against how sure it is.

    Options: ``device``; ``fragments``, about how many.
    """
    variant = PLAIN if cell.method == PLAIN else ""
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset, variant=variant)
    header = read_header(model_path(cell.dataset, DEFAULT_KIND, variant))
    test = held_out(header, dataset)
    confidence, right, size = answers(dataset, model.to(cell.device), test, cell.options["fragments"], cell.seed)
    found = reliability(confidence, right)
    filled = np.flatnonzero(found.count)
    by_size = {int(nodes): size == nodes for nodes in np.unique(size)}
    return {
        "fragments": len(right),
        "test": len(test),
        "error": found.error,
        "accuracy": float(right.mean()),
        "confidence": float(confidence.mean()),
        "whole_accuracy": header.accuracy.get("test"),
        "bins": {
            "count": found.count[filled].tolist(),
            "confidence": found.confidence[filled].round(5).tolist(),
            "accuracy": found.accuracy[filled].round(5).tolist(),
        },
        "sizes": {
            "nodes": list(by_size),
            "count": [int(these.sum()) for these in by_size.values()],
            "confidence": [round(float(confidence[these].mean()), 5) for these in by_size.values()],
            "accuracy": [round(float(right[these].mean()), 5) for these in by_size.values()],
            "error": [round(reliability(confidence[t], right[t]).error, 5) for t in by_size.values()],
        },
    }


def held_out(header: ModelHeader, dataset: GraphDataset) -> Ints:
    """The nodes or graphs that a GNN was tested on."""
    config = header.training.get("config", {})
    return split(len(dataset.y), config.get("split_seed", config.get("seed", 0)))[2]  # once one seed was for both


@torch.no_grad()
def answers(
    dataset: GraphDataset, model: GNN, indices: Ints, count: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_], Ints]:
    """How sure a GNN is of each of some fragments, whether it is right, and their nodes. [N] each

    Args:
        dataset: Where the fragments are from.
        model: The GNN, on its device.
        indices: The nodes or graphs that they are fragments of, each as often as any other.
        count: How many at least.
        seed: Of the fragments: the same for every GNN on one device.
    """
    device = next(model.parameters()).device
    source, generator = FragmentSource(dataset, device), torch.Generator(device).manual_seed(seed)
    which = np.tile(indices, -(-count // len(indices)))
    sure, predicted, size = [], [], []
    for part in np.array_split(which, -(-len(which) // _ROWS)):
        fragments = source.around(part, NODES[dataset.task], generator)
        probability, label = source.logits(model, fragments).softmax(-1).max(-1)
        sure.append(probability.double().cpu().numpy())
        predicted.append(label.cpu().numpy())
        size.append(fragments.mask.sum(1).cpu().numpy())
    return np.concatenate(sure), np.concatenate(predicted) == dataset.y[which], np.concatenate(size)
