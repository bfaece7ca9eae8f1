"""What a GNN says of an instance when only some of its edges are there, for many choices of edges at once.

An edge that is not kept is deleted: it also leaves the degrees, which masking its messages would not do. A node
without a kept edge leaves the graph, as it is not in G[s] either, even if it had no edge to begin with. There are two
exceptions: the explained node of a node task always stays, and in a graph task where no edge is kept all nodes stay,
without edges, because a graph without nodes has no prediction.

All choices together are one graph, the disjoint union of what is left of the instance in each. Its cost grows with the
edges that are left, so it suits six edges of an instance as well as a graph of two thousand nodes.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gfx_core.datasets.instance import Instance
from gfx_core.gnn.foreign.asked import asked_predictor
from gfx_core.gnn.foreign.predictor import GivenPredictor
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictions, Predictor

_CHUNK_NUMBERS = 1 << 24  # numbers in the largest tensor of one pass: 64 MiB


@torch.no_grad()
def predict_whole(model: nn.Module, instance: Instance) -> Predictions:
    """The prediction of the whole instance, every node and edge of it, on the device of the model. [1, …]"""
    if not isinstance(model, GNN):
        return asked_predictor(model, [instance]).whole
    device = _device(model, instance)
    x, edge_index = torch.from_numpy(instance.x).to(device), torch.from_numpy(instance.edge_index).to(device)
    owner = torch.zeros(len(x), dtype=torch.long, device=device)
    explained = None if instance.target is None else torch.tensor([instance.target], device=device)
    return Predictions(*model.read(model.embed(x, edge_index), explained, owner, 1))


@torch.no_grad()
def predict_kept(model: nn.Module, instance: Instance, kept: Tensor | NDArray[np.bool_]) -> Predictions:
    """Predictions of one instance with only some of its undirected edges, on the device of the model.

    Args:
        model: The GNN, ours or any other; it is left as it is.
        instance: Where the edges are from.
        kept: For each choice, which of the undirected edges (``instance.undirected``, in that order) are there.
            bool [B, E]
    """
    if not isinstance(model, GNN):
        return asked_predictor(model, [instance]).left(instance, np.asarray(kept))
    device = _device(model, instance)
    kept = torch.as_tensor(kept).to(device)
    E = len(instance.undirected)
    if kept.dtype != torch.bool or kept.ndim != 2 or kept.shape[1] != E:
        raise ValueError(f"kept must be bool [B, {E}] (got {kept.dtype} {list(kept.shape)})")
    x = torch.from_numpy(instance.x).to(device)  # [m, d]
    ends = torch.from_numpy(instance.edge_index[:, instance.undirected]).to(device)  # [2, E]
    numbers = (len(x) + 2 * E) * max(model.hidden, model.in_channels)  # at most, for one choice
    chunks = kept.split(max(1, _CHUNK_NUMBERS // numbers))

    def read(x: Tensor, edge_index: Tensor, owner: Tensor, explained: Tensor | None, count: int) -> Predictions:
        return Predictions(*model.read(model.embed(x, edge_index), explained, owner, count))

    parts = [_predict_chunk(read, x, ends, chunk, instance.target) for chunk in chunks]
    return Predictions(torch.cat([p.logits for p in parts]), torch.cat([p.embedding for p in parts]))


@torch.no_grad()
def predict_left(predictor: Predictor, instance: Instance, kept: NDArray[np.bool_]) -> Predictions:
    """The same for one choice of edges, bool [E], and whatever model a predictor of this instance asks. [1, …]"""
    if isinstance(predictor, GivenPredictor):
        return predictor.left(instance, kept[None])
    x, edge_index = (torch.from_numpy(values).to(predictor.device) for values in (instance.x, instance.edge_index))
    ends = edge_index[:, torch.from_numpy(instance.undirected).to(predictor.device)]
    return _predict_chunk(predictor.read, x, ends, torch.from_numpy(kept[None]).to(predictor.device), instance.target)


def _device(model: GNN, instance: Instance) -> torch.device:
    if model.task != instance.task:
        raise ValueError(f"the GNN classifies a {model.task}, the instance is a {instance.task}")
    instance.check_reach(model.hops)
    return next(model.parameters()).device


_Read = Callable[[Tensor, Tensor, Tensor, Tensor | None, int], Predictions]


def _predict_chunk(read: _Read, x: Tensor, ends: Tensor, kept: Tensor, explained: int | None) -> Predictions:
    """Predict some choices: number the nodes that are there, all choices in a row. kept [B, E]"""
    row, edge = kept.nonzero(as_tuple=True)
    source, target = ends[0][edge], ends[1][edge]
    present = torch.zeros(len(kept), len(x), dtype=torch.bool, device=x.device)  # [B, m]
    present[row, source] = True
    present[row, target] = True
    if explained is None:
        present |= ~kept.any(1, keepdim=True)
    else:
        present[:, explained] = True
    number = present.flatten().cumsum(0).view_as(present) - 1  # of each present node
    one_way = torch.stack([number[row, source], number[row, target]])
    owner, node = present.nonzero(as_tuple=True)
    at = None if explained is None else number[:, explained]
    return read(x[node], torch.cat([one_way, one_way.flip(0)], dim=1), owner, at, len(kept))
