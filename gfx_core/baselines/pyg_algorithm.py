"""Any explainer of PyG's as one method among others.

`as_method` makes a :class:`Method` of a ``torch_geometric.explain.algorithm.ExplainerAlgorithm``. The algorithm is
called through PyG's own ``Explainer``, with a private copy of the model and with the edges, features and further
arguments as their owner gave them. Every explanation is made by a fresh copy of the algorithm: what it writes into
itself or into the model is gone afterwards, so that threads may share a method.
"""

import copy
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.explain import Explainer, ModelConfig
from torch_geometric.explain.algorithm import ExplainerAlgorithm

from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import CancelledError, Explanation, Method
from gfx_core.baselines.registry import METHODS, MethodInfo
from gfx_core.datasets.instance import Instance
from gfx_core.device import seeded
from gfx_core.errors import UserError
from gfx_core.user_models.adapter import PYG_OUTPUT, first_line, private_copy
from gfx_core.user_models.inputs import ModelInputs
from gfx_core.user_models.predictor import adapt, inputs_of

SETTINGS = tuple(
    {"explanation_type": explanation, f"{part}_mask_type": mask}
    for part, mask in (("edge", "object"), ("node", "object"), ("node", "attributes"))
    for explanation in ("phenomenon", "model")
)
"""What an algorithm is asked for: the first that it supports."""


class PyGModel(nn.Module):
    """A private copy of a model on one instance, called as PyG calls one. Masks may be written into its layers.

    Args:
        model: The model.
        instance: What is explained.
        device: Where to compute.
        double: Whether to compute in double precision.

    Attributes:
        inputs: What the model reads of the instance.
        arguments: Those besides features and edges, by name; PyG gives them in this order or by name.
        output: What the model's numbers mean.
        explained_class: The predicted one.
    """

    def __init__(self, model: nn.Module, instance: Instance, device: torch.device, double: bool = False) -> None:
        super().__init__()
        self._adapter, self.output = adapt(private_copy(model).double() if double else model, [instance], device)
        self.model = self._adapter.model  # PyG finds its layers here
        self.inputs = inputs = self._adapter.ready(inputs_of(instance))
        self.arguments: dict[str, Any] = {**inputs.nodes, **inputs.edges, **inputs.graphs, **inputs.others}
        self._row = instance.target or 0
        with torch.no_grad():
            self._whole = self._raw_row()
            self.explained_class = int(self.logits().argmax())

    def forward(self, x: Tensor, edge_index: Tensor, *values: Any, batch: Tensor | None = None, **named: Any) -> Tensor:
        """The model's numbers, one row for each prediction. [n or graphs, C]"""
        named |= dict(zip(self.arguments, values, strict=False))
        if missing := [name for name in self.arguments if name not in named]:
            raise UserError(
                f"This algorithm calls the model without {', '.join(missing)}: it explains a different prediction."
            )
        owner = torch.zeros(len(x), dtype=torch.long, device=x.device) if batch is None else batch
        raw = self._adapter.raw(ModelInputs(x, edge_index, others=named), owner, int(owner.max()) + 1)
        return raw.float() if raw.shape[1] == 1 else raw  # PyG's losses of one number are in single precision

    def _raw_row(self) -> Tensor:
        owner = torch.zeros(self.inputs.num_nodes, dtype=torch.long, device=self.inputs.x.device)
        return self._adapter.raw(self.inputs, owner, 1)[self._row : self._row + 1]  # [1, C]

    def logits(self) -> Tensor:
        """Logits of the prediction that is explained, with whatever mask is in the layers. [C]"""
        return self.output.predictions(self._raw_row(), self._whole).logits[0]


