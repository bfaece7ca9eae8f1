"""PyG's explainers: GNNExplainer and PGExplainer, and any other as one method among others.

GNNExplainer (Ying et al., NeurIPS 2019) and PGExplainer (Luo et al., NeurIPS 2020) learn a soft mask over edges that
keeps the prediction. The loss charges for the size and the entropy of a mask; the price of size decides, for where a
motif costs more than its prediction is worth the best mask is an empty one. All settings are chosen for each data set
without its ground truth, by `gfx_core.bench.explainers`.

`as_method` makes a :class:`Method` of a ``torch_geometric.explain.algorithm.ExplainerAlgorithm``. The algorithm is
called through PyG's own ``Explainer``, with a private copy of the model and with the edges, features and further
arguments as their owner gave them. Every explanation is made by a fresh copy of the algorithm: what it writes into
itself or into the model is gone afterwards, so that threads may share a method.
"""

import copy
import re
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch
from torch_geometric.explain import Explainer, ModelConfig
from torch_geometric.explain import algorithm as pyg
from torch_geometric.explain.algorithm import ExplainerAlgorithm
from torch_geometric.explain.config import ModelTaskLevel
from torch_geometric.utils import get_embeddings

from gfx_core.baselines.edge_scores import Scores, on_edges
from gfx_core.baselines.method import Learner, Method
from gfx_core.baselines.registry import METHODS, MethodInfo
from gfx_core.datasets.instance import Instance
from gfx_core.device import provenance, seeded
from gfx_core.errors import UserError
from gfx_core.gnn.convolutions import NeededEdges, needed_edges
from gfx_core.gnn.models import GNN
from gfx_core.job_context import JobContext, StoppedError
from gfx_core.user_models.adapter import PYG_OUTPUT, private_copy
from gfx_core.user_models.inputs import first_line
from gfx_core.user_models.predictor import adapt, inputs_of
from gfx_core.weights import read_tensors, write_tensors


class PyGModel(nn.Module):
    """A private copy of a model on one instance, called as PyG calls one. Masks may be written into its layers.

    Args:
        model: The model.
        instance: What is explained.
        device: Where to compute.
        double: Whether to compute in double precision.

    Attributes:
        inputs: What the model reads of the instance.
        arguments: Its tensors besides features and edges, by name.
        output: What the model's numbers mean.
        explained_class: The predicted one.
    """

    def __init__(self, model: nn.Module, instance: Instance, device: torch.device, double: bool = False) -> None:
        super().__init__()
        self.instance = instance
        self._adapter = adapt(private_copy(model).double() if double else model, [instance], device)
        self.model, self.output = self._adapter.model, self._adapter.output  # PyG finds the model's layers here
        self.inputs = Batch.from_data_list([self._adapter.ready(inputs_of(instance))])  # once, not for every epoch
        self.arguments: dict[str, Tensor] = {name: self.inputs[name] for name in self._adapter.rows if name != "x"}
        self._row = instance.target or 0
        self._whole: Tensor | None = None
        with torch.no_grad():
            self.explained_class = int(self.logits().argmax())
        self.eval()

    def forward(self, x: Tensor, edge_index: Tensor, **named: Tensor) -> Tensor:
        """The model's numbers, one row for each prediction; arguments that are not named are those of the instance.

        Returns:
            [n or 1, C]
        """
        raw = self._adapter.raw(copy.copy(self.inputs).update({"x": x, "edge_index": edge_index, **named}))
        return raw.float() if raw.shape[1] == 1 else raw  # PyG's losses of one number are in single precision

    def logits(self) -> Tensor:
        """Logits of the prediction that is explained, with the mask that is in the layers. [C]"""
        raw = self._adapter.raw(self.inputs)[self._row : self._row + 1]  # [1, C]
        self._whole = raw if self._whole is None else self._whole  # the first time there is no mask
        return self.output.predictions(raw, self._whole).logits[0]


