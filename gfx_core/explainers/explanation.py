"""Explanation: what an explainer says of one instance, in PyG's words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gfx_core.arrays import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.edge_scores import Scores

if TYPE_CHECKING:
    from torch_geometric.explain import Explanation as PyGExplanation


@dataclass(frozen=True)
class Explanation:
    """What every ``explain`` returns.

    Attributes:
        edge_mask: A score for each directed edge of the instance; larger means more important. [e]
        order: The nodes a generator added, in that order, start node first; None for methods that build no subgraph.
        target: The class that is explained, where it was asked for.
        fit_seconds: How long the explainer had to learn before, where that was measured.
        explain_seconds: How long it took to explain, likewise.
        note: A sentence to be read before the answer is believed: that a mask has collapsed. Mostly empty.
    """

    edge_mask: Scores
    order: Ints | None = None
    target: int | None = None
    fit_seconds: float | None = None
    explain_seconds: float | None = None
    note: str = ""

    def to_pyg(self, instance: Instance) -> "PyGExplanation":
        """PyG's own object, on the instance's nodes and edges."""
        import torch
        from torch_geometric.explain import Explanation as PyGExplanation

        made = PyGExplanation(
            x=torch.from_numpy(instance.x),
            edge_index=torch.from_numpy(instance.edge_index),
            edge_mask=torch.from_numpy(self.edge_mask).float(),
        )
        if self.target is not None:
            made.target = torch.tensor([self.target])
        if instance.target is not None:
            made.index = instance.target
        if self.order is not None:
            made.order = torch.from_numpy(self.order)
        return made
