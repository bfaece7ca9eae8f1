"""What all explainers have in common: made for one GNN, they score the edges of instances.

:class:`Explanation` is what an explainer says of one instance, in PyG's words.

**How large an answer may be** is one rule for all methods whose answer is a subgraph (:func:`answer_nodes`). A subgraph
scores 1 on its edges and 0 elsewhere, so its size alone decides much of its AUC: the same rule must hold for all. An
answer has at most as many nodes as the largest motif of the data set, and may always have five. Five is what
SubgraphX's own configuration uses, and all there is where no motif is known. The rule knows how large motifs are, as
top-k accuracy does, and nothing of where they lie.

It holds for SubgraphX's subgraph. A method that *ranks* edges (masks,
gradients, marginals, order weights) needs no such rule: generators and heuristics may then add up to K_M nodes, the
same number for all.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import nn

from gfx_core.baselines.edge_scores import Scores
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.instance import Instance
from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.weights import read_json_header, read_tensors, write_tensors

if TYPE_CHECKING:
    from torch_geometric.explain import Explanation as PyGExplanation


@dataclass(frozen=True)
class Explanation:
    """What every ``explain`` returns.

    Attributes:
        edge_mask: A score for each directed edge of the instance; larger means more important. [e]
        target: The class that is explained, where it was asked for.
        fit_seconds: How long the explainer had to learn before, where that was measured.
        explain_seconds: How long it took to explain, likewise.
        note: A sentence to be read before the answer is believed: that a mask has collapsed. Mostly empty.
    """

    edge_mask: Scores
    target: int | None = None
    fit_seconds: float | None = None
    explain_seconds: float | None = None
    note: str = ""

    def to_pyg(self, instance: Instance) -> "PyGExplanation":
        """PyG's own object, on the instance's nodes and edges."""
        from torch_geometric.explain import Explanation as PyGExplanation

        explanation = PyGExplanation(
            x=torch.from_numpy(instance.x),
            edge_index=torch.from_numpy(instance.edge_index),
            edge_mask=torch.from_numpy(self.edge_mask).float(),
        )
        if self.target is not None:
            explanation.target = torch.tensor([self.target])
        if instance.target is not None:
            explanation.index = instance.target
        return explanation


Progress = Callable[[float, str], None]
"""Called with the share that is done (0 to 1) and a few words."""
Cancelled = Callable[[], bool]
"""Asked whether to stop."""


class CancelledError(Exception):
    """The user does not want the answer any more."""


class Method:
    """One way to explain the predictions of one GNN: a subclass says how, in `explain` or in `explain_many`.

    What is explained is the class that the GNN itself predicts for the whole instance. The GNN is left as it was.

    Args:
        model: The GNN.
        config: Its settings, a ``config_type``; the usual ones by default.
        seed: Of everything that is drawn.
        device: Where to compute; the GNN is moved there.
    """

    config_type: ClassVar[type | None] = None
    """Of its argument ``config``, a dataclass; None if it has no settings."""
    any_model: ClassVar[bool] = False
    """Whether it explains models that others wrote, too; else it needs to look into one of ours."""

    def __init__(
        self, model: nn.Module, config: Any = None, *, seed: int = 0, device: str | torch.device = "cpu"
    ) -> None:
        if not isinstance(model, GNN) and not self.any_model:
            raise UserError(
                f"{type(self).__name__} reads the layers of gfx_core's own GNNs, and {type(model).__name__} is "
                "none of them: GFlowExplainer and others explain any PyG model."
            )
        self.model: Any = model  # one of ours wherever the method needs to look into it
        self.seed, self.device = seed, torch.device(device)
        self.config: Any = self.config_type() if config is None and self.config_type is not None else config
        if isinstance(model, GNN):  # one that others wrote is copied where it is evaluated
            model.to(device).eval()

    def explain(self, instance: Instance) -> Explanation:
        """Score the edges of one instance; the same answer whatever was explained before."""
        return self.explain_many([instance])[0]

    @classmethod
    def config_of(cls, settings: Mapping[str, Any]) -> Any:
        """Its configuration with some settings changed, which are plain JSON."""
        if cls.config_type is None:
            raise UserError(f"{cls.__name__} has no settings (got {', '.join(settings)}).")
        return cls.config_type(**settings)

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        """Score the edges of some instances, together where the method allows it."""
        return [self.explain(instance) for instance in instances]


class Learner(Method, ABC):
    """A method that learns from some instances before it explains; what it learns is in ``network``.

    Args:
        model: The GNN.
        config: Its settings.
        seed: Of the training and of everything that is drawn.
        device: Where to compute.
        epochs: Another length of training than that of the settings.
    """

    network: nn.Module
    fit_seconds: float | None = None
    """How long it has learnt, here or where its file was made; None if it has not, or the file does not tell."""

    def __init__(
        self,
        model: nn.Module,
        config: Any = None,
        *,
        seed: int = 0,
        device: str | torch.device = "cpu",
        epochs: int | None = None,
    ) -> None:
        super().__init__(model, config, seed=seed, device=device)
        self.epochs = epochs
        if epochs is not None and hasattr(self.config, "epochs"):
            self.config = replace(self.config, epochs=epochs)
        self.setup()

    def setup(self) -> None:
        """Make the network as it is before it has learnt."""

    def fit(
        self,
        instances: Sequence[Instance],
        *,
        progress: Progress = lambda _share, _words: None,
        cancelled: Cancelled = lambda: False,
    ) -> None:
        """Learn from some instances, from the beginning; raises :class:`CancelledError` when told to stop."""
        started = time.perf_counter()
        self._learn(instances, progress, cancelled)
        self.fit_seconds = time.perf_counter() - started

    @abstractmethod
    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        """Learn, telling `progress` and asking `cancelled` now and then."""

    def save(self, path: Path) -> None:
        """Write what was learnt."""
        header: dict[str, Any] = {"learner": type(self).__name__, "seed": self.seed}
        header |= {"made": provenance(self.device.type), "seconds": self.fit_seconds}
        if is_dataclass(self.config) and not isinstance(self.config, type):
            header["config"] = asdict(self.config)
        write_tensors(path, self.network.state_dict(), header)

    def load(self, path: Path) -> None:
        """Read what one of the same kind has learnt."""
        again = "Train it with: python -m gfx_core train explainer."
        header = read_json_header(path, dict[str, Any], again)
        if header.get("learner") != type(self).__name__:
            raise UserError(f"{path.name} was not trained by {type(self).__name__}. {again}")
        try:
            self.network.load_state_dict(read_tensors(path))
        except RuntimeError as error:
            raise UserError(f"The weights in {path.name} do not fit this GNN. {again}") from error
        self.fit_seconds = header.get("seconds")  # older files do not tell


SMALLEST = 5
"""Nodes that an answer may always have."""


def answer_nodes(info: DatasetInfo) -> int:
    """The most nodes of a subgraph that is an answer."""
    return max([SMALLEST, *(motif.num_nodes for motif in info.motifs)])
