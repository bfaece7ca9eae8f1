"""How long a policy is trained further on one instance: less on a large one.

Needs no torch: pages say what it will take before it is begun.
"""

EPOCHS = 30
"""Of a training on one instance that is not cut."""
BUDGET_S = 30.0
"""A training that would take longer is cut, to this and to no fewer than `LEAST` epochs."""
LEAST = 10
_EPOCH_S, _NODE_S = 0.16, 0.0013
"""Seconds of an epoch on one core, and what each node adds: measured on BA-Shapes, BA-Community, Tree-Cycles,
Tree-Grid and BA-2Motifs, from 6 to 1,248 nodes. Hubs take up to half as long again."""


def tuning_plan(num_nodes: int) -> tuple[int, float]:
    """Epochs of a training on an instance, and seconds on one core, about.

    They are the same on every computer, so that everybody gets the same policy.
    """
    each = _EPOCH_S + _NODE_S * num_nodes
    epochs = max(LEAST, min(EPOCHS, int(BUDGET_S / each)))
    return epochs, epochs * each
