"""What all explainers have in common: made for one GNN, they score the edges of instances.

A method that *ranks* edges (masks, gradients, marginals, order weights) needs no rule for the size of its answer:
generators and heuristics may add up to K_M nodes, the same number for all.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn

from gfx_core.baselines.edge_scores import Scores
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext

FAINT = 0.01
"""A soft mask without a value as large as this is empty."""


@dataclass(frozen=True)
class Explanation:
    """What every ``explain`` returns.

    Attributes:
        edge_mask: A score for each directed edge of the instance; larger means more important. [e]
        collapsed: Whether it is a soft mask and empty, so that its edges have no ranking: its loss charges
            for every edge, and if that costs more than the prediction is worth, the best mask is the empty one.
    """

    edge_mask: Scores
    collapsed: bool = False


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
    soft_mask: ClassVar[bool] = False
    """Whether it learns a mask with values between 0 and 1, which can collapse."""

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

    def explain(self, instance: Instance) -> Explanation:
        """Score the edges of one instance; the answer does not depend on what was explained before."""
        if not instance.edge_index.shape[1]:
            return Explanation(np.zeros(0))
        scores = self.scores(instance)
        return Explanation(scores, self.soft_mask and bool(scores.max() < FAINT))

    @abstractmethod
    def scores(self, instance: Instance) -> Scores:
        """A score for each directed edge of an instance that has some. [e]"""


class Learner(Method):
    """A method that learns from some instances before it explains.

    Attributes:
        trained: What it has learnt; None before.
    """

    trained: Any = None

    @property
    def learnt(self) -> Any:
        """What it has learnt; raises `UserError` before."""
        if self.trained is None:
            raise UserError(f"{type(self).__name__} is not trained yet: call fit, or load trained weights.")
        return self.trained

    @abstractmethod
    def fit(self, instances: Sequence[Instance], job: JobContext | None = None) -> None:
        """Learn from some instances, from the beginning; raises `StoppedError` when the job is cancelled."""

    @abstractmethod
    def save(self, path: Path) -> None:
        """Write what was learnt; the header's ``made`` has device and seconds."""

    @abstractmethod
    def load(self, path: Path) -> None:
        """Read what one of the same kind has learnt."""
