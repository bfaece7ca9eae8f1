"""Any explainer of PyG's, or of who writes for PyG, as one method among others.

`as_method` takes a ``torch_geometric.explain.algorithm.ExplainerAlgorithm`` and makes a :class:`Method` of it. The
algorithm is asked through PyG's own ``Explainer``, with a private copy of the model and the edges, features and further
arguments as their owner gave them, so it sees what it would see in a script of its author's. Every explanation is made
by a fresh copy of the algorithm: what it writes into itself or into the model is gone afterwards.
"""

import copy
import re
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.explain import Explainer, ModelConfig
from torch_geometric.explain.algorithm import ExplainerAlgorithm

from gfx_core.baselines.disjoint_union import on_own_edges
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.gnnexplainer import mask_seed
from gfx_core.baselines.method import Explanation, Method
from gfx_core.baselines.registry import METHODS, MethodInfo
from gfx_core.datasets.instance import Instance
from gfx_core.device import seeded
from gfx_core.errors import UserError
from gfx_core.user_models.adapter import PYG_OUTPUT, ModelAdapter, ModelOutput, first_line
from gfx_core.user_models.inputs import ModelInputs
from gfx_core.user_models.predictor import adapt, inputs_of

_SETTINGS = tuple(
    {"explanation_type": explanation, f"{part}_mask_type": mask}
    for part, mask in (("edge", "object"), ("node", "object"), ("node", "attributes"))
    for explanation in ("model", "phenomenon")
)
"""What an algorithm is asked for: the first that it supports."""


class _PyGModel(nn.Module):
    """A model that is called as PyG calls one, with one row for each prediction.

    Args:
        adapter: Its private copy.
        names: Of further arguments, which may be given in this order or by name.
    """

    def __init__(self, adapter: ModelAdapter, names: tuple[str, ...]) -> None:
        super().__init__()
        self.model, self._adapter, self._names = adapter.model, adapter, names

    def forward(self, x: Tensor, edge_index: Tensor, *values: Any, batch: Tensor | None = None, **named: Any) -> Tensor:
        """What comes out. [n or graphs, C]"""
        named |= dict(zip(self._names, values, strict=False))
        if missing := [name for name in self._names if name not in named]:
            raise UserError(
                f"This algorithm calls the model without {', '.join(missing)}: it explains a different prediction."
            )
        graph = ModelInputs(x, edge_index, others=named)
        if batch is None:
            return self._adapter.raw(graph, torch.zeros(len(x), dtype=torch.long, device=x.device), 1)
        return self._adapter.raw(graph, batch, int(batch.max()) + 1)


class PyGMethod(Method):
    """The edges as one of PyG's algorithms scores them; `as_method` makes a subclass for each.

    An algorithm that scores nodes and no edges gives an edge the mean of its two ends. What the algorithm draws by
    torch's generators depends on the seed and the instance alone.
    """

    any_model = True
    algorithm: ClassVar[ExplainerAlgorithm]
    """As it was given; it is copied and never run itself."""

    _settings: dict[str, str] | None = None  # what it supports, once that is known

    def explain(self, instance: Instance) -> Explanation:
        if not instance.edge_index.shape[1]:
            return Explanation(np.zeros(0))
        adapter, output = adapt(self.model, [instance], self.device)
        try:
            with seeded(mask_seed(self.seed, instance), self.device), torch.enable_grad():
                return Explanation(self._scores(instance, adapter, output))
        except (UserError, torch.OutOfMemoryError):
            raise
        except Exception as error:
            raise UserError(
                f"{type(self.algorithm).__name__} cannot explain this prediction ({first_line(error)})."
            ) from error

    def _scores(self, instance: Instance, adapter: ModelAdapter, output: ModelOutput) -> Scores:
        inputs = adapter.ready(inputs_of(instance))
        named: dict[str, Any] = {**inputs.nodes, **inputs.edges, **inputs.graphs, **inputs.others}
        explainer = self._explainer(_PyGModel(adapter, tuple(named)).eval(), instance, output)
        target: Tensor | None = None
        if explainer.explanation_type.value == "phenomenon":
            target = explainer.get_target(explainer.get_prediction(inputs.x, inputs.edge_index, **named))
        found = explainer(inputs.x, inputs.edge_index, target=target, index=instance.target, **named)
        edges, nodes = found.get("edge_mask"), found.get("node_mask")
        if edges is None and nodes is None:
            raise UserError(f"{type(self.algorithm).__name__} scores neither edges nor nodes, so nothing can be shown.")
        if edges is not None:
            values = edges.detach().double().cpu().numpy()
            scores = on_own_edges(instance, inputs.edge_index.cpu().numpy(), values)
        else:
            scores = nodes.detach().double().sum(-1).cpu().numpy()[instance.edge_index].mean(0)
        if not np.isfinite(scores).all():
            raise UserError(f"{type(self.algorithm).__name__} scores some edges by NaN or infinity.")
        return scores

    def _explainer(self, model: nn.Module, instance: Instance, output: ModelOutput) -> Explainer:
        """PyG's own, with a fresh copy of the algorithm, asked for what it supports."""
        mode, return_type = PYG_OUTPUT[output.kind]
        config = ModelConfig(mode=mode, task_level=instance.task.value, return_type=return_type)
        for settings in _SETTINGS if self._settings is None else (self._settings,):
            algorithm = copy.deepcopy(self.algorithm).to(self.device)
            try:
                explainer = Explainer(model, algorithm, model_config=config, **settings)
            except ValueError:  # it is not supported
                continue
            self._settings = settings
            return explainer
        raise UserError(
            f"{type(self.algorithm).__name__} does not explain what this model does: {mode.replace('_', ' ')} of "
            f"{instance.task.value}s ({output.kind})."
        )


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
    made = type(name, (PyGMethod,), {"__doc__": summary or f"PyG's algorithm {name}.", "algorithm": algorithm})
    if title:
        key = re.sub(r"\W+", "_", title.lower()).strip("_")
        if key in METHODS and isinstance(METHODS[key].loader, str):
            raise UserError(f"An explainer “{METHODS[key].title}” already exists: choose another title.")
        METHODS[key] = MethodInfo(key, title, summary, source, made)
    return made
