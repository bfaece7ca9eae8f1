"""What all explainers have in common: made for one GNN, they score the edges of instances.

A method that *ranks* edges (masks, gradients, marginals, order weights) needs no rule for the size of its answer:
generators and heuristics may add up to K_M nodes, the same number for all.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import nn
from torch_geometric.explain import Explanation as PyGExplanation

from gfx_core.baselines.edge_scores import Scores
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext


@dataclass(frozen=True)
class Explanation:
    """What every ``explain`` returns.

    Attributes:
        edge_mask: A score for each directed edge of the instance; larger means more important. [e]
        target: The explained class, where `gfx_core.baselines.registry.explain` was called.
        explain_seconds: How long it took to explain, likewise.
        collapsed: Whether the mask is empty, so that the ranking of its edges is meaningless.
    """

    edge_mask: Scores
    target: int | None = None
    explain_seconds: float | None = None
    collapsed: bool = False

    def to_pyg(self, instance: Instance) -> PyGExplanation:
        """PyG's own object, on the instance's nodes and edges."""
        return PyGExplanation(
            x=torch.from_numpy(instance.x),
            edge_index=torch.from_numpy(instance.edge_index),
            edge_mask=torch.from_numpy(self.edge_mask).float(),
            target=None if self.target is None else torch.tensor([self.target]),
            index=instance.target,
        )


class Method(ABC):
    """One way to explain the predictions of one GNN.

    What is explained is the class that the GNN itself predicts for the whole instance. The GNN is left as it was.

    Args:
        model: The GNN.
        config: Its settings, as `config_type` makes them; the usual ones by default.
        seed: Of all random numbers.
        device: Where to compute; the GNN is moved there.
    """

    config_type: ClassVar[Callable[..., Any]] = dict
    """Makes its configuration from settings that are plain JSON."""
    any_model: ClassVar[bool] = True
    """Whether it explains any PyG model; else it reads the layers of ours."""

    def __init__(
        self, model: nn.Module, config: Any = None, *, seed: int = 0, device: str | torch.device = "cpu"
    ) -> None:
        if not isinstance(model, GNN) and not self.any_model:
            raise UserError(
                f"{type(self).__name__} reads the layers of gfx_core's own GNNs, and {type(model).__name__} is "
                "none of them: GFlowExplainer and others explain any PyG model."
            )
        self.model: Any = model
        self.seed, self.device = seed, torch.device(device)
        self.config: Any = type(self).config_type() if config is None else config
        if isinstance(model, GNN):  # any other is copied where it is evaluated
            model.to(device).eval()

    @abstractmethod
    def explain(self, instance: Instance) -> Explanation:
        """Score the edges of one instance; the answer does not depend on what was explained before."""


class Learner(Method):
    """A method that learns from some instances before it explains."""

    @abstractmethod
    def fit(self, instances: Sequence[Instance], job: JobContext | None = None) -> None:
        """Learn from some instances, from the beginning; raises `StoppedError` when the job is cancelled."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write what was learnt; the header's ``made`` has device and seconds."""

    @abstractmethod
    def load(self, path: Path) -> None:
        """Read what one of the same kind has learnt."""