class PyGModelMethod(Method):
    """A method that reads or writes the layers of a model as PyG's algorithms do.

    What it draws by torch's generators depends on the seed and the instance alone.
    """

    double: ClassVar[bool] = True
    """Whether the model computes in double precision: in single precision a sure prediction has no gradient."""

    @abstractmethod
    def mask(self, model: PyGModel) -> Tensor:
        """A score for each directed edge that the model reads. [e]"""

    def scores(self, instance: Instance) -> Scores:
        with self.running(mask_seed(self.seed, instance)):
            model = PyGModel(self.model, instance, self.device, self.double)
            mask = self.mask(model).detach().double().cpu().numpy()
            return on_edges(instance.edge_index, model.inputs.edge_index.cpu().numpy(), mask)

    @contextmanager
    def running(self, seed: int) -> Iterator[None]:
        """Gradients are on, torch's generators are seeded and put back, and errors become sentences."""
        try:
            with seeded(seed, self.device), torch.enable_grad():
                yield
        except (UserError, StoppedError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            raise UserError(f"{type(self).__name__} cannot explain this prediction ({first_line(error)}).") from error


class PyGMethod(PyGModelMethod):
    """The edges as one of PyG's algorithms scores them."""

    double = False

    @abstractmethod
    def new_algorithm(self) -> ExplainerAlgorithm:
        """A fresh copy of the algorithm."""

    def mask(self, model: PyGModel) -> Tensor:
        explainer, arguments = self.explainer(model, self.new_algorithm())
        mask: Tensor = explainer(**arguments).edge_mask
        return mask

    def explainer(self, model: PyGModel, algorithm: ExplainerAlgorithm) -> tuple[Explainer, dict[str, Any]]:
        """PyG's explainer of the first type that the algorithm supports, and the arguments of a call of it."""
        instance, (mode, return_type) = model.instance, PYG_OUTPUT[model.output.kind]
        config = ModelConfig(mode=mode, task_level=instance.task.value, return_type=return_type)
        index = None if instance.target is None else torch.tensor([instance.target], device=self.device)
        arguments = {"x": model.inputs.x, "edge_index": model.inputs.edge_index, **model.arguments}
        for explains in ("phenomenon", "model"):
            try:
                explainer = Explainer(model, algorithm.to(self.device), explains, config, edge_mask_type="object")
            except ValueError:  # it is not supported
                continue
            if explains == "phenomenon":
                arguments["target"] = explainer.get_target(explainer.get_prediction(**arguments))
            return explainer, arguments | {"index": index}
        raise UserError(
            f"{type(self).__name__} does not explain what this model does: {mode.replace('_', ' ')} of "
            f"{instance.task.value}s ({model.output.kind})."
        )


def mask_seed(seed: int, instance: Instance) -> int:
    """One seed for each pair of a seed and an instance."""
    return int(np.random.SeedSequence([seed, instance.index]).generate_state(1)[0])


@dataclass(frozen=True)
class GNNExplainerConfig:
    """How GNNExplainer fits a mask; by default as in PyG.

    Attributes:
        epochs: Steps of gradient descent.
        lr: Of Adam.
        size: Price of each edge of the mask.
        entropy: Price of the mean entropy of the mask's values.
    """

    epochs: int = 100
    lr: float = 0.01
    size: float = 0.005
    entropy: float = 1.0


class MaskedGNN(nn.Module):
    """One of our GNNs under PyG's masks: each step of GNNExplainer computes only what the prediction depends on.

    Args:
        gnn: The GNN.
        needed: What each of its layers computes.
    """

    def __init__(self, gnn: GNN, needed: Sequence[NeededEdges]) -> None:
        super().__init__()
        self.gnn, self.needed = gnn, needed

    def forward(self, x: Tensor, _edge_index: Tensor) -> Tensor:
        """Logits of the graph, or of the explained node. [1, C]"""
        mask: Any = self.gnn.convs[0]._edge_mask  # PyG puts it into all layers
        weight = mask.sigmoid().to(x.dtype)
        layers = [replace(layer, weight=weight.index_select(0, layer.edges)) for layer in self.needed]
        return self.gnn.classify(self.gnn.embed_needed(x, layers))


class GNNExplainer(PyGMethod):
    """A soft mask over the edges of each instance, fitted so that the prediction survives."""

    config_type = GNNExplainerConfig
    double = soft_mask = True

    def explainer(self, model: PyGModel, algorithm: ExplainerAlgorithm) -> tuple[Explainer, dict[str, Any]]:
        explainer, arguments = super().explainer(model, algorithm)
        if isinstance(gnn := model.model, GNN):
            wanted = None if model.instance.target is None else [model.instance.target]
            needed = needed_edges(arguments["x"], arguments["edge_index"], wanted, gnn.num_layers)
            explainer.model = MaskedGNN(gnn, needed)
            arguments |= {"index": None, "target": arguments["target"][wanted or [0]]}
        return explainer, arguments

    def new_algorithm(self) -> pyg.GNNExplainer:
        config = self.config
        return pyg.GNNExplainer(config.epochs, config.lr, edge_size=config.size, edge_ent=config.entropy)


@dataclass(frozen=True)
class PGConfig:
    """How PGExplainer learns.

    The usual price of entropy is 1, which drives masks to all or nothing before they have learnt which edges matter.
    Hence a tenth of it. The rate is PyG's: with one instance to a step, a larger one collapses where graphs are pooled.

    Attributes:
        size: Price of each edge of a mask.
        entropy: Price of the mean entropy of a mask's values.
        epochs: Passes over the instances, one step for each.
        lr: Of Adam.
    """

    size: float = 0.01
    entropy: float = 0.1
    epochs: int = 30
    lr: float = 0.003


class _PGAlgorithm(pyg.PGExplainer):
    """PyG's, with settings of its own; in node tasks it reads the embeddings of all layers, as a GNN's head does."""

    def __init__(self, config: PGConfig) -> None:
        super().__init__(config.epochs, config.lr)
        # PyG's belong to the whole class
        self.coeffs = pyg.PGExplainer.coeffs | {"edge_size": config.size, "edge_ent": config.entropy}

    def _get_embeddings(self, model: nn.Module, x: Any, edge_index: Any, **kwargs: Any) -> Any:
        layers = get_embeddings(model, x, edge_index, **kwargs)
        if self.model_config.task_level is ModelTaskLevel.graph:
            return layers[-1].float()
        if isinstance(model.model, GNN):
            with torch.no_grad():
                return model.model.embed(x, edge_index)
        return torch.cat([layer.flatten(1).float() for layer in layers], dim=1)

    @staticmethod
    def _post_process_mask(mask: Tensor, hard_mask: Tensor | None = None, apply_sigmoid: bool = True) -> Any:
        # in single precision sure edges all round to 1, and their ranking is lost
        return pyg.PGExplainer._post_process_mask(mask.double(), hard_mask, apply_sigmoid)


class PGExplainer(PyGMethod, Learner):
    """A network that predicts an edge's mask from the GNN's embeddings of its ends, in node tasks of the target too.

    Attributes:
        trained: PyG's algorithm.
        made: Device, versions and seconds of the learning.
    """

    config_type = PGConfig
    soft_mask = True

    def new_algorithm(self) -> pyg.PGExplainer:
        return copy.deepcopy(self.learnt)

    def fit(self, instances: Sequence[Instance], job: JobContext | None = None) -> None:
        job, started, epochs = job or JobContext(), time.perf_counter(), self.config.epochs
        with self.running(self.seed):
            learner, rng = _PGAlgorithm(self.config), np.random.RandomState(self.seed)
            calls = [
                self.explainer(PyGModel(self.model, instance, self.device), learner)
                for instance in instances
                if instance.edge_index.shape[1]
            ]
            for epoch in range(epochs):
                order = [calls[number] for number in rng.permutation(len(calls))]
                losses = [learner.train(epoch, explainer.model, **arguments) for explainer, arguments in order]
                job.report((epoch + 1) / epochs, f"epoch {epoch + 1} of {epochs}, loss {np.mean(losses):.3f}")
        self.trained, self.made = learner, provenance(self.device.type, time.perf_counter() - started)

    def save(self, path: Path) -> None:
        write_tensors(path, self.learnt.mlp.state_dict(), {"made": self.made, "config": asdict(self.config)})

    def load(self, path: Path) -> None:
        with self.running(self.seed):
            self.trained = _PGAlgorithm(self.config)
            self.trained.mlp.load_state_dict(read_tensors(path))
            self.trained._curr_epoch = self.trained.epochs  # PyG counts the epochs of this object


def as_method(algorithm: ExplainerAlgorithm, *, title: str = "") -> type[Method]:
    """Make an explainer of one of PyG's algorithms.

    Args:
        algorithm: The algorithm; one that learns has learnt.
        title: Its name for people. With a title it is listed in this process: `explain` finds it by its name.

    Returns:
        A class, whose objects explain one model each.
    """
    content = {"new_algorithm": lambda _: copy.deepcopy(algorithm)}
    method = type(type(algorithm).__name__, (PyGMethod,), content)
    if title:
        key = re.sub(r"\W+", "_", title.lower()).strip("_")
        METHODS[key] = MethodInfo(key, title, method)
    return method
