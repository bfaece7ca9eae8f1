"""What PyG asks of an algorithm: GFlowExplainer behind ``torch_geometric.explain.Explainer``."""

import logging
from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.explain import Explanation
from torch_geometric.explain.algorithm import ExplainerAlgorithm
from torch_geometric.explain.config import ExplanationType, MaskType, ModelMode, ModelReturnType, ModelTaskLevel

from gfx_core.baselines.edge_scores import memberships
from gfx_core.config import FlowSource, Task
from gfx_core.errors import UserError
from gfx_core.explanation.answer import marginals_of
from gfx_core.explanation.flows import flows_for
from gfx_core.explanation.loading import load
from gfx_core.explanation.question import Question
from gfx_core.explanation.result import scores_on_edges
from gfx_core.job_context import JobContext
from gfx_core.user_models.adapter import PYG_OUTPUT
from gfx_core.user_models.inputs import one_index

_log = logging.getLogger(__name__)


class PyGAlgorithm(ExplainerAlgorithm):
    """PyG's side of GFlowExplainer.

    Attributes:
        device: Where to compute.
        options: Of all questions.
    """

    device: str
    options: dict[str, Any]

    @abstractmethod
    def question(self, model: nn.Module, data: Any, index: Any = None, **options: Any) -> Question:
        """What is asked about one prediction."""

    @torch.no_grad()
    def forward(
        self,
        model: nn.Module,
        x: Tensor,
        edge_index: Tensor,
        *,
        target: Tensor,
        index: int | Tensor | None = None,
        **kwargs: Any,
    ) -> Explanation:
        """Edge marginals of one node or graph.

        Without a trained policy flows are exact where they can be, else a policy is trained on this instance first and
        kept.
        """
        if isinstance(x, dict) or isinstance(edge_index, dict):
            raise UserError("GFlowExplainer explains homogeneous graphs, not heterogeneous ones.")
        task, batch = Task(self.model_config.task_level.value), kwargs.pop("batch", None)
        others = {name: value for name, value in kwargs.items() if not isinstance(value, Tensor)}
        every = Data(x=x, edge_index=edge_index, **{name: kwargs[name] for name in kwargs.keys() - others.keys()})
        data, nodes, position = _one_graph(every, task, index, batch)
        about = {"task": task, "output": self._output(), "args": others}
        explained = self._explained(target, position)
        question = self.question(model, data, position if task is Task.NODE else None, explained=explained, **about)
        flows = flows_for(load(question), JobContext(self.device))
        source, instance = flows.source, flows.source.instance  # the instance, or the part of it that was looked at
        drawn = source.draw(question.samples, question.seed, flows.start)
        orders, exactly = drawn.orders, source.distribution(flows.start) if source.flows is FlowSource.EXACT else None
        original = nodes[torch.from_numpy(instance.nodes)].numpy()
        marginals = instance.both_directions(marginals_of(instance, drawn, exactly))
        edges = scores_on_edges(original[instance.edge_index], marginals, edge_index)
        held = torch.zeros(len(x), 1)
        held[torch.from_numpy(original), 0] = torch.from_numpy(memberships(instance, orders).mean(0)).float()
        wants_nodes = self.explainer_config.node_mask_type is MaskType.object
        return Explanation(edge_mask=edges.to(x.device), node_mask=held.to(x.device) if wants_nodes else None)

    def supports(self) -> bool:
        """Whether PyG's settings are ones that this algorithm can serve."""
        if self.model_config.task_level not in (ModelTaskLevel.node, ModelTaskLevel.graph):
            _log.error("GFlowExplainer explains nodes and graphs, not edges")
            return False
        if self.explainer_config.node_mask_type not in (None, MaskType.object):
            _log.error("GFlowExplainer scores edges and whole nodes, not single features")
            return False
        return self.explainer_config.explanation_type in (ExplanationType.model, ExplanationType.phenomenon)

    def _output(self) -> str:
        """What PyG was told that the model returns."""
        return_type = self.model_config.return_type
        known = (self.model_config.mode.value, "raw" if return_type is ModelReturnType.log_probs else return_type.value)
        return next(str(kind) for kind, about in PYG_OUTPUT.items() if about == known)

    def _explained(self, target: Tensor, position: int) -> int | None:
        """The class that is explained; an amount is explained as it is."""
        if self.model_config.mode is ModelMode.regression:
            return None
        return int(target.flatten()[position if target.numel() > 1 else 0])


def _one_graph(data: Data, task: Task, index: Any, batch: Tensor | None) -> tuple[Data, Tensor, int]:
    """The graph that is asked about, the number of each of its nodes in what was given, and which prediction it is."""
    every = torch.arange(len(data.x))
    if task is Task.NODE:
        return data, every, one_index(index, len(data.x), "node")
    if batch is None:
        one_index(index, 1, "graph")
        return data, every, 0
    which = one_index(index, int(batch.max()) + 1, "graph")
    held = batch.cpu() == which
    return data.subgraph(held.to(data.x.device)), every[held], which
