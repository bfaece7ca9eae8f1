"""How long a policy is trained further on one instance: less on a large one, unless all of it is asked for.

Needs no torch: pages say what it will take before it is begun.
"""

from dataclasses import dataclass

EPOCHS = 30
"""Of a training on one instance that is not cut."""
BUDGET_S = 30.0
"""A training that would take longer is cut, to this and to no fewer than `LEAST` epochs."""
LEAST = 10
_EPOCH_S, _NODE_S = 0.16, 0.0013
"""Seconds of an epoch on one core, and what each node adds: measured on BA-Shapes, BA-Community, Tree-Cycles,
Tree-Grid and BA-2Motifs, from 6 to 1,248 nodes. Hubs take up to half as long again."""


@dataclass(frozen=True)
class TuningPlan:
    """What a training on one instance takes.

    Attributes:
        epochs: How many.
        seconds: How long that takes on one core, about.
        whole_s: How long all epochs take, about.
    """

    epochs: int
    seconds: float
    whole_s: float

    @property
    def cut(self) -> bool:
        """Whether there are fewer epochs than usual."""
        return self.epochs < EPOCHS


def tuning_plan(num_nodes: int, whole: bool = False) -> TuningPlan:
    """What a training on an instance takes; the same on every computer, so that everybody gets the same policy.

    Args:
        num_nodes: Of the instance.
        whole: Whether it is not to be cut.
    """
    each = _EPOCH_S + _NODE_S * num_nodes
    epochs = EPOCHS if whole else max(LEAST, min(EPOCHS, int(BUDGET_S / each)))
    return TuningPlan(epochs, epochs * each, EPOCHS * each)
