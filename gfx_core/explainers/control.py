"""The constant-GNN control: how much of an explanation would be the same if the GNN always said the same?"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gfx_core.arrays import Doubles
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.on_the_spot import Deadline, Told, flows_on_the_spot
from gfx_core.explainers.record import record
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs
from gfx_core.trace.schema import Trace

_ALIKE, _PARTLY = 0.8, 0.5


@dataclass(frozen=True, eq=False)
class Control:
    """What comes out for a GNN that gives every subgraph the same answer.

    Attributes:
        edge_marginals: Of each undirected edge of the instance. [E]
        correlation: Between these and those of the explanation; ``None`` where one of the two is the same on all edges.
        sentence: What that says.
    """

    edge_marginals: Doubles
    correlation: float | None
    sentence: str


class ConstantPredictor(Predictor):
    """A GNN that says of every part of one instance what the real one says of the whole."""

    def __init__(self, real: Predictor, instance: Instance) -> None:
        super().__init__(real.task, [instance], real.device)
        self._said = real.whole
        self.graphs.x = real.graphs.x

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        return self._same(len(subgraphs.mask))

    @property
    def whole(self) -> Predictions:
        return self._same(1)

    def with_edges(self, instance: Instance, kept: Tensor | NDArray[np.bool_]) -> Predictions:
        return self._same(len(kept))

    @property
    def node_embedding(self) -> Tensor:
        """It knows nothing of any node."""
        return torch.zeros_like(self.graphs.x[:, :1])

    def _same(self, count: int) -> Predictions:
        return Predictions(self._said.logits.expand(count, -1), self._said.embedding.expand(count, -1))


def constant_control(
    config: GFNConfig,
    real: Predictor,
    instance: Instance,
    trace: Trace,
    tell: Told | None = None,
    deadline: Deadline | None = None,
) -> Control:
    """Explain a constant GNN in the same way, from the same start node if that can be, and compare.

    Args:
        config: K_M and the reward.
        real: The real GNN, on this instance alone.
        instance: The instance.
        trace: The explanation of the real one.
        tell: Told how far it is.
        deadline: When it is to be there.
    """
    constant = ConstantPredictor(real, instance)
    ready = flows_on_the_spot(config, constant, instance, start=trace.start, tell=tell, deadline=deadline)
    seed, samples = int(trace.made.get("seed", 0)), int(trace.made.get("samples", 64))
    found = np.array(record(ready.source, seed=seed, samples=samples, start=trace.start).edge_marginals)
    correlation = correlated(np.array(trace.edge_marginals), found)
    return Control(found, correlation, _sentence(correlation))


def correlated(one: Doubles, other: Doubles) -> float | None:
    """Pearson's correlation; ``None`` where one of the two does not vary."""
    if len(one) < 2 or one.std() < 1e-9 or other.std() < 1e-9:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _sentence(correlation: float | None) -> str:
    if correlation is None:
        return "Control: for a GNN that always says the same no edge stands out; what is found here depends on the GNN."
    start = f"Control: masks for a GNN that always says the same correlate {correlation:.2f} with these"
    if correlation > _ALIKE:
        return f"{start}: this explanation hardly depends on the GNN."
    if correlation > _PARTLY:
        return f"{start}: what is found here depends on the GNN in part."
    return f"{start}: what is found here depends on the GNN."
