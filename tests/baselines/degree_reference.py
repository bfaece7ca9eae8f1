"""DEGREE the slow way: both parts, node by node, each kind of convolution written out by hand."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN

Both = tuple[Tensor, Tensor]
Sides = tuple[list[Tensor], list[Tensor]]
"""Relevant and irrelevant parts of every node."""


def linear(rel: Tensor, irr: Tensor, weight: Tensor, bias: Tensor | None) -> Both:
    rel, irr = weight @ rel, weight @ irr
    share = torch.where(rel.abs() + irr.abs() > 0, rel.abs() / (rel.abs() + irr.abs()), 0.0)
    return (rel, irr) if bias is None else (rel + share * bias, irr + (1 - share) * bias)


def weighted(sides: Sides, senders: dict[int, float]) -> Both:
    """The weighted sums of both parts."""
    rel, irr = (sum((w * part[u] for u, w in senders.items()), torch.zeros_like(part[0])) for part in sides)
    return rel, irr


def sum_layer(conv: Any, v: int, neighbours: list[list[int]], sides: Sides) -> Both:
    rel, irr = linear(*weighted(sides, dict.fromkeys(neighbours[v], 1.0)), conv.lin.weight, conv.lin.bias)
    norm = (rel + irr).norm().clamp(min=1e-12)
    return rel / norm, irr / norm


def gcn_layer(conv: Any, v: int, neighbours: list[list[int]], sides: Sides) -> Both:
    size = {u: len(neighbours[u]) + 1 for u in [v, *neighbours[v]]}
    return linear(*weighted(sides, {u: (size[u] * size[v]) ** -0.5 for u in size}), conv.lin.weight, conv.bias)


def mean_layer(conv: Any, v: int, neighbours: list[list[int]], sides: Sides) -> Both:
    mean = weighted(sides, dict.fromkeys(neighbours[v], 1 / max(1, len(neighbours[v]))))
    around = linear(*mean, conv.around.weight, conv.around.bias)
    alone = linear(sides[0][v], sides[1][v], conv.alone.weight, None)
    return around[0] + alone[0], around[1] + alone[1]


LAYERS: dict[str, Callable[..., Both]] = {"sum": sum_layer, "gcn": gcn_layer, "mean": mean_layer}


def reference(model: GNN, instance: Instance, group: set[int]) -> Both:
    """The relevant and the irrelevant part of the logits. [C] each"""
    m = instance.num_nodes
    neighbours: list[list[int]] = [[] for _ in range(m)]
    for source, target in instance.edge_index.T.tolist():
        neighbours[target].append(source)
    x = torch.from_numpy(instance.x)
    rel = [x[v] if v in group else torch.zeros_like(x[v]) for v in range(m)]
    irr = [x[v] - rel[v] for v in range(m)]
    history: list[Sides] = []
    for number, conv in enumerate(model.convs, start=1):
        out: list[Both] = []
        for v in range(m):
            r, i = LAYERS[model.kind](conv, v, neighbours, (rel, irr))
            if number < model.num_layers:
                r, i = r.relu(), (r + i).relu() - r.relu()
            out.append((r, i))
        rel, irr = [r for r, _ in out], [i for _, i in out]
        history.append((rel, irr))
    if instance.target is not None:
        ends = [torch.cat([layer[part][instance.target] for layer in history]) for part in (0, 1)]
    else:
        largest: Sides = ([], [])
        for rels, irrs in history:
            for neuron in range(model.hidden):
                total = [float(rels[v][neuron] + irrs[v][neuron]) for v in range(m)]
                at = [v for v in range(m) if total[v] >= max(total) - 1e-6]  # symmetric nodes, or all dead
                largest[0].append(torch.stack([rels[v][neuron] for v in at]).mean())
                largest[1].append(torch.stack([irrs[v][neuron] for v in at]).mean())
        mean = [torch.cat([torch.stack(layer[part]).mean(0) for layer in history]) for part in (0, 1)]
        ends = [torch.cat([torch.stack(largest[part]), mean[part]]) for part in (0, 1)]
    return linear(ends[0], ends[1], model.head.weight, model.head.bias)