class PyGMethod(Method, ABC):
    """The edges as one of PyG's algorithms scores them.

    An algorithm that scores nodes and no edges gives an edge the mean of its two ends. What the algorithm draws by
    torch's generators depends on the seed and the instance alone.
    """

    any_model = True
    double: ClassVar[bool] = False
    """Whether the model computes in double precision."""

    @abstractmethod
    def new_algorithm(self) -> ExplainerAlgorithm:
        """A fresh copy of the algorithm."""

    def explain(self, instance: Instance) -> Explanation:
        if not instance.edge_index.shape[1]:
            return Explanation(np.zeros(0))
        with self.running(mask_seed(self.seed, instance)):
            return Explanation(self._scores(instance))

    @contextmanager
    def running(self, seed: int) -> Iterator[None]:
        """Where the algorithm runs: its randomness is its own, and its errors become sentences."""
        try:
            with seeded(seed, self.device), torch.enable_grad():
                yield
        except (UserError, CancelledError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            raise UserError(f"{type(self).__name__} cannot explain this prediction ({first_line(error)}).") from error

    def _scores(self, instance: Instance) -> Scores:
        explainer, arguments = self.ask(instance)
        explanation = explainer(**arguments)
        edges, nodes = explanation.get("edge_mask"), explanation.get("node_mask")
        if edges is None and nodes is None:
            raise UserError(f"{type(self).__name__} scores neither edges nor nodes, so nothing can be shown.")
        if edges is not None:
            scores = on_own_edges(instance, arguments["edge_index"], edges)
        else:
            scores = nodes.detach().double().sum(-1).cpu().numpy()[instance.edge_index].mean(0)
        if not np.isfinite(scores).all():
            raise UserError(f"{type(self).__name__} scores some edges by NaN or infinity.")
        return scores

    def ask(self, instance: Instance, algorithm: ExplainerAlgorithm | None = None) -> tuple[Explainer, dict[str, Any]]:
        """PyG's explainer, and the arguments of a call of it.

        Args:
            instance: What is explained.
            algorithm: The algorithm; by default a fresh copy.
        """
        model = PyGModel(self.model, instance, self.device, self.double).eval()
        mode, return_type = PYG_OUTPUT[model.output.kind]
        config = ModelConfig(mode=mode, task_level=instance.task.value, return_type=return_type)
        for settings in SETTINGS:
            scorer = (algorithm or self.new_algorithm()).to(self.device)
            try:
                explainer = Explainer(model, scorer, model_config=config, **settings)
            except ValueError:  # it is not supported
                continue
            arguments = {"x": model.inputs.x, "edge_index": model.inputs.edge_index, **model.arguments}
            target: Tensor | None = None
            if settings["explanation_type"] == "phenomenon":
                target = explainer.get_target(explainer.get_prediction(**arguments))
            index = None if instance.target is None else torch.tensor([instance.target], device=self.device)
            return explainer, arguments | {"target": target, "index": index}
        raise UserError(
            f"{type(self).__name__} does not explain what this model does: {mode.replace('_', ' ')} of "
            f"{instance.task.value}s ({model.output.kind})."
        )


FAINT = 0.01
"""A mask without a value as large as this is empty."""


class SoftMaskMethod(PyGMethod):
    """An algorithm that learns a mask with values between 0 and 1.

    A mask's loss charges for every edge. If that costs more than the prediction is worth, the best mask is the empty
    one: it has collapsed, and the ranking of its values is meaningless.
    """

    def explain(self, instance: Instance) -> Explanation:
        explanation = super().explain(instance)
        largest = explanation.edge_mask.max(initial=0)
        if not len(explanation.edge_mask) or largest >= FAINT:
            return explanation
        note = (
            f"The mask has collapsed: its largest value is {largest:.1e}, so the ranking of its edges is meaningless."
        )
        return replace(explanation, note=note)


def mask_seed(seed: int, instance: Instance) -> int:
    """One seed for each pair of a seed and an instance."""
    return int(np.random.SeedSequence([seed, instance.index]).generate_state(1)[0])


def on_own_edges(instance: Instance, edge_index: Tensor, mask: Tensor) -> Scores:
    """The scores of an instance's own edges: of several given ones the highest, of none in this direction that of the
    other. edge_index [2, e], mask [e] → [e_i]"""
    m, (source, target) = instance.num_nodes, edge_index.cpu().numpy()
    keys = instance.edge_index[0] * m + instance.edge_index[1]  # sorted
    between = source != target
    scores = np.full(len(keys), -np.inf)
    values = mask.detach().double().cpu().numpy()
    np.maximum.at(scores, np.searchsorted(keys, (source * m + target)[between]), values[between])
    return np.where(np.isfinite(scores), scores, scores[instance.reverse])


def as_method(
    algorithm: ExplainerAlgorithm | Callable[[], ExplainerAlgorithm],
    *,
    title: str = "",
    summary: str = "",
    source: str = "",
) -> type[Method]:
    """Make an explainer of one of PyG's algorithms, to stand beside all others.

    Args:
        algorithm: One that is ready (one that learns has learnt), or a class or function that makes one.
        title: What people call it. With a title it is listed in this process: `explain` finds it by its name.
        summary: One sentence on how it works.
        source: Where it comes from.

    Returns:
        A class, whose objects explain one model each.
    """
    if not isinstance(algorithm, ExplainerAlgorithm):
        try:
            algorithm = algorithm()
        except TypeError as error:
            raise UserError(
                f"The algorithm cannot be made without arguments ({first_line(error)}): pass an instance of it."
            ) from error
    if not isinstance(algorithm, ExplainerAlgorithm):
        raise UserError(
            f"This must be an ExplainerAlgorithm of torch_geometric.explain (got a {type(algorithm).__name__})."
        )
    name = type(algorithm).__name__
    about = {"__doc__": summary or f"PyG's algorithm {name}.", "new_algorithm": lambda _: copy.deepcopy(algorithm)}
    method = type(name, (PyGMethod,), about)
    if title:
        key = re.sub(r"\W+", "_", title.lower()).strip("_")
        if key in METHODS and isinstance(METHODS[key].loader, str):
            raise UserError(f"An explainer “{METHODS[key].title}” already exists: choose another title.")
        METHODS[key] = MethodInfo(key, title, summary, source, method)
    return method
