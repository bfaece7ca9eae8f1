"""A window on a large instance: the nodes that matter most to the GNN's prediction, as they hang together.

Where a GNN sees thousands of nodes, hardly any can be in a subgraph of ten. What is looked at is then a connected part
of the instance, grown from the explained node (in a graph task from the node that matters most) by the node with the
largest gradient. The prediction stays that of the whole, and what the GNN says without the answer is asked there too.
"""

from dataclasses import replace

import numpy as np
from torch import Tensor

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.gnn.foreign.given_instance import GivenInstance
from gfx_core.gnn.foreign.reading import features_of

WINDOW = 150
"""Nodes of a window."""


def window(instance: GivenInstance, most: int = WINDOW, order: Ints | None = None) -> GivenInstance:
    """The part of an instance that matters most; the instance itself if it is small enough.

    Args:
        instance: The instance.
        most: Nodes of the part.
        order: Its nodes in the order in which they join, as `growth` gives them, where that is known.
    """
    if instance.num_nodes <= most or instance.given is None:
        return instance
    shown = np.zeros(instance.num_nodes, dtype=bool)
    shown[(growth(instance, most) if order is None else order)[:most]] = True
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
        notes=(*(instance.notes if instance.beyond is None else instance.notes[:-1]), note),  # one of a window
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
    answer, target = instance.answer, instance.target

    def wanted(raw: Tensor) -> Tensor:
        raw = raw if target is None else raw[target : target + 1]
        says = meaning.predictions(raw, raw.detach() if instance.left_out else answer)
        values = says.logits if says.logits.requires_grad else says.embedding
        return values[0, int(values[0].argmax())]

    gradient = asked.gradient(asked.ready(given), wanted)
    if gradient is None or not bool(gradient.isfinite().all()):
        return nearness
    size = features_of(gradient.abs()).sum(1).double().numpy()
    return size / max(float(size.max()), 1e-30) + 1e-9 * nearness


def growth(instance: GivenInstance, most: int = WINDOW, start: int | None = None) -> Ints:
    """The nodes of a connected set in the order in which they join: always the neighbour that matters most. [≤ most]

    Args:
        instance: The instance.
        most: How many nodes.
        start: The first; by default the explained node, or the one that matters most.
    """
    weight = influence(instance)
    source, target = instance.edge_index  # sorted by source
    indptr = np.searchsorted(source, np.arange(instance.num_nodes + 1))
    held = np.zeros(instance.num_nodes, dtype=bool)
    near = np.zeros_like(held)
    first = instance.target if start is None else start
    node = first_best(weight) if first is None else first
    order = []
    for _ in range(most):
        held[node] = True
        order.append(node)
        near[target[indptr[node] : indptr[node + 1]]] = True
        gain = np.where(near & ~held, weight, -np.inf)
        node = first_best(gain)
        if not np.isfinite(gain[node]):
            break
    return np.array(order, dtype=np.int64)
