"""A window on a large instance: the nodes that matter most to the GNN's prediction, as they hang together.

Where a GNN sees thousands of nodes, hardly any can be in a subgraph of ten. What is looked at is then a connected part
of the instance, grown from the explained node (in a graph task from the node that matters most) by the node with the
largest gradient. The prediction stays that of the whole, and what the GNN says without the answer is asked there too.
"""

from dataclasses import replace

import numpy as np
import torch

from gfx_core.arrays import Doubles, first_best
from gfx_core.config import Task
from gfx_core.gnn.foreign.given_instance import GivenInstance

WINDOW = 150
"""Nodes of a window."""


def window(instance: GivenInstance, most: int = WINDOW) -> GivenInstance:
    """The part of an instance that matters most; the instance itself if it is small enough."""
    if instance.num_nodes <= most or instance.given is None:
        return instance
    weight = influence(instance)
    shown = _grown(instance, weight, most)
    given = instance.given.part(np.flatnonzero(shown))
    note = (
        f"The GNN sees {instance.num_nodes + instance.left_out:,} nodes here: the {int(shown.sum())} that matter most "
        "to it, by their gradient and as they hang together, were looked at."
    )
    part = instance.part(shown)
    assert isinstance(part, GivenInstance)
    return replace(
        part,
        given=given,
        beyond=instance,
        left_out=instance.left_out + int((~shown).sum()),
        labels=tuple(label for label, seen in zip(instance.labels, shown, strict=True) if seen)
        if instance.labels
        else (),
        notes=(*instance.notes, note),
    )


def influence(instance: GivenInstance) -> Doubles:
    """How much each node matters: the size of the gradient of the explained class's log-probability. [m]

    Features that have no gradient (whole numbers) matter the more the nearer a node is.
    """
    asked, meaning, given = instance.asked, instance.meaning, instance.given
    assert asked is not None
    assert meaning is not None
    assert given is not None
    assert instance.answer is not None
    nearness = 1 / (1.0 + instance.hops)
    ready = asked.ready(given)
    if not ready.x.is_floating_point():
        return nearness
    x = ready.x.clone().requires_grad_()
    owner = torch.zeros(len(x), dtype=torch.long, device=x.device)
    with torch.enable_grad():
        raw = asked.raw(replace(ready, x=x), owner, 1)
        raw = raw if asked.task is Task.GRAPH else raw[instance.target : (instance.target or 0) + 1]
        says = meaning.predictions(raw, raw.detach() if instance.left_out else instance.answer)
        wanted = says.logits if says.logits.requires_grad else says.embedding
        (gradient,) = torch.autograd.grad(wanted[0, int(wanted[0].argmax())], x, allow_unused=True)
    if gradient is None:
        return nearness
    size = gradient.abs().reshape(len(x), -1).sum(1).double().cpu().numpy()
    return size / max(float(size.max()), 1e-30) + 1e-9 * nearness


def _grown(instance: GivenInstance, weight: Doubles, most: int) -> np.ndarray:
    """A connected set, grown by the heaviest neighbour. bool [m]"""
    source, target = instance.edge_index  # sorted by source
    indptr = np.searchsorted(source, np.arange(instance.num_nodes + 1))
    held = np.zeros(instance.num_nodes, dtype=bool)
    near = np.zeros_like(held)
    node = first_best(weight) if instance.target is None else instance.target
    for _ in range(most):
        held[node] = True
        near[target[indptr[node] : indptr[node + 1]]] = True
        gain = np.where(near & ~held, weight, -np.inf)
        node = first_best(gain)
        if not np.isfinite(gain[node]):
            break
    return held
