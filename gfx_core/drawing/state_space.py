"""The state space of an instance as plain data: a worker makes it, and a page reads it without torch."""

from dataclasses import dataclass

from gfx_core.config import FlowSource
from gfx_core.drawing.dag_picture import DagPicture


@dataclass(frozen=True)
class PolicyDag:
    """All states of an instance with what the policy does in them, or those around one trajectory.

    Attributes:
        picture: The states. Where all are listed, flows are probabilities to go that way, and each state has P(stop)
            and R/Z; else flows are the policy's own.
        max_nodes: K_M, as it was used.
        total_variation: Between P(stop) and R/Z; ``None`` where not all states could be listed.
        flows: Where the flows come from.
    """

    picture: DagPicture
    max_nodes: int
    cap: int
    total_variation: float | None
    flows: FlowSource = FlowSource.LEARNED

    @property
    def listed(self) -> bool:
        """Whether all states could be listed."""
        return self.total_variation is not None
